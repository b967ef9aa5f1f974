"""How fast a keystroke is answered: `python -m bench.places`.

A town of 5,000 made-up streets (the names of a real one, recombined) is searched as one types, letter by letter, and
with typing errors, initials and house numbers. Beside it, in the same run and over the same labels, bare
`rapidfuzz.process.extract`: with its default scorer, which forgives word order, and with the plain ratio, which does
not.
The last lines say how often each puts the meant street first.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rapidfuzz import fuzz, process

from geodata.features import read
from zones.places.names import LINKING_WORDS
from zones.places.place import Kind, Place
from zones.places.search import Index

STREETS = Path(__file__).parents[1] / "tests" / "geodata" / "ce-limoeiro-do-norte" / "streets.geojson"
PLACES = 5_000
MEANT = 100
LIMIT = 10


def labels(count: int, chosen: random.Random) -> list[str]:
    """``count`` different street names of two to four words taken from real ones."""
    names = {
        str(feature.properties["name"]) for feature in read(STREETS, ("LineString",)) if feature.properties["name"]
    }
    words = sorted({word for name in names for word in name.split()[1:] if word.lower() not in LINKING_WORDS})
    made: set[str] = set()
    while len(made) < count:
        kind = chosen.choice(("Rua", "Avenida", "Travessa"))
        made.add(" ".join((kind, *chosen.sample(words, chosen.randint(2, 4)))))
    return sorted(made)


def mistyped(label: str, chosen: random.Random) -> str:
    """``label`` as people type it: type shortened or left out, a letter missing, an initial, a house number."""
    kind, *words = label.lower().split()
    longest = max(range(len(words)), key=lambda n: len(words[n]))
    cut = chosen.randrange(1, len(words[longest]))
    words[longest] = words[longest][:cut] + words[longest][cut + 1 :]
    if len(words) > 2:
        words[1] = words[1][0]
    return " ".join([chosen.choice((kind[0], kind, "")), *words, chosen.choice(("", "123"))]).strip()


def milliseconds(work: Callable[[str], object], queries: Sequence[str]) -> float:
    """Best mean of five rounds, per query."""
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for query in queries:
            work(query)
        best = min(best, (time.perf_counter() - start) / len(queries))
    return best * 1000


def main() -> None:
    chosen = random.Random(1)
    names = labels(PLACES, chosen)
    start = time.perf_counter()
    index = Index(Place(Kind.STREET, name, "bench") for name in names)
    print(f"{PLACES} places indexed in {time.perf_counter() - start:.2f} s")
    meant = chosen.sample(names, MEANT)
    typed = [mistyped(name, chosen) for name in meant]
    keystrokes = [query[:length] for query in typed[:10] for length in range(1, len(query) + 1)]

    def ours(query: str) -> str:
        return next((found.label for found in index.search(query, LIMIT)), "")

    def forgiving(query: str) -> str:
        return str(process.extract(query, names, limit=LIMIT)[0][0])

    def plain(query: str) -> str:
        return str(process.extract(query, names, scorer=fuzz.ratio, limit=LIMIT)[0][0])

    spent = {work.__name__: milliseconds(work, keystrokes) for work in (ours, forgiving, plain)}
    print(f"{len(keystrokes)} keystrokes: {', '.join(f'{name} {ms:.2f} ms' for name, ms in spent.items())}")
    print(f"speed against extract with its default scorer: {spent['forgiving'] / spent['ours']:.1f} times")
    print(f"speed against extract with the plain ratio: {spent['plain'] / spent['ours']:.2f} times")
    for work in (ours, forgiving, plain):
        first = sum(work(query) == name for query, name in zip(typed, meant, strict=True))
        print(f"meant street first: {work.__name__} {first} of {MEANT}")


if __name__ == "__main__":
    main()

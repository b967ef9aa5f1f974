"""Search in one municipality's gazetteer: ranked, forgiving, as one types, in a stable order.

An `Index` is built once per version of the gazetteer and only read afterwards; one search is a few
passes of numpy and rapidfuzz over all names at once. How well a name answers a query:

- every word of the query is worth what its best word in the name is worth: 1 if equal, less if it
  only begins it, is its initial, or differs by a typing error; numbers are never corrected, Linha 9
  is not Linha 8;
- words of the name that the query lacks, and another type of street than the one asked for, cost a
  little;
- only a name typed in full scores 100.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz, process

from geodata.geodesic import line_metres
from geodata.point import Point
from zones.places.axis import position_at
from zones.places.names import (
    LINKING_WORDS,
    STREET_TYPES,
    fold,
    natural_key,
    spelled_otherwise,
    words,
)
from zones.places.place import LONGEST_TEXT, Candidate, Kind, Place, PositionQuality
from zones.places.rural import RuralAddress, parse

__all__ = ["LONGEST_QUERY", "Index"]

LONGEST_QUERY = 2 * LONGEST_TEXT + 10  # holds every label; the rest of a longer query is not read
MOST_WORDS = 12

EXACT = 100
LOWEST_SCORE = 55
BEGUN_LAST, BEGUN = 0.9, 0.8  # the word being typed; an abbreviation or initial further on
INITIAL = 0.7  # "batista" typed where the name has "B."
CORRECTED = 0.9
LEAST_LIKE = 72  # rapidfuzz ratio below which two words are two words, not one with an error
LEAST_ALIKE_WHOLE = 80  # the same for whole names without their spaces: "joaobatista"
OTHER_TYPE = 0.04
NOT_ASKED = 0.15
NUMBER = 4.0  # weight of a number; in a name without numbers it may be the house's, and weighs less
HOUSE_NUMBER = 1.0

Scores = npt.NDArray[np.float64]


class Index:
    """The gazetteer of one municipality, ready to be searched. Safe to share between threads."""

    def __init__(self, places: Iterable[Place]) -> None:
        self.places = sorted(places, key=lambda p: (natural_key(p.label), p.kind, p.source))
        spellings = [(n, s) for n, p in enumerate(self.places) for s in _spellings(p)]
        self._place = np.array([n for n, _ in spellings], dtype=np.intp)
        self._exact: dict[tuple[str, ...], list[int]] = {}
        for n, spelling in spellings:
            self._exact.setdefault(spelling, []).append(n)
        self._vocabulary = sorted({word for _, spelling in spellings for word in spelling})
        self._number_of = {word: n for n, word in enumerate(self._vocabulary)}
        self._types = np.array([_type(s) for _, s in spellings], dtype=np.str_)
        self._with_number = np.array([any(map(str.isdigit, s)) for _, s in spellings], dtype=np.bool_)
        self._compact = [_joined(s) for _, s in spellings]
        # One entry per word of each spelling, spelling after spelling; _starts: where each begins.
        self._words = np.array([self._number_of[w] for _, s in spellings for w in s], dtype=np.intp)
        self._weights = np.array([w for _, s in spellings for w in _name_weights(s)], dtype=np.float64)
        lengths = [len(s) for _, s in spellings]
        self._starts = np.cumsum([0, *lengths[:-1]], dtype=np.intp)
        self._whole = np.add.reduceat(self._weights, self._starts) if spellings else np.zeros(0)

    def search(self, query: str, limit: int = 10) -> list[Candidate]:
        """The best ``limit`` candidates, best first; equal scores in natural order.

        Never raises for any text; one without letters and digits finds nothing.
        """
        query = query[:LONGEST_QUERY]
        asked = words(query)
        if not asked or not self.places:
            return []
        address = parse(query)
        scores = self._scores(query)
        if address is not None and address.searched:
            scores = np.maximum(scores, self._scores(address.searched))
        found = np.flatnonzero(scores >= LOWEST_SCORE / 100)
        points = {int(n): min(round(float(scores[n]) * 100), EXACT - 1) for n in found}
        points |= dict.fromkeys(self._exact.get(asked, ()), EXACT)
        typed = " ".join(query.split())
        ranked = sorted(points, key=lambda n: (-points[n], typed not in _names(self.places[n]), n))
        typing = fold(query).split()[-1]
        return [_candidate(self.places[n], points[n], asked, typing, address) for n in ranked[:limit]]

    def _scores(self, query: str) -> Scores:
        """How well each place answers ``query``, from 0 to 1: its best spelling's score."""
        asked = words(query)
        core = _core(asked)
        first_type = _type(asked)
        typing = fold(query).split()[-1]
        answered = np.zeros(len(self._place))
        asked_for = np.zeros(len(self._place))
        covered = np.zeros(len(self._words))
        for word, likeness in zip(core, self._likeness(core, typing), strict=True):
            per_entry = likeness[self._words]
            weight = self._weight(word)
            answered += weight * np.maximum.reduceat(per_entry, self._starts)
            asked_for += weight
            np.maximum(covered, per_entry, out=covered)
        scores = answered / asked_for
        named = np.add.reduceat(self._weights * covered, self._starts)
        scores *= 1 - NOT_ASKED * (1 - named / np.maximum(self._whole, 1))
        self._forgive_spaces(core, scores)
        if first_type:
            scores -= OTHER_TYPE * ((self._types != "") & (self._types != first_type))
        best = np.zeros(len(self.places))
        np.maximum.at(best, self._place, scores)
        return best

    def _weight(self, word: str) -> Scores:
        if word.isdigit():
            return np.where(self._with_number, NUMBER, HOUSE_NUMBER)
        return np.full(len(self._place), _word_weight(word))

    def _likeness(self, asked: Sequence[str], typing: str) -> Scores:
        """How alike each word asked (row) and each word of the vocabulary (column) are, 0 to 1."""
        alike = process.cdist(asked, self._vocabulary, scorer=fuzz.ratio, score_cutoff=LEAST_LIKE, dtype=np.float64)
        alike *= CORRECTED / 100
        for row, word in enumerate(asked):
            last = row == len(asked) - 1
            if word.isdigit() or len(word) < 4:
                alike[row] = 0  # too short to be corrected without guessing; a number must be the number
            if not word.isdigit() and (initial := self._number_of.get(word[0])) is not None:
                alike[row, initial] = INITIAL
            if last or not word.isdigit():
                self._begun(alike[row], word, BEGUN_LAST if last else BEGUN)
            if last and not typing.isdigit():
                self._begun(alike[row], typing, BEGUN_LAST)  # "pe" may be padre or the beginning of Pedro
            if (same := self._number_of.get(word)) is not None:
                alike[row, same] = 1
        return np.asarray(alike)

    def _begun(self, likeness: Scores, beginning: str, worth: float) -> None:
        first = bisect_left(self._vocabulary, beginning)
        after = bisect_left(self._vocabulary, beginning + "\U0010ffff")
        np.maximum(likeness[first:after], worth, out=likeness[first:after])

    def _forgive_spaces(self, core: Sequence[str], scores: Scores) -> None:
        """Raise the scores of names that are alike without their spaces ("joaobatista")."""
        alike = process.extract(
            "".join(core),
            self._compact,
            scorer=fuzz.ratio,
            processor=None,
            score_cutoff=LEAST_ALIKE_WHOLE,
            limit=None,
        )
        for _, ratio, n in alike:
            scores[n] = max(scores[n], CORRECTED * ratio / 100)


def _names(place: Place) -> tuple[str, ...]:
    return tuple(dict.fromkeys((place.name, place.label, *place.aliases)))


def _spellings(place: Place) -> dict[tuple[str, ...], None]:
    """Every way of writing the place's names, in words, each once."""
    written = [words(name) for name in _names(place)]
    return dict.fromkeys((*written, *map(spelled_otherwise, written)))


def _type(spelling: Sequence[str]) -> str:
    return spelling[0] if len(spelling) > 1 and spelling[0] in STREET_TYPES else ""


def _core(spelling: Sequence[str]) -> tuple[str, ...]:
    """The words that tell places apart: no street type, no "de"; all if nothing else is left."""
    rest = spelling[1:] if _type(spelling) else spelling
    core = dict.fromkeys(word for word in rest if word not in LINKING_WORDS)
    return tuple(core)[:MOST_WORDS] or tuple(spelling)[:MOST_WORDS]


def _joined(spelling: Sequence[str]) -> str:
    return "".join(_core(spelling))


def _word_weight(word: str) -> float:
    return float(min(len(word), 6) + 1)


def _name_weights(spelling: Sequence[str]) -> list[float]:
    core = _core(spelling)
    return [(NUMBER if w.isdigit() else _word_weight(w)) if w in core else 0.0 for w in spelling]


def _candidate(
    place: Place, score: int, asked: tuple[str, ...], typing: str, address: RuralAddress | None
) -> Candidate:
    named = words(address.searched) if address else asked
    where = _where(place, address)
    return Candidate(
        place=place,
        label=_label(place, address),
        score=score,
        position=where.position,
        position_quality=where.quality,
        note=where.note,
        unmatched=() if score == EXACT else _unmatched(named, typing, place),
        address=address,
    )


def _label(place: Place, address: RuralAddress | None) -> str:
    if place.kind is Kind.LINHA and address is not None and address.km is not None:
        return f"{place.label}, km {address.km.normalize():f}".replace(".", ",")
    return place.label


def _unmatched(asked: Sequence[str], typing: str, place: Place) -> tuple[str, ...]:
    """The words asked for that nothing in the place's names resembles: a house number, for one."""
    spellings = _spellings(place)
    known = {word for spelling in spellings for word in spelling}
    missing = [word for word in _core(asked) if not any(_resembles(word, each) for each in known)]
    if missing and missing[-1] == asked[-1] and any(word.startswith(typing) for word in known):
        missing.pop()
    joined = "".join(word for word in _core(asked) if not word.isdigit())
    if any(fuzz.ratio(joined, _joined(each)) >= LEAST_ALIKE_WHOLE for each in spellings):
        missing = [word for word in missing if word.isdigit()]  # only the spaces were different
    return tuple(missing)


def _resembles(asked: str, named: str) -> bool:
    if asked.isdigit() or named.isdigit():
        return asked == named
    return named.startswith(asked) or named == asked[0] or fuzz.ratio(asked, named) >= LEAST_LIKE


@dataclass(frozen=True, slots=True)
class _Where:
    position: Point | None
    quality: PositionQuality
    note: str | None = None


def _where(place: Place, address: RuralAddress | None) -> _Where:
    """The position to offer and what it rests on; a km is measured along the axis or not at all."""
    if place.kind is Kind.LINHA and address is not None and address.metres is not None:
        return _along(place, address.metres)
    if place.position is None:
        return _Where(
            None,
            PositionQuality.NONE,
            "Posição desconhecida: marque no mapa ou informe uma referência.",
        )
    if place.position_quality is PositionQuality.APPROXIMATE:
        return _Where(
            place.position,
            PositionQuality.APPROXIMATE,
            "Posição aproximada: confirme com o passageiro.",
        )
    return _Where(place.position, PositionQuality.VERIFIED)


def _along(linha: Place, metres: int) -> _Where:
    if not linha.axis:
        return _Where(
            None,
            PositionQuality.NONE,
            f"O eixo da {linha.name} não está cadastrado: o km não dá uma posição.",
        )
    found = position_at(linha.axis, metres)
    if found is None:
        known = f"{line_metres(linha.axis) / 1000:.1f}".replace(".", ",")
        return _Where(
            None,
            PositionQuality.NONE,
            f"O eixo cadastrado da {linha.name} tem {known} km: este km fica além dele.",
        )
    return _Where(
        found,
        PositionQuality.APPROXIMATE,
        f"Posição estimada pelo km ao longo do eixo da {linha.name}: confirme com o passageiro.",
    )

"""A gazetteer as a table people edit: read strictly, written so that no spreadsheet runs a cell.

One row per place, the columns of ``COLUMNS`` in any order, separated by semicolons or commas. ``aliases`` are separated
by `|`; ``axis`` is `lon lat, lon lat, …` from the linha's km 0; the rest is as in `zones.places.place.Place`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from geodata.point import BadPoint, Point
from zones.places.names import natural_key
from zones.places.place import BadPlace, Kind, Place, PositionQuality

__all__ = ["COLUMNS", "BadSheet", "read", "write"]

COLUMNS = ("kind", "name", "detail", "aliases", "lat", "lon", "position_quality", "axis", "source", "credit")
NEEDED = ("kind", "name", "source")
ENCODINGS = ("utf-8", "latin-1")
MOST_BYTES = 10_000_000
MOST_ROWS = 50_000
MOST_AXIS_POINTS = 5_000
DECIMALS = 7  # of a degree: about 1 cm, as OpenStreetMap keeps them
SHOWN_ERRORS = 20

Choice = TypeVar("Choice", Kind, PositionQuality)

_DEGREES = re.compile(r"-?[0-9]{1,3}(?:\.[0-9]{1,12})?")
_RUNS_IN_A_SPREADSHEET = ("=", "+", "-", "@", "\t", "\r")


class BadSheet(ValueError):
    """The table cannot be read; the message lists what is wrong, row by row, in Portuguese."""

    def __init__(self, faults: list[str]) -> None:
        more = len(faults) - SHOWN_ERRORS
        shown = faults[:SHOWN_ERRORS] + ([f"… e mais {more} erros"] if more > 0 else [])
        super().__init__("\n".join(shown))
        self.faults = tuple(faults)


def read(content: bytes, encoding: str = "utf-8") -> list[Place]:
    """The places of a table, all or none. Raises ``BadSheet``.

    ``encoding`` is `utf-8` (with or without byte order mark) or `latin-1`: what is not UTF-8 is never guessed, because
    any bytes at all are valid latin-1.
    """
    rows = _rows(_text(content, encoding))
    places: list[Place] = []
    faults: list[str] = []
    seen: dict[str, int] = {}
    for line, row in rows:
        try:
            place = _place(row)
        except (BadPlace, BadPoint) as why:
            faults.append(f"linha {line}: {why}")
            continue
        if place.identity in seen:
            faults.append(
                f"linha {line}: {place.label} já está na linha {seen[place.identity]}; "
                "apague uma delas ou distinga-as em 'detail' (bairro, por exemplo)"
            )
        seen[place.identity] = line
        places.append(place)
    if faults:
        raise BadSheet(faults)
    return places


def write(places: Iterable[Place]) -> str:
    """The table of ``places`` in natural order, with semicolons; `read` gives the same places back."""
    out = io.StringIO()
    table = csv.writer(out, delimiter=";", lineterminator="\n")
    table.writerow(COLUMNS)
    for place in sorted(places, key=lambda p: (p.kind, natural_key(p.label))):
        lat, lon = map(_written, (place.position.lat, place.position.lon)) if place.position else ("", "")
        quality = place.position_quality.value
        axis = ", ".join(f"{_written(lon)} {_written(lat)}" for lon, lat in place.axis)
        texts = (place.name, place.detail, "|".join(place.aliases))
        rest = (lat, lon, quality, axis)
        table.writerow((place.kind.value, *map(_safe, texts), *rest, _safe(place.source), _safe(place.credit)))
    return out.getvalue()


def _safe(text: str) -> str:
    """A text that a spreadsheet takes for text; `_plain` takes the mark off again."""
    return "'" + text if text.startswith((*_RUNS_IN_A_SPREADSHEET, "'")) else text


def _plain(text: str) -> str:
    text = text.strip()
    return text[1:] if text.startswith("'") and text[1:].startswith((*_RUNS_IN_A_SPREADSHEET, "'")) else text


def _text(content: bytes, encoding: str) -> str:
    if len(content) > MOST_BYTES:
        raise BadSheet([f"o arquivo tem {len(content)} bytes; o limite é {MOST_BYTES}"])
    if encoding not in ENCODINGS:
        raise BadSheet([f"codificação {encoding!r}: use {' ou '.join(ENCODINGS)}"])
    try:
        return content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as why:
        raise BadSheet(
            [
                f"byte {why.start}: o arquivo não está em UTF-8. Grave-o como 'CSV UTF-8' ou, se veio de uma planilha "
                "antiga, repita com --encoding latin-1 e confira os acentos"
            ]
        ) from None


def _rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    first = text.split("\n", 1)[0]
    delimiter = ";" if first.count(";") >= first.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(header)
        for count, cells in enumerate((cells for cells in reader if any(map(str.strip, cells))), start=1):
            if count > MOST_ROWS:
                raise BadSheet([f"mais de {MOST_ROWS} lugares; divida o arquivo"])
            if len(cells) != len(header):
                widths = f"{len(cells)} colunas, e o cabeçalho tem {len(header)}"
                raise BadSheet([f"linha {reader.line_num}: {widths}; confira as aspas e os separadores"])
            yield reader.line_num, dict(zip(header, map(_plain, cells), strict=True))
    except csv.Error as why:
        raise BadSheet([f"linha {reader.line_num}: CSV malformado ({why}); confira as aspas"]) from None


def _check_header(header: list[str]) -> None:
    unknown = sorted(set(header) - set(COLUMNS))
    missing = [name for name in NEEDED if name not in header]
    repeated = sorted({name for name in header if header.count(name) > 1})
    faults = [
        f"cabeçalho: {what}: {', '.join(map(repr, names))}"
        for what, names in (
            ("colunas desconhecidas", unknown),
            ("faltam colunas", missing),
            ("colunas repetidas", repeated),
        )
        if names
    ]
    if faults:
        raise BadSheet([*faults, f"colunas aceitas: {', '.join(COLUMNS)}"])


def _place(row: dict[str, str]) -> Place:
    def cell(name: str) -> str:
        return row.get(name, "")

    return Place(
        kind=_choice(Kind, "kind", cell("kind")),
        name=cell("name"),
        source=cell("source"),
        detail=cell("detail"),
        aliases=tuple(alias for alias in cell("aliases").split("|") if alias.strip()),
        position=_position(cell("lat"), cell("lon")),
        position_quality=_choice(PositionQuality, "position_quality", cell("position_quality") or "none"),
        axis=_axis(cell("axis")),
        credit=cell("credit"),
    )


def _choice(choices: type[Choice], column: str, word: str) -> Choice:
    if word not in list(choices):
        raise BadPlace(f"{column}: {word!r}; use um destes: {', '.join(choices)}")
    return choices(word)


def _position(lat: str, lon: str) -> Point | None:
    if not lat and not lon:
        return None
    return Point(lat=_degrees("lat", lat), lon=_degrees("lon", lon))


def _degrees(column: str, text: str) -> float:
    if _DEGREES.fullmatch(text) is None:
        raise BadPlace(f"{column}: {text[:40]!r}; escreva graus decimais com ponto, como -11.128545")
    return round(float(text), DECIMALS)


def _written(degrees: float) -> str:
    return f"{degrees:.{DECIMALS}f}"


def _axis(text: str) -> tuple[tuple[float, float], ...]:
    if not text:
        return ()
    pairs = [pair.split() for pair in text.split(",")]
    if len(pairs) > MOST_AXIS_POINTS or any(len(pair) != 2 for pair in pairs):
        raise BadPlace(f"axis: escreva 'lon lat, lon lat, …' a partir do km 0, no máximo {MOST_AXIS_POINTS} pontos")
    points = (Point(lat=_degrees("axis", lat), lon=_degrees("axis", lon)) for lon, lat in pairs)
    return tuple(point.lonlat for point in points)

"""Numbers and angles as Brazilian surveyors write them.

Decimal comma or point, thousands separated by the other one; degrees as decimals or as degrees, minutes and seconds
with any of the usual signs; hemisphere as a letter or a word (N/S, L/E, O/W, "oeste").
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum


class BadNotation(ValueError):
    """The text is not a number or an angle; the message says what was expected, in Portuguese."""


class DecimalMark(StrEnum):
    COMMA = ","
    POINT = "."


class Axis(StrEnum):
    LAT = "latitude"
    LON = "longitude"


_MINUS = str.maketrans({"−": "-", "–": "-", "\u00a0": " "})
_NUMBER = {
    DecimalMark.COMMA: re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?", re.ASCII),
    DecimalMark.POINT: re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?", re.ASCII),
}
_UNIT = re.compile(r"\s*m(etros)?\.?$", re.IGNORECASE)


def decimal_mark(texts: list[str]) -> DecimalMark:
    """The decimal mark of a whole file: a comma where any number has one or shows points as thousands.

    Decided once for the file, since "512.345" alone could be read both ways. A file with point decimals and commas as
    thousands ("8,765,432.10") is recognised by a comma that stands before a point.
    """
    if any(re.search(r"\d,\d{3}\.\d", text) for text in texts):
        return DecimalMark.POINT
    comma = any(re.search(r"\d,\d", text) or re.search(r"\d\.\d{3}\.\d{3}", text) for text in texts)
    return DecimalMark.COMMA if comma else DecimalMark.POINT


def parse_number(text: str, mark: DecimalMark) -> float:
    """A number in metres or degrees, with an optional "m" after it. Raises `BadNotation`."""
    bare = _UNIT.sub("", text.translate(_MINUS).strip())
    if not _NUMBER[mark].fullmatch(bare):
        separator = "vírgula" if mark is DecimalMark.COMMA else "ponto"
        raise BadNotation(f"“{text.strip()[:40]}” não é um número (neste arquivo o decimal é {separator})")
    thousands = "." if mark is DecimalMark.COMMA else ","
    return _finite(float(bare.replace(thousands, "").replace(mark.value, ".")), text)


_DIRECTIONS = {
    "n": (Axis.LAT, 1), "norte": (Axis.LAT, 1), "s": (Axis.LAT, -1), "sul": (Axis.LAT, -1),
    "e": (Axis.LON, 1), "l": (Axis.LON, 1), "leste": (Axis.LON, 1), "este": (Axis.LON, 1),
    "w": (Axis.LON, -1), "o": (Axis.LON, -1), "oeste": (Axis.LON, -1),
}  # fmt: skip
_WORD = "norte|sul|leste|este|oeste|[nselow]"
_ANGLE = re.compile(
    rf"(?P<before>{_WORD})?\s*(?P<sign>[+-]?)\s*(?P<body>\d.*?)\s*(?P<after>{_WORD})?",
    re.DOTALL | re.ASCII,
)
_PART = re.compile(r"\d+(?:[.,]\d+)?", re.ASCII)
_LETTER_AS_DEGREE = re.compile(r"(?<=\d)o(?=\s*\d)", re.ASCII)
_SEPARATORS = re.compile(r"[\s°º˚*'’‘′\"”“″:]*")
_MAX_ANGLE_TEXT = 80
_EXPECTED = "não é um ângulo; escreva como -62,3626 ou 62°21'45,3\" O"


@dataclass(frozen=True, slots=True)
class Angle:
    """Signed degrees; ``axis`` is known only where a hemisphere was written."""

    degrees: float
    axis: Axis | None


def parse_angle(text: str) -> Angle:
    """Degrees from "-62,3626", "62°21'45,3\\" O", "62 21 45.3 oeste", "S 11°08'42\\"" and their kin.

    A sign that repeats the hemisphere ("-62° O") is accepted, one that contradicts it is not. Raises `BadNotation`.
    """
    if len(text) > _MAX_ANGLE_TEXT:
        raise BadNotation("texto longo demais para um ângulo")
    shown = text.strip()
    match = _ANGLE.fullmatch(shown.translate(_MINUS).lower())
    if not match:
        raise BadNotation(f"“{shown}” {_EXPECTED}")
    magnitude = _sexagesimal(match["body"], shown)
    negative = match["sign"] == "-"
    words = [word for word in (match["before"], match["after"]) if word]
    if not words:
        return Angle(-magnitude if negative else magnitude, None)
    if len(words) > 1:
        raise BadNotation(f"“{shown}” traz mais de um hemisfério")
    axis, sign = _DIRECTIONS[words[0]]
    if negative and sign > 0:
        raise BadNotation(f"“{shown}”: o sinal negativo contradiz o hemisfério")
    return Angle(sign * magnitude, axis)


def _sexagesimal(bare: str, shown: str) -> float:
    bare = _LETTER_AS_DEGREE.sub("°", bare)
    parts = _PART.findall(bare)
    leftovers = _PART.sub("", bare)
    if not 1 <= len(parts) <= 3 or not _SEPARATORS.fullmatch(leftovers):
        raise BadNotation(f"“{shown}” {_EXPECTED}")
    if any("," in part or "." in part for part in parts[:-1]):
        raise BadNotation(f"“{shown}”: só a última parte do ângulo pode ter decimais")
    values = [float(part.replace(",", ".")) for part in parts]
    if any(value >= 60 for value in values[1:]):
        raise BadNotation(f"“{shown}”: minutos e segundos vão de 0 a menos de 60")
    return _finite(sum(value / 60**power for power, value in enumerate(values)), shown)


def _finite(value: float, shown: str) -> float:
    if not math.isfinite(value):
        raise BadNotation(f"“{shown[:40]}” não é um número finito")
    return value


def format_dms(degrees: float, axis: Axis, decimals: int = 5) -> str:
    """Degrees as a Brazilian memorial writes them: 62°21'45,30000" O. Five decimals of a second are 0.3 mm."""
    unit = 10**decimals
    total = round(abs(degrees) * 3600 * unit)
    minutes, seconds = divmod(total, 60 * unit)
    whole, minutes = divmod(minutes, 60)
    letter = {Axis.LAT: "NS", Axis.LON: "LO"}[axis][degrees < 0]
    second = f"{seconds // unit:02d},{seconds % unit:0{decimals}d}" if decimals else f"{seconds:02d}"
    return f"{whole}°{minutes:02d}'{second}\" {letter}"


def format_number(value: float, decimals: int) -> str:
    """A number in Brazilian notation: 8.765.432,10."""
    return f"{value:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


def count(number: int, one: str, many: str) -> str:
    """One or many: "1 vértice" and "12.000 vértices"."""
    return f"{format_number(number, 0)} {one if number == 1 else many}"


def listed(items: list[str], limit: int) -> str:
    """The first items, and how many more there are."""
    shown = ", ".join(items[:limit])
    return shown if len(items) <= limit else f"{shown} e mais {len(items) - limit}"

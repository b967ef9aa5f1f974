"""Fields and base schemas of the public contract: one strict way to write each thing, and no other.

A request field never guesses: money and lengths are decimal strings, a JSON number in their place is refused (its
binary fraction is not the amount), and so are booleans written as text. The same fields write the answers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime
from enum import StrEnum
from typing import Any, ClassVar

from marshmallow import ValidationError, fields

from api import instants, portuguese, reais
from api.requests import Request
from geodata.point import BadPoint
from geodata.point import Point as Position

portuguese.speak_portuguese()

SLUG_PATTERN = r"^[a-z]{2}(-[a-z0-9]+)+$"
KM_PATTERN = r"^(0|[1-9][0-9]{0,4})(\.[0-9]{1,3})?$"
MOST_METRES = 10_000_000

_SLUG = re.compile(SLUG_PATTERN[1:-1])
_KM = re.compile(r"(0|[1-9][0-9]{0,4})(?:\.([0-9]{1,3}))?")
_NOT_A_NUMBER = "deve ser um número finito, sem aspas"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class _Described(fields.Field[Any]):
    """A field that describes itself in the OpenAPI; what the schema says about it is added."""

    described: ClassVar[dict[str, Any]] = {}
    write: Callable[[Any], Any] | None = None
    """Makes JSON of a value that is not null; None where the value goes out as it is."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["metadata"] = {**self.described, **kwargs.get("metadata", {})}
        super().__init__(**kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return self.plainly(value)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else value if self.write is None else self.write(value)

    def plainly(self, value: Any) -> Any:
        """The value read; all there is to reading it. Raises ``ValidationError``."""
        raise NotImplementedError


class _Text(_Described):
    """A text of one strict form; subclasses say which."""

    not_text = "deve ser texto entre aspas"
    described: ClassVar[dict[str, Any]] = {"type": "string"}

    def plainly(self, value: Any) -> Any:
        if not isinstance(value, str):
            raise ValidationError(self.not_text)
        return self.read(value)

    def read(self, text: str) -> Any:
        raise NotImplementedError


class Money(_Text):
    """Reais as a decimal string with two digits, `"7.00"`; integer centavos inside."""

    not_text = 'deve ser texto entre aspas, como "7.00" (nunca número)'
    described: ClassVar[dict[str, Any]] = {"type": "string", "pattern": reais.DECIMAL_PATTERN, "example": "7.00"}

    def read(self, text: str) -> int:
        try:
            return reais.from_decimal(text)
        except reais.BadAmount as why:
            raise ValidationError(str(why)) from None

    write = staticmethod(reais.to_decimal)


class SignedMoney(Money):
    """Money in an answer that may be negative: a line that takes off."""

    described: ClassVar[dict[str, Any]] = {"type": "string", "pattern": r"^-?[0-9]+\.[0-9]{2}$", "example": "7.00"}


class MoneySpan(_Described):
    """An interval of money in an answer, `["7.00", "10.00"]`, from two attributes; null when there is none."""

    _CHECK_ATTRIBUTE = False
    described: ClassVar[dict[str, Any]] = {
        "type": ["array", "null"],
        "items": {"type": "string", "pattern": r"^[0-9]+\.[0-9]{2}$"},
        "minItems": 2,
        "maxItems": 2,
        "example": ["7.00", "10.00"],
    }

    def __init__(self, low: str, high: str, **kwargs: Any) -> None:
        super().__init__(dump_only=True, **kwargs)
        self.low, self.high = low, high

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> list[str] | None:
        low, high = getattr(obj, self.low), getattr(obj, self.high)
        return None if low is None or high is None else [reais.to_decimal(low), reais.to_decimal(high)]


class Kilometres(_Text):
    """Kilometres as a decimal string with up to three decimals, `"10.5"`; integer metres inside; at most 10 000 km."""

    not_text = 'deve ser texto entre aspas, como "10.5" (nunca número)'
    described: ClassVar[dict[str, Any]] = {"type": "string", "pattern": KM_PATTERN, "example": "10.5"}

    def read(self, text: str) -> int:
        match = _KM.fullmatch(text)
        if match is None:
            raise ValidationError('quilômetros devem ser texto com ponto e até três decimais, como "10" ou "10.5"')
        metres = int(match[1]) * 1000 + int((match[2] or "").ljust(3, "0"))
        if metres > MOST_METRES:
            raise ValidationError("deve ser no máximo 10000 km")
        return metres

    @staticmethod
    def write(value: int) -> str:
        return f"{value // 1000}.{value % 1000:03d}".rstrip("0").rstrip(".")


class Slug(_Text):
    """A municipality by its slug."""

    described: ClassVar[dict[str, Any]] = {"type": "string", "pattern": SLUG_PATTERN, "maxLength": 80}

    def read(self, text: str) -> str:
        if len(text) > 80 or _SLUG.fullmatch(text) is None:
            raise ValidationError("não é o código de um município; veja a lista em /api/v1/municipalities")
        return text


class Word(_Text):
    """A short text such as a code or a category: 1 to 80 characters, none of them a control character."""

    described: ClassVar[dict[str, Any]] = {
        "type": "string",
        "minLength": 1,
        "maxLength": 80,
        "pattern": r"^[^\x00-\x1f\x7f]+$",
    }

    def read(self, text: str) -> str:
        if not 1 <= len(text) <= 80:
            raise ValidationError("deve ter de 1 a 80 caracteres")
        if _CONTROL.search(text):
            raise ValidationError("contém caracteres de controle")
        return text


class Instant(_Text):
    """RFC 3339; without an offset it stays without one, and means the municipality's local time (`instants.in_zone`).

    Answers carry the offset.
    """

    described: ClassVar[dict[str, Any]] = {"type": "string", "pattern": instants.PATTERN, "example": "2026-12-01T10:00"}

    def read(self, text: str) -> datetime:
        try:
            return instants.parse_instant(text)
        except instants.BadInstant as why:
            raise ValidationError(str(why)) from None

    write = staticmethod(datetime.isoformat)


class Day(_Text):
    """A calendar day, `2026-12-01`."""

    described: ClassVar[dict[str, Any]] = {"type": "string", "pattern": instants.DATE_PATTERN, "example": "2026-12-01"}

    def read(self, text: str) -> date:
        try:
            return instants.parse_date(text)
        except instants.BadInstant as why:
            raise ValidationError(str(why)) from None

    write = staticmethod(date.isoformat)


class Flag(_Described):
    """`true` or `false`, nothing that resembles them."""

    described: ClassVar[dict[str, Any]] = {"type": "boolean"}

    def plainly(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("deve ser true ou false")
        return value


class Whole(_Described):
    """A JSON integer within bounds, both included."""

    def __init__(self, least: int, most: int, **kwargs: Any) -> None:
        self.least, self.most = least, most
        bounds = {"type": "integer", "minimum": least, "maximum": most}
        super().__init__(metadata={**bounds, **kwargs.pop("metadata", {})}, **kwargs)

    def plainly(self, value: Any) -> int:
        if type(value) is not int:
            raise ValidationError("deve ser número inteiro, sem aspas")
        if not self.least <= value <= self.most:
            raise ValidationError(f"deve estar entre {self.least} e {self.most}")
        return value


class Choice(_Text):
    """One of a closed set of words."""

    def __init__(self, choices: type[StrEnum], **kwargs: Any) -> None:
        self.by_word = {choice.value: choice for choice in choices}
        kwargs["metadata"] = {"enum": list(self.by_word), **kwargs.get("metadata", {})}
        super().__init__(**kwargs)

    def read(self, text: str) -> StrEnum:
        try:
            return self.by_word[text]
        except KeyError:
            raise ValidationError(f"deve ser um destes: {', '.join(self.by_word)}") from None


class Rows(fields.List[Any]):
    """A list of objects with a bound that is checked before any of them is read."""

    def __init__(self, schema: Request, most: int, **kwargs: Any) -> None:
        self.schema, self.most = schema, most
        kwargs["metadata"] = {"maxItems": most, **kwargs.get("metadata", {})}
        super().__init__(fields.Nested(schema), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        return super()._deserialize(self._bounded(value), attr, data, **kwargs)

    def plainly(self, value: Any) -> list[Any]:
        read = self.schema.read
        return [read(one) for one in self._bounded(value)]

    def _bounded(self, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        if len(value) > self.most:
            raise ValidationError(f"deve ter no máximo {self.most} itens; vieram {len(value)}")
        return value


class Point(_Described):
    """`{"lat": -11.14, "lon": -62.36}`, degrees on WGS 84; a `geodata.point.Point` inside."""

    described: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "lat": {"type": "number", "minimum": -90, "maximum": 90},
            "lon": {"type": "number", "minimum": -180, "maximum": 180},
        },
        "required": ["lat", "lon"],
        "additionalProperties": False,
        "example": {"lat": -11.14, "lon": -62.36},
    }

    def plainly(self, value: Any) -> Position:
        if not isinstance(value, dict):
            raise ValidationError('deve ser um objeto {"lat": …, "lon": …}')
        lat, lon = _finite(value.get("lat")), _finite(value.get("lon"))
        wrong = {name: [portuguese.SCHEMA_MESSAGES["unknown"]] for name in value.keys() - {"lat", "lon"}}
        wrong |= {name: [_NOT_A_NUMBER] for name, number in (("lat", lat), ("lon", lon)) if number is None}
        if wrong or lat is None or lon is None:
            raise ValidationError(wrong)
        try:
            return Position(lat, lon)
        except BadPoint as why:
            raise ValidationError(str(why)) from None

    @staticmethod
    def write(value: Position) -> dict[str, float]:
        return {"lat": value.lat, "lon": value.lon}


def _finite(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None

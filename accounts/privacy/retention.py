"""How long each table of personal data is kept, and why: `retention.yaml`, read strictly into values.

The purge, the export to a person and the privacy page all work from these values, so that what is said is what is
done. A table that is not in the file fails a test.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

from marshmallow import ValidationError, fields, post_load, validate, validates_schema

from laws.loader import loaded
from laws.schemas import Day, Flag, Strict, Text
from laws.source import Document, Place, read_yaml

__all__ = ["FILE", "Erase", "Erasure", "Period", "Retained", "Retention", "Through", "load_retention"]

FILE = Path(__file__).with_name("retention.yaml")

_UNITS = {"hours": ("hora", "horas"), "days": ("dia", "dias"), "months": ("mês", "meses"), "years": ("ano", "anos")}
_PERIOD = re.compile(r"([1-9][0-9]{0,4}) (hours|days|months|years)")


@dataclass(frozen=True, slots=True)
class Period:
    """So many hours, days, months or years."""

    count: int
    unit: str

    @property
    def interval(self) -> str:
        """As PostgreSQL reads it."""
        return f"{self.count} {self.unit}"

    def __str__(self) -> str:
        one, many = _UNITS[self.unit]
        return f"{self.count} {one if self.count == 1 else many}"


class Erase(StrEnum):
    """What happens to somebody's rows when he asks for erasure."""

    DELETE = "delete"
    BLANK = "blank"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Erasure:
    """The rule for one table; ``because`` is told to the person.

    ``values`` are what the columns become when blanked: null, a text in which `{column}` stands for the row's own
    value, or `{now}` alone. ``rows_with`` limits blanking to rows with these values; others are kept.
    """

    rule: Erase
    because: str
    values: Mapping[str, str | None]
    rows_with: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Through:
    """Whose row it is stands in another table: ``column`` holds the primary key there."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class Retained:
    """One table of personal data. ``keep`` None: without end, for ``kept_because``.

    ``since`` is the column the period counts from. ``subject`` names the columns that hold a person's `phone` or
    `cpf`. ``secrets`` are columns given to nobody, not even to their owner. ``parts`` are tables whose rows belong to
    rows of this one and go with them.
    """

    table: str
    title: str
    what: str
    purpose: str
    basis: str
    source: str
    keep: Period | None
    kept_because: str | None
    since: str | None
    held_by_cases: bool
    subject: Mapping[str, str]
    through: Through | None
    secrets: tuple[str, ...]
    erasure: Erasure
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retention:
    """The whole file: what is kept about people, and which tables hold nothing about them."""

    reviewed: date
    kept: tuple[Retained, ...]
    impersonal: tuple[str, ...]

    @property
    def tables(self) -> list[str]:
        """Every table named, parts and impersonal ones too."""
        return [*(name for one in self.kept for name in (one.table, *one.parts)), *self.impersonal]

    def of(self, table: str) -> Retained:
        """How ``table`` is kept. Raises ``KeyError`` for one that holds nothing about people."""
        for one in self.kept:
            if table == one.table:
                return one
        raise KeyError(table)


class _Period(fields.Field[Period]):
    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Period:
        match = _PERIOD.fullmatch(str(value))
        if match is None:
            raise ValidationError(f"prazo inválido: {value!r}; escreva, por exemplo, 90 days, 6 months ou 24 hours")
        return Period(int(match[1]), match[2])


class _Erasure(Strict):
    rule = fields.Enum(Erase, by_value=True, required=True)
    because = Text(required=True)
    values = fields.Dict(keys=Text(), values=fields.String(allow_none=True), load_default={})
    rows_with = fields.Dict(keys=Text(), values=Text(), load_default={})

    @validates_schema
    def blanks_something(self, data: dict[str, Any], **kwargs: Any) -> None:
        if (data["rule"] is Erase.BLANK) != bool(data["values"]):
            raise ValidationError("`values` diz o que fica nas colunas, com `rule: blank` e só com ela")

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> Erasure:
        return Erasure(**data)


class _Through(Strict):
    table = Text(required=True)
    column = Text(required=True)

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> Through:
        return Through(**data)


class _Retained(Strict):
    table = Text(required=True)
    personal = Flag(required=True)
    title = Text(required=True)
    what = Text(required=True)
    purpose = Text(required=True)
    basis = Text(required=True)
    source = Text(required=True)
    keep = _Period(required=True, allow_none=True)
    kept_because = Text(load_default=None)
    since = Text(load_default=None)
    held_by_cases = Flag(load_default=False)
    subject = fields.Dict(keys=Text(validate=validate.OneOf(["phone", "cpf"])), values=Text(), load_default={})
    through = fields.Nested(_Through, load_default=None)
    secrets = fields.List(Text(), load_default=[])
    erasure = fields.Nested(_Erasure, required=True)

    @validates_schema
    def ends_or_says_why(self, data: dict[str, Any], **kwargs: Any) -> None:
        if (data["keep"] is None) == (data["kept_because"] is None):
            raise ValidationError("diga o prazo em `keep` ou, com `keep: null`, o porquê em `kept_because`")
        if (data["keep"] is None) != (data["since"] is None):
            raise ValidationError("`since` diz de que coluna o prazo conta, e só onde há prazo")

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> Retained:
        del data["personal"]
        data["secrets"] = tuple(data["secrets"])
        return Retained(**data)


class _Part(Strict):
    table = Text(required=True)
    personal = Flag(required=True)
    part_of = Text(required=True)


class _Impersonal(Strict):
    table = Text(required=True)
    personal = Flag(required=True)


class _File(Strict):
    reviewed = Day(required=True)
    tables = fields.List(fields.Dict(), required=True)


def load_retention(file: Path = FILE) -> Retention:
    """Read the file. Raises `laws.source.LawError` with file and line."""
    document = read_yaml(file)
    whole = loaded(_File(), document.data, document, ())
    kept: dict[str, Retained] = {}
    impersonal: list[str] = []
    parts: dict[str, list[str]] = {}
    for number, raw in enumerate(whole["tables"]):
        place: Place = ("tables", number)
        name = raw.get("table")
        if name in kept or name in impersonal or any(name in each for each in parts.values()):
            raise document.refuse(place, f"tabela repetida: {name}")
        if "part_of" in raw:
            part = loaded(_Part(), raw, document, place)
            _must_stand_above(part["part_of"], kept, document, place)
            parts.setdefault(part["part_of"], []).append(part["table"])
        elif raw.get("personal") is False:
            impersonal.append(loaded(_Impersonal(), raw, document, place)["table"])
        else:
            one: Retained = loaded(_Retained(), raw, document, place)
            if one.through is not None:
                _must_stand_above(one.through.table, kept, document, place)
            kept[one.table] = one
    return Retention(
        whole["reviewed"],
        tuple(replace(one, parts=tuple(parts.get(one.table, ()))) for one in kept.values()),
        tuple(impersonal),
    )


def _must_stand_above(
    table: str, kept: Mapping[str, Retained], document: Document, place: tuple[str | int, ...]
) -> None:
    if table not in kept:
        raise document.refuse(place, f"a tabela {table} deve vir antes desta no arquivo")

"""What we keep about one person, gathered for him, and erased where no law wants it kept.

Works over every table that `retention.yaml` ties to a telephone or a CPF, directly or through another table. One number
leads to rows of that number only: a telephone that two people share never opens the one's data to the other by way
of a CPF found beside it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Table, delete, false, func, or_, select, tuple_, update
from sqlalchemy.orm import Session

from accounts.identifiers import Cpf, Phone
from accounts.privacy.holds import holds_on
from accounts.privacy.retention import Erase, Retained, Retention
from store.database import Base

__all__ = ["Dossier", "Erased", "Found", "erase", "gather"]

_NOT_GIVEN = "(segredo; não é entregue a ninguém)"


@dataclass(frozen=True, slots=True)
class Found:
    """The rows of one table that are the person's: what may be shown of each, and the key of each.

    ``parts`` are the rows that belong to them, by table; None where they were only ``counted``.
    """

    kept: Retained
    rows: tuple[Mapping[str, Any], ...]
    keys: tuple[tuple[Any, ...], ...]
    counted: Mapping[str, int]
    parts: Mapping[str, tuple[Mapping[str, Any], ...]] | None


@dataclass(frozen=True, slots=True)
class Dossier:
    """All that was found, and the tables of personal data where nothing says whose a row is."""

    found: tuple[Found, ...]
    unlinked: tuple[Retained, ...]


@dataclass(frozen=True, slots=True)
class Erased:
    """What became of the person's rows of one table. ``held_by`` are the cases that keep rows otherwise erased."""

    kept: Retained
    deleted: int
    blanked: int
    stayed: int
    held_by: tuple[str, ...]


def gather(session: Session, retention: Retention, person: Cpf | Phone, *, whole: bool = False) -> Dossier:
    """Everything tied to this CPF or telephone; ``whole``: with the parts (every position), which may be many."""
    found: dict[str, Found] = {}
    unlinked = []
    for kept in retention.kept:
        if not kept.subject and kept.through is None:
            unlinked.append(kept)
            continue
        table = Base.metadata.tables[kept.table]
        rows = session.execute(select(table).where(_belongs(table, kept, person, found))).mappings().all()
        if rows:
            found[kept.table] = _found(session, kept, table, rows, whole)
    return Dossier(tuple(found.values()), tuple(unlinked))


def erase(session: Session, dossier: Dossier) -> list[Erased]:
    """Delete or blank what no law and no case wants kept; rows that hang on others go first."""
    return [_erase(session, each) for each in reversed(dossier.found)]


def _found(session: Session, kept: Retained, table: Table, rows: Sequence[Mapping[Any, Any]], whole: bool) -> Found:
    keys = tuple(_key(table, row) for row in rows)
    theirs = {}
    for name in kept.parts:
        part = Base.metadata.tables[name]
        (link,) = (each for each in part.foreign_key_constraints if each.referred_table is table)
        theirs[name] = select(part).where(tuple_(*link.columns).in_(keys))
    counted = {
        name: session.scalar(select(func.count()).select_from(query.subquery())) or 0 for name, query in theirs.items()
    }
    parts = None
    if whole:
        parts = {
            name: tuple(_shown(kept, row) for row in session.execute(query).mappings())
            for name, query in theirs.items()
        }
    return Found(kept, tuple(_shown(kept, row) for row in rows), keys, counted, parts)


def _belongs(table: Table, kept: Retained, person: Cpf | Phone, found: Mapping[str, Found]) -> ColumnElement[bool]:
    kind, value = ("cpf", person.digits) if isinstance(person, Cpf) else ("phone", person.e164)
    ways: list[ColumnElement[bool]] = [false()]
    if kind in kept.subject:
        ways.append(table.c[kept.subject[kind]] == value)
    if kept.through is not None and kept.through.table in found:
        ways.append(table.c[kept.through.column].in_([key[0] for key in found[kept.through.table].keys]))
    return or_(*ways)


def _erase(session: Session, found: Found) -> Erased:
    kept, erasure, table = found.kept, found.kept.erasure, Base.metadata.tables[found.kept.table]
    cases = _held(session, found)
    free = [] if erasure.rule is Erase.KEEP else [key for key in found.keys if key not in cases]
    with_values = (table.c[column] == value for column, value in erasure.rows_with.items())
    rows = session.execute(select(table).where(_are(table, free), *with_values).with_for_update()).mappings().all()
    if erasure.rule is Erase.DELETE:
        session.execute(delete(table).where(_are(table, [_key(table, row) for row in rows])))
    else:
        for row in rows:
            change = update(table).where(_are(table, [_key(table, row)]))
            session.execute(change.values(_blanked(erasure.values, row)))
    deleted = len(rows) if erasure.rule is Erase.DELETE else 0
    held_by = tuple(sorted({case for each in cases.values() for case in each}))
    return Erased(kept, deleted, len(rows) - deleted, len(found.keys) - len(rows), held_by)


def _held(session: Session, found: Found) -> dict[tuple[Any, ...], list[str]]:
    """The cases on each row that has any."""
    if not found.kept.held_by_cases:
        return {}
    holds = {key: holds_on(session, found.kept.table, str(key[0])) for key in found.keys}
    return {key: cases for key, cases in holds.items() if cases}


def _blanked(values: Mapping[str, str | None], row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        column: None if value is None else func.now() if value == "{now}" else value.format_map(row)
        for column, value in values.items()
    }


def _are(table: Table, keys: list[tuple[Any, ...]]) -> ColumnElement[bool]:
    return tuple_(*table.primary_key.columns).in_(keys)


def _key(table: Table, row: Mapping[Any, Any]) -> tuple[Any, ...]:
    return tuple(row[column.name] for column in table.primary_key.columns)


def _shown(kept: Retained, row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        column: _NOT_GIVEN if column in kept.secrets and value is not None else _plain(value)
        for column, value in row.items()
    }


def _plain(value: Any) -> Any:
    """A value of the database as JSON holds it."""
    if isinstance(value, bytes):
        return _read(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value


def _read(value: bytes) -> Any:
    """Stored JSON as itself, anything else in base64."""
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return base64.b64encode(value).decode()

"""Deletes what is older than its period, unless a case holds it, and says what was deleted and what stayed, and why.

Works in short transactions of a few hundred rows. Two purges at once wait for one another and delete nothing twice;
one that is killed leaves whole rows, and the next goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from typing import cast as as_type

from sqlalchemy import ColumnElement, CursorResult, Delete, Interval, Table, cast, delete, false, func, select, tuple_
from sqlalchemy.orm import Session, sessionmaker

from accounts.privacy.holds import is_held, lock_for_purge
from accounts.privacy.retention import Retained, Retention
from store.database import Base
from store.hash_chain import chained_tables, forget

__all__ = ["Purged", "purge"]

BATCH = 500


@dataclass(frozen=True, slots=True)
class Purged:
    """What happened to one table: rows deleted (or due, in a rehearsal) and what stays.

    ``parts`` counts, per table, the deleted rows that belonged to them; a rehearsal does not count those.
    ``held`` rows are past their period and stay because a case holds them; ``within`` are not yet past it, or have
    none.
    """

    kept: Retained
    deleted: int
    parts: dict[str, int]
    held: int
    within: int


def purge(sessions: sessionmaker[Session], retention: Retention, *, dry_run: bool = False) -> list[Purged]:
    """Delete all that is due, table by table; with ``dry_run`` only count it."""
    return [_purge(sessions, one, dry_run) for one in retention.kept]


def _purge(sessions: sessionmaker[Session], kept: Retained, dry_run: bool) -> Purged:
    table = Base.metadata.tables[kept.table]
    due = _past(table, kept)
    held = is_held(table) if kept.held_by_cases else false()
    deleted, parts = 0, dict.fromkeys(kept.parts, 0)
    while kept.keep is not None and not dry_run:
        with sessions.begin() as session:
            lock_for_purge(session)
            keys = _due_keys(session, table, due & ~held)
            for part in kept.parts:
                parts[part] += _delete_parts(session, Base.metadata.tables[part], table, keys)
            deleted += _delete(session, table, keys)
        if len(keys) < BATCH:
            break
    with sessions.begin() as session:
        if dry_run:
            deleted = _count(session, table, due & ~held)
        return Purged(kept, deleted, parts, _count(session, table, due & held), _count(session, table, ~due))


def _past(table: Table, kept: Retained) -> ColumnElement[bool]:
    if kept.since is None or kept.keep is None:
        return false()
    return table.c[kept.since] < func.now() - cast(kept.keep.interval, Interval)


def _due_keys(session: Session, table: Table, which: ColumnElement[bool]) -> list[tuple[Any, ...]]:
    """Primary keys of the next rows to go. Rows somebody is just changing wait for the next purge."""
    key = list(table.primary_key.columns)
    query = select(*key).where(which).order_by(*key).limit(BATCH).with_for_update(skip_locked=True)
    return [tuple(row) for row in session.execute(query)]


def _delete(session: Session, table: Table, keys: list[tuple[Any, ...]]) -> int:
    if not keys:
        return 0
    chained = chained_tables().get(table.name)
    if chained is not None:
        forget(session, chained, up_to=max(key[0] for key in keys))
    return _gone(session, delete(table).where(tuple_(*table.primary_key.columns).in_(keys)))


def _delete_parts(session: Session, part: Table, whole: Table, keys: list[tuple[Any, ...]]) -> int:
    """Delete the rows of ``part`` that belong to those rows of ``whole``, before them."""
    if not keys:
        return 0
    (link,) = (each for each in part.foreign_key_constraints if each.referred_table is whole)
    return _gone(session, delete(part).where(tuple_(*link.columns).in_(keys)))


def _gone(session: Session, statement: Delete) -> int:
    return as_type(CursorResult[Any], session.execute(statement)).rowcount


def _count(session: Session, table: Table, which: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).select_from(table).where(which)) or 0

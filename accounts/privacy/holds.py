"""A case holds rows back from deletion until it lets them go."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, Table, Text, cast, func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from accounts.privacy.models import HoldRecord
from accounts.privacy.retention import Retention
from store.database import Base

__all__ = ["CannotHold", "Hold", "hold", "holds_on", "is_held", "lock_for_purge", "release"]

_LOCK = func.hashtextextended("privacy/purge", 0)


class CannotHold(ValueError):
    """There is no such row to hold, or the case did not hold it. The message, in Portuguese, says which."""


@dataclass(frozen=True, slots=True)
class Hold:
    """What ``case_number`` wants of a row: ``by`` asks it, for ``reason``."""

    table: str
    row_id: str
    case_number: str
    by: str
    reason: str


def hold(session: Session, retention: Retention, wanted: Hold) -> None:
    """Keep a row until the case releases it. Saying it twice adds nothing. Raises ``CannotHold``.

    Waits for a purge under way, so that what was held here is there, and stays.
    """
    allowed = {one.table for one in retention.kept if one.held_by_cases}
    if wanted.table not in allowed:
        raise CannotHold(f"{wanted.table} não pode ser retida por um processo; podem: {', '.join(sorted(allowed))}")
    session.execute(select(func.pg_advisory_xact_lock_shared(_LOCK)))
    table = Base.metadata.tables[wanted.table]
    if session.scalar(select(func.count()).select_from(table).where(row_id(table) == wanted.row_id)) == 0:
        raise CannotHold(f"não há registro {wanted.row_id} em {wanted.table}; pode já ter sido eliminado por prazo")
    if wanted.case_number not in holds_on(session, wanted.table, wanted.row_id):
        _write(session, wanted, released=False)


def release(session: Session, wanted: Hold) -> None:
    """Let a row go, as far as this case is concerned. Raises ``CannotHold`` when the case did not hold it."""
    if wanted.case_number not in holds_on(session, wanted.table, wanted.row_id):
        raise CannotHold(f"o processo {wanted.case_number} não retém o registro {wanted.row_id} de {wanted.table}")
    _write(session, wanted, released=True)


def holds_on(session: Session, table: str, row_id: str) -> list[str]:
    """The cases that hold a row, sorted."""
    held = _open_holds(table).subquery()
    return list(session.scalars(select(held.c.case_number).where(held.c.row_id == row_id).order_by(held.c.case_number)))


def is_held(table: Table) -> ColumnElement[bool]:
    """For a query over ``table``: whether any case holds the row."""
    held = _open_holds(table.name).subquery()
    return row_id(table).in_(select(held.c.row_id))


def lock_for_purge(session: Session) -> None:
    """Keep others from purging, and cases from beginning to hold, until the transaction ends."""
    session.execute(select(func.pg_advisory_xact_lock(_LOCK)))


def row_id(table: Table) -> ColumnElement[str]:
    """The primary key of ``table``, of one column, as the text that holds name it by."""
    (key,) = table.primary_key.columns
    return cast(key, Text)


def _open_holds(table: str) -> Select[tuple[str, str]]:
    last = (
        select(HoldRecord.row_id, HoldRecord.case_number, HoldRecord.released)
        .where(HoldRecord.table_name == table)
        .ext(distinct_on(HoldRecord.row_id, HoldRecord.case_number))
        .order_by(HoldRecord.row_id, HoldRecord.case_number, HoldRecord.id.desc())
        .subquery()
    )
    return select(last.c.row_id, last.c.case_number).where(~last.c.released)


def _write(session: Session, wanted: Hold, *, released: bool) -> None:
    session.add(
        HoldRecord(
            table_name=wanted.table,
            row_id=wanted.row_id,
            case_number=wanted.case_number,
            released=released,
            reason=wanted.reason,
            by=wanted.by,
        )
    )
    session.flush()

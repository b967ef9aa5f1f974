"""Who looked at where somebody went, and for which case: kept chained, so that nobody can look and leave no trace.

Whoever shows a track to somebody who did not ride it calls `record` first, in the transaction that reads it. The case
number is not optional: without a case there is nothing to look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex

import orjson
from sqlalchemy import Computed, DateTime, Index, Text, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from accounts.rights import Actor
from store.database import Base
from store.hash_chain import Chained, append

__all__ = ["Access", "AccessRecord", "CaseNumberMissing", "What", "accesses_to", "record"]

_CASE_NUMBER = re.compile(r"[^\x00-\x1f\x7f]{1,80}")


class CaseNumberMissing(ValueError):
    """Nobody looks at a track without saying for which case."""

    def __init__(self) -> None:
        super().__init__("informe o número do processo ou da reclamação (até 80 caracteres) que justifica a consulta")


@dataclass(frozen=True, slots=True)
class What:
    """What is looked at: ``table`` where it is kept, ``id`` its number there."""

    table: str
    id: str


@dataclass(frozen=True, slots=True)
class Access:
    """One look: who (and by what name), at what, for which case, why and when."""

    seq: int
    at: datetime
    who: str
    name: str
    what: What
    case_number: str
    reason: str


class AccessRecord(Chained, Base):
    """One look, as the JSON in ``body``; the columns are read out of it by the database and cannot differ from it.

    Refuses UPDATE and TRUNCATE, and every DELETE that its chain did not declare.
    """

    __tablename__ = "access_log"
    __table_args__ = (Index("ix_access_log_what", "what_table", "what_id"), Index(None, "at"))

    at: Mapped[datetime] = mapped_column(
        DateTime(timezone=True),
        Computed("to_timestamp((body::jsonb ->> 'at')::double precision)", persisted=True),
    )
    what_table: Mapped[str] = mapped_column(Text, Computed("body::jsonb ->> 'what_table'", persisted=True))
    what_id: Mapped[str] = mapped_column(Text, Computed("body::jsonb ->> 'what_id'", persisted=True))


def record(session: Session, who: Actor, what: What, case_number: str, *, reason: str, at: datetime) -> None:
    """Write down that ``who`` looks at ``what``. Raises ``CaseNumberMissing``, and then nothing may be shown.

    ``reason`` is a few words of whoever looks. Other looks wait until the transaction ends: commit soon.
    """
    case_number = case_number.strip()
    if _CASE_NUMBER.fullmatch(case_number) is None:
        raise CaseNumberMissing
    body = {
        "at": at.timestamp(),
        "who": who.caller,
        "name": who.name,
        "municipality": who.municipality,
        "what_table": what.table,
        "what_id": what.id,
        "case_number": case_number,
        "reason": reason,
        # Once the record is deleted its digest remains: without this, guesses could be tried against it.
        "salt": token_hex(16),
    }
    append(session, AccessRecord, orjson.dumps(body).decode())


def accesses_to(session: Session, what: What) -> Iterator[Access]:
    """Everybody who looked at ``what``, first look first."""
    rows = session.scalars(
        select(AccessRecord)
        .where(AccessRecord.what_table == what.table, AccessRecord.what_id == what.id)
        .order_by(AccessRecord.seq)
    )
    for row in rows:
        body = orjson.loads(row.body)
        yield Access(row.seq, row.at, body["who"], body["name"], what, body["case_number"], body["reason"])

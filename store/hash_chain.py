"""Tables that prove their own history: every record is chained to all before it by SHA-256 over its stored bytes.

A chained table keeps each record's text under its place in the chain; `chain_links` keeps, apart from it and for ever,
the digest of that text and a link computed over the link before. So a record whose time is over can be deleted (after
the chain itself has said so, which the database demands) and the rest still verifies.

What `verify` finds: any changed byte of a record or of a link; a record or a link removed, added or moved. What no
chain finds by itself: the newest records cut off together with their links, or everything recomputed by somebody who
may do anything in the database. Against both, note the heads that `flask store verify` prints where that person cannot
reach them, and look them up again later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from sqlalchemy import BigInteger, Connection, Engine, LargeBinary, Text, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from store.append_only import append_only
from store.database import Base

__all__ = [
    "CREATE_DECLARED_FORGETTING",
    "ChainLink",
    "Chained",
    "Verified",
    "append",
    "chained",
    "chained_tables",
    "forget",
    "link_rows",
    "verify",
]

_GENESIS = bytes(32)
_ROWS_AT_A_TIME = 200

CREATE_DECLARED_FORGETTING = """
CREATE FUNCTION refuse_undeclared_forgetting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM chain_links WHERE chain = TG_TABLE_NAME AND forgets_up_to >= OLD.seq) THEN
        RAISE EXCEPTION 'a tabela % só aceita inclusão: DELETE recusado', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation',
                  HINT = 'Só a eliminação por prazo (flask accounts purge) apaga, e a cadeia o registra antes.';
    END IF;
    RETURN OLD;
END
$$
"""


class ChainLink(Base):
    """One link. Refuses UPDATE, DELETE and TRUNCATE.

    ``digest`` is of the record's text in UTF-8. A link with ``forgets_up_to`` has no record: it says that records up to
    that place may be gone.
    """

    __tablename__ = "chain_links"

    chain: Mapped[str] = mapped_column(Text, primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    digest: Mapped[bytes] = mapped_column(LargeBinary)
    link: Mapped[bytes] = mapped_column(LargeBinary)
    forgets_up_to: Mapped[int | None] = mapped_column(BigInteger)


class Chained:
    """What a chained table has; mix it in before `Base`. The chain bears the table's name.

    A migration creates the table and then executes `chained`.
    """

    __tablename__: str

    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    body: Mapped[str] = mapped_column(Text)


Record = TypeVar("Record", bound=Chained)


def chained(table: str) -> list[str]:
    """The statements a migration executes to make ``table`` refuse UPDATE, TRUNCATE and every undeclared DELETE."""
    return [
        f'CREATE TRIGGER only_grows BEFORE UPDATE OR TRUNCATE ON "{table}" '
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
        f'ALTER TABLE "{table}" ENABLE ALWAYS TRIGGER only_grows',
        f'CREATE TRIGGER forgets_declared BEFORE DELETE ON "{table}" '
        "FOR EACH ROW EXECUTE FUNCTION refuse_undeclared_forgetting()",
        f'ALTER TABLE "{table}" ENABLE ALWAYS TRIGGER forgets_declared',
    ]


def link_rows() -> list[str]:
    """The statements that make `chain_links` only grow; for the migration that creates it."""
    return [CREATE_DECLARED_FORGETTING, *append_only(ChainLink.__tablename__)]


def chained_tables() -> dict[str, type[Chained]]:
    """Every chained table of the modules loaded so far, by name."""
    kinds = {kind.__tablename__: kind for kind in Chained.__subclasses__()}
    return {name: kinds[name] for name in sorted(kinds.keys() & Base.metadata.tables.keys())}


def append(session: Session, table: type[Record], body: str) -> Record:
    """Keep a record at the end of its chain.

    Others who append to the same chain wait until this transaction ends: append last, and soon commit.
    """
    seq = _extend(session, table.__tablename__, body.encode(), None)
    record = table()
    record.seq, record.body = seq, body
    session.add(record)
    session.flush()
    return record


def forget(session: Session, table: type[Chained], up_to: int) -> None:
    """Write into the chain that records up to and including ``up_to`` may be deleted, so that they can be."""
    _extend(session, table.__tablename__, b"", up_to)


@dataclass(frozen=True, slots=True)
class Verified:
    """What walking one chain found. ``head`` is the last link, in hexadecimal; ``forgotten`` counts deleted records.

    ``broken_at`` is the first place that does not hold and ``why`` says what is wrong there; both None when all does.
    """

    chain: str
    links: int
    forgotten: int
    head: str
    broken_at: int | None = None
    why: str | None = None


def verify(engine: Engine, tables: Sequence[type[Chained]]) -> list[Verified]:
    """Walk the chains of ``tables`` and every other chain there is a link of, in one snapshot, a few rows at a time."""
    with engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection, connection.begin():
        known = [_walk(connection, table) for table in tables]
        names = {each.chain for each in known}
        strays = connection.scalars(
            select(ChainLink.chain).where(ChainLink.chain.not_in(names)).distinct().order_by(ChainLink.chain)
        )
        return [*known, *(Verified(name, 0, 0, "", 0, "elo de uma cadeia que não existe") for name in strays)]


def _walk(connection: Connection, table: type[Chained]) -> Verified:
    name = table.__tablename__
    mine = ChainLink.chain == name
    forgets = connection.scalar(select(func.max(ChainLink.forgets_up_to)).where(mine)) or 0
    rows: Iterable[Any] = connection.execution_options(yield_per=_ROWS_AT_A_TIME).execute(
        select(ChainLink.seq, ChainLink.digest, ChainLink.link, ChainLink.forgets_up_to, table.seq, table.body)
        .outerjoin(table, table.seq == ChainLink.seq)
        .where(mine)
        .order_by(ChainLink.seq)
    )
    links, gone, link = 0, 0, _GENESIS
    for row in rows:
        why = _fault(name, links + 1, link, row, forgets)
        if why is not None:
            return Verified(name, links, gone, link.hex(), links + 1, why)
        links, gone, link = links + 1, gone + (row[4] is None and row[3] is None), row[2]
    beyond = connection.scalar(
        select(func.min(table.seq)).where(~select(ChainLink.seq).where(mine, ChainLink.seq == table.seq).exists())
    )
    if beyond is not None:
        return Verified(name, links, gone, link.hex(), beyond, "registro sem elo na cadeia")
    return Verified(name, links, gone, link.hex())


def _fault(name: str, place: int, before: bytes, row: Any, forgets: int) -> str | None:
    """What is wrong with the link expected at ``place``, in Portuguese; None when it holds."""
    seq, digest, link, forgets_up_to, record, body = row
    if seq != place:
        return f"falta o elo {place}" if seq > place else f"elo {seq} fora de ordem"
    if link != _link(name, seq, forgets_up_to, before, digest):
        return "o elo não confere com o anterior"
    if forgets_up_to is not None:
        return None if record is None else "há um registro onde só se declarou eliminação"
    if record is None:
        return None if seq <= forgets else "o registro foi removido"
    return None if sha256(body.encode()).digest() == digest else "o registro foi alterado"


def _extend(session: Session, chain: str, content: bytes, forgets_up_to: int | None) -> int:
    """Add one link, alone until the transaction ends; its place."""
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"chain\n{chain}", 0))))
    last = session.execute(
        select(ChainLink.seq, ChainLink.link).where(ChainLink.chain == chain).order_by(ChainLink.seq.desc()).limit(1)
    ).one_or_none()
    seq, before = (last.seq + 1, last.link) if last else (1, _GENESIS)
    digest = sha256(content).digest()
    link = _link(chain, seq, forgets_up_to, before, digest)
    session.add(ChainLink(chain=chain, seq=seq, digest=digest, link=link, forgets_up_to=forgets_up_to))
    session.flush()
    return seq


def _link(chain: str, seq: int, forgets_up_to: int | None, before: bytes, digest: bytes) -> bytes:
    head = f"{chain}\n{seq}\n{'' if forgets_up_to is None else forgets_up_to}\n"
    return sha256(head.encode() + before + digest).digest()

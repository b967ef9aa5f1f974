"""Answers kept under the caller's Idempotency-Key, in the same transaction as what they answer for."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import DateTime, Index, LargeBinary, SmallInteger, Text, delete, func, select, text
from sqlalchemy.orm import Mapped, Session, mapped_column

from store.database import Base

KEPT_FOR = text("INTERVAL '24 hours'")


class KeptAnswer(Base):
    """One answer: ``scope`` is whose key for which operation, ``request_sha256`` the digest of the body."""

    __tablename__ = "kept_answers"
    __table_args__ = (Index(None, "kept_at"),)

    scope: Mapped[str] = mapped_column(Text, primary_key=True)
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    request_sha256: Mapped[bytes] = mapped_column(LargeBinary)
    status: Mapped[int] = mapped_column(SmallInteger)
    content_type: Mapped[str] = mapped_column(Text)
    body: Mapped[bytes] = mapped_column(LargeBinary)
    kept_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


def claim(session: Session, scope: str, key: str) -> bool:
    """Take a key until the transaction ends; False while another transaction holds it."""
    name = f"{scope}\n{key}"
    taken = session.scalar(select(func.pg_try_advisory_xact_lock(func.hashtextextended(name, 0))))
    return bool(taken)


def kept(session: Session, scope: str, key: str) -> KeptAnswer | None:
    """The answer kept under a key in the last 24 hours. Older ones of any key are thrown away."""
    session.execute(delete(KeptAnswer).where(KeptAnswer.kept_at < func.now() - KEPT_FOR))
    return session.get(KeptAnswer, (scope, key))

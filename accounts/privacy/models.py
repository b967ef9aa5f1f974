"""What a case holds back from deletion."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Boolean, DateTime, Identity, Index, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from store.database import Base

__all__ = ["HoldRecord"]


class HoldRecord(Base):
    """A case began to hold a row, or, with ``released``, no longer does. The last record of a case and row counts.

    ``row_id`` is the row's primary key as text. Refuses UPDATE, DELETE and TRUNCATE.
    """

    __tablename__ = "holds"
    __table_args__ = (Index("ix_holds_row", "table_name", "row_id", "case_number", "id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    table_name: Mapped[str] = mapped_column(Text)
    row_id: Mapped[str] = mapped_column(Text)
    case_number: Mapped[str] = mapped_column(Text)
    released: Mapped[bool] = mapped_column(Boolean)
    reason: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())

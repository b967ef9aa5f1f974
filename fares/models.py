"""Quotes as they were given: the exact bytes of the answer, and what they rest on."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import DateTime, LargeBinary, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from store.database import Base


class FrozenQuote(Base):
    """One quote. The row refuses UPDATE: a quote is never repriced, only another one made.

    ``document`` is the JSON answered; ``locator`` the half of its code that finds it.
    """

    __tablename__ = "quotes"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    locator: Mapped[str] = mapped_column(Text, unique=True)
    municipality: Mapped[str] = mapped_column(Text)
    norm_id: Mapped[str | None] = mapped_column(Text)
    norm_version: Mapped[str | None] = mapped_column(Text)
    zones_version: Mapped[str] = mapped_column(Text)
    expires_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    document: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())

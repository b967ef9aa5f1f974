"""Tracks being measured: the raw fixes as phones sent them, none ever thrown away while the track is kept."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, ForeignKey, Identity, LargeBinary, Text, UniqueConstraint, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from store.database import Base


class Track(Base):
    """One measurement, from the acceptance of its ride until ``closed_at``; ``fixes`` counts its distinct fixes.

    ``opened_by`` is the account whose it is (None: nobody's), ``facts`` what was stated of the ride, ``answer`` the
    very bytes answered when it was closed: they never change.
    """

    __tablename__ = "tracks"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    municipality: Mapped[str] = mapped_column(Text)
    fixes: Mapped[int] = mapped_column(default=0)
    opened_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    closed_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    opened_by: Mapped[str | None] = mapped_column(Text)
    facts: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
    answer: Mapped[bytes | None] = mapped_column(LargeBinary)


class TrackFix(Base):
    """One distinct raw fix, once however often it was sent. ``drop_reason`` is set when the track is closed.

    Deleting a track deletes its fixes: they show where somebody went, and are kept no longer than the law asks.
    """

    __tablename__ = "track_fixes"
    __table_args__ = (
        UniqueConstraint(
            "track_id",
            "t",
            "lat",
            "lon",
            "accuracy_m",
            "speed_mps",
            "mock",
            name="uq_track_fixes_once",
            postgresql_nulls_not_distinct=True,
        ),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    track_id: Mapped[str] = mapped_column(ForeignKey("tracks.id", ondelete="CASCADE"))
    t: Mapped[float]
    lat: Mapped[float]
    lon: Mapped[float]
    accuracy_m: Mapped[float | None]
    speed_mps: Mapped[float | None]
    mock: Mapped[bool]
    received_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    drop_reason: Mapped[str | None] = mapped_column(Text)

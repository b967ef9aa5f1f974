"""What the central ever wrote in a municipality's gazetteer; nothing is overwritten."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, Boolean, CheckConstraint, DateTime, Double, Identity, Index, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from store.database import Base

__all__ = ["PlaceRecord"]


class PlaceRecord(Base):
    """One change: a place as it stands from then on, or, with ``removed``, its end. Refuses UPDATE and DELETE.

    The last record of an ``identity`` counts. ``axis`` alternates longitude and latitude.
    """

    __tablename__ = "place_records"
    __table_args__ = (
        CheckConstraint("kind IN ('street', 'landmark', 'linha', 'ponto', 'district')", name="known_kind"),
        CheckConstraint("(lat IS NULL) = (position_quality = 'none')", name="quality_of_a_position"),
        CheckConstraint("(lat IS NULL) = (lon IS NULL)", name="whole_position"),
        Index("ix_place_records_latest", "municipality", "identity", "id"),
        Index("ix_place_records_version", "municipality", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    municipality: Mapped[str] = mapped_column(Text)
    identity: Mapped[str] = mapped_column(Text)
    removed: Mapped[bool] = mapped_column(Boolean)
    kind: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    detail: Mapped[str] = mapped_column(Text)
    aliases: Mapped[list[str]] = mapped_column(ARRAY(Text))
    lat: Mapped[float | None] = mapped_column(Double)
    lon: Mapped[float | None] = mapped_column(Double)
    position_quality: Mapped[str] = mapped_column(Text)
    axis: Mapped[list[float]] = mapped_column(ARRAY(Double))
    source: Mapped[str] = mapped_column(Text)
    credit: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())

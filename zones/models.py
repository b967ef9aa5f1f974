"""Perimeters as they were published, when each was in force, and the maps they made."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    Text,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import DATERANGE, ExcludeConstraint, Range
from sqlalchemy.orm import Mapped, mapped_column, relationship

from store.database import Base

__all__ = ["MapRecord", "PerimeterRecord", "PerimeterTerm"]

_KEY = "municipality || '/' || kind || '/' || name"
_VERSION = "version ~ '^sha256:[0-9a-f]{64}$'"


class PerimeterRecord(Base):
    """One version of one perimeter, drafts too. Refuses UPDATE, DELETE and TRUNCATE.

    ``geometry`` is WKB in (longitude, latitude) on WGS 84; ``version`` is the SHA-256 of it and of all the rest.
    """

    __tablename__ = "perimeters"
    __table_args__ = (
        CheckConstraint(_VERSION, name="version_is_sha256"),
        CheckConstraint("kind IN ('limit', 'urban', 'rural', 'undetermined')", name="known_kind"),
        CheckConstraint("status IN ('draft', 'approximate', 'in_force', 'superseded')", name="known_status"),
    )

    version: Mapped[str] = mapped_column(Text, primary_key=True)
    municipality: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    geometry: Mapped[bytes] = mapped_column(LargeBinary)
    origin: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    valid_from: Mapped[date]
    valid_to: Mapped[date | None]
    legal_act: Mapped[str | None] = mapped_column(Text)
    precision_m: Mapped[float | None] = mapped_column(Double)
    precedence: Mapped[int] = mapped_column(Integer)
    credit: Mapped[str] = mapped_column(Text)
    stored_by: Mapped[str] = mapped_column(Text)
    stored_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class PerimeterTerm(Base):
    """The days on which a perimeter is in force. Only its end may change; it refuses DELETE and TRUNCATE.

    Two terms of the same municipality, kind and name never share a day. The equality is written as an overlap of
    one-point text ranges because the embedded PostgreSQL comes without `btree_gist`.
    """

    __tablename__ = "perimeter_terms"
    __table_args__ = (
        ExcludeConstraint(
            (text(f"text_range({_KEY}, {_KEY}, '[]')"), "&&"),
            ("during", "&&"),
            using="gist",
            name="ex_perimeter_terms_one_at_a_time",
        ),
        Index("ix_perimeter_terms_municipality", "municipality"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    version: Mapped[str] = mapped_column(Text, ForeignKey("perimeters.version"))
    municipality: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    during: Mapped[Range[date]] = mapped_column(DATERANGE)
    started_by: Mapped[str] = mapped_column(Text)
    started_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    ended_by: Mapped[str | None] = mapped_column(Text)
    ended_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    perimeter: Mapped[PerimeterRecord] = relationship()


class MapRecord(Base):
    """Which perimeters make the map of a version that a quote or a ride names. Refuses UPDATE, DELETE and TRUNCATE."""

    __tablename__ = "zone_maps"
    __table_args__ = (CheckConstraint(_VERSION, name="version_is_sha256"),)

    version: Mapped[str] = mapped_column(Text, primary_key=True)
    municipality: Mapped[str] = mapped_column(Text)
    perimeters: Mapped[list[str]] = mapped_column(ARRAY(Text))
    stored_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())

"""Every version of every norm that was ever loaded, kept for as long as anything may rest on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date, datetime

from sqlalchemy import CheckConstraint, DateTime, Text, func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from store.database import Base

__all__ = ["NormText", "PublishedNorm", "publish"]


@dataclass(frozen=True, slots=True)
class NormText:
    """One version of one norm: ``version`` is ``sha256:`` and 64 hexadecimal digits of its data."""

    id: str
    version: str
    municipality: str
    label: str
    in_force_from: date
    document: str


class PublishedNorm(Base):
    """A row per norm and version; the table refuses UPDATE, DELETE and TRUNCATE."""

    __tablename__ = "published_norms"
    __table_args__ = (CheckConstraint("version ~ '^sha256:[0-9a-f]{64}$'", name="version_is_sha256"),)

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    version: Mapped[str] = mapped_column(Text, primary_key=True)
    municipality: Mapped[str] = mapped_column(Text)
    label: Mapped[str] = mapped_column(Text)
    in_force_from: Mapped[date]
    document: Mapped[str] = mapped_column(Text)
    stored_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


def publish(session: Session, norms: Iterable[NormText]) -> list[NormText]:
    """Keep the versions that are not kept yet, and say which they were. Saying it twice adds nothing.

    A norm whose text changed is one more version beside the former, never in its place.
    """
    by_version = {(norm.id, norm.version): norm for norm in norms}
    if not by_version:
        return []
    kept = session.execute(
        insert(PublishedNorm).on_conflict_do_nothing().returning(PublishedNorm.id, PublishedNorm.version),
        [asdict(norm) for norm in by_version.values()],
    )
    return [by_version[row.id, row.version] for row in kept]

"""Drafts of perimeters and their approvals, as they were made; nothing is overwritten."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import BigInteger, Date, DateTime, Double, ForeignKey, Identity, LargeBinary, Text, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from store.database import Base

__all__ = ["DraftApproval", "PerimeterDraft"]


class PerimeterDraft(Base):
    """One imported perimeter. ``area`` is WKB in (lon, lat). Refuses UPDATE and DELETE."""

    __tablename__ = "perimeter_drafts"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    municipality: Mapped[str] = mapped_column(Text, index=True)
    kind: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    area: Mapped[bytes] = mapped_column(LargeBinary)
    source: Mapped[dict[str, Any]] = mapped_column(JSONB)
    findings: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    before_repair: Mapped[list[list[list[float]]] | None] = mapped_column(JSONB(none_as_null=True))
    precision_m: Mapped[float | None] = mapped_column(Double)
    imported_by: Mapped[str] = mapped_column(Text)
    imported_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class DraftApproval(Base):
    """Who made a draft law, by which act, and as which version of a perimeter; once per draft."""

    __tablename__ = "perimeter_approvals"

    draft_id: Mapped[int] = mapped_column(ForeignKey(PerimeterDraft.id), primary_key=True, autoincrement=False)
    perimeter_version: Mapped[str] = mapped_column(ForeignKey("perimeters.version"))
    legal_act: Mapped[str] = mapped_column(Text)
    valid_from: Mapped[date] = mapped_column(Date)
    approved_by: Mapped[str] = mapped_column(Text)
    approved_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())

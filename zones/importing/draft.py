"""A perimeter that was read but is not law yet, and what happens to today's when an authority approves it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

import shapely

from zones.importing.examination import Outline, Source
from zones.importing.finding import Finding
from zones.importing.placing import area_m2
from zones.importing.surroundings import Area
from zones.perimeter import Kind, Origin, Perimeter, Status

SLIVER_M2 = 1.0
"""Perimeters drawn edge to edge overlap by this much without meaning to."""


class CannotApprove(ValueError):
    """The draft cannot come into force as asked; the message says why and how to mend it, in Portuguese."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What was imported, by whom, and everything found in it. Nothing prices by it.

    ``area`` is in (lon, lat) degrees of SIRGAS 2000; ``precision_m`` is the survey's, as stated by whoever imported it.
    """

    municipality: str
    kind: Kind
    name: str
    area: Area
    source: Source
    findings: tuple[Finding, ...]
    imported_at: datetime
    imported_by: str
    precision_m: float | None = None
    before_repair: Outline | None = None


@dataclass(frozen=True, slots=True)
class Enactment:
    """The perimeter that comes into force, and those that stop on its first day, as they were published."""

    perimeter: Perimeter
    superseded: tuple[Perimeter, ...]


def enact(draft: Draft, legal_act: str, valid_from: date, known: Iterable[Perimeter]) -> Enactment:
    """What approving ``draft`` changes among the ``known`` perimeters of its municipality.

    It supersedes, from ``valid_from``, those in force then that it `replaces`. Raises ``CannotApprove`` without a legal
    act, and where one of them starts on that day or later: history is not rewritten.
    """
    if not legal_act.strip():
        raise CannotApprove("Falta o ato legal. Informe a lei ou o decreto que fixa o perímetro, com número e ano.")
    rivals = [
        p for p in known if replaces(draft.kind, draft.area, p) and (p.valid_to is None or p.valid_to > valid_from)
    ]
    for rival in rivals:
        if rival.valid_from >= valid_from:
            raise CannotApprove(
                f"“{rival.name}” já vale desde {rival.valid_from:%d/%m/%Y}, não antes de {valid_from:%d/%m/%Y}. "
                "Um perímetro publicado não se reescreve: escolha uma data posterior."
            )
    perimeter = Perimeter(
        municipality=draft.municipality,
        kind=draft.kind,
        name=draft.name,
        geometry=draft.area,
        origin=Origin.MUNICIPALITY,
        status=Status.IN_FORCE,
        valid_from=valid_from,
        legal_act=legal_act.strip(),
        precision_m=draft.precision_m,
        precedence=max((rival.precedence for rival in rivals), default=0),
    )
    return Enactment(perimeter, tuple(rivals))


def replaces(kind: Kind, area: Area, other: Perimeter) -> bool:
    """Whether a perimeter of ``kind`` over ``area`` takes the place of ``other``.

    It does so for one of its kind that it overlaps (a district's perimeter leaves the town's alone), and for the
    approximate "undetermined" band, which only stood for want of a legal line.
    """
    band = other.kind is Kind.UNDETERMINED and other.status is Status.APPROXIMATE
    if other.status is Status.DRAFT or not (other.kind is kind or band):
        return False
    return _overlap_m2(area, other.geometry) > SLIVER_M2


def _overlap_m2(one: Area, other: Area) -> float:
    return area_m2(shapely.intersection(one, other))

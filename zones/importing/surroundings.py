"""What an imported perimeter is held against: the municipality, its seat, and the perimeter of today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import shapely
from shapely import MultiPolygon, Polygon

from geodata.point import Point
from zones.perimeter import Kind, Perimeter, Status, in_force

Area = Polygon | MultiPolygon

UNMEASURED_LIMIT_M = 300.0
"""How far the public municipal limits may be off where nobody measured it (geodata/sources.yaml)."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Geometry in (longitude, latitude) degrees.

    ``limit_precision_m`` is how far the limit itself may be off. ``current`` is all the ground of the same kind
    in force today, None where there is none, and ``current_is_legal`` says whether a legal act stands behind it.
    """

    municipality: str
    limit: Area
    limit_precision_m: float
    seats: tuple[Point, ...] = ()
    current: Area | None = None
    current_is_legal: bool = False


def polygonal(shape: shapely.Geometry) -> Area:
    """The polygons of any geometry, one alone as itself."""
    parts = [part for part in shapely.get_parts(shape).tolist() if isinstance(part, Polygon)]
    return parts[0] if len(parts) == 1 else MultiPolygon(parts)


class NoLimit(LookupError):
    """The municipality has no limit to import into; the message says what to do, in Portuguese."""


def surroundings(
    municipality: str, kind: Kind, known: Sequence[Perimeter], seats: Sequence[Point], day: date
) -> Surroundings:
    """What a perimeter of ``kind`` is held against on ``day``, out of the ``known`` ones. Raises ``NoLimit``."""
    today = in_force(known, day)
    limit = next((p for p in today if p.kind is Kind.LIMIT), None)
    if limit is None:
        raise NoLimit(f"{municipality} não tem limite municipal em vigor; cadastre-o em geodata/{municipality}/")
    same = [p for p in today if p.kind is kind]
    current = polygonal(shapely.union_all([p.geometry for p in same])) if same else None
    return Surroundings(
        municipality,
        limit.geometry,
        UNMEASURED_LIMIT_M if limit.precision_m is None else limit.precision_m,
        tuple(seats),
        current,
        bool(same) and all(p.status is Status.IN_FORCE for p in same),
    )

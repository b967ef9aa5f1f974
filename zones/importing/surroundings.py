"""What an imported perimeter is held against: the municipality, its seat, and the perimeter of today."""

from __future__ import annotations

from dataclasses import dataclass

from shapely import MultiPolygon, Polygon

from geodata.point import Point

Area = Polygon | MultiPolygon

UNMEASURED_LIMIT_M = 300.0
"""How far the public municipal limits may be off where nobody measured it (geodata/sources.yaml)."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Geometry in (longitude, latitude) degrees.

    ``limit_precision_m`` is how far the limit itself may be off. ``current`` is the perimeter of the same kind in force
    today, None where there is none, and ``current_is_legal`` says whether a legal act stands behind it.
    """

    municipality: str
    limit: Area
    limit_precision_m: float
    seats: tuple[Point, ...] = ()
    current: Area | None = None
    current_is_legal: bool = False

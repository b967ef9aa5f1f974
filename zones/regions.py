"""Which perimeter decides where: the ground of a municipality cut into regions that do not overlap.

Borders belong to the zone cheaper for the passenger. To make that hold in floating point, every region is grown once by
``TOUCH``; after that each question is an ordinary point-in-polygon test, asked of the regions from the cheapest zone to
the dearest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import shapely
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from laws.norm import Zone
from zones.perimeter import Kind, Perimeter

CHEAPEST_FIRST = (Zone.URBAN, Zone.UNDETERMINED, Zone.RURAL, Zone.OUTSIDE)
"""The tie rule on borders."""

TOUCH = 1e-9
"""Degrees (0.1 mm): a point this close to a border is on it."""

METRES_PER_DEGREE = 111_320.0
SLIVER_M2 = 1.0  # perimeters drawn edge to edge overlap by this much without meaning to


class AtlasError(ValueError):
    """The perimeters do not make a map; the message says why and how to mend it, in Portuguese."""


@dataclass(frozen=True, slots=True)
class Region:
    """The part of the map where ``perimeter`` decides, grown by ``TOUCH`` and prepared."""

    zone: Zone
    perimeter: Perimeter
    area: BaseGeometry


@dataclass(frozen=True, slots=True)
class Band:
    """The ground nearer to a drawn border than its stated precision, prepared."""

    perimeter: Perimeter
    area: BaseGeometry


def deciding_order(perimeter: Perimeter) -> tuple[int, int, str, str]:
    """Sort key: higher precedence first, then the cheaper zone; the rest only makes the order the same every time."""
    zone = CHEAPEST_FIRST.index(perimeter.zone)
    return (-perimeter.precedence, zone, perimeter.name, perimeter.version)


def check_overlaps(perimeters: Sequence[Perimeter]) -> tuple[str, ...]:
    """A note for each overlap of ``perimeters`` (in deciding order).

    Raises ``AtlasError`` where two of different kinds overlap with the same precedence: which holds is not ours to say.
    """
    notes = []
    for first, second in combinations(perimeters, 2):
        if _square_metres(shapely.intersection(first.geometry, second.geometry)) <= SLIVER_M2:
            continue
        if first.precedence == second.precedence and first.kind is not second.kind:
            raise AtlasError(
                f"“{first.name}” ({first.kind}) e “{second.name}” ({second.kind}) se sobrepõem com "
                f"a mesma precedência {first.precedence}; dê a maior ao que deve valer"
            )
        notes.append(f"“{first.name}” e “{second.name}” se sobrepõem; ali vale “{first.name}”")
    return tuple(notes)


def check_limit(limit: Perimeter, perimeters: Sequence[Perimeter]) -> tuple[str, ...]:
    """A note for each perimeter that goes beyond the limit."""
    return tuple(
        f"“{p.name}” passa do limite do município; a parte de fora não conta"
        for p in perimeters
        if _square_metres(shapely.difference(p.geometry, limit.geometry)) > SLIVER_M2
    )


def regions_of(limit: Perimeter, perimeters: Sequence[Perimeter]) -> tuple[Region, ...]:
    """Where each of ``perimeters`` (in deciding order) decides, cheapest zone first.

    Ground that none covers is rural if anything says where the town ends, and undetermined if nothing does.
    """
    town_known = any(p.kind in (Kind.URBAN, Kind.UNDETERMINED) for p in perimeters)
    regions = []
    left: BaseGeometry = limit.geometry
    for perimeter in perimeters:
        own = shapely.intersection(perimeter.geometry, left)
        left = shapely.difference(left, perimeter.geometry)
        regions.append(Region(perimeter.zone, perimeter, _grown(own)))
    regions.append(Region(Zone.RURAL if town_known else Zone.UNDETERMINED, limit, _grown(left)))
    return tuple(sorted(regions, key=lambda region: CHEAPEST_FIRST.index(region.zone)))


def _grown(area: BaseGeometry) -> BaseGeometry:
    grown = shapely.buffer(area, TOUCH, join_style="mitre")
    shapely.prepare(grown)
    return grown


def bands_of(perimeters: Sequence[Perimeter]) -> tuple[Band, ...]:
    """A band for each perimeter whose precision is stated."""
    return tuple(Band(p, _around(p.geometry, p.precision_m)) for p in perimeters if p.precision_m)


def _around(polygon: Polygon | MultiPolygon, metres: float) -> BaseGeometry:
    """The ground within ``metres`` of the border, in degrees; good to 1 % for one municipality."""
    squeeze = _squeeze(polygon)
    border = shapely.transform(polygon.boundary, lambda xy: xy * (squeeze, 1.0))
    band = shapely.buffer(border, metres / METRES_PER_DEGREE)
    band = shapely.transform(band, lambda xy: xy / (squeeze, 1.0))
    shapely.prepare(band)
    return band


def _square_metres(area: BaseGeometry) -> float:
    """A rough area, to tell a sliver from an overlap."""
    return 0.0 if area.is_empty else float(area.area) * METRES_PER_DEGREE**2 * _squeeze(area)


def _squeeze(area: BaseGeometry) -> float:
    """How much shorter a degree of longitude is than one of latitude, in the middle of ``area``."""
    _, south, _, north = area.bounds
    return math.cos(math.radians((south + north) / 2))

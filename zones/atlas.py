"""Which zone a point is in, by the perimeters of one municipality on one day.

A point on a border is in the zone cheaper for the passenger (`zones.regions` says how). Every answer is one number, its
*label*: the region that decides and the band of doubt the point is in. Labels come from a raster where no border is
near, from geometry elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from shapely.geometry.base import BaseGeometry

from geodata.point import Point
from laws.norm import Zone
from zones.borders import Borders
from zones.perimeter import Kind, Perimeter, Status
from zones.raster import OPEN, SIDE, Floats, Labels, Raster
from zones.regions import (
    CHEAPEST_FIRST,
    AtlasError,
    bands_of,
    check_limit,
    check_overlaps,
    deciding_order,
    regions_of,
)

__all__ = ["CHEAPEST_FIRST", "NOT_A_POSITION", "Atlas", "AtlasError", "Codes", "Location", "Notice"]

NOT_A_POSITION = -1
"""Code in `locate_many` of a NaN, infinite or impossible coordinate."""

Codes = NDArray[np.int8]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the reader must know about a zone."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Location:
    """The zone of a point, the perimeter that says so (None outside), and what is doubtful about
    it."""

    zone: Zone
    perimeter: Perimeter | None
    warnings: tuple[Notice, ...] = ()

    @property
    def status(self) -> Status | None:
        return self.perimeter.status if self.perimeter else None

    @property
    def precision_m(self) -> float | None:
        return self.perimeter.precision_m if self.perimeter else None


Grid = tuple[float, float, float, float, list[list[Location | None]]]
_SIDE = float(SIDE)


class Atlas:
    """The zones of one municipality.

    ``version`` identifies the set of perimeters, whatever order they came in. ``notes`` says
    what whoever approves perimeters should look at (overlaps, parts beyond the limit). Raises
    ``AtlasError`` unless there is exactly one limit, all perimeters are of one municipality, and
    every overlap of different kinds has an explicit precedence.
    """

    def __init__(self, perimeters: Iterable[Perimeter]) -> None:
        ordered = sorted(perimeters, key=deciding_order)
        self.limit, self.perimeters = _limit_and_rest(ordered)
        self.municipality = self.limit.municipality
        self.version = _fingerprint(ordered)
        self.notes = check_overlaps(self.perimeters) + check_limit(self.limit, self.perimeters)
        self.regions = regions_of(self.limit, self.perimeters)
        self._bands = bands_of(ordered)
        self._general = _general_notices(self.perimeters)
        self._zones = (*(region.zone for region in self.regions), Zone.OUTSIDE)
        self._codes = np.array([CHEAPEST_FIRST.index(zone) for zone in self._zones], dtype=np.int8)
        self._locations: dict[int, Location] = {}

    def locate(self, point: Point) -> Location:
        """The zone of ``point``; outside the municipality too (see its warnings)."""
        lon, lat = point.lon, point.lat
        # Spelt out rather than called, to cost no more than one bare point-in-polygon test.
        for west, south, across, up, rows in self._grids:
            column, row = (lon - west) * across, (lat - south) * up
            if 0.0 <= column < _SIDE and 0.0 <= row < _SIDE:
                answer = rows[int(row)][int(column)]
                if answer is not None:
                    return answer
        return self._locate_near_border(point)

    def locate_many(self, lons: ArrayLike, lats: ArrayLike) -> Codes:
        """Zone codes (places in ``CHEAPEST_FIRST``) of many points, any shape; ``NOT_A_POSITION`` where there is none.

        Agrees with `locate` point by point.
        """
        x, y = np.broadcast_arrays(np.asarray(lons, dtype=float), np.asarray(lats, dtype=float))
        codes = np.full(x.shape, NOT_A_POSITION, dtype=np.int8)
        position = (np.abs(x) <= 180) & (np.abs(y) <= 90)  # False for NaN
        codes[position] = self._codes[self._regions_at(x[position], y[position])]
        return codes

    def swapped(self, point: Point) -> bool:
        """Whether ``point`` is far away but would be in the municipality's box with its coordinates exchanged."""
        return not self._in_box(point.lon, point.lat) and self._in_box(point.lat, point.lon)

    def _in_box(self, lon: float, lat: float) -> bool:
        west, south, east, north = self.limit.geometry.bounds
        return west <= lon <= east and south <= lat <= north

    def _locate_near_border(self, point: Point) -> Location:
        if self.swapped(point):
            return _SWAPPED
        place = shapely.Point(point.lon, point.lat)
        region = next((i for i, r in enumerate(self.regions) if r.area.covers(place)), len(self.regions))
        band = next((i for i, b in enumerate(self._bands) if b.area.covers(place)), len(self._bands))
        return self._location(region * self._label_step + band)

    def _regions_at(self, x: Floats, y: Floats) -> Ints:
        """The region that decides at each point; one past the last outside."""
        region = np.full(x.shape, OPEN, dtype=np.int32)
        left = np.arange(x.size)
        for raster in self._rasters:
            label = raster.at_many(x[left], y[left])
            region[left] = label // self._label_step  # OPEN stays OPEN
            left = left[label == OPEN]
        region[left] = _first_covering([r.area for r in self.regions], x[left], y[left])
        return region

    def _labels(self, x: Floats, y: Floats) -> Labels:
        region = _first_covering([r.area for r in self.regions], x, y)
        band = _first_covering([b.area for b in self._bands], x, y)
        return region * self._label_step + band

    @property
    def _label_step(self) -> int:
        """Labels of one region: one for each band, one for none."""
        return len(self._bands) + 1

    def _location(self, label: int) -> Location:
        """The one answer for all points of a label."""
        if label not in self._locations:
            region, band = divmod(label, self._label_step)
            zone = self._zones[region]
            near = tuple(_near(b.perimeter) for b in self._bands[band : band + 1])
            if zone is Zone.OUTSIDE:
                self._locations[label] = Location(zone, None, near)
            else:
                unclear = (_UNDETERMINED,) if zone is Zone.UNDETERMINED else ()
                perimeter = self.regions[region].perimeter
                self._locations[label] = Location(zone, perimeter, unclear + self._general + near)
        return self._locations[label]

    @cached_property
    def _rasters(self) -> tuple[Raster, ...]:
        """The town closely, then the whole municipality."""
        areas = [region.area for region in self.regions] + [band.area for band in self._bands]
        lines = [shapely.boundary(area) for area in areas]
        boxes = [self.limit.geometry.bounds]
        if self.perimeters:
            boxes.insert(0, shapely.GeometryCollection([p.geometry for p in self.perimeters]).bounds)
        return tuple(Raster(box, lines, self._labels) for box in boxes)

    @cached_property
    def _grids(self) -> tuple[Grid, ...]:
        """The rasters with the answer itself in each cell."""
        return tuple(
            (r.west, r.south, r.across, r.up, [list(map(self._answer, row)) for row in r.labels.tolist()])
            for r in self._rasters
        )

    def _answer(self, label: int) -> Location | None:
        return None if label == OPEN else self._location(label)

    @cached_property
    def borders(self) -> Borders:
        """Every border of the map, for `zones.split`."""
        return Borders([region.area for region in self.regions])


_UNDETERMINED = Notice(
    "undetermined_zone",
    "Nenhuma fonte diz se este lugar é zona urbana ou rural; o preço sai das duas formas.",
)
_SWAPPED = Location(
    Zone.OUTSIDE,
    None,
    (
        Notice(
            "swapped_coordinates",
            "O ponto fica fora do município, mas cairia dentro dele com latitude e longitude trocadas; "
            "confira a ordem.",
        ),
    ),
)


def _near(perimeter: Perimeter) -> Notice:
    return Notice(
        "near_boundary",
        f"O ponto fica a menos de {perimeter.precision_m:.0f} m da divisa “{perimeter.name}”, que "
        "não é mais precisa do que isso; a zona pode ser a vizinha.",
    )


def _general_notices(perimeters: tuple[Perimeter, ...]) -> tuple[Notice, ...]:
    """What holds for every point of the municipality, wherever it lies."""
    if not perimeters:
        return (Notice("no_perimeter", "O município não tem perímetro urbano cadastrado."),)
    rough = [p.name for p in perimeters if p.status is Status.APPROXIMATE]
    if not rough:
        return ()
    return (
        Notice(
            "approximate_perimeter",
            f"Perímetro aproximado, sem valor legal ({', '.join(rough)}); peça à prefeitura o perímetro da lei.",
        ),
    )


def _limit_and_rest(ordered: list[Perimeter]) -> tuple[Perimeter, tuple[Perimeter, ...]]:
    limits = [p for p in ordered if p.kind is Kind.LIMIT]
    if len(limits) != 1:
        raise AtlasError(
            f"o mapa precisa de exatamente um limite municipal em vigor; há {len(limits)}. "
            "Cadastre o limite ou encerre a vigência do que não vale mais."
        )
    if len({p.municipality for p in ordered}) > 1:
        raise AtlasError("os perímetros são de municípios diferentes; monte um mapa para cada um")
    return limits[0], tuple(p for p in ordered if p.kind is not Kind.LIMIT)


def _fingerprint(ordered: list[Perimeter]) -> str:
    return f"sha256:{hashlib.sha256(''.join(p.version for p in ordered).encode()).hexdigest()}"


def _first_covering(areas: Sequence[BaseGeometry], x: Floats, y: Floats) -> Ints:
    """Which of ``areas`` is the first to cover each point; ``len(areas)`` where none does."""
    found = np.full(x.shape, len(areas), dtype=np.int32)
    left = np.arange(x.size)
    for i, area in enumerate(areas):
        inside = shapely.intersects_xy(area, x[left], y[left])
        found[left[inside]] = i
        left = left[~inside]
    return found

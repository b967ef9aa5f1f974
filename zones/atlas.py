"""Which zone a point is in, by the perimeters of one municipality on one day.

Borders belong to the zone cheaper for the passenger. To make that hold in floating point, every
region is grown once, at build, by ``TOUCH`` (a tenth of a millimetre); after that each question
is an ordinary point-in-polygon test, asked of the regions from the cheapest zone to the dearest.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from geodata.point import Point
from laws.norm import Zone
from zones.borders import Borders
from zones.perimeter import Kind, Perimeter, Status

CHEAPEST_FIRST = (Zone.URBAN, Zone.UNDETERMINED, Zone.RURAL, Zone.OUTSIDE)
"""The tie rule on borders; a zone's code in `locate_many` is its place here."""

NOT_A_POSITION = -1
"""Code in `locate_many` of a NaN, infinite or impossible coordinate."""

TOUCH = 1e-9
"""Degrees (0.1 mm): a point this close to a border is on it."""

METRES_PER_DEGREE = 111_320.0
SLIVER_M2 = 1.0  # perimeters drawn edge to edge overlap by this much without meaning to

Codes = NDArray[np.int8]


class AtlasError(ValueError):
    """The perimeters do not make a map; the message says why and how to mend it, in Portuguese."""


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


class Atlas:
    """The zones of one municipality.

    ``version`` identifies the set of perimeters, whatever order they came in. ``notes`` says
    what whoever approves perimeters should look at (overlaps, parts beyond the limit). Raises
    ``AtlasError`` unless there is exactly one limit, all perimeters are of one municipality, and
    every overlap of different kinds has an explicit precedence.
    """

    def __init__(self, perimeters: Iterable[Perimeter]) -> None:
        ordered = sorted(perimeters, key=_canonical)
        self.limit, self.perimeters = _limit_and_rest(ordered)
        self.municipality = self.limit.municipality
        self.version = _fingerprint(ordered)
        self.notes = _check_overlaps(self.perimeters) + _check_limit(self.limit, self.perimeters)
        self.regions = _regions(self.limit, self.perimeters)
        self._bands = _bands(self.regions)
        self._general = _general_notices(self.perimeters)
        self._locations: dict[tuple[int, tuple[int, ...]], Location] = {}

    def locate(self, point: Point) -> Location:
        """The zone of ``point``; outside the municipality too (see its warnings)."""
        lon, lat = point.lon, point.lat
        region = next(
            (i for i, r in enumerate(self.regions) if shapely.intersects_xy(r.area, lon, lat)), -1
        )
        bands = tuple(
            i for i, b in enumerate(self._bands) if shapely.intersects_xy(b.area, lon, lat)
        )
        if region < 0 and self.swapped(point):
            return self._location_swapped
        return self._location(region, bands)

    def locate_many(self, lons: ArrayLike, lats: ArrayLike) -> Codes:
        """Zone codes (places in ``CHEAPEST_FIRST``) of many points, any shape; ``NOT_A_POSITION``
        where there is none.

        Agrees with `locate` point by point.
        """
        x, y = np.broadcast_arrays(np.asarray(lons, dtype=float), np.asarray(lats, dtype=float))
        position = (np.abs(x) <= 180) & (np.abs(y) <= 90)  # False for NaN
        codes = np.full(x.shape, NOT_A_POSITION, dtype=np.int8)
        codes[position] = self._codes(x[position], y[position])
        return codes

    def swapped(self, point: Point) -> bool:
        """Whether ``point`` is far away but would be in the municipality's box with latitude and
        longitude exchanged."""
        return not self._in_box(point.lon, point.lat) and self._in_box(point.lat, point.lon)

    def _in_box(self, lon: float, lat: float) -> bool:
        west, south, east, north = self.limit.geometry.bounds
        return west <= lon <= east and south <= lat <= north

    def _codes(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> Codes:
        codes = np.full(x.shape, CHEAPEST_FIRST.index(Zone.OUTSIDE), dtype=np.int8)
        left = np.arange(x.size)
        for region in self.regions:
            inside = shapely.intersects_xy(region.area, x[left], y[left])
            codes[left[inside]] = CHEAPEST_FIRST.index(region.zone)
            left = left[~inside]
        return codes

    def _location(self, region: int, bands: tuple[int, ...]) -> Location:
        """The one answer for all points of a region in the same bands."""
        key = (region, bands)
        if key not in self._locations:
            near = tuple(_near(self._bands[i].perimeter) for i in bands)
            if region < 0:
                self._locations[key] = Location(Zone.OUTSIDE, None, near)
            else:
                found = self.regions[region]
                unclear = (_UNDETERMINED,) if found.zone is Zone.UNDETERMINED else ()
                self._locations[key] = Location(
                    found.zone, found.perimeter, unclear + self._general + near
                )
        return self._locations[key]

    @cached_property
    def borders(self) -> Borders:
        """Every border of the map, for `zones.split`."""
        return Borders([region.area for region in self.regions])

    @cached_property
    def _location_swapped(self) -> Location:
        return Location(Zone.OUTSIDE, None, (_SWAPPED,))


_UNDETERMINED = Notice(
    "undetermined_zone",
    "Nenhuma fonte diz se este lugar é zona urbana ou rural; o preço sai das duas formas.",
)
_SWAPPED = Notice(
    "swapped_coordinates",
    "O ponto fica fora do município, mas cairia dentro dele com latitude e longitude trocadas; "
    "confira a ordem.",
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
            f"Perímetro aproximado, sem valor legal ({', '.join(rough)}); "
            "peça à prefeitura o perímetro da lei.",
        ),
    )


def _canonical(perimeter: Perimeter) -> tuple[int, int, str, str]:
    """Higher precedence first, then the cheaper zone: the order in which perimeters decide."""
    zone = CHEAPEST_FIRST.index(perimeter.zone)
    return (-perimeter.precedence, zone, perimeter.name, perimeter.version)


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


def _check_overlaps(perimeters: tuple[Perimeter, ...]) -> tuple[str, ...]:
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


def _check_limit(limit: Perimeter, perimeters: tuple[Perimeter, ...]) -> tuple[str, ...]:
    return tuple(
        f"“{p.name}” passa do limite do município; a parte de fora não conta"
        for p in perimeters
        if _square_metres(shapely.difference(p.geometry, limit.geometry)) > SLIVER_M2
    )


def _regions(limit: Perimeter, perimeters: tuple[Perimeter, ...]) -> tuple[Region, ...]:
    """Where each perimeter decides, cheapest zone first; last the ground that no perimeter
    covers."""
    regions = []
    decided: BaseGeometry = Polygon()
    for perimeter in perimeters:  # highest precedence first
        own = _difference(perimeter.geometry, decided)
        if not limit.geometry.covers(own):
            own = shapely.intersection(own, limit.geometry)
        decided = shapely.union(decided, perimeter.geometry)
        regions.append(Region(perimeter.zone, perimeter, _grown(own)))
    regions.sort(key=lambda region: CHEAPEST_FIRST.index(region.zone))  # stable
    rest = Zone.RURAL if perimeters else Zone.UNDETERMINED
    return (*regions, Region(rest, limit, _grown(limit.geometry)))


def _difference(area: BaseGeometry, taken: BaseGeometry) -> BaseGeometry:
    return area if taken.is_empty else shapely.difference(area, taken)


def _grown(area: BaseGeometry) -> BaseGeometry:
    grown = shapely.buffer(area, TOUCH, join_style="mitre")
    shapely.prepare(grown)
    return grown


def _bands(regions: tuple[Region, ...]) -> tuple[Band, ...]:
    bands = []
    for region in regions:
        perimeter = region.perimeter
        if perimeter.precision_m:
            area = _around(perimeter.geometry, perimeter.precision_m)
            shapely.prepare(area)
            bands.append(Band(perimeter, area))
    return tuple(bands)


def _around(polygon: Polygon | MultiPolygon, metres: float) -> BaseGeometry:
    """The ground within ``metres`` of the border, in degrees; good to 1 % for one municipality."""
    squeeze = _squeeze(polygon)
    border = shapely.transform(polygon.boundary, lambda xy: xy * (squeeze, 1.0))
    band = shapely.buffer(border, metres / METRES_PER_DEGREE)
    return shapely.transform(band, lambda xy: xy / (squeeze, 1.0))


def _square_metres(area: BaseGeometry) -> float:
    """A rough area, to tell a sliver from an overlap."""
    return 0.0 if area.is_empty else float(area.area) * METRES_PER_DEGREE**2 * _squeeze(area)


def _squeeze(area: BaseGeometry) -> float:
    """How much shorter a degree of longitude is than one of latitude, in the middle of ``area``."""
    _, south, _, north = area.bounds
    return math.cos(math.radians((south + north) / 2))

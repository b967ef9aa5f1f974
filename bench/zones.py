"""How fast zones are told and ways are split: `python -m bench.zones`.

Each line is a ratio to a bare peer measured in the same run, turn about, median of several rounds; those with a goal
say whether it is met.
Points are uniform over the box of the town's perimeters (or of the municipality), so some lie on the doubtful ground
near borders. timezonefinder is measured where it is installed (requirements-bench).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry
from shapely.prepared import prep

from geodata.point import Point
from zones import drawn
from zones.atlas import Atlas
from zones.perimeter import Kind, in_force
from zones.split import split
from zones.territory import Territory

try:
    TimezoneFinder: Any = import_module("timezonefinder").TimezoneFinder
except ImportError:  # installed only for measurements
    TimezoneFinder = None

ROUNDS = 9
POINTS = 200_000
SINGLE = 20_000
MUNICIPALITIES = 5_570
BRAZIL = (-74.0, -33.7, -34.8, 5.2)

Floats = NDArray[np.float64]
Work = Callable[[], object]


def seconds(*works: Work) -> list[float]:
    """Median time of each of ``works``, run turn about after one round to warm up."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS + 1):
        for work, spent in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            spent.append(time.perf_counter() - start)
    return [statistics.median(spent[1:]) for spent in times]


def report(what: str, count: int, own: float, peer: float, goal: float | None = None) -> None:
    ratio = peer / own
    verdict = "" if goal is None else f"(goal {goal}) {'ok' if ratio >= goal else 'MISSED'}"
    print(f"{what:<74} {count / own:>12,.0f}/s  peer {count / peer:>12,.0f}/s  {ratio:6.2f} {verdict}")


def uniform(box: Sequence[float], count: int, seed: int = 1) -> tuple[Floats, Floats]:
    chosen = np.random.default_rng(seed)
    west, south, east, north = box
    return chosen.uniform(west, east, count), chosen.uniform(south, north, count)


def town() -> Atlas:
    """The first town in the geodata folder."""
    folder = min(path.parent for path in Path("geodata").glob("*/limit.geojson"))
    return Atlas(in_force(drawn.perimeters(folder), date.today()))  # noqa: DTZ011 - any day of its validity


def each(polygons: Sequence[BaseGeometry], lons: Floats, lats: Floats) -> None:
    for polygon in polygons:
        shapely.intersects_xy(polygon, lons, lats)


def bulk(atlas: Atlas) -> None:
    box = shapely.union_all([p.geometry for p in atlas.perimeters]).bounds
    polygons = [region.area for region in atlas.regions]
    for name, where in (("the town", box), ("the municipality", atlas.limit.geometry.bounds)):
        lons, lats = uniform(where, POINTS)
        own, all_three, one = seconds(
            partial(atlas.locate_many, lons, lats),
            partial(each, polygons, lons, lats),
            partial(each, polygons[:1], lons, lats),
        )
        report(f"locate_many over {name} / intersects_xy on its polygons", POINTS, own, all_three, 0.5)
        report(f"locate_many over {name} / intersects_xy on the urban one alone", POINTS, own, one)


def time_zones(atlas: Atlas) -> None:
    if TimezoneFinder is None:
        print("timezonefinder is not installed: skipped")
        return
    finder = TimezoneFinder(in_memory=True)
    lons, lats = uniform(atlas.limit.geometry.bounds, SINGLE)
    points = [Point(lat, lon) for lon, lat in zip(lons.tolist(), lats.tolist(), strict=True)]
    own, single, peer = seconds(
        lambda: atlas.locate_many(lons, lats),
        lambda: [atlas.locate(point) for point in points],
        lambda: [finder.timezone_at(lng=point.lon, lat=point.lat) for point in points],
    )
    report("locate_many / timezonefinder.timezone_at", SINGLE, own, peer, 5)
    report("locate, one by one / timezonefinder.timezone_at", SINGLE, single, peer)


def one_by_one(atlas: Atlas) -> None:
    (urban,) = (region.area for region in atlas.regions if region.perimeter.kind is Kind.URBAN)
    covers = prep(urban).covers
    middle = urban.centroid
    point, place = Point(middle.y, middle.x), shapely.Point(middle)
    own, peer = seconds(
        lambda: [atlas.locate(point) for _ in range(SINGLE)], lambda: [covers(place) for _ in range(SINGLE)]
    )
    report("locate in the middle of town / prepared.covers, one polygon", SINGLE, own, peer, 0.5)

    where = shapely.union_all([p.geometry for p in atlas.perimeters]).bounds
    lons, lats = uniform(where, SINGLE)
    points = [Point(lat, lon) for lon, lat in zip(lons.tolist(), lats.tolist(), strict=True)]
    tests = [prep(region.area).covers for region in atlas.regions]
    own, peer = seconds(
        lambda: [atlas.locate(p) for p in points],
        lambda: [next((t for t in tests if t(place)), None) for place in (shapely.Point(p.lon, p.lat) for p in points)],
    )
    report("locate over the town / prepared.covers in turn, point built", SINGLE, own, peer, 0.5)


def country() -> None:
    """As many made-up municipalities as the country has, of some hundred vertices each."""
    seats = shapely.MultiPoint(np.stack(uniform(BRAZIL, MUNICIPALITIES, seed=2), axis=1))
    cells = shapely.get_parts(shapely.voronoi_polygons(seats, extend_to=shapely.box(*BRAZIL)))
    areas = shapely.segmentize(shapely.intersection(cells, shapely.box(*BRAZIL)), 0.02)
    territory = Territory([str(i) for i in range(len(areas))], areas.tolist())
    tree = shapely.STRtree(areas)
    shapely.prepare(areas)
    lons, lats = uniform(BRAZIL, POINTS)
    own, boxes, exact = seconds(
        lambda: territory.locate_many(lons, lats),
        lambda: tree.query(shapely.points(lons, lats)),
        lambda: tree.query(shapely.points(lons, lats), predicate="intersects"),
    )
    vertices = shapely.get_num_coordinates(areas).mean()
    what = f"locate_many over {len(areas):,} municipalities ({vertices:.0f} vertices)"
    report(f"{what} / STRtree, exact", POINTS, own, exact, 0.8)
    report(f"{what} / STRtree, boxes only", POINTS, own, boxes)


def ways(atlas: Atlas) -> None:
    """A way of 1,000 points that wanders through the town, in and out."""
    middle = np.array(atlas.perimeters[0].geometry.centroid.coords[0])
    steps = np.random.default_rng(3).normal(0, 0.0004, (1000, 2))
    way = [(lon, lat) for lon, lat in (middle + np.cumsum(steps, axis=0)).tolist()]
    (own,) = seconds(lambda: split(atlas, way))
    print(f"split of a way of 1,000 points into {len(split(atlas, way))} legs: {1 / own:,.0f}/s")


def main() -> None:
    atlas = town()
    bulk(atlas)
    time_zones(atlas)
    one_by_one(atlas)
    country()
    ways(atlas)


if __name__ == "__main__":
    main()

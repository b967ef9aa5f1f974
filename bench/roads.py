"""How fast and how true road distances are: `python -m bench.roads` (all), or one of its parts by name.

engine   routes per second through `EmbeddedRoads` against bare `valhalla.Actor.route`, same pairs, same tiles
rural    rural metres of the split route, and of the straight line, against the route sampled densely
detour   road length / straight length by straight length: the figures of geodata/detour.yaml
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import osmium

from geodata.geodesic import WGS84, line_metres
from geodata.point import Point
from zones.roads.build import build_roads
from zones.roads.data import current_build, town_folder
from zones.roads.embedded import EmbeddedRoads, open_engine
from zones.roads.errors import RoadError
from zones.roads.valhalla_json import route_request

FIXTURES = Path(__file__).parents[1] / "tests" / "geodata"
TOWN = "ce-limoeiro-do-norte"
SMALL_TOWNS = ("limoeiro_do_norte_ce", "ibirama_sc", "quixada_ce")
STREETS = ("residential", "primary", "secondary", "tertiary", "unclassified", "trunk", "living_street")
BANDS = (250, 500, 1000, 2000, 4000, 8000)

Pairs = Sequence[tuple[Point, Point]]


@contextmanager
def built(extract: str) -> Iterator[Path]:
    """The town folder of a fixture extract, built for the time being."""
    with tempfile.TemporaryDirectory() as data:
        build_roads(Path(data), TOWN, FIXTURES / f"{extract}.osm.pbf", seat=None)
        yield town_folder(Path(data), TOWN)


def pairs(extract: str, count: int, seed: int = 1) -> Pairs:
    """Pairs of street corners, chosen at random."""
    ways = osmium.FileProcessor(str(FIXTURES / f"{extract}.osm.pbf")).with_locations()
    corners = {
        Point(node.lat, node.lon)
        for way in ways.with_filter(osmium.filter.KeyFilter("highway"))
        if isinstance(way, osmium.osm.Way) and way.tags["highway"] in STREETS
        for node in way.nodes
        if node.location.valid()
    }
    chosen = random.Random(seed)
    ordered = sorted(corners, key=lambda point: point.lonlat)
    return [(a, b) for a, b in (chosen.sample(ordered, 2) for _ in range(count))]


def per_second(trips: Pairs, *works: Callable[[Point, Point], object]) -> list[float]:
    """Calls per second of each of ``works``, best of five rounds in turn; trips no road joins count as done."""
    best = [0.0] * len(works)
    for _ in range(5):
        for index, work in enumerate(works):
            start = time.perf_counter()
            for trip in trips:
                with suppress(RoadError, RuntimeError):
                    work(*trip)
            best[index] = max(best[index], len(trips) / (time.perf_counter() - start))
    return best


def engine() -> None:
    """`EmbeddedRoads.route` against the bare engine."""
    trips = pairs(SMALL_TOWNS[0], 500)
    with built(SMALL_TOWNS[0]) as folder:
        build = current_build(folder)
        assert build is not None
        actor = open_engine(build / "tiles.tar")
        roads = EmbeddedRoads(folder)
        bare, ours = per_second(
            trips, lambda a, b: actor.route(route_request((a, b), 300)), lambda a, b: roads.route((a, b))
        )
    print(f"routes/s in a small town: ours {ours:.0f}, bare engine {bare:.0f}, ratio {ours / bare:.2f}")


def quotes() -> None:
    """Whole quotes by road (locate, route, cut by zone, price under every reading) against the bare route."""
    from fares.quotes import QuoteOrder, price_between
    from fares.tariffs import open_lawbook
    from zones.atlas import Atlas
    from zones.drawn import perimeters

    book = open_lawbook(FIXTURES.parent / "example" / "laws")
    depart_at = datetime(2026, 12, 1, 10, tzinfo=book.municipality(TOWN).zone_info)
    atlas = Atlas(perimeters(FIXTURES / TOWN))
    with built(SMALL_TOWNS[0]) as folder:
        roads = EmbeddedRoads(folder)
        whole, bare = per_second(
            pairs(SMALL_TOWNS[0], 300),
            lambda a, b: price_between(QuoteOrder(TOWN, a, b, depart_at), book, atlas, roads),
            lambda a, b: roads.route((a, b)),
        )
    print(f"quotes by road/s: {whole:.0f}, bare routes/s: {bare:.0f}, ratio {whole / bare:.2f}")


def rural() -> None:
    """Rural metres against the truth, which is the route sampled every half metre."""
    from laws.norm import Zone
    from zones.atlas import CHEAPEST_FIRST, Atlas
    from zones.drawn import perimeters
    from zones.split import split_route

    atlas = Atlas(perimeters(FIXTURES / TOWN))
    rural_code = CHEAPEST_FIRST.index(Zone.RURAL)
    ours, straight, routed = [], [], 0
    with built(SMALL_TOWNS[0]) as folder:
        roads = EmbeddedRoads(folder)
        for a, b in pairs(SMALL_TOWNS[0], 400, seed=2):
            try:
                route = roads.route((a, b))
            except RoadError:
                continue
            truth = _sampled(atlas, route.line, rural_code, 0.5)
            split = sum(leg.metres for leg in split_route(atlas, route) if leg.zone is Zone.RURAL)
            if truth == 0 and split == 0:
                continue
            routed += 1
            ours.append(abs(split - truth))
            straight.append(abs(_sampled(atlas, (a.lonlat, b.lonlat), rural_code, 0.5) - truth))
    ratio = np.mean(ours) / np.mean(straight)
    print(
        f"rural metres over {routed} trips: mean error of the split route {np.mean(ours):.2f} m, "
        f"of the straight line {np.mean(straight):.0f} m, ratio {ratio:.2%} (goal <= 1%)"
    )


def _sampled(atlas: object, line: Sequence[tuple[float, float]], code: int, step: float) -> float:
    """Metres of ``line`` in the zone of ``code``: the middle of every piece of at most ``step`` metres."""
    total = 0.0
    for (x, y), (to_x, to_y) in pairwise(line):
        metres = line_metres(((x, y), (to_x, to_y)))
        count = max(1, round(metres / step))
        at = (np.arange(count) + 0.5) / count
        codes = atlas.locate_many(x + at * (to_x - x), y + at * (to_y - y))  # type: ignore[attr-defined]
        total += metres * np.count_nonzero(codes == code) / count
    return total


def detour() -> None:
    """Quantiles of road length / straight length over three small towns, by straight length."""
    found: dict[int, list[float]] = {band: [] for band in BANDS}
    for town in SMALL_TOWNS:
        with built(town) as folder:
            roads = EmbeddedRoads(folder)
            for a, b in pairs(town, 4000):
                straight = WGS84.inv(*a.lonlat, *b.lonlat)[2]
                band = next((band for band in BANDS if straight < band), None)
                if band is None or straight < 100:
                    continue
                try:
                    found[band].append(max(1.0, roads.route((a, b)).metres / straight))
                except RoadError:
                    continue
    print("straight length below (m): pairs, 5 %, median, 95 %")
    for band, factors in found.items():
        low, usual, high = np.quantile(factors, (0.05, 0.5, 0.95))
        print(f"  {band:>5}: {len(factors):>5}  {low:.2f}  {usual:.2f}  {high:.2f}")


PARTS = {"engine": engine, "quotes": quotes, "rural": rural, "detour": detour}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()

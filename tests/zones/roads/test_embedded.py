"""Routes over the real streets of a small town, and over made-up maps for one situation each."""

from __future__ import annotations

import random
import statistics
import threading
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geodata.geodesic import line_metres
from geodata.point import Point
from tests.zones.roads.street_graph import WGS84, StreetGraph
from zones.roads.build import build_roads
from zones.roads.data import town_folder
from zones.roads.embedded import EmbeddedRoads
from zones.roads.errors import EngineDown, NoRoadNearby, NoWay
from zones.route import Source

SNAP = 5.0  # metres: Valhalla moves a stop to a corner this near
A, B = Point(-5.147497, -38.09833), Point(-5.141418, -38.088898)


@pytest.fixture(scope="module")
def streets(extract) -> StreetGraph:
    return StreetGraph(extract)


def at(lonlat) -> Point:
    return Point(lonlat[1], lonlat[0])


def test_a_route_is_the_shortest_way_of_an_independent_search(town, streets):
    chosen = random.Random(11)
    corners = sorted(streets.streets)
    shares = []
    for _ in range(150):
        a, b = chosen.sample(corners, 2)
        shortest = streets.shortest(a, b)
        if shortest is None or shortest < 200:
            continue
        route = town.route([at(a), at(b)])
        assert route.metres >= shortest - 2 * SNAP
        assert route.metres <= 1.06 * shortest + 2 * SNAP
        shares.append(route.metres / shortest)
    assert len(shares) > 120
    assert statistics.quantiles(shares, n=20)[-1] < 1.002


def test_the_length_is_that_of_the_geometry_and_the_stops_are_on_it(town):
    route = town.route([A, B, B, A])

    legs = [line_metres(route.line[a : b + 1]) for a, b in pairwise(route.stop_indexes)]
    assert sum(legs) == pytest.approx(route.metres, abs=1e-6)
    assert legs[1] == 0
    assert route.stop_indexes[0] == 0
    assert route.stop_indexes[-1] == len(route.line) - 1
    assert (route.low, route.high, route.source) == (route.metres, route.metres, Source.ROAD)
    for stop, index in zip((A, B, B, A), route.stop_indexes, strict=True):
        assert WGS84.inv(*stop.lonlat, *route.line[index])[2] < 1


def test_equal_points_are_no_way_at_all(town):
    route = town.route([A, A])

    assert route.metres == 0
    assert route.stop_indexes == (0, 1)
    assert route.warnings == ()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_stop_on_the_way_never_shortens_it_below_the_straight_line(town, streets, seed):
    a, b, c = (at(corner) for corner in random.Random(seed).sample(sorted(streets.streets), 3))
    try:
        through = town.route([a, b, c])
        first, second = town.route([a, b]), town.route([b, c])
    except NoWay:
        return
    straight = WGS84.inv(*through.line[0], *through.line[-1])[2]
    assert through.metres >= straight - 0.01
    if not (through.warnings or first.warnings or second.warnings):
        assert through.metres == pytest.approx(first.metres + second.metres, abs=4 * SNAP)


def test_a_stop_off_the_road_is_snapped_and_told(town):
    route = town.route([A, B])
    near = Point(-5.1655, -38.1088)  # in a field west of town

    snapped = town.route([near, A])

    off = WGS84.inv(*near.lonlat, *snapped.line[0])[2]
    assert 50 < off < 300
    assert "A parada 1 fica a" in snapped.warnings[0]
    assert snapped.high == pytest.approx(snapped.metres + off)
    assert snapped.low == snapped.metres
    assert route.warnings == ()


def test_a_stop_beyond_the_limit_is_an_error_with_its_distance(town):
    far = Point(-5.147497, -38.1225)

    with pytest.raises(NoRoadNearby, match=r"está a 7\d\d m .*limite: 300 m") as raised:
        town.route([A, far, B])

    assert raised.value.point == far
    assert raised.value.metres == pytest.approx(745, abs=20)


def test_a_stop_in_another_country_names_no_distance(town):
    with pytest.raises(NoRoadNearby, match="não tem via conhecida por perto") as raised:
        town.route([A, Point(-5.0, -37.0)])

    assert raised.value.metres is None


def test_the_limit_is_the_operators(town_data):
    strict = EmbeddedRoads(town_folder(town_data, "ce-limoeiro-do-norte"), snap_limit=20)

    with pytest.raises(NoRoadNearby, match="limite: 20 m"):
        strict.route([Point(-5.1655, -38.1088), A])


BLOCK = {1: (-38.0, -5.0), 2: (-37.99, -5.0), 3: (-37.99, -5.01), 4: (-38.0, -5.01)}
STREET = {"highway": "residential"}


def test_a_one_way_street_is_ridden_one_way_only(drawn_roads):
    roads = drawn_roads(BLOCK, [(STREET | {"oneway": "yes"}, (1, 2)), (STREET, (2, 3, 4, 1))])
    west, east = Point(-5.0, -37.9999), Point(-5.0, -37.9901)

    assert roads.route([west, east]).metres == pytest.approx(1087, abs=5)
    assert roads.route([east, west]).metres == pytest.approx(3338, abs=40)


@pytest.mark.parametrize(
    "tags", [{"highway": "track"}, STREET | {"surface": "ground"}, {"highway": "unclassified", "surface": "dirt"}]
)
def test_an_unpaved_road_is_ridden(drawn_roads, tags):
    roads = drawn_roads(BLOCK, [(tags, (1, 2)), (STREET, (2, 3, 4, 1))])

    assert roads.route([Point(-5.0, -37.9999), Point(-5.0, -37.9901)]).metres == pytest.approx(1087, abs=5)


def test_roads_that_do_not_meet_are_no_way(drawn_roads):
    apart = BLOCK | {5: (-37.9, -5.0), 6: (-37.89, -5.0)}
    roads = drawn_roads(apart, [(STREET, (1, 2, 3)), (STREET, (5, 6))])

    with pytest.raises(NoWay, match="Não há caminho conhecido para motocicleta"):
        roads.route([Point(-5.0, -37.9999), Point(-5.0, -37.895)])


@pytest.mark.slow
def test_a_footway_is_no_road(drawn_roads):
    roads = drawn_roads(BLOCK, [({"highway": "footway"}, (1, 2)), (STREET, (3, 4))])

    with pytest.raises(NoRoadNearby):
        roads.route([Point(-5.0, -37.9999), Point(-5.01, -37.995)])


def test_without_data_the_engine_is_down_and_says_so(tmp_path):
    with pytest.raises(EngineDown, match="ainda não foi instalada"):
        EmbeddedRoads(tmp_path / "xx-vila").route([A, B])


@pytest.mark.slow
def test_damaged_data_is_an_engine_down(tmp_path, extract):
    built = build_roads(tmp_path, "xx-vila", extract, seat=None)
    tiles = built.folder / "tiles.tar"
    tiles.write_bytes(tiles.read_bytes()[:1500])

    with pytest.raises(EngineDown, match="malha viária de xx-vila está danificada"):
        EmbeddedRoads(town_folder(tmp_path, "xx-vila")).route([A, B])
    assert build_roads(tmp_path, "xx-vila", extract, seat=None).fresh
    assert EmbeddedRoads(town_folder(tmp_path, "xx-vila")).route([A, B]).metres > 1000


@pytest.mark.slow
def test_a_new_build_is_used_at_once(tmp_path, extract, draw):
    build_roads(tmp_path, "xx-vila", draw(BLOCK, [(STREET, (1, 2))]), seat=None)
    roads = EmbeddedRoads(town_folder(tmp_path, "xx-vila"))
    with pytest.raises(NoRoadNearby):
        roads.route([A, B])

    build_roads(tmp_path, "xx-vila", extract, seat=None)

    assert roads.route([A, B]).metres > 1000


def test_threads_share_the_engine_and_get_the_same_answers(town):
    alone = [town.route([A, B]), town.route([B, A])]
    got = []
    start = threading.Barrier(8)

    def ask(index):
        start.wait()
        for turn in range(25):
            got.append(town.route([A, B] if (turn + index) % 2 else [B, A]))

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(got) == 200
    assert all(route in alone for route in got)

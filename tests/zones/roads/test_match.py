"""Tracks of a simulated ride laid back on the streets it was ridden on."""

from __future__ import annotations

import random

import pytest
from shapely import LineString

from geodata.geodesic import line_metres
from geodata.point import Point
from zones.roads.embedded import EmbeddedRoads
from zones.roads.errors import EngineDown, TrackTooLong
from zones.roads.match import MOST_FIXES

A, B = Point(-5.147497, -38.09833), Point(-5.165, -38.0945)
METRE = 1 / 111_000
NOWHERE = (-5.30, -37.90)


@pytest.fixture(scope="module")
def ride(town):
    return town.route([A, B])


def fixes_of(route, *, every=40.0, noise=0.0, seed=1):
    """Fixes along a route, one each ``every`` metres at 10 m/s, off by a normal ``noise`` in metres."""
    chosen = random.Random(seed)
    line = LineString(route.line)
    count = int(route.metres / every)
    at = [line.interpolate(index / count, normalized=True) for index in range(count + 1)]
    return [
        (
            point.y + chosen.gauss(0, noise) * METRE,
            point.x + chosen.gauss(0, noise) * METRE,
            index * every / 10,
            max(5.0, noise),
        )
        for index, point in enumerate(at)
    ]


def test_a_clean_track_is_the_ride_itself(town, ride):
    track = town.match(fixes_of(ride))

    assert track.metres == pytest.approx(ride.metres, rel=0.005)
    assert track.metres == pytest.approx(sum(map(line_metres, track.pieces)))
    assert len(track.pieces) == 1
    assert track.breaks == ()
    assert all(track.matched)


@pytest.mark.parametrize("seed", range(5))
def test_a_noisy_track_is_measured_within_two_percent(town, ride, seed):
    track = town.match(fixes_of(ride, noise=6.0, seed=seed))

    assert track.metres == pytest.approx(ride.metres, rel=0.02)


def test_a_stretch_off_the_map_is_a_break_between_two_pieces(town, ride):
    fixes = fixes_of(ride)
    middle = len(fixes) // 2
    off = [(NOWHERE[0] + index * METRE, NOWHERE[1], fixes[middle][2] + index, None) for index in range(5)]
    later = [(lat, lon, t + 10, accuracy) for lat, lon, t, accuracy in fixes[middle:]]

    track = town.match(fixes[:middle] + off + later)

    assert len(track.pieces) == 2
    assert track.breaks == ((middle - 1, middle + 5),)
    assert track.matched == (True,) * middle + (False,) * 5 + (True,) * len(later)


def test_an_unmatched_beginning_and_end_are_breaks_too(town, ride):
    fixes = fixes_of(ride)
    before = [(*NOWHERE, -2.0, None), (*NOWHERE, -1.0, None)]
    after = [(*NOWHERE, fixes[-1][2] + 1, None)]

    track = town.match(before + fixes + after)

    assert track.breaks == ((0, 2), (len(fixes) + 1, len(fixes) + 2))
    assert track.matched == (False, False, *[True] * len(fixes), False)


def test_a_track_on_no_road_at_all_is_one_break(town):
    track = town.match([(NOWHERE[0], NOWHERE[1] + index * METRE, index, 5.0) for index in range(10)])

    assert (track.pieces, track.metres, track.breaks) == ((), 0.0, ((0, 9),))
    assert track.matched == (False,) * 10


@pytest.mark.parametrize("count", [0, 1])
def test_less_than_two_fixes_are_no_track(town, count):
    track = town.match([(A.lat, A.lon, 0.0, None)] * count)

    assert (track.pieces, track.metres, track.breaks, track.matched) == ((), 0.0, (), (False,) * count)


def test_standing_still_is_no_distance(town):
    chosen = random.Random(7)
    fixes = [
        (A.lat + chosen.gauss(0, 4) * METRE, A.lon + chosen.gauss(0, 4) * METRE, float(index), 8.0)
        for index in range(600)
    ]

    assert town.match(fixes).metres < 60


def test_too_many_fixes_or_too_long_a_way_is_refused_with_the_limit(town):
    with pytest.raises(TrackTooLong, match="16001 posições, acima do limite de 16000"):
        town.match([(A.lat, A.lon, float(index), None) for index in range(MOST_FIXES + 1)])
    with pytest.raises(TrackTooLong, match="limite de 200 km"):
        town.match([(A.lat, A.lon, 0.0, None), (A.lat + 2, A.lon, 9.0, None)])


@pytest.mark.parametrize(
    "fixes",
    [
        [(A.lat, A.lon, 1.0, None), (A.lat, A.lon, 0.0, None)],
        [(float("nan"), A.lon, 0.0, None), (A.lat, A.lon, 1.0, None)],
        [(A.lat, A.lon, float("inf"), None)] * 2,
        [(95.0, A.lon, 0.0, None), (A.lat, A.lon, 1.0, None)],
    ],
)
def test_fixes_no_track_can_hold_are_refused(town, fixes):
    with pytest.raises(ValueError, match=r"a fix|fixes"):
        town.match(fixes)


def test_without_data_matching_says_so(tmp_path):
    with pytest.raises(EngineDown, match="ainda não foi instalada"):
        EmbeddedRoads(tmp_path / "xx-vila").match([(A.lat, A.lon, 0.0, None)] * 2)

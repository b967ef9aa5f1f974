"""The meter over the streets of a real town: matching, gaps by road, grades, and what each grade is worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bench.rides import Noise, Ride, lying_phone, ride, street_corners
from fares.meter import Cause, DoubtCode, Fill, Fix, Grade, MeterRules, Way, measure
from geodata.point import Point
from tests.fares.meter.conftest import EXTRACT
from zones.roads.embedded import EmbeddedRoads
from zones.roads.errors import EngineDown

NOISE = Noise(5, 15)


@pytest.fixture(scope="session")
def corners() -> list[Point]:
    return street_corners(EXTRACT)


@pytest.fixture(scope="session")
def good(corners: list[Point], roads: EmbeddedRoads) -> Ride:
    """A ride recorded without silences, whose phone tells speeds."""
    rides = (ride(seed, corners, roads, NOISE) for seed in range(100))
    return next(r for r in rides if measure(r.fixes, matcher=roads, roads=roads).grade is Grade.A)


def test_a_well_recorded_ride_is_measured_on_the_streets_within_the_tolerance(good: Ride, roads: EmbeddedRoads):
    result = measure(good.fixes, matcher=roads, roads=roads)

    assert {stretch.way for stretch in result.stretches} == {Way.ROAD}
    assert result.doubts == ()
    assert result.metres == pytest.approx(good.metres, rel=0.02)


def test_without_speeds_nothing_confirms_the_distance(good: Ride, roads: EmbeddedRoads):
    mute = [replace(fix, speed_mps=None) for fix in good.fixes]

    result = measure(mute, matcher=roads, roads=roads)

    assert (result.grade, DoubtCode.NO_SPEEDS) == (Grade.B, result.doubts[0].code)


def test_speeds_that_contradict_the_positions_spoil_the_proof(good: Ride, roads: EmbeddedRoads):
    frozen = [replace(fix, speed_mps=0.0) for fix in good.fixes]

    result = measure(frozen, matcher=roads, roads=roads)

    assert DoubtCode.SPEEDS_DIFFER in {doubt.code for doubt in result.doubts}
    assert result.metres > 0.8 * good.metres


def test_a_silence_is_filled_by_the_way_by_road_and_listed(good: Ride, roads: EmbeddedRoads):
    start, end = good.fixes[0].t, good.fixes[-1].t
    middle = (start + end) / 2
    heard = [fix for fix in good.fixes if abs(fix.t - middle) > 45]

    result = measure(heard, matcher=roads, roads=roads)

    (gap,) = [gap for gap in result.gaps if gap.cause is Cause.SILENCE]
    assert gap.fill is Fill.ROAD
    assert gap.metres >= gap.straight_metres > 0
    assert sum(s.metres for s in result.stretches if s.way is Way.GAP_ROAD) == pytest.approx(gap.metres)
    assert result.grade is not Grade.A
    assert result.complete


def test_a_road_too_long_to_have_been_ridden_does_not_fill_a_gap(good: Ride, roads: EmbeddedRoads):
    middle = (good.fixes[0].t + good.fixes[-1].t) / 2
    heard = [fix for fix in good.fixes if abs(fix.t - middle) > 45]
    disbelieving = replace(MeterRules(), road_detour=0.5, road_allowance=0.0)

    result = measure(heard, disbelieving, matcher=roads, roads=roads)

    (gap,) = [gap for gap in result.gaps if gap.cause is Cause.SILENCE]
    assert (gap.fill, gap.metres) == (Fill.STRAIGHT, gap.straight_metres)
    assert not result.complete


def test_a_match_that_is_another_way_is_not_believed(good: Ride, roads: EmbeddedRoads):
    strict = replace(MeterRules(), match_agreement=0.0, match_allowance=0.001)

    result = measure(good.fixes, strict, matcher=roads, roads=roads)

    assert {stretch.way for stretch in result.stretches} == {Way.TRACK}
    assert {DoubtCode.MATCH_BROKEN, DoubtCode.OFF_ROAD} <= {doubt.code for doubt in result.doubts}


def test_without_road_data_the_track_is_measured_and_no_match_is_missed(good: Ride, tmp_path):
    nothing_built = EmbeddedRoads(tmp_path)
    with pytest.raises(EngineDown):
        nothing_built.match([(0, 0, 0, None), (0, 0.1, 1, None)])

    result = measure(good.fixes, matcher=nothing_built, roads=nothing_built)

    assert {stretch.way for stretch in result.stretches} == {Way.TRACK}
    assert DoubtCode.MATCH_BROKEN not in {doubt.code for doubt in result.doubts}


def test_a_phone_on_a_table_for_half_an_hour_measures_nothing():
    phones = [measure(lying_phone(seed, NOISE, speeds=True)) for seed in range(5)]

    assert [result.metres < 10 for result in phones] == [True] * 5
    assert all(result.waiting_seconds > 1700 for result in phones)


@pytest.mark.slow
def test_grade_a_keeps_the_tolerance_of_an_installed_taximeter(corners: list[Point], roads: EmbeddedRoads):
    rides = [ride(seed, corners, roads, NOISE) for seed in range(2000, 2250)]
    results = [measure(each.fixes, matcher=roads, roads=roads) for each in rides]
    graded = [
        abs(result.metres / each.metres - 1)
        for result, each in zip(results, rides, strict=True)
        if result.grade is Grade.A
    ]

    assert len(graded) > 25
    assert np.median(graded) <= 0.01
    assert np.percentile(graded, 95) <= 0.02


@pytest.mark.slow
def test_four_hours_at_one_a_second_fit(roads: EmbeddedRoads):
    loop = [
        Fix(1.8e9 + i, -5.145 + 0.01 * np.sin(i / 900), -38.098 + 0.01 * np.cos(i / 900), 8.0) for i in range(14_400)
    ]

    result = measure(loop, matcher=roads, roads=roads)

    assert result.used == 14_400
    assert result.metres > 10_000

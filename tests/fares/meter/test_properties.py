"""What holds of every track, however bad."""

from __future__ import annotations

import math
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import box

from fares.meter import Fix, MeterState, legs_by_zone, measure, zone_legs
from fares.trip import Zone
from geodata.geodesic import WGS84
from tests.fares.meter.tracks import NOON, START_LAT, START_LON, along
from zones.atlas import Atlas
from zones.perimeter import Kind, Origin, Perimeter, Status

MANY = settings(deadline=None)
FEWER = settings(max_examples=40, deadline=None)
"""For properties that measure whole rides, so that the suite stays quick."""

anything = st.builds(
    Fix,
    t=st.floats(),
    lat=st.floats(),
    lon=st.floats(),
    accuracy_m=st.none() | st.floats(),
    speed_mps=st.none() | st.floats(),
    mock=st.booleans(),
)


@st.composite
def rides(draw: st.DrawFn) -> list[Fix]:
    """A ride of up to 60 fixes: legs of any direction and speed up to 20 m/s, silences, noise of up to 10 m."""
    lat, lon, t = START_LAT, START_LON, NOON
    fixes: list[Fix] = []
    for _ in range(draw(st.integers(1, 6))):
        azimuth = draw(st.integers(0, 359))
        speed = draw(st.sampled_from([0.0, 0.0, 4.0, 10.0, 20.0]))
        pause = draw(st.sampled_from([1.0, 2.0, 5.0, 10.0]))
        t += draw(st.sampled_from([0.0, 0.0, 0.0, 90.0, 900.0]))
        for _ in range(draw(st.integers(1, 10))):
            t += pause
            lon, lat, _ = WGS84.fwd(lon, lat, azimuth, speed * pause)
            seen_lon, seen_lat, _ = WGS84.fwd(lon, lat, draw(st.integers(0, 359)), draw(st.integers(0, 10)))
            told = draw(st.none() | st.just(speed))
            fixes.append(Fix(t, seen_lat, seen_lon, draw(st.none() | st.integers(3, 30)), told))
    return fixes


@st.composite
def dirty_rides(draw: st.DrawFn) -> list[Fix]:
    """A ride with nonsense among its fixes (no NaN, which equals nothing)."""
    finite = st.floats(allow_nan=False, allow_infinity=False)
    nonsense = st.builds(
        Fix,
        t=st.floats(NOON - 100, NOON + 1500) | finite,
        lat=st.floats(START_LAT - 1, START_LAT + 1) | finite,
        lon=st.floats(START_LON - 1, START_LON + 1) | finite,
        accuracy_m=st.none() | finite,
        speed_mps=st.none() | finite,
        mock=st.booleans(),
    )
    return [*draw(rides()), *draw(st.lists(nonsense, max_size=8))]


@MANY
@given(st.lists(anything, max_size=20))
def test_any_fixes_give_a_finite_measurement(fixes: list[Fix]):
    result = measure(fixes)

    assert math.isfinite(result.metres)
    assert result.metres >= 0
    assert 0 <= result.waiting_seconds <= result.slow_seconds
    assert all(math.isfinite(gap.metres) for gap in result.gaps)


@FEWER
@given(dirty_rides(), st.randoms(use_true_random=False))
def test_order_and_repetition_do_not_matter(fixes: list[Fix], dice):
    again = [*fixes, *dice.sample(fixes, len(fixes) // 2)]
    dice.shuffle(again)

    assert measure(again) == measure(fixes)


@FEWER
@given(dirty_rides())
def test_every_fix_is_used_or_listed_with_its_reason(fixes: list[Fix]):
    result = measure(fixes)

    assert result.used + len(result.dropped) == len(set(fixes))


@FEWER
@given(rides())
def test_a_ride_and_its_reverse_are_as_long(fixes: list[Fix]):
    reverse = [Fix(2 * NOON - each.t, each.lat, each.lon, each.accuracy_m, each.speed_mps) for each in fixes]

    assert measure(reverse).metres == pytest.approx(measure(fixes).metres, rel=0.01, abs=0.01)


@FEWER
@given(rides(), st.integers(1, 200))
def test_standing_on_is_waiting_and_no_distance(fixes: list[Fix], seconds: int):
    last = fixes[-1]
    standing = [Fix(last.t + i, last.lat, last.lon, last.accuracy_m, 0.0) for i in range(1, 61 + seconds)]

    a_minute, longer = measure([*fixes, *standing[:60]]), measure([*fixes, *standing])

    assert abs(longer.metres - a_minute.metres) < 10
    assert longer.waiting_seconds - a_minute.waiting_seconds == pytest.approx(seconds, abs=5)


@FEWER
@given(dirty_rides())
def test_the_whole_is_the_sum_of_its_stretches_and_of_its_zones(fixes: list[Fix]):
    result = measure(fixes)
    by_zone = zone_legs(result, ATLAS)
    legs = legs_by_zone(by_zone)

    assert result.metres == pytest.approx(sum(stretch.metres for stretch in result.stretches))
    assert sum(leg.metres for leg in by_zone) == pytest.approx(result.metres, abs=0.001 * (1 + len(by_zone)))
    assert abs(sum(leg.metres for leg in legs) - result.metres) <= 0.5 + 0.001 * (1 + len(by_zone))
    assert all(before.zone is not after.zone for before, after in pairwise(legs))


@MANY
@given(st.lists(anything, max_size=40), st.randoms(use_true_random=False), st.integers(1, 7))
def test_batches_in_any_order_and_late_again_are_the_whole_track(fixes: list[Fix], dice, size: int):
    batches = [fixes[at : at + size] for at in range(0, len(fixes), size)]
    batches += dice.sample(batches, len(batches) // 2)
    dice.shuffle(batches)
    whole, state = MeterState(), MeterState()
    whole.add(fixes)
    for batch in batches:
        state.add(batch)
        state = MeterState.from_bytes(state.to_bytes())  # a restart between any two batches

    assert state.to_bytes() == whole.to_bytes()


@FEWER
@given(dirty_rides(), st.randoms(use_true_random=False))
def test_a_streamed_ride_measures_as_the_whole(fixes: list[Fix], dice):
    shuffled = list(fixes)
    dice.shuffle(shuffled)
    state = MeterState()
    for at in range(0, len(shuffled), 10):
        state.add(shuffled[at : at + 10])

    assert measure(MeterState.from_bytes(state.to_bytes()).fixes()) == measure(fixes)


def _perimeter(kind: Kind, size: float, precedence: int) -> Perimeter:
    square = box(START_LON - size, START_LAT - size, START_LON + size, START_LAT + size)
    return Perimeter(
        "xx-cidade", kind, kind, square, Origin.SYNTHETIC, Status.APPROXIMATE, date(2020, 1, 1), precedence=precedence
    )


ATLAS = Atlas([_perimeter(Kind.LIMIT, 0.3, 0), _perimeter(Kind.URBAN, 0.003, 1)])


def test_a_ride_out_of_town_has_a_leg_in_each_zone():
    legs = legs_by_zone(zone_legs(measure(along(NOON, 0, 2000)), ATLAS))

    assert [leg.zone for leg in legs] == [Zone.URBAN, Zone.RURAL]
    assert sum(leg.metres for leg in legs) == pytest.approx(2000, abs=3)

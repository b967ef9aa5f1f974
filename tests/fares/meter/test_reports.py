"""What went wrong with GPS in other people's taxi software, each with the figures of its report."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from fares.meter import Cause, DoubtCode, DropReason, Fill, Fix, Grade, Way, measure
from tests.fares.meter.tracks import NOON, along, east_of, fix, metres_between


def test_null_island_is_dropped_and_told():  # traccar#3673
    fixes = [fix(0, 0.0, 0.0), fix(10, -11.1270, -62.3600), fix(20, -11.1270, -62.3589)]

    result = measure(fixes)

    assert result.metres == pytest.approx(120, abs=1)
    assert [(each.fix, each.reason) for each in result.dropped] == [(fixes[0], DropReason.NULL_ISLAND)]


def test_a_jump_and_back_adds_nothing_and_is_kept_with_its_reason():  # traccar#3342
    places = [
        (-11.1270, -62.3600),
        (-11.1270, -62.3589),
        (-11.0366, -62.3589),
        (-11.1270, -62.3578),
        (-11.1270, -62.3567),
    ]
    fixes = [fix(10 * i, lat, lon) for i, (lat, lon) in enumerate(places)]

    result = measure(fixes)

    assert result.metres == pytest.approx(360, rel=0.01)
    assert [(each.fix, each.reason) for each in result.dropped] == [(fixes[2], DropReason.SPIKE)]


def test_resuming_elsewhere_after_a_pause_is_a_gap_and_not_distance():  # OsmAnd#20210
    before = along(NOON, 0, 1000)
    after = along(NOON + 1800, 7000, 8000)

    result = measure([*before, *after])

    (gap,) = result.gaps
    assert (gap.cause, gap.fill, gap.metres) == (Cause.PAUSE, Fill.NONE, 0.0)
    assert result.metres == pytest.approx(2000, abs=5)
    assert result.grade is Grade.C
    assert not result.complete
    assert "6,0 km sem registro" in result.doubts[0].detail


def test_a_silent_middle_makes_the_distance_incomplete_and_the_ride_unfit_as_proof():  # OsmAnd#3923
    ride = along(NOON, 0, 12_000)
    heard = [each for each in ride if not 3500 < (each.t - NOON) * 10 < 8500]

    result = measure(heard)

    (gap,) = result.gaps
    assert gap.fill is Fill.STRAIGHT
    assert gap.straight_metres == pytest.approx(5000, abs=30)
    assert not result.complete
    assert result.grade is Grade.C
    assert any("incompleta" in doubt.detail for doubt in result.doubts)


def test_displacement_is_not_distance():  # qb-taxijob#32
    out = along(NOON, 0, 5000)
    back = [fix(2 * out[-1].t - each.t - NOON + 1, each.lat, each.lon) for each in reversed(out)]

    result = measure([*out, *back])

    assert metres_between(out[0], back[-1]) < 1
    assert result.metres == pytest.approx(10_000, rel=0.005)


def test_a_clock_that_jumped_years_loses_only_its_own_fixes():
    ride = along(NOON, 0, 2000)
    wrong = [Fix(0.0 + each.t - NOON, each.lat, each.lon) for each in ride[:5]]

    result = measure([*wrong, *ride])

    assert {each.reason for each in result.dropped} == {DropReason.CLOCK}
    assert len(result.dropped) == 5
    assert result.metres == measure(ride).metres


def test_a_clock_put_back_by_a_minute_is_no_extra_distance():
    first, second = along(NOON, 0, 2000), along(NOON + 140, 2000, 4000)

    result = measure([*first, *second])

    assert result.metres <= 4100
    assert result.grade is Grade.C


def test_a_mock_position_is_dropped_and_taints_the_ride():
    ride = along(NOON, 0, 3000, speed=10.0)
    mocked = [Fix(ride[9].t + 0.5, -11.2, -62.4, 5.0, 10.0, mock=True)]

    result = measure([*ride, *mocked])

    assert [each.reason for each in result.dropped] == [DropReason.MOCK]
    assert result.metres == measure(ride).metres
    assert (result.grade, result.doubts[0].code) == (Grade.C, DoubtCode.MOCK_FIXES)


def test_of_two_positions_of_one_instant_the_more_accurate_counts():
    ride = along(NOON, 0, 1000)
    rival = Fix(ride[5].t, ride[5].lat + 0.0003, ride[5].lon, accuracy_m=60.0)

    result = measure([rival, *ride])

    assert [(each.fix, each.reason) for each in result.dropped] == [(rival, DropReason.SAME_INSTANT)]


def test_a_cell_tower_position_is_dropped():
    ride = along(NOON, 0, 1000)
    tower = Fix(ride[5].t + 0.5, -11.12, -62.35, accuracy_m=1500.0)

    assert [each.reason for each in measure([*ride, tower]).dropped] == [DropReason.INACCURATE]


def test_late_uploads_are_ordered_by_the_time_of_the_event():  # traccar#4223
    ride = along(NOON, 0, 2000)
    half = len(ride) // 2

    assert measure([*ride[half:], *ride[:half]]) == measure(ride)


def test_an_unmapped_linha_is_measured_by_its_track_and_marked_estimated(roads):  # osrm-backend#5212
    """The tiles hold another town: nothing is mapped here."""
    ride = along(NOON, 0, 8000, speed=10.0)

    result = measure(ride, matcher=roads, roads=roads)

    assert result.metres == pytest.approx(8000, rel=0.005)
    assert {stretch.way for stretch in result.stretches} == {Way.TRACK}
    assert result.grade is Grade.B
    assert any(doubt.code is DoubtCode.OFF_ROAD and "estimada" in doubt.detail for doubt in result.doubts)


def test_one_point_each_two_and_a_half_kilometres_proves_nothing():  # valhalla#6269
    sparse = [fix(225 * i, *east_of(2500 * i)) for i in range(9)]

    result = measure(sparse)

    assert len(result.gaps) == 8
    assert result.metres == pytest.approx(20_000, rel=0.001)
    assert not result.complete
    assert result.grade is Grade.C


def test_a_wandering_signal_at_a_ponto_is_no_movement():  # Tracelet#268
    """45, 55, 48, 52 m from the ponto with 20 m of accuracy, over and over."""
    wandering = [Fix(NOON + 5 * i, *east_of([45, 55, 48, 52][i % 4]), accuracy_m=20.0) for i in range(60)]

    assert measure(wandering).metres == 0


def test_the_odometer_of_campo_grande_stopped_a_quarter_of_an_hour():
    """F103: 7,0 km and 15 min stopped."""
    out = along(NOON, 0, 3500)
    stop = [fix(out[-1].t - NOON + i, out[-1].lat, out[-1].lon) for i in range(1, 901)]
    on = along(stop[-1].t + 1, 3500, 7000)

    result = measure([*out, *stop, *on])

    assert result.metres == pytest.approx(7000, rel=0.005)
    assert result.waiting_seconds == pytest.approx(900, abs=10)
    assert result.slow_seconds >= result.waiting_seconds


def test_time_without_a_record_is_not_waiting():
    arrived = along(NOON, 0, 1000)
    silent = [fix(arrived[-1].t - NOON + after, *east_of(1000)) for after in (1, 20, 40, 340, 360)]

    result = measure([*arrived, *silent])

    assert [(gap.cause, gap.metres) for gap in result.gaps] == [(Cause.STANDING, 0)]
    assert result.waiting_seconds == pytest.approx(60, abs=5)
    assert DoubtCode.SILENT_STANDING in {doubt.code for doubt in result.doubts}


def test_instants_are_the_same_in_every_time_zone():  # moment-timezone#794
    moment = datetime(2026, 12, 1, 1, 30, tzinfo=UTC)

    result = measure([Fix(moment.timestamp(), -11.127, -62.36), Fix(moment.timestamp() + 5, -11.127, -62.3599)])

    assert result.started_at is not None
    for zone in ("America/Porto_Velho", "America/Cuiaba"):
        local = datetime.fromtimestamp(result.started_at, ZoneInfo(zone))
        assert local.isoformat() == "2026-11-30T21:30:00-04:00"

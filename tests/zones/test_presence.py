"""Who is at the ponto: the field reports on stale, jumping, shared and disordered positions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geodata.geodesic import WGS84
from geodata.point import Point
from zones.presence import Arrival, PresenceRules, Sighting, Stay, arrival, keeps_place, signal, stays

PONTO = Point(-11.127, -62.36)
RULES = PresenceRules()
T0 = datetime(2026, 12, 1, 10, tzinfo=UTC)


def away(metres: float) -> Point:
    lon, lat, _ = WGS84.fwd(PONTO.lon, PONTO.lat, 90, metres)
    return Point(lat, lon)


def seen(rider: str, seconds: float, metres: float, accuracy: float = 5) -> Sighting:
    return Sighting(rider, T0 + timedelta(seconds=seconds), away(metres), accuracy)


@pytest.mark.parametrize(("age", "fresh", "text"), [(120, True, "com sinal"), (121, False, "sem sinal há 2 min")])
def test_f014_an_old_position_does_not_choose_the_nearest_rider(age: int, fresh: bool, text: str):
    told = signal(T0, T0 + timedelta(seconds=age), RULES)

    assert (told.fresh, told.text) == (fresh, text)


def test_a_rider_never_seen_has_no_signal():
    assert not signal(None, T0, RULES).fresh


@pytest.mark.parametrize(
    ("metres", "accuracy", "expected"),
    [
        (299, 30, Arrival.CONFIRMED),
        (499, 30, Arrival.DOUBTED),
        (501, 30, Arrival.REFUSED),
        (501, 150, Arrival.DOUBTED),  # poor reception must not lock him out
    ],
)
def test_f019_arrival_is_believed_doubted_or_refused_by_distance(metres: float, accuracy: float, expected: Arrival):
    assert arrival(away(metres), accuracy, PONTO, RULES) is expected


@pytest.mark.parametrize(("minutes", "kept"), [(14, True), (15, True), (16, False)])
def test_f020_a_rider_whose_passenger_cancelled_has_fifteen_minutes_to_be_back(minutes: int, kept: bool):
    assert keeps_place(T0, T0 + timedelta(minutes=minutes), RULES) is kept


def test_f022_each_rider_has_a_state_of_his_own():
    interleaved = [s for i in range(20) for s in (seen("R1", 10 * i, 10), seen("R2", 10 * i, 400))]

    found = stays(interleaved, PONTO, RULES)

    assert found["R1"] == (Stay(T0, None),)
    assert found["R2"] == ()


def test_f043_positions_that_flap_about_the_edge_do_not_make_him_leave():
    flapping = [seen("R1", 5 * i, metres, accuracy=20) for i, metres in enumerate([45, 55, 48, 52])]

    assert stays(flapping, PONTO, RULES)["R1"] == (Stay(T0, None),)


def test_he_has_left_when_he_was_surely_outside_for_a_minute():
    gone = [seen("R1", 0, 10), *(seen("R1", 30 + 10 * i, 200) for i in range(7))]

    assert stays(gone, PONTO, RULES)["R1"] == (Stay(T0, T0 + timedelta(seconds=30)),)
    assert stays(gone[:-1], PONTO, RULES)["R1"] == (Stay(T0, None),)


def test_f044_a_buffered_upload_is_ordered_by_when_things_happened():
    exit_first = [seen("R1", 300 + 30 * i, 200) for i in range(3)] + [seen("R1", 0, 10)]

    (stay,) = stays(exit_first, PONTO, RULES)["R1"]

    assert stay.left_at is not None
    assert stay.length == timedelta(minutes=5)


sightings = st.lists(
    st.builds(
        seen,
        rider=st.sampled_from(["R1", "R2"]),
        seconds=st.integers(0, 3600),
        metres=st.floats(0, 500),
        accuracy=st.floats(1, 60),
    ),
    max_size=30,
    unique_by=lambda sighting: (sighting.rider, sighting.at),
)


@given(sightings, st.randoms())
def test_the_order_of_arrival_changes_nothing_and_stays_do_not_overlap(taken, random):
    shuffled = list(taken)
    random.shuffle(shuffled)

    found = stays(taken, PONTO, RULES)

    assert stays(shuffled, PONTO, RULES) == found
    for own in found.values():
        assert all(a.left_at is not None and a.left_at < b.entered_at for a, b in pairwise(own))


@given(sightings)
def test_one_rider_never_changes_another(taken):
    alone = [sighting for sighting in taken if sighting.rider == "R1"]

    assert stays(taken, PONTO, RULES).get("R1") == stays(alone, PONTO, RULES).get("R1")

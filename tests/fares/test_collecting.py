"""Positions are kept from the acceptance of a ride to its end, and at no other time."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fares.collecting import CLOCK_SKEW, Ride, may_keep, those_of
from fares.meter import Fix

RIDE = Ride(accepted_at=1000.0, finished_at=2000.0)


@pytest.mark.parametrize(
    ("t", "kept"),
    [
        (1000.0 - CLOCK_SKEW - 1, False),
        (1000.0 - CLOCK_SKEW, True),
        (1500.0, True),
        (2000.0 + CLOCK_SKEW, True),
        (2000.0 + CLOCK_SKEW + 1, False),
        (math.nan, False),
        (-math.inf, False),
        (math.inf, False),
    ],
)
def test_the_edges_allow_for_the_phones_clock_and_no_more(t: float, kept: bool):
    assert may_keep(RIDE, t) is kept


def test_a_ride_under_way_has_no_end_yet():
    assert may_keep(Ride(accepted_at=1000.0), 10_000.0)
    assert not may_keep(Ride(accepted_at=1000.0), math.nan)


@given(st.lists(st.floats()), st.floats(0, 1e9), st.none() | st.floats(0, 1e9))
def test_what_is_kept_is_all_of_the_ride_and_only_of_it(times: list[float], accepted: float, finished: float | None):
    ride = Ride(accepted, finished)
    kept = those_of(ride, [Fix(t, 0.0, 0.0) for t in times])

    end = math.inf if finished is None else finished
    assert [fix.t for fix in kept] == [t for t in times if accepted - CLOCK_SKEW <= t <= end + CLOCK_SKEW]

"""The state of a measurement under way: bounds, bytes, and refusals that leave it as it was."""

from __future__ import annotations

import pytest

from fares.meter import Fix, MeterState
from fares.meter.state import BATCH, MOST_FIXES, BatchTooLarge, TrackFull, pack, unpack
from tests.fares.meter.tracks import NOON, along


@pytest.mark.parametrize(
    "fix",
    [
        Fix(NOON + 0.125, -11.1270000001, -62.36),
        Fix(NOON, -11.127, -62.36, 0.0, 0.0),
        Fix(NOON, -11.127, -62.36, None, 3.5, mock=True),
        Fix(NOON, -11.127, -62.36, 8.25, None),
    ],
)
def test_a_fix_survives_its_bytes_exactly(fix: Fix):
    assert unpack(pack(fix)) == fix


def test_adding_says_how_many_fixes_were_new():
    state, ride = MeterState(), along(NOON, 0, 500)

    assert (state.add(ride), state.add(ride), len(state)) == (len(ride), 0, len(ride))


def test_a_batch_beyond_the_limit_is_refused_whole():
    state = MeterState()

    with pytest.raises(BatchTooLarge, match="101 posições"):
        state.add(along(NOON, 0, 10 * BATCH))

    assert len(state) == 0


def test_memory_is_bounded():
    state = MeterState()
    for batch in range(MOST_FIXES // BATCH):
        state.add([Fix(batch * BATCH + i, 0.5, 0.5) for i in range(BATCH)])

    with pytest.raises(TrackFull, match="encerre"):
        state.add([Fix(-1.0, 0.5, 0.5)])

    assert len(state) == MOST_FIXES
    assert len(state.to_bytes()) < 1_000_000


def test_bytes_that_are_no_state_are_refused():
    with pytest.raises(ValueError, match="not a meter"):
        MeterState.from_bytes(b"half a fix")

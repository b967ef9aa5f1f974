"""Map matching: which roads a recorded track was ridden on."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from geodata.geodesic import WGS84
from zones.roads.errors import TrackTooLong

__all__ = [
    "BREAKAGE_METRES",
    "MOST_FIXES",
    "MOST_METRES",
    "Fix",
    "MatchedTrack",
    "check_track",
    "typical_accuracy",
]

MOST_FIXES = 16_000
"""Fixes per track, 4.4 hours at one a second (Valhalla's `service_limits.trace.max_shape`)."""

MOST_METRES = 200_000.0
"""Straight length of a track (Valhalla's `service_limits.trace.max_distance`)."""

BREAKAGE_METRES = 2_000.0
"""A hop longer than this between two fixes is never bridged (`meili.default.breakage_distance`)."""

Fix = tuple[float, float, float, float | None]
"""Latitude, longitude (degrees), time (seconds, any origin), accuracy (metres) or None."""


@dataclass(frozen=True, slots=True)
class MatchedTrack:
    """A track laid on the roads.

    ``pieces`` are the ridden lines, (longitude, latitude), in order; ``metres`` is their geodesic
    length together. ``breaks`` are the stretches not laid on any road, each as (last fix before,
    first fix after): what the matcher could not bridge, and an unmatched beginning or end.
    ``matched`` says of each fix whether it was laid on a road.
    """

    pieces: tuple[tuple[tuple[float, float], ...], ...]
    metres: float
    breaks: tuple[tuple[int, int], ...]
    matched: tuple[bool, ...]


def check_track(fixes: Sequence[Fix]) -> None:
    """Refuse what cannot be matched: ``TrackTooLong`` beyond the limits, ``ValueError`` for fixes
    that are not positions in order of time (cleaning them is the meter's work)."""
    if len(fixes) > MOST_FIXES:
        raise TrackTooLong(f"{len(fixes)} posições", f"{MOST_FIXES} posições")
    lats = [fix[0] for fix in fixes]
    lons = [fix[1] for fix in fixes]
    times = [fix[2] for fix in fixes]
    if not all(map(math.isfinite, (*lats, *lons, *times))):
        raise ValueError("a fix has a coordinate or time that is not finite")
    if any(abs(lat) > 90 for lat in lats) or any(abs(lon) > 180 for lon in lons):
        raise ValueError("a fix lies outside -90..90, -180..180")
    if any(after < before for before, after in pairwise(times)):
        raise ValueError("fixes are not in order of time")
    if len(fixes) > 1 and (metres := WGS84.line_length(lons, lats)) > MOST_METRES:
        raise TrackTooLong(f"{metres / 1000:.0f} km", f"{MOST_METRES / 1000:.0f} km")


def typical_accuracy(fixes: Sequence[Fix]) -> float:
    """Median stated accuracy in metres, within the 5 to 100 m a matcher takes; 10 if none."""
    stated = [fix[3] for fix in fixes if fix[3] is not None and fix[3] > 0]
    return min(100.0, max(5.0, statistics.median(stated))) if stated else 10.0

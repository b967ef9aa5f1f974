"""Tracks for tests: straight rides to the east, and what can be asked of places."""

from __future__ import annotations

from fares.meter import Fix
from geodata.geodesic import WGS84, line_metres

NOON = 1_796_140_800.0  # 2026-12-01T16:00:00Z, noon in Rondônia
START_LAT, START_LON = -11.1270, -62.3600


def fix(seconds: float, lat: float, lon: float, accuracy: float | None = 8.0, speed: float | None = None) -> Fix:
    """A position so many seconds after noon."""
    return Fix(NOON + seconds, lat, lon, accuracy, speed)


def east_of(metres: float) -> tuple[float, float]:
    """Latitude and longitude so far east of the start."""
    lon, lat, _ = WGS84.fwd(START_LON, START_LAT, 90.0, metres)
    return lat, lon


def along(started: float, first: float, last: float, *, speed: float | None = None, pace: float = 10.0) -> list[Fix]:
    """A straight ride to the east from metre ``first`` to metre ``last``, ``pace`` m/s, a fix a second."""
    return [
        Fix(started + i, *east_of(first + pace * i), accuracy_m=5.0, speed_mps=speed)
        for i in range(round((last - first) / pace) + 1)
    ]


def metres_between(a: Fix, b: Fix) -> float:
    return line_metres([(a.lon, a.lat), (b.lon, b.lat)])

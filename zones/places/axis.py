"""Positions along the axis of a linha, measured on the ground (geodesic, WGS 84)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from geodata.geodesic import WGS84
from geodata.point import Point

__all__ = ["position_at"]


def position_at(line: Sequence[tuple[float, float]], metres: float) -> Point | None:
    """The point ``metres`` from the beginning of ``line``; None before it or beyond the end."""
    if metres < 0:
        return None
    left = metres
    for (lon, lat), (next_lon, next_lat) in pairwise(line):
        azimuth, _, segment = WGS84.inv(lon, lat, next_lon, next_lat)
        if left <= segment:
            found_lon, found_lat, _ = WGS84.fwd(lon, lat, azimuth, left)
            return Point(lat=float(found_lat), lon=float(found_lon))
        left -= segment
    return None

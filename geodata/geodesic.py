"""Lengths on the ground: geodesics on the WGS 84 ellipsoid, in metres (a sphere is up to 0.5 % wrong)."""

from __future__ import annotations

from collections.abc import Sequence

from pyproj import Geod

from geodata.point import Point

WGS84 = Geod(ellps="WGS84")


def metres_between(one: Point, other: Point) -> float:
    """The shortest way between two points."""
    return float(WGS84.inv(*one.lonlat, *other.lonlat)[2])


def line_metres(line: Sequence[tuple[float, float]]) -> float:
    """The length of a line of (longitude, latitude) vertices; 0 for fewer than two."""
    return float(WGS84.line_length([lon for lon, _ in line], [lat for _, lat in line]))

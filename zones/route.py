"""A way along the ground between points, and what is known about its length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from geodata.point import Point


class Source(StrEnum):
    """Where a distance comes from (public contract: `distance.source`)."""

    ROAD = "road"
    ESTIMATE = "estimate"
    GIVEN = "given"


@dataclass(frozen=True, slots=True)
class Route:
    """One way through the given stops, in order.

    ``line`` is the geometry as (longitude, latitude) pairs; ``stop_indexes`` says which vertex of it is which stop
    (first 0, last len(line) - 1). ``metres`` is the length to price by, ``low`` and ``high`` bound it (all equal when
    the road is known). ``engine`` names what computed it; ``warnings`` are Portuguese sentences for the reader.
    """

    line: tuple[tuple[float, float], ...]
    stop_indexes: tuple[int, ...]
    metres: float
    low: float
    high: float
    source: Source
    engine: str
    warnings: tuple[str, ...] = ()


class Roads(Protocol):
    """Whatever knows how to get from one point to another by motorcycle."""

    def route(self, stops: Sequence[Point]) -> Route:
        """The way through ``stops`` (two or more). Raises `zones.roads.RoadError` subclasses."""
        ...

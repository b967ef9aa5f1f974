"""The borders of an atlas as one indexed set of edges, to find where a way crosses them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEARLY = 1e-9
"""How far beyond an edge's end, as a part of its length, a crossing still counts: a cut too many
does no harm (both pieces are then in the same zone), a missed one does."""


class Borders:
    """The edges of the rings of ``areas`` (longitude, latitude), in an STRtree."""

    def __init__(self, areas: Sequence[BaseGeometry]) -> None:
        rings = shapely.get_rings(shapely.get_parts(np.asarray(areas, dtype=object)))
        points, ring = shapely.get_coordinates(rings, return_index=True)
        joined = np.flatnonzero(ring[:-1] == ring[1:])
        self._start, self._end = points[joined], points[joined + 1]
        self._tree = shapely.STRtree(_segments(self._start, self._end))

    def crossings(self, vertices: Floats) -> tuple[Ints, Floats]:
        """Where the way through ``vertices`` (n, 2) meets an edge: the segment, and how far
        along it (0 < t < 1)."""
        segment, edge = self._tree.query(_segments(vertices[:-1], vertices[1:]))
        origin, way = vertices[segment], vertices[segment + 1] - vertices[segment]
        side, gap = self._end[edge] - self._start[edge], self._start[edge] - origin
        with np.errstate(divide="ignore", invalid="ignore"):  # parallel: their neighbours cross
            turn = _cross(way, side)
            t, u = _cross(gap, side) / turn, _cross(gap, way) / turn
        met = (t > 0) & (t < 1) & (u >= -NEARLY) & (u <= 1 + NEARLY)
        return segment[met], t[met]


def _segments(starts: Floats, ends: Floats) -> NDArray[np.object_]:
    return np.asarray(shapely.linestrings(np.stack([starts, ends], axis=1)), dtype=object)


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])

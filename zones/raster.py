"""A grid over a map that answers at once wherever no border is near.

Most points lie far from any border, so most cells lie wholly on one side of all of them: those are *settled*, and a
point in one needs no geometry. A cell that a border touches, or that is next to such a cell, is left open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
Box = tuple[float, float, float, float]

SIDE = 256
OPEN = -1
"""The label of a point in no settled cell."""


class Raster:
    """``SIDE`` x ``SIDE`` cells over ``box`` (west, south, east, north, in degrees).

    ``label`` gives the answer at many points as numbers from 0; it is asked once, for the middle of each settled cell.
    ``lines`` are all the borders at which the answer may change. The cell of a point is row `(lat - south) * up` and
    column `(lon - west) * across`, rounded down; ``labels`` is (SIDE, SIDE).
    """

    __slots__ = ("across", "labels", "south", "up", "west")

    def __init__(self, box: Box, lines: Sequence[BaseGeometry], label: Callable[[Floats, Floats], Labels]) -> None:
        self.west, self.south, east, north = box
        self.across, self.up = SIDE / (east - self.west), SIDE / (north - self.south)
        table = np.full((SIDE, SIDE), OPEN, dtype=np.int32)
        row, column = np.nonzero(~self._touched(lines, box))
        lons = np.asarray(self.west + (column + 0.5) / self.across, dtype=np.float64)
        lats = np.asarray(self.south + (row + 0.5) / self.up, dtype=np.float64)
        table[row, column] = label(lons, lats)
        self.labels: Labels = table

    def at_many(self, lons: Floats, lats: Floats) -> Labels:
        """The labels of many finite points; ``OPEN`` for those in no settled cell."""
        column, row = (lons - self.west) * self.across, (lats - self.south) * self.up
        within = (column >= 0) & (column < SIDE) & (row >= 0) & (row < SIDE)
        column, row = np.where(within, column, 0).astype(np.int32), np.where(within, row, 0).astype(np.int32)
        return np.where(within, self.labels[row, column], np.int32(OPEN))

    def _touched(self, lines: Sequence[BaseGeometry], box: Box) -> NDArray[np.bool_]:
        """Cells that a line enters, and their eight neighbours.

        Each line is marked by points at most half a cell apart, so it nowhere leaves the neighbours of their cells.
        """
        west, south, east, north = box
        wide, high = 1 / self.across, 1 / self.up
        near = shapely.clip_by_rect(
            np.asarray(lines, dtype=object), west - wide, south - high, east + wide, north + high
        )
        points = shapely.get_coordinates(shapely.segmentize(near, min(wide, high) / 2))
        frame = 3  # cells around the table, so that no neighbour falls off it
        column = np.floor((points[:, 0] - west) * self.across).astype(np.int64) + frame
        row = np.floor((points[:, 1] - south) * self.up).astype(np.int64) + frame
        marked = np.zeros((SIDE + 2 * frame, SIDE + 2 * frame), dtype=np.bool_)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                marked[row + down, column + right] = True
        return marked[frame:-frame, frame:-frame]

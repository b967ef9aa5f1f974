"""Which of many municipalities a point is in: the neighbours of a town, or the whole country."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from shapely.geometry.base import BaseGeometry

from geodata.point import Point
from zones.regions import TOUCH

NOWHERE = -1
"""The index of a point in none of the areas, and of a NaN."""


class Territory:
    """``areas`` in (longitude, latitude) degrees, each with its name; a point on a shared border is in the first.

    Where areas leave gaps (simplified meshes of different editions do), a point may be in none.
    """

    def __init__(self, names: Sequence[str], areas: Sequence[BaseGeometry]) -> None:
        if len(names) != len(areas):
            raise ValueError("cada área precisa de um nome")
        self.names = tuple(names)
        self._areas = np.asarray(shapely.buffer(np.asarray(areas, dtype=object), TOUCH, join_style="mitre"))
        shapely.prepare(self._areas)
        self._tree = shapely.STRtree(self._areas)

    def locate(self, point: Point) -> str | None:
        """The name of the area around ``point``."""
        index = int(self.locate_many([point.lon], [point.lat])[0])
        return None if index == NOWHERE else self.names[index]

    def locate_many(self, lons: ArrayLike, lats: ArrayLike) -> NDArray[np.int32]:
        """The index in ``names`` of the area around each of many points (one dimension), or ``NOWHERE``."""
        x, y = np.asarray(lons, dtype=float), np.asarray(lats, dtype=float)
        # The tree answers with boxes; the prepared areas then settle it, several times faster than the tree would.
        point, area = self._tree.query(shapely.points(x, y))
        inside = shapely.intersects_xy(self._areas[area], x[point], y[point])
        found = np.full(x.shape, len(self.names), dtype=np.int32)
        np.minimum.at(found, point[inside], area[inside].astype(np.int32))
        found[found == len(self.names)] = NOWHERE
        return found

"""The raster answers only where it cannot be wrong, and it answers nearly everywhere."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import affinity, box

from zones.raster import OPEN, SIDE, Raster

BOX = (-62.5, -11.3, -62.2, -11.0)
RING = shapely.Point(-62.35, -11.15).buffer(0.09)


def label(shape):
    return lambda x, y: shapely.intersects_xy(shape, x, y).astype(np.int32)


@pytest.mark.parametrize(
    "shape",
    [
        RING,
        affinity.rotate(box(-62.45, -11.25, -62.25, -11.05), 33),
        affinity.rotate(box(-62.6, -11.1501, -62.1, -11.1499), 45),  # thinner than a cell, and beyond the box
        box(-62.5, -11.3, -62.35, -11.0),  # along cell borders
        RING.difference(RING.buffer(-0.01)),
    ],
)
def test_no_settled_cell_is_wrong_even_a_hair_from_the_border(shape):
    raster = Raster(BOX, [shape.boundary], label(shape))
    chosen = np.random.default_rng(7)
    on_border = shapely.get_coordinates(shape.boundary.segmentize(1e-5))
    x, y = (on_border + chosen.normal(0, 0.3 / SIDE * 0.3, on_border.shape)).T

    found = raster.at_many(x, y)

    settled = found != OPEN
    assert np.array_equal(found[settled], label(shape)(x, y)[settled])


def test_most_of_a_map_is_settled():
    raster = Raster(BOX, [RING.boundary], label(RING))

    assert (raster.labels == OPEN).mean() < 0.05
    assert set(np.unique(raster.labels).tolist()) == {OPEN, 0, 1}


def test_outside_the_box_nothing_is_settled():
    raster = Raster(BOX, [RING.boundary], label(RING))

    far = raster.at_many(np.array([-62.6, -62.1, -62.35, -62.35, 180.0]), np.array([-11.1, -11.1, -10.9, -11.4, 90.0]))
    assert far.tolist() == [OPEN] * 5

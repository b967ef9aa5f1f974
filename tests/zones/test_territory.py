"""Which municipality a point is in, among neighbours and among thousands."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import box

from geodata.features import read
from geodata.point import Point
from zones import drawn
from zones.atlas import Atlas
from zones.territory import NOWHERE, Territory

ROOT = Path(__file__).parents[2]
CHESS = [box(-62 + i, -12 + j, -61 + i, -11 + j) for j in range(3) for i in range(3)]
TERRITORY = Territory([str(i) for i in range(9)], CHESS)


@pytest.mark.parametrize(
    ("lat", "lon", "name"),
    [
        (-11.5, -61.5, "0"),
        (-9.5, -59.5, "8"),
        (-11.5, -61.0, "0"),
        (-11.0, -61.0, "0"),
        (-9.0, -59.0, "8"),
        (0, 0, None),
    ],
    ids=["inside", "the last", "on a border", "on a corner of four", "on the outer corner", "nowhere"],
)
def test_a_point_is_in_the_first_area_that_covers_it(lat, lon, name):
    assert TERRITORY.locate(Point(lat, lon)) == name


def test_what_is_no_position_is_nowhere():
    assert TERRITORY.locate_many([math.nan, -61.5, math.inf], [-11.5, math.nan, -11.5]).tolist() == [NOWHERE] * 3
    assert TERRITORY.locate_many([], []).tolist() == []


def test_names_and_areas_go_in_pairs():
    with pytest.raises(ValueError, match="nome"):
        Territory(["a"], [])


@given(st.lists(st.tuples(st.floats(-63, -58), st.floats(-13, -8)), min_size=1, max_size=50))
def test_bulk_answers_are_those_of_each_polygon_asked_in_turn(points):
    expected = [next((i for i, a in enumerate(CHESS) if a.distance(shapely.Point(p)) <= 1e-9), NOWHERE) for p in points]

    assert TERRITORY.locate_many(*np.array(points).T).tolist() == expected


@pytest.mark.parametrize("folder", sorted(p.parent for p in ROOT.glob("geodata/*/limit.geojson")), ids=lambda f: f.name)
def test_the_places_just_outside_a_municipality_have_a_neighbours_name(folder):
    neighbours = read(folder / "neighbours.geojson", ["Polygon", "MultiPolygon"])
    territory = Territory([str(f.properties["name"]) for f in neighbours], [f.geometry for f in neighbours])
    limit = Atlas(drawn.perimeters(folder)).limit.geometry
    around = np.array(limit.buffer(0.05).exterior.segmentize(0.02).coords)

    found = territory.locate_many(*around.T)

    assert {territory.names[i] for i in found.tolist() if i != NOWHERE} == set(territory.names)
    assert (found == NOWHERE).mean() < 0.05  # gaps between simplified limits

"""Which zone a point is in: borders, holes, precedence, doubt, and that bulk and single answers are the same."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import MultiPolygon, Polygon, affinity, box

from geodata.point import Point
from laws.norm import Zone
from tests.zones.maps import TOWN, atlas, limit, perimeter, rural, undetermined, urban
from zones.atlas import NOT_A_POSITION, Atlas, AtlasError
from zones.perimeter import Kind, Status
from zones.regions import CHEAPEST_FIRST


def codes(where):
    return [notice.code for notice in where.warnings]


def zone(map_, lat, lon):
    return map_.locate(Point(lat, lon)).zone


TOWN_MAP = atlas(urban(), undetermined())


@pytest.mark.parametrize(
    ("lat", "lon", "expected"),
    [
        (-11.13, -62.35, Zone.URBAN),
        (-11.13, -62.335, Zone.UNDETERMINED),
        (-11.13, -62.3, Zone.RURAL),
        (-11.13, -62.1, Zone.OUTSIDE),
        (-11.13, -62.34, Zone.URBAN),  # F047: on the border, the cheaper for the passenger
        (-11.12, -62.36, Zone.URBAN),  # on a corner
        (-11.15, -62.35, Zone.UNDETERMINED),
        (-11.3, -62.5, Zone.RURAL),  # on the corner of the municipality
        (-11.13, math.nextafter(-62.34, 0), Zone.URBAN),  # a rounding error away from the border
        (-11.13, -62.34 + 2e-9, Zone.UNDETERMINED),
    ],
)
def test_each_zone_and_each_border(lat, lon, expected):
    assert zone(TOWN_MAP, lat, lon) is expected


def test_a_slanted_border_belongs_to_the_cheaper_zone_all_along():
    corner_a, corner_b = (-62.361, -11.147), (-62.3377, -11.1213)
    map_ = atlas(urban(Polygon([corner_a, corner_b, (-62.36, -11.12)])))

    along = np.linspace(0, 1, 1001)[:, None]
    on_border = np.array(corner_a) + along * (np.array(corner_b) - np.array(corner_a))

    assert set(map_.locate_many(*on_border.T)) == {CHEAPEST_FIRST.index(Zone.URBAN)}


def test_a_hole_is_not_in_the_town_but_its_edge_is():
    map_ = atlas(urban(TOWN.difference(box(-62.352, -11.132, -62.348, -11.128))))

    assert zone(map_, -11.13, -62.35) is Zone.RURAL
    assert zone(map_, -11.13, -62.352) is Zone.URBAN
    assert zone(map_, -11.13, -62.355) is Zone.URBAN


def test_several_polygons_make_one_perimeter():
    district = box(-62.25, -11.1, -62.24, -11.09)
    map_ = atlas(urban(MultiPolygon([TOWN, district])))

    assert zone(map_, -11.13, -62.35) is zone(map_, -11.095, -62.245) is Zone.URBAN
    assert zone(map_, -11.095, -62.3) is Zone.RURAL


def test_an_overlap_is_decided_by_precedence_in_whatever_order_the_files_load():
    """F049."""
    district = rural(box(-62.352, -11.15, -62.3, -11.11), name="Distrito", precedence=30)
    orders = [Atlas(order) for order in permutations([limit(), urban(name="Urbana"), district])]

    deciding = [m.locate(Point(-11.13, -62.345)).perimeter for m in orders]
    assert {p and p.name for p in deciding} == {"Distrito"}
    assert {zone(m, -11.13, -62.345) for m in orders} == {Zone.RURAL}
    assert len({m.version for m in orders}) == 1
    assert all("“Distrito” e “Urbana” se sobrepõem" in m.notes[0] for m in orders)
    assert zone(orders[0], -11.13, -62.352) is Zone.URBAN  # on the border between both


def test_an_overlap_of_different_kinds_without_precedence_is_refused():
    with pytest.raises(AtlasError, match="mesma precedência"):
        atlas(urban(precedence=0), rural(box(-62.352, -11.15, -62.3, -11.11), precedence=0))


def test_neighbours_that_only_share_an_edge_need_no_precedence():
    map_ = atlas(urban(precedence=0), rural(box(-62.34, -11.14, -62.3, -11.12), precedence=0))

    assert map_.notes == ()
    assert zone(map_, -11.13, -62.34) is Zone.URBAN


def test_two_perimeters_of_one_kind_may_overlap():
    map_ = atlas(urban(name="a"), urban(box(-62.35, -11.14, -62.33, -11.12), name="b"))

    assert zone(map_, -11.13, -62.345) is zone(map_, -11.13, -62.335) is Zone.URBAN
    assert "se sobrepõem" in map_.notes[0]


def test_a_perimeter_beyond_the_limit_counts_only_within_it():
    map_ = atlas(urban(box(-62.21, -11.14, -62.19, -11.12)))

    assert zone(map_, -11.13, -62.205) is Zone.URBAN
    assert zone(map_, -11.13, -62.195) is Zone.OUTSIDE
    assert "passa do limite" in map_.notes[0]


def test_without_any_perimeter_nothing_is_said_to_be_rural():
    where = atlas().locate(Point(-11.13, -62.35))

    assert where.zone is Zone.UNDETERMINED
    assert codes(where) == ["undetermined_zone", "no_perimeter"]


def test_a_rural_enclave_alone_does_not_make_the_rest_rural():
    map_ = atlas(rural(TOWN))

    assert zone(map_, -11.13, -62.35) is Zone.RURAL
    assert zone(map_, -11.2, -62.4) is Zone.UNDETERMINED


@pytest.mark.parametrize(
    "perimeters",
    [[urban()], [limit(), limit(name="outro")], [limit(), urban(municipality="xx-outro")]],
    ids=["no limit", "two limits", "two municipalities"],
)
def test_what_makes_no_map_is_refused(perimeters):
    with pytest.raises(AtlasError):
        Atlas(perimeters)


def test_an_approximate_perimeter_is_said_to_be_so_in_town_and_country():
    map_ = atlas(urban(status=Status.APPROXIMATE, name="Núcleo"))

    for lon in (-62.35, -62.3):
        where = map_.locate(Point(-11.13, lon))
        assert codes(where) == ["approximate_perimeter"]
        assert "Núcleo" in where.warnings[0].detail
    assert map_.locate(Point(-11.13, -62.35)).status is Status.APPROXIMATE
    assert codes(map_.locate(Point(-11.13, -62.1))) == []


def test_a_point_within_the_precision_of_a_border_is_told_so_on_both_sides():
    map_ = atlas(urban(precision_m=100.0))
    metre = 1 / 109_300  # of longitude at this latitude

    for metres, near in [(-110, False), (-90, True), (0, True), (90, True), (110, False)]:
        where = map_.locate(Point(-11.13, -62.34 + metres * metre))
        assert (codes(where) == ["near_boundary"]) is near, metres
    assert map_.locate(Point(-11.13, -62.35)).precision_m == 100.0


def test_swapped_coordinates_are_recognised():
    """F046."""
    where = TOWN_MAP.locate(Point(lat=-62.36, lon=-11.13))

    assert where.zone is Zone.OUTSIDE
    assert codes(where) == ["swapped_coordinates"]
    assert codes(TOWN_MAP.locate(Point(lat=48.8, lon=2.3))) == []


def test_what_is_no_position_has_no_zone():
    lons = [-62.35, math.nan, -62.35, math.inf, -62.35, -181.0]
    lats = [-11.13, -11.13, math.nan, -11.13, -90.5, -11.13]

    assert TOWN_MAP.locate_many(lons, lats).tolist() == [0, *[NOT_A_POSITION] * 5]


def test_bulk_answers_keep_the_shape_they_are_asked_in():
    lons, lats = np.meshgrid([-62.35, -62.335, -62.3], [-11.13, -20.0])

    assert TOWN_MAP.locate_many(lons, lats).tolist() == [[0, 1, 2], [3, 3, 3]]
    assert TOWN_MAP.locate_many([], []).shape == (0,)
    assert int(TOWN_MAP.locate_many(-62.35, -11.13)) == 0


# Maps of crossing perimeters, with holes, at any scale, and points that favour their vertices and edges.

around = st.tuples(st.floats(-62.45, -62.25), st.floats(-11.25, -11.05))


@st.composite
def shapes(draw):
    middle, size = draw(around), draw(st.sampled_from([0.0005, 0.01, 0.08]))
    corners = draw(st.integers(3, 8))
    shape = affinity.scale(shapely.Point(middle).buffer(size, quad_segs=corners), 1, draw(st.floats(0.2, 3)))
    shape = affinity.rotate(shape, draw(st.floats(0, 360)))
    return shape.difference(affinity.scale(shape, 0.5, 0.5)) if draw(st.booleans()) else shape


@st.composite
def maps(draw):
    drawn = draw(
        st.lists(st.tuples(st.sampled_from([Kind.URBAN, Kind.RURAL, Kind.UNDETERMINED]), shapes()), max_size=4)
    )
    return [
        limit(precision_m=50.0),
        *(
            perimeter(k, s, name=str(i), precedence=i, precision_m=draw(st.sampled_from([None, 30.0])))
            for i, (k, s) in enumerate(drawn)
        ),
    ]


@st.composite
def points_of(draw, perimeters):
    vertices = np.concatenate([shapely.get_coordinates(p.geometry) for p in perimeters])
    a, b = vertices[draw(st.integers(0, len(vertices) - 1))], vertices[draw(st.integers(0, len(vertices) - 1))]
    near = a + draw(st.sampled_from([0.0, 0.5, 1.0])) * (b - a)
    near = near + draw(st.sampled_from([0.0, 1e-12, 1e-8, 1e-4])) * np.array(
        draw(st.tuples(st.floats(-1, 1), st.floats(-1, 1)))
    )
    return draw(st.sampled_from([tuple(near.tolist()), draw(around)]))


def cheapest(perimeters, lon, lat, hair):
    """The cheapest zone found within a hair's breadth of the point: what `Atlas` promises, said slowly."""
    bounds, *rest = sorted(perimeters, key=lambda p: (p.kind is not Kind.LIMIT, -p.precedence))
    left = shapely.Point(lon, lat).buffer(hair).intersection(bounds.geometry)
    found = {Zone.OUTSIDE}
    for p in rest:
        if p.geometry.intersects(left):
            found.add(p.zone)
            left = left.difference(p.geometry)
    if not left.is_empty:
        known = any(p.kind in (Kind.URBAN, Kind.UNDETERMINED) for p in rest)
        found.add(Zone.RURAL if known else Zone.UNDETERMINED)
    return min(map(CHEAPEST_FIRST.index, found))


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_single_and_bulk_answers_are_the_same_and_on_a_border_the_cheapest(data):
    perimeters = data.draw(maps())
    points = data.draw(st.lists(points_of(perimeters), min_size=1, max_size=25))
    map_ = Atlas(perimeters)

    bulk = map_.locate_many(*np.array(points).T)

    for (lon, lat), code in zip(points, bulk.tolist(), strict=True):
        where = map_.locate(Point(lat, lon))
        exact = map_._locate_near_border(Point(lat, lon))
        assert where == exact  # the raster never differs from the geometry
        assert CHEAPEST_FIRST[code] is where.zone
        assert cheapest(perimeters, lon, lat, 6e-9) <= code <= cheapest(perimeters, lon, lat, 5e-10)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_the_order_of_loading_changes_nothing(data):
    perimeters = data.draw(maps())
    shuffled = data.draw(st.permutations(perimeters))
    points = np.array(data.draw(st.lists(points_of(perimeters), min_size=1, max_size=25))).T

    one, other = Atlas(perimeters), Atlas(shuffled)

    assert one.version == other.version
    assert one.locate_many(*points).tolist() == other.locate_many(*points).tolist()

"""Cutting a way at the perimeters: nothing is lost, no direction or order matters, borders are cheap."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from geopy.distance import geodesic
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shapely import Polygon, box

from laws.norm import Zone
from tests.zones.maps import TOWN, atlas, limit, rural, undetermined, urban
from zones.atlas import Atlas
from zones.regions import CHEAPEST_FIRST
from zones.route import Route, Source
from zones.split import ZoneLeg, length, split, split_route, whole_metres

TOWN_MAP = atlas(urban())
MILLIMETRE = 0.001


def zones(legs):
    return [leg.zone.value for leg in legs]


def straight(a, b):
    return geodesic(a[::-1], b[::-1]).meters


def test_a_way_out_of_town_and_out_of_the_municipality():
    way = [(-62.35, -11.13), (-62.3, -11.13), (-62.1, -11.13)]

    legs = split(TOWN_MAP, way)

    assert zones(legs) == ["urban", "rural", "outside"]
    assert [leg.metres for leg in legs] == pytest.approx(
        [
            straight((-62.35, -11.13), (-62.34, -11.13)),
            straight((-62.34, -11.13), (-62.2, -11.13)),
            straight((-62.2, -11.13), (-62.1, -11.13)),
        ],
        abs=MILLIMETRE,
    )
    assert [leg.stop for leg in legs] == [False, False, True]
    assert legs[0].line[-1] == legs[1].line[0]
    assert np.array(legs[1].line) == pytest.approx(np.array([(-62.34, -11.13), (-62.3, -11.13), (-62.2, -11.13)]))


def test_the_band_between_the_rings_is_a_leg_of_its_own():
    legs = split(atlas(urban(), undetermined()), [(-62.35, -11.13), (-62.3, -11.13)])

    assert zones(legs) == ["urban", "undetermined", "rural"]


def test_a_way_that_crosses_many_times():
    zigzag = [(-62.34 + (-1) ** i * 0.001, -11.139 + i * 0.0005) for i in range(30)]

    legs = split(TOWN_MAP, zigzag)

    # Each stroke but the first and last halves crosses the border once.
    assert zones(legs) == [("rural", "urban")[i % 2] for i in range(30)]
    assert math.fsum(leg.metres for leg in legs) == pytest.approx(length(zigzag), abs=MILLIMETRE)


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ([(-62.34, -11.15), (-62.34, -11.11)], ["rural", "urban", "rural"]),
        ([(-62.34, -11.138), (-62.34, -11.122)], ["urban"]),
        ([(-62.34, -11.13), (-62.3, -11.13)], ["rural"]),
        ([(-62.34, -11.13), (-62.35, -11.13)], ["urban"]),
        ([(-62.35, -11.13), (-62.34, -11.13), (-62.34, -11.125), (-62.35, -11.125)], ["urban"]),
        ([(-62.35, -11.11), (-62.33, -11.13)], ["rural"]),
        ([(-62.35, -11.11), (-62.34, -11.12), (-62.33, -11.11)], ["rural"]),
        ([(-62.36, -11.14), (-62.34, -11.12)], ["urban"]),
    ],
    ids=[
        "along, from beyond to beyond",
        "along",
        "from the border outwards",
        "from the border inwards",
        "out to the border and back",
        "touching a corner in passing",
        "touching a corner with a vertex",
        "corner to corner",
    ],
)
def test_ways_on_the_border(way, expected):
    assert zones(split(TOWN_MAP, way)) == expected
    assert zones(split(TOWN_MAP, way[::-1])) == expected[::-1]


def test_along_a_slanted_border_the_way_is_in_the_cheaper_zone():
    corner_a, corner_b = (-62.361, -11.147), (-62.3377, -11.1213)
    map_ = atlas(urban(Polygon([corner_a, corner_b, (-62.36, -11.12)])))
    along = [tuple(xy) for xy in np.linspace(corner_a, corner_b, 37).tolist()]

    assert zones(split(map_, along)) == ["urban"]
    assert zones(split(map_, [corner_b, corner_a])) == ["urban"]


def test_a_sliver_between_two_zones_goes_to_the_cheaper_from_either_end():
    sliver = box(-62.34, -11.14, -62.34 + 8e-8, -11.12)  # 9 mm, of which the borders' own width takes part
    map_ = atlas(urban(), undetermined(sliver))
    way = [(-62.345, -11.13), (-62.335, -11.13)]

    out, back = split(map_, way), split(map_, way[::-1])

    assert zones(out) == zones(back)[::-1] == ["urban", "rural"]
    assert out[0].metres == pytest.approx(back[1].metres, abs=1e-6)
    assert out[0].line[-1][0] > -62.34 + 7e-8


def test_a_hole_is_crossed():
    map_ = atlas(urban(TOWN.difference(box(-62.352, -11.132, -62.348, -11.128))))

    assert zones(split(map_, [(-62.358, -11.13), (-62.342, -11.13)])) == ["urban", "rural", "urban"]


def test_a_loop_is_counted_each_time_round():
    ring = [(-62.345, -11.13), (-62.335, -11.13), (-62.335, -11.125), (-62.345, -11.125)]

    legs = split(TOWN_MAP, [*ring, *ring, ring[0]])

    assert zones(legs) == ["urban", "rural", "urban", "rural", "urban"]
    assert legs[1].metres == pytest.approx(legs[3].metres, abs=MILLIMETRE)


def test_repeated_vertices_change_nothing():
    way = [(-62.35, -11.13), (-62.34, -11.13), (-62.3, -11.13)]
    stuttering = [vertex for vertex in way for _ in range(3)]

    legs, plain = split(TOWN_MAP, stuttering), split(TOWN_MAP, way)

    assert zones(legs) == zones(plain)
    assert [leg.metres for leg in legs] == pytest.approx([leg.metres for leg in plain])


def test_a_way_that_goes_nowhere_is_one_leg_of_no_length():
    here = (-62.35, -11.13)

    assert split(TOWN_MAP, [here, here]) == (ZoneLeg(Zone.URBAN, 0.0, (here, here), stop=True),)


def test_legs_break_at_stops_and_say_so():
    way = [(-62.355, -11.13), (-62.35, -11.13), (-62.345, -11.13), (-62.33, -11.13), (-62.32, -11.13)]

    legs = split(TOWN_MAP, way, [0, 1, 3, 4])

    assert zones(legs) == ["urban", "urban", "rural", "rural"]
    assert [leg.stop for leg in legs] == [True, False, True, True]


def test_two_stops_at_one_place_still_make_two_stops():
    a, b = (-62.35, -11.13), (-62.345, -11.13)

    legs = split(TOWN_MAP, [a, b, b], [0, 1, 2])

    assert [(leg.stop, leg.metres > 0) for leg in legs] == [(True, True), (True, False)]


def test_a_route_is_split_at_its_own_stops():
    line = ((-62.355, -11.13), (-62.35, -11.13), (-62.345, -11.13))
    route = Route(line, (0, 1, 2), 1300.0, 1200.0, 1400.0, Source.ESTIMATE, "teste")

    assert [leg.stop for leg in split_route(TOWN_MAP, route)] == [True, True]


@pytest.mark.parametrize(
    ("way", "stops"),
    [
        ([(-62.35, -11.13)], []),
        ([], []),
        ([(-62.35, -11.13), (-62.35, math.nan)], []),
        ([(-62.35, -11.13, 190.0), (-62.3, -11.13, 190.0)], []),
        ([(-62.35, -11.13), (-62.3, -11.13)], [1, 0]),
        ([(-62.35, -11.13), (-62.3, -11.13)], [0, 2]),
    ],
)
def test_what_is_no_way_is_refused(way, stops):
    with pytest.raises(ValueError, match=r"trajeto|paradas"):
        split(TOWN_MAP, way, stops)


def test_a_long_segment_is_cut_where_the_border_is():
    """Ninety kilometres in one segment: the cut is true to centimetres, the sum to the millimetre."""
    map_ = Atlas([limit(box(-63, -12, -62, -11)), urban(box(-62.9, -11.9, -62.5, -11.5))])
    way = [(-62.8, -11.8), (-62.2, -11.2)]

    town, country = split(map_, way)

    assert town.metres == pytest.approx(straight((-62.8, -11.8), (-62.5, -11.5)), abs=0.05)
    assert town.metres + country.metres == pytest.approx(straight(*way), abs=MILLIMETRE)


# Properties. Ways lean on the lattice the maps are drawn on, so that borders, corners and vertices are often met.

lattice = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(
    lambda ij: (-62.38 + ij[0] * 0.005, -11.16 + ij[1] * 0.005)
)
anywhere = st.tuples(st.floats(-62.55, -62.15), st.floats(-11.35, -10.95))
ways = st.lists(st.one_of(lattice, anywhere), min_size=2, max_size=12)
CROSSED = (
    urban(TOWN.difference(box(-62.355, -11.135, -62.35, -11.13)), name="sede"),
    urban(Polygon([(-62.335, -11.14), (-62.325, -11.135), (-62.335, -11.12)]), name="distrito"),
    rural(box(-62.345, -11.125, -62.335, -11.115), precedence=30),
    undetermined(),
)
CROSSED_MAP = atlas(*CROSSED)


def by_zone(legs):
    total = dict.fromkeys(CHEAPEST_FIRST, 0.0)
    for leg in legs:
        total[leg.zone] += leg.metres
    return [total[zone] for zone in CHEAPEST_FIRST]


@settings(max_examples=60, deadline=None)
@given(ways, st.data())
def test_the_legs_add_up_to_the_way_and_join_end_to_end(way, data):
    stops = sorted(data.draw(st.sets(st.integers(0, len(way) - 1))))

    legs = split(CROSSED_MAP, way, stops)

    oracle = math.fsum(straight(a, b) for a, b in pairwise(way))
    assert math.fsum(leg.metres for leg in legs) == pytest.approx(oracle, abs=MILLIMETRE)
    assert (legs[0].line[0], legs[-1].line[-1]) == (way[0], way[-1])
    assert all(a.line[-1] == b.line[0] for a, b in pairwise(legs))
    assert sum(leg.stop for leg in legs) == len({*stops, 0, len(way) - 1}) - 1
    assert all(a.zone is not b.zone or a.stop for a, b in pairwise(legs))
    assert all(length(leg.line) == pytest.approx(leg.metres, abs=0.05) for leg in legs)


@settings(max_examples=60, deadline=None)
@given(ways)
def test_the_way_back_has_the_same_legs_in_reverse(way):
    out, back = split(CROSSED_MAP, way), split(CROSSED_MAP, way[::-1])

    assert zones(out) == zones(back)[::-1]
    assert [leg.metres for leg in out] == pytest.approx([leg.metres for leg in back][::-1], abs=MILLIMETRE)


@settings(max_examples=15, deadline=None)
@given(ways, st.permutations(CROSSED))
def test_the_order_in_which_perimeters_load_changes_nothing(way, shuffled):
    assert split(atlas(*shuffled), way) == split(CROSSED_MAP, way)


@settings(max_examples=100, deadline=None)
@given(ways)
def test_the_legs_agree_with_points_sampled_along_the_way(way):
    total = length(way)
    assume(total > 100)
    steps = 4000
    line = np.array(way)
    share = (np.arange(steps) + 0.5) / steps
    reach = np.concatenate([[0], np.cumsum([straight(a, b) for a, b in pairwise(way)])])
    along = share * reach[-1]
    segment = np.clip(np.searchsorted(reach, along, side="right") - 1, 0, len(way) - 2)
    part = (along - reach[segment]) / np.where(np.diff(reach) > 0, np.diff(reach), 1)[segment]
    sampled = line[segment] + part[:, None] * (line[segment + 1] - line[segment])

    count = np.bincount(CROSSED_MAP.locate_many(*sampled.T), minlength=4)

    legs = split(CROSSED_MAP, way)
    # Each border met moves the count by less than one sample.
    slack = (len(legs) + 1) / steps * total
    assert by_zone(legs) == pytest.approx((count / steps * total).tolist(), abs=slack)


@settings(max_examples=200)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_whole_metres_keep_the_sum_and_stay_within_a_metre(lengths):
    whole = whole_metres(lengths)

    assert sum(whole) == math.floor(math.fsum(lengths) + 0.5)
    assert all(abs(w - exact) < 1 + 1e-6 for w, exact in zip(whole, lengths, strict=True))


@settings(max_examples=200)
@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=30), st.floats(0, 1e6))
def test_whole_metres_of_a_given_total_keep_that_total(lengths, total):
    whole = whole_metres(lengths, total)

    assert sum(whole) == math.floor(total + 0.5)
    assert min(whole) >= 0


def test_whole_metres_by_example():
    assert whole_metres([0.5, 0.5, 0.0]) == (1, 0, 0)
    assert whole_metres([100.4, 200.4, 300.4]) == (101, 200, 300)
    assert whole_metres([1.0, 2.0], total=6.0) == (2, 4)
    assert whole_metres([0.0, 0.0]) == (0, 0)
    assert whole_metres([]) == ()


@pytest.mark.parametrize(
    ("lengths", "total"), [([0.0], 10.0), ([-1.0, 2.0], None), ([math.nan], None), ([1.0], math.inf), ([1.0], -1.0)]
)
def test_lengths_that_cannot_be_shared_out_are_refused(lengths, total):
    with pytest.raises(ValueError, match="comprimento"):
        whole_metres(lengths, total)

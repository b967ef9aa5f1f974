"""From two points to a fare: town and country, the way back, stops, beyond the limit, estimates."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fares.quotes import QuoteOrder, SwappedPoint, price_between
from fares.tariffs import open_lawbook
from fares.trip import Direction, Zone
from geodata.point import Point
from laws.norm import Status
from tests.zones.maps import atlas, urban
from zones.atlas import Atlas
from zones.drawn import perimeters
from zones.roads.estimate import EstimateRoads, load_detour
from zones.route import Route, Source

ROOT = Path(__file__).parents[2]
SLUG = "ro-urupa"
SQUARE = Point(-11.1249, -62.3653)
NEAR = Point(-11.126, -62.366)
FARM = Point(-11.05, -62.45)
OTHER_FARM = Point(-11.06, -62.44)
NEXT_TOWN = Point(-10.88, -61.95)
AT = datetime(2026, 12, 1, 10, tzinfo=ZoneInfo("America/Porto_Velho"))


@pytest.fixture(scope="module")
def quote():
    book = open_lawbook(ROOT / "laws")
    atlas = Atlas(perimeters(ROOT / "geodata" / SLUG))
    roads = EstimateRoads(load_detour(ROOT / "geodata", SLUG))

    def price(origin: Point, destination: Point, **facts):
        return price_between(QuoteOrder(SLUG, origin, destination, AT, **facts), book, atlas, roads)

    return price


class StraightInTown:
    """A road that ends 5 m short of the point asked for, as roads do."""

    def route(self, stops):
        line = (stops[0].lonlat, (-62.34001, stops[1].lat))
        return Route(line, (0, 1), 1000.0, 1000.0, 1000.0, Source.ROAD, "rua", ())


@pytest.fixture
def border_quote():
    at_the_gate = Point(-11.13, -62.33995)
    order = QuoteOrder(SLUG, Point(-11.13, -62.35), at_the_gate, AT)
    return price_between(order, open_lawbook(ROOT / "laws"), atlas(urban()), StraightInTown())


def codes(priced) -> set[str]:
    return {warning.code for warning in priced.fare.warnings}


def test_in_town_the_fare_is_the_single_one_and_the_estimate_does_not_blur_it(quote):
    priced = quote(SQUARE, NEAR)

    assert priced.fare.total == priced.fare.low == priced.fare.high == 700
    assert not priced.fare.exact  # the perimeter has no legal value
    assert priced.distance.source is Source.ESTIMATE
    assert {"approximate_perimeter", "distance_estimated"} <= codes(priced)


def test_to_the_country_an_estimated_distance_gives_a_range_that_holds_the_total(quote):
    fare = quote(SQUARE, FARM).fare

    assert not fare.exact
    assert fare.low < fare.total < fare.high
    assert fare.readings_low <= fare.low
    assert fare.high <= fare.readings_high


def test_the_legs_add_up_to_the_distance_and_start_and_end_where_they_should(quote):
    priced = quote(SQUARE, FARM)

    assert sum(leg.metres for leg in priced.legs) == priced.distance.metres
    assert [leg.zone for leg in priced.legs] == [Zone.URBAN, Zone.UNDETERMINED, Zone.RURAL]
    assert priced.distance.low < priced.distance.metres < priced.distance.high


def test_the_way_back_on_the_same_motorcycle_is_ridden_the_other_way(quote):
    priced = quote(SQUARE, FARM, same_vehicle_return=True)
    out = [leg for leg in priced.legs if leg.direction is Direction.OUTBOUND]
    back = [leg for leg in priced.legs if leg.direction is Direction.RETURN]

    assert [leg.zone for leg in back] == [leg.zone for leg in reversed(out)]
    assert sum(leg.metres for leg in back) == sum(leg.metres for leg in out)
    assert priced.fare.total > quote(SQUARE, FARM).fare.total


def test_a_pickup_in_the_country_is_priced_by_analogy_and_says_so(quote):
    priced = quote(FARM, SQUARE)

    assert priced.fare.total == quote(SQUARE, FARM).fare.total
    assert "gap" in codes(priced)


def test_a_destination_just_off_the_road_is_in_its_own_zone(border_quote):
    """The way stays in town, the farm gate is a step beyond the perimeter: the trip is to the country."""
    priced = border_quote

    assert [leg.zone for leg in priced.legs] == [Zone.URBAN]
    assert priced.fare.total == 700
    assert priced.fare.exact
    assert "rural_km" in {clause for reading in priced.fare.readings for clause in reading.choices}


def test_a_stop_breaks_the_way_but_its_end_is_no_stop(quote):
    priced = quote(SQUARE, FARM, stops=(OTHER_FARM,))

    assert [leg.stop for leg in priced.legs].count(True) == 1
    assert not priced.legs[-1].stop
    assert sum(leg.metres for leg in priced.legs) == priced.distance.metres


@pytest.mark.parametrize("ends", [(SQUARE, NEXT_TOWN), (NEXT_TOWN, SQUARE), (Point(48.85, 2.35), Point(48.86, 2.36))])
def test_beyond_the_municipality_there_is_no_price_and_no_way_is_sought(quote, ends):
    priced = quote(*ends)

    assert priced.fare.status is Status.OUT_OF_SCOPE
    assert priced.fare.total is None
    assert priced.fare.reasons[0].citation
    assert priced.distance is None


def test_a_stop_beyond_the_municipality_is_out_of_scope_too(quote):
    assert quote(SQUARE, NEAR, stops=(NEXT_TOWN,), same_vehicle_return=True).fare.status is Status.OUT_OF_SCOPE


def test_both_points_equal_cost_the_boarding_and_are_pointed_out(quote):
    priced = quote(SQUARE, SQUARE)

    assert priced.fare.total == 700
    assert priced.distance.metres == 0
    assert "same_point" in codes(priced)


def test_a_round_trip_to_a_stop_is_no_equal_point(quote):
    assert "same_point" not in codes(quote(SQUARE, SQUARE, stops=(FARM,)))


@pytest.mark.parametrize(
    ("place", "points"),
    [
        ("origin", {"origin": Point(-62.3653, -11.1249), "destination": FARM}),
        ("destination", {"origin": SQUARE, "destination": Point(-62.45, -11.05)}),
        ("stops.0", {"origin": SQUARE, "destination": FARM, "stops": (Point(-62.45, -11.05),)}),
    ],
)
def test_swapped_coordinates_are_refused_by_name(quote, place, points):
    with pytest.raises(SwappedPoint, match="latitude e longitude") as refused:
        quote(**points)

    assert refused.value.place == place


def test_two_passengers_are_refused_before_any_price(quote):
    fare = quote(SQUARE, FARM, passengers=2).fare

    assert fare.status is Status.PROHIBITED
    assert fare.total is None
    assert fare.low is None


inside = st.builds(Point, lat=st.floats(-11.16, -11.09), lon=st.floats(-62.42, -62.3))


@settings(max_examples=40, deadline=None)
@given(origin=inside, destination=inside)
def test_any_two_points_inside_give_a_fare_within_its_own_range(quote, origin, destination):
    priced = quote(origin, destination)
    fare = priced.fare

    assert fare.low <= fare.total <= fare.high
    assert sum(line.amount for line in fare.lines) == fare.total
    assert sum(leg.metres for leg in priced.legs) == priced.distance.metres

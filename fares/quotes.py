"""From two points on the map to an honest fare: the way, cut by zone, priced under the law of its day.

Pure: the caller gives the atlas, the roads, the lawbook and the clock. Storing a quote, and proving later that it was
not changed, is `fares.frozen`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from fares.fare import Caution, Fare
from fares.tariffs import fare
from fares.trip import Direction, Item, Leg, Trip, Zone
from geodata.point import Point
from laws.loader import LawBook
from zones.atlas import Atlas, Location
from zones.route import Roads, Route, Source
from zones.split import ZoneLeg, split_route, whole_metres


class SwappedPoint(ValueError):
    """A point that would be in the municipality with latitude and longitude exchanged; ``place`` names the field."""

    def __init__(self, place: str, point: Point) -> None:
        super().__init__(
            f"o ponto ({point.lat}, {point.lon}) está longe do município, mas ({point.lon}, {point.lat}) está nele; "
            "confira se latitude e longitude não foram trocadas"
        )
        self.place = place


@dataclass(frozen=True, slots=True)
class QuoteOrder:
    """What is asked: where from and to, through which stops, and who and what rides."""

    municipality: str
    origin: Point
    destination: Point
    depart_at: datetime
    stops: tuple[Point, ...] = ()
    same_vehicle_return: bool = False
    passengers: int = 1
    passenger_age: int | None = None
    parcel_only: bool = False
    items: tuple[Item, ...] = ()

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.origin, *self.stops, self.destination)


@dataclass(frozen=True, slots=True)
class QuoteLeg:
    """A stretch of the way in one zone: whole metres that add up to the distance, and its (lon, lat) pairs."""

    zone: Zone
    metres: int
    direction: Direction
    stop: bool
    line: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Distance:
    """How far, in whole metres, within which bounds, and how it is known."""

    metres: int
    low: int
    high: int
    source: Source
    engine: str


@dataclass(frozen=True, slots=True)
class Priced:
    """A quote before it is frozen. ``distance`` is None where no way was sought: an end lies outside."""

    fare: Fare
    legs: tuple[QuoteLeg, ...]
    distance: Distance | None
    atlas_version: str


def price_between(order: QuoteOrder, lawbook: LawBook, atlas: Atlas, roads: Roads) -> Priced:
    """The fare between two points.

    Where the distance is an estimate the fare is a range: from the one of its lower bound to the one of its upper.
    A fare that rests on a perimeter without legal value is never exact.
    Raises ``SwappedPoint``, `zones.roads.errors.RoadError` where no way is known, `laws.loader.UnknownMunicipality`
    and `fares.trip.FactMissing`.
    """
    places = [_located(atlas, order, i) for i in range(len(order.points))]
    if any(place.zone is Zone.OUTSIDE for place in places):
        return _outside(order, lawbook, atlas, places)
    ways = [(Direction.OUTBOUND, roads.route(order.points))]
    if order.same_vehicle_return:
        ways.append((Direction.RETURN, roads.route((order.destination, order.origin))))
    cut = [(direction, way, split_route(atlas, way)) for direction, way in ways]
    legs = _legs(cut, [way.metres for _, way in ways])
    ends = (places[0].zone, places[-1].zone)
    priced = fare(lawbook, order.municipality, _trip(order, legs, ends))
    if any(way.low != way.high for _, way in ways):
        priced = _ranged(priced, order, lawbook, cut, ends)
    cautions = [*_said_of_places(places), *_said_of_ways(way for _, way in ways), *_said_of_order(order)]
    certain = not any(caution.code == "approximate_perimeter" for caution in cautions)
    priced = replace(priced, exact=priced.exact and certain, warnings=(*priced.warnings, *_once(cautions)))
    return Priced(priced, legs, _distance(ways, legs), atlas.version)


def _located(atlas: Atlas, order: QuoteOrder, index: int) -> Location:
    point = order.points[index]
    if atlas.swapped(point):
        last = len(order.points) - 1
        place = "origin" if index == 0 else "destination" if index == last else f"stops.{index - 1}"
        raise SwappedPoint(place, point)
    return atlas.locate(point)


def _outside(order: QuoteOrder, lawbook: LawBook, atlas: Atlas, places: Sequence[Location]) -> Priced:
    """No way is sought for a trip that the municipality's law does not reach: its ends say enough."""
    legs = [Leg(place.zone, 0) for place in places]
    if order.same_vehicle_return:
        legs.append(Leg(places[0].zone, 0, Direction.RETURN))
    priced = fare(lawbook, order.municipality, _facts(order, tuple(legs)))
    return Priced(priced, (), None, atlas.version)


Cut = Sequence[tuple[Direction, Route, tuple[ZoneLeg, ...]]]


def _legs(cut: Cut, lengths: Sequence[float]) -> tuple[QuoteLeg, ...]:
    """The ways cut by zone, each scaled to the given length in whole metres."""
    legs: list[QuoteLeg] = []
    for (direction, _, pieces), length in zip(cut, lengths, strict=True):
        drawn = [piece.metres for piece in pieces]
        metres = whole_metres(drawn, length if sum(drawn) else None)
        last = len(pieces) - 1
        legs += [
            QuoteLeg(piece.zone, whole, direction, piece.stop and i != last, piece.line)
            for i, (piece, whole) in enumerate(zip(pieces, metres, strict=True))
        ]
    return tuple(legs)


Ends = tuple[Zone, Zone]
"""The zones of the two points themselves, which the way on the road may just miss."""


def _trip(order: QuoteOrder, legs: tuple[QuoteLeg, ...], ends: Ends) -> Trip:
    """The trip to price: it begins and ends in the zones of the points asked for, if only for 0 m."""
    out = [Leg(leg.zone, leg.metres, leg.direction, leg.stop) for leg in legs if leg.direction is Direction.OUTBOUND]
    back = [Leg(leg.zone, leg.metres, leg.direction) for leg in legs if leg.direction is Direction.RETURN]
    if out[0].zone is not ends[0]:
        out.insert(0, Leg(ends[0], 0))
    if out[-1].zone is not ends[1]:
        out.append(Leg(ends[1], 0))
    return _facts(order, (*out, *back))


def _facts(order: QuoteOrder, legs: tuple[Leg, ...]) -> Trip:
    return Trip(
        started_at=order.depart_at,
        legs=legs,
        same_vehicle_return=order.same_vehicle_return,
        passengers=order.passengers,
        passenger_age=order.passenger_age,
        parcel_only=order.parcel_only,
        items=order.items,
    )


def _ranged(priced: Fare, order: QuoteOrder, lawbook: LawBook, cut: Cut, ends: Ends) -> Fare:
    """The fare with the range that its distance leaves open."""
    bounds = [
        fare(lawbook, order.municipality, _trip(order, _legs(cut, lengths), ends))
        for lengths in ([way.low for _, way, _ in cut], [way.high for _, way, _ in cut])
    ]
    lows = [f.low for f in (priced, *bounds) if f.low is not None]
    highs = [f.high for f in (priced, *bounds) if f.high is not None]
    spans = [v for f in (priced, *bounds) for v in (f.readings_low, f.readings_high) if v is not None]
    low, high = min(lows, default=None), max(highs, default=None)
    return replace(
        priced,
        low=low,
        high=high,
        exact=priced.exact and low == high,
        readings_low=min(spans, default=None),
        readings_high=max(spans, default=None),
    )


def _distance(ways: Sequence[tuple[Direction, Route]], legs: Sequence[QuoteLeg]) -> Distance:
    estimated = any(way.source is Source.ESTIMATE for _, way in ways)
    metres = sum(leg.metres for leg in legs)
    return Distance(
        metres=metres,
        low=min(metres, round(sum(way.low for _, way in ways))),
        high=max(metres, round(sum(way.high for _, way in ways))),
        source=Source.ESTIMATE if estimated else ways[0][1].source,
        engine=", ".join(dict.fromkeys(way.engine for _, way in ways)),
    )


def _said_of_places(places: Iterable[Location]) -> list[Caution]:
    return [Caution(notice.code, notice.detail) for place in places for notice in place.warnings]


def _said_of_ways(ways: Iterable[Route]) -> list[Caution]:
    cautions = []
    for way in ways:
        code = "distance_estimated" if way.source is Source.ESTIMATE else "road"
        cautions += [Caution(code, warning) for warning in way.warnings]
    return cautions


def _said_of_order(order: QuoteOrder) -> list[Caution]:
    if len(set(order.points)) > 1:
        return []
    detail = "Origem e destino são o mesmo ponto; confira o destino antes de chamar."
    return [Caution("same_point", detail)]


def _once(cautions: Iterable[Caution]) -> tuple[Caution, ...]:
    return tuple(dict.fromkeys(cautions))

"""The hires a trip is made of, the zones of their ends, and the metres a rate runs over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from fares.trip import FactMissing, Leg, Trip
from laws.norm import Direction, Scope, Surface, Zone, district_key


class Hire(NamedTuple):
    """One hire of one motorcycle, with what conditions ask about computed once.

    ``origin`` is the zone of the first leg, ``destination`` that of the last outbound one; ``touched`` are the zones
    in which some distance is ridden; ``partial_km`` says that some leg is not a whole number of kilometres; ``stops``
    are the zones of stops asked for, ``surfaces`` those ridden on; ``crosses_again`` says that the
    way out leaves town and enters it again.
    """

    legs: tuple[Leg, ...]
    origin: Zone | None
    destination: Zone | None
    touched: frozenset[Zone]
    metres: int
    returns: bool
    partial_km: bool
    stops: frozenset[Zone]
    surfaces: frozenset[Surface]
    crosses_again: bool


def hires_of(trip: Trip, return_after_stop: frozenset[Zone] = frozenset()) -> tuple[Hire, ...]:
    """The hires of a trip: a return on another motorcycle is a second one, ridden outbound.

    ``return_after_stop`` names the zones in which a stop the passenger asked for turns what follows into the way
    back. Raises ``FactMissing`` when the trip says it returns on the same vehicle but has no leg back.
    """
    if not trip.same_vehicle_return:
        out = tuple(leg for leg in trip.legs if leg.direction is Direction.OUTBOUND)
        back = tuple(leg for leg in trip.legs if leg.direction is Direction.RETURN)
        second = tuple(replace(leg, direction=Direction.OUTBOUND) for leg in back)
        return tuple(_hire(trip, legs) for legs in (out, second) if legs) or (_hire(trip, ()),)
    legs = _turned_after_stop(trip.legs, return_after_stop)
    if trip.boarded and not any(leg.direction is Direction.RETURN for leg in legs):
        raise FactMissing("legs.direction", "same_vehicle_return sem trecho de volta")
    return (_hire(trip, legs),)


def _turned_after_stop(legs: tuple[Leg, ...], zones: frozenset[Zone]) -> tuple[Leg, ...]:
    turned, result = False, []
    for leg in legs:
        result.append(replace(leg, direction=Direction.RETURN) if turned else leg)
        turned = turned or (leg.stop and leg.zone in zones)
    return tuple(result)


def _hire(trip: Trip, legs: tuple[Leg, ...]) -> Hire:
    touched, stops, surfaces = set(), set(), set()
    metres, partial, destination, back = 0, False, None, False
    out_of_town = crosses_again = False
    for leg in legs:
        if leg.metres:
            touched.add(leg.zone)
            surfaces.add(leg.surface)
            metres += leg.metres
            partial = partial or leg.metres % 1000 != 0
        if leg.stop:
            stops.add(leg.zone)
        if leg.direction is Direction.OUTBOUND:
            crosses_again = crosses_again or (out_of_town and leg.zone is Zone.URBAN)
            out_of_town = out_of_town or (destination is Zone.URBAN and leg.zone is not Zone.URBAN)
            destination = leg.zone
        else:
            back = True
    return Hire(
        legs=legs,
        origin=legs[0].zone if legs else None,
        destination=destination,
        touched=frozenset(touched),
        metres=metres,
        returns=trip.same_vehicle_return and back,
        partial_km=partial,
        stops=frozenset(stops),
        surfaces=frozenset(surfaces),
        crosses_again=crosses_again,
    )


def metres_over(hire: Hire, scope: Scope, districts: Mapping[str, str]) -> int:
    """The metres of a hire that a rate with this scope runs over."""
    zones, direction, surface, codes = scope.zones, scope.direction, scope.surface, scope.codes
    metres = 0
    for leg in _after_town(hire.legs) if scope.after_town else hire.legs:
        if (
            (zones is None or leg.zone in zones)
            and (direction is None or leg.direction is direction)
            and (surface is None or leg.surface is surface)
            and (codes is None or zone_of(leg.zone_code, districts) in codes)
        ):
            metres += leg.metres
    return metres


def _after_town(legs: tuple[Leg, ...]) -> tuple[Leg, ...]:
    """What is ridden after the trip first leaves the urban zone; nothing if it never was in it."""
    was_urban = False
    for i, leg in enumerate(legs):
        if was_urban and leg.zone is not Zone.URBAN:
            return legs[i:]
        was_urban = was_urban or leg.zone is Zone.URBAN
    return ()


def zone_of(name: str | None, districts: Mapping[str, str]) -> str | None:
    """The tariff's zone of a district, by any of its names; the name itself where the tariff lists none."""
    if name is None:
        return None
    return districts.get(district_key(name)) if districts else name


class Scene(NamedTuple):
    """What a line is measured on: a hire, the hour band it falls in, the tariff's names of districts."""

    hire: Hire
    trip: Trip
    window: str | None
    districts: Mapping[str, str]

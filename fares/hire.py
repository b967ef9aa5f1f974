"""What a tariff's conditions see of a trip: its hires, the zones of their ends, the metres in each scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fares.trip import FactMissing, Leg, Trip
from laws.norm import Direction, Guard, Scope, Zone, district_key


@dataclass(frozen=True, slots=True)
class Hire:
    """One hire of one motorcycle, with what conditions ask about computed once.

    ``origin`` is the zone of the first leg, ``destination`` that of the last outbound one.
    """

    trip: Trip
    legs: tuple[Leg, ...]
    origin: Zone | None
    destination: Zone | None
    touched: frozenset[Zone]
    metres: int
    returns: bool


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
    outbound = [leg for leg in legs if leg.direction is Direction.OUTBOUND] or list(legs)
    return Hire(
        trip=trip,
        legs=legs,
        origin=legs[0].zone if legs else None,
        destination=outbound[-1].zone if legs else None,
        touched=frozenset(leg.zone for leg in legs if leg.metres),
        metres=sum(leg.metres for leg in legs),
        returns=trip.same_vehicle_return and any(leg.direction is Direction.RETURN for leg in legs),
    )


def metres_over(hire: Hire, scope: Scope, districts: Mapping[str, str]) -> int:
    """The metres of a hire that a rate with this scope runs over."""
    legs = _after_town(hire.legs) if scope.after_town else hire.legs
    return sum(leg.metres for leg in legs if _in_scope(leg, scope, districts))


def _in_scope(leg: Leg, scope: Scope, districts: Mapping[str, str]) -> bool:
    return (
        (scope.zones is None or leg.zone in scope.zones)
        and (scope.direction is None or leg.direction is scope.direction)
        and (scope.surface is None or leg.surface is scope.surface)
        and (scope.codes is None or zone_of(leg.zone_code, districts) in scope.codes)
    )


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


@dataclass(frozen=True, slots=True)
class Circumstances:
    """A hire in its hour band, before a tariff's conditions. ``districts`` are the tariff's names of zones."""

    hire: Hire
    window: str | None
    districts: Mapping[str, str]

    def meet(self, guards: tuple[Guard, ...], citation: str) -> bool:
        """Whether one of several alternative conditions holds.

        Raises ``FactMissing`` when a condition asks for a fact the trip does not state; ``citation`` says whose.
        """
        return any(
            _who(guard, self.hire.trip, citation)
            and _where(guard, self.hire)
            and _how_far(guard, self.hire)
            and (guard.windows is None or self.window in guard.windows)
            and _in_districts(guard, self.hire.trip, self.districts, citation)
            for guard in guards
        )


def _who(guard: Guard, trip: Trip, citation: str) -> bool:
    if guard.boarded is not None and trip.boarded is not guard.boarded:
        return False
    if guard.parcel_only is not None and trip.parcel_only is not guard.parcel_only:
        return False
    if guard.passengers_from is not None and trip.passengers < guard.passengers_from:
        return False
    if guard.passengers_to is not None and trip.passengers > guard.passengers_to:
        return False
    if guard.age_below is not None and (trip.passenger_age is None or trip.passenger_age >= guard.age_below):
        return False
    if guard.waited is not None and guard.waited is not (trip.waiting_seconds > 0):
        return False
    if guard.items_other_than is not None and all(
        item.item_class in guard.items_other_than or not item.count for item in trip.items
    ):
        return False
    if guard.category is not None and trip.category is None:
        raise FactMissing("category", citation)
    return guard.category is None or trip.category in guard.category


def _where(guard: Guard, hire: Hire) -> bool:
    if guard.touches is not None and hire.touched.isdisjoint(guard.touches):
        return False
    if guard.origin is not None and hire.origin not in guard.origin:
        return False
    if guard.destination is not None and hire.destination not in guard.destination:
        return False
    if guard.same_vehicle_return is not None and guard.same_vehicle_return is not hire.returns:
        return False
    if guard.surface is not None and not any(leg.metres and leg.surface is guard.surface for leg in hire.legs):
        return False
    return guard.stop_in is None or any(leg.stop and leg.zone in guard.stop_in for leg in hire.legs)


def _how_far(guard: Guard, hire: Hire) -> bool:
    if guard.moved is not None and guard.moved is not (hire.metres > 0):
        return False
    if guard.km_above is not None and hire.metres <= guard.km_above:
        return False
    if guard.km_up_to is not None and hire.metres > guard.km_up_to:
        return False
    return guard.partial_km is None or guard.partial_km is any(leg.metres % 1000 for leg in hire.legs)


def _in_districts(guard: Guard, trip: Trip, districts: Mapping[str, str], citation: str) -> bool:
    if guard.origin_code is not None and _end(trip, "origin_zone_code", districts, citation) not in guard.origin_code:
        return False
    if (
        guard.destination_code is not None
        and _end(trip, "destination_zone_code", districts, citation) not in guard.destination_code
    ):
        return False
    if guard.either_code is None:
        return True
    destination = _end(trip, "destination_zone_code", districts, citation)
    return not guard.either_code.isdisjoint({destination, zone_of(trip.origin_zone_code, districts)})


def _end(trip: Trip, field: str, districts: Mapping[str, str], citation: str) -> str | None:
    name = getattr(trip, field)
    if name is None:
        raise FactMissing(field, citation)
    return zone_of(name, districts)

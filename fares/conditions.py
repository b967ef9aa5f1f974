"""When a rule holds: the conditions of a norm, prepared once and then asked of one shape of hire after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from fares.hire import Hire, zone_of
from fares.trip import FactMissing, Trip
from laws.norm import Guard, Surface, Zone


class Shape(NamedTuple):
    """All that a condition may ask of a hire. Hires of one shape meet the same conditions, so answers are kept by it.

    ``metres`` is the exact distance where a norm asks for it and None where it does not, or no two shapes would be
    equal. ``items`` are the classes of things carried.
    """

    window: str | None
    boarded: bool
    returns: bool
    origin: Zone | None
    destination: Zone | None
    touched: frozenset[Zone]
    stops: frozenset[Zone]
    surfaces: frozenset[Surface]
    moved: bool
    partial_km: bool
    crosses_again: bool
    metres: int | None
    parcel_only: bool
    passengers: int
    passenger_age: int | None
    waited: bool
    ended: bool
    category: str | None
    items: frozenset[str]
    origin_code: str | None
    destination_code: str | None


def shape_of(hire: Hire, trip: Trip, window: str | None, exact: bool) -> Shape:
    """The shape of a hire in an hour band; ``exact`` asks for its distance too."""
    return Shape(
        window,
        trip.boarded,
        hire.returns,
        hire.origin,
        hire.destination,
        hire.touched,
        hire.stops,
        hire.surfaces,
        hire.metres > 0,
        hire.partial_km,
        hire.crosses_again,
        hire.metres if exact else None,
        trip.parcel_only,
        trip.passengers,
        trip.passenger_age,
        trip.waiting_seconds > 0,
        trip.ended_at is not None,
        trip.category,
        frozenset([item.item_class for item in trip.items if item.count]) if trip.items else _NOTHING,
        trip.origin_zone_code,
        trip.destination_zone_code,
    )


_NOTHING: frozenset[str] = frozenset()

Check = Callable[[Shape], bool]
Condition = Callable[[Shape], bool]
"""Raises ``FactMissing`` when the answer depends on a fact the trip does not state."""


def condition(guards: tuple[Guard, ...], citation: str, districts: Mapping[str, str]) -> Condition:
    """The condition that one of ``guards`` holds; ``citation`` names the provision that asks, ``districts`` the
    tariff's names of zones."""
    alternatives = tuple(tuple(_checks(guard, citation, districts)) for guard in guards)
    if len(alternatives) == 1:
        return _all(alternatives[0])
    either = tuple(_all(checks) for checks in alternatives)

    def any_of(shape: Shape) -> bool:
        for met in either:  # noqa: SIM110 - the engine's inner loop: a generator costs twice as much
            if met(shape):
                return True
        return False

    return any_of


def _all(checks: tuple[Check, ...]) -> Condition:
    if len(checks) == 1:
        return checks[0]

    def all_of(shape: Shape) -> bool:
        for check in checks:  # noqa: SIM110 - as above
            if not check(shape):
                return False
        return True

    return all_of


def _checks(guard: Guard, citation: str, districts: Mapping[str, str]) -> list[Check]:
    """The checks of a guard's stated fields; those that may lack a fact come last."""
    checks = [*_about_the_hire(guard), *_about_the_way(guard), *_about_the_load(guard)]
    if guard.windows is not None:
        windows = guard.windows
        checks.append(lambda shape: shape.window in windows)
    return [*checks, *_about_names(guard, citation, districts)]


def _about_the_hire(guard: Guard) -> list[Check]:
    checks: list[Check] = []
    if (boarded := guard.boarded) is not None:
        checks.append(lambda shape: shape.boarded is boarded)
    if (returns := guard.same_vehicle_return) is not None:
        checks.append(lambda shape: shape.returns is returns)
    if (origin := guard.origin) is not None:
        checks.append(lambda shape: shape.origin in origin)
    if (destination := guard.destination) is not None:
        checks.append(lambda shape: shape.destination in destination)
    if (touches := guard.touches) is not None:
        checks.append(lambda shape: not touches.isdisjoint(shape.touched))
    return checks


def _about_the_way(guard: Guard) -> list[Check]:
    checks: list[Check] = []
    if (moved := guard.moved) is not None:
        checks.append(lambda shape: shape.moved is moved)
    if (above := guard.km_above) is not None:
        checks.append(lambda shape: shape.metres is not None and shape.metres > above)
    if (up_to := guard.km_up_to) is not None:
        checks.append(lambda shape: shape.metres is not None and shape.metres <= up_to)
    if (partial := guard.partial_km) is not None:
        checks.append(lambda shape: shape.partial_km is partial)
    if (crosses_again := guard.crosses_again) is not None:
        checks.append(lambda shape: shape.crosses_again is crosses_again)
    if (surface := guard.surface) is not None:
        checks.append(lambda shape: surface in shape.surfaces)
    if (stop_in := guard.stop_in) is not None:
        checks.append(lambda shape: not stop_in.isdisjoint(shape.stops))
    return checks


def _about_the_load(guard: Guard) -> list[Check]:
    checks: list[Check] = []
    if (parcel_only := guard.parcel_only) is not None:
        checks.append(lambda shape: shape.parcel_only is parcel_only)
    if (fewest := guard.passengers_from) is not None:
        checks.append(lambda shape: shape.passengers >= fewest)
    if (most := guard.passengers_to) is not None:
        checks.append(lambda shape: shape.passengers <= most)
    if (age := guard.age_below) is not None:
        checks.append(lambda shape: shape.passenger_age is not None and shape.passenger_age < age)
    if (waited := guard.waited) is not None:
        checks.append(lambda shape: shape.waited is waited)
    if (ended := guard.ended) is not None:
        checks.append(lambda shape: shape.ended is ended)
    if (carried := guard.carries) is not None:
        checks.append(lambda shape: not carried.isdisjoint(shape.items))
    if (allowed := guard.items_other_than) is not None:
        checks.append(lambda shape: bool(shape.items - allowed))
    return checks


def _about_names(guard: Guard, citation: str, districts: Mapping[str, str]) -> list[Check]:
    checks: list[Check] = []
    if (categories := guard.category) is not None:
        checks.append(lambda shape: _stated(shape.category, "category", citation) in categories)
    if (origins := guard.origin_code) is not None:
        checks.append(lambda shape: _origin(shape, citation, districts) in origins)
    if (destinations := guard.destination_code) is not None:
        checks.append(lambda shape: _destination(shape, citation, districts) in destinations)
    if (either := guard.either_code) is not None:
        checks.append(
            lambda shape: (
                _destination(shape, citation, districts) in either or _origin(shape, citation, districts) in either
            )
        )
    return checks


def _origin(shape: Shape, citation: str, districts: Mapping[str, str]) -> str | None:
    return zone_of(_stated(shape.origin_code, "origin_zone_code", citation), districts)


def _destination(shape: Shape, citation: str, districts: Mapping[str, str]) -> str | None:
    return zone_of(_stated(shape.destination_code, "destination_zone_code", citation), districts)


def _stated(fact: str | None, field: str, citation: str) -> str:
    if fact is None:
        raise FactMissing(field, citation)
    return fact

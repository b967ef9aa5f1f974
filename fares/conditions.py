"""When a rule holds: the conditions of a norm, prepared once and then asked of one hire after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fares.hire import Hire, zone_of
from fares.trip import FactMissing, Trip
from laws.norm import Guard


@dataclass(frozen=True, slots=True)
class Scene:
    """What a condition is asked of: a hire, the hour band it falls in, the tariff's names of districts."""

    hire: Hire
    trip: Trip
    window: str | None
    districts: Mapping[str, str]


Check = Callable[[Scene], bool]
Condition = Callable[[Scene], bool]
"""Raises ``FactMissing`` when the answer depends on a fact the trip does not state."""


def condition(guards: tuple[Guard, ...], citation: str) -> Condition:
    """The condition that one of ``guards`` holds; ``citation`` names the provision that asks."""
    alternatives = tuple(tuple(_checks(guard, citation)) for guard in guards)
    if len(alternatives) == 1:
        return _all(alternatives[0])
    either = tuple(_all(checks) for checks in alternatives)

    def any_of(scene: Scene) -> bool:
        for met in either:  # noqa: SIM110 - the engine's inner loop: a generator costs twice as much
            if met(scene):
                return True
        return False

    return any_of


def _all(checks: tuple[Check, ...]) -> Condition:
    if len(checks) == 1:
        return checks[0]

    def all_of(scene: Scene) -> bool:
        for check in checks:  # noqa: SIM110 - as above
            if not check(scene):
                return False
        return True

    return all_of


def _checks(guard: Guard, citation: str) -> list[Check]:
    """The checks of a guard's stated fields; those that may lack a fact come last."""
    checks = [*_about_the_hire(guard), *_about_the_way(guard), *_about_the_load(guard)]
    if guard.windows is not None:
        windows = guard.windows
        checks.append(lambda scene: scene.window in windows)
    return [*checks, *_about_names(guard, citation)]


def _about_the_hire(guard: Guard) -> list[Check]:
    checks: list[Check] = []
    if (boarded := guard.boarded) is not None:
        checks.append(lambda scene: scene.trip.boarded is boarded)
    if (returns := guard.same_vehicle_return) is not None:
        checks.append(lambda scene: scene.hire.returns is returns)
    if (origin := guard.origin) is not None:
        checks.append(lambda scene: scene.hire.origin in origin)
    if (destination := guard.destination) is not None:
        checks.append(lambda scene: scene.hire.destination in destination)
    if (touches := guard.touches) is not None:
        checks.append(lambda scene: not touches.isdisjoint(scene.hire.touched))
    return checks


def _about_the_way(guard: Guard) -> list[Check]:
    checks: list[Check] = []
    if (moved := guard.moved) is not None:
        checks.append(lambda scene: (scene.hire.metres > 0) is moved)
    if (above := guard.km_above) is not None:
        checks.append(lambda scene: scene.hire.metres > above)
    if (up_to := guard.km_up_to) is not None:
        checks.append(lambda scene: scene.hire.metres <= up_to)
    if (partial := guard.partial_km) is not None:
        checks.append(lambda scene: scene.hire.partial_km is partial)
    if (surface := guard.surface) is not None:
        checks.append(lambda scene: any(leg.metres and leg.surface is surface for leg in scene.hire.legs))
    if (stop_in := guard.stop_in) is not None:
        checks.append(lambda scene: any(leg.stop and leg.zone in stop_in for leg in scene.hire.legs))
    return checks


def _about_the_load(guard: Guard) -> list[Check]:
    checks: list[Check] = []
    if (parcel_only := guard.parcel_only) is not None:
        checks.append(lambda scene: scene.trip.parcel_only is parcel_only)
    if (fewest := guard.passengers_from) is not None:
        checks.append(lambda scene: scene.trip.passengers >= fewest)
    if (most := guard.passengers_to) is not None:
        checks.append(lambda scene: scene.trip.passengers <= most)
    if (age := guard.age_below) is not None:
        checks.append(lambda scene: scene.trip.passenger_age is not None and scene.trip.passenger_age < age)
    if (waited := guard.waited) is not None:
        checks.append(lambda scene: (scene.trip.waiting_seconds > 0) is waited)
    if (ended := guard.ended) is not None:
        checks.append(lambda scene: (scene.trip.ended_at is not None) is ended)
    if (carried := guard.carries) is not None:
        checks.append(lambda scene: any(i.count and i.item_class in carried for i in scene.trip.items))
    if (allowed := guard.items_other_than) is not None:
        checks.append(lambda scene: any(i.count and i.item_class not in allowed for i in scene.trip.items))
    return checks


def _about_names(guard: Guard, citation: str) -> list[Check]:
    checks: list[Check] = []
    if (categories := guard.category) is not None:
        checks.append(lambda scene: _stated(scene.trip.category, "category", citation) in categories)
    if (origins := guard.origin_code) is not None:
        checks.append(lambda scene: _origin(scene, citation) in origins)
    if (destinations := guard.destination_code) is not None:
        checks.append(lambda scene: _destination(scene, citation) in destinations)
    if (either := guard.either_code) is not None:
        checks.append(lambda scene: _destination(scene, citation) in either or _origin(scene, citation) in either)
    return checks


def _origin(scene: Scene, citation: str) -> str | None:
    return zone_of(_stated(scene.trip.origin_zone_code, "origin_zone_code", citation), scene.districts)


def _destination(scene: Scene, citation: str) -> str | None:
    return zone_of(_stated(scene.trip.destination_zone_code, "destination_zone_code", citation), scene.districts)


def _stated(fact: str | None, field: str, citation: str) -> str:
    if fact is None:
        raise FactMissing(field, citation)
    return fact

"""A measured ride priced: the way by zone, and the fare of it under the law of its day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from fares.fare import Caution, Fare
from fares.meter import Fix, Grade, Matcher, Measurement, legs_by_zone, measure, zone_legs
from fares.tariffs import fare
from fares.trip import Item, Leg, Trip
from laws.loader import LawBook
from zones.atlas import Atlas
from zones.route import Roads

__all__ = ["Metered", "RideFacts", "TrackOrder", "meter", "priced"]


@dataclass(frozen=True, slots=True)
class RideFacts:
    """What the fixes of a ride do not tell."""

    passengers: int = 1
    passenger_age: int | None = None
    parcel_only: bool = False
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class TrackOrder:
    """What a phone recorded of a ride, and what its fixes do not tell."""

    municipality: str
    fixes: Sequence[Fix]
    facts: RideFacts = RideFacts()


@dataclass(frozen=True, slots=True)
class Metered:
    """A ride measured and priced. ``fare`` is None where no fix could be used: there is no ride to price."""

    measurement: Measurement
    legs: tuple[Leg, ...]
    fare: Fare | None
    atlas_version: str


def meter(
    order: TrackOrder, lawbook: LawBook, atlas: Atlas, matcher: Matcher | None = None, roads: Roads | None = None
) -> Metered:
    """Measure a ride, cut it at the perimeters and price it.

    Raises `laws.loader.UnknownMunicipality`, and `fares.trip.FactMissing` for a fact that the norm needs.
    """
    return priced(order, measure(order.fixes, matcher=matcher, roads=roads), lawbook, atlas)


def priced(order: TrackOrder, measurement: Measurement, lawbook: LawBook, atlas: Atlas) -> Metered:
    """Cut at the perimeters and price what ``measurement`` found of ``order``.

    Raises what `meter` raises.
    """
    zone = lawbook.municipality(order.municipality).zone_info
    legs = legs_by_zone(zone_legs(measurement, atlas)) or _standing(measurement, atlas)
    due = None
    if legs:
        due = fare(lawbook, order.municipality, _trip(order.facts, measurement, legs, zone))
        due = replace(due, warnings=(*due.warnings, *_cautions(measurement)))
    return Metered(measurement, legs, due, atlas.version)


def local(instant: float, zone: ZoneInfo) -> datetime:
    """Seconds since 1970 as the municipality's local time."""
    return datetime.fromtimestamp(instant, UTC).astimezone(zone)


def _standing(measurement: Measurement, atlas: Atlas) -> tuple[Leg, ...]:
    """A ride that went nowhere happened where it stood."""
    if measurement.place is None:
        return ()
    return (Leg(atlas.locate(measurement.place).zone, 0),)


def _trip(facts: RideFacts, measurement: Measurement, legs: tuple[Leg, ...], zone: ZoneInfo) -> Trip:
    assert measurement.started_at is not None
    assert measurement.ended_at is not None
    return Trip(
        started_at=local(measurement.started_at, zone),
        ended_at=local(measurement.ended_at, zone),
        legs=legs,
        waiting_seconds=measurement.waiting_seconds,
        slow_seconds=measurement.slow_seconds,
        passengers=facts.passengers,
        passenger_age=facts.passenger_age,
        parcel_only=facts.parcel_only,
        items=facts.items,
    )


def _cautions(measurement: Measurement) -> tuple[Caution, ...]:
    """What the reader must know before relying on a fare by the meter."""
    found = [Caution("direction_not_measured", "O rastro não distingue ida e volta: tudo foi contado como ida.")]
    if not measurement.complete:
        found.append(Caution("distance_incomplete", "Há trecho sem registro: a distância real é maior que a contada."))
    if measurement.grade is Grade.C:
        found.append(Caution("measurement_inconclusive", "Medição grau C: não serve de prova da distância."))
    return tuple(found)

"""The facts of a trip, as a tariff may ask for them.

Lengths are integer metres, durations integer seconds, money integer centavos. The engine derives nothing it was not
told: which zone a leg runs in, and how long it is, are facts (`zones` supplies them for a quote between two points).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from laws.norm import Direction, Evidence, Surface, Zone

__all__ = ["Direction", "Evidence", "FactMissing", "Item", "Leg", "Surface", "Trip", "Zone"]


class FactMissing(Exception):
    """The norm needs a fact that the trip does not state.

    ``field`` is the name of the missing fact in the public contract, ``citation`` the article that asks for it.
    """

    def __init__(self, field: str, citation: str) -> None:
        super().__init__(f"the norm needs the fact {field!r} ({citation})")
        self.field = field
        self.citation = citation


@dataclass(frozen=True, slots=True)
class Leg:
    """A stretch of the trip inside one zone, in one direction.

    ``metres`` may be 0: such a leg only says where the trip begins or ends (at the perimeter, for example).
    ``stop`` means that the passenger asked to stop at the end of this leg.
    ``zone_code`` names the district, for tariffs by district. ``started_at`` matters only where the norm chooses
    the hour band leg by leg.
    """

    zone: Zone
    metres: int
    direction: Direction = Direction.OUTBOUND
    stop: bool = False
    surface: Surface = Surface.PAVED
    zone_code: str | None = None
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """Things carried: ``item_class`` as the norm names it, and how many."""

    item_class: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Trip:
    """One hire, from boarding to the last alighting.

    ``started_at`` and ``ended_at`` carry the municipality's time zone. ``same_vehicle_return`` says that the legs
    marked `return` are ridden on the same motorcycle under the same hire; return legs without it are a second hire.
    ``boarded`` False is a call that never became a trip.
    """

    started_at: datetime
    legs: tuple[Leg, ...] = ()
    same_vehicle_return: bool = False
    boarded: bool = True
    passengers: int = 1
    passenger_age: int | None = None
    parcel_only: bool = False
    waiting_seconds: int = 0
    slow_seconds: int = 0
    category: str | None = None
    items: tuple[Item, ...] = ()
    origin_zone_code: str | None = None
    destination_zone_code: str | None = None
    radius_metres: int | None = None
    agreed: int | None = None
    ended_at: datetime | None = None
    evidence: dict[Evidence, date] = field(default_factory=dict)

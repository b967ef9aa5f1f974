"""Who is at the ponto, by positions that jump about: each rider on his own, in the order things happened.

Pure. A position never decides a rider's turn: presence is declared; this says what positions confirm or contradict.
Thresholds are each municipality's; the defaults are what mature public systems use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from geodata.geodesic import metres_between
from geodata.point import Point


@dataclass(frozen=True, slots=True)
class PresenceRules:
    """When positions mean something. Lengths in metres."""

    radius: float = 50.0
    """Within this of the ponto a rider is at it."""

    leaves_after: timedelta = timedelta(seconds=60)
    """He has left only when every position for this long was surely outside."""

    fresh_for: timedelta = timedelta(seconds=120)
    """An older position says nothing of where he is now."""

    arrival_warns_from: float = 300.0
    arrival_refused_from: float = 500.0
    """How far from the passenger "I have arrived" is doubted, and refused without the operator's word."""

    useless_accuracy: float = 100.0
    """A position this vague refuses nobody: bad reception must not lock a rider out."""

    place_kept_for: timedelta = timedelta(minutes=15)
    """How long a rider whose passenger cancelled has to come back to his former place."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One position of one rider, when it was taken (not when it arrived here)."""

    rider: str
    at: datetime
    point: Point
    accuracy: float


@dataclass(frozen=True, slots=True)
class Stay:
    """A time spent at the ponto; ``left_at`` is None while it lasts."""

    entered_at: datetime
    left_at: datetime | None

    @property
    def length(self) -> timedelta | None:
        return None if self.left_at is None else self.left_at - self.entered_at


def stays(sightings: Iterable[Sighting], ponto: Point, rules: PresenceRules) -> Mapping[str, tuple[Stay, ...]]:
    """The stays of each rider at ``ponto``, from sightings of any riders in any order.

    A sighting within the radius is inside; one beyond the radius and its own accuracy is surely outside; one between
    changes nothing. A stay ends at the first of the sure sightings outside that go on for ``leaves_after``.
    """
    by_rider: dict[str, list[Sighting]] = {}
    for sighting in sorted(sightings, key=lambda sighting: sighting.at):
        by_rider.setdefault(sighting.rider, []).append(sighting)
    return {rider: _stays(own, ponto, rules) for rider, own in by_rider.items()}


def _stays(ordered: list[Sighting], ponto: Point, rules: PresenceRules) -> tuple[Stay, ...]:
    found: list[Stay] = []
    entered: datetime | None = None
    out_since: datetime | None = None
    for sighting in ordered:
        away = metres_between(sighting.point, ponto)
        if away <= rules.radius:
            entered, out_since = entered or sighting.at, None
        elif entered is not None and away > rules.radius + sighting.accuracy:
            out_since = out_since or sighting.at
            if sighting.at - out_since >= rules.leaves_after:
                found.append(Stay(entered, out_since))
                entered = out_since = None
    if entered is not None:
        found.append(Stay(entered, None))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Signal:
    """Whether a rider's last position may choose him for being near, and what the boards say of it."""

    fresh: bool
    text: str


def signal(last_at: datetime | None, now: datetime, rules: PresenceRules) -> Signal:
    """How much the last position still says. A rider without signal keeps his turn at the ponto: he declared it."""
    if last_at is None:
        return Signal(False, "sem sinal")
    age = now - last_at
    if age <= rules.fresh_for:
        return Signal(True, "com sinal")
    return Signal(False, f"sem sinal há {int(age.total_seconds() // 60)} min")


class Arrival(StrEnum):
    """What becomes of "I have arrived"."""

    CONFIRMED = "confirmed"
    DOUBTED = "doubted"
    REFUSED = "refused"


def arrival(rider: Point, accuracy: float, pickup: Point, rules: PresenceRules) -> Arrival:
    """Whether a rider may be at the pickup: doubted is recorded with a warning, refused needs the operator."""
    away = metres_between(rider, pickup)
    if away <= rules.arrival_warns_from:
        return Arrival.CONFIRMED
    if away <= rules.arrival_refused_from or accuracy > rules.useless_accuracy:
        return Arrival.DOUBTED
    return Arrival.REFUSED


def keeps_place(left_at: datetime, back_at: datetime, rules: PresenceRules) -> bool:
    """Whether a rider sent out by a call that came to nothing is back in time for his former place.

    Leaving the ponto to fetch a passenger is not leaving the queue: only the clock decides.
    """
    return back_at - left_at <= rules.place_kept_for

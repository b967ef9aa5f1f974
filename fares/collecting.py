"""Which positions of a rider may be kept at all: those of a ride, from its acceptance to its end, and no other.

Where somebody is when he carries nobody is nobody's business: in the queue his ponto is known, not his position.
Source: LGPD, art. 6, III (necessity).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fares.meter import Fix

__all__ = ["CLOCK_SKEW", "Ride", "may_keep", "those_of"]

CLOCK_SKEW = 120.0
"""Seconds by which a phone's clock may differ from ours before its positions are taken for another time's."""


@dataclass(frozen=True, slots=True)
class Ride:
    """When a ride was accepted and, once it is over, finished: seconds since 1970, by the server's clock."""

    accepted_at: float
    finished_at: float | None = None


def may_keep(ride: Ride, t: float) -> bool:
    """Whether a position of the instant ``t``, by the phone's clock, belongs to the ride. NaN belongs to none."""
    if not t >= ride.accepted_at - CLOCK_SKEW:
        return False
    return ride.finished_at is None or t <= ride.finished_at + CLOCK_SKEW


def those_of(ride: Ride, fixes: Iterable[Fix]) -> list[Fix]:
    """The fixes that may be kept, in the order they came."""
    return [fix for fix in fixes if may_keep(ride, fix.t)]

"""The measured way cut at the perimeters, as legs that the engine can price."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from fares.meter.measurement import Measurement
from fares.trip import Direction, Leg
from zones.atlas import Atlas
from zones.split import ZoneLeg, split, whole_metres

__all__ = ["legs_by_zone", "zone_legs"]


def zone_legs(measurement: Measurement, atlas: Atlas) -> tuple[ZoneLeg, ...]:
    """The way by zone, in order, stretch by stretch."""
    return tuple(leg for stretch in measurement.stretches for leg in split(atlas, stretch.line))


def legs_by_zone(legs: Sequence[ZoneLeg], direction: Direction = Direction.OUTBOUND) -> tuple[Leg, ...]:
    """Legs in whole metres that add up to the whole, neighbours in one zone joined.

    A track does not say which part of it is the way back: that is a fact of the hire, and the caller's to state.
    """
    joined = [(zone, math.fsum(leg.metres for leg in same)) for zone, same in groupby(legs, key=lambda leg: leg.zone)]
    metres = whole_metres([length for _, length in joined])
    return tuple(Leg(zone, each, direction) for (zone, _), each in zip(joined, metres, strict=True))

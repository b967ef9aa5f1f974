"""The measured way cut at the perimeters, as legs that the engine can price."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from fares.meter.distance import LonLat, Stretch
from fares.meter.measurement import Measurement
from fares.trip import Direction, Leg
from zones.atlas import Atlas
from zones.split import ZoneLeg, split, whole_metres

__all__ = ["legs_by_zone", "zone_legs"]


def zone_legs(measurement: Measurement, atlas: Atlas) -> tuple[ZoneLeg, ...]:
    """The way by zone, in order; where it is interrupted by a gap that nothing fills, a new leg begins."""
    return tuple(leg for line in _lines(measurement.stretches) for leg in split(atlas, line))


def legs_by_zone(legs: Sequence[ZoneLeg], direction: Direction = Direction.OUTBOUND) -> tuple[Leg, ...]:
    """Legs in whole metres that add up to the whole, neighbours in one zone joined.

    A track does not say which part of it is the way back: that is a fact of the hire, and the caller's to state.
    """
    joined = [(zone, math.fsum(leg.metres for leg in same)) for zone, same in groupby(legs, key=lambda leg: leg.zone)]
    metres = whole_metres([length for _, length in joined])
    return tuple(Leg(zone, each, direction) for (zone, _), each in zip(joined, metres, strict=True))


def _lines(stretches: Sequence[Stretch]) -> list[list[LonLat]]:
    """The stretches joined into unbroken lines."""
    lines: list[list[LonLat]] = []
    for stretch in stretches:
        if lines and lines[-1][-1] == stretch.line[0]:
            lines[-1].extend(stretch.line[1:])
        else:
            lines.append(list(stretch.line))
    return lines

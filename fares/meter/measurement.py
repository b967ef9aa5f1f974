"""The taximeter: raw fixes in; distance, waiting time, a grade with its doubts, the gaps and the dropped fixes out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fares.meter.distance import Fill, Gap, Matcher, Stretch, lengths
from fares.meter.fixes import Dropped, Fix, screen
from fares.meter.grade import Doubt, Grade, doubts, grade
from fares.meter.path import Path, trace
from fares.meter.rules import MeterRules
from geodata.point import Point
from zones.route import Roads

__all__ = ["Measurement", "measure"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a track shows.

    ``metres`` is the length of the ``stretches`` together, gaps that were filled included. ``complete`` is False
    where the true way is longer than what is counted: a gap was left out or counted as a straight line.
    ``waiting_seconds`` is time stopped, ``slow_seconds`` time below the slow speed (stopped time included); neither
    counts time without a record. Of the fixes ``used`` (how many), ``started_at`` and ``ended_at`` are the instants
    (seconds since 1970) of the first and the last, ``place`` is where the first was; None without any.
    """

    metres: float
    stretches: tuple[Stretch, ...]
    gaps: tuple[Gap, ...]
    dropped: tuple[Dropped, ...]
    used: int
    waiting_seconds: int
    slow_seconds: int
    started_at: float | None
    ended_at: float | None
    place: Point | None
    grade: Grade
    doubts: tuple[Doubt, ...]

    @property
    def complete(self) -> bool:
        return not any(
            gap.fill is Fill.STRAIGHT or (gap.fill is Fill.NONE and gap.straight_metres) for gap in self.gaps
        )


def measure(
    fixes: Iterable[Fix],
    rules: MeterRules | None = None,
    *,
    matcher: Matcher | None = None,
    roads: Roads | None = None,
) -> Measurement:
    """Measure a ride by its fixes, in any order, repeated or not, however bad.

    ``matcher`` lays the track on the roads, ``roads`` finds the way across gaps; without them the track itself is
    measured and gaps count as straight lines. All fixes are taken to be of the hire: cut them at boarding and
    alighting first.
    """
    rules = rules or MeterRules()
    kept, dropped = screen(fixes, rules)
    path = trace(kept, rules)
    measured = lengths(path, rules, matcher, roads)
    found = doubts(path, measured, dropped, rules)
    return Measurement(
        metres=measured.metres(),
        stretches=measured.stretches,
        gaps=measured.gaps,
        dropped=tuple(dropped),
        used=len(kept),
        waiting_seconds=_seconds_below(path, rules.stopped_speed),
        slow_seconds=_seconds_below(path, rules.slow_speed),
        started_at=kept[0].t if kept else None,
        ended_at=kept[-1].t if kept else None,
        place=_place(path),
        grade=grade(found),
        doubts=found,
    )


def _seconds_below(path: Path, speed: float) -> int:
    """Recorded time, in whole seconds begun and ended, during which the vehicle was slower than ``speed``."""
    seconds = np.diff([fix.t for fix in path.fixes])
    slow = (path.speeds < speed) & ~(path.silent | path.jumps)
    return int(seconds[slow].sum()) if len(seconds) else 0


def _place(path: Path) -> Point | None:
    if not path.chains:
        return None
    first = path.chains[0][0]
    return Point(first.lat, first.lon)

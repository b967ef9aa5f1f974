"""Which of a phone's fixes can be believed; the others are kept, each with its reason.

The answer does not depend on the order or the repetition of the fixes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise

import numpy as np

from fares.meter.rules import MeterRules
from fares.meter.smoothing import Array
from geodata.geodesic import WGS84

__all__ = ["DropReason", "Dropped", "Fix", "screen"]

NULL_ISLAND_DEGREES = 0.01
"""How near to 0/0 a fix is a receiver without a position (no road lies within 500 km)."""

EARLIER_RUNS = 64
"""How many runs back a run of consistent fixes looks for its predecessor."""


@dataclass(frozen=True, slots=True)
class Fix:
    """One position as the phone reported it, believed or not.

    ``t`` seconds since 1970 (UTC), ``lat``/``lon`` degrees on WGS 84, ``accuracy_m`` the radius
    (metres) said to hold the true position two times in three, ``speed_mps`` the receiver's own
    speed, ``mock`` True where the phone says that an app made the position up.
    """

    t: float
    lat: float
    lon: float
    accuracy_m: float | None = None
    speed_mps: float | None = None
    mock: bool = False


class DropReason(StrEnum):
    """Why a fix does not count; `detail` says it to the reader."""

    INVALID = "invalid"
    NULL_ISLAND = "null_island"
    MOCK = "mock"
    INACCURATE = "inaccurate"
    CLOCK = "clock"
    SAME_INSTANT = "same_instant"
    SPIKE = "spike"

    @property
    def detail(self) -> str:
        return _DETAILS[self]


_DETAILS = {
    DropReason.INVALID: "posição, horário ou precisão que não são números possíveis",
    DropReason.NULL_ISLAND: "posição 0/0: o aparelho ainda não tinha sinal",
    DropReason.MOCK: "o aparelho avisou que a posição é simulada por um aplicativo",
    DropReason.INACCURATE: "precisão informada pior que o limite",
    DropReason.CLOCK: "horário muito distante do resto do percurso: relógio errado",
    DropReason.SAME_INSTANT: "outra posição do mesmo instante é mais precisa",
    DropReason.SPIKE: "salto que exigiria velocidade impossível",
}


@dataclass(frozen=True, slots=True)
class Dropped:
    """A fix that does not count, and why."""

    fix: Fix
    reason: DropReason


def screen(fixes: Iterable[Fix], rules: MeterRules) -> tuple[list[Fix], list[Dropped]]:
    """The fixes to measure by, one per instant in order of time, and those dropped.

    A fix sent twice is one fix: exact copies are neither counted nor listed.
    """
    dropped: list[Dropped] = []
    kept: list[Fix] = []
    for fix in sorted(set(fixes), key=_order):
        reason = _bad_alone(fix, rules)
        if reason is None:
            kept.append(fix)
        else:
            dropped.append(Dropped(fix, reason))
    for reason, step in (
        (DropReason.CLOCK, _wrong_clock),
        (DropReason.SAME_INSTANT, _same_instant),
        (DropReason.SPIKE, _spikes),
    ):
        out = step(kept, rules)
        dropped.extend(Dropped(fix, reason) for fix in kept if fix in out)
        kept = [fix for fix in kept if fix not in out]
    dropped.sort(key=lambda each: _order(each.fix))
    return kept, dropped


def believed_accuracy(fix: Fix, rules: MeterRules) -> float:
    """Error radius in metres to reckon with (68 %)."""
    return max(fix.accuracy_m or rules.default_accuracy, rules.min_accuracy)


def _order(fix: Fix) -> tuple[float, ...]:
    """A total order: time, then what makes the better of two fixes of one instant. NaN comes last."""
    accuracy = math.inf if fix.accuracy_m is None else fix.accuracy_m
    speed = -1.0 if fix.speed_mps is None else fix.speed_mps
    values = (fix.t, accuracy, fix.lat, fix.lon, speed, float(fix.mock))
    return tuple(math.inf if math.isnan(value) else value for value in values)


def _bad_alone(fix: Fix, rules: MeterRules) -> DropReason | None:
    """What is wrong with a fix whatever the others say."""
    if not (math.isfinite(fix.t) and abs(fix.lat) <= 90 and abs(fix.lon) <= 180):
        return DropReason.INVALID
    if fix.accuracy_m is not None and not fix.accuracy_m >= 0:
        return DropReason.INVALID
    if fix.mock:
        return DropReason.MOCK
    if abs(fix.lat) < NULL_ISLAND_DEGREES and abs(fix.lon) < NULL_ISLAND_DEGREES:
        return DropReason.NULL_ISLAND
    if fix.accuracy_m is not None and fix.accuracy_m > rules.max_accuracy:
        return DropReason.INACCURATE
    return None


def _wrong_clock(fixes: Sequence[Fix], rules: MeterRules) -> set[Fix]:
    """All but the largest group of fixes that hang together in time (of equals, the earliest)."""
    groups: list[list[Fix]] = []
    for fix in fixes:
        if not groups or fix.t - groups[-1][-1].t > rules.clock_jump_seconds:
            groups.append([])
        groups[-1].append(fix)
    if len(groups) < 2:
        return set()
    main = max(groups, key=len)
    return {fix for group in groups if group is not main for fix in group}


def _same_instant(fixes: Sequence[Fix], rules: MeterRules) -> set[Fix]:
    """All but the most accurate fix of each instant."""
    return {fix for _, same in groupby(fixes, key=lambda fix: fix.t) for fix in list(same)[1:]}


@dataclass(frozen=True, slots=True)
class _Run:
    """Consecutive fixes first..last, each reachable from the one before; the time and way they cover."""

    first: int
    last: int
    seconds: float
    metres: float


def _spikes(fixes: Sequence[Fix], rules: MeterRules) -> set[Fix]:
    """The fixes outside the best chain of runs.

    The sequence is cut wherever the next fix could not be reached in time. The chain of runs that covers most time
    wins, where a jump inside the chain costs `spike_seconds` (a small one `reflection_seconds`): so a short spell of
    wrong fixes goes, wherever it is (at the beginning too), and a real teleport stays to be listed. Of equals, the
    shortest way wins: the doubt is for the passenger.
    """
    runs = _runs(fixes, rules)
    if len(runs) < 2:
        return set()
    best: list[tuple[float, float]] = []
    came_from: list[int | None] = []
    for i, run in enumerate(runs):
        options: list[tuple[float, float, int | None]] = [(run.seconds, -run.metres, None)]
        for j in range(max(0, i - EARLIER_RUNS), i):
            toll, metres = _toll(fixes[runs[j].last], fixes[run.first], rules)
            options.append((best[j][0] + run.seconds - toll, best[j][1] - metres - run.metres, j))
        seconds, way, origin = max(options, key=lambda option: (round(option[0], 3), round(option[1], 3)))
        best.append((seconds, way))
        came_from.append(origin)
    at: int | None = max(range(len(runs)), key=lambda i: (round(best[i][0], 3), round(best[i][1], 3)))
    keep: set[int] = set()
    while at is not None:
        keep.update(range(runs[at].first, runs[at].last + 1))
        at = came_from[at]
    return {fix for index, fix in enumerate(fixes) if index not in keep}


def _runs(fixes: Sequence[Fix], rules: MeterRules) -> list[_Run]:
    if not fixes:
        return []
    seconds, metres, _ = hops(fixes, rules)
    half = np.minimum(seconds, rules.gap_seconds) / 2
    covered = np.concatenate([[0.0], half]) + np.concatenate([half, [0.0]])
    cuts = np.flatnonzero(excess(fixes, rules) > 0) + 1
    edges = [0, *cuts.tolist(), len(fixes)]
    return [
        _Run(first, after - 1, float(covered[first:after].sum()), float(metres[first : after - 1].sum()))
        for first, after in pairwise(edges)
    ]


def hops(fixes: Sequence[Fix], rules: MeterRules) -> tuple[Array, Array, Array]:
    """Between each fix and the next: seconds, metres, and the metres their errors may explain."""
    lons = [fix.lon for fix in fixes]
    lats = [fix.lat for fix in fixes]
    accuracy = np.array([believed_accuracy(fix, rules) for fix in fixes])
    metres = np.asarray(WGS84.inv(lons[:-1], lats[:-1], lons[1:], lats[1:])[2], dtype=float)
    return np.diff([fix.t for fix in fixes]), metres, accuracy[:-1] + accuracy[1:]


def excess(fixes: Sequence[Fix], rules: MeterRules) -> Array:
    """Between each fix and the next: the metres beyond what the top speed and their errors may explain (or below 0)."""
    seconds, metres, allowance = hops(fixes, rules)
    return np.asarray(metres - seconds * rules.max_speed - allowance)


def _toll(a: Fix, b: Fix, rules: MeterRules) -> tuple[float, float]:
    """What a hop inside a chain costs, in seconds of record, and its metres."""
    _, metres, _ = hops((a, b), rules)
    beyond = float(excess((a, b), rules)[0])
    if beyond <= 0:
        return 0.0, float(metres[0])
    return rules.reflection_seconds if beyond <= rules.reflection else rules.spike_seconds, float(metres[0])

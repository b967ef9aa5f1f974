"""Measuring several works in turns, so that whatever else the machine does falls on all of them alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median

Work = Callable[[], object]


def seconds_each(works: Sequence[Work], calls: int, rounds: int) -> list[list[float]]:
    """Seconds per call of each work in every round: ``calls`` calls of the first, of the second …, ``rounds`` times."""
    found: list[list[float]] = [[] for _ in works]
    for round_ in range(rounds):
        order = range(len(works)) if round_ % 2 == 0 else reversed(range(len(works)))
        for place in order:
            work = works[place]
            start = time.perf_counter()
            for _ in range(calls):
                work()
            found[place].append((time.perf_counter() - start) / calls)
    return found


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """How many times as long ours took as theirs: the median of the ratios of each round."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))

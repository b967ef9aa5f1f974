"""What a measurement proves: A (within a taximeter's tolerance), B (fit to price by, its doubts told), C (nothing).

Nobody knows the true length, so the grade rests on independent witnesses that must agree: the road matched, the
smoothed track, and the speeds that the receiver takes from the Doppler shift. The limits were chosen on simulated
rides; `python -m bench.meter` shows on other ones what each grade is worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fares.meter.distance import Cause, Gap, Measured, Way
from fares.meter.fixes import Dropped, DropReason
from fares.meter.path import Path
from fares.meter.rules import MeterRules
from fares.meter.words import km, percent

__all__ = ["Doubt", "DoubtCode", "Grade", "doubts", "grade"]


class Grade(StrEnum):
    """What the measurement proves."""

    A = "A"
    B = "B"
    C = "C"


class DoubtCode(StrEnum):
    """What speaks against a measurement; the same code may leave it at B or at C."""

    NOTHING_MEASURED = "nothing_measured"
    MOCK_FIXES = "mock_fixes"
    MANY_DROPPED = "many_dropped"
    UNFILLED_GAP = "unfilled_gap"
    SILENT_STANDING = "silent_standing"
    STRAIGHT_GAP = "straight_gap"
    ROAD_GAP = "road_gap"
    MATCH_BROKEN = "match_broken"
    OFF_ROAD = "off_road"
    NO_SPEEDS = "no_speeds"
    TRACK_DIFFERS = "track_differs"
    SPEEDS_DIFFER = "speeds_differ"
    POOR_ACCURACY = "poor_accuracy"
    TOO_SHORT = "too_short"


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing that speaks against the measurement, the best grade it allows, and a sentence for the reader."""

    code: DoubtCode
    at_best: Grade
    detail: str


def grade(found: Sequence[Doubt]) -> Grade:
    """The grade that the worst doubt allows."""
    return max((doubt.at_best for doubt in found), default=Grade.A)


def doubts(path: Path, measured: Measured, dropped: Sequence[Dropped], rules: MeterRules) -> tuple[Doubt, ...]:
    """Everything that speaks against a measurement, the worst first."""
    if len(path.fixes) < 2:
        nothing = "Menos de duas posições aproveitáveis: nada foi medido."
        found = [Doubt(DoubtCode.NOTHING_MEASURED, Grade.C, nothing), *_of_fixes(path, dropped, rules)]
    else:
        found = [
            *_of_fixes(path, dropped, rules),
            *_of_gaps(measured, rules),
            *_of_roads(measured, rules),
            *_of_witnesses(path, measured, rules),
            *_of_accuracy(path, measured, rules),
        ]
    return tuple(sorted(found, key=lambda doubt: doubt.at_best, reverse=True))


def _of_fixes(path: Path, dropped: Sequence[Dropped], rules: MeterRules) -> Iterator[Doubt]:
    mock = sum(each.reason is DropReason.MOCK for each in dropped)
    if mock:
        yield Doubt(DoubtCode.MOCK_FIXES, Grade.C, f"O aparelho marcou {mock} posições como simuladas.")
    share = len(dropped) / max(1, len(dropped) + len(path.fixes))
    if share > rules.dropped_a:
        at_best = Grade.B if share <= rules.dropped_b else Grade.C
        yield Doubt(DoubtCode.MANY_DROPPED, at_best, f"{percent(share)} das posições foram descartadas.")


def _of_gaps(measured: Measured, rules: MeterRules) -> Iterator[Doubt]:
    for gap in measured.gaps:
        if gap.cause in (Cause.PAUSE, Cause.JUMP):
            detail = f"{km(gap.straight_metres)} sem registro, fora da distância medida."
            yield Doubt(DoubtCode.UNFILLED_GAP, Grade.C, detail)
        elif gap.cause is Cause.STANDING:
            yield from _of_standing(gap, rules)
    total = measured.metres() or 1.0
    straight, road = measured.metres(Way.GAP_STRAIGHT), measured.metres(Way.GAP_ROAD)
    if straight:
        at_best = Grade.B if straight <= rules.straight_b * total else Grade.C
        detail = f"{km(straight)} sem registro, contados em linha reta: distância incompleta."
        yield Doubt(DoubtCode.STRAIGHT_GAP, at_best, detail)
    if road:
        at_best = Grade.B if road <= rules.road_gap_b * total else Grade.C
        detail = f"{km(road)} sem registro, contados pelo caminho usual por estrada."
        yield Doubt(DoubtCode.ROAD_GAP, at_best, detail)


def _of_standing(gap: Gap, rules: MeterRules) -> Iterator[Doubt]:
    seconds = gap.ended_at - gap.started_at
    if seconds > rules.standing_a:
        at_best = Grade.B if seconds <= rules.fill_seconds else Grade.C
        detail = f"{seconds / 60:.0f} min sem registro, no mesmo lugar antes e depois."
        yield Doubt(DoubtCode.SILENT_STANDING, at_best, detail)


def _of_roads(measured: Measured, rules: MeterRules) -> Iterator[Doubt]:
    if measured.match_breaks or measured.match_refused:
        detail = "Partes do percurso não couberam no mapa de vias."
        yield Doubt(DoubtCode.MATCH_BROKEN, Grade.B, detail)
    track = measured.metres(Way.TRACK)
    if track:
        detail = f"{km(track)} medidos pelo rastro, sem via conhecida: distância estimada."
        yield Doubt(DoubtCode.OFF_ROAD, Grade.B, detail)


def _of_witnesses(path: Path, measured: Measured, rules: MeterRules) -> Iterator[Doubt]:
    """Do the road, the track and the receiver's speeds tell the same length?"""
    recorded = measured.metres(Way.ROAD, Way.TRACK)
    by_speed = _metres_by_speed(path, rules)
    if by_speed is None:
        yield Doubt(DoubtCode.NO_SPEEDS, Grade.B, "O aparelho não informou velocidades, que confirmariam a distância.")
    elif abs(by_speed - recorded) > rules.speeds_a * recorded:
        detail = f"Distância ({km(recorded)}) e velocidades do aparelho ({km(by_speed)}) não concordam o bastante."
        yield Doubt(DoubtCode.SPEEDS_DIFFER, Grade.B, detail)
    track = measured.track_metres(Way.ROAD, Way.TRACK)
    if abs(track - recorded) > rules.track_a * recorded:
        detail = f"Via ({km(recorded)}) e rastro ({km(track)}) não concordam o bastante."
        yield Doubt(DoubtCode.TRACK_DIFFERS, Grade.B, detail)


def _metres_by_speed(path: Path, rules: MeterRules) -> float | None:
    """The receiver's speeds added up over the recorded time; None where too few fixes have one."""
    if path.told.mean() < rules.speeds_told:
        return None
    seconds = np.diff([fix.t for fix in path.fixes])
    return float((path.speeds * seconds)[~(path.silent | path.jumps)].sum())


def _of_accuracy(path: Path, measured: Measured, rules: MeterRules) -> Iterator[Doubt]:
    accuracy = float(np.median([vertex.accuracy for chain in path.chains for vertex in chain]))
    if accuracy > rules.accuracy_a:
        at_best = Grade.B if accuracy <= rules.accuracy_b else Grade.C
        yield Doubt(DoubtCode.POOR_ACCURACY, at_best, f"Precisão típica de {accuracy:.0f} m.")
    total = measured.metres()
    if accuracy > rules.ends_a * total:
        at_best = Grade.B if accuracy <= rules.ends_b * total else Grade.C
        detail = f"Percurso de {km(total)}: curto demais para a precisão de {accuracy:.0f} m."
        yield Doubt(DoubtCode.TOO_SHORT, at_best, detail)

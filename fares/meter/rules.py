"""The settings of the taximeter, each with its default and why."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MeterRules"]


@dataclass(frozen=True, slots=True)
class MeterRules:
    """What the meter believes about phones and motorcycles.

    Speeds are metres per second, times seconds, lengths metres, shares of 1. The defaults were
    chosen on simulated rides; `python -m bench.meter` measures them on others.
    """

    # Which fixes count
    max_speed: float = 33.4
    """120 km/h: two fixes that need more than this contradict each other."""
    max_accuracy: float = 100.0
    """A fix with a larger error radius (a cell tower, not a satellite) says nothing of distance."""
    default_accuracy: float = 15.0
    """Error radius assumed where the phone states none."""
    min_accuracy: float = 4.0
    """Phones that claim to be better than this are not believed."""
    spike_seconds: float = 60.0
    """Fixes that contradict the others for less time than this are dropped as a spike; for longer, they are kept and
    the jump to them is listed as a gap that nothing fills."""
    reflection: float = 100.0
    """Signals reflected by walls move a position this far beyond its stated accuracy. Such a jump is no teleport; the
    fixes are dropped if they contradict the others on both sides for less than twice `reflection_seconds`."""
    reflection_seconds: float = 20.0
    clock_jump_seconds: float = 6 * 3600.0
    """Fixes this far in time from the main body were stamped by a wrong clock."""

    # Silence
    gap_seconds: float = 30.0
    """A longer silence is listed as a gap."""
    fill_seconds: float = 600.0
    """A longer gap (a pause, a phone switched off) is listed and not filled: nobody knows what
    happened in it."""
    road_detour: float = 2.5
    """A road this many times longer than the straight line across a gap (and `road_allowance`
    more) is not believed to be the way taken."""
    road_allowance: float = 300.0

    # Standing still
    stay_radius: float = 25.0
    """A phone that stays within this of one place for `stay_seconds` lies still."""
    stay_drift: float = 2.5
    """The radius is at least this many times the typical accuracy: so far a still phone's position drifts."""
    stay_seconds: float = 20.0
    stay_excursion_seconds: float = 300.0
    stay_excursion_radii: float = 4.0
    """A signal that left and came back this soon, from no farther than this, never left; so a ride that short between
    two stops at the same place is not measured."""
    stay_end_radii: float = 2.0
    """The same for a signal that left just before the end of the record, or came just after its beginning."""
    stopped_speed: float = 1.0
    """Below walking pace is stopped (waiting time)."""
    slow_speed: float = 15 / 3.6
    """Below this is slow time, for tariffs that charge it; stopped time is part of it."""

    # The path
    acceleration: float = 1.5
    """Spectral density of the vehicle's acceleration (m²/s³): more follows the fixes closer."""
    match_spacing: float = 30.0
    """Metres between the points shown to the map matcher: closer ones are noise along a street."""
    match_corner: float = 20.0
    """Metres off the straight line that make a corner the matcher must see."""
    match_agreement: float = 0.25
    """A matched piece that differs by a larger share (and `match_allowance`) from the smoothed
    track is another way, not this one: the track is measured instead."""
    match_allowance: float = 60.0

    # Grades: the limits of A (`_a`) and of B (`_b`); beyond B a measurement proves nothing
    dropped_a: float = 0.05
    dropped_b: float = 0.25
    """Share of the fixes dropped."""
    straight_b: float = 0.05
    """Share of the distance counted as a straight line over gaps (none at all in A)."""
    road_gap_b: float = 0.5
    """Share of the distance counted by road over gaps (none at all in A)."""
    standing_a: float = 120.0
    """Seconds of silence at one place; B ends at `fill_seconds`."""
    speeds_told: float = 0.9
    """Share of the fixes that must have a speed for the speeds to be a witness (A needs it)."""
    speeds_a: float = 0.015
    track_a: float = 0.08
    """Disagreement of the distance with the speeds, and with the smoothed track."""
    accuracy_a: float = 15.0
    accuracy_b: float = 50.0
    """Typical error radius in metres."""
    ends_a: float = 0.01
    ends_b: float = 0.1
    """Error radius as a share of the distance: both ends of a ride are only as good as their fixes."""

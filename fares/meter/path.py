"""The path of the vehicle: where it moved, where it stood, and where nothing was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from fares.meter.fixes import Fix, believed_accuracy, excess
from fares.meter.rules import MeterRules
from fares.meter.smoothing import Array, smooth
from geodata.geodesic import line_metres

__all__ = ["Path", "Vertex", "trace"]

Flags = npt.NDArray[np.bool_]

AXIS_SHARE = 1.5
"""A radius holding the position two times in three is 1.5 standard errors of one axis."""


@dataclass(frozen=True, slots=True)
class Vertex:
    """A place on the path, with the fixes (first..last, by index) that say so.

    More than one fix means that the vehicle stood there.
    """

    first: int
    last: int
    lat: float
    lon: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Path:
    """The smoothed path through ``fixes``.

    ``chains`` are runs of vertices, broken at silences and jumps. Of each fix and the next: ``speeds`` (m/s), which
    mean nothing across a silence or a jump; ``told``, whether the receiver itself gave that speed; ``silent``, a gap
    in time; ``jumps``, a distance that could not be ridden in that time.
    """

    fixes: tuple[Fix, ...]
    chains: tuple[tuple[Vertex, ...], ...]
    speeds: Array
    told: Flags
    silent: Flags
    jumps: Flags


@dataclass(frozen=True, slots=True)
class _Motion:
    """What the search for stops looks at. Of each fix and the next: ``moved``, the vehicle cannot have stood;
    ``quiet``, the receiver says that it stood."""

    t: Array
    xy: Array
    moved: Flags
    quiet: Flags
    radius: float


@dataclass(frozen=True, slots=True)
class _Stay:
    first: int
    last: int
    centre: Array


def trace(fixes: Sequence[Fix], rules: MeterRules) -> Path:
    """The path through screened ``fixes`` (one per instant, in order of time)."""
    if not fixes:
        nothing = np.empty(0, dtype=bool)
        return Path((), (), np.empty(0), nothing, nothing, nothing)
    t = np.array([fix.t for fix in fixes])
    accuracy = np.array([believed_accuracy(fix, rules) for fix in fixes])
    plane = _Plane.around(fixes)
    xy = smooth(t, plane.flat(fixes), accuracy / AXIS_SHARE, rules.acceleration)
    silent = np.diff(t) > rules.gap_seconds
    jumps = excess(fixes, rules) > rules.reflection
    told = _told_speeds(fixes, rules)
    radius = max(rules.stay_radius, rules.stay_drift * float(np.median(accuracy)))
    away = silent & (np.hypot(*np.diff(xy, axis=0).T) > radius)
    moved = away | jumps | (told > 2 * rules.stopped_speed)
    stays = _stays(_Motion(t, xy, moved, told < rules.stopped_speed, radius), rules)
    return Path(
        fixes=tuple(fixes),
        chains=_chains(_vertices(xy, accuracy, stays, plane), silent | jumps),
        speeds=_speeds(t, xy, stays, told),
        told=~np.isnan(told),
        silent=silent,
        jumps=jumps,
    )


@dataclass(frozen=True, slots=True)
class _Plane:
    """Metres east and north of a place: true to a few parts in a thousand over a ride, which is
    enough to smooth in; lengths are measured on the ellipsoid afterwards."""

    lat: float
    lon: float
    east: float
    north: float

    @classmethod
    def around(cls, fixes: Sequence[Fix]) -> _Plane:
        lat = float(np.median([fix.lat for fix in fixes]))
        lon = float(np.median([fix.lon for fix in fixes]))
        near = min(max(lat, -89.0), 89.0)
        east = line_metres([(lon - 0.005, near), (lon + 0.005, near)]) * 100
        north = line_metres([(lon, near - 0.005), (lon, near + 0.005)]) * 100
        return cls(lat, lon, east, north)

    def flat(self, fixes: Sequence[Fix]) -> Array:
        lonlat = np.array([(fix.lon, fix.lat) for fix in fixes])
        return np.asarray((lonlat - (self.lon, self.lat)) * (self.east, self.north))

    def lonlat(self, xy: Array) -> tuple[float, float]:
        return self.lon + float(xy[0]) / self.east, self.lat + float(xy[1]) / self.north


def _stays(motion: _Motion, rules: MeterRules) -> list[_Stay]:
    """Where the vehicle stood still.

    A fix is still if the path gets nowhere around it, over `stay_seconds` and over three times that: the first tells
    a stop from riding, the second a stop from pushing the motorcycle. Two stops at one place, between which the
    signal only wandered off and came back, are one. Everything looks both ways in time, so that a ride and its
    reverse stop at the same places.
    """
    short = _displacement(motion, rules.stay_seconds) < 0.6 * motion.radius
    long = _displacement(motion, 3 * rules.stay_seconds) < 1.5 * motion.radius
    still = short & long
    joined = still[:-1] & still[1:] & ~motion.moved
    edges = np.flatnonzero(np.diff(np.concatenate([[0], joined.astype(int), [0]])))
    stays: list[_Stay] = []
    for first, last in edges.reshape(-1, 2).tolist():
        if motion.t[last] - motion.t[first] < rules.stay_seconds:
            continue
        stay = _stay(motion, first, last)
        for i, earlier in enumerate(stays):
            if _same_place(motion, earlier, stay, rules):
                stay = _stay(motion, earlier.first, last)
                del stays[i:]
                break
        stays.append(stay)
    return _to_the_ends(motion, stays, rules)


def _stay(motion: _Motion, first: int, last: int) -> _Stay:
    return _Stay(first, last, np.median(motion.xy[first : last + 1], axis=0))


def _displacement(motion: _Motion, seconds: float) -> Array:
    """How far the path gets in the ``seconds`` around each fix."""
    t, (x, y) = motion.t, motion.xy.T
    before, after = t - seconds / 2, t + seconds / 2
    return np.asarray(
        np.hypot(np.interp(after, t, x) - np.interp(before, t, x), np.interp(after, t, y) - np.interp(before, t, y))
    )


def _same_place(motion: _Motion, a: _Stay, b: _Stay, rules: MeterRules) -> bool:
    """Whether two stays are one, during which the signal wandered off and came back."""
    near = float(np.hypot(*(a.centre - b.centre))) <= motion.radius
    return near and _wandered(motion, a.last, b.first, (a.centre + b.centre) / 2, rules.stay_excursion_radii, rules)


def _to_the_ends(motion: _Motion, stays: list[_Stay], rules: MeterRules) -> list[_Stay]:
    """The first and last stay stretched to the ends of the track, where the signal only wandered there.

    Nothing comes back to show that it did not move, so the limit is tighter than between two stays, unless the
    receiver itself says that it stood.
    """
    if not stays:
        return stays
    head, tail, end = stays[0], stays[-1], len(motion.t) - 1
    if _wandered(motion, 0, head.first, head.centre, _end_radii(motion.quiet[: head.first], rules), rules):
        stays[0] = _stay(motion, 0, head.last)
    if _wandered(motion, tail.last, end, tail.centre, _end_radii(motion.quiet[tail.last :], rules), rules):
        stays[-1] = _stay(motion, stays[-1].first, end)
    return stays


def _end_radii(quiet: Flags, rules: MeterRules) -> float:
    return rules.stay_excursion_radii if quiet.all() else rules.stay_end_radii


def _wandered(motion: _Motion, first: int, last: int, centre: Array, radii: float, rules: MeterRules) -> bool:
    """Whether fixes first..last may all be those of a vehicle standing at ``centre``."""
    farthest = np.hypot(*(motion.xy[first : last + 1] - centre).T).max()
    return bool(
        motion.t[last] - motion.t[first] <= rules.stay_excursion_seconds
        and farthest <= radii * motion.radius
        and not motion.moved[first:last].any()
    )


def _vertices(xy: Array, accuracy: Array, stays: Sequence[_Stay], plane: _Plane) -> list[Vertex]:
    vertices: list[Vertex] = []
    at = 0
    for stay in [*stays, None]:
        until = stay.first if stay else len(xy)
        for i in range(at, until):
            lon, lat = plane.lonlat(xy[i])
            vertices.append(Vertex(i, i, lat, lon, float(accuracy[i])))
        if stay:
            lon, lat = plane.lonlat(stay.centre)
            typical = float(np.median(accuracy[stay.first : stay.last + 1]))
            vertices.append(Vertex(stay.first, stay.last, lat, lon, typical))
            at = stay.last + 1
    return vertices


def _chains(vertices: Sequence[Vertex], breaks: Flags) -> tuple[tuple[Vertex, ...], ...]:
    chains: list[list[Vertex]] = [[vertices[0]]]
    for before, after in pairwise(vertices):
        if breaks[before.last]:
            chains.append([])
        chains[-1].append(after)
    return tuple(map(tuple, chains))


def _told_speeds(fixes: Sequence[Fix], rules: MeterRules) -> Array:
    """The receiver's own speed between each fix and the next, NaN where either end has none that is possible."""
    told = np.array(
        [
            fix.speed_mps if fix.speed_mps is not None and 0 <= fix.speed_mps <= rules.max_speed else np.nan
            for fix in fixes
        ]
    )
    return np.asarray((told[:-1] + told[1:]) / 2)


def _speeds(t: Array, xy: Array, stays: Sequence[_Stay], told: Array) -> Array:
    """Speed between each fix and the next: the receiver's own where known (it measures the Doppler shift, far better
    than positions do), else that of the path; 0 in a stay."""
    speeds = np.hypot(*np.diff(xy, axis=0).T) / np.diff(t)
    for stay in stays:
        speeds[stay.first : stay.last] = 0.0
    return np.where(np.isnan(told), speeds, told)

"""From the path to lengths: on the roads where they are known, along the path where not, and what
can be said of the gaps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import shapely

from fares.meter.path import Path, Vertex
from fares.meter.rules import MeterRules
from geodata.geodesic import line_metres
from geodata.point import Point
from zones.roads.errors import EngineDown, RoadError
from zones.roads.match import Fix as TrackPoint
from zones.roads.match import MatchedTrack
from zones.route import Roads, Source

__all__ = ["Cause", "Fill", "Gap", "Matcher", "Measured", "Stretch", "Way", "lengths"]

LonLat = tuple[float, float]

METRES_PER_DEGREE = 111_320.0


class Matcher(Protocol):
    """Whatever can lay a track on the roads."""

    def match(self, fixes: Sequence[TrackPoint]) -> MatchedTrack:
        """The roads ridden. Raises `zones.roads.RoadError` subclasses."""
        ...


class Way(StrEnum):
    """How the length of a stretch was found."""

    ROAD = "road"
    TRACK = "track"
    GAP_ROAD = "gap_road"
    GAP_STRAIGHT = "gap_straight"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A continuous part of the ride: (longitude, latitude) pairs and their geodesic length.

    ``t`` are the instants of its two ends; ``track_metres`` is the length of the smoothed track
    over the same part (equal to ``metres`` for TRACK), the check on ROAD.
    """

    way: Way
    line: tuple[LonLat, ...]
    metres: float
    track_metres: float
    t: tuple[float, float]


class Fill(StrEnum):
    """What the meter counts for a gap."""

    ROAD = "road"
    STRAIGHT = "straight"
    NONE = "none"


class Cause(StrEnum):
    """What kind of gap it is."""

    SILENCE = "silence"
    STANDING = "standing"
    PAUSE = "pause"
    JUMP = "jump"


@dataclass(frozen=True, slots=True)
class Gap:
    """A time without a record.

    ``straight_metres`` is how far apart its ends are, ``metres`` what was counted for it.
    """

    started_at: float
    ended_at: float
    start: Point
    end: Point
    straight_metres: float
    metres: float
    fill: Fill
    cause: Cause


@dataclass(frozen=True, slots=True)
class Measured:
    """The stretches in order, the gaps, and how often the matcher lost the track."""

    stretches: tuple[Stretch, ...]
    gaps: tuple[Gap, ...]
    match_breaks: int
    match_refused: bool

    def metres(self, *ways: Way) -> float:
        """The length of the stretches found in these ways, or of all."""
        return math.fsum(stretch.metres for stretch in self.stretches if not ways or stretch.way in ways)

    def track_metres(self, *ways: Way) -> float:
        """The length of the smoothed track over the stretches found in these ways."""
        return math.fsum(stretch.track_metres for stretch in self.stretches if stretch.way in ways)


def lengths(path: Path, rules: MeterRules, matcher: Matcher | None, roads: Roads | None) -> Measured:
    """The ride as stretches. Without ``matcher`` every length is the track's own; without
    ``roads`` a gap counts as the straight line between its ends, which is never too long."""
    laid = [_lay(path, chain, rules, matcher) for chain in path.chains]
    stretches: list[Stretch] = []
    gaps: list[Gap] = []
    for i, (chain, ways) in enumerate(zip(path.chains, laid, strict=True)):
        if i:
            before = path.chains[i - 1][-1].last
            gap, filled = _gap(path, before, laid[i - 1].end, ways.start, rules, roads)
            gaps.append(gap)
            stretches.extend(filled)
        gaps.extend(_standing(path, chain))
        stretches.extend(ways.stretches)
    return Measured(
        stretches=tuple(stretches),
        gaps=tuple(gaps),
        match_breaks=sum(ways.breaks for ways in laid),
        match_refused=any(ways.refused for ways in laid),
    )


@dataclass(frozen=True, slots=True)
class _Laid:
    """One chain as stretches, with its ends as they came out."""

    stretches: tuple[Stretch, ...]
    start: LonLat
    end: LonLat
    breaks: int = 0
    refused: bool = False


def _lay(path: Path, chain: Sequence[Vertex], rules: MeterRules, matcher: Matcher | None) -> _Laid:
    shown = _thinned(chain, rules) if matcher else []
    if matcher is None or len(shown) < 2:
        return _as_track(path, chain)
    try:
        match = matcher.match([_track_point(path, chain[i]) for i in shown])
    except EngineDown:  # no map at all, which is not the track's fault
        return _as_track(path, chain)
    except RoadError:
        return _as_track(path, chain, refused=True)
    pieces = _piece_ranges(len(shown), match)
    if len(pieces) != len(match.pieces):
        return _as_track(path, chain, refused=True)
    stretches: list[Stretch] = []
    at, joint, refused = 0, _lonlat(chain[0]), False
    for (a, b), line in zip(pieces, match.pieces, strict=True):
        first, last = shown[a], shown[b]
        road = _stretch(path, Way.ROAD, chain[first : last + 1], line)
        if first == last:
            continue
        if not _agrees(road, rules):
            refused = True
            continue
        if first > at or stretches:
            stretches.append(_track(path, chain[at : first + 1], joint, line[0]))
        stretches.append(road)
        at, joint = last, line[-1]
    if at < len(chain) - 1:
        stretches.append(_track(path, chain[at:], joint, _lonlat(chain[-1])))
    start, end = stretches[0].line[0], stretches[-1].line[-1]
    return _Laid(tuple(stretches), start, end, len(match.breaks), refused)


def _as_track(path: Path, chain: Sequence[Vertex], refused: bool = False) -> _Laid:
    start, end = _lonlat(chain[0]), _lonlat(chain[-1])
    stretches = (_track(path, chain, start, end),) if len(chain) > 1 else ()
    return _Laid(stretches, start, end, 0, refused)


def _track(path: Path, chain: Sequence[Vertex], start: LonLat, end: LonLat) -> Stretch:
    """The chain's own line, joined to what comes before and after it."""
    line = (start, *map(_lonlat, chain[1:-1]), end)
    return _stretch(path, Way.TRACK, chain, line)


def _stretch(path: Path, way: Way, chain: Sequence[Vertex], line: tuple[LonLat, ...]) -> Stretch:
    return Stretch(
        way=way,
        line=line,
        metres=line_metres(line),
        track_metres=line_metres([_lonlat(vertex) for vertex in chain]),
        t=(path.fixes[chain[0].first].t, path.fixes[chain[-1].last].t),
    )


def _agrees(road: Stretch, rules: MeterRules) -> bool:
    difference = abs(road.metres - road.track_metres)
    return difference <= rules.match_allowance + rules.match_agreement * road.track_metres


def _thinned(chain: Sequence[Vertex], rules: MeterRules) -> list[int]:
    """Indexes of the vertices to show the matcher: the two ends, the corners and turning points of
    the path (Douglas-Peucker), and between these one each ``match_spacing`` metres.

    Points closer together are noise along a street; without the corners a turn back in a side
    street would be cut off.
    """
    east = METRES_PER_DEGREE * math.cos(math.radians(chain[0].lat))
    xy = [(vertex.lon * east, vertex.lat * METRES_PER_DEGREE) for vertex in chain]
    if len(xy) < 2:
        return [0]
    corners = shapely.LineString(xy).simplify(rules.match_corner, preserve_topology=False)
    left = list(reversed(corners.coords))
    shown: list[int] = []
    for i, place in enumerate(xy):
        if place == left[-1]:
            if shown and i - 1 > shown[-1]:
                shown.extend(_between(xy, shown[-1], i, rules.match_spacing))
            shown.append(i)
            left.pop()
        if not left:
            break
    return shown


def _between(xy: Sequence[tuple[float, float]], first: int, last: int, spacing: float) -> list[int]:
    """Indexes between ``first`` and ``last`` at least ``spacing`` apart, the last one half of it."""
    chosen: list[int] = []
    at = first
    for i in range(first + 1, last):
        if math.dist(xy[i], xy[at]) >= spacing and math.dist(xy[i], xy[last]) >= spacing / 2:
            chosen.append(i)
            at = i
    return chosen


def _track_point(path: Path, vertex: Vertex) -> TrackPoint:
    middle = path.fixes[(vertex.first + vertex.last) // 2]
    return (vertex.lat, vertex.lon, middle.t, vertex.accuracy)


def _piece_ranges(count: int, match: MatchedTrack) -> list[tuple[int, int]]:
    """Which points each matched piece runs between: what the breaks leave of the track."""
    ranges: list[tuple[int, int]] = []
    at = 0
    for before, after in [*match.breaks, (count - 1, count)]:
        if match.matched[at] and match.matched[before]:
            ranges.append((at, before))
        at = after
    return ranges


def _gap(
    path: Path, index: int, start: LonLat, end: LonLat, rules: MeterRules, roads: Roads | None
) -> tuple[Gap, list[Stretch]]:
    """The gap after fix ``index``, and the stretch that fills it, if one may."""
    t = (path.fixes[index].t, path.fixes[index + 1].t)
    straight = line_metres((start, end))
    cause = _cause(path, index, straight, t[1] - t[0], rules)
    line: tuple[LonLat, ...] = ()
    fill = Fill.NONE
    if cause is Cause.SILENCE:
        line, fill = (start, end), Fill.STRAIGHT
        known = _road(start, end, straight, t[1] - t[0], rules, roads)
        if known:
            line, fill = known, Fill.ROAD
    metres = line_metres(line) if line else 0.0
    gap = Gap(t[0], t[1], _point(start), _point(end), straight, metres, fill, cause)
    if not line:
        return gap, []
    way = Way.GAP_ROAD if fill is Fill.ROAD else Way.GAP_STRAIGHT
    return gap, [Stretch(way, line, metres, straight, t)]


def _cause(path: Path, index: int, straight: float, seconds: float, rules: MeterRules) -> Cause:
    if seconds > rules.fill_seconds:
        return Cause.PAUSE
    return Cause.JUMP if path.jumps[index] else Cause.SILENCE


def _road(
    start: LonLat,
    end: LonLat,
    straight: float,
    seconds: float,
    rules: MeterRules,
    roads: Roads | None,
) -> tuple[LonLat, ...] | None:
    """The way by road across a gap, if one is known and could have been ridden in the time."""
    if roads is None:
        return None
    try:
        route = roads.route((_point(start), _point(end)))
    except RoadError:
        return None
    line = (start, *route.line, end)
    metres = line_metres(line)
    believable = min(
        rules.road_detour * straight + rules.road_allowance,
        rules.max_speed * seconds,
    )
    return line if route.source is Source.ROAD and metres <= believable else None


def _standing(path: Path, chain: Sequence[Vertex]) -> list[Gap]:
    """Silences at a place where the vehicle stood before and after."""
    return [
        Gap(
            started_at=path.fixes[i].t,
            ended_at=path.fixes[i + 1].t,
            start=Point(vertex.lat, vertex.lon),
            end=Point(vertex.lat, vertex.lon),
            straight_metres=0.0,
            metres=0.0,
            fill=Fill.NONE,
            cause=Cause.STANDING,
        )
        for vertex in chain
        for i in range(vertex.first, vertex.last)
        if path.silent[i]
    ]


def _lonlat(vertex: Vertex) -> LonLat:
    return vertex.lon, vertex.lat


def _point(place: LonLat) -> Point:
    return Point(lat=place[1], lon=place[0])

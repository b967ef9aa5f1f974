"""Cutting a way at the perimeters: legs by zone, whose lengths add up to the whole.

A way is a chain of straight segments in the plane of longitude and latitude (as RFC 7946 draws a
line). A segment is as long as the geodesic between its ends on WGS 84. Where a border cuts it,
each piece is measured on the geodesic between its own ends and the pieces are scaled to the
segment's length: a planar piece and a geodesic one differ by less than a millimetre over road
segments, and the sum stays exact over any.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from geodata.geodesic import WGS84
from laws.norm import Zone
from zones.atlas import Atlas
from zones.regions import CHEAPEST_FIRST
from zones.route import Route

LonLat = tuple[float, float]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GRAZE_M = 0.01
"""Metres: a way that leaves a zone for less than this has not left it (it touched a corner)."""


@dataclass(frozen=True, slots=True)
class ZoneLeg:
    """A stretch of a way in one zone: its length in (fractional) metres and its (longitude,
    latitude) pairs.

    ``stop`` is True where the leg ends at one of the stops after the first.
    """

    zone: Zone
    metres: float
    line: tuple[LonLat, ...]
    stop: bool


@dataclass(frozen=True, slots=True)
class _Pieces:
    """The way cut at every vertex and every crossing: piece i runs from point i to point i + 1."""

    points: Floats  # (n + 1, 2)
    metres: Floats  # (n,)
    codes: Ints  # (n,) zone of each
    vertex: Ints  # (segments + 1,) which point is each vertex of the way


def split(atlas: Atlas, line: Sequence[LonLat], stops: Sequence[int] = ()) -> tuple[ZoneLeg, ...]:
    """The legs of ``line`` by zone, in order of travel, broken also at the vertices in ``stops``.

    ``stops`` are vertex indexes in ascending order; the two ends are stops anyway. The lengths add
    up to `length(line)` within a millimetre. A stretch along a border is in the cheaper zone. Stops
    at the same place have a leg of 0 m between them, so that there is one ``stop`` leg for each
    stop after the first.

    Raises ``ValueError`` for fewer than two vertices, one that is not finite, or stops out of
    order.
    """
    vertices = _vertices(line)
    ends = _stop_vertices(stops, len(vertices))
    pieces = _cut(atlas, vertices)
    legs: list[ZoneLeg] = []
    for start, end in pairwise(pieces.vertex[ends].tolist()):
        legs.extend(_legs(pieces, start, end))
    return tuple(legs)


def split_route(atlas: Atlas, route: Route) -> tuple[ZoneLeg, ...]:
    """`split` of a route at its stops. Lengths are those of its geometry, not ``route.metres``:
    see `whole_metres`."""
    return split(atlas, route.line, route.stop_indexes)


def length(line: Sequence[LonLat]) -> float:
    """Metres along ``line``: the sum of the geodesics between its vertices."""
    return float(_geodesics(_vertices(line)).sum())


def whole_metres(lengths: Sequence[float], total: float | None = None) -> tuple[int, ...]:
    """``lengths`` in whole metres that add up to ``total`` (their own sum by default), both rounded
    to the metre.

    With a ``total`` the lengths are first scaled to it (a road distance, an estimate). Largest
    remainder: nobody gains or loses a whole metre, and of equal remainders the earlier leg gets
    the metre. Raises ``ValueError`` for a negative or non-finite length, or for a positive
    ``total`` over lengths that are all zero.
    """
    own = math.fsum(lengths)
    goal = own if total is None else total
    if not (math.isfinite(own) and math.isfinite(goal)) or goal < 0 or min(lengths, default=0) < 0:
        raise ValueError("os comprimentos devem ser números finitos e não negativos")
    target = math.floor(goal + 0.5)
    if own == 0:
        if target:
            raise ValueError("não há como repartir uma distância entre trechos de comprimento zero")
        return (0,) * len(lengths)
    shares = [value * (target / own) for value in lengths]
    whole = [math.floor(share) for share in shares]
    by_remainder = sorted(range(len(shares)), key=lambda i: whole[i] - shares[i])
    for i in by_remainder[: target - sum(whole)]:
        whole[i] += 1
    return tuple(whole)


def _vertices(line: Sequence[LonLat]) -> Floats:
    vertices = np.asarray(line, dtype=float)
    if vertices.ndim != 2 or vertices.shape[1] != 2 or len(vertices) < 2:
        raise ValueError("o trajeto precisa de dois ou mais pontos (longitude, latitude)")
    if not np.isfinite(vertices).all():
        raise ValueError("o trajeto tem coordenada que não é número finito")
    return vertices


def _stop_vertices(stops: Sequence[int], count: int) -> list[int]:
    ends = [0, *(i for i in stops if 0 < i < count - 1), count - 1]
    if list(stops) != sorted(stops) or any(not 0 <= i < count for i in stops):
        raise ValueError("as paradas devem ser vértices do trajeto, em ordem")
    return ends


def _cut(atlas: Atlas, vertices: Floats) -> _Pieces:
    segment, along = atlas.borders.crossings(vertices)
    owner = np.concatenate([np.arange(len(vertices)), segment])
    place = np.concatenate([np.zeros(len(vertices)), along])
    order = np.lexsort((place, owner))
    owner, place = owner[order], place[order]
    following = np.minimum(owner + 1, len(vertices) - 1)
    points = vertices[owner] + place[:, None] * (vertices[following] - vertices[owner])
    middles = (points[:-1] + points[1:]) / 2
    return _Pieces(
        points=points,
        metres=_piece_metres(vertices, points, owner[:-1]),
        codes=atlas.locate_many(middles[:, 0], middles[:, 1]).astype(np.int64),
        vertex=np.flatnonzero(order < len(vertices)),
    )


def _piece_metres(vertices: Floats, points: Floats, owner: Ints) -> Floats:
    whole = _geodesics(vertices)
    count = np.bincount(owner, minlength=len(whole))
    metres = whole[owner]
    cut = np.flatnonzero(count[owner] > 1)
    if cut.size:
        metres[cut] = WGS84.inv(*points[cut].T, *points[cut + 1].T)[2]
        measured = np.bincount(owner[cut], weights=metres[cut], minlength=len(whole))
        metres[cut] *= whole[owner[cut]] / measured[owner[cut]]
    return metres


def _geodesics(points: Floats) -> Floats:
    return np.asarray(WGS84.inv(*points[:-1].T, *points[1:].T)[2])


def _legs(pieces: _Pieces, start: int, end: int) -> list[ZoneLeg]:
    """The legs between two stops, which are points ``start`` and ``end``."""
    metres = pieces.metres[start:end]
    codes = _without_grazes(pieces.codes[start:end], metres)
    return [
        ZoneLeg(
            zone=CHEAPEST_FIRST[code],
            metres=float(metres[first:last].sum()),
            line=_line(pieces, start + first, start + last),
            stop=last == len(codes),
        )
        for first, last, code in _runs(codes)
    ]


def _line(pieces: _Pieces, first: int, last: int) -> tuple[LonLat, ...]:
    """The points of a leg: its two ends and the vertices of the way between them."""
    after, before = np.searchsorted(pieces.vertex, first, "right"), np.searchsorted(pieces.vertex, last, "left")
    shown = np.concatenate([[first], pieces.vertex[after:before], [last]])
    return tuple((lon, lat) for lon, lat in pieces.points[shown].tolist())


def _runs(codes: Ints) -> list[tuple[int, int, int]]:
    """(first, last + 1, code) of each run of equal codes."""
    starts = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]
    return [(a, b, int(codes[a])) for a, b in pairwise(starts)]


def _without_grazes(codes: Ints, metres: Floats) -> Ints:
    """Codes where each run shorter than ``GRAZE_M`` has taken the cheaper code of the longer runs
    beside it.

    The rule reads the same from either end of the way.
    """
    runs = _runs(codes)
    long = [run for run in runs if metres[run[0] : run[1]].sum() >= GRAZE_M]
    if not long:
        return np.full_like(codes, codes.min())
    kept = codes.copy()
    kept[: long[0][0]] = long[0][2]
    for (_, end, before), (start, _, after) in pairwise(long):
        kept[end:start] = min(before, after)
    kept[long[-1][1] :] = long[-1][2]
    return kept

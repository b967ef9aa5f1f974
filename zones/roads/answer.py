"""From the legs an engine answered to a `Route`, checked before anybody is charged by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from pyproj import Geod

from geodata.point import Point
from zones.roads.errors import EngineDown, NoRoadNearby
from zones.route import Route, Source

__all__ = ["ACCESS_METRES", "SNAP_LIMIT_METRES", "WGS84", "Line", "length", "route_from_legs"]

Line = Sequence[tuple[float, float]]
"""Vertices as (longitude, latitude)."""

WGS84 = Geod(ellps="WGS84")

SNAP_LIMIT_METRES = 300.0
"""How far from a known road a stop may lie: a wide farm yard, not the next farm."""

ACCESS_METRES = 50.0
"""From here on the stretch between stop and road is worth telling: more than a block's depth."""

MOST_VERTICES = 200_000
JOINT_METRES = 1.0
DISAGREEMENT_SHARE = 0.02
DISAGREEMENT_METRES = 20.0


def route_from_legs(
    engine: str,
    stops: Sequence[Point],
    legs: Sequence[Line],
    claimed_metres: float,
    limit: float,
) -> Route:
    """The route made of ``legs``, one per pair of consecutive stops, each of one vertex or more.

    The price length is the geodesic length of the geometry, not the engine's own figure: engines
    sum whole metres per edge on a sphere, while the geometry is what the perimeter cuts, so only
    its own length makes the legs add up to the whole. The engine's figure is a check: beyond 2 %
    + 20 m of difference the geometry was simplified or the answer is wrong.

    The way starts and ends on the road. Where a stop lies more than `ACCESS_METRES` from it, that
    stretch is not in ``metres`` but in ``high``, with a warning.

    Raises ``EngineDown`` for an incoherent answer, ``NoRoadNearby`` for a stop beyond ``limit``.
    """
    line, indexes = _joined(engine, stops, legs)
    snaps = _snap_distances(stops, [line[index] for index in indexes])
    worst = max(range(len(snaps)), key=snaps.__getitem__)
    if snaps[worst] > limit + JOINT_METRES:
        raise NoRoadNearby(stops[worst], snaps[worst], limit)
    metres = length(line)
    if not abs(metres - claimed_metres) <= DISAGREEMENT_METRES + DISAGREEMENT_SHARE * metres:
        raise EngineDown(
            engine,
            f"a resposta diz {claimed_metres:.0f} m, mas o traçado mede {metres:.0f} m",
        )
    off_road = _off_road(snaps)
    return Route(
        line=line,
        stop_indexes=indexes,
        metres=metres,
        low=metres,
        high=metres + off_road,
        source=Source.ROAD,
        engine=engine,
        warnings=tuple(
            f"A parada {number} fica a {snap:.0f} m da via mais próxima no mapa; esse trecho não "
            "entra na distância, só no limite superior."
            for number, snap in enumerate(snaps, start=1)
            if snap > ACCESS_METRES
        ),
    )


def _joined(
    engine: str, stops: Sequence[Point], legs: Sequence[Line]
) -> tuple[tuple[tuple[float, float], ...], tuple[int, ...]]:
    """One line without repeated vertices inside a leg, and where each stop is on it."""
    if len(legs) != len(stops) - 1:
        raise EngineDown(engine, f"vieram {len(legs)} trechos para {len(stops)} pontos")
    if sum(map(len, legs)) > MOST_VERTICES:
        raise EngineDown(engine, f"o traçado tem mais de {MOST_VERTICES} vértices")
    line: list[tuple[float, float]] = []
    indexes = [0]
    for leg in legs:
        if not leg or not all(_is_position(vertex) for vertex in leg):
            raise EngineDown(engine, "o traçado não é uma sequência de coordenadas")
        if line and length((line[-1], leg[0])) > JOINT_METRES:
            raise EngineDown(engine, "os trechos do traçado não se ligam")
        if not line:
            line.append(leg[0])
        line.extend(after for before, after in pairwise(leg) if before != after)
        if len(line) == indexes[-1] + 1:  # a leg between two equal stops
            line.append(line[-1])
        indexes.append(len(line) - 1)
    return tuple(line), tuple(indexes)


def _is_position(vertex: tuple[float, float]) -> bool:
    lon, lat = vertex
    return math.isfinite(lon) and math.isfinite(lat) and abs(lon) <= 180 and abs(lat) <= 90


def length(line: Line) -> float:
    """Metres along ``line``: the sum of the geodesics between its vertices."""
    return float(WGS84.line_length([lon for lon, _ in line], [lat for _, lat in line]))


def _snap_distances(stops: Sequence[Point], on_road: Line) -> list[float]:
    lons, lats = zip(*on_road, strict=True)
    _, _, metres = WGS84.inv([p.lon for p in stops], [p.lat for p in stops], lons, lats)
    return [float(each) for each in metres]


def _off_road(snaps: Sequence[float]) -> float:
    """Metres between stops and road: once for the ends, in and out again for a stop between."""
    told = [snap if snap > ACCESS_METRES else 0.0 for snap in snaps]
    return told[0] + 2 * sum(told[1:-1]) + told[-1]

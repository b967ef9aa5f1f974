"""From the legs an engine answered to a `Route`, checked before anybody is charged by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from geodata.geodesic import WGS84, line_metres
from geodata.point import Point
from zones.roads.errors import EngineDown, NoRoadNearby
from zones.route import Route, Source

__all__ = ["ACCESS_METRES", "FARTHEST_SEARCH_METRES", "SNAP_LIMIT_METRES", "Line", "route_from_legs"]

Line = Sequence[tuple[float, float]]
"""Vertices as (longitude, latitude)."""

SNAP_LIMIT_METRES = 300.0
"""How far from a known road a stop may lie: a wide farm yard, not the next farm."""

ACCESS_METRES = 50.0
"""From here on the stretch between stop and road is worth telling: more than a block's depth."""

FARTHEST_SEARCH_METRES = 35_000.0
"""How far from a stop a road is still said to be near enough to name."""

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

    The price length is the geodesic length of the geometry, not the engine's own figure: engines sum whole metres
    per edge on a sphere, while the geometry is what the perimeter cuts, so only its own length makes the legs add up
    to the whole. The engine's figure is a check: beyond 2 % + 20 m of difference the geometry was simplified or the
    answer is wrong.

    The way starts and ends on the road. Where a stop lies more than `ACCESS_METRES` from it, that stretch is not in
    ``metres`` but in ``high``, with a warning. Where the way reaches a stop by one road and leaves it by another (a
    one-way street that leads off the map), the straight line between the two is part of it, with a warning.

    Raises ``EngineDown`` for an incoherent answer, ``NoRoadNearby`` for a stop beyond ``limit``.
    """
    _check_shape(engine, stops, legs)
    snaps = _snap_distances(stops, legs)
    worst = max(range(len(snaps)), key=snaps.__getitem__)
    if snaps[worst] > FARTHEST_SEARCH_METRES:
        raise EngineDown(engine, "o traçado não passa pelos pontos pedidos")
    if snaps[worst] > limit + JOINT_METRES:
        raise NoRoadNearby(stops[worst], snaps[worst], limit)
    line, indexes = _joined(legs)
    gaps = [0.0, *(line_metres((before[-1], after[0])) for before, after in pairwise(legs)), 0.0]
    metres = line_metres(line)
    ridden = metres - sum(gaps)
    if not abs(ridden - claimed_metres) <= DISAGREEMENT_METRES + DISAGREEMENT_SHARE * ridden:
        raise EngineDown(engine, f"a resposta diz {claimed_metres:.0f} m, mas o traçado mede {ridden:.0f} m")
    return Route(
        line=line,
        stop_indexes=indexes,
        metres=metres,
        low=metres,
        high=metres + _off_road(snaps),
        source=Source.ROAD,
        engine=engine,
        warnings=tuple(_stop_warnings(snaps, gaps)),
    )


def _check_shape(engine: str, stops: Sequence[Point], legs: Sequence[Line]) -> None:
    if len(legs) != len(stops) - 1:
        raise EngineDown(engine, f"vieram {len(legs)} trechos para {len(stops)} pontos")
    if sum(map(len, legs)) > MOST_VERTICES:
        raise EngineDown(engine, f"o traçado tem mais de {MOST_VERTICES} vértices")
    if not all(leg and all(map(_is_position, leg)) for leg in legs):
        raise EngineDown(engine, "o traçado não é uma sequência de coordenadas")


def _is_position(vertex: tuple[float, float]) -> bool:
    lon, lat = vertex
    return abs(lon) <= 180 and abs(lat) <= 90  # False for NaN


def _joined(legs: Sequence[Line]) -> tuple[tuple[tuple[float, float], ...], tuple[int, ...]]:
    """One line without repeated vertices, and where each stop is on it: two vertices for a leg between equal stops."""
    line = [legs[0][0]]
    indexes = [0]
    for leg in legs:
        line.extend(after for before, after in pairwise((line[-1], *leg)) if before != after)
        if len(line) == indexes[-1] + 1:
            line.append(line[-1])
        indexes.append(len(line) - 1)
    return tuple(line), tuple(indexes)


def _snap_distances(stops: Sequence[Point], legs: Sequence[Line]) -> list[float]:
    """Metres from each stop to the road: to where the way arrives or leaves, whichever is farther."""
    leaves = [leg[0] for leg in legs] + [legs[-1][-1]]
    arrives = [legs[0][0]] + [leg[-1] for leg in legs]
    return [
        max(WGS84.inv(*stop.lonlat, *arrived)[2], WGS84.inv(*stop.lonlat, *left)[2])
        for stop, arrived, left in zip(stops, arrives, leaves, strict=True)
    ]


def _off_road(snaps: Sequence[float]) -> float:
    """Metres between stops and road: once for the ends, in and out again for a stop between."""
    told = [snap if snap > ACCESS_METRES else 0.0 for snap in snaps]
    return told[0] + 2 * sum(told[1:-1]) + told[-1]


def _stop_warnings(snaps: Sequence[float], gaps: Sequence[float]) -> Iterator[str]:
    for number, (snap, gap) in enumerate(zip(snaps, gaps, strict=True), start=1):
        if snap > ACCESS_METRES:
            yield (
                f"A parada {number} fica a {snap:.0f} m da via mais próxima no mapa; esse trecho não entra na "
                "distância, só no limite superior."
            )
        if gap > JOINT_METRES:
            yield (
                f"O caminho chega à parada {number} por uma via e sai por outra que o mapa não liga; os {gap:.0f} m "
                "entre elas contam em linha reta."
            )

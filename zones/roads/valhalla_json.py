"""Valhalla's own request and answer, the same in process and over HTTP.

Source: the Valhalla API reference, "turn-by-turn" (https://valhalla.github.io/valhalla/api/).
"""

from __future__ import annotations

from collections.abc import Sequence

from geodata.point import Point
from zones.roads.answer import route_from_legs
from zones.roads.errors import EngineDown, NoRoadNearby, NoWay, RoadError
from zones.route import Route

try:
    from valhalla.midgard.utils import decode_polyline  # from 3.9 on
except ImportError:
    from valhalla.utils.decode_polyline import decode_polyline

__all__ = ["COSTING", "COSTING_OPTIONS", "failure", "read_route", "route_request"]

COSTING = "motorcycle"
COSTING_OPTIONS = {COSTING: {"shortest": True, "use_trails": 0.5, "use_tracks": 0.5}}
"""The shortest way a motorcycle may lawfully ride, whatever its surface.

Not the fastest: a fare by the kilometre must not hang on an engine's guess of speeds (by its defaults an unpaved
track is left for a paved way three times as long) nor charge a passenger for a longer way than there is. Anyone can
check the shortest with a map and a ruler; the tests do, with a search of their own.
"""

NO_EDGE_NEARBY = 171
TOO_FAR = 154
NO_PATH = frozenset({442, 443, 444})


def route_request(stops: Sequence[Point], limit: float) -> dict[str, object]:
    """The request for a way through ``stops`` that looks for roads at most ``limit`` m away."""
    return {
        "locations": [{"lat": stop.lat, "lon": stop.lon, "type": "break", "search_cutoff": limit} for stop in stops],
        "costing": COSTING,
        "costing_options": COSTING_OPTIONS,
        "directions_type": "none",
        "units": "kilometers",
    }


def read_route(engine: str, stops: Sequence[Point], answer: object, limit: float) -> Route:
    """The route in an answer to `route_request`.

    Raises ``EngineDown`` if the answer is not what Valhalla documents, else as `route_from_legs`.
    """
    try:
        trip = answer["trip"]  # type: ignore[index] # anything malformed ends in the except below
        legs = [decode_polyline(leg["shape"], 6) for leg in trip["legs"]]
        claimed = float(trip["summary"]["length"]) * 1000
    except (LookupError, TypeError, ValueError, OverflowError, RuntimeError):
        raise EngineDown(engine, "a resposta não tem o formato esperado") from None
    return route_from_legs(engine, stops, legs, claimed, limit)


def failure(engine: str, code: int | None, message: str, limit: float) -> RoadError:
    """What Valhalla's refusal means. ``code`` is None where the binding gives only its text."""
    if code == NO_EDGE_NEARBY or "No suitable edges near location" in message:
        return NoRoadNearby(None, None, limit)
    if code in NO_PATH or "failed to find path" in message or "No path could be" in message:
        return NoWay()
    if code == TOO_FAR or "exceeds the max distance" in message:
        return EngineDown(engine, "a distância passa do limite do motor")
    return EngineDown(engine, f"o motor recusou o pedido ({message})")

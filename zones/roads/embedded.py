"""Valhalla inside this process, over tiles made by `zones.roads.build`."""

from __future__ import annotations

import copy
import json
import tempfile
import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import valhalla

from geodata.geodesic import WGS84, line_metres
from geodata.point import Point
from zones.roads.answer import FARTHEST_SEARCH_METRES, SNAP_LIMIT_METRES
from zones.roads.data import current_build, read_record
from zones.roads.errors import EngineDown, NoRoadNearby, NoWay
from zones.roads.match import (
    BREAKAGE_METRES,
    MOST_FIXES,
    MOST_METRES,
    Fix,
    MatchedTrack,
    check_track,
    typical_accuracy,
)
from zones.roads.valhalla_json import COSTING, COSTING_OPTIONS, failure, read_route, route_request
from zones.route import Route

__all__ = ["ENGINE", "EmbeddedRoads", "engine_config", "open_engine"]

ENGINE = "valhalla"

TURN_PENALTY = 200
"""Valhalla's own figure for cars; its table has none for motorcycles, which would mean 0."""

MATCH_RADIUS_METRES = 80
"""How far from a fix the matcher looks for its road. Valhalla's own 50 is less than three times a poor fix's error."""


def engine_config(*, tile_dir: Path | None = None, tile_extract: Path | None = None) -> dict[str, object]:
    """Valhalla's configuration: silent, bounded, and without the system-wide files it looks for by default.

    The tiles of a town come as one tar, mapped into memory and shared by every process that routes on it, so the
    cache that Valhalla would fill per process (1 GB by default) stays empty.
    """
    config = copy.deepcopy(valhalla.get_config(tile_extract="", tile_dir="", verbose=False))
    mjolnir = config["mjolnir"]
    mjolnir["tile_dir"] = str(tile_dir or "")
    mjolnir["tile_extract"] = str(tile_extract or "")
    mjolnir["max_cache_size"] = 64_000_000
    mjolnir["concurrency"] = 2
    for unused in ("admin", "landmarks", "timezone", "traffic_extract", "transit_dir", "transit_feeds_dir"):
        mjolnir[unused] = ""
    config["additional_data"]["elevation"] = ""
    for part in ("mjolnir", "loki", "thor", "odin", "meili"):
        config[part].setdefault("logging", {})["type"] = ""
    config.setdefault("logging", {})["type"] = ""
    config["meili"]["default"]["breakage_distance"] = BREAKAGE_METRES
    config["service_limits"]["trace"] |= {"max_shape": MOST_FIXES, "max_distance": MOST_METRES}
    return config  # type: ignore[no-any-return] # the package is untyped


def open_engine(tiles: Path) -> valhalla.Actor:
    """An engine over one tar of tiles. Raises ``RuntimeError`` or ``OSError`` if it cannot be read."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(engine_config(tile_extract=tiles), file)
        file.flush()
        return valhalla.Actor(file.name)


class EmbeddedRoads:
    """Routes and matched tracks by motorcycle: one-way streets respected, unpaved roads ridden.

    One engine per process behind a lock: Valhalla's binding holds the interpreter lock while it works, so more
    engines would cost memory and win nothing. A new build is picked up at the next request.
    """

    def __init__(self, folder: Path, *, snap_limit: float = SNAP_LIMIT_METRES) -> None:
        """``folder`` is the town's (`data.town_folder`), ``snap_limit`` metres from a stop to a road."""
        self._folder = folder
        self._snap_limit = snap_limit
        self._lock = threading.Lock()
        self._build: Path | None = None
        self._actor: valhalla.Actor | None = None

    def route(self, stops: Sequence[Point]) -> Route:
        """The shortest lawful way through ``stops``, ridden in order, turning round at a stop where need be.

        Raises ``NoRoadNearby``, ``NoWay``, ``EngineDown`` (no data built, or damaged).
        """
        with self._lock:
            actor = self._engine()
            try:
                answer = actor.route(route_request(stops, self._snap_limit))
            except RuntimeError as why:
                refusal = failure(ENGINE, getattr(why, "code", None), str(why), self._snap_limit)
                if isinstance(refusal, NoRoadNearby):
                    refusal = self._far_from_roads(actor, stops)
                raise refusal from None
        return read_route(ENGINE, stops, answer, self._snap_limit)

    def match(self, fixes: Sequence[Fix]) -> MatchedTrack:
        """Lay a track of fixes, in order of time, on the roads it was ridden on.

        Raises ``TrackTooLong``, ``EngineDown``; ``ValueError`` for fixes that no track can hold.
        """
        check_track(fixes)
        if len(fixes) < 2:
            return _nothing_matched(len(fixes))
        request = {
            "shape": [{"lat": lat, "lon": lon, "time": t} for lat, lon, t, _ in fixes],
            "costing": COSTING,
            "costing_options": COSTING_OPTIONS,
            "shape_match": "map_snap",
            "trace_options": {
                "gps_accuracy": typical_accuracy(fixes),
                "search_radius": MATCH_RADIUS_METRES,
                "turn_penalty_factor": TURN_PENALTY,
            },
            "directions_type": "none",
            "format": "osrm",
            "shape_format": "geojson",
        }
        with self._lock:
            actor = self._engine()
            try:
                answer = actor.trace_route(request)
            except RuntimeError as why:
                refusal = failure(ENGINE, getattr(why, "code", None), str(why), self._snap_limit)
                if isinstance(refusal, NoWay | NoRoadNearby):
                    return _nothing_matched(len(fixes))
                raise refusal from None
        return _read_match(answer)

    def _engine(self) -> valhalla.Actor:
        build = current_build(self._folder)
        if build is None:
            raise EngineDown(
                ENGINE,
                "a malha viária deste município ainda não foi instalada",
            )
        if self._actor is None or build != self._build:
            try:
                read_record(build)
                self._actor = open_engine(build / "tiles.tar")
            except (OSError, LookupError, ValueError, TypeError, RuntimeError) as why:
                raise EngineDown(ENGINE, f"a malha viária de {self._folder.name} está danificada ({why})") from None
            self._build = build
        return self._actor

    def _far_from_roads(self, actor: valhalla.Actor, stops: Sequence[Point]) -> NoRoadNearby:
        """Which stop the engine could not place, and how far the nearest road is."""
        far = max(((self._metres_to_road(actor, stop), stop) for stop in stops), key=lambda pair: pair[0])
        metres = far[0] if far[0] < FARTHEST_SEARCH_METRES else None
        return NoRoadNearby(far[1], metres, self._snap_limit)

    def _metres_to_road(self, actor: valhalla.Actor, stop: Point) -> float:
        location = {"lat": stop.lat, "lon": stop.lon, "search_cutoff": FARTHEST_SEARCH_METRES}
        request = {"locations": [location], "costing": COSTING, "costing_options": COSTING_OPTIONS}
        try:
            edges = actor.locate(request)[0]["edges"] or ()
        except RuntimeError:
            return FARTHEST_SEARCH_METRES
        places = [(edge["correlated_lon"], edge["correlated_lat"]) for edge in edges]
        return min((WGS84.inv(*stop.lonlat, *place)[2] for place in places), default=FARTHEST_SEARCH_METRES)


def _nothing_matched(count: int) -> MatchedTrack:
    breaks = ((0, count - 1),) if count > 1 else ()
    return MatchedTrack(pieces=(), metres=0.0, breaks=breaks, matched=(False,) * count)


def _read_match(answer: dict[str, Any]) -> MatchedTrack:
    """The track in an answer in OSRM's form: one matching per unbroken piece, one tracepoint per fix."""
    piece_of = [None if point is None else int(point["matchings_index"]) for point in answer["tracepoints"]]
    pieces = tuple(
        tuple((float(lon), float(lat)) for lon, lat in matching["geometry"]["coordinates"])
        for matching in answer["matchings"]
    )
    return MatchedTrack(
        pieces=pieces,
        metres=sum(map(line_metres, pieces)),
        breaks=_breaks(piece_of),
        matched=tuple(piece is not None for piece in piece_of),
    )


def _breaks(piece_of: Sequence[int | None]) -> tuple[tuple[int, int], ...]:
    """The stretches between consecutive pieces, and before the first and after the last."""
    laid = [(index, piece) for index, piece in enumerate(piece_of) if piece is not None]
    between = [(a, b) for (a, before), (b, after) in pairwise(laid) if before != after]
    first, last, end = laid[0][0], laid[-1][0], len(piece_of) - 1
    return ((0, first),) * (first > 0) + tuple(between) + ((last, end),) * (last < end)

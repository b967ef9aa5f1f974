"""Which engine answers for a town, and what happens when it cannot: an estimate that says why."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from shapely import intersects_xy, prepare, union_all

from geodata.features import read
from geodata.point import Point
from settings import Settings
from zones.roads.data import current_build, town_folder
from zones.roads.errors import EngineDown, NoRoadNearby, NoWay
from zones.roads.estimate import EstimateRoads, load_detour
from zones.route import Roads, Route

if TYPE_CHECKING:
    from zones.roads.embedded import EmbeddedRoads

__all__ = ["OffMap", "RoadsOrEstimate", "matcher_for", "roads_for"]

Inside = Callable[[Point], bool]


class OffMap(StrEnum):
    """What to answer for a stop that no known road reaches although roads are known.

    ESTIMATE: where every stop is inside the municipality, the map is taken to be incomplete (an unmapped *linha*)
    and the answer is an estimate with a warning; elsewhere it is an error. REFUSE: always an error.
    """

    ESTIMATE = "estimate"
    REFUSE = "refuse"


class RoadsOrEstimate:
    """An engine, and the estimate that stands in for it: never without a warning that says why.

    ``inside`` tells whether a point lies in the municipality; without it nobody can say so, and a stop that no road
    reaches is always an error.
    """

    def __init__(
        self, engine: Roads, estimate: Roads, *, off_map: OffMap = OffMap.ESTIMATE, inside: Inside | None = None
    ) -> None:
        self._engine = engine
        self._estimate = estimate
        self._off_map = off_map
        self._inside = inside

    def route(self, stops: Sequence[Point]) -> Route:
        """The way through ``stops`` by road or, failing that, estimated. Raises ``NoRoadNearby``, ``NoWay``."""
        try:
            return self._engine.route(stops)
        except EngineDown as down:
            return self._estimated(stops, str(down))
        except (NoRoadNearby, NoWay) as off_map:
            if not self._map_is_incomplete(stops):
                raise
            return self._estimated(stops, _why(off_map))

    def _map_is_incomplete(self, stops: Sequence[Point]) -> bool:
        return self._off_map is OffMap.ESTIMATE and self._inside is not None and all(map(self._inside, stops))

    def _estimated(self, stops: Sequence[Point], why: str) -> Route:
        route = self._estimate.route(stops)
        return dataclasses.replace(route, warnings=(why, *route.warnings))


def _why(off_map: NoRoadNearby | NoWay) -> str:
    if isinstance(off_map, NoWay):
        return "As vias do mapa não ligam os pontos; dentro do município, o mapa pode estar incompleto."
    if off_map.point is None or off_map.metres is None:
        return "Um dos pontos fica longe de qualquer via do mapa; dentro do município, o mapa pode estar incompleto."
    return (
        f"O ponto {off_map.point.lat:.6f}, {off_map.point.lon:.6f} fica a {off_map.metres:.0f} m da via mais próxima "
        "do mapa; dentro do município, o mapa pode estar incompleto."
    )


def roads_for(slug: str, settings: Settings, *, off_map: OffMap = OffMap.ESTIMATE) -> Roads:
    """The roads of a town by the engine the settings name; engines are kept, so ask as often as you like.

    The municipality's own limit (`geodata/<slug>/limit.geojson`) says which points are inside it. Raises
    ``BadDetour``, ``BadFeature``, ``BadEngineUrl``, ``BuildFailed`` (not a slug): our data, not the caller's points.
    """
    estimate = _estimate(slug, settings.geodata)
    if settings.roads == "estimate":
        return estimate
    folder = town_folder(settings.data, slug)
    try:
        engine: Roads = (
            _embedded(folder) if settings.roads == "embedded" else _remote(settings.roads, settings.roads_url)
        )
    except ImportError:
        engine = NoEngine()
    return RoadsOrEstimate(engine, estimate, off_map=off_map, inside=_inside(slug, settings.geodata))


def matcher_for(slug: str, settings: Settings) -> EmbeddedRoads | None:
    """What lays GPS tracks of a town on its roads, or None where no road data is built or another engine is chosen.

    Raises ``BuildFailed`` for what is not a slug.
    """
    folder = town_folder(settings.data, slug)
    if settings.roads != "embedded" or current_build(folder) is None:
        return None
    try:
        return _embedded(folder)
    except ImportError:
        return None


class NoEngine:
    """Stands in where the routing library has no wheel (Python 3.11 on arm64): every way is then an estimate."""

    def route(self, stops: Sequence[Point]) -> Route:
        """Raises ``EngineDown``."""
        raise EngineDown("valhalla", "este computador não tem a biblioteca de rotas; use Python 3.12 ou mais novo")


@lru_cache(maxsize=256)
def _estimate(slug: str, geodata: Path) -> EstimateRoads:
    return EstimateRoads(load_detour(geodata, slug))


@lru_cache(maxsize=256)
def _inside(slug: str, geodata: Path) -> Inside | None:
    path = geodata / slug / "limit.geojson"
    if not path.is_file():
        return None
    limit = union_all([feature.geometry for feature in read(path, ("Polygon", "MultiPolygon"))])
    prepare(limit)
    return lambda point: bool(intersects_xy(limit, point.lon, point.lat))


@lru_cache(maxsize=64)
def _embedded(folder: Path) -> EmbeddedRoads:
    """One engine per town; the bound keeps them from adding up. Raises ``ImportError`` where there is no library."""
    from zones.roads.embedded import EmbeddedRoads

    return EmbeddedRoads(folder)


@lru_cache(maxsize=4)
def _remote(kind: str, url: str | None) -> Roads:
    """One client per server, whatever the town, so that its circuit breaker knows of every failure."""
    from zones.roads.remote import OsrmRoads, ValhallaRoads

    return OsrmRoads(url or "") if kind == "osrm" else ValhallaRoads(url or "")

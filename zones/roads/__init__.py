"""How far by road: one interface (`zones.route.Roads`), one module per engine.

`embedded` routes in process over tiles made by `build`; `remote` asks OSRM or Valhalla over HTTP;
`estimate` multiplies the straight line by a measured detour factor; `chain` chooses by setting and
falls back, saying so. `match` defines map matching, which only `embedded` offers.
"""

from zones.roads.errors import (
    BuildFailed,
    EngineDown,
    NoRoadNearby,
    NoWay,
    RoadError,
    TrackTooLong,
)

__all__ = ["BuildFailed", "EngineDown", "NoRoadNearby", "NoWay", "RoadError", "TrackTooLong"]

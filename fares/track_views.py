"""`POST /api/v1/tracks/measure`: a ride measured by its phone's fixes, like a taximeter. Stores nothing."""

from __future__ import annotations

from datetime import date
from statistics import median_low
from zoneinfo import ZoneInfo

from flask import current_app

from accounts.current import must_work_in, requires
from api.openapi import Blueprint
from fares.meter import Way
from fares.metered import Metered, TrackOrder, meter
from fares.metered import local as local_time
from fares.quote_views import OSM_CREDIT, no_map, store
from fares.track_schemas import StatedTrack, ToldTrack, TrackIn, TrackOut, told
from fares.trip import FactMissing
from fares.views import fact_missing, unknown_municipality
from laws.loader import UnknownMunicipality
from laws.shelf import lawbook
from settings import Settings
from zones.atlas import Atlas
from zones.roads.chain import matcher_for, roads_for
from zones.store import NoMap, atlas_in_force

blueprint = Blueprint("tracks", __name__, url_prefix="/api/v1", description="Medição de corridas por GPS")


@blueprint.post("/tracks/measure")
@blueprint.arguments(TrackIn())
@blueprint.response(200, TrackOut())
@requires("tracks:measure")
def measure_track(stated: StatedTrack) -> ToldTrack:
    """Mede a corrida pelas posições do aparelho: distância por zona, tempo parado, grau, lacunas e tarifa."""
    book, settings = lawbook(), _settings()
    zone = book.municipality(stated.municipality).zone_info
    must_work_in(stated.municipality)
    order = stated.order(zone)
    with store().sessions.begin() as session:
        atlas = atlas_in_force(session, order.municipality, _day(order, zone))
    roads = roads_for(order.municipality, settings)
    metered = meter(order, book, atlas, matcher_for(order.municipality, settings), roads)
    return told(metered, order.municipality, zone, _credits(atlas, metered))


def _day(order: TrackOrder, zone: ZoneInfo) -> date:
    """The day of the ride, whatever a few wrong clocks say."""
    return local_time(median_low(fix.t for fix in order.fixes), zone).date()


def _credits(atlas: Atlas, metered: Metered) -> tuple[str, ...]:
    """Whose data the answer shows: the perimeters' and, where roads were used, the map's."""
    perimeters = [atlas.limit.credit, *(perimeter.credit for perimeter in atlas.perimeters)]
    by_road = any(stretch.way in (Way.ROAD, Way.GAP_ROAD) for stretch in metered.measurement.stretches)
    return tuple(dict.fromkeys(credit for credit in (*perimeters, OSM_CREDIT if by_road else "") if credit))


def _settings() -> Settings:
    settings: Settings = current_app.extensions["settings"]
    return settings


blueprint.register_error_handler(UnknownMunicipality, unknown_municipality)
blueprint.register_error_handler(FactMissing, fact_missing)
blueprint.register_error_handler(NoMap, no_map)

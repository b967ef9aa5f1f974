"""The maps of a municipality, for anyone to read."""

from __future__ import annotations

from datetime import datetime

from flask import Response, current_app

from api import caching, problem
from api.openapi import Blueprint
from geodata.features import read
from laws.loader import UnknownMunicipality
from laws.shelf import lawbook
from laws.views import unknown_municipality
from settings import Settings
from store.connections import Connections
from zones.schemas import PontosOut, PublicMap, ZonesOut, map_of_pontos, map_of_zones
from zones.store import NoMap, atlas_in_force

blueprint = Blueprint("zones", __name__, url_prefix="/api/v1/municipalities", description="Zonas e pontos no mapa")


@blueprint.get("/<slug>/zones")
@caching.cacheable
@blueprint.response(200, ZonesOut())
@blueprint.alt_response(404, "NOT_FOUND")
def zones(slug: str) -> PublicMap:
    """O limite e os perímetros em vigor hoje, com origem, situação e precisão."""
    today = datetime.now(lawbook().municipality(slug).zone_info).date()
    store: Connections = current_app.extensions["store"]
    with store.sessions.begin() as session:
        return map_of_zones(atlas_in_force(session, slug, today))


@blueprint.get("/<slug>/pontos")
@caching.cacheable
@blueprint.response(200, PontosOut())
@blueprint.alt_response(404, "NOT_FOUND")
def pontos(slug: str) -> PublicMap:
    """Os pontos que a lei nomeia, e se a posição de cada um foi conferida."""
    lawbook().municipality(slug)
    settings: Settings = current_app.extensions["settings"]
    path = settings.geodata / slug / "pontos.geojson"
    return map_of_pontos(read(path, ("Point",)) if path.is_file() else ())


def no_map(error: NoMap) -> Response:
    return problem.Problem(404, str(error), "no_map").response()


blueprint.register_error_handler(UnknownMunicipality, unknown_municipality)
blueprint.register_error_handler(NoMap, no_map)

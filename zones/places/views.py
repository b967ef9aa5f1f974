"""`GET /api/v1/municipalities/{slug}/places?q=`: from what a person types to a place."""

from __future__ import annotations

from flask import Flask, current_app

from api.openapi import Blueprint
from laws.loader import UnknownMunicipality
from laws.shelf import lawbook
from laws.views import unknown_municipality
from settings import Settings
from store.connections import Connections
from zones.places.finder import Answer, Finder
from zones.places.geocoders import Engine, Geocoder
from zones.places.schemas import PlaceQuery, PlaceQuestion, PlacesOut

_NAME = "places"

blueprint = Blueprint("places", __name__, url_prefix="/api/v1/municipalities", description="Busca de endereços")


def install(app: Flask, settings: Settings, store: Connections) -> None:
    """Give the application its address search, with the online geocoder the operator chose, if any."""
    geocoder = None
    if settings.geocoder != "none" and settings.geocoder_user_agent:
        geocoder = Geocoder(Engine(settings.geocoder), settings.geocoder_url, settings.geocoder_user_agent)
    app.extensions[_NAME] = Finder(store, settings.geodata, geocoder)


def finder() -> Finder:
    """The address search of the current application."""
    found: Finder = current_app.extensions[_NAME]
    return found


@blueprint.get("/<slug>/places")
@blueprint.arguments(PlaceQuery(), location="query")
@blueprint.response(200, PlacesOut())
@blueprint.alt_response(404, "NOT_FOUND")
def places(question: PlaceQuestion, slug: str) -> Answer:
    """Lugares parecidos com o que foi digitado: ruas, pontos de referência, linhas com km; o mais parecido primeiro."""
    lawbook().municipality(slug)
    return finder().find(slug, question.query, question.limit, question.online)


blueprint.register_error_handler(UnknownMunicipality, unknown_municipality)

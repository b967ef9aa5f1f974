"""`POST /api/v1/fares`: the lawful fare of stated facts. Stores nothing."""

from __future__ import annotations

from flask import Response

from api import problem
from api.openapi import Blueprint
from fares.fare import Fare
from fares.schemas import FareIn, FareOrder, FareOut
from fares.tariffs import fare
from fares.trip import FactMissing
from laws.loader import UnknownMunicipality
from laws.shelf import lawbook

blueprint = Blueprint("fares", __name__, url_prefix="/api/v1", description="Tarifa de uma corrida")

_HOW_TO_STATE = {
    "legs.direction": 'com same_vehicle_return, marque os trechos da volta com direction "return"',
}
"""What to say of a missing fact where its name alone does not tell how to state it."""


@blueprint.post("/fares")
@blueprint.arguments(FareIn())
@blueprint.response(200, FareOut())
def price(order: FareOrder) -> Fare:
    """A tarifa, linha por linha e sob cada leitura da lei; ou por que a lei não dá preço."""
    book = lawbook()
    trip = order.trip(book.municipality(order.municipality).zone_info)
    return fare(book, order.municipality, trip)


def unknown_municipality(error: UnknownMunicipality) -> Response:
    message = "município desconhecido; veja a lista em /api/v1/municipalities"
    return problem.invalid({"municipality": [message]}, "unknown_municipality").response()


def fact_missing(error: FactMissing) -> Response:
    message = _HOW_TO_STATE.get(error.field, "a norma precisa deste fato para dar o preço; informe-o")
    return problem.invalid({error.field: [message]}, "fact_missing", error.citation).response()


blueprint.register_error_handler(UnknownMunicipality, unknown_municipality)
blueprint.register_error_handler(FactMissing, fact_missing)

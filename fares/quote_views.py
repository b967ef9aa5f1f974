"""Quotes between points, and the codes that prove them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import orjson
from flask import Response, current_app

from api import problem
from api.idempotency import idempotent, unit_of_work
from api.openapi import Blueprint
from fares import frozen
from fares.codes import BadCode
from fares.quote_schemas import (
    DistanceTold,
    ProofOut,
    Proven,
    QuoteDetails,
    QuoteDetailsOut,
    QuoteIn,
    QuoteOut,
    settled,
)
from fares.quotes import Priced, QuoteOrder, SwappedPoint, price_between
from fares.schemas import FareOut
from fares.trip import FactMissing
from fares.views import fact_missing, unknown_municipality
from laws.loader import UnknownMunicipality
from laws.shelf import lawbook
from settings import Settings
from store.connections import Connections
from zones.atlas import Atlas
from zones.roads.chain import roads_for
from zones.roads.errors import RoadError
from zones.route import Source
from zones.store import NoMap, atlas_in_force

blueprint = Blueprint("quotes", __name__, url_prefix="/api/v1", description="Cotação entre dois pontos")

_fare_out, _details_out = FareOut(), QuoteDetailsOut()


@blueprint.post("/quotes")
@idempotent
@blueprint.arguments(QuoteIn())
@blueprint.response(201, QuoteOut())
def quote(order: QuoteOrder) -> Response:
    """Cota a corrida entre dois pontos pela norma em vigor na partida, e congela a resposta."""
    settings, session, book = _settings(), unit_of_work(), lawbook()
    order = settled(order, book.municipality(order.municipality).zone_info)
    atlas = atlas_in_force(session, order.municipality, order.depart_at.date())
    priced = price_between(order, book, atlas, roads_for(order.municipality, settings))
    marked = frozen.stamp(datetime.now(UTC), timedelta(minutes=settings.quote_minutes))
    payload = _payload(order, priced, marked, _credits(atlas, priced))
    document = frozen.seal(payload, marked.locator, settings.signing_key().encode())
    frozen.freeze(session, order, priced, marked, document)
    return Response(document, 201, content_type="application/json")


@blueprint.get("/quotes/<quote_id>")
@blueprint.response(200, QuoteOut())
@blueprint.alt_response(404, "NOT_FOUND")
def stored_quote(quote_id: str) -> Response:
    """A cotação como foi dada, byte a byte, venha a norma que vier."""
    with store().sessions.begin() as session:
        document = frozen.document_of(session, quote_id)
    if document is None:
        raise problem.Problem(404, "Não há cotação com este número. Confira o endereço ou peça outra.", "unknown_quote")
    return Response(document, content_type="application/json")


@blueprint.get("/verify/<code>")
@blueprint.response(200, ProofOut())
def verify(code: str) -> Proven:
    """O documento com este código é autêntico e não foi alterado?"""
    return proven(code)


def proven(code: str) -> Proven:
    """What a code proves. Raises ``Problem`` for what is not a code."""
    secret = _settings().signing_key().encode()
    with store().sessions.begin() as session:
        try:
            proof = frozen.prove(session, code, secret, datetime.now(UTC))
        except BadCode as why:
            raise problem.invalid({"code": [str(why)]}, "bad_code") from None
    if proof.quote is None:
        return Proven(False, None, "Nenhum documento emitido aqui tem este código, ou ele foi alterado.", False, None)
    detail = "Cotação autêntica e inalterada." + (" O prazo de validade já passou." if proof.expired else "")
    return Proven(True, "quote", detail, proof.expired, orjson.loads(proof.quote.document))


def _payload(order: QuoteOrder, priced: Priced, marked: frozen.Stamp, credits: tuple[str, ...]) -> bytes:
    """The answer as JSON, without its code."""
    far = priced.distance
    details = QuoteDetails(
        id=marked.id,
        municipality=order.municipality,
        depart_at=order.depart_at,
        created_at=marked.created_at.astimezone(order.depart_at.tzinfo),
        expires_at=marked.expires_at.astimezone(order.depart_at.tzinfo),
        legs=priced.legs,
        distance=DistanceTold(far.metres, far.source, (far.low, far.high), far.engine) if far else None,
        zones_version=priced.atlas_version,
        credits=credits,
    )
    return orjson.dumps({**_fare_out.dump(priced.fare), **_details_out.dump(details)})


OSM_CREDIT = "© OpenStreetMap contributors (ODbL)"


def _credits(atlas: Atlas, priced: Priced) -> tuple[str, ...]:
    """Whose data the answer shows: the perimeters' and, where the way follows roads, the map's."""
    perimeters = [atlas.limit.credit, *(perimeter.credit for perimeter in atlas.perimeters)]
    by_road = priced.distance is not None and priced.distance.source is Source.ROAD
    return tuple(dict.fromkeys(c for c in (*perimeters, OSM_CREDIT if by_road else "") if c))


def _settings() -> Settings:
    settings: Settings = current_app.extensions["settings"]
    return settings


def store() -> Connections:
    """The connections of the current application."""
    connections: Connections = current_app.extensions["store"]
    return connections


def swapped_point(error: SwappedPoint) -> Response:
    return problem.invalid({error.place: [str(error)]}, "swapped_point").response()


def no_map(error: NoMap) -> Response:
    return problem.Problem(422, str(error), "no_map").response()


def no_road(error: RoadError) -> Response:
    return problem.Problem(422, str(error), "no_road").response()


blueprint.register_error_handler(UnknownMunicipality, unknown_municipality)
blueprint.register_error_handler(FactMissing, fact_missing)
blueprint.register_error_handler(SwappedPoint, swapped_point)
blueprint.register_error_handler(RoadError, no_road)
blueprint.register_error_handler(NoMap, no_map)

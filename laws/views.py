"""Municipalities and their tariffs, for anyone to read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from flask import Response

from api import caching, pages, problem
from api.instants import BadInstant, in_zone
from api.openapi import Blueprint
from laws.loader import UnknownMunicipality
from laws.norm import Municipality
from laws.public_schemas import MunicipalityPageOut, MunicipalityWithNormsOut, TariffOut, TariffQuery, TariffQuestion
from laws.published import PublicMunicipality, PublicTariff, public_municipality, public_tariff
from laws.shelf import lawbook
from laws.timeline import EvidenceNeeded

blueprint = Blueprint(
    "laws", __name__, url_prefix="/api/v1/municipalities", description="Municípios, normas e tarifas vigentes"
)


@blueprint.get("")
@caching.cacheable
@blueprint.arguments(pages.WindowIn(), location="query")
@blueprint.response(200, MunicipalityPageOut())
def municipalities(window: pages.Window) -> pages.Page[Municipality]:
    """Os municípios cujas leis são conhecidas."""
    known: Sequence[Municipality] = sorted(lawbook().municipalities.values(), key=lambda town: town.slug)
    return pages.cut(known, window, lambda town: town.slug)


@blueprint.get("/<slug>")
@caching.cacheable
@blueprint.response(200, MunicipalityWithNormsOut())
@blueprint.alt_response(404, "NOT_FOUND")
def municipality(slug: str) -> PublicMunicipality:
    """Um município e suas normas, da mais antiga à mais nova."""
    return public_municipality(lawbook().municipality(slug))


@blueprint.get("/<slug>/tariff")
@caching.cacheable
@blueprint.arguments(TariffQuery(), location="query")
@blueprint.response(200, TariffOut())
@blueprint.alt_response(404, "NOT_FOUND")
def tariff(question: TariffQuestion, slug: str) -> PublicTariff:
    """A norma em vigor no instante `at` (sem ele, agora): linhas, artigos e leituras; ou por que não há tarifa."""
    town = lawbook().municipality(slug)
    try:
        at = in_zone(question.at, town.zone_info) if question.at else datetime.now(town.zone_info)
    except BadInstant as why:
        raise problem.invalid({"at": [str(why)]}) from None
    return public_tariff(town, at, question.evidence)


def unknown_municipality(error: UnknownMunicipality) -> Response:
    detail = f'Não há município "{error.slug[:80]}" aqui. Veja a lista em /api/v1/municipalities.'
    return problem.Problem(404, detail, "unknown_municipality").response()


def evidence_needed(error: EvidenceNeeded) -> Response:
    message = "a norma só vale com este fato; informe-o"
    return problem.invalid({error.evidence: [message]}, "fact_missing", error.citation).response()


blueprint.register_error_handler(UnknownMunicipality, unknown_municipality)
blueprint.register_error_handler(EvidenceNeeded, evidence_needed)

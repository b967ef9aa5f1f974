"""The page behind a code or its QR: what was quoted, by which norm, and that nobody changed it since."""

from __future__ import annotations

from datetime import datetime
from io import BytesIO
from typing import Any

import segno
from flask import Blueprint, Response, render_template, url_for

from api.addresses import public_address
from api.problem import Problem
from api.reais import from_decimal, to_brazilian
from fares.picture import draw
from fares.quote_views import proven, store
from zones.store import NoMap, atlas_of_version

blueprint = Blueprint("proof", __name__, template_folder="templates", static_folder="static", url_prefix="/verify")

_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@blueprint.get("/<code>")
def page(code: str) -> Response:
    """The document with this code, for people."""
    try:
        proof, why = proven(code), None
    except Problem as problem:
        proof, why = None, problem.errors[0].message
    html = render_template("proof.html", code=code.upper()[:40], proof=proof, why=why, reais=_reais, moment=_moment)
    genuine = proof is not None and proof.genuine
    return Response(html, 200 if genuine else 404, {"Content-Security-Policy": _POLICY}, mimetype="text/html")


@blueprint.get("/<code>/qr.svg")
def qr(code: str) -> Response:
    """The QR of the page, to print beside the figures."""
    _genuine(code)
    address = public_address(url_for("proof.page", code=code))
    drawn = BytesIO()
    segno.make(address, error="m").save(drawn, kind="svg", scale=4, border=2)
    return Response(drawn.getvalue(), content_type="image/svg+xml")


@blueprint.get("/<code>/map.svg")
def picture(code: str) -> Response:
    """The way that was quoted, cut by zone."""
    quote = _genuine(code)
    with store().sessions.begin() as session:
        try:
            atlas = atlas_of_version(session, quote["zones_version"])
        except NoMap as gone:
            raise Problem(404, str(gone), "no_map") from None
    return Response(draw(quote, atlas), content_type="image/svg+xml")


def _genuine(code: str) -> dict[str, Any]:
    document = proven(code).document
    if document is None:
        raise Problem(404, "Nenhum documento emitido aqui tem este código.", "unknown_code")
    return document


def _reais(decimal: str) -> str:
    return to_brazilian(from_decimal(decimal))


def _moment(text: str) -> str:
    return f"{datetime.fromisoformat(text):%d/%m/%Y %H:%M}"

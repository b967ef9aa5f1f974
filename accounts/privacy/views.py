"""The page that tells people what is kept about them: written from the very data the purge obeys."""

from __future__ import annotations

from functools import cache

from flask import Blueprint, Response, current_app, render_template

from accounts.privacy.retention import Retention, load_retention
from settings import Settings

__all__ = ["blueprint"]

blueprint = Blueprint(
    "privacy", __name__, template_folder="templates", static_folder="static", url_prefix="/privacidade"
)

_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@blueprint.get("")
def page() -> Response:
    """What is kept, why, for how long, and how to ask for it."""
    settings: Settings = current_app.extensions["settings"]
    html = render_template("privacy.html", retention=_retention(), contact=settings.privacy_contact)
    return Response(html, headers={"Content-Security-Policy": _POLICY}, content_type="text/html; charset=utf-8")


@cache
def _retention() -> Retention:
    return load_retention()

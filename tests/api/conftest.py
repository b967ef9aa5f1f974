"""A small application with the house's plumbing and views that go wrong in every way."""

from __future__ import annotations

import pytest
from flask import Flask, abort

from api import caching, health, metrics, openapi, pages, problem, request_log
from api.fields import Kilometres, Rows, Whole, Word
from api.openapi import Blueprint
from api.requests import Request
from api.strict_json import StrictJSON


class LegIn(Request):
    km = Kilometres(required=True)


class TripIn(Request):
    legs = Rows(LegIn(), 200, required=True)
    passengers = Whole(1, 20, load_default=1)
    note = Word()


def _views() -> Blueprint:
    blueprint = Blueprint("sample", __name__, url_prefix="/sample")

    @blueprint.post("/trips")
    @blueprint.arguments(TripIn())
    @blueprint.response(200)
    def trips(trip):
        return {"metres": sum(leg["km"] for leg in trip["legs"])}

    @blueprint.get("/things/<name>")
    @caching.cacheable
    @blueprint.arguments(pages.WindowIn(), location="query")
    @blueprint.response(200)
    def things(window, name):
        page = pages.cut(["a", "b", "c"], window, str)
        return {"items": page.items, "next_cursor": page.next_cursor}

    @blueprint.get("/bug")
    def bug():
        raise RuntimeError("segredo interno")

    @blueprint.get("/conflict")
    def conflict():
        raise problem.Problem(
            409, "A corrida já terminou.", "wrong_state", citation="art. 1º", extra={"state": "finished"}
        )

    @blueprint.get("/abort/<int:status>")
    def aborted(status):
        abort(status)

    return blueprint


@pytest.fixture
def parts():
    """The parts that /ready looks at; a test breaks one by putting a check that raises."""
    return {"database": lambda: None, "redis": lambda: None}


@pytest.fixture
def app(parts):
    app = Flask("sample", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = 1_000_000
    app.json = StrictJSON(app)
    request_log.configure("INFO")
    request_log.install(app)
    problem.install(app)
    metrics.install(app)
    api = openapi.install(app)
    api.register_blueprint(health.blueprint(parts))
    api.register_blueprint(_views())
    return app


@pytest.fixture
def client(app):
    return app.test_client()

"""`GET /api/v1/municipalities/{slug}/zones` and `/pontos`, with the real application and database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from geodata.features import parse
from settings import Settings
from zones import store

ROOT = Path(__file__).parents[2]
TOWNS = sorted(path.parent.name for path in ROOT.glob("geodata/*/limit.geojson"))


@pytest.fixture
def app(database_url: str, redis_url: str, tmp_path: Path) -> Iterator[Flask]:
    app = create_app(
        Settings.from_env(
            {
                "PONTUAL_DATA": str(tmp_path / "data"),
                "PONTUAL_DATABASE_URL": database_url,
                "PONTUAL_REDIS_URL": redis_url,
                "PONTUAL_LAWS": str(ROOT / "laws"),
                "PONTUAL_GEODATA": str(ROOT / "geodata"),
            }
        )
    )
    yield app
    app.extensions["store"].engine.dispose()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def seeded(app: Flask, client: FlaskClient) -> FlaskClient:
    with app.extensions["store"].sessions.begin() as session:
        store.seed(session, ROOT / "geodata", date(2026, 12, 1))
    return client


@pytest.mark.parametrize("slug", TOWNS)
def test_the_zones_are_geojson_that_says_how_far_to_trust_it(seeded: FlaskClient, slug: str):
    answer = seeded.get(f"/api/v1/municipalities/{slug}/zones")

    features = parse(answer.text, ["Polygon", "MultiPolygon"], slug)
    kinds = [f.properties["kind"] for f in features]
    assert kinds == ["limit", "urban", "undetermined"]
    assert {f.properties["status"] for f in features} == {"approximate"}
    assert [f.properties["origin"] for f in features] == ["ibge", "synthetic", "synthetic"]
    assert isinstance(features[0].properties["precision_m"], float)
    assert features[1].properties["precision_m"] is None
    credits = " ".join(answer.get_json()["credits"])
    assert "IBGE" in credits
    assert "OpenStreetMap (ODbL" in credits
    assert answer.get_json()["version"].startswith("sha256:")


@pytest.mark.parametrize("slug", TOWNS)
def test_no_ponto_is_said_to_be_where_nobody_looked(client: FlaskClient, slug: str):
    answer = client.get(f"/api/v1/municipalities/{slug}/pontos")

    pontos = parse(answer.text, ["Point"], slug)
    assert all(ponto.properties["verified"] is False for ponto in pontos)
    assert all(ponto.properties["citation"] for ponto in pontos)
    assert bool(answer.get_json()["credits"]) is bool(pontos)


def test_without_a_map_the_answer_says_so(client: FlaskClient):
    answer = client.get(f"/api/v1/municipalities/{TOWNS[0]}/zones")

    assert (answer.status_code, answer.get_json()["code"]) == (404, "no_map")


@pytest.mark.parametrize("page", ["zones", "pontos"])
def test_an_unknown_municipality_is_not_found(client: FlaskClient, page: str):
    answer = client.get(f"/api/v1/municipalities/xx-nenhures/{page}")

    assert (answer.status_code, answer.get_json()["code"]) == (404, "unknown_municipality")

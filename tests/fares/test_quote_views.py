"""`POST /api/v1/quotes`, its frozen answer and its proof, over the real database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError

from app import create_app
from fares.models import FrozenQuote
from settings import Settings
from store.connections import Connections
from zones.store import seed

ROOT = Path(__file__).parents[2]
SQUARE, FARM = {"lat": -11.1249, "lon": -62.3653}, {"lat": -11.05, "lon": -62.45}
ORDER = {"municipality": "ro-urupa", "origin": SQUARE, "destination": FARM, "depart_at": "2026-12-01T10:00"}


@pytest.fixture
def app(database_url: str, tmp_path: Path) -> Iterator[Flask]:
    app = create_app(
        Settings.from_env(
            {
                "PONTUAL_DATA": str(tmp_path / "data"),
                "PONTUAL_DATABASE_URL": database_url,
                "PONTUAL_REDIS_URL": "unix:///nothing/listens/here",
                "PONTUAL_LAWS": str(ROOT / "laws"),
                "PONTUAL_GEODATA": str(ROOT / "geodata"),
                "PONTUAL_ROADS": "estimate",
                "PONTUAL_LOG_LEVEL": "ERROR",
            }
        )
    )
    store: Connections = app.extensions["store"]
    with store.sessions.begin() as session:
        seed(session, ROOT / "geodata", date(2026, 11, 30))
    yield app
    store.engine.dispose()


@pytest.fixture
def client(app: Flask) -> Any:
    return app.test_client()


def quotes_kept(app: Flask) -> Any:
    with app.extensions["store"].sessions.begin() as session:
        return session.scalar(select(func.count()).select_from(FrozenQuote))


def test_a_quote_is_the_fare_with_its_way_its_bounds_and_its_proof(client: Any):
    answer = client.post("/api/v1/quotes", json=ORDER)
    quote = answer.json

    assert answer.status_code == 201
    assert quote["status"] == "priced"
    assert quote["range"][0] < quote["total"] < quote["range"][1]
    assert quote["distance"]["source"] == "estimate"
    assert sum(leg["metres"] for leg in quote["legs"]) == quote["distance"]["metres"]
    assert quote["legs"][0]["geometry"]["coordinates"][0] == [SQUARE["lon"], SQUARE["lat"]]
    assert quote["expires_at"] > quote["created_at"]
    assert quote["depart_at"] == "2026-12-01T10:00:00-04:00"
    assert any("IBGE" in credit for credit in quote["credits"])


def test_the_quote_is_given_back_byte_for_byte_whatever_norm_came_later(client: Any, app: Flask, tmp_path: Path):
    first = client.post("/api/v1/quotes", json=ORDER)
    with app.extensions["store"].sessions.begin() as session:
        seed(session, ROOT / "geodata", date(2027, 1, 1))
    app.extensions["lawbook"]._lawbook = None  # a decree arrives: the lawbook is read anew

    again = client.get(f"/api/v1/quotes/{first.json['id']}")

    assert again.status_code == 200
    assert again.data == first.data


def test_a_stored_quote_cannot_be_changed_even_by_sql(client: Any, app: Flask):
    client.post("/api/v1/quotes", json=ORDER)

    with pytest.raises(DBAPIError, match="só aceita inclusão"), app.extensions["store"].sessions.begin() as session:
        session.execute(text("UPDATE quotes SET document = 'x'"))


def test_its_code_proves_it_and_a_wrong_one_does_not(client: Any):
    quote = client.post("/api/v1/quotes", json=ORDER).json

    proof = client.get(f"/api/v1/verify/{quote['code'].lower()}").json
    forged = client.get(f"/api/v1/verify/{quote['code'][:-4]}0000").json

    assert proof["genuine"]
    assert not proof["expired"]
    assert proof["document"] == quote
    assert not forged["genuine"]
    assert forged["document"] is None


def test_a_code_of_the_wrong_shape_is_refused_with_its_name(client: Any):
    answer = client.get("/api/v1/verify/abc")

    assert answer.status_code == 422
    assert answer.json["errors"][0]["path"] == "code"


def test_an_unknown_quote_is_not_found(client: Any):
    assert client.get("/api/v1/quotes/0123").status_code == 404


def test_beyond_the_municipality_the_answer_is_a_status_with_its_article(client: Any):
    quote = client.post("/api/v1/quotes", json={**ORDER, "destination": {"lat": -10.88, "lon": -61.95}}).json

    assert quote["status"] == "out_of_scope"
    assert quote["total"] is None
    assert quote["distance"] is None
    assert "art. 1º" in quote["reasons"][0]["citation"]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"origin": {"lat": -62.3653, "lon": -11.1249}}, "origin"),
        ({"destination": {"lat": 91, "lon": 0}}, "destination"),
        ({"destination": {"lat": "-11.05", "lon": -62.45}}, "destination.lat"),
        ({"stops": [SQUARE] * 11}, "stops"),
        ({"municipality": "xx-nowhere"}, "municipality"),
        ({"depart_at": "1900-01-01T00:00"}, "depart_at"),
        ({"price": "7.00"}, "price"),
    ],
)
def test_bad_input_is_refused_by_name_and_stores_nothing(client: Any, app: Flask, changes, path):
    answer = client.post("/api/v1/quotes", json={**ORDER, **changes})

    assert answer.status_code == 422
    assert [error["path"] for error in answer.json["errors"]] == [path]
    assert quotes_kept(app) == 0


def test_the_same_key_gets_the_same_quote_again(client: Any, app: Flask):
    headers = {"Idempotency-Key": "form-opened-1"}
    first = client.post("/api/v1/quotes", json=ORDER, headers=headers)
    again = client.post("/api/v1/quotes", json=ORDER, headers=headers)

    assert (again.status_code, again.data) == (201, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert quotes_kept(app) == 1


def test_the_same_key_with_another_body_is_refused(client: Any, app: Flask):
    headers = {"Idempotency-Key": "form-opened-1"}
    client.post("/api/v1/quotes", json=ORDER, headers=headers)

    answer = client.post("/api/v1/quotes", json={**ORDER, "passengers": 2}, headers=headers)

    assert answer.status_code == 422
    assert answer.json["code"] == "idempotency_key_reused"
    assert quotes_kept(app) == 1


@pytest.mark.parametrize("key", ["short", "k" * 129, "with space", "acentuação"])
def test_a_bad_key_is_refused(client: Any, key: str):
    answer = client.post("/api/v1/quotes", json=ORDER, headers={"Idempotency-Key": key})

    assert answer.status_code == 422
    assert answer.json["code"] == "bad_idempotency_key"


def test_a_refused_request_leaves_its_key_free(client: Any, app: Flask):
    headers = {"Idempotency-Key": "form-opened-1"}
    client.post("/api/v1/quotes", json={**ORDER, "destination": {"lat": 91, "lon": 0}}, headers=headers)

    assert client.post("/api/v1/quotes", json=ORDER, headers=headers).status_code == 201


def test_a_key_older_than_a_day_starts_anew(client: Any, app: Flask):
    headers = {"Idempotency-Key": "form-opened-1"}
    client.post("/api/v1/quotes", json=ORDER, headers=headers)
    with app.extensions["store"].sessions.begin() as session:
        session.execute(text("UPDATE kept_answers SET kept_at = kept_at - INTERVAL '25 hours'"))

    answer = client.post("/api/v1/quotes", json={**ORDER, "passengers": 1}, headers=headers)

    assert answer.status_code == 201
    assert quotes_kept(app) == 2


def test_eight_equal_requests_at_once_make_one_quote(app: Flask):
    barrier, answers = threading.Barrier(8), list[Any]()

    def ask() -> None:
        client = app.test_client()
        barrier.wait()
        answers.append(client.post("/api/v1/quotes", json=ORDER, headers={"Idempotency-Key": "double-click"}))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert quotes_kept(app) == 1
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({answer.data for answer in answers if answer.status_code == 201}) == 1
    assert all(answer.headers["Retry-After"] == "1" for answer in answers if answer.status_code == 409)


def test_the_page_behind_a_code_tells_people_the_figure_the_articles_and_the_doubts(client: Any):
    quote = client.post("/api/v1/quotes", json=ORDER).json

    page = client.get(f"/verify/{quote['code']}")

    assert page.status_code == 200
    assert "Cotação autêntica" in page.text
    assert f"R$\u00a0{quote['total'].replace('.', ',')}" in page.text
    assert "art. 29, caput" in page.text
    assert "Perímetro aproximado" in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "<script" not in page.text


@pytest.mark.parametrize("code", ["abc", "0000-0000-0000-0000", "<script>alert(1)</script>"])
def test_the_page_of_a_wrong_code_says_so_and_echoes_nothing_live(client: Any, code: str):
    page = client.get(f"/verify/{code}")

    assert page.status_code == 404
    assert "Código não confere" in page.text or "application/problem+json" in page.content_type
    assert "<script" not in page.text


def test_the_qr_and_the_map_are_pictures_of_this_quote_only(client: Any):
    code = client.post("/api/v1/quotes", json=ORDER).json["code"]

    picture = client.get(f"/verify/{code}/map.svg")

    assert client.get(f"/verify/{code}/qr.svg").data.startswith(b"<?xml")
    assert picture.content_type.startswith("image/svg+xml")
    assert "zona indefinida" in picture.text
    assert "IBGE" in picture.text
    assert client.get("/verify/0000-0000-0000-0000/map.svg").status_code == 404
    assert client.get("/verify/0000-0000-0000-0000/qr.svg").status_code == 404


def test_a_quote_without_a_way_still_has_its_page_and_map(client: Any):
    code = client.post("/api/v1/quotes", json={**ORDER, "destination": {"lat": -10.88, "lon": -61.95}}).json["code"]

    assert "Sem preço" in client.get(f"/verify/{code}").text
    assert client.get(f"/verify/{code}/map.svg").status_code == 200

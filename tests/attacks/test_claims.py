"""Headers by which a client claims what it is not: another host, another address, another method, another page."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from settings import Settings

ROOT = Path(__file__).parents[2]
CLAIMS = {
    "X-Forwarded-Host": "evil.example",
    "X-Host": "evil.example",
    "X-Original-URL": "/metrics",
    "X-Rewrite-URL": "/metrics",
    "X-Forwarded-Prefix": "/evil",
    "X-Forwarded-Port": "666",
    "X-Forwarded-Server": "evil.example",
    "X-HTTP-Method-Override": "DELETE",
    "X-HTTP-Method": "DELETE",
    "X-Method-Override": "DELETE",
    "Forwarded": "host=evil.example;for=6.6.6.6",
    "True-Client-IP": "6.6.6.6",
}
SQUARE, FARM = {"lat": -11.1249, "lon": -62.3653}, {"lat": -11.05, "lon": -62.45}
QUOTE = {"municipality": "ro-urupa", "origin": SQUARE, "destination": FARM, "depart_at": "2026-12-01T10:00"}


@pytest.fixture(params=["0", "1"], ids=["direct", "behind a proxy"])
def bare(request: pytest.FixtureRequest) -> Flask:
    """Without servers: these addresses need none."""
    return create_app(
        Settings.from_env(
            {
                "PONTUAL_DATA": "/nothing/here",
                "PONTUAL_LOG_LEVEL": "ERROR",
                "PONTUAL_TRUSTED_PROXIES": request.param,
                "PONTUAL_LAWS": str(ROOT / "laws"),
            }
        )
    )


@pytest.mark.parametrize("path", ["/health", "/api/v1/municipalities", "/api/docs", "/api/openapi.json", "/nada"])
def test_what_a_cache_may_keep_is_the_same_whatever_is_claimed(bare: Flask, path: str):
    """Else one client's claim would be served to the next (cache poisoning)."""
    client, number = bare.test_client(), {"X-Request-ID": "sempre-o-mesmo"}
    plain = client.get(path, headers=number)
    for name, value in CLAIMS.items():
        answer = client.get(path, headers={name: value, **number})
        assert (answer.status_code, answer.data) == (plain.status_code, plain.data), name
        assert "evil" not in str(answer.headers)
    claimed = client.get(path, headers={"Host": "evil.example", **number})
    assert (claimed.status_code, claimed.data) == (plain.status_code, plain.data)
    assert "evil" not in str(claimed.headers)


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
def test_the_method_is_the_method(bare: Flask, header: str):
    client = bare.test_client()
    assert client.post("/health", headers={header: "GET"}).status_code == 405
    assert client.get("/api/v1/fares", headers={header: "POST"}).status_code == 405
    assert client.post("/api/v1/sessions/current?_method=DELETE", headers={header: "DELETE"}).status_code == 405
    assert client.open("/health", method="TRACE").status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example",
        "//evil.example/..",
        "/%2f%2fevil.example",
        "/\\evil.example",
        "//health",
        "/api//v1//municipalities",
        "/health/",
        "/api/docs/",
        "/api/docs?next=https://evil.example",
        "/verify//x",
        "/verify/static/..//evil.example",
        "/https://evil.example",
    ],
)
def test_nobody_is_sent_elsewhere(bare: Flask, path: str):
    for method in ("GET", "POST"):
        answer = bare.test_client().open(path, method=method, headers={"Host": "evil.example"})
        where = urlsplit(answer.headers.get("Location", ""))
        assert where.netloc == "", answer.headers["Location"]
        assert not 300 <= answer.status_code < 400


def test_the_qr_leads_to_the_address_of_the_settings(app: Flask, client: FlaskClient):
    code = client.post("/api/v1/quotes", json=QUOTE).get_json()["code"]
    mine = client.get(f"/verify/{code}/qr.svg")
    assert mine.status_code == 200

    forged = client.get(f"/verify/{code}/qr.svg", headers={"Host": "evil.example"})
    assert (forged.status_code, forged.get_json()["code"]) == (400, "unknown_host")
    assert client.get(f"/verify/{code}", headers={"Host": "evil.example"}).text.count("evil.example") == 0
    assert client.get(f"/verify/{code}/qr.svg", headers={"X-Forwarded-Host": "evil.example"}).data == mine.data

    object.__setattr__(app.extensions["settings"], "public_url", "https://pontual.example")
    told = client.get(f"/verify/{code}/qr.svg")
    assert told.status_code == 200
    assert client.get(f"/verify/{code}/qr.svg", headers={"Host": "evil.example"}).data == told.data != mine.data


LINES = ["x\r\nX-Injected: 1", "x\nSet-Cookie: a=b", "x\r\n\r\n<script>", "x\x85X-Injected: 1"]


@pytest.mark.parametrize("text", LINES)
def test_no_answer_gets_a_header_from_a_request(bare: Flask, text: str):
    """As a server less strict than ours would hand them over."""
    client = bare.test_client()
    for environ in (
        {"HTTP_X_REQUEST_ID": text},
        {"HTTP_ORIGIN": text},
        {"HTTP_IDEMPOTENCY_KEY": text},
        {"HTTP_HOST": text},
        {"HTTP_ACCEPT_LANGUAGE": text},
        {"PATH_INFO": f"/{text}"},
        {"QUERY_STRING": text},
        {"REQUEST_METHOD": text},
        {"HTTP_X_FORWARDED_FOR": text},
        {"HTTP_X_FORWARDED_PROTO": text},
    ):
        answer = client.open("/api/v1/municipalities", environ_overrides=environ)
        for name, value in answer.headers.items():
            assert not set("\r\n\x85") & set(name + value)
        assert "X-Injected" not in answer.headers
        assert "Set-Cookie" not in answer.headers

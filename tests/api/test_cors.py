"""Which pages of other sites may call the API: exactly the origins named, none by default."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from settings import BadSetting, Settings

OURS, OTHER = "https://app.example", "https://evil.example"
ASK = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}


def application(**variables: str) -> Flask:
    return create_app(Settings.from_env({"PONTUAL_DATA": "/nothing/here", "PONTUAL_LOG_LEVEL": "ERROR", **variables}))


@pytest.fixture
def client() -> FlaskClient:
    return application(PONTUAL_CORS_ORIGINS=f"{OURS}, http://localhost:5173").test_client()


def test_none_by_default():
    client = application().test_client()
    for answer in (
        client.get("/health", headers={"Origin": OTHER}),
        client.options("/api/v1/quotes", headers={"Origin": OTHER, **ASK}),
    ):
        assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]


def test_a_preflight_of_ours_is_answered_with_exactly_that_origin(client: FlaskClient):
    answer = client.options("/api/v1/quotes", headers={"Origin": OURS, **ASK})

    assert answer.status_code == 204
    assert answer.headers["Access-Control-Allow-Origin"] == OURS
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert {"Authorization", "Content-Type", "Idempotency-Key"} <= set(
        answer.headers["Access-Control-Allow-Headers"].split(", ")
    )
    assert "Origin" in answer.headers["Vary"]
    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_answers_and_errors_to_ours_may_be_read(client: FlaskClient):
    for path in ("/health", "/nada"):
        answer = client.get(path, headers={"Origin": OURS})
        assert answer.headers["Access-Control-Allow-Origin"] == OURS
        assert "Retry-After" in answer.headers["Access-Control-Expose-Headers"]


@pytest.mark.parametrize(
    "origin",
    [OTHER, "null", "*", "https://app.example.evil.example", "https://app.example:8443", "http://app.example", ""],
)
def test_no_other_origin_is_let_in(client: FlaskClient, origin: str):
    for answer in (
        client.get("/health", headers={"Origin": origin}),
        client.options("/api/v1/quotes", headers={"Origin": origin, **ASK}),
    ):
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert "Origin" in answer.headers["Vary"]


@pytest.mark.parametrize(
    "origins", ["*", "null", "https://*.example", "app.example", "https://app.example/", "https://a.example,*"]
)
def test_only_whole_origins_can_be_named(origins: str):
    with pytest.raises(BadSetting, match="PONTUAL_CORS_ORIGINS"):
        application(PONTUAL_CORS_ORIGINS=origins)

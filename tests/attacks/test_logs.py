"""Nothing secret or personal of a request is found again in the log or in the figures."""

from __future__ import annotations

import json

import pytest
from flask import Flask, current_app
from sqlalchemy import text

from accounts.rights import Role
from tests.accounts.entrants import bearer, key_of, token_of

PHONE, PIN, PASSWORD, CPF = "69992841234", "739155", "cavalo-bateria-grampo", "01234567890"
SECRETS = {PHONE, PIN, PASSWORD, CPF, "segredo-da-chave-123", "198.51.100.7", "maria-da-silva", "-11.1249", "-62.3653"}


def test_requests_full_of_secrets_leave_none_behind(app: Flask, capfd: pytest.CaptureFixture[str]):
    client = app.test_client()
    tokens = {token_of(app, Role.OPERATOR), key_of(app), "pta_" + "x" * 43}
    quote = {
        "municipality": "ro-urupa",
        "origin": {"lat": -11.1249, "lon": -62.3653},
        "destination": {"lat": -11, "lon": 1},
    }
    phone = {"municipality": "ro-urupa", "phone": PHONE}
    for token in tokens:
        more = {
            **bearer(token),
            "Idempotency-Key": "segredo-da-chave-123",
            "X-Forwarded-For": "198.51.100.7",
            "Cookie": f"session={PASSWORD}",
            "User-Agent": "maria-da-silva",
            "Referer": f"https://maria-da-silva.example/?pin={PIN}",
        }
        client.post("/api/v1/quotes", json=quote, headers=more)
        client.post("/api/v1/quotes", data=f'{{"phone": "{PHONE}"', headers=more)
        client.get(f"/api/v1/municipalities/ro-urupa/places?q=maria-da-silva&cpf={CPF}", headers=more)
        client.get(f"/maria-da-silva/{CPF}", headers=more)
        client.get("/api/v1/me", headers=more)
        client.open("/health", method="MARIA", headers=more)
        client.post("/api/v1/sessions/codes", json=phone, headers=more)
        client.post("/api/v1/sessions", json={"by": "phone", **phone, "code": PIN}, headers=more)
        permit = {"by": "permit", "municipality": "ro-urupa", "permit": "0001", "pin": PIN}
        client.post("/api/v1/sessions", json=permit, headers=more)
        client.post(
            "/api/v1/sessions", json={"by": "password", "login": "maria-da-silva", "password": PASSWORD}, headers=more
        )
    figures = client.get("/metrics").text

    said = capfd.readouterr()
    lines = [json.loads(line) for line in said.err.splitlines()]
    assert len(lines) >= 30
    for secret in SECRETS | tokens:
        assert secret not in said.err + said.out
        assert secret not in figures


def test_an_unforeseen_error_is_told_without_whom_it_was_about(app: Flask, capfd: pytest.CaptureFixture[str]):
    secrets = ["pta_" + "x" * 43, "+5569992841234", CPF, "maria.silva"]

    def broken():
        raise RuntimeError(f"Authorization: Bearer {secrets[0]} of +5569992841234, CPF {CPF}")

    def broken_database():
        with current_app.extensions["store"].engine.begin() as connection:
            connection.execute(text("CREATE TEMP TABLE t (phone text UNIQUE, name text)"))
            for _ in range(2):
                connection.execute(text("INSERT INTO t VALUES (:a, :b)"), {"a": secrets[3], "b": secrets[3]})

    client = app.test_client()
    for view in (broken, broken_database):
        app.view_functions["laws.municipalities"] = view
        assert client.get("/api/v1/municipalities").status_code == 500

    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    traces = [line["exception"] for line in lines if "exception" in line]
    assert len(traces) == 2
    assert "in broken" in traces[0]
    assert "UniqueViolation" in traces[1]
    for secret in secrets:
        assert secret not in str(lines)


def test_what_the_client_is_told_of_an_error_holds_nothing_of_the_inside(app: Flask):
    def broken():
        raise RuntimeError("postgresql://pontual:senha@10.0.0.3/pontual")

    app.view_functions["laws.municipalities"] = broken
    answer = app.test_client().get("/api/v1/municipalities")
    assert answer.status_code == 500
    for inside in ("senha", "10.0.0.3", "Traceback", "RuntimeError", "broken"):
        assert inside not in answer.text

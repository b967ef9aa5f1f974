"""A database or Redis that is gone: 503 and when to come back, where they are needed; and only there."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from accounts.rights import Role
from app import create_app
from settings import Settings
from store.migrations import migrate
from store.servers import postgres, socket_folder, unprivileged, valkey
from tests.accounts.entrants import client_of
from zones.store import seed

ROOT = Path(__file__).parents[2]
SQUARE, FARM = {"lat": -11.1249, "lon": -62.3653}, {"lat": -11.05, "lon": -62.45}
QUOTE = {"municipality": "ro-urupa", "origin": SQUARE, "destination": FARM, "depart_at": "2026-12-01T10:00"}
FARE = {"municipality": "ro-urupa", "started_at": "2026-12-01T10:00", "legs": [{"zone": "urban", "km": "2"}]}


def application(data: Path, database: str | None, cache: str | None) -> Flask:
    urls = {"PONTUAL_DATABASE_URL": database, "PONTUAL_REDIS_URL": cache}
    return create_app(
        Settings.from_env(
            {
                "PONTUAL_DATA": str(data),
                "PONTUAL_LAWS": str(ROOT / "laws"),
                "PONTUAL_GEODATA": str(ROOT / "geodata"),
                "PONTUAL_ROADS": "estimate",
                "PONTUAL_LOG_LEVEL": "ERROR",
                **{name: url for name, url in urls.items() if url},
            }
        )
    )


def assert_unavailable(answer):
    assert answer.status_code == 503
    assert answer.content_type == "application/problem+json"
    assert answer.get_json()["code"] == "unavailable"
    assert int(answer.headers["Retry-After"]) > 0
    assert "unix" not in answer.text
    assert "127.0.0.1" not in answer.text


@pytest.fixture
def refusing() -> Iterator[int]:
    """A port where nobody listens, kept from others."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@pytest.mark.parametrize("announced", [True, False])
def test_without_servers_prices_are_answered_and_the_rest_says_when_to_come_back(
    tmp_path: Path, refusing: int, announced: bool
):
    urls = (f"postgresql://127.0.0.1:{refusing}/x", f"redis://127.0.0.1:{refusing}") if announced else (None, None)
    client = application(tmp_path, *urls).test_client()

    assert client.post("/api/v1/fares", json=FARE).status_code == 200
    assert client.get("/api/v1/municipalities").status_code == 200
    assert client.get("/health").status_code == 200
    assert_unavailable(client.post("/api/v1/quotes", json=QUOTE))
    assert_unavailable(client.get("/api/v1/quotes/0123456789abcdef0123456789abcdef"))
    assert_unavailable(client.get("/api/v1/me", headers={"Authorization": "Bearer pta_" + "x" * 43}))
    assert (
        client.post(
            "/api/v1/sessions", json={"by": "password", "login": "maria", "password": "uma senha qualquer"}
        ).status_code
        == 503
    )


@pytest.mark.slow
def test_servers_killed_and_started_again_under_a_running_application(data_folder: Path):
    account = unprivileged(data_folder)
    with ExitStack() as running:
        sockets = running.enter_context(socket_folder(account))
        with ExitStack() as first:
            database, database_url = first.enter_context(postgres(data_folder, sockets, account))
            cache, cache_url = first.enter_context(valkey(data_folder, sockets, account))
            app = application(data_folder, database_url, cache_url)
            running.callback(app.extensions["store"].engine.dispose)
            migrate(app.extensions["store"].engine)
            with app.extensions["store"].sessions.begin() as session:
                seed(session, ROOT / "geodata", date(2026, 11, 30))
            client, operator = app.test_client(), client_of(app, Role.OPERATOR)
            assert asked(client, operator) == (201, 200)

            cache.kill()
            cache.wait()
            assert asked(client, operator) == (201, 200), "quotes and who is signed in need no Redis"

            database.kill()
            database.wait()
            assert_unavailable(client.post("/api/v1/quotes", json=QUOTE))
            assert_unavailable(operator.get("/api/v1/me"))
            assert client.post("/api/v1/fares", json=FARE).status_code == 200
        running.enter_context(postgres(data_folder, sockets, account))
        running.enter_context(valkey(data_folder, sockets, account))
        assert asked(client, operator) == (201, 200)


def asked(client: FlaskClient, operator: FlaskClient) -> tuple[int, int]:
    return client.post("/api/v1/quotes", json=QUOTE).status_code, operator.get("/api/v1/me").status_code

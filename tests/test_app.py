"""The application as a whole: what it needs, and what it can do without."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import create_app
from settings import Settings

LAWS = str(Path(__file__).parents[1] / "laws")


def client(tmp_path: Path, **variables: str):
    told = {"PONTUAL_DATA": str(tmp_path), "PONTUAL_LAWS": LAWS, **variables}
    return create_app(Settings.from_env(told)).test_client()


def test_stated_facts_are_priced_without_any_server(tmp_path):
    facts = {"municipality": "ro-urupa", "started_at": "2026-12-01T10:00", "legs": [{"zone": "urban", "km": "2"}]}

    assert client(tmp_path).post("/api/v1/fares", json=facts).json["total"] == "7.00"


def test_without_servers_it_lives_but_is_not_ready(tmp_path):
    alone = client(tmp_path)

    assert alone.get("/health").status_code == 200
    answer = alone.get("/ready")
    assert answer.status_code == 503
    down = {name for name, state in answer.json["parts"].items() if state == "down"}
    assert down == {"database", "migrations", "redis"}
    assert answer.json["parts"]["laws"] == "ok"


def test_laws_that_do_not_load_make_it_not_ready(tmp_path):
    (tmp_path / "laws" / "xx-vila").mkdir(parents=True)
    (tmp_path / "laws" / "xx-vila" / "municipality.yaml").write_text("slug: [")

    parts = client(tmp_path, PONTUAL_LAWS=str(tmp_path / "laws")).get("/ready").json["parts"]

    assert parts["laws"] == "down"


@pytest.mark.slow
def test_with_its_servers_it_is_ready(tmp_path, database_url, redis_url):
    whole = client(tmp_path, PONTUAL_DATABASE_URL=database_url, PONTUAL_REDIS_URL=redis_url)

    answer = whole.get("/ready")
    assert (answer.status_code, answer.json["status"]) == (200, "ready")
    assert set(answer.json["parts"].values()) == {"ok"}


@pytest.mark.slow
def test_each_server_that_is_down_is_named(tmp_path, database_url, redis_url):
    nowhere = "127.0.0.1:9"  # the discard port: nobody listens
    for variables, down in (
        (
            {"PONTUAL_DATABASE_URL": f"postgresql://{nowhere}/x", "PONTUAL_REDIS_URL": redis_url},
            {"database", "migrations"},
        ),
        ({"PONTUAL_DATABASE_URL": database_url, "PONTUAL_REDIS_URL": f"redis://{nowhere}"}, {"redis"}),
    ):
        answer = client(tmp_path, **variables).get("/ready")
        assert answer.status_code == 503
        assert {name for name, state in answer.json["parts"].items() if state == "down"} == down

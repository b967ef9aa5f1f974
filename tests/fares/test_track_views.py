"""`POST /api/v1/tracks/measure` as a rider's phone or an inspector meets it, over the real database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from accounts.rights import Role
from app import create_app
from settings import Settings
from store.connections import Connections
from tests.accounts.entrants import client_of
from tests.fares.meter.tracks import NOON, along
from zones.store import seed

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["estimate", "embedded"])
def app(database_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Flask]:
    """The application without road data: by setting, or because nobody built any."""
    variables = {
        "PONTUAL_DATA": str(tmp_path / "data"),
        "PONTUAL_DATABASE_URL": database_url,
        "PONTUAL_REDIS_URL": "unix:///nothing/listens/here",
        "PONTUAL_LAWS": str(ROOT / "laws"),
        "PONTUAL_GEODATA": str(ROOT / "geodata"),
        "PONTUAL_ROADS": request.param,
        "PONTUAL_LOG_LEVEL": "ERROR",
    }
    app = create_app(Settings.from_env(variables))
    store: Connections = app.extensions["store"]
    with store.sessions.begin() as session:
        seed(session, ROOT / "geodata", date(2026, 11, 30))
    yield app
    store.engine.dispose()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return client_of(app, Role.RIDER)


def body(fixes: list[dict[str, Any]], **facts: Any) -> dict[str, Any]:
    return {"municipality": "ro-urupa", "fixes": fixes, **facts}


def stated(seconds: float, lat: float, lon: float) -> dict[str, Any]:
    return {"t": datetime.fromtimestamp(NOON + seconds, UTC).isoformat(), "lat": lat, "lon": lon, "accuracy_m": 5}


def ride(metres: int) -> list[dict[str, Any]]:
    """A straight ride from the town to the east."""
    return [stated(fix.t - NOON, fix.lat, fix.lon) for fix in along(NOON, 0, metres)]


def measured(client: FlaskClient, body: dict[str, Any]) -> Any:
    return client.post("/api/v1/tracks/measure", json=body)


def paths(answer: Any) -> list[str]:
    return [error["path"] for error in answer.json["errors"]]


def test_a_ride_out_of_town_is_measured_by_zone_and_priced(client: FlaskClient):
    answer = measured(client, body(ride(6000)))

    assert answer.status_code == 200, answer.json
    found = answer.json
    assert found["metres"] == pytest.approx(6000, abs=10)
    assert sum(leg["metres"] for leg in found["legs"]) == found["metres"]
    assert found["legs"][-1]["zone"] == "rural"
    assert found["fare"]["status"] == "priced"
    assert (found["grade"], found["complete"], found["gaps"], found["dropped"]) == ("B", True, [], [])
    assert found["started_at"] == "2026-12-01T12:00:00-04:00"
    assert "direction_not_measured" in [warning["code"] for warning in found["fare"]["warnings"]]
    assert found["stretches"][0]["geometry"]["type"] == "LineString"
    assert found["zones_version"]


def test_dropped_fixes_come_back_with_their_reason_in_portuguese(client: FlaskClient):
    found = measured(client, body([*ride(500), stated(20.5, 0, 0)])).json

    (dropped,) = found["dropped"]
    assert (dropped["reason"], dropped["lat"], dropped["t"]) == ("null_island", 0, "2026-12-01T12:00:20.500000-04:00")
    assert "sinal" in dropped["detail"]


def test_a_pause_is_listed_and_makes_the_fare_inconclusive(client: FlaskClient):
    away = [stated(fix.t - NOON + 3600, fix.lat, fix.lon) for fix in along(NOON, 2500, 3000)]

    found = measured(client, body([*ride(500), *away])).json

    assert (found["grade"], found["complete"]) == ("C", False)
    assert [(gap["cause"], gap["fill"], gap["metres"]) for gap in found["gaps"]] == [("pause", "none", 0)]
    assert found["gaps"][0]["detail"] == "2,0 km sem registro, não contados."
    codes = {warning["code"] for warning in found["fare"]["warnings"]}
    assert {"distance_incomplete", "measurement_inconclusive"} <= codes


def test_only_unusable_fixes_leave_no_ride_to_price(client: FlaskClient):
    found = measured(client, body([stated(0, 0, 0), stated(1, 0, 0)])).json

    assert (found["metres"], found["legs"], found["fare"], found["grade"]) == (0, [], None, "C")
    assert [doubt["code"] for doubt in found["doubts"]] == ["nothing_measured", "many_dropped"]


def test_a_ride_that_never_moved_is_a_ride_where_it_stood(client: FlaskClient):
    still = [stated(i, -11.1270, -62.3600) for i in range(60)]

    found = measured(client, body(still)).json

    assert (found["metres"], len(found["legs"]), found["waiting_seconds"]) == (0, 1, 59)
    assert found["fare"]["status"] == "priced"


def test_a_ride_in_another_municipality_is_out_of_scope(client: FlaskClient):
    elsewhere = [{**fix, "lat": fix["lat"] + 3} for fix in ride(1000)]

    assert measured(client, body(elsewhere)).json["fare"]["status"] == "out_of_scope"


def test_the_order_and_repetition_of_fixes_do_not_change_the_answer(client: FlaskClient):
    fixes = ride(2000)

    straight = measured(client, body(fixes)).json
    mixed = measured(client, body([*fixes[100:], *fixes[:150]])).json

    assert mixed == straight


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"lat": 91}, "fixes.0.lat"),
        ({"lat": "-11.1"}, "fixes.0.lat"),
        ({"lon": True}, "fixes.0.lon"),
        ({"t": "2026-13-01T10:00"}, "fixes.0.t"),
        ({"t": 1796140800}, "fixes.0.t"),
        ({"accuracy_m": "8"}, "fixes.0.accuracy_m"),
        ({"altitude": 300}, "fixes.0.altitude"),
    ],
)
def test_a_fix_that_is_no_fix_is_refused_by_name(client: FlaskClient, change: dict[str, Any], path: str):
    answer = measured(client, body([{**stated(0, -11.127, -62.36), **change}]))

    assert (answer.status_code, paths(answer)) == (422, [path])


@pytest.mark.parametrize("facts", [{"fixes": []}, {"municipality": "xx-nada"}])
def test_no_fixes_and_unknown_towns_are_refused_by_name(client: FlaskClient, facts: dict[str, Any]):
    answer = measured(client, {**body(ride(100)), **facts})

    assert (answer.status_code, paths(answer)) == (422, [*facts])


def test_a_day_before_the_first_map_is_refused(client: FlaskClient):
    answer = measured(client, body([{"t": "1990-01-01T10:00", "lat": -11.1, "lon": -62.3}]))

    assert (answer.status_code, answer.json["code"]) == (422, "no_map")

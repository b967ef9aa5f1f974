"""A ride measured batch by batch, as a phone on a bad network sends it, over the real database."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from accounts import people, sessions
from accounts.access_log import What, accesses_to
from accounts.current import reception
from accounts.reception import utc_now
from accounts.rights import Role
from app import create_app
from fares.meter.state import BATCH
from settings import Settings
from store.connections import Connections
from tests.accounts.entrants import OTHER_TOWN, TEN_YEARS, TOWN, bearer, client_of, token_of
from tests.fares.meter.tracks import along
from zones.store import seed

ROOT = Path(__file__).parents[2]
ACCEPTED = datetime(2026, 3, 2, 15, tzinfo=UTC)
RIDE = [
    {"t": datetime.fromtimestamp(fix.t, UTC).isoformat(), "lat": fix.lat, "lon": fix.lon, "accuracy_m": 5}
    for fix in along(ACCEPTED.timestamp(), 0, 2500)
]


@pytest.fixture
def restart(database_url: str, tmp_path: Path) -> Iterator[Callable[[], Flask]]:
    """The application, new each time it is called, on the one database of the test."""
    variables = {
        "PONTUAL_DATA": str(tmp_path / "data"),
        "PONTUAL_DATABASE_URL": database_url,
        "PONTUAL_REDIS_URL": "unix:///nothing/listens/here",
        "PONTUAL_LAWS": str(ROOT / "laws"),
        "PONTUAL_GEODATA": str(ROOT / "geodata"),
        "PONTUAL_ROADS": "estimate",
        "PONTUAL_LOG_LEVEL": "ERROR",
    }
    stores: list[Connections] = []

    def start() -> Flask:
        for store in stores:
            store.engine.dispose()
        app = create_app(Settings.from_env(variables))
        stores.append(app.extensions["store"])
        return app

    yield start
    for store in stores:
        store.engine.dispose()


@pytest.fixture
def app(restart: Callable[[], Flask]) -> Flask:
    app = restart()
    with app.extensions["store"].sessions.begin() as session:
        seed(session, ROOT / "geodata", date(2026, 1, 1))
    return app


@pytest.fixture
def rider(app: Flask) -> FlaskClient:
    return client_of(app, Role.RIDER)


def second_rider(app: Flask) -> FlaskClient:
    """A client of another rider of the same town: `client_of` always gives the same one."""
    now, order = utc_now(), people.NewAccount(Role.RIDER, TOWN, "A-02", "Demo 2")
    with app.app_context(), app.extensions["store"].sessions.begin() as session:
        account = people.create(session, order, reception().enrolment(), "test", now).account
        token = sessions.open_for_script(session, account, TEN_YEARS, now)
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client


def opening(client: FlaskClient, **given: Any) -> Any:
    return client.post("/api/v1/tracks", **given)


def opened(client: FlaskClient, headers: dict[str, str] | None = None, **facts: Any) -> str:
    body = {"municipality": TOWN, "accepted_at": ACCEPTED.isoformat(), **facts}
    answer = opening(client, json=body, headers=headers)
    assert answer.status_code == 201, answer.json
    number: str = answer.json["id"]
    return number


def send(client: FlaskClient, track: str, fixes: list[dict[str, Any]]) -> Any:
    return client.post(f"/api/v1/tracks/{track}/fixes", json={"fixes": fixes})


def closed(client: FlaskClient, track: str) -> Any:
    return client.post(f"/api/v1/tracks/{track}/close")


def shown(client: FlaskClient, track: str, **query: str) -> Any:
    return client.get(f"/api/v1/tracks/{track}", query_string=query)


def measured(client: FlaskClient, **facts: Any) -> Any:
    return client.post("/api/v1/tracks/measure", json={"municipality": TOWN, "fixes": RIDE, **facts})


def batches() -> list[list[dict[str, Any]]]:
    return [RIDE[at : at + BATCH] for at in range(0, len(RIDE), BATCH)]


def paths(answer: Any) -> list[str]:
    return [error["path"] for error in answer.json["errors"]]


def test_batches_in_any_order_and_repeated_are_the_whole_ride(rider: FlaskClient):
    track, dice, kept = opened(rider), random.Random(1), 0
    sent = dice.sample(batches() * 2, 2 * len(batches()))
    for batch in sent:
        answer = send(rider, track, dice.sample(batch, len(batch)))
        kept += answer.json["new"]
        assert (answer.status_code, answer.json["fixes"], answer.json["before_ride"]) == (200, kept, 0)

    answer = closed(rider, track)

    assert kept == len(RIDE)
    assert (answer.status_code, answer.data) == (200, measured(rider).data)
    assert answer.json["fare"]["status"] == "priced"


def test_the_facts_stated_at_the_opening_are_priced_at_the_end(rider: FlaskClient):
    facts: dict[str, Any] = {"passengers": 2, "passenger_age": 30, "items": [{"class": "bagagem", "count": 2}]}
    track = opened(rider, **facts)
    for batch in batches():
        send(rider, track, batch)

    answer = closed(rider, track)

    assert answer.data == measured(rider, **facts).data
    assert answer.json["fare"]["status"] == "prohibited"


def test_closing_again_answers_the_same_bytes_and_so_does_reading(rider: FlaskClient):
    track = opened(rider)
    send(rider, track, RIDE[:BATCH])

    first, again = closed(rider, track), closed(rider, track)

    assert (again.status_code, again.data) == (200, first.data)
    assert first.data in shown(rider, track).data


def test_a_measurement_goes_on_after_a_restart_and_its_result_outlives_the_next(
    restart: Callable[[], Flask], app: Flask
):
    token = bearer(token_of(app, Role.RIDER))
    before = app.test_client()
    track = opened(before, token)
    for batch in batches()[:2]:
        before.post(f"/api/v1/tracks/{track}/fixes", json={"fixes": batch}, headers=token)

    after = restart().test_client()
    for batch in batches()[1:]:
        after.post(f"/api/v1/tracks/{track}/fixes", json={"fixes": batch}, headers=token)
    answer = after.post(f"/api/v1/tracks/{track}/close", headers=token)
    whole = after.post("/api/v1/tracks/measure", json={"municipality": TOWN, "fixes": RIDE}, headers=token)
    last = restart().test_client().post(f"/api/v1/tracks/{track}/close", headers=token)

    assert answer.status_code == 200
    assert answer.data == whole.data == last.data


def test_an_open_measurement_says_how_far_it_is(rider: FlaskClient):
    track = opened(rider)
    send(rider, track, RIDE[:40])

    answer = shown(rider, track)

    assert answer.status_code == 200
    assert answer.json == {
        "id": track,
        "municipality": TOWN,
        "state": "open",
        "accepted_at": "2026-03-02T11:00:00-04:00",
        "closed_at": None,
        "fixes": 40,
        "result": None,
    }


def test_a_closed_measurement_takes_no_more(rider: FlaskClient):
    track = opened(rider)
    send(rider, track, RIDE[:40])
    closed(rider, track)

    answer = send(rider, track, RIDE[40:80])

    assert (answer.status_code, answer.json["code"]) == (409, "track_closed")
    found = shown(rider, track).json
    assert (found["state"], found["fixes"], found["closed_at"] is None) == ("closed", 40, False)


def test_closing_without_positions_says_that_nothing_was_measured(rider: FlaskClient):
    answer = closed(rider, opened(rider))

    assert (answer.status_code, answer.json["fare"], answer.json["grade"]) == (200, None, "C")
    assert "nothing_measured" in [doubt["code"] for doubt in answer.json["doubts"]]


def test_positions_from_before_the_ride_are_counted_and_not_kept(rider: FlaskClient):
    waiting = [{**RIDE[0], "t": (ACCEPTED - timedelta(minutes=5 + i)).isoformat()} for i in range(3)]

    answer = send(rider, opened(rider), [*waiting, *RIDE[:10]])

    assert answer.json == {"fixes": 10, "new": 10, "before_ride": 3}


def test_opening_again_with_the_same_key_is_the_same_measurement(rider: FlaskClient):
    body, key = {"municipality": TOWN}, {"Idempotency-Key": "corrida-0001"}

    first, again = (opening(rider, json=body, headers=key) for _ in range(2))

    assert (first.status_code, again.status_code, again.data) == (201, 201, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"


def test_another_riders_measurement_does_not_exist(app: Flask, rider: FlaskClient):
    track = opened(rider)
    send(rider, track, RIDE[:20])
    other = second_rider(app)

    asked = [send(other, track, RIDE[20:40]), closed(other, track), shown(other, track, case_number="12/2026")]
    nobodys = [send(other, "0" * 32, RIDE[20:40]), closed(other, "0" * 32), shown(other, "0" * 32)]

    assert [answer.status_code for answer in (*asked, *nobodys)] == [404] * 6
    assert {answer.json["detail"] for answer in (*asked, *nobodys)} == {nobodys[0].json["detail"]}
    found = shown(rider, track).json
    assert (found["state"], found["fixes"]) == ("open", 20)


def test_an_inspector_reads_for_a_case_and_leaves_a_trace(app: Flask, rider: FlaskClient):
    track = opened(rider)
    send(rider, track, RIDE[:BATCH])
    result = closed(rider, track).json
    inspector = client_of(app, Role.INSPECTOR)

    answer = shown(inspector, track, case_number="12/2026", reason="reclamação")

    assert (answer.status_code, answer.json["result"]) == (200, result)
    with app.extensions["store"].sessions.begin() as session:
        looks = [(look.who, look.case_number, look.reason) for look in accesses_to(session, What("tracks", track))]
    ((who, *why),) = looks
    assert who.startswith("inspector:")
    assert why == ["12/2026", "reclamação"]


def test_an_inspector_without_a_case_sees_nothing(app: Flask, rider: FlaskClient):
    track = opened(rider)

    answer = shown(client_of(app, Role.INSPECTOR), track)

    assert (answer.status_code, answer.json["code"], paths(answer)) == (422, "case_number_missing", ["case_number"])


def test_an_inspector_touches_no_riders_measurement_and_reads_none_of_another_town(app: Flask, rider: FlaskClient):
    track = opened(rider)
    ours, theirs = client_of(app, Role.INSPECTOR), client_of(app, Role.INSPECTOR, OTHER_TOWN)

    refused = [send(ours, track, RIDE[:10]), closed(ours, track), shown(theirs, track, case_number="12/2026")]

    assert [answer.status_code for answer in refused] == [404] * 3


def test_nobody_opens_a_measurement_in_another_town(rider: FlaskClient):
    answer = opening(rider, json={"municipality": OTHER_TOWN})

    assert (answer.status_code, answer.json["code"]) == (403, "other_municipality")


@pytest.mark.parametrize(
    ("fixes", "path"),
    [
        ([], "fixes"),
        (RIDE[: BATCH + 1], "fixes"),
        ([*RIDE[:3], {**RIDE[3], "lat": 91}], "fixes.3.lat"),
        ([{**RIDE[0], "t": "2026-13-01T10:00"}], "fixes.0.t"),
        ([{**RIDE[0], "altitude": 300}], "fixes.0.altitude"),
    ],
    ids=["none", "too many", "latitude", "instant", "unknown"],
)
def test_a_bad_batch_is_refused_by_name_and_whole(rider: FlaskClient, fixes: list[dict[str, Any]], path: str):
    track = opened(rider)

    answer = send(rider, track, fixes)

    assert (answer.status_code, paths(answer)) == (422, [path])
    assert shown(rider, track).json["fixes"] == 0


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"municipality": "xx-nada"}, "municipality"),
        ({"accepted_at": "2090-01-01T10:00"}, "accepted_at"),
        ({"passengers": 0}, "passengers"),
        ({"fixes": RIDE[:1]}, "fixes"),
    ],
    ids=["town", "future", "passengers", "unknown"],
)
def test_a_bad_opening_is_refused_by_name(rider: FlaskClient, change: dict[str, Any], path: str):
    answer = opening(rider, json={"municipality": TOWN, **change})

    assert (answer.status_code, paths(answer)) == (422, [path])

"""Limits of requests: the table, the even pace, the shared window, and a flood that stops only itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from accounts.limiter import SECONDS_WITHOUT_REDIS, Limiter, TooMany
from accounts.limits import CALLS_OF_PHONE, LIMITS, Kept, Limit, Pace, Per, limits_of
from accounts.rights import OPEN_ENDPOINTS
from app import create_app
from settings import Settings
from store.connections import Connections
from zones.store import seed

ROOT = Path(__file__).parents[2]
SQUARE, FARM = {"lat": -11.1249, "lon": -62.3653}, {"lat": -11.05, "lon": -62.45}
QUOTE = {"municipality": "ro-urupa", "origin": SQUARE, "destination": FARM, "depart_at": "2026-12-01T10:00"}
FARE = {"municipality": "ro-urupa", "started_at": "2026-12-01T10:00", "legs": [{"zone": "urban", "km": "2"}]}
NOBODY = "unix:///nothing/listens/here"


def most(endpoint: str, name: str) -> int:
    (limit,) = [limit for limit in limits_of(endpoint) if limit.name == name]
    return limit.most


@pytest.fixture
def make(database_url: str, redis_url: str, tmp_path: Path) -> Iterator[Callable[..., Flask]]:
    """Applications over one database and one Valkey, behind one proxy, as two workers would be."""
    with ExitStack() as ends:

        def make(**more: str) -> Flask:
            variables = {
                "PONTUAL_DATA": str(tmp_path / "data"),
                "PONTUAL_DATABASE_URL": database_url,
                "PONTUAL_REDIS_URL": redis_url,
                "PONTUAL_LAWS": str(ROOT / "laws"),
                "PONTUAL_GEODATA": str(ROOT / "geodata"),
                "PONTUAL_ROADS": "estimate",
                "PONTUAL_LOG_LEVEL": "ERROR",
                "PONTUAL_TRUSTED_PROXIES": "1",
                **more,
            }
            app = create_app(Settings.from_env(variables))
            ends.callback(app.extensions["store"].engine.dispose)
            return app

        with make().extensions["store"].sessions.begin() as session:
            seed(session, ROOT / "geodata", date(2026, 11, 30))
        yield make


def ask(client: FlaskClient, path: str, body: object, address: str, **headers: str):
    return client.post(path, json=body, headers={"X-Forwarded-For": address, **headers})


def test_a_flood_from_one_address_leaves_the_quotes_of_others_alone(make: Callable[..., Flask]):
    """Real threads on two workers: exactly as many quotes as one address has, whichever worker it asks."""
    workers, allowed, surplus = [make(), make()], most("quotes.quote", "quotes"), 40

    def flood(number: int):
        return ask(workers[number % 2].test_client(), "/api/v1/quotes", QUOTE, "198.51.100.7").status_code

    def bystander(number: int):
        return ask(workers[number % 2].test_client(), "/api/v1/quotes", QUOTE, f"203.0.113.{number}").status_code

    with ThreadPoolExecutor(8) as pool:
        flooding = [pool.submit(flood, number) for number in range(allowed + surplus)]
        others = [pool.submit(bystander, number) for number in range(10)]
    said = [each.result() for each in flooding]
    assert (said.count(201), said.count(429)) == (allowed, surplus)
    assert [each.result() for each in others] == [201] * 10


def test_who_asks_too_often_is_told_when_to_come_back(make: Callable[..., Flask]):
    client = make().test_client()
    for _ in range(most("quotes.quote", "quotes")):
        ask(client, "/api/v1/quotes", {}, "198.51.100.7")  # refused as invalid, and counted all the same
    answer = ask(client, "/api/v1/quotes", QUOTE, "198.51.100.7")

    assert (answer.status_code, answer.json["code"]) == (429, "too_many_requests")
    assert answer.content_type == "application/problem+json"
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert answer.headers["Retry-After"] in answer.json["detail"]
    assert answer.headers["RateLimit-Policy"] == f'"quotes";q={most("quotes.quote", "quotes")};w=60'


def test_a_forged_address_is_counted_as_the_one_the_proxy_saw(make: Callable[..., Flask]):
    client = make().test_client()
    said = [
        ask(client, "/api/v1/quotes", {}, f"10.9.8.{number}, 198.51.100.7").status_code
        for number in range(most("quotes.quote", "quotes") + 1)
    ]
    assert said[-1] == 429
    assert set(said[:-1]) == {422}


def test_without_proxies_the_header_is_not_believed(make: Callable[..., Flask]):
    client = make(PONTUAL_TRUSTED_PROXIES="0").test_client()
    said = [
        client.post(
            "/api/v1/quotes",
            json={},
            headers={"X-Forwarded-For": f"10.9.8.{number}", "Forwarded": f"for=10.9.8.{number}"},
            environ_base={"REMOTE_ADDR": "198.51.100.7"},
        ).status_code
        for number in range(most("quotes.quote", "quotes") + 1)
    ]
    assert said[-1] == 429


@pytest.mark.parametrize(("address", "counted"), [("127.0.0.1", False), ("::1", False), ("2001:db8:1:2::", True)])
def test_this_machine_is_not_counted_and_an_ipv6_customer_is_one(
    make: Callable[..., Flask], address: str, counted: bool
):
    client = make().test_client()
    for number in range(most("quotes.quote", "quotes") + 1):
        one = f"{address}{number}" if counted else address
        answer = ask(client, "/api/v1/quotes", {}, one)
    assert answer.status_code == (429 if counted else 422)


def test_the_setting_multiplies(make: Callable[..., Flask]):
    client = make(PONTUAL_LIMITS_TIMES="2").test_client()
    allowed = 2 * most("quotes.quote", "quotes")
    said = [ask(client, "/api/v1/quotes", {}, "198.51.100.7").status_code for _ in range(allowed + 1)]
    assert said.index(429) == allowed


def test_without_redis_prices_and_quotes_go_on_and_guessing_does_not(make: Callable[..., Flask]):
    client = make(PONTUAL_REDIS_URL=NOBODY).test_client()
    assert ask(client, "/api/v1/quotes", QUOTE, "198.51.100.7").status_code == 201
    assert ask(client, "/api/v1/fares", FARE, "198.51.100.7").status_code == 200
    for _ in range(most("quotes.quote", "quotes") + 1):
        refused = ask(client, "/api/v1/quotes", {}, "198.51.100.7")
    assert refused.status_code == 429, "each worker still limits by itself"

    guess = {"by": "password", "login": "maria", "password": "uma senha qualquer"}
    assert ask(client, "/api/v1/sessions", guess, "203.0.113.5").status_code == 503


def test_redis_is_asked_again_after_a_while(redis_url: str, tmp_path: Path):
    now = [1000.0]
    store = Connections(tmp_path, None, NOBODY)
    limiter = Limiter(store, clock=lambda: now[0])
    for _ in range(CALLS_OF_PHONE.most):
        limiter.spend(CALLS_OF_PHONE, "+5569992841234")
    with pytest.raises(TooMany):
        limiter.spend(CALLS_OF_PHONE, "+5569992841234")

    store._redis_url = redis_url  # it comes back, having counted nothing
    limiter.__dict__.pop("_windows", None)
    with pytest.raises(TooMany):
        limiter.spend(CALLS_OF_PHONE, "+5569992841234")
    now[0] += SECONDS_WITHOUT_REDIS
    limiter.spend(CALLS_OF_PHONE, "+5569992841234")


def test_a_telephone_is_counted_apart_from_others_and_kept_unreadable(redis_url: str, tmp_path: Path):
    store = Connections(tmp_path, None, redis_url)
    limiter = Limiter(store)
    for _ in range(CALLS_OF_PHONE.most):
        limiter.spend(CALLS_OF_PHONE, "+5569992841234")
    with pytest.raises(TooMany) as refused:
        limiter.spend(CALLS_OF_PHONE, "+5569992841234")
    limiter.spend(CALLS_OF_PHONE, "+5569992841235")

    assert 1 <= refused.value.seconds <= CALLS_OF_PHONE.seconds
    kept = [bytes(key) for key in store.redis.scan_iter()]
    assert kept
    assert not [key for key in kept if b"92841234" in key]


def test_every_named_endpoint_exists():
    endpoints = {rule.endpoint for rule in create_app(Settings()).url_map.iter_rules()}
    assert LIMITS.keys() <= endpoints


def test_every_endpoint_but_the_pulse_is_limited_for_everybody():
    for rule in create_app(Settings()).url_map.iter_rules():
        limits = limits_of(rule.endpoint)
        if rule.endpoint != "health.alive":
            assert any(limit.per is Per.ADDRESS for limit in limits), rule.endpoint
            assert len({limit.name for limit in limits}) == len(limits) >= 2, rule.endpoint
    assert all(Per.CALLER in {limit.per for limit in limits_of(e)} for e in ["me.who_am_i"] if e not in OPEN_ENDPOINTS)


SHORT = Limit("short", 5, 10, Per.ADDRESS, Kept.PROCESS)


@given(st.lists(st.floats(0, 5), max_size=60))
def test_the_pace_lets_through_a_burst_and_then_what_time_allows(gaps: list[float]):
    pace, now, let = Pace(), 100.0, []
    for gap in gaps:
        now += gap
        wait = pace.spend(SHORT, "a", now)
        if wait == 0:
            let.append(now)
        else:
            assert pace.spend(SHORT, "a", now) == wait, "being refused costs nothing"
            assert Pace().spend(SHORT, "a", now) == 0
    for first in range(len(let)):
        for last in range(first, len(let)):
            assert last - first + 1 <= SHORT.most + (let[last] - let[first]) * SHORT.most / SHORT.seconds + 1e-3


@given(st.integers(1, 50))
def test_who_waits_as_told_is_let_through(requests: int):
    pace, now = Pace(), 100.0
    for _ in range(requests):
        wait = pace.spend(SHORT, "a", now)
        if wait:
            now += wait
            assert pace.spend(SHORT, "a", now) == 0


def test_the_pace_remembers_only_so_many():
    pace = Pace(names=3)
    for subject in "abcd":
        assert pace.spend(SHORT, subject, 0.0) == 0
    assert len(pace._due) == 3

"""Every endpoint × every role, walked from the table of rights with real requests; and no town sees another's.

An endpoint in neither table of `accounts.rights` fails here, and so does a new one that needs an access until `ways`
says how to ask for it: the walk and the isolation tests then cover it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from werkzeug.routing import Rule

from accounts.current import action_of
from accounts.rights import ANONYMOUS, OPEN_ENDPOINTS, RIGHTS, Actor, Role, Scope
from app import create_app
from settings import Settings
from tests.accounts.stage import OTHER_TOWN, TOWN, Person, Stage
from tests.accounts.ways import WAYS, Way

APP = create_app(Settings())
RULES = {rule.endpoint: rule for rule in APP.url_map.iter_rules()}
OPEN = [
    endpoint
    for endpoint in RULES
    if (action := action_of(APP, endpoint)) is not None and ANONYMOUS.scope_of(action) is Scope.ALL
]
GUARDED = [endpoint for endpoint in RULES if endpoint not in OPEN]
BOUND = [
    (right.role, endpoint, right.scope)
    for endpoint in GUARDED
    for right in RIGHTS
    if right.action == action_of(APP, endpoint)
    and (right.scope is Scope.TOWN or (right.scope is Scope.OWN and RULES[endpoint].arguments))
]
"""Who may do what only within his town, or only with his own."""


def method_of(rule: Rule) -> str:
    return next(iter((rule.methods or set()) - {"HEAD", "OPTIONS"}))


@dataclass(frozen=True)
class Request:
    """Something to be asked, whose objects exist already; ``values`` are those of the path."""

    endpoint: str
    values: dict[str, str]
    body: dict[str, Any] | None
    headers: dict[str, str]

    def sent(self, stage: Stage, address: str = "203.0.113.9") -> Any:
        return stage.client().open(
            stage.app.url_map.bind("localhost").build(self.endpoint, self.values),
            method=method_of(RULES[self.endpoint]),
            json=self.body,
            headers=self.headers,
            environ_base={"REMOTE_ADDR": address},
        )


def prepared(stage: Stage, endpoint: str, town: str, asker: Person | None, owner: Person | None = None) -> Request:
    """A request to ``endpoint`` for something of ``town`` that is the asker's own, unless it has another ``owner``."""
    way, who = WAYS[endpoint], asker or Person("", Role.ANYONE, "")
    body = None if way.body is None else way.body(stage, town, who)
    return Request(endpoint, way.values(stage, town, owner or who), body, asker.headers if asker else {})


def expected(action: str, role: Role, way: Way) -> int:
    if Actor(role, "x", TOWN, scopes=frozenset({action})).may(action):
        return way.good
    return 401 if role is Role.ANYONE else 403


def test_every_endpoint_has_a_row() -> None:
    assert [endpoint for endpoint in RULES if action_of(APP, endpoint) is None] == []


def test_every_row_of_open_endpoints_is_an_endpoint_without_a_mark() -> None:
    marked = {name for name, view in APP.view_functions.items() if hasattr(view, "action")}

    assert set(OPEN_ENDPOINTS) - set(RULES) == set()
    assert set(OPEN_ENDPOINTS) & marked == set()


def test_every_guarded_endpoint_has_a_way_to_be_asked() -> None:
    assert set(GUARDED) - set(WAYS) == set(), "tell the walk how to ask it: WAYS"
    assert set(WAYS) - set(GUARDED) == set()


def test_an_endpoint_without_a_row_is_refused_to_everybody(app: Flask, stage: Stage) -> None:
    app.add_url_rule("/forgotten", "forgotten", lambda: "segredo")
    admin = stage.person(Role.ADMIN)

    answer = stage.client().get("/forgotten", headers=admin.headers)

    assert (answer.status_code, answer.json["code"]) == (403, "no_right_declared")


@pytest.mark.parametrize("endpoint", GUARDED)
def test_each_role_gets_the_answer_of_the_table(stage: Stage, endpoint: str) -> None:
    action = action_of(APP, endpoint)
    assert action is not None

    found = {}
    for role in Role:
        asker = None if role is Role.ANYONE else stage.person(role)
        answer = prepared(stage, endpoint, TOWN, asker).sent(stage)
        found[role] = answer.status_code

        assert answer.status_code != 401 or answer.headers["WWW-Authenticate"].startswith("Bearer")
        _free_names(stage)

    assert found == {role: expected(action, role, WAYS[endpoint]) for role in Role}


def _free_names(stage: Stage) -> None:
    """So that the next one can make the same."""
    with stage.reception.sessions.begin() as session:
        session.execute(text("UPDATE accounts SET login = id WHERE role <> 'passenger'"))
        session.execute(text("UPDATE service_keys SET name = id"))


@pytest.mark.parametrize("endpoint", OPEN)
def test_what_is_open_is_open_to_everybody(app: Flask, stage: Stage, endpoint: str) -> None:
    rule = RULES[endpoint]
    path = app.url_map.bind("localhost").build(endpoint, dict.fromkeys(rule.arguments, "nada"))
    method = method_of(rule)

    for headers in ({}, stage.person(Role.PASSENGER).headers, stage.key().headers):
        answer = app.test_client().open(path, method=method, json={} if method == "POST" else None, headers=headers)

        assert answer.status_code not in (401, 403)
        assert answer.status_code < 500


@pytest.mark.parametrize(("role", "endpoint", "scope"), BOUND)
def test_another_towns_and_another_persons_things_do_not_exist(
    stage: Stage, role: Role, endpoint: str, scope: Scope
) -> None:
    asker, town = stage.person(role), OTHER_TOWN if scope is Scope.TOWN else TOWN
    asked = prepared(stage, endpoint, town, asker, owner=stage.person(role, town))

    answer = asked.sent(stage)

    if WAYS[endpoint].names_town:
        assert (answer.status_code, answer.json["code"]) == (403, "other_municipality")
    elif asked.values:
        nobodys = replace(asked, values=dict.fromkeys(asked.values, "0" * 32)).sent(stage)
        assert answer.status_code == 404
        assert _said(answer) == _said(nobodys), "the answer tells that it exists"
    else:
        theirs = [stage.person(Role.RIDER, OTHER_TOWN).id, stage.key(OTHER_TOWN).id]
        assert [one for one in theirs if one in asked.sent(stage).text] == []


def _said(answer: Any) -> dict[str, Any]:
    return {name: value for name, value in answer.json.items() if name != "instance"}


@pytest.mark.slow
def test_whoever_asks_whatever_of_another_town_changes_and_learns_nothing(stage: Stage) -> None:
    laws = stage.app.extensions["settings"].laws
    towns = sorted(path.parent.name for path in laws.glob("*/municipality.yaml"))
    bound = [(role, endpoint) for role, endpoint, _ in BOUND if WAYS[endpoint].names_town or RULES[endpoint].arguments]

    @given(st.sampled_from(bound), st.permutations(towns))
    @settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def hold(case: tuple[Role, str], order: list[str]) -> None:
        (role, endpoint), (own, other, *_) = case, order
        asked = prepared(stage, endpoint, other, stage.person(role, own), owner=stage.person(role, other))
        before = _whole_state(stage, other)

        answer = asked.sent(stage)

        assert answer.status_code in (403, 404)
        assert _whole_state(stage, other) == before
        assert not any(value in answer.text for value in asked.values.values())

    hold()


def _whole_state(stage: Stage, town: str) -> list[tuple[Any, ...]]:
    """All that is kept of a town's accounts, keys and tracks."""
    with stage.reception.sessions.begin() as session:
        tables = ("accounts", "service_keys", "tracks")
        queries = [text(f"SELECT * FROM {table} WHERE municipality = :town ORDER BY id") for table in tables]
        return [tuple(row) for query in queries for row in session.execute(query, {"town": town})]


def test_figures_are_for_the_machine_itself_an_admin_and_a_key_for_them(stage: Stage) -> None:
    local, remote = "127.0.0.1", "203.0.113.9"
    anyone, key = prepared(stage, "metrics", TOWN, None), prepared(stage, "metrics", TOWN, stage.key(None))
    by_proxy = replace(anyone, headers={"X-Forwarded-For": local})

    assert anyone.sent(stage, local).status_code == 200
    assert by_proxy.sent(stage, local).status_code == 401
    assert anyone.sent(stage, remote).status_code == 401
    assert key.sent(stage, remote).status_code == 200

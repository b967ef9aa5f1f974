"""Tokens: how long they are good, how they are renewed, and when they are worth nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from accounts import people, sessions, tokens
from accounts.models import Account, SignIn
from accounts.rights import Role
from tests.accounts.stage import Clock, Stage, at_once, bearer


@pytest.fixture
def opened(stage: Stage) -> dict[str, Any]:
    """The answer to an operator who signed in."""
    issued = stage.issued(Role.OPERATOR)
    answer: dict[str, Any] = stage.by_password(issued.account.login, issued.secret).json
    return answer


def statuses(stage: Stage, *told: dict[str, Any]) -> list[int]:
    """Whether each of these access tokens is good."""
    return [stage.me(one["access_token"]).status_code for one in told]


def test_an_access_token_lasts_fifteen_minutes(stage: Stage, clock: Clock, opened: dict[str, Any]) -> None:
    clock.forward(minutes=15, microseconds=-1)
    assert statuses(stage, opened) == [200]

    clock.forward(microseconds=1)
    answer = stage.me(opened["access_token"])

    assert (answer.status_code, answer.json["code"]) == (401, "invalid_token")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="pontual", error="invalid_token"'


def test_a_refresh_replaces_both_tokens(stage: Stage, clock: Clock, opened: dict[str, Any]) -> None:
    clock.forward(hours=1)

    renewed = stage.refresh(opened["refresh_token"]).json

    assert statuses(stage, opened, renewed) == [401, 200]
    assert renewed["refresh_token"] != opened["refresh_token"]
    assert renewed["refresh_expires_at"] == opened["refresh_expires_at"], "refreshing does not make it last for ever"


def test_a_sign_in_ends_in_its_time_however_often_refreshed(stage: Stage, clock: Clock, opened: dict[str, Any]) -> None:
    clock.forward(hours=11, minutes=59)
    renewed = stage.refresh(opened["refresh_token"]).json
    assert statuses(stage, renewed) == [200]

    clock.forward(minutes=1)

    assert statuses(stage, renewed) == [401]
    assert stage.refresh(renewed["refresh_token"]).status_code == 401


def test_a_rider_signs_in_again_after_thirty_days(stage: Stage, clock: Clock) -> None:
    rider = stage.issued(Role.RIDER)
    opened = stage.by_permit(rider.account.login, rider.secret).json

    clock.forward(days=29)
    renewed = stage.refresh(opened["refresh_token"])
    clock.forward(days=1)

    assert renewed.status_code == 201
    assert stage.refresh(renewed.json["refresh_token"]).status_code == 401


def test_the_token_replaced_last_is_told_so_for_ten_seconds_then_taken_for_stolen(
    stage: Stage, clock: Clock, opened: dict[str, Any]
) -> None:
    renewed = stage.refresh(opened["refresh_token"]).json

    clock.forward(seconds=10)
    again = stage.refresh(opened["refresh_token"])
    assert (again.status_code, again.json["code"]) == (409, "superseded")
    assert statuses(stage, renewed) == [200]

    clock.forward(seconds=1)
    assert stage.refresh(opened["refresh_token"]).status_code == 401
    assert statuses(stage, renewed) == [401]
    assert stage.refresh(renewed["refresh_token"]).status_code == 401


def test_an_older_token_ends_the_sign_in_at_once(stage: Stage, opened: dict[str, Any]) -> None:
    second = stage.refresh(opened["refresh_token"]).json
    third = stage.refresh(second["refresh_token"]).json

    assert stage.refresh(opened["refresh_token"]).status_code == 401
    assert statuses(stage, third) == [401]


def test_reuse_ends_the_stolen_sign_in_and_no_other(stage: Stage, clock: Clock) -> None:
    issued = stage.issued(Role.OPERATOR)
    stolen, other = (stage.by_password(issued.account.login, issued.secret).json for _ in range(2))
    stage.refresh(stolen["refresh_token"])
    clock.forward(minutes=1)

    stage.refresh(stolen["refresh_token"])

    assert statuses(stage, other) == [200]
    with stage.reception.sessions.begin() as session:
        ended = session.get(SignIn, tokens.session_of(stolen["refresh_token"]))
        assert ended is not None
        assert ended.ended_because == "refresh_reused"


def test_of_refreshes_at_once_exactly_one_wins_and_the_sign_in_lives(stage: Stage, opened: dict[str, Any]) -> None:
    answers: list[Any] = []

    def work() -> int:
        answers.append(stage.refresh(opened["refresh_token"]))
        return int(answers[-1].status_code)

    assert at_once(4, work) == [201, 409, 409, 409]
    (won,) = [answer.json for answer in answers if answer.status_code == 201]
    assert statuses(stage, won) == [200]
    assert stage.refresh(won["refresh_token"]).status_code == 201


@pytest.mark.parametrize(
    "token", ["ptr_", "ptr_x", "ptr_nada.nada", "nada", "pta_nada", "ptr_" + "x" * 100 + ".x", "ptr_.", "..."]
)
def test_what_is_no_refresh_token_is_refused(stage: Stage, token: str) -> None:
    assert stage.refresh(token).status_code == 401


def test_a_forged_token_of_a_known_sign_in_ends_it(stage: Stage, opened: dict[str, Any]) -> None:
    session = tokens.session_of(opened["refresh_token"])

    assert stage.refresh(tokens.new(tokens.Kind.REFRESH, session)).status_code == 401
    assert statuses(stage, opened) == [401], "whoever knows its number read a token"


def test_tokens_replayed_after_sign_out_open_nothing(stage: Stage, opened: dict[str, Any]) -> None:
    answer = stage.client().delete("/api/v1/sessions/current", headers=bearer(opened["access_token"]))

    assert (answer.status_code, answer.data) == (204, b"")
    assert statuses(stage, opened) == [401]
    assert stage.refresh(opened["refresh_token"]).status_code == 401


def test_signing_out_here_leaves_other_devices_and_everywhere_does_not(stage: Stage) -> None:
    issued, stranger = stage.issued(Role.OPERATOR), stage.person(Role.OPERATOR)
    here, there, last = (stage.by_password(issued.account.login, issued.secret).json for _ in range(3))

    stage.client().delete("/api/v1/sessions/current", headers=bearer(here["access_token"]))
    assert statuses(stage, here, there, last) == [401, 200, 200]

    stage.client().delete("/api/v1/sessions", headers=bearer(there["access_token"]))
    assert statuses(stage, here, there, last) == [401, 401, 401]
    assert stage.refresh(last["refresh_token"]).status_code == 401
    assert stage.me(stranger.token).status_code == 200


def test_a_disabled_account_is_out_at_once(stage: Stage, opened: dict[str, Any]) -> None:
    with stage.reception.sessions.begin() as session:
        people.disable(session, session.get_one(Account, opened["account"]["id"]), stage.clock())

    assert statuses(stage, opened) == [401]
    assert stage.refresh(opened["refresh_token"]).status_code == 401


def test_a_disabled_account_is_out_even_if_its_sign_ins_were_forgotten(stage: Stage, opened: dict[str, Any]) -> None:
    with stage.reception.sessions.begin() as session:
        session.get_one(Account, opened["account"]["id"]).disabled_at = stage.clock()

    assert statuses(stage, opened) == [401]
    assert stage.refresh(opened["refresh_token"]).status_code == 401


def test_an_access_token_does_not_refresh_and_a_refresh_token_gives_no_access(
    stage: Stage, opened: dict[str, Any]
) -> None:
    assert stage.me(opened["refresh_token"]).status_code == 401
    assert stage.refresh(opened["access_token"]).status_code == 401


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic cG9udHVhbDpwb250dWFs",
        "Bearer a b",
        "Bearer çé",
        "Bearer pta_\x00",
        "Bearer " + "x" * 5000,
        "Bearer x, Bearer y",
        "bearer ' OR 1=1 --",
    ],
)
def test_a_strange_authorization_is_no_authorization(stage: Stage, header: str) -> None:
    answer = stage.client().get("/api/v1/me", headers={"Authorization": header})

    assert (answer.status_code, answer.json["code"]) == (401, "invalid_token")


def test_the_scheme_may_be_written_in_any_case(stage: Stage, opened: dict[str, Any]) -> None:
    headers = {"Authorization": f"bEaReR {opened['access_token']}"}

    assert stage.client().get("/api/v1/me", headers=headers).status_code == 200


def test_a_script_token_lasts_as_long_as_asked_and_is_not_refreshed(stage: Stage, clock: Clock) -> None:
    with stage.reception.sessions.begin() as session:
        account = people.of_script(session, Role.OPERATOR, "ro-urupa", clock())
        token = sessions.open_for_script(session, account, timedelta(hours=24), clock())

    clock.forward(hours=23, minutes=59)
    assert stage.me(token).status_code == 200
    clock.forward(minutes=1)
    assert stage.me(token).status_code == 401

"""Guessing: spaced by account and by address, and never free, not even without Redis."""

from __future__ import annotations

from dataclasses import replace

from accounts.rights import Role
from app import create_app
from settings import Settings
from tests.accounts.stage import Clock, Stage, at_once, told


def test_guesses_at_an_account_are_spaced_more_and_more_then_forgotten(stage: Stage, clock: Clock) -> None:
    issued = stage.issued(Role.OPERATOR)
    login = issued.account.login
    for _ in range(5):
        assert stage.by_password(login, "senha errada demais").status_code == 401

    locked = stage.by_password(login, issued.secret)
    assert (locked.status_code, locked.json["code"], locked.headers["Retry-After"]) == (429, "must_wait", "30")
    assert told(stage.by_password(login, "outra senha errada")) == told(locked), "tells nothing of the password"

    clock.forward(seconds=30)
    assert stage.by_password(login, "senha errada demais").status_code == 401
    assert stage.by_password(login, issued.secret).headers["Retry-After"] == "60"
    clock.forward(seconds=60)
    assert stage.by_password(login, issued.secret).status_code == 201
    for _ in range(5):
        assert stage.by_password(login, "senha errada demais").status_code == 401, "success forgets"


def test_an_unknown_account_is_locked_like_a_known_one(stage: Stage) -> None:
    known = stage.issued(Role.OPERATOR).account.login
    seen = [
        [stage.by_password(login, "senha errada demais").status_code for _ in range(7)] for login in (known, "nada")
    ]

    assert seen[0] == seen[1] == [401] * 5 + [429] * 2


def test_guesses_made_at_once_count_one_by_one(stage: Stage) -> None:
    issued = stage.issued(Role.OPERATOR)

    statuses = at_once(9, lambda: stage.by_password(issued.account.login, "senha errada demais").status_code)

    assert statuses == [401] * 5 + [429] * 4


def test_an_address_that_guesses_at_many_accounts_is_spaced_and_others_are_not(stage: Stage) -> None:
    issued = stage.issued(Role.OPERATOR)
    for number in range(30):
        assert stage.by_password(f"pessoa-{number}", "senha errada demais", address="2001:db8::1").status_code == 401

    neighbour = stage.by_password(issued.account.login, issued.secret, address="2001:db8::2")
    elsewhere = stage.by_password(issued.account.login, issued.secret, address="2001:db8:0:1::1")

    assert (neighbour.status_code, elsewhere.status_code) == (429, 201)


def test_guesses_from_afar_do_not_lock_a_rider_out_of_his_own_device(stage: Stage) -> None:
    rider = stage.issued(Role.RIDER)
    permit, pin = rider.account.login, rider.secret
    device = stage.by_permit(permit, pin).json["device"]
    for _ in range(5):
        stage.by_permit(permit, "000001", device="x" * 43)

    assert stage.by_permit(permit, pin, device="x" * 43).status_code == 429
    assert stage.by_permit(permit, pin, device=device).status_code == 201


def test_without_redis_nobody_signs_in_and_who_is_in_stays_in(
    variables: dict[str, str], clock: Clock, stage: Stage
) -> None:
    issued = stage.issued(Role.OPERATOR)
    opened = stage.by_password(issued.account.login, issued.secret).json
    variables["PONTUAL_REDIS_URL"] = "unix:///nothing/listens/here"
    app = create_app(Settings.from_env(variables))
    app.extensions["reception"] = replace(app.extensions["reception"], clock=clock)
    cut_off = Stage(app, clock)

    refused = cut_off.by_password(issued.account.login, issued.secret)
    assert (refused.status_code, refused.json["code"]) == (503, "sign_in_unavailable")
    assert cut_off.ask_code().status_code == 503
    assert cut_off.me(opened["access_token"]).status_code == 200
    assert cut_off.refresh(opened["refresh_token"]).status_code == 201
    app.extensions["store"].engine.dispose()

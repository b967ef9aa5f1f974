"""Signing in: what proves who one is, what does not, and what nobody learns from the answer."""

from __future__ import annotations

import base64
import unicodedata
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import text

from accounts import passwords, people
from accounts.models import Account
from accounts.rights import Role
from api import request_log
from app import create_app
from settings import Settings
from tests.accounts.stage import OTHER_TOWN, PHONE, TOWN, Clock, Stage, at_once, authenticator, told


def test_a_password_opens_a_session_that_says_who_one_is(stage: Stage) -> None:
    issued = stage.issued(Role.OPERATOR)

    answer = stage.by_password(issued.account.login, issued.secret)

    assert answer.status_code == 201
    assert answer.json["account"]["role"] == "operator"
    assert answer.headers["Cache-Control"] == "no-store"
    me = stage.me(answer.json["access_token"]).json
    assert (me["id"], me["municipality"]) == (issued.account.id, TOWN)
    assert "accounts:rebind" in me["actions"]
    assert "accounts:create" not in me["actions"]


def test_wrong_and_unknown_are_told_the_same(stage: Stage) -> None:
    issued, disabled = stage.issued(Role.OPERATOR), stage.issued(Role.OPERATOR)
    with stage.reception.sessions.begin() as session:
        people.disable(session, session.get_one(Account, disabled.account.id), stage.clock())

    wrong = told(stage.by_password(issued.account.login, "senha errada demais"))

    assert wrong[0] == 401
    assert told(stage.by_password("ninguem", "senha errada demais")) == wrong
    assert told(stage.by_password(issued.account.login, issued.secret, OTHER_TOWN)) == wrong
    assert told(stage.by_password(issued.account.login, issued.secret, "xx-nada")) == wrong
    assert told(stage.by_password(disabled.account.login, disabled.secret)) == wrong
    assert told(stage.by_permit("9999", "805137")) == wrong
    assert told(stage.sign_in(by="phone", municipality=TOWN, phone=PHONE, code="805137")) == wrong


def test_an_unknown_login_costs_one_hashing_like_a_known_one(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    hashings: list[str] = []
    verify = passwords._HASHER.verify
    issued, rider = stage.issued(Role.OPERATOR), stage.issued(Role.RIDER)

    def count(stored: str, secret: str) -> bool:
        hashings.append(stored)
        return verify(stored, secret)

    passwords._nobodys()
    monkeypatch.setattr(passwords, "_HASHER", SimpleNamespace(verify=count))

    for attempt in (
        lambda: stage.by_password(issued.account.login, "senha errada demais"),
        lambda: stage.by_password("ninguem", "senha errada demais"),
        lambda: stage.by_permit(rider.account.login, "000001"),
        lambda: stage.by_permit("9999", "000001"),
    ):
        hashings.clear()
        assert attempt().status_code == 401
        assert [stored.split("$")[3] for stored in hashings] == ["m=19456,t=2,p=1"]


def test_a_password_is_the_same_however_its_accents_are_typed(stage: Stage) -> None:
    issued = stage.issued(Role.INSPECTOR)
    secret = unicodedata.normalize("NFC", "ação é coração ﬁel")
    token = stage.by_password(issued.account.login, issued.secret).json["access_token"]
    change = {"present": issued.secret, "new": secret}
    stage.client().post("/api/v1/me/secret", json=change, headers={"Authorization": f"Bearer {token}"})

    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        typed = unicodedata.normalize(form, secret)
        assert stage.by_password(issued.account.login, typed).status_code == 201
    assert stage.by_password(issued.account.login, "acao e coracao fiel").status_code == 401


def test_a_very_long_password_is_refused_before_any_hashing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_HASHER", None)

    answer = stage.by_password("pessoa1", "x" * (passwords.LONGEST + 1))

    assert (answer.status_code, answer.json["errors"][0]["path"]) == (422, "password")
    assert stage.by_password("pessoa1", "x" * 900_000).status_code == 422


@pytest.mark.parametrize("more", [{"role": "admin"}, {"scopes": ["metrics:read"]}, {"id": "1"}, {"device": "x" * 43}])
def test_fields_that_do_not_belong_are_refused(stage: Stage, more: dict[str, Any]) -> None:
    issued = stage.issued(Role.OPERATOR)

    answer = stage.by_password(issued.account.login, issued.secret, **more)

    assert answer.status_code == 422
    assert set(more) & {error["path"] for error in answer.json["errors"]}


# --- codes of an authenticator app


def test_a_code_of_the_authenticator_is_good_once(stage: Stage, clock: Clock) -> None:
    issued = stage.issued(Role.AUTHORITY, totp=True)
    app = authenticator(issued.totp_uri)
    login, secret = issued.account.login, issued.secret
    code = app.at(clock.now)

    assert stage.by_password(login, secret).status_code == 401
    assert stage.by_password(login, secret, totp=code).status_code == 201
    assert stage.by_password(login, secret, totp=code).status_code == 401, "replayed"
    assert stage.by_password(login, secret, totp=app.at(clock.now - timedelta(seconds=30))).status_code == 401, (
        "an older one"
    )

    clock.forward(seconds=30)
    assert stage.by_password(login, secret, totp=app.at(clock.now)).status_code == 201


def test_a_code_sent_twice_at_once_lets_one_in(stage: Stage, clock: Clock) -> None:
    issued = stage.issued(Role.ADMIN, totp=True)
    code = authenticator(issued.totp_uri).at(clock.now)

    statuses = at_once(3, lambda: stage.by_password(issued.account.login, issued.secret, None, totp=code).status_code)

    assert statuses == [201, 401, 401]


def test_in_production_an_authority_without_authenticator_stays_out(variables: dict[str, str], clock: Clock) -> None:
    variables |= {
        "PONTUAL_ENV": "production",
        "PONTUAL_SECRET": base64.b64encode(bytes(range(48))).decode(),
        "PONTUAL_PUBLIC_URL": "https://pontual.example",
        "PONTUAL_TRUSTED_PROXIES": "1",
    }
    app = create_app(Settings.from_env(variables))
    strict = app.extensions["reception"] = replace(app.extensions["reception"], clock=clock)
    stage = Stage(app, clock)
    made = stage.issued(Role.AUTHORITY)
    operator = stage.issued(Role.OPERATOR)

    assert made.totp_uri is not None, "one is made for him"
    code = authenticator(made.totp_uri).at(clock.now)
    assert stage.by_password(made.account.login, made.secret, totp=code).status_code == 201
    with strict.sessions.begin() as session:
        session.get_one(Account, made.account.id).totp_generation = None
    assert stage.by_password(made.account.login, made.secret).status_code == 401
    assert stage.by_password(operator.account.login, operator.secret).status_code == 201
    assert stage.ask_code().status_code == 503
    app.extensions["store"].engine.dispose()


# --- a rider's device


def test_a_pin_alone_opens_nothing_on_another_device_until_rebound(stage: Stage) -> None:
    rider, operator = stage.issued(Role.RIDER), stage.person(Role.OPERATOR)
    permit, pin = rider.account.login, rider.secret
    first = stage.by_permit(permit, pin)
    assert first.status_code == 201
    device = first.json["device"]

    assert stage.by_permit(permit, pin, device=device).json["device"] is None
    assert stage.by_permit(permit, pin).status_code == 401
    assert stage.by_permit(permit, pin, device="x" * 43).status_code == 401

    rebound = stage.client().post(f"/api/v1/accounts/{rider.account.id}/rebind", headers=operator.headers)
    assert (rebound.status_code, rebound.json["device"]) == (200, False)
    assert stage.me(first.json["access_token"]).status_code == 401, "the lost telephone is signed out"
    other = stage.by_permit(permit, pin, device="novo" * 11)
    assert other.json["device"] == "novo" * 11, "a device may make its own secret"
    assert stage.by_permit(permit, pin, device=device).status_code == 401


def test_two_devices_at_once_leave_one_bound(stage: Stage) -> None:
    rider = stage.issued(Role.RIDER)

    statuses = at_once(3, lambda: stage.by_permit(rider.account.login, rider.secret).status_code)

    assert statuses == [201, 401, 401]


def test_a_new_pin_does_not_free_the_device(stage: Stage) -> None:
    rider, authority = stage.issued(Role.RIDER), stage.person(Role.AUTHORITY)
    stage.by_permit(rider.account.login, rider.secret)

    new = stage.client().post(f"/api/v1/accounts/{rider.account.id}/reset", headers=authority.headers).json["secret"]

    assert stage.by_permit(rider.account.login, new).status_code == 401


# --- secrets


def test_a_secret_is_changed_by_who_knows_it_and_other_devices_go_out(stage: Stage) -> None:
    issued = stage.issued(Role.OPERATOR)
    here, there = (stage.by_password(issued.account.login, issued.secret).json["access_token"] for _ in range(2))

    def change(present: str, new: str) -> Any:
        headers = {"Authorization": f"Bearer {here}"}
        body = {"present": present, "new": new}
        return stage.client().post("/api/v1/me/secret", json=body, headers=headers).status_code

    assert change("não é esta senha", "um cavalo correto") == 403
    assert change(issued.secret, "curta") == 422
    assert change(issued.secret, "aaaaaaaaaaaaaaaa") == 422
    assert change(issued.secret, f"{issued.account.login} e mais") == 422
    assert change(issued.secret, "um cavalo correto") == 204
    assert (stage.me(here).status_code, stage.me(there).status_code) == (200, 401)
    assert stage.by_password(issued.account.login, issued.secret).status_code == 401
    assert stage.by_password(issued.account.login, "um cavalo correto").status_code == 201


def test_no_secret_is_logged_nor_stored_plain(
    stage: Stage, app: Flask, capfd: pytest.CaptureFixture[str], variables: dict[str, str]
) -> None:
    request_log.configure("DEBUG")
    request_log.install(app)
    issued, rider = stage.issued(Role.OPERATOR), stage.issued(Role.RIDER)
    opened = stage.by_password(issued.account.login, issued.secret).json
    riding = stage.by_permit(rider.account.login, rider.secret).json
    stage.refresh(opened["refresh_token"])
    stage.refresh("ptr_x.y")
    stage.ask_code()
    secrets = [issued.secret, rider.secret, riding["device"], stage.codes_sent()[0], PHONE]
    secrets += [told[name] for told in (opened, riding) for name in ("access_token", "refresh_token")]

    logged = capfd.readouterr()
    stored = _everything_stored(stage)

    assert "sessions" in logged.err
    assert [secret for secret in secrets if secret in logged.err + logged.out] == []
    assert [secret for secret in secrets if secret in stored and secret != PHONE] == []


def _everything_stored(stage: Stage) -> str:
    with stage.reception.sessions.begin() as session:
        tables = ("accounts", "sign_ins", "sent_codes", "service_keys", "kept_answers")
        return "\n".join(
            str(row) for table in tables for row in session.execute(text(f"SELECT t::text FROM {table} t"))
        )

"""`flask accounts …` as an operator types it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask

from accounts.rights import Role
from tests.accounts.stage import TOWN, Stage, authenticator


@pytest.fixture
def run(app: Flask) -> Any:
    runner = app.test_cli_runner()
    return lambda *arguments: runner.invoke(args=["accounts", *arguments])


def test_a_token_is_all_there_is_on_the_output(run: Any, stage: Stage) -> None:
    result = run("token", "--role", "operator", "--municipality", TOWN)

    assert result.exit_code == 0
    (token,) = result.stdout.splitlines()
    me = stage.me(token).json
    assert (me["role"], me["municipality"]) == ("operator", TOWN)
    assert "flask accounts disable" in result.stderr


@pytest.mark.parametrize("role", [role for role in Role if role not in (Role.ANYONE, Role.SERVICE)])
def test_every_role_can_have_a_token(run: Any, stage: Stage, role: Role) -> None:
    place = () if role is Role.ADMIN else ("--municipality", TOWN)

    token = run("token", "--role", role.value, *place).stdout.strip()

    assert stage.me(token).json["role"] == role


def test_a_disabled_script_account_gets_no_token_and_its_tokens_end(run: Any, stage: Stage) -> None:
    token = run("token", "--role", "operator", "--municipality", TOWN).stdout.strip()
    account = stage.me(token).json["id"]

    assert run("disable", account).exit_code == 0

    assert stage.me(token).status_code == 401
    assert "desativada" in run("token", "--role", "operator", "--municipality", TOWN).stderr
    assert run("enable", account).exit_code == 0
    assert stage.me(run("token", "--role", "operator", "--municipality", TOWN).stdout.strip()).status_code == 200


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["token", "--role", "operator"], "--municipality"),
        (["token", "--role", "admin", "--municipality", TOWN], "menos o administrador"),
        (["token", "--role", "operator", "--municipality", "xx-nada"], "xx-nada"),
        (["create", "--role", "admin", "--login", "Não Serve", "--name", "x"], "login"),
        (["create", "--role", "operator", "--login", "demo", "--name", "x"], "municipality"),
        (["disable", "nada"], "flask accounts list"),
        (["reset", "nada"], "flask accounts list"),
    ],
)
def test_what_cannot_be_done_is_said(run: Any, arguments: list[str], says: str) -> None:
    result = run(*arguments)

    assert result.exit_code != 0
    assert says in result.stderr


def test_the_first_admin_is_made_here_and_can_sign_in(run: Any, stage: Stage) -> None:
    result = run("create", "--role", "admin", "--login", "primeira", "--name", "Demo 1", "--totp")
    secret = re.search(r"só aparece agora\): (\S+)", result.stdout)
    uri = re.search(r"(otpauth://\S+)", result.stdout)
    assert secret
    assert uri

    code = authenticator(uri[1]).at(stage.clock.now)
    assert stage.by_password("primeira", secret[1], None, totp=code).status_code == 201
    assert run("create", "--role", "admin", "--login", "primeira", "--name", "Demo 2").exit_code == 1


def test_who_lost_pin_and_telephone_is_helped(run: Any, stage: Stage) -> None:
    rider = stage.issued(Role.RIDER)
    stage.by_permit(rider.account.login, rider.secret)

    pin = re.search(r"só aparece agora\): (\d+)", run("reset", rider.account.id).stdout)
    assert pin
    assert stage.by_permit(rider.account.login, pin[1]).status_code == 401
    run("rebind", rider.account.id)

    assert stage.by_permit(rider.account.login, pin[1]).status_code == 201


def test_the_list_shows_no_phone_and_no_secret(run: Any, stage: Stage) -> None:
    passenger, rider = stage.person(Role.PASSENGER), stage.issued(Role.RIDER)

    listed = run("list", "--municipality", TOWN).stdout

    assert rider.account.id in listed
    assert passenger.id in listed
    assert passenger.login not in listed
    assert "argon2" not in listed

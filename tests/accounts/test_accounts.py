"""Looking after accounts and keys: nobody makes more of others, or of himself, than the table allows."""

from __future__ import annotations

from typing import Any

import pytest

from accounts import people
from accounts.models import Account, ServiceKey
from accounts.rights import MANAGES, Role
from tests.accounts.stage import OTHER_TOWN, TOWN, Person, Stage, bearer
from zones.store import seed

ORDER = {"role": "operator", "municipality": TOWN, "login": "maria.demo", "name": "Demo 1"}


def post(stage: Stage, asker: Person, path: str, body: dict[str, Any] | None = None, **headers: str) -> Any:
    return stage.client().post(f"/api/v1{path}", json=body, headers={**asker.headers, **headers})


def test_an_authority_makes_an_operator_who_can_sign_in(stage: Stage) -> None:
    answer = post(stage, stage.person(Role.AUTHORITY), "/accounts", ORDER)

    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    assert stage.by_password("maria.demo", answer.json["secret"]).status_code == 201


def test_the_first_pin_of_a_rider_is_six_digits(stage: Stage) -> None:
    order = {"role": "rider", "municipality": TOWN, "login": "A-12/2026", "name": "Demo 2"}

    made = post(stage, stage.person(Role.AUTHORITY), "/accounts", order).json

    assert stage.by_permit("A-12/2026", made["secret"]).status_code == 201


@pytest.mark.parametrize("maker", [Role.AUTHORITY, Role.ADMIN])
@pytest.mark.parametrize("made", ["rider", "operator", "inspector", "authority", "admin"])
def test_nobody_makes_his_equal_but_an_admin(stage: Stage, maker: Role, made: str) -> None:
    town = None if made == "admin" else TOWN
    login = "9-1" if made == "rider" else "novo.demo"
    order = {"role": made, "municipality": town, "login": login.upper() if made == "rider" else login, "name": "Demo"}

    answer = post(stage, stage.person(maker), "/accounts", order)

    allowed = Role(made) in MANAGES[maker]
    assert answer.status_code == (201 if allowed else 403)
    assert allowed == (maker is Role.ADMIN or made not in ("authority", "admin"))


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"role": "passenger"}, "role"),
        ({"role": "service"}, "role"),
        ({"role": "admin"}, "municipality"),
        ({"municipality": None}, "municipality"),
        ({"municipality": "xx-nada"}, "municipality"),
        ({"id": "1"}, "id"),
        ({"secret_hash": "x"}, "secret_hash"),
        ({"totp_generation": 1}, "totp_generation"),
        ({"created_by": "admin:1"}, "created_by"),
        ({"disabled_at": None}, "disabled_at"),
        ({"login": "Maria"}, "login"),
        ({"login": "marіa"}, "login"),  # a Cyrillic letter
        ({"login": "a" * 81}, "login"),
        ({"name": "Demo\r\nSet-Cookie: x=1"}, "name"),
        ({"name": ""}, "name"),
        ({"role": "rider", "login": "1", "totp": True}, "totp"),
    ],
)
def test_what_does_not_belong_in_an_account_is_refused(stage: Stage, change: dict[str, Any], path: str) -> None:
    answer = post(stage, stage.person(Role.ADMIN), "/accounts", {**ORDER, **change})

    assert (answer.status_code, [error["path"] for error in answer.json["errors"]]) == (422, [path])


def test_a_login_is_taken_in_its_own_town_only(stage: Stage) -> None:
    here, there = stage.person(Role.AUTHORITY), stage.person(Role.AUTHORITY, OTHER_TOWN)
    assert post(stage, here, "/accounts", ORDER).status_code == 201

    again = post(stage, here, "/accounts", {**ORDER, "role": "inspector"})

    assert (again.status_code, again.json["code"]) == (409, "login_taken")
    assert post(stage, there, "/accounts", {**ORDER, "municipality": OTHER_TOWN}).status_code == 201


@pytest.mark.parametrize("step", ["disable", "reset", "rebind"])
@pytest.mark.parametrize("target", [Role.ADMIN, Role.AUTHORITY, Role.PASSENGER])
def test_who_is_not_his_to_look_after_does_not_exist(stage: Stage, step: str, target: Role) -> None:
    authority, other = stage.person(Role.AUTHORITY), stage.person(target)

    answer = post(stage, authority, f"/accounts/{other.id}/{step}")

    assert answer.status_code == 404
    assert stage.me(other.token).status_code == 200


def test_nobody_disables_himself(stage: Stage) -> None:
    admin = stage.person(Role.ADMIN)

    assert post(stage, admin, f"/accounts/{admin.id}/disable").status_code == 409
    assert stage.me(admin.token).status_code == 200


def test_a_disabled_account_signs_in_again_once_enabled_but_its_old_tokens_stay_dead(stage: Stage) -> None:
    authority, issued = stage.person(Role.AUTHORITY), stage.issued(Role.OPERATOR)
    login, secret = issued.account.login, issued.secret
    old = stage.by_password(login, secret).json["access_token"]

    assert post(stage, authority, f"/accounts/{issued.account.id}/disable").json["disabled_at"] is not None
    assert stage.by_password(login, secret).status_code == 401
    assert post(stage, authority, f"/accounts/{issued.account.id}/enable").json["disabled_at"] is None

    assert stage.by_password(login, secret).status_code == 201
    assert stage.me(old).status_code == 401


def test_a_reset_signs_out_and_replaces_secret_and_authenticator(stage: Stage) -> None:
    issued = stage.issued(Role.INSPECTOR, totp=True)
    with stage.reception.sessions.begin() as session:
        session.get_one(Account, issued.account.id).totp_last_step = 0

    reset = post(stage, stage.person(Role.AUTHORITY), f"/accounts/{issued.account.id}/reset").json

    assert reset["secret"] != issued.secret
    assert reset["totp_uri"] != issued.totp_uri
    assert reset["totp_uri"].startswith("otpauth://totp/Pontual:")


def test_an_account_without_a_secret_gets_none_by_reset(stage: Stage) -> None:
    with stage.reception.sessions.begin() as session:
        script = people.of_script(session, Role.OPERATOR, TOWN, stage.clock()).id

    assert post(stage, stage.person(Role.AUTHORITY), f"/accounts/{script}/reset").status_code == 409


def test_lists_come_in_pages_and_hold_whom_one_looks_after(stage: Stage) -> None:
    authority = stage.person(Role.AUTHORITY)
    own = {stage.person(role).id for role in (Role.RIDER, Role.OPERATOR, Role.INSPECTOR)}
    for role in (Role.PASSENGER, Role.ADMIN, Role.AUTHORITY):
        stage.person(role)
    stage.person(Role.RIDER, OTHER_TOWN)

    def page(**query: str) -> Any:
        return stage.client().get("/api/v1/accounts", query_string=query, headers=authority.headers).json

    pages = [page(limit="1")]
    for _ in range(2):
        pages.append(page(limit="1", cursor=pages[-1]["next_cursor"]))
    seen = [item["id"] for one in pages for item in one["items"]]

    assert (len(seen), set(seen), pages[-1]["next_cursor"]) == (3, own, None)


def test_a_phone_is_shown_masked_even_to_an_admin(stage: Stage) -> None:
    passenger, admin = stage.person(Role.PASSENGER), stage.person(Role.ADMIN)

    answer = stage.client().get(f"/api/v1/accounts/{passenger.id}", headers=admin.headers)

    assert passenger.login not in answer.text
    assert answer.json["login"] == f"+55******{passenger.login[-4:]}"


# --- keys


def test_a_key_is_shown_once_and_does_what_it_was_given(stage: Stage) -> None:
    admin = stage.person(Role.ADMIN)
    made = post(stage, admin, "/service-keys", {"name": "Medidores", "scopes": ["metrics:read"]}).json
    listed = stage.client().get("/api/v1/service-keys", headers=admin.headers)
    elsewhere = {"environ_base": {"REMOTE_ADDR": "203.0.113.9"}, "headers": bearer(made["secret"])}

    assert made["secret"] not in listed.text
    assert [item["name"] for item in listed.json["items"]] == ["Medidores"]
    assert stage.client().get("/metrics", **elsewhere).status_code == 200
    with stage.reception.sessions.begin() as session:
        assert made["secret"].encode() not in session.get_one(ServiceKey, made["key"]["id"]).key_sha256

    stage.client().delete(f"/api/v1/service-keys/{made['key']['id']}", headers=admin.headers)
    assert stage.client().get("/metrics", **elsewhere).status_code == 401


def test_a_key_without_a_scope_may_not(stage: Stage) -> None:
    made = post(stage, stage.person(Role.ADMIN), "/service-keys", {"name": "Outro", "scopes": ["fares:price"]}).json

    answer = stage.client().get("/metrics", headers=bearer(made["secret"]), environ_base={"REMOTE_ADDR": "203.0.113.9"})

    assert answer.status_code == 403
    assert stage.me(made["secret"]).json["actions"].count("metrics:read") == 0


@pytest.mark.parametrize(
    ("scopes", "status"),
    [
        (["metrics:read"], 403),  # not his own right
        (["accounts:create"], 422),  # no key's
        (["*"], 422),
        ([], 422),
        (["fares:price", "fares:price"], 422),
        (["fares:price", "quotes:create"], 201),
    ],
)
def test_a_key_can_do_no_more_than_its_maker_nor_than_keys_may(stage: Stage, scopes: list[str], status: int) -> None:
    order = {"name": "Chave", "municipality": TOWN, "scopes": scopes}

    assert post(stage, stage.person(Role.AUTHORITY), "/service-keys", order).status_code == status


def test_an_authority_makes_no_key_for_all_towns(stage: Stage) -> None:
    order = {"name": "Chave", "scopes": ["fares:price"]}

    assert post(stage, stage.person(Role.AUTHORITY), "/service-keys", order).status_code == 403


def test_a_name_is_free_again_once_its_key_is_revoked(stage: Stage) -> None:
    authority = stage.person(Role.AUTHORITY)
    order = {"name": "Chave", "municipality": TOWN, "scopes": ["fares:price"]}
    first = post(stage, authority, "/service-keys", order).json
    assert post(stage, authority, "/service-keys", order).json["code"] == "name_taken"

    stage.client().delete(f"/api/v1/service-keys/{first['key']['id']}", headers=authority.headers)

    assert post(stage, authority, "/service-keys", order).status_code == 201


# --- whose an idempotency key is


def test_two_callers_may_choose_the_same_idempotency_key(stage: Stage) -> None:
    with stage.app.app_context(), stage.reception.sessions.begin() as session:
        seed(session, stage.app.extensions["settings"].geodata, stage.clock().date())
    first, second = stage.person(Role.OPERATOR), stage.person(Role.OPERATOR)
    order = {
        "municipality": TOWN,
        "origin": {"lat": -11.1249, "lon": -62.3653},
        "destination": {"lat": -11.05, "lon": -62.45},
    }
    key = {"Idempotency-Key": "a-mesma-chave"}

    mine, mine_again = (post(stage, first, "/quotes", order, **key) for _ in range(2))
    theirs = post(stage, second, "/quotes", order, **key)

    assert (mine.status_code, theirs.status_code) == (201, 201)
    assert mine_again.headers["Idempotency-Replayed"] == "true"
    assert mine_again.json["id"] == mine.json["id"] != theirs.json["id"]
    assert "Idempotency-Replayed" not in theirs.headers

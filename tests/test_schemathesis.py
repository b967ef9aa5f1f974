"""What the OpenAPI says is what the application does: generated requests, right and wrong, never break it.

Without a token all operations are asked; with each role's token, fewer times, those that ask for one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.rights import Role
from app import create_app
from settings import Settings
from tests.accounts.entrants import bearer, key_of, token_of

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
# A list longer than allowed may also be refused for its size alone.
REFUSALS = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 503]
CONFIG = schemathesis.Config.from_dict({"checks": {"negative_data_rejection": {"expected-statuses": REFUSALS}}})


@pytest.fixture
def application(database_url: str, redis_url: str, tmp_path: Path) -> Flask:
    variables = {
        "PONTUAL_DATA": str(tmp_path),
        "PONTUAL_LAWS": str(Path(__file__).parents[1] / "laws"),
        "PONTUAL_DATABASE_URL": database_url,
        "PONTUAL_REDIS_URL": redis_url,
        "PONTUAL_LOG_LEVEL": "ERROR",
        "PONTUAL_LIMITS_TIMES": "1000",
    }
    return create_app(Settings.from_env(variables))


def _modes(operation: dict[str, Any]) -> list[GenerationMode]:
    """Requests against the schema exist only where the request says something in its query or body."""
    says = "requestBody" in operation or any(one.get("in") == "query" for one in operation.get("parameters", []))
    return list(GenerationMode) if says else [GenerationMode.POSITIVE]


OPENAPI: dict[str, Any] = create_app(Settings()).test_client().get("/api/openapi.json").get_json()
OPERATIONS = [
    (path, method, mode, "security" in operation)
    for path, operations in OPENAPI["paths"].items()
    for method, operation in operations.items()
    if method in {"get", "post", "put", "patch", "delete"}
    for mode in _modes(operation)
]
ROLES = [role for role in Role if role is not Role.ANYONE]
GUARDED = [(path, method, mode) for path, method, mode, guarded in OPERATIONS if guarded]


def _id(value: object) -> str:
    return str(value)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "method", "mode"), [case[:3] for case in OPERATIONS], ids=_id)
def test_the_application_does_what_its_openapi_says(application, path, method, mode):
    _hold(application, path, method, mode, Role.ANYONE, examples=40)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "method", "mode"), GUARDED, ids=_id)
def test_so_it_does_for_every_role(application, path, method, mode):
    for role in ROLES:
        _hold(application, path, method, mode, role, examples=4)


def _hold(application: Flask, path: str, method: str, mode: GenerationMode, role: Role, examples: int) -> None:
    operation = schemathesis.openapi.from_wsgi("/api/openapi.json", application, config=CONFIG)[path][method]

    @given(operation.as_strategy(generation_mode=mode))
    @settings(max_examples=examples, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
    def hold(case: Any) -> None:
        case.call_and_validate(checks=CHECKS, headers=_access(application, role))

    hold()


def _access(application: Flask, role: Role) -> dict[str, str]:
    """A token of this request's own: the one before may have signed out everywhere."""
    if role is Role.ANYONE:
        return {}
    if role is Role.SERVICE:
        return bearer(key_of(application))
    return bearer(token_of(application, role))


def test_what_asks_for_a_token_says_so_and_what_is_open_does_not():
    asking = {(path, method) for path, method, _, guarded in OPERATIONS if guarded}

    assert ("/api/v1/accounts/{account_id}", "get") in asking
    assert ("/api/v1/tracks/measure", "post") in asking
    assert not asking & {("/api/v1/fares", "post"), ("/api/v1/quotes", "post"), ("/api/v1/sessions", "post")}
    assert OPENAPI["components"]["securitySchemes"] == {"bearer": {"type": "http", "scheme": "bearer"}}

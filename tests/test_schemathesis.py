"""What the OpenAPI says is what the application does: generated requests, right and wrong, never break it."""

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

from app import create_app
from settings import Settings

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.fixture
def application(database_url: str, redis_url: str, tmp_path: Path) -> Flask:
    variables = {
        "PONTUAL_DATA": str(tmp_path),
        "PONTUAL_LAWS": str(Path(__file__).parents[1] / "laws"),
        "PONTUAL_DATABASE_URL": database_url,
        "PONTUAL_REDIS_URL": redis_url,
        "PONTUAL_LOG_LEVEL": "ERROR",
    }
    return create_app(Settings.from_env(variables))


def _modes(operation: dict[str, Any]) -> list[GenerationMode]:
    """Requests against the schema exist only where the request says something in its query or body."""
    says = "requestBody" in operation or any(one.get("in") == "query" for one in operation.get("parameters", []))
    return list(GenerationMode) if says else [GenerationMode.POSITIVE]


OPENAPI: dict[str, Any] = create_app(Settings()).test_client().get("/api/openapi.json").get_json()
OPERATIONS = [
    pytest.param(path, method, mode, id=f"{method} {path} {mode}")
    for path, operations in OPENAPI["paths"].items()
    for method, operation in operations.items()
    if method in {"get", "post", "put", "patch", "delete"}
    for mode in _modes(operation)
]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "method", "mode"), OPERATIONS)
def test_the_application_does_what_its_openapi_says(application, path, method, mode):
    operation = schemathesis.openapi.from_wsgi("/api/openapi.json", application)[path][method]

    @given(operation.as_strategy(generation_mode=mode))
    @settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
    def hold(case):
        case.call_and_validate(checks=CHECKS)

    hold()

"""Text that means something to SQL, Lua, a shell or a file system, put wherever a request has room for text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import inspect, text

from accounts.gate import Gate
from accounts.identifiers.phone import Phone
from accounts.limiter import Limiter
from accounts.limits import CALLS_OF_PHONE
from accounts.lockout import CODES_OF_PHONE
from accounts.pranks import Pranks
from accounts.rights import Role
from app import create_app
from settings import Settings
from store.connections import Connections
from tests.accounts.entrants import client_of

ROOT = Path(__file__).parents[2]
SQL = [
    "'",
    "' OR '1'='1",
    "1; DROP TABLE quotes; --",
    "' UNION SELECT version() --",
    "\\' OR 1=1 --",
    "%27%3B",
    "$$;$$",
]
FILES = ["..", "../../etc/passwd", "..\\..\\windows", "/etc/passwd", "%2e%2e%2fsettings.py", "file:///etc/passwd"]
OTHER = ["\0", "é" * 100, "{{7*7}}", "${7*7}", "<script>alert(1)</script>", "`id`", "; sleep 9", "\r\nX-Injected: 1"]
PAYLOADS = [*SQL, *FILES, *OTHER]

RULES = [
    rule
    for rule in create_app(Settings()).url_map.iter_rules()
    if rule.arguments and not rule.endpoint.endswith("static")
]
OPENAPI: dict[str, Any] = create_app(Settings()).test_client().get("/api/openapi.json").get_json()
QUERIES = sorted(
    (path, parameter["name"])
    for path, operations in OPENAPI["paths"].items()
    for parameter in [*operations.get("parameters", []), *operations.get("get", {}).get("parameters", [])]
    if parameter.get("in") == "query"
)
POSTS = sorted(path for path, operations in OPENAPI["paths"].items() if "requestBody" in operations.get("post", {}))


@pytest.fixture
def admin(app: Flask) -> FlaskClient:
    return client_of(app, Role.ADMIN)


def rows(app: Flask) -> dict[str, int]:
    with app.extensions["store"].engine.connect() as connection:
        names = inspect(connection).get_table_names()
        return {name: connection.scalar(text(f'SELECT count(*) FROM "{name}"')) for name in names}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.rule)
def test_the_path_says_nothing_to_the_database_or_the_disk(app: Flask, admin: FlaskClient, rule: Any):
    before = rows(app)
    for payload in PAYLOADS:
        for written in (quote(payload, safe=""), quote(payload)):
            path = rule.rule
            for argument in rule.arguments:
                path = path.replace(f"<{argument}>", written).replace(f"<path:{argument}>", written)
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
                answer = admin.open(path, method=method, json={})
                assert answer.status_code in (400, 403, 404, 405, 409, 422), (method, path)
                assert "root:" not in answer.text
                assert "X-Injected" not in answer.headers
    assert rows(app) == before


@pytest.mark.parametrize(("path", "parameter"), QUERIES)
def test_the_query_says_nothing_to_the_database(app: Flask, admin: FlaskClient, path: str, parameter: str):
    before = rows(app)
    address = path.replace("{slug}", "ro-urupa").replace("{", "").replace("}", "")
    for payload in PAYLOADS:
        answer = admin.get(address, query_string={parameter: payload})
        assert answer.status_code < 500, payload
        assert "49" not in answer.headers.get("Location", "")
    assert rows(app) == before


@pytest.mark.parametrize("path", POSTS)
def test_the_body_says_nothing_to_the_database_and_sets_nothing_unasked(app: Flask, path: str):
    """Text in every field; and fields that a request does not have are refused by name (mass assignment)."""
    client = client_of(app, Role(OPENAPI["paths"][path]["post"].get("x-roles", ["operator"])[0]))
    before = rows(app)
    address = path.replace("{", "").replace("}", "")
    for payload in PAYLOADS:
        body = dict.fromkeys(_fields(path), payload)
        assert client.post(address, json=body).status_code in (403, 422, 429), payload
    unasked = dict.fromkeys(("id", "is_admin", "created_by", "owner_id", "__class__", "_sa_instance_state"), True)
    answer = client.post(address, json=unasked)
    assert answer.status_code == 422
    assert unasked.keys() <= {error["path"] for error in answer.get_json()["errors"]}
    assert rows(app) == before


def _fields(path: str) -> Iterator[str]:
    schema = OPENAPI["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    found = OPENAPI["components"]["schemas"].get(name, schema)
    assert found.get("properties"), path
    yield from found["properties"]


LUA = [
    "') redis.call('FLUSHALL') --",
    "]] redis.call('FLUSHALL') --[[",
    "}{",
    "{x}",
    "\n",
    "\0",
    "*",
    "' .. KEYS[1] .. '",
]


def test_no_name_says_anything_to_the_scripts(redis_url: str, tmp_path: Path):
    store = Connections(tmp_path, None, redis_url)
    now, phone = datetime(2026, 12, 1, tzinfo=UTC), Phone("+5569992841234")
    with redis.Redis.from_url(redis_url) as client:
        client.set("witness", "here")
        for name in LUA:
            Gate(lambda: client).attempt(name, CODES_OF_PHONE, now)
            Limiter(store).spend(CALLS_OF_PHONE, name)
            pranks = Pranks(client, "ro-urupa")
            for _ in range(3):
                pranks.report_prank(phone, name, now)
        assert client.get("witness") == b"here"
        assert pranks.blocked_until(phone, now) is not None, "each name is a reporter of its own"


def test_scripts_and_statements_are_never_put_together_from_parts():
    """Every text that is a script, or SQL given as text, stands whole in the code."""
    for room in ("accounts", "api", "fares", "laws", "zones", "dispatch", "registry", "inspection", "web"):
        for file in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.JoinedStr):
                    written = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
                    assert "redis.call" not in written, f"{file}:{node.lineno}"
                    for word in ("SELECT ", "INSERT INTO", "DELETE FROM", "UPDATE "):
                        assert word not in written, f"{file}:{node.lineno}"

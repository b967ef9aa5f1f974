"""Request numbers, log lines, figures, readiness, the OpenAPI and its page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families


def log_lines(capfd):
    return [json.loads(line) for line in capfd.readouterr().err.splitlines()]


@pytest.mark.parametrize("given", ["abc-12345", "0b5c1f9e-7f1f-4d58-9a3c-0d9b8f1f2a3b"])
def test_a_well_formed_request_number_is_kept(client, given):
    assert client.get("/health", headers={"X-Request-ID": given}).headers["X-Request-ID"] == given


@pytest.mark.parametrize("given", ["", "curto", "a" * 65, "com espaço 123", '{"injetado": 1}', "ção-12345678"])
def test_any_other_is_replaced(client, given):
    made = client.get("/health", headers={"X-Request-ID": given}).headers["X-Request-ID"]
    assert re.fullmatch("[0-9a-f]{32}", made)


def test_the_log_says_what_was_answered_and_nothing_personal(client, capfd):
    client.get("/sample/things/maria-silva?cursor=69999", headers={"X-Request-ID": "numero-do-pedido"})

    (line,) = log_lines(capfd)
    assert line.pop("ms") >= 0
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "request",
        "level": "info",
        "method": "GET",
        "route": "/sample/things/<name>",
        "status": 200,
        "request": "numero-do-pedido",
    }


def test_the_log_of_an_address_that_does_not_exist_does_not_repeat_it(client, capfd):
    client.get("/maria-silva")

    (line,) = log_lines(capfd)
    assert (line["route"], line["status"]) == ("unmatched", 404)


def figure(client, name, **labels):
    families = text_string_to_metric_families(client.get("/metrics").text)
    return sum(
        sample.value
        for family in families
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def test_requests_are_counted_by_route_template(client):
    labels = {"method": "GET", "route": "/sample/things/<name>", "status": "200"}
    before = figure(client, "pontual_http_requests_total", **labels)
    client.get("/sample/things/a")
    client.get("/sample/things/b")

    assert figure(client, "pontual_http_requests_total", **labels) == before + 2
    assert figure(client, "pontual_http_request_seconds_count", route="/sample/things/<name>") >= 2


def test_invented_methods_share_one_label(client):
    client.open("/health", method="INVENTADO1")
    client.open("/health", method="INVENTADO2")

    assert "INVENTADO" not in client.get("/metrics").text
    assert figure(client, "pontual_http_requests_total", method="OTHER") >= 2


TWO_WORKERS = """
import os
from flask import Flask
from api import metrics, request_log
app = Flask("x")
request_log.configure("ERROR"); request_log.install(app); metrics.install(app)
if (child := os.fork()) == 0:
    app.test_client().get("/nada")
    os._exit(0)
os.waitpid(child, 0)
app.test_client().get("/nada")
print(app.test_client().get("/metrics").text)
"""


def test_any_worker_answers_for_all(tmp_path):
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "figures")}
    text = subprocess.run(
        [sys.executable, "-c", TWO_WORKERS], env=environment, capture_output=True, text=True, check=True
    ).stdout

    (family,) = [f for f in text_string_to_metric_families(text) if f.name == "pontual_http_requests"]
    assert sum(sample.value for sample in family.samples) == 2


def test_ready_names_its_parts(client):
    assert client.get("/ready").json == {"status": "ready", "parts": {"database": "ok", "redis": "ok"}}


def test_ready_names_the_part_that_is_down(client, parts):
    def broken():
        raise ConnectionError("senha=segredo")

    parts["redis"] = broken
    answer = client.get("/ready")

    assert (answer.status_code, answer.json["code"]) == (503, "not_ready")
    assert answer.json["parts"] == {"database": "ok", "redis": "down"}
    assert "redis" in answer.json["detail"]
    assert "segredo" not in answer.text
    assert client.get("/health").status_code == 200


def test_the_openapi_documents_errors_as_problems(client):
    spec = client.get("/api/openapi.json").json

    assert spec["openapi"] == "3.1.0"
    operation = spec["paths"]["/sample/trips"]["post"]
    assert operation["responses"]["default"] == {"$ref": "#/components/responses/DEFAULT_ERROR"}
    for name in ("DEFAULT_ERROR", "UNPROCESSABLE_CONTENT", "UNPROCESSABLE_ENTITY"):
        if name in spec["components"]["responses"]:
            assert list(spec["components"]["responses"][name]["content"]) == ["application/problem+json"]
    assert "application/json" in spec["paths"]["/health"]["get"]["responses"]["200"]["content"]


def test_the_page_comes_whole_from_here(client):
    page = client.get("/api/docs")

    assert page.status_code == 200
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    for tag in re.findall(r"<script[^>]*>(.*?)</script>", page.text, re.DOTALL):
        assert tag == ""
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(addresses) == 5
    for address in addresses:
        assert address.startswith("/api/")
        assert client.get(address).status_code == 200


@pytest.mark.parametrize("name", ["..%2Fopenapi.py", "index.html", "swagger-ui.js", "%00"])
def test_the_page_serves_no_other_file(client, name):
    assert client.get(f"/api/docs/{name}").status_code == 404

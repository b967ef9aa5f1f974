"""A fourth town is a folder of YAML: no line of Python changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app import create_app
from fares.tariffs import fare, open_lawbook
from settings import Settings
from tests.fares.norms import trip
from tests.laws.town import CASES, MUNICIPALITY, NORM, SLUG, broken, write_town

DECREE = f"""\
norm: {{id: {SLUG}/decreto-2, kind: decreto, date: 2024-11-20, title: Tarifa de dezembro, label: Decreto nº 2/2024,
       override: true}}
in_force: {{from: 2024-12-01, to: 2025-01-01, basis: art. 2º, confirmed: true}}
service: mototaxi
tariff:
  amends: {SLUG}/lei-1
  changes:
    set: {{flag: {{fixed: 350, cite: art. 1º}}}}
"""


def test_a_town_written_as_files_prices(tmp_path):
    write_town(tmp_path, cases=CASES, decree=DECREE)
    book = open_lawbook(tmp_path)
    assert fare(book, SLUG, trip("urban 4")).total == 700
    assert fare(book, SLUG, trip("urban 4", at="2024-05-14T23:00")).total == 900
    in_december = fare(book, SLUG, trip("urban 4", at="2024-12-10T10:00"))
    assert (in_december.total, in_december.lines[0].citation) == (750, "Decreto nº 2/2024, art. 1º")
    assert fare(book, SLUG, trip("urban 4", at="2025-01-01T10:00")).total == 700


def test_towns_do_not_disturb_each_other(tmp_path):
    other = "xx-vila-velha"
    write_town(tmp_path)
    norm = broken(NORM, f"{SLUG}/", f"{other}/")
    write_town(
        tmp_path, other, municipality=broken(MUNICIPALITY, SLUG, other), norm=broken(norm, "fixed: 300", "fixed: 310")
    )
    book = open_lawbook(tmp_path)
    assert [fare(book, slug, trip("urban 4")).total for slug in (SLUG, other)] == [700, 710]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    """The application on a folder of laws that holds only the new town."""
    write_town(tmp_path / "laws", cases=CASES, decree=DECREE)
    variables = {
        "PONTUAL_DATA": str(tmp_path / "data"),
        "PONTUAL_LAWS": str(tmp_path / "laws"),
        "PONTUAL_LOG_LEVEL": "ERROR",
    }
    with create_app(Settings.from_env(variables)).test_client() as client:
        yield client


def answer_to(client: FlaskClient, **facts: Any) -> dict[str, Any]:
    body = {"municipality": SLUG, "started_at": "2024-05-14T10:00", "legs": [{"zone": "urban", "km": "4"}]} | facts
    response = client.post("/api/v1/fares", data=json.dumps(body), content_type="application/json")
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = json.loads(response.text)
    return answer


def test_the_town_answers_over_http(client):
    answer = answer_to(client)
    assert (answer["status"], answer["total"], answer["norm"]["id"]) == ("priced", "7.00", f"{SLUG}/lei-1")
    assert [(line["amount"], line["citation"]) for line in answer["lines"]] == [
        ("3.00", "Lei nº 1/2020, art. 1º"),
        ("4.00", "Lei nº 1/2020, art. 2º"),
    ]
    assert answer_to(client, passengers=2)["status"] == "prohibited"
    assert answer_to(client, started_at="2024-12-10T10:00")["total"] == "7.50"


def test_the_town_is_listed_with_its_tariff(client):
    listed = json.loads(client.get("/api/v1/municipalities").text)["items"]
    assert [(town["slug"], town["name"]) for town in listed] == [(SLUG, "Vila Nova")]
    tariff = json.loads(client.get(f"/api/v1/municipalities/{SLUG}/tariff?at=2024-05-14T10:00").text)
    assert [line["code"] for line in tariff["lines"]] == ["flag", "km", "night_km"]


def test_a_town_that_is_not_there_is_not_invented(client):
    body = {"municipality": "ro-urupa", "started_at": "2024-05-14T10:00", "legs": [{"zone": "urban", "km": "4"}]}
    response = client.post("/api/v1/fares", data=json.dumps(body), content_type="application/json")
    assert (response.status_code, json.loads(response.text)["code"]) == (422, "unknown_municipality")

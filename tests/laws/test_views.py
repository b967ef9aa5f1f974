"""Municipalities and their tariffs as anyone reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import create_app
from settings import Settings

HERE = Path(__file__).parents[2]
TOWNS = "/api/v1/municipalities"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    data = tmp_path_factory.mktemp("nothing-runs-here")
    variables = {"PONTUAL_DATA": str(data), "PONTUAL_LAWS": str(HERE / "laws"), "PONTUAL_LOG_LEVEL": "ERROR"}
    return create_app(Settings.from_env(variables)).test_client()


def test_the_municipalities_in_pages(client):
    everything = client.get(TOWNS).json
    slugs = [town["slug"] for town in everything["items"]]
    assert slugs == sorted(slugs)
    assert {"mt-ipiranga-do-norte", "ro-sao-miguel-do-guapore", "ro-urupa"} <= set(slugs)
    assert everything["next_cursor"] is None

    first = client.get(f"{TOWNS}?limit=2").json
    rest = client.get(f"{TOWNS}?limit=200&cursor={first['next_cursor']}").json
    assert first["items"] + rest["items"] == everything["items"]


def test_a_municipality_and_its_norms(client):
    town = client.get(f"{TOWNS}/ro-urupa").json

    assert (town["name"], town["uf"], town["ibge_code"]) == ("Urupá", "RO", "1101708")
    assert (town["time_zone"], town["area_code"]) == ("America/Porto_Velho", "69")
    norm = next(norm for norm in town["norms"] if norm["id"] == "ro-urupa/lei-1080-2023")
    assert (norm["status"], norm["in_force_from"], norm["in_force_to"]) == ("priced", "2023-11-20", None)
    assert norm["confirmed"] is False
    starts = [norm["in_force_from"] for norm in town["norms"]]
    assert starts == sorted(starts)


def test_a_tariff_with_figures(client):
    tariff = client.get(f"{TOWNS}/ro-urupa/tariff?at=2026-12-01T10:00").json

    assert (tariff["status"], tariff["nature"]) == ("priced", "exact")
    amounts = {line["code"]: (line["amount"], line["unit"]) for line in tariff["lines"]}
    assert amounts == {
        "urban_fare": ("7.00", "trip"),
        "rural_out": ("2.00", "km"),
        "urban_back": ("3.00", "trip"),
        "rural_back": ("0.50", "km"),
    }
    assert all(line["citation"].startswith("Lei nº 1.080/2023, art. 29") for line in tariff["lines"])
    assert "in_force_date_unconfirmed" in [warning["code"] for warning in tariff["warnings"]]


def test_every_reading_says_its_standing_and_why(client):
    readings = client.get(f"{TOWNS}/ro-urupa/tariff").json["readings"]

    assert readings
    for clause in readings:
        assert clause["question"].endswith("?")
        assert [option["standing"] for option in clause["options"]].count("adopted") == 1
        assert clause["options"][0]["standing"] == "adopted"
        assert all(option["why"] for option in clause["options"])
        assert clause["signed_by"] is None


def test_the_prohibitions_include_the_federal_ones(client):
    prohibitions = client.get(f"{TOWNS}/ro-urupa/tariff").json["prohibitions"]

    assert any("Lei nº 1.080/2023" in one["citation"] for one in prohibitions)
    assert any("244" in one["citation"] for one in prohibitions)


@pytest.mark.parametrize("slug", ["ro-sao-miguel-do-guapore", "mt-ipiranga-do-norte"])
def test_a_tariff_left_to_a_decree_says_its_article(client, slug):
    tariff = client.get(f"{TOWNS}/{slug}/tariff?at=2026-12-01T10:00").json

    assert (tariff["status"], tariff["lines"], tariff["nature"]) == ("delegated", [], None)
    (reason,) = tariff["reasons"]
    assert reason["status"] == "delegated"
    assert "art." in reason["citation"]


def test_a_day_before_any_norm_has_no_tariff(client):
    tariff = client.get(f"{TOWNS}/ro-urupa/tariff?at=1990-01-01T00:00").json

    assert (tariff["status"], tariff["norm"]) == ("no_tariff", None)
    assert tariff["reasons"][0]["code"] == "no_norm_in_force"


def test_the_instant_may_carry_an_offset(client):
    """03:59 UTC is 23:59 of the day before in Porto Velho, when the former laws still ruled."""
    before = client.get(f"{TOWNS}/ro-urupa/tariff?at=2023-11-20T03:59Z").json
    after = client.get(f"{TOWNS}/ro-urupa/tariff?at=2023-11-20T04:00Z").json

    assert (before["status"], after["status"]) == ("no_tariff", "priced")


@pytest.mark.parametrize("path", ["/ro-porto-velho", "/ro-porto-velho/tariff", "/Urup%C3%A1", "/" + "x" * 500])
def test_an_unknown_municipality_is_not_found(client, path):
    answer = client.get(TOWNS + path)

    assert (answer.status_code, answer.json["code"]) == (404, "unknown_municipality")
    assert answer.content_type == "application/problem+json"
    assert len(answer.data) < 1000


def test_an_address_with_a_nul_names_nothing(client):
    """It is refused before any room sees it: PostgreSQL cannot even be asked about it."""
    answer = client.get(f"{TOWNS}/%00")

    assert (answer.status_code, answer.json["code"]) == (404, "not_found")
    assert answer.content_type == "application/problem+json"


@pytest.mark.parametrize(
    ("slug", "query", "path"),
    [
        ("ro-urupa", "at=ontem", "at"),
        ("ro-urupa", "at=1900-01-01T00:00", "at"),
        ("ro-urupa", "at=", "at"),
        ("ro-urupa", "quando=2026-12-01T10:00", "quando"),
        ("ro-urupa", "at=2026-12-01T10:00&at=2020-12-01T10:00", "at"),
        ("ro-urupa", "meter_verified_at=hoje", "meter_verified_at"),
        ("mt-ipiranga-do-norte", "at=2018-11-04T00:30", "at"),
        ("mt-ipiranga-do-norte", "at=2018-02-17T23:30", "at"),
    ],
)
def test_a_bad_question_names_its_parameter(client, slug, query, path):
    answer = client.get(f"{TOWNS}/{slug}/tariff?{query}")

    assert answer.status_code == 422
    assert [error["path"] for error in answer.json["errors"]] == [path]


@pytest.mark.parametrize("path", ["", "/ro-urupa", "/ro-urupa/tariff?at=2026-12-01T10:00"])
def test_what_did_not_change_is_not_sent_again(client, path):
    first = client.get(TOWNS + path)
    again = client.get(TOWNS + path, headers={"If-None-Match": first.headers["ETag"]})

    assert "max-age" in first.headers["Cache-Control"]
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", first.headers["ETag"])


def test_another_norm_has_another_tag(client):
    tags = {client.get(f"{TOWNS}/ro-urupa/tariff?at={year}-12-01T10:00").headers["ETag"] for year in (1990, 2020, 2026)}

    assert len(tags) == 3

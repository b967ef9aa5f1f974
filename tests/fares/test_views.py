"""`POST /api/v1/fares` as a program meets it: the contract's answer, and a clear refusal for everything else."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from app import create_app
from settings import Settings

HERE = Path(__file__).parents[2]
ROUND_TRIP = {
    "municipality": "ro-urupa",
    "started_at": "2026-12-01T10:00",
    "legs": [
        {"zone": "urban", "km": "2"},
        {"zone": "rural", "km": "10"},
        {"zone": "rural", "km": "10", "direction": "return"},
        {"zone": "urban", "km": "2", "direction": "return"},
    ],
    "same_vehicle_return": True,
    "passengers": 1,
    "waiting_minutes": 0,
    "items": [],
    "passenger_age": 34,
}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    data = tmp_path_factory.mktemp("nothing-runs-here")
    variables = {"PONTUAL_DATA": str(data), "PONTUAL_LAWS": str(HERE / "laws"), "PONTUAL_LOG_LEVEL": "ERROR"}
    return create_app(Settings.from_env(variables)).test_client()


def trip(**facts: Any) -> dict[str, Any]:
    return {name: value for name, value in (ROUND_TRIP | facts).items() if value is not ...}


def post(client, body, content_type="application/json"):
    body = body if isinstance(body, bytes | str) else json.dumps(body)
    return client.post("/api/v1/fares", data=body, content_type=content_type)


def paths(answer):
    return [error["path"] for error in answer.json["errors"]]


def test_the_round_trip_of_the_contract(client):
    answer = post(client, ROUND_TRIP)

    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    fare = answer.json
    assert list(fare) == [
        "status", "total", "range", "currency", "exact", "nature", "lines", "norm", "readings", "readings_range",
        "warnings", "reasons", "known_part",
    ]  # fmt: skip
    assert (fare["status"], fare["total"], fare["range"]) == ("priced", "32.00", ["32.00", "32.00"])
    assert (fare["currency"], fare["exact"], fare["nature"]) == ("BRL", True, "exact")
    assert len(fare["lines"]) <= 4
    assert sum(Decimal(line["amount"]) for line in fare["lines"]) == 32
    assert all("art. 29" in line["citation"] for line in fare["lines"])
    assert fare["norm"]["id"] == "ro-urupa/lei-1080-2023"
    assert fare["norm"]["version"].startswith("sha256:")
    assert fare["readings"][0]["standing"] == "adopted"
    assert fare["readings"][0]["signed_by"] is None
    assert {"12.00", "17.00", "35.00", "37.00"} <= {reading["total"] for reading in fare["readings"]}
    assert "in_force_date_unconfirmed" in [warning["code"] for warning in fare["warnings"]]


def test_the_least_a_request_may_state(client):
    body = {"municipality": "ro-urupa", "started_at": "2026-12-01T10:00", "legs": [{"zone": "urban", "km": "2"}]}

    assert post(client, body).json["total"] == "7.00"


def test_every_optional_fact_is_taken(client):
    body = trip(
        ended_at="2026-12-01T11:00",
        same_vehicle_return=False,
        boarded=True,
        parcel_only=False,
        slow_minutes=3,
        category="comum",
        items=[{"class": "backpack", "count": 1}, {"class": "backpack"}],
        origin_zone_code="centro",
        destination_zone_code="linha 28",
        radius_km="3.2",
        agreed="32.00",
        meter_verified_at="2026-11-30",
        table_posted_at=None,
        tender_homologated_at="2020-01-01",
        legs=[{"zone": "urban", "km": "2.125", "direction": "outbound", "stop": True, "surface": "unpaved",
               "zone_code": "centro", "started_at": "2026-12-01T10:00:30-04:00"}],
    )  # fmt: skip
    answer = post(client, body)

    assert (answer.status_code, answer.json["status"]) == (200, "priced")


def test_a_municipality_without_a_decree_answers_its_article_not_a_price(client):
    for slug in ("ro-sao-miguel-do-guapore", "mt-ipiranga-do-norte"):
        fare = post(client, trip(municipality=slug)).json
        assert (fare["status"], fare["total"], fare["range"], fare["lines"]) == ("delegated", None, None, [])
        assert "art." in fare["reasons"][0]["citation"]


@pytest.mark.parametrize("facts", [{"passengers": 2}, {"passenger_age": 9}])
def test_what_the_law_prohibits_has_no_price(client, facts):
    fare = post(client, trip(**facts)).json

    assert (fare["status"], fare["total"]) == ("prohibited", None)
    assert fare["reasons"]


def test_a_call_that_never_became_a_trip_needs_no_legs(client):
    answer = post(client, trip(boarded=False, legs=[], same_vehicle_return=False))

    assert (answer.status_code, answer.json["total"], answer.json["lines"]) == (200, "0.00", [])


def test_return_legs_without_the_same_motorcycle_are_a_second_hire(client):
    answer = post(client, trip(same_vehicle_return=False))

    assert (answer.status_code, answer.json["total"]) == (200, "54.00")


def test_an_instant_with_an_offset_is_the_same_instant(client):
    assert post(client, trip(started_at="2026-12-01T14:00:00Z")).json == post(client, ROUND_TRIP).json


def test_before_the_law_there_is_no_tariff(client):
    assert post(client, trip(started_at="1995-06-01T10:00")).json["status"] == "no_tariff"


def leg(**facts: Any) -> dict[str, Any]:
    return {"legs": [{"zone": "urban", "km": "2"}, {"zone": "rural", "km": "10"} | facts]}


@pytest.mark.parametrize(
    ("facts", "path"),
    [
        (leg(km="-1"), "legs.1.km"),
        (leg(km=10), "legs.1.km"),
        (leg(km=10.5), "legs.1.km"),
        (leg(km="NaN"), "legs.1.km"),
        (leg(km="Infinity"), "legs.1.km"),
        (leg(km="1e9"), "legs.1.km"),
        (leg(km="1000000000"), "legs.1.km"),
        (leg(km="10,5"), "legs.1.km"),
        (leg(km="10.0001"), "legs.1.km"),
        (leg(km="١٠"), "legs.1.km"),
        (leg(km="9" * 100_000), "legs.1.km"),
        (leg(km=None), "legs.1.km"),
        (leg(zone="lua"), "legs.1.zone"),
        (leg(zone="URBAN"), "legs.1.zone"),
        (leg(zone=["urban"]), "legs.1.zone"),
        (leg(direction="back"), "legs.1.direction"),
        (leg(surface="mud"), "legs.1.surface"),
        (leg(stop="true"), "legs.1.stop"),
        (leg(zone_code="a\x00b"), "legs.1.zone_code"),
        (leg(started_at="ontem"), "legs.1.started_at"),
        (leg(kms="1"), "legs.1.kms"),
        ({"legs": [{"zone": "urban"}]}, "legs.0.km"),
        ({"legs": [{"km": "2"}]}, "legs.0.zone"),
        ({"legs": [None]}, "legs.0"),
        ({"legs": ["urban 2"]}, "legs.0"),
        ({"legs": {"zone": "urban", "km": "2"}}, "legs"),
        ({"legs": []}, "legs"),
        ({"legs": ...}, "legs"),
        ({"legs": [{"zone": "urban", "km": "1"}] * 201}, "legs"),
        ({"legs": [{"zone": "urban", "km": "1"}] * 10_000}, "legs"),
        ({"municipality": "ro-porto-velho"}, "municipality"),
        ({"municipality": "Urupá"}, "municipality"),
        ({"municipality": ""}, "municipality"),
        ({"municipality": "../../etc/passwd"}, "municipality"),
        ({"municipality": "ro-" + "x" * 100_000}, "municipality"),
        ({"municipality": 1}, "municipality"),
        ({"municipality": ...}, "municipality"),
        ({"started_at": ...}, "started_at"),
        ({"started_at": None}, "started_at"),
        ({"started_at": 1764583200}, "started_at"),
        ({"started_at": "1900-01-01T10:00"}, "started_at"),
        ({"started_at": "3000-01-01T10:00"}, "started_at"),
        ({"started_at": "2026-02-29T10:00"}, "started_at"),
        ({"started_at": "01/12/2026 10:00"}, "started_at"),
        ({"ended_at": "2026-12-01T09:59"}, "ended_at"),
        ({"passengers": 0}, "passengers"),
        ({"passengers": -1}, "passengers"),
        ({"passengers": 21}, "passengers"),
        ({"passengers": 10**30}, "passengers"),
        ({"passengers": 1.0}, "passengers"),
        ({"passengers": "1"}, "passengers"),
        ({"passengers": True}, "passengers"),
        ({"passenger_age": -1}, "passenger_age"),
        ({"passenger_age": 131}, "passenger_age"),
        ({"waiting_minutes": -1}, "waiting_minutes"),
        ({"waiting_minutes": 1441}, "waiting_minutes"),
        ({"slow_minutes": 10**9}, "slow_minutes"),
        ({"same_vehicle_return": 1}, "same_vehicle_return"),
        ({"boarded": "sim"}, "boarded"),
        ({"parcel_only": None}, "parcel_only"),
        ({"category": "x" * 81}, "category"),
        ({"category": ""}, "category"),
        ({"items": [{"class": "mala", "count": -1}]}, "items.0.count"),
        ({"items": [{"class": "mala", "count": 101}]}, "items.0.count"),
        ({"items": [{"count": 1}]}, "items.0.class"),
        ({"items": [{"class": "mala"}] * 51}, "items"),
        ({"radius_km": "-3"}, "radius_km"),
        ({"agreed": 7}, "agreed"),
        ({"agreed": "7"}, "agreed"),
        ({"agreed": "7,00"}, "agreed"),
        ({"agreed": "-7.00"}, "agreed"),
        ({"meter_verified_at": "2026-12-01T10:00"}, "meter_verified_at"),
        ({"table_posted_at": "1900-01-01"}, "table_posted_at"),
        ({"preco": "7.00"}, "preco"),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_a_bad_fact_is_refused_by_name(client, facts, path):
    answer = post(client, trip(**facts))

    assert answer.status_code == 422
    assert answer.content_type == "application/problem+json"
    assert paths(answer) == [path]
    assert len(answer.data) < 5000


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "empty_body"),
        (b"{", 400, "invalid_json"),
        (b"[" * 200_000, 400, "too_deep"),
        (json.dumps(ROUND_TRIP).replace("34", "NaN"), 400, "invalid_json"),
        (json.dumps(ROUND_TRIP).replace('"passengers": 1', '"passengers": 1, "passengers": 2'), 400, "duplicate_key"),
        (json.dumps(trip(category="\ud800")), 400, "wrong_encoding"),
        (json.dumps(trip(category="é"), ensure_ascii=False).encode("latin-1"), 400, "wrong_encoding"),
        (json.dumps(ROUND_TRIP).encode("utf-16"), 400, "wrong_encoding"),
        (json.dumps(ROUND_TRIP).encode("utf-32-le"), 400, "wrong_encoding"),
        (json.dumps(ROUND_TRIP).encode("utf-8-sig"), 400, "wrong_encoding"),
        (json.dumps(ROUND_TRIP).replace("34", "9" * 10_000), 400, "number_too_long"),
        (json.dumps([ROUND_TRIP]), 422, "invalid"),
        ("null", 422, "invalid"),
        ("7", 422, "invalid"),
        (json.dumps(trip(category="x" * 1_000_000)), 413, "too_large"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_bad_body_is_refused(client, body, status, code):
    answer = post(client, body)

    assert (answer.status_code, answer.json["code"]) == (status, code)


def test_another_content_type_is_refused(client):
    for content_type in ("text/plain", "application/xml", "multipart/form-data; boundary=x", None):
        assert post(client, ROUND_TRIP, content_type).status_code == 415


def test_all_that_is_wrong_is_said_at_once(client):
    answer = post(client, trip(passengers=0, started_at="ontem", **leg(km=1)))

    assert paths(answer) == ["legs.1.km", "passengers", "started_at"]


def test_an_unknown_municipality_has_a_code_of_its_own(client):
    assert post(client, trip(municipality="ro-porto-velho")).json["code"] == "unknown_municipality"


def test_a_local_time_that_happened_twice_asks_for_the_offset(client):
    facts = leg() | {"municipality": "mt-ipiranga-do-norte", "same_vehicle_return": False}
    twice = post(client, trip(started_at="2018-02-17T23:30", **facts))

    assert (twice.status_code, paths(twice)) == (422, ["started_at"])
    assert "Informe o fuso" in twice.json["errors"][0]["message"]
    assert post(client, trip(started_at="2018-02-17T23:30-03:00", **facts)).status_code == 200


def test_a_return_on_the_same_motorcycle_needs_a_leg_that_returns(client):
    answer = post(client, trip(**leg()))

    assert (answer.status_code, answer.json["code"], paths(answer)) == (422, "fact_missing", ["legs.direction"])
    assert '"return"' in answer.json["errors"][0]["message"]


def test_the_local_time_of_a_leg_is_one_instant_too(client):
    answer = post(
        client,
        trip(
            municipality="mt-ipiranga-do-norte", legs=[{"zone": "urban", "km": "2", "started_at": "2018-11-04T00:30"}]
        ),
    )

    assert paths(answer) == ["legs.0.started_at"]


TOWN = """
slug: xx-vila-nova
name: Vila Nova
uf: RO
ibge_code: "1100000"
time_zone: America/Porto_Velho
area_code: "69"
calendar: {municipal: [], optional: []}
"""
NORM = """
norm: {id: xx-vila-nova/lei-1, kind: lei, number: "1", date: 2020-01-01, title: Por categoria, label: Lei nº 1/2020}
in_force:
  from: 2020-01-01
  basis: art. 9º
  confirmed: true
  effective_when: {evidence: meter_verified_at, within_days: 30, cite: art. 8º}
service: mototaxi
tariff:
  nature: exact
  lines:
    - {code: fare, text: Tarifa, fixed: 700, when: {category: [comum]}, cite: art. 1º}
"""


def test_a_fact_that_the_norm_needs_is_named_with_its_article(tmp_path):
    folder = tmp_path / "laws" / "xx-vila-nova"
    folder.mkdir(parents=True)
    (folder / "municipality.yaml").write_text(TOWN)
    (folder / "lei-1.yaml").write_text(NORM)
    client = create_app(Settings.from_env({"PONTUAL_LAWS": str(tmp_path / "laws")})).test_client()
    facts = trip(municipality="xx-vila-nova", legs=[{"zone": "urban", "km": "2"}], same_vehicle_return=False)

    for stated, needed, article in (
        ({}, "meter_verified_at", "art. 8º"),
        ({"meter_verified_at": "2026-11-20"}, "category", "art. 1º"),
    ):
        answer = post(client, facts | stated)
        assert (answer.status_code, answer.json["code"]) == (422, "fact_missing")
        assert paths(answer) == [needed]
        assert answer.json["citation"] == f"Lei nº 1/2020, {article}"

    complete = post(client, facts | {"meter_verified_at": "2026-11-20", "category": "comum"})
    assert complete.json["total"] == "7.00"

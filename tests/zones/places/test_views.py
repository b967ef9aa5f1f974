"""`GET /api/v1/municipalities/{slug}/places` and `flask zones places`, with the real application."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient, FlaskCliRunner

from app import create_app
from settings import Settings
from zones.places import sheet
from zones.places.osm import CREDIT
from zones.places.views import finder

ROOT = Path(__file__).parents[3]
GEODATA = ROOT / "tests" / "geodata"
URUPA = "ro-urupa"
SEEDS = sorted((ROOT / "geodata").glob("*/places.csv"))
LINHAS = """kind;name;source;axis
linha;Linha C-4;central;-62.30 -11.30, -62.30 -11.10
linha;Linha 9;central;
linha;Linha 20;central;
"""


def make_app(folder: Path, **more: str) -> Flask:
    folders = {"PONTUAL_DATA": folder, "PONTUAL_LAWS": ROOT / "laws", "PONTUAL_GEODATA": ROOT / "geodata"}
    return create_app(Settings.from_env({name: str(path) for name, path in folders.items()} | more))


@pytest.fixture
def app(database_url: str, tmp_path: Path) -> Iterator[Flask]:
    app = make_app(tmp_path, PONTUAL_DATABASE_URL=database_url)
    yield app
    app.extensions["store"].engine.dispose()


@pytest.fixture(scope="module")
def without_servers(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    """Enough for what is refused before anything is looked up."""
    return make_app(tmp_path_factory.mktemp("nothing"))


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def cli(app: Flask) -> FlaskCliRunner:
    return app.test_cli_runner()


def run(cli: FlaskCliRunner, *args: str | Path) -> str:
    done = cli.invoke(args=["zones", "places", *map(str, args)])
    assert done.exit_code == 0, done.output
    return done.output


def ask(client: FlaskClient, **query: Any) -> Any:
    answer = client.get(f"/api/v1/municipalities/{URUPA}/places", query_string=query)
    assert answer.status_code == 200, answer.text
    return answer.json


@pytest.mark.parametrize("seed", SEEDS, ids=lambda path: path.parent.name)
def test_a_seed_names_its_sources_and_claims_no_surveyed_position(seed: Path) -> None:
    places = sheet.read(seed.read_bytes())
    assert len(places) >= 7
    assert seed.read_text(encoding="utf-8") == sheet.write(places)
    assert {place.position_quality.value for place in places} == {"none", "approximate"}
    assert [place.name for place in places if place.position] == ["Sede do município"]


def test_what_the_law_names_is_found_and_lacks_a_position_openly(client: FlaskClient, cli: FlaskCliRunner) -> None:
    assert run(cli, "import", URUPA, ROOT / "geodata" / URUPA / "places.csv") == "12 incluídos, 0 mudados, 0 iguais.\n"

    answer = ask(client, q="praca municipal")

    assert answer["warnings"] == []
    assert answer["items"][0] == {
        "kind": "ponto",
        "label": "Praça Municipal",
        "score": 100,
        "position": None,
        "position_quality": "none",
        "note": "Posição desconhecida: marque no mapa ou informe uma referência.",
        "unmatched": [],
        "address": None,
        "source": "Lei nº 1.080/2023, art. 20, caput",
    }


def test_a_rural_address_is_placed_along_its_linha(client: FlaskClient, cli: FlaskCliRunner, tmp_path: Path) -> None:
    table = tmp_path / "linhas.csv"
    table.write_text(LINHAS)
    run(cli, "import", URUPA, table)

    (found,) = ask(client, q="Linha C-4, km 12,5, Lote 8, Gleba 2, lado norte", limit=1)["items"]

    assert found["label"] == "Linha C-4, km 12,5"
    assert found["position_quality"] == "approximate"
    assert found["position"]["lon"] == pytest.approx(-62.30)
    assert found["position"]["lat"] == pytest.approx(-11.187, abs=0.001)
    assert found["address"] == {
        "linha": "C-4",
        "km": "12.5",
        "side": "norte",
        "lot": "8",
        "gleba": "2",
        "sector": None,
        "reference": "",
    }


def test_names_of_openstreetmap_are_credited(client: FlaskClient, cli: FlaskCliRunner) -> None:
    said = run(cli, "import-osm", URUPA, GEODATA / "ce-limoeiro-do-norte" / "streets.geojson")
    assert said.endswith(f"Mostre o crédito: {CREDIT}\n")

    answer = ask(client, q="trav novo habitat")

    assert answer["items"][0]["label"] == "Travessa Novo Habitat"
    assert answer["credits"] == [CREDIT]


def test_nothing_found_is_said(client: FlaskClient) -> None:
    answer = ask(client, q="rua que não existe")
    assert answer["items"] == []
    assert [warning["code"] for warning in answer["warnings"]] == ["nothing_found"]


def test_an_online_search_without_a_geocoder_is_a_warning(client: FlaskClient) -> None:
    codes = [warning["code"] for warning in ask(client, q="rua", online="true")["warnings"]]
    assert codes == ["geocoder_disabled", "nothing_found"]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({}, "q"),
        ({"q": ""}, "q"),
        ({"q": "   "}, "q"),
        ({"q": "x" * 201}, "q"),
        ({"q": "rua\x00"}, "q"),
        ({"q": "rua", "limit": "0"}, "limit"),
        ({"q": "rua", "limit": "21"}, "limit"),
        ({"q": "rua", "limit": "1.5"}, "limit"),
        ({"q": "rua", "limit": "٣"}, "limit"),
        ({"q": "rua", "online": "1"}, "online"),
        ({"q": "rua", "near": "x"}, "near"),
        ({"q": ["rua", "praça"]}, "q"),
    ],
)
def test_a_query_that_is_not_plainly_right_is_refused_by_name(without_servers: Flask, query: Any, path: str) -> None:
    answer = without_servers.test_client().get(f"/api/v1/municipalities/{URUPA}/places", query_string=query)
    assert (answer.status_code, answer.content_type) == (422, "application/problem+json")
    assert answer.json is not None
    assert [error["path"] for error in answer.json["errors"]] == [path]


def test_an_unknown_municipality_is_not_found(without_servers: Flask) -> None:
    answer = without_servers.test_client().get("/api/v1/municipalities/xx-nenhuma/places?q=rua")
    assert (answer.status_code, answer.json and answer.json["code"]) == (404, "unknown_municipality")


def test_a_central_adds_moves_lists_and_removes_a_place(cli: FlaskCliRunner, app: Flask) -> None:
    source = ("--source", "central", "--by", "ana")
    assert run(cli, "add", URUPA, "landmark", "Bar [do] Zé", *source) == "1 incluídos, 0 mudados, 0 iguais.\n"
    moved = ("--lat", "-11.12", "--lon", "-62.36", "--verified")
    assert run(cli, "add", URUPA, "landmark", "bar do ze", *source, *moved).startswith("0 incluídos, 1 mudados")
    run(cli, "add", URUPA, "linha", "Linha 20", *source)
    run(cli, "add", URUPA, "linha", "Linha 9", *source)

    listed = run(cli, "list", URUPA, "--csv")
    assert [line.split(";")[1] for line in listed.splitlines()] == ["name", "bar do ze", "Linha 9", "Linha 20"]
    gone = ("remove", URUPA, "landmark", "Bar do Zé", "--reason", "fechou")
    assert run(cli, *gone) == "Retirado: bar do ze\n"
    again = cli.invoke(args=["zones", "places", *gone])
    assert (again.exit_code, "não há landmark 'Bar do Zé'" in again.output) == (1, True)
    with app.app_context():
        last = finder().gazetteer.history(URUPA)[-1]
    assert (last.removed, last.by, last.reason) == (True, "linha de comando", "fechou")
    history = run(cli, "list", URUPA, "--history")
    assert "Bar [do]" in history
    assert "retirado" in history
    assert "Linha 9" in run(cli, "list", URUPA)


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (("add", URUPA, "street", "Rua", "--source", "x", "--lat", "1"), "informe --lat e --lon juntas"),
        (("add", URUPA, "street", "Rua", "--source", "x", "--verified"), "informe --lat e --lon juntas"),
        (("add", URUPA, "street", "Rua", "--source", "x", "--lat", "91", "--lon", "0"), "latitude 91"),
        (("add", URUPA, "street", "!", "--source", "x"), "ao menos uma letra"),
        (("add", "xx-nenhuma", "street", "Rua", "--source", "x"), "não há município 'xx-nenhuma'"),
        (("import-osm", URUPA, str(ROOT / "app.py")), "use um extrato"),
    ],
)
def test_what_cannot_be_done_is_said_in_portuguese(
    without_servers: Flask, args: tuple[str, ...], complaint: str
) -> None:
    done = without_servers.test_cli_runner().invoke(args=["zones", "places", *args])
    assert done.exit_code == 1
    assert complaint in done.output


def test_a_table_with_one_bad_row_stores_nothing(cli: FlaskCliRunner, client: FlaskClient, tmp_path: Path) -> None:
    table = tmp_path / "lugares.csv"
    shutil.copy(ROOT / "geodata" / URUPA / "places.csv", table)
    with table.open("a") as more:
        more.write("rua;Rua Um;;;;;none;;eu;\n")

    done = cli.invoke(args=["zones", "places", "import", URUPA, str(table)])

    assert done.exit_code == 1
    assert "nada foi gravado" in done.output
    assert "linha 14: kind: 'rua'" in done.output
    assert ask(client, q="praça municipal")["items"] == []

"""Cross-site scripting: whatever a law, a map or a visitor puts into a page is text there."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from flask.testing import FlaskClient

from app import create_app
from settings import Settings
from zones.store import seed

ROOT = Path(__file__).parents[2]
SCRIPT = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
SQUARE, FARM = {"lat": -11.1249, "lon": -62.3653}, {"lat": -11.05, "lon": -62.45}
QUOTE = {"municipality": "ro-urupa", "origin": SQUARE, "destination": FARM, "depart_at": "2026-12-01T10:00"}


def _poisoned(value: object) -> object:
    """Scripts in every text of a GeoJSON that is not a key of ours."""
    if isinstance(value, dict):
        texts = {"name", "credit", "note", "detail"}
        return {key: SCRIPT + str(one) if key in texts else _poisoned(one) for key, one in value.items()}
    return [_poisoned(one) for one in value] if isinstance(value, list) else value


@pytest.fixture
def poisoned(database_url: str, redis_url: str, tmp_path: Path) -> Iterator[FlaskClient]:
    """The application over a law and a map with scripts in every text."""
    laws, geodata = tmp_path / "laws", tmp_path / "geodata"
    shutil.copytree(ROOT / "laws", laws, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    shutil.copytree(ROOT / "geodata", geodata, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for file in (laws / "ro-urupa").glob("lei*.yaml"):
        line = re.compile(r"(?m)^( +(?:- )?text: )[^{|>\n]+$")
        file.write_text(line.sub(lambda found: found[1] + json.dumps(SCRIPT), file.read_text()))
    for file in (geodata / "ro-urupa").glob("*.geojson"):
        file.write_text(json.dumps(_poisoned(json.loads(file.read_text()))))
    app = create_app(
        Settings.from_env(
            {
                "PONTUAL_DATA": str(tmp_path / "data"),
                "PONTUAL_DATABASE_URL": database_url,
                "PONTUAL_REDIS_URL": redis_url,
                "PONTUAL_LAWS": str(laws),
                "PONTUAL_GEODATA": str(geodata),
                "PONTUAL_ROADS": "estimate",
                "PONTUAL_LOG_LEVEL": "ERROR",
                "PONTUAL_PRIVACY_CONTACT": SCRIPT,
            }
        )
    )
    with app.extensions["store"].sessions.begin() as session:
        seed(session, geodata, date(2026, 11, 30))
    yield app.test_client()
    app.extensions["store"].engine.dispose()


def assert_harmless(html: str) -> None:
    assert "<script>" not in html
    assert "<img src=x" not in html
    assert not re.search(r"<[^>]*\sonerror\s*=", html)


def test_a_quotes_page_and_its_map_hold_the_texts_of_law_and_map_as_text(poisoned: FlaskClient):
    quote = poisoned.post("/api/v1/quotes", json=QUOTE).get_json()
    assert SCRIPT in json.dumps(quote, ensure_ascii=False).replace('\\"', '"'), "the poison must reach the quote"

    page = poisoned.get(f"/verify/{quote['code']}")
    assert page.status_code == 200
    assert "&lt;script&gt;alert(1)" in page.text
    assert_harmless(page.text)

    picture = poisoned.get(f"/verify/{quote['code']}/map.svg")
    assert picture.status_code == 200
    assert_harmless(picture.text)
    names = {element.tag.rsplit("}", 1)[-1] for element in Xml.fromstring(picture.text).iter()}
    assert not {"script", "foreignObject", "a", "image", "use", "animate", "set"} & names


def test_the_privacy_page_holds_the_contact_as_text(poisoned: FlaskClient):
    page = poisoned.get("/privacidade")
    assert "&lt;script&gt;" in page.text
    assert_harmless(page.text)


@pytest.mark.parametrize("code", ["<script>alert(1)</script>", "%3Cscript%3Ealert(1)%3C%2Fscript%3E", "'\"><img>"])
def test_a_page_about_a_wrong_code_shows_it_as_text(client: FlaskClient, code: str):
    page = client.get(f"/verify/{code}")
    assert page.status_code == 404
    assert "<script" not in page.text.lower()
    assert "<img" not in page.text.lower()


def test_json_is_never_taken_for_a_page(poisoned: FlaskClient):
    for path in ("/api/v1/municipalities/ro-urupa/zones", "/api/v1/municipalities/ro-urupa/pontos", "/api/v1/nada"):
        answer = poisoned.get(path)
        assert answer.mimetype in ("application/json", "application/geo+json", "application/problem+json")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_every_template_engine_escapes_and_every_exception_says_why():
    for room in ("accounts", "api", "fares", "laws", "zones", "dispatch", "registry", "inspection", "web"):
        for file in (ROOT / room).rglob("*.py"):
            lines = file.read_text().splitlines()
            for node in ast.walk(ast.parse("\n".join(lines))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "Environment" and node.keywords:
                    assert "autoescape=True" in ast.unparse(node), f"{file}:{node.lineno}"
                if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Markup"):
                    assert "S704 - " in lines[node.lineno - 1], f"{file}:{node.lineno}"


def test_every_table_for_spreadsheets_goes_through_the_writer_that_disarms_formulas():
    """`tests/zones/places/test_sheet.py` tests that one."""
    writers = {
        str(file.relative_to(ROOT))
        for room in ("accounts", "api", "fares", "laws", "zones", "dispatch", "registry", "inspection", "web")
        for file in (ROOT / room).rglob("*.py")
        if re.search(r"csv\.(writer|DictWriter)|to_csv|write_csv", file.read_text())
    }
    assert writers <= {"zones/places/sheet.py"}, "show that it disarms cells that begin with = + - @ tab or return"

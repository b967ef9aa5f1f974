"""From a file to the law at the command line, on the real database."""

from __future__ import annotations

import re
import threading
from datetime import date

import orjson
import pytest
import shapely
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError

from app import create_app
from geodata.point import Point
from laws.norm import Zone
from settings import Settings
from store.connections import Connections
from tests.zones.importing.files import SQUARE, memorial, polygon, projected
from zones.importing import drafts
from zones.importing.draft import CannotApprove
from zones.importing.finding import Severity
from zones.perimeter import Kind, Origin, Status
from zones.store import CannotEnact, atlas_in_force

pytestmark = pytest.mark.slow

ACT = "Lei nº 1.234/2026"
IN_THE_BAND = Point(-11.134, -62.363)  # half a kilometre from the synthetic core, inside the new perimeter
BOW_TIE = [SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3], SQUARE[0]]


@pytest.fixture
def app(database_url, tmp_path):
    return create_app(Settings(data=tmp_path / "data", database_url=database_url))


@pytest.fixture
def flask(app):
    runner = app.test_cli_runner()
    return lambda *words: runner.invoke(args=["zones", *map(str, words)])


@pytest.fixture
def store(app) -> Connections:
    connections: Connections = app.extensions["store"]
    return connections


@pytest.fixture
def square(tmp_path):
    path = tmp_path / "perimetro.csv"
    path.write_text(memorial(projected(SQUARE, "EPSG:29190"), "# datum: SAD69\n# fuso: 20S\n"))
    return path


@pytest.fixture
def draft(flask, square):
    """The number of a stored draft."""
    result = flask("import", "ro-urupa", square, "--by", "servidor nº 1", "--precision-m", "0.5")
    assert result.exit_code == 0, result.output
    return int(re.findall(r"Rascunho (\d+)", result.output)[0])


def zone_on(store, day):
    with store.sessions() as session:
        return atlas_in_force(session, "ro-urupa", day).locate(IN_THE_BAND).zone


def rows(store, table):
    with store.sessions() as session:
        return session.scalar(text(f"SELECT count(*) FROM {table}"))


def test_a_refused_file_says_all_and_stores_nothing(flask, store, tmp_path):
    path = tmp_path / "laco.geojson"
    path.write_text(polygon(BOW_TIE))
    result = flask("import", "ro-urupa", path)
    assert result.exit_code == 1
    assert "Erro: O contorno cruza a si mesmo" in result.output
    assert "nada foi gravado" in result.output
    assert "Traceback" not in result.output
    assert rows(store, "perimeter_drafts") == 0
    assert not (tmp_path / "data" / "previews").exists()


def test_a_draft_keeps_all_it_was_and_changes_nothing(flask, store, draft, tmp_path):
    with store.sessions() as session:
        kept = drafts.get(session, draft)
    assert (kept.kind, kept.imported_by, kept.precision_m) == (Kind.URBAN, "servidor nº 1", 0.5)
    assert kept.area.equals_exact(shapely.Polygon(SQUARE), 5e-8)
    assert kept.source.accuracy_m == 5
    assert {f.severity for f in kept.findings} == {Severity.NOTE, Severity.WARNING}
    page = (tmp_path / "data" / "previews" / f"ro-urupa-{draft}.html").read_text()
    assert "SAD69" in page
    assert "Núcleo urbano provável" in page
    assert (tmp_path / "data" / "previews" / f"ro-urupa-{draft}.svg").read_text().startswith("<svg")
    assert zone_on(store, date(2026, 12, 1)) is Zone.UNDETERMINED


def test_approval_makes_it_law_from_its_day_and_ends_the_rings(flask, store, draft):
    result = flask("approve", draft, "--legal-act", ACT, "--date", "01/12/2026", "--by", "Prefeita nº 1")
    assert result.exit_code == 0, result.output
    assert "vale desde 01/12/2026" in result.output
    assert "Faixa urbana possível" in result.output
    assert zone_on(store, date(2026, 11, 30)) is Zone.UNDETERMINED
    assert zone_on(store, date(2026, 12, 1)) is Zone.URBAN
    with store.sessions() as session:
        law = [p for p in atlas_in_force(session, "ro-urupa", date(2026, 12, 1)).perimeters if p.kind is Kind.URBAN]
    assert [(p.legal_act, p.status, p.origin) for p in law] == [(ACT, Status.IN_FORCE, Origin.MUNICIPALITY)]


def test_a_draft_is_approved_once_even_by_two_at_once(flask, store, draft):
    start, outcomes = threading.Barrier(2), []

    def approve():
        start.wait()
        try:
            with store.sessions.begin() as session:
                drafts.approve(session, draft, ACT, date(2026, 12, 1), "Prefeita nº 1")
            outcomes.append("approved")
        except (CannotApprove, CannotEnact, IntegrityError):
            outcomes.append("refused")

    threads = [threading.Thread(target=approve) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["approved", "refused"]
    assert rows(store, "perimeter_approvals") == 1
    again = flask("approve", draft, "--legal-act", ACT, "--date", "2027-01-01", "--by", "Prefeita nº 1")
    assert again.exit_code == 1
    assert "já foi aprovado por Prefeita nº 1" in again.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--date", "01/12/2026", "--by", "Prefeita nº 1"], "--legal-act"),
        (["--legal-act", " ", "--date", "01/12/2026", "--by", "Prefeita nº 1"], "ato legal"),
        (["--legal-act", ACT, "--date", "01/12/2026", "--by", " "], "quem aprova"),
        (["--legal-act", ACT, "--date", "31/02/2026", "--by", "Prefeita nº 1"], "não é uma data"),
        (["--legal-act", ACT, "--date", "01/01/2021", "--by", "Prefeita nº 1"], "não se reescreve"),
    ],
)
def test_approval_without_act_authority_or_possible_day_changes_nothing(flask, store, draft, words, said):
    result = flask("approve", draft, *words)
    assert result.exit_code != 0
    assert said in result.output
    assert rows(store, "perimeter_approvals") == 0
    assert zone_on(store, date(2026, 12, 1)) is Zone.UNDETERMINED


def test_drafts_and_approvals_refuse_change(flask, store, draft):
    flask("approve", draft, "--legal-act", ACT, "--date", "01/12/2026", "--by", "Prefeita nº 1")
    for statement in ("UPDATE perimeter_drafts SET name = 'x'", "DELETE FROM perimeter_approvals"):
        with pytest.raises(DBAPIError, match="só aceita inclusão"), store.sessions.begin() as session:
            session.execute(text(statement))


def test_export_gives_the_law_of_a_day_and_imports_again_to_the_same_numbers(flask, store, draft, tmp_path):
    flask("approve", draft, "--legal-act", ACT, "--date", "01/12/2026", "--by", "Prefeita nº 1")
    before = orjson.loads(flask("export", "ro-urupa", "--at", "30/11/2026").stdout_bytes)
    after = orjson.loads(flask("export", "ro-urupa", "--at", "01/12/2026").stdout_bytes)
    assert [f["properties"]["kind"] for f in after["features"]] == ["urban"]
    assert {f["properties"]["name"] for f in before["features"]} >= {"Núcleo urbano provável", "Faixa urbana possível"}
    for form, number in (("geojson", draft + 1), ("kml", draft + 2)):
        out = tmp_path / f"export.{form}"
        assert flask("export", "ro-urupa", "--format", form, "--at", "01/12/2026", "--out", out).exit_code == 0
        assert flask("import", "ro-urupa", out).exit_code == 0
        with store.sessions() as session:
            areas = [shapely.normalize(drafts.get(session, n).area) for n in (draft, number)]
        assert areas[0] == areas[1]


def test_preview_is_written_again_where_asked(flask, draft, tmp_path):
    result = flask("preview", draft, "--out", tmp_path / "pages")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "pages" / f"ro-urupa-{draft}.html").is_file()


def test_unknown_town_draft_and_datum_are_told_plainly(flask, square):
    for words, said in (
        (("import", "xx-nada", square), "não há município"),
        (("preview", 99), "não há rascunho 99"),
        (("import", "ro-urupa", square, "--datum", "ED50"), "não é um datum aceito"),
        (("export", "xx-nada"), "não há município"),
    ):
        result = flask(*words)
        assert result.exit_code != 0
        assert said in result.output
        assert "Traceback" not in result.output

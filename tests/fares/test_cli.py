"""`flask fares …`, as a central or an inspector types it, and the table on paper."""

from __future__ import annotations

import io
import json
from datetime import datetime
from pathlib import Path

import pytest
from pypdf import PdfReader

from app import create_app
from fares.sheet import tariff_sheet
from fares.tariffs import open_lawbook
from settings import Settings

ROOT = Path(__file__).parents[2]
TRIP = ("price", "ro-urupa", "--urban-km", "2", "--rural-km", "10", "--return-km", "10", "--at", "2026-12-01T10:00")


@pytest.fixture
def flask(tmp_path: Path):
    settings = Settings.from_env({"PONTUAL_DATA": str(tmp_path), "PONTUAL_LAWS": str(ROOT / "laws")})
    runner = create_app(settings).test_cli_runner(env={"COLUMNS": "200"})
    return lambda *words: runner.invoke(args=["fares", *words])


def test_a_round_trip_is_told_line_by_line_with_its_other_readings(flask):
    output = flask(*TRIP).output

    assert "Total: R$\u00a032,00" in output
    for told in ("R$\u00a07,00", "R$\u00a020,00", "R$\u00a05,00", "art. 29, § 2º", "R$\u00a012,00", "rejeitada"):
        assert told in output


def test_the_same_as_json_is_the_answer_of_the_api(flask, tmp_path: Path):
    told = json.loads(flask(*TRIP, "--json").output)

    assert told["total"] == "32.00"
    assert [line["amount"] for line in told["lines"]] == ["7.00", "20.00", "5.00"]
    assert told["readings_range"] == ["12.00", "41.00"]


def test_kilometres_may_be_typed_with_a_comma(flask):
    assert "R$\u00a013,80" in flask("price", "ro-urupa", "--urban-km", "0,8", "--rural-km", "3,4").output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("price", "ro-urupa", "--rural-km", "dez"), "não é uma distância em km"),
        (("price", "ro-urupa", "--rural-km", "-1"), "não é uma distância em km"),
        (("price", "xx-nowhere"), "município desconhecido"),
        (("price", "ro-urupa", "--at", "ontem"), "data e hora devem vir"),
    ],
)
def test_what_is_mistyped_is_refused_in_words(flask, words, message):
    result = flask(*words)

    assert result.exit_code != 0
    assert message in result.output


def test_no_price_is_told_with_its_article(flask):
    assert "depende de decreto" in flask("price", "mt-ipiranga-do-norte", "--urban-km", "3").output
    assert "proibida: Só se transporta um passageiro" in flask("price", "ro-urupa", "--passengers", "2").output


def words_of(pdf: bytes) -> str:
    return " ".join(" ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages).split())


def test_the_table_riders_carry_has_every_figure_its_article_and_what_is_forbidden(flask, tmp_path: Path):
    out = tmp_path / "tabela.pdf"

    result = flask("table", "ro-urupa", "--pdf", str(out), "--at", "2026-12-01")
    text = words_of(out.read_bytes())

    assert result.exit_code == 0
    for told in ("Urupá/RO", "Tarifa única", "R$ 7,00 por viagem", "R$ 2,00 por km", "R$ 3,00", "R$ 0,50 por km"):
        assert told in text.replace("\u00a0", " ")
    for told in ("art. 29, caput", "art. 29, § 2º", "Só se transporta um passageiro", "ainda não assinada"):
        assert told in text


def test_the_table_of_a_town_without_decree_says_so_and_gives_no_figure():
    town = open_lawbook(ROOT / "laws").municipality("ro-sao-miguel-do-guapore")

    text = words_of(tariff_sheet(town, datetime(2026, 12, 1, tzinfo=town.zone_info)))

    assert "fixadas por decreto" in text
    assert "art. 14" in text
    assert "R$" not in text


def test_the_font_is_embedded_so_that_any_reader_shows_the_accents():
    town = open_lawbook(ROOT / "laws").municipality("ro-urupa")

    page = PdfReader(io.BytesIO(tariff_sheet(town, datetime(2026, 12, 1, tzinfo=town.zone_info)))).pages[0]
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]  # type: ignore[index]

    assert fonts
    for font in fonts:
        descriptor = font["/DescendantFonts"][0].get_object()["/FontDescriptor"]
        assert "/FontFile2" in descriptor

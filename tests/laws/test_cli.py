"""`flask laws …`, as whoever keeps the law's files types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import create_app
from settings import Settings

ROOT = Path(__file__).parents[2]


@pytest.fixture
def flask(tmp_path: Path):
    def run(*words: str, laws: Path = ROOT / "laws"):
        settings = Settings.from_env({"PONTUAL_DATA": str(tmp_path), "PONTUAL_LAWS": str(laws)})
        return create_app(settings).test_cli_runner(env={"COLUMNS": "200"}).invoke(args=["laws", *words])

    return run


def test_check_lists_every_norm_with_what_awaits_confirmation(flask):
    result = flask("check")

    assert result.exit_code == 0
    assert "3 municípios" in result.output
    for town in ("ro-urupa", "ro-sao-miguel-do-guapore", "mt-ipiranga-do-norte"):
        assert town in result.output
    assert "depende de decreto" in result.output
    assert "leituras sem assinatura" in result.output


def test_check_stops_at_the_first_error_with_file_and_line(flask, tmp_path: Path):
    town = tmp_path / "laws" / "xx-vila"
    town.mkdir(parents=True)
    (town / "municipality.yaml").write_text("slug: xx-vila\nslug: xx-vila\n")

    result = flask("check", laws=tmp_path / "laws")

    assert result.exit_code == 1
    assert "municipality.yaml:2: chave repetida" in result.output


def test_show_tells_lines_articles_and_every_reading(flask):
    output = flask("show", "ro-urupa", "--at", "2026-12-01").output

    assert "R$\u00a02,00 por km" in output
    assert "art. 29, § 2º" in output
    assert "[adotada] added_on_return_km" in output
    assert "[rejeitada] two_fifty_on_all_km" in output


def test_show_before_the_law_says_why_there_is_no_tariff(flask):
    assert "sem tarifa: Nesta data regiam o serviço" in flask("show", "ro-urupa", "--at", "2023-06-30T10:00").output


def test_diff_tells_what_a_later_norm_brought(flask):
    output = flask("diff", "ro-urupa", "2023-01-01", "2026-12-01").output

    assert "+ urban_fare: R$\u00a07,00 por viagem" in output
    assert "- " in output
    assert "as mesmas" in flask("diff", "ro-urupa", "2024-01-01", "2026-12-01").output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "xx-nowhere"), "município desconhecido: xx-nowhere; há mt-ipiranga-do-norte"),
        (("show", "ro-urupa", "--at", "31/12/2026"), "data e hora devem vir"),
        (("diff", "ro-urupa", "2026-02-30", "2026-03-01"), "não existe no calendário"),
    ],
)
def test_what_is_mistyped_is_refused_in_words(flask, words, message):
    result = flask(*words)

    assert result.exit_code == 1
    assert message in result.output

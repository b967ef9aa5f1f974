"""`flask zones roads build`, as the operator types it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from flask import Flask

from settings import Settings
from zones.cli import zones
from zones.roads.data import current_build, town_folder

FIXTURES = Path(__file__).parents[2] / "geodata"
TOWN = "ce-limoeiro-do-norte"


@pytest.fixture
def run(tmp_path):
    app = Flask("test")
    app.extensions["settings"] = Settings(data=tmp_path / "data", geodata=tmp_path / "geodata")
    app.cli.add_command(zones)
    shutil.copytree(FIXTURES / TOWN, tmp_path / "geodata" / TOWN)
    runner = app.test_cli_runner()
    return lambda *words: runner.invoke(args=["zones", "roads", "build", *map(str, words)])


def test_a_build_says_what_is_in_use_and_whom_to_credit(run, extract, tmp_path):
    result = run(TOWN, extract)

    assert result.exit_code == 0
    assert "malha viária construída; em uso" in result.output
    assert "257 vias de limoeiro_do_norte_ce.osm.pbf" in result.output
    assert "© OpenStreetMap contributors, ODbL 1.0" in result.output
    assert "Atenção" not in result.output
    assert current_build(town_folder(tmp_path / "data", TOWN)) is not None
    assert "já estava construído" in run(TOWN, extract).output


@pytest.mark.slow
def test_an_extract_of_another_town_is_warned_of(run):
    result = run(TOWN, FIXTURES / "quixada_ce.osm.pbf")

    assert result.exit_code == 0
    assert "Atenção: O extrato não tem via a menos de 2 km da sede" in result.output


def test_a_bad_extract_is_an_error_without_a_traceback(run, tmp_path):
    bad = tmp_path / "bad.osm.pbf"
    bad.write_text("not an extract")

    result = run(TOWN, bad)

    assert result.exit_code == 1
    assert "não é um extrato .osm.pbf íntegro" in result.output

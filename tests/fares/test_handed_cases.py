"""The worked cases that were handed over with the product: every figure of every reading comes out of the engine.

tests/norms/handed/figures.yaml holds the figures as they came; tests/norms/<municipality>/cases.yaml and
tests/norms/handed/<municipality>.yaml hold the same cases in the house's own format. A reading's handed name is its
``note``.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fares.cases import Case, differences, read_cases
from fares.tariffs import open_lawbook
from laws.loader import LawBook, load_lawbook, load_municipality
from laws.norm import Municipality
from laws.source import Document, read_yaml

ROOT = Path(__file__).parents[2]
NORMS = ROOT / "tests" / "norms"
HANDED = NORMS / "handed"
FIGURES: dict[str, Any] = read_yaml(HANDED / "figures.yaml").data


@cache
def law_in_force() -> LawBook:
    return load_lawbook(ROOT / "laws")


@cache
def municipality_of(file: Path) -> Municipality:
    if file.parent == HANDED:
        return law_in_force().municipality(file.stem)
    return load_municipality(file.parent)


@cache
def cases_of(file: Path) -> tuple[Case, ...]:
    return read_cases(read_yaml(file), municipality_of(file).zone_info)


def files() -> list[Path]:
    return sorted([*NORMS.glob("*/cases.yaml"), *(f for f in HANDED.glob("*.yaml") if f.stem != "figures")])


DOCUMENTS: dict[str, tuple[Document, int]] = {
    raw["case"]: (document, i) for document in map(read_yaml, files()) for i, raw in enumerate(document.data)
}


def case_named(name: str) -> tuple[Municipality, Case, dict[str, Any]]:
    document, i = DOCUMENTS[name]
    return municipality_of(document.file), cases_of(document.file)[i], document.data[i]


def test_there_are_the_124_handed_cases_and_no_other():
    assert len(FIGURES) == 124
    assert set(DOCUMENTS) == set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_case_reproduces(name):
    municipality, case, _ = case_named(name)
    assert differences(municipality, case) == []


@pytest.mark.parametrize("name", FIGURES)
def test_case_says_what_was_handed(name):
    handed = FIGURES[name]
    _, case, raw = case_named(name)
    default, *others = handed["readings"]
    assert raw["adopted"] == default["total"]
    figures = {reading.get("note"): reading["total"] for reading in raw.get("readings", ())}
    assert {r["reading"]: r["total"] for r in others}.items() <= figures.items()
    assert raw["facts"]["at"] == handed["at"]
    assert raw.get("charged") == handed.get("charged")
    if "status" in handed:
        assert case.status == handed["status"]
    if "km" in handed:
        assert sum(leg.metres for leg in case.trip.legs) == Decimal(handed["km"]) * 1000


@pytest.mark.parametrize("name", [name for name, handed in FIGURES.items() if "half_up" in handed])
def test_rounding_to_the_nearest_centavo_gives_the_other_handed_figure(name, tmp_path):
    document, i = DOCUMENTS[name]
    source = ROOT / "laws" / document.file.stem if document.file.parent == HANDED else document.file.parent
    folder = tmp_path / source.name
    folder.mkdir()
    for file in source.glob("*.yaml"):
        rounded = file.read_text(encoding="utf-8").replace("mode: truncate", "mode: half_up")
        (folder / file.name).write_text(rounded, encoding="utf-8")
    municipality = load_municipality(folder)
    case = read_cases(document, municipality.zone_info)[i]
    expected = int(Decimal(FIGURES[name]["half_up"]) * 100)
    assert differences(municipality, Case(case.name, case.trip, expected, None, (), None)) == []


def test_the_test_norms_open_as_a_lawbook_with_their_cases_reproducing():
    assert len(open_lawbook(NORMS).municipalities) == 15

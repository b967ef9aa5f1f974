"""The law is data: no municipality, norm or tariff figure of laws/ is written in Python outside tests.

A new town, a decree, a new value is a new file under laws/, never a change of code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from laws.norm import district_key
from laws.source import read_yaml

ROOT = Path(__file__).parents[1]
LAWS = ROOT / "laws"

NOT_THE_PRODUCT = {".venv", "tests", "bench", "build", "data", "node_modules"}
"""bench/ measures on towns by name, as tests do."""

EDGES = re.compile(r"(views|schemas|pages|sheet|cli|models)\.py$")
"""Modules that talk to people or keep records: their 200 is an HTTP status, their 50 a length, never money due."""

SHOW_HOW_TO_WRITE_AN_AMOUNT = {"api/fields.py", "api/reais.py", "fares/cases.py"}
"""Their messages and examples need some amount, and R$ 7,00 is as good as another."""

MONEY_KEYS = {"fixed", "per_km", "amount", "waiting", "item", "add", "at_least", "at_most"}


@cache
def sources() -> tuple[Path, ...]:
    """Every Python file of the product."""
    files = (f for f in ROOT.rglob("*.py") if not NOT_THE_PRODUCT.intersection(f.relative_to(ROOT).parts))
    return tuple(sorted(files))


def rule_modules() -> list[Path]:
    """The modules that read norms and compute fares."""
    return [f for room in ("fares", "laws") for f in sorted((ROOT / room).glob("*.py")) if not EDGES.search(f.name)]


@cache
def documents() -> tuple[Any, ...]:
    return tuple(read_yaml(file).data for file in sorted(LAWS.glob("*/*.yaml")) if file.name != "cases.yaml")


def names() -> set[str]:
    """What names a municipality or one of its norms, as `district_key` folds it."""
    found = set()
    for document in documents():
        if "slug" in document:
            found |= {document["slug"], document["slug"].split("-", 1)[1], document["name"], document["ibge_code"]}
        elif not document["norm"]["id"].startswith("br/"):
            found.add(document["norm"]["id"])
            found |= set(re.findall(r"\d[\d.]*/\d{4}", document["norm"].get("number") or ""))
    return {district_key(name) for name in found}


def figures() -> set[int]:
    """Every amount of a tariff, in centavos."""

    def walk(value: Any) -> Iterator[int]:
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in MONEY_KEYS and isinstance(inner, int):
                    yield inner
                yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)

    return {amount for document in documents() for amount in walk(document.get("tariff"))}


def where(file: Path) -> str:
    return str(file.relative_to(ROOT))


def numbers(file: Path) -> Iterator[tuple[int, float]]:
    """The numeric constants of a file with their lines."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield node.lineno, node.value


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """The strings of a file with their lines, docstrings apart."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def reais(centavos: int) -> set[str]:
    """An amount as people and programs write it."""
    written = f"{centavos // 100}.{centavos % 100:02}"
    return {written, written.replace(".", ",")}


def test_there_is_law_to_look_for():
    assert {"urupa", "ro-urupa", "1.080/2023", "sao miguel do guapore", "378/2012"} <= names()
    assert {700, 200, 300, 50} <= figures()
    assert len(sources()) > 50


def test_no_town_and_no_norm_is_named_in_python():
    named = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, names()))})(?!\w)")
    found = {where(f): set(named.findall(district_key(f.read_text(encoding="utf-8")))) for f in sources()}
    assert {file: hits for file, hits in found.items() if hits} == {}, "say it in laws/, not in code"


def test_no_tariff_figure_is_written_out_in_python():
    written = {text for centavos in figures() if centavos for text in reais(centavos)}
    figure = re.compile(rf"(?<![\d.,])({'|'.join(map(re.escape, written))})(?![\d.,]*\d)")
    found = {where(f): [(line, text) for line, text in texts(f) if figure.search(text)] for f in sources()}
    unlawful = {file: hits for file, hits in found.items() if hits and file not in SHOW_HOW_TO_WRITE_AN_AMOUNT}
    assert unlawful == {}, "say it in laws/, not in code"


def test_no_tariff_figure_is_a_number_of_the_rules():
    due = figures() - {0, 1}
    found = {where(f): [(line, n) for line, n in numbers(f) if n in due] for f in rule_modules()}
    assert {file: hits for file, hits in found.items() if hits} == {}, "say it in laws/, not in code"

"""The page an authority reads: complete, without a request to anywhere, and deaf to markup in a file."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from defusedxml import ElementTree

from tests.zones.importing.conftest import GEODATA
from tests.zones.importing.files import SQUARE, polygon
from tests.zones.importing.test_attacks import circle
from zones.drawn import perimeters
from zones.importing.draft import Draft
from zones.importing.preview import preview
from zones.perimeter import Kind

BOW_TIE = [SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3], SQUARE[0]]
PORTO_VELHO = ZoneInfo("America/Porto_Velho")


def draft_of(examination, name="Perímetro <script>alert(1)</script>"):
    assert examination.area is not None
    return Draft(
        "ro-urupa", Kind.URBAN, name, examination.area, examination.source, examination.findings,
        datetime(2026, 12, 1, 1, 30, tzinfo=UTC), "servidor nº 1", None, examination.before_repair,
    )  # fmt: skip


@pytest.fixture
def page(desk):
    draft = draft_of(desk.examine("square.geojson", polygon(BOW_TIE), repair=True))
    return preview(draft, desk.around, perimeters(GEODATA)[1:2], PORTO_VELHO)


def test_the_page_says_what_an_authority_must_know(page):
    for text in (
        "Rascunho", "km²", "Atenção", "IBGE", "© colaboradores do OpenStreetMap", "square.geojson", "30/11/2026 21:30",
        "novo perímetro", "perímetro de hoje (aproximado)", "antes do reparo", "limite do município", "★ sede",
        "Núcleo urbano provável, desde 01/01/2022", "não informada",
    ):  # fmt: skip
        assert text in page.html, text


def test_nothing_is_fetched_and_nothing_runs(page):
    assert "<script" not in page.html
    addresses = re.findall(r"(?:src|href|url)\s*[=(]", page.html)
    assert addresses == []
    assert "default-src 'none'" in page.html


def test_the_picture_is_well_formed_and_has_every_layer(page):
    svg = ElementTree.fromstring(page.svg)
    tags = [child.tag.rpartition("}")[2] for child in svg]
    assert tags.count("path") >= 4
    assert tags[0] == "title"
    texts = [child.text for child in svg if child.tag.endswith("text")]
    assert "500 m" in texts
    assert "1" in texts  # the mark of the crossing


def test_a_large_drawing_gives_a_light_picture(desk):
    draft = draft_of(desk.examine("circle.geojson", polygon(circle(100_000))))
    assert len(preview(draft, desk.around, (), PORTO_VELHO).svg) < 200_000


def test_the_limit_passes_through_a_picture_that_reaches_it(desk):
    around = desk.around
    ring = [(x, y) for x, y in around.limit.buffer(-0.001).exterior.coords]
    draft = draft_of(desk.examine("whole.geojson", polygon(ring)), name="Município inteiro")
    assert preview(draft, around, (), PORTO_VELHO).html.count("<path") >= 3

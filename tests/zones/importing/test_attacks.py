"""Hostile files against the process that reads them: refused within its limits."""

from __future__ import annotations

import io
import math
import zipfile

import pytest

from tests.zones.importing.files import SQUARE, errors, kml, kml_ring, polygon
from zones.importing import bounded, limits

BILLION_LAUGHS = (
    '<!DOCTYPE kml [<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)) + "]>"
)
EXTERNAL_ENTITY = '<!DOCTYPE kml [<!ENTITY x SYSTEM "file:///etc/hostname">]>'


def zigzag(vertices):
    """Two combs laid across each other: about (vertices / 4)² crossings."""
    half = vertices // 2
    step = 0.01 / half
    across = [(-62.38 + n * step, -11.14 + 0.01 * (n % 2)) for n in range(half)]
    along = [(-62.38 + 0.01 * (n % 2), -11.14 + n * step) for n in range(half)]
    return [*across, *along, across[0]]


def circle(vertices):
    turns = (2 * math.pi * n / vertices for n in range(vertices))
    ring = [(round(-62.37 + 0.01 * math.cos(t), 9), round(-11.13 + 0.01 * math.sin(t), 9)) for t in turns]
    return [*ring, ring[0]]


def bomb(name, size, *, entries=1):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for number in range(entries):
            archive.writestr(f"{number}{name}", b"\0" * size)
    return buffer.getvalue()


def lying_bomb(name, size):
    """The directory declares a hundred bytes; the stream holds ``size``."""
    content = bytearray(bomb(name, size))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.find(signature) + offset
        content[at : at + 4] = (100).to_bytes(4, "little")
    return bytes(content)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("ratio.zip", bomb(".shp", 20 * limits.MIB), "archive_too_big"),
        ("ratio.kmz", bomb(".kml", 20 * limits.MIB), "archive_too_big"),
        ("size.zip", bomb(".shp", limits.MIB, entries=limits.MAX_UNPACKED_BYTES // limits.MIB + 1), "archive_too_big"),
        ("many.zip", bomb(".shp", 1, entries=limits.MAX_ARCHIVE_ENTRIES + 1), "archive_too_big"),
        ("lying.zip", lying_bomb(".shp", 20 * limits.MIB), "archive_broken"),
        ("laughs.kml", kml("&l9;", head=BILLION_LAUGHS), "xml_entities"),
        ("external.kml", kml("&x;", head=EXTERNAL_ENTITY), "xml_entities"),
        ("dtd.kml", kml(kml_ring(SQUARE), head='<!DOCTYPE kml SYSTEM "http://127.0.0.1:9/x.dtd">'), "xml_entities"),
        ("doctype.kml", kml(kml_ring(SQUARE), head="<!DOCTYPE kml>"), "xml_entities"),
        ("broad.kml", "<kml>" + "<a/>" * (limits.MAX_ELEMENTS + 1) + "</kml>", "too_many_features"),
        ("broad.geojson", "[" + "{}," * (limits.MAX_ELEMENTS + 1) + "{}]", "too_many_features"),
        ("deep.kml", "<kml>" + "<Folder>" * 100_000, "xml_too_deep"),
        ("deep.geojson", '{"type": "Polygon", "coordinates": ' + "[" * 100_000, "not_json"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value and len(value) < 20 else "",
)
def test_attack_is_refused(desk, name, content, code):
    assert errors(desk.examine(name, content)) == {code}


def test_a_good_file_passes_the_bounded_reader_unchanged(desk):
    content = polygon(SQUARE)
    assert desk.examine_bounded("good.geojson", content) == desk.examine("good.geojson", content)


@pytest.mark.slow
def test_a_million_vertices_are_too_many_in_every_text_format(desk):
    ring = circle(1_000_000)
    table = "datum: SIRGAS2000\nlat;lon\n" + "\n".join(f"{y};{x}" for x, y in ring)
    for name, content in (("p.geojson", polygon(ring)), ("p.kml", kml(kml_ring(ring))), ("m.csv", table)):
        examination = desk.examine_bounded(name, content)
        assert errors(examination) == {"too_many_vertices"}
        assert "200.000" in examination.findings[-1].what


def test_a_file_beyond_the_size_limit_is_not_even_opened(desk):
    path = desk.folder / "huge.geojson"
    with path.open("wb") as stream:
        stream.truncate(limits.MAX_FILE_BYTES + 1)
    assert errors(desk.examine_file(path)) == {"file_too_big"}


@pytest.mark.slow
def test_the_largest_lawful_drawing_passes(desk):
    examination = desk.examine_bounded("p.geojson", polygon(circle(limits.MAX_VERTICES - 1)))
    assert examination.area is not None, examination.findings


@pytest.mark.slow
def test_many_crossings_name_the_first_ones(desk):
    finding = desk.examine_bounded("p.geojson", polygon(zigzag(400))).findings[-1]
    assert finding.code == "self_crossing"
    assert "e mais" in finding.what


@pytest.mark.slow
def test_repairing_millions_of_crossings_runs_into_a_limit_and_is_told(desk):
    examination = desk.examine_bounded("p.geojson", polygon(zigzag(20_000)), repair=True)
    assert errors(examination) & {"too_slow", "too_much_memory"}
    assert examination.area is None


@pytest.mark.slow
def test_the_ceiling_of_memory_holds(desk, monkeypatch):
    monkeypatch.setitem(bounded.CEILINGS, "CHILD_MEMORY_BYTES", 320 * limits.MIB)
    assert errors(desk.examine_bounded("p.geojson", polygon(zigzag(3_000)), repair=True)) == {"too_much_memory"}


@pytest.mark.slow
def test_the_ceiling_of_time_holds(desk, monkeypatch):
    monkeypatch.setitem(bounded.CEILINGS, "CHILD_CPU_SECONDS", 1)
    assert errors(desk.examine_bounded("p.geojson", polygon(zigzag(20_000)), repair=True)) == {"too_slow"}

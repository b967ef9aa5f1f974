"""Files that are wrong, forged or hostile: a clear refusal, in Portuguese, and nothing else."""

from __future__ import annotations

import json
import struct
import zipfile

import pyproj
import pytest
import shapely

from tests.zones.importing.files import SQUARE, codes, errors, kml, kml_ring, memorial, polygon, projected, write_layer
from zones.importing import limits
from zones.importing.finding import Severity
from zones.importing.reading import Datum

SWAPPED = [vertex[::-1] for vertex in SQUARE]
BOW_TIE = [SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3], SQUARE[0]]


def refusal(examination, code):
    """The one error of that code, complete: what, why and how."""
    assert examination.area is None
    found = [f for f in examination.findings if f.severity is Severity.ERROR and f.code == code]
    assert len(found) == 1, [str(f) for f in examination.findings]
    assert found[0].what
    assert found[0].how
    return found[0]


def test_swapped_axes_are_said_and_corrected_only_when_asked(desk):
    finding = refusal(desk.examine("p.geojson", polygon(SWAPPED)), "swapped")
    assert "--swap" in finding.how
    mended = desk.examine("p.geojson", polygon(SWAPPED), swap=True)
    assert mended.area.equals(shapely.Polygon(SQUARE))
    assert "swapped_as_asked" in codes(mended)


def test_swapped_axes_beyond_ninety_degrees_of_latitude(desk):
    # West of 90° W a longitude cannot be a latitude: the numbers are no place on Earth at all.
    far = desk.around.limit
    moved = type(desk.around)("x", shapely.transform(far, lambda xy: xy - (40, 0)), 11.0)
    other = type(desk)(desk.folder, moved)
    ring = [(y, x - 40) for x, y in SQUARE]
    refusal(other.examine("p.geojson", polygon(ring)), "swapped")


def test_swapped_east_and_north_of_a_memorial(desk):
    ring = [(n, e) for e, n in projected(SQUARE, "EPSG:31980")]
    refusal(desk.examine("m.csv", memorial(ring)), "swapped")


def test_missing_sign_is_recognised(desk):
    text = "datum: SIRGAS2000\nlatitude;longitude\n" + "\n".join(f"{-y};{-x}" for x, y in SQUARE)
    assert "negativo" in refusal(desk.examine("m.csv", text), "sign_missing").why


@pytest.mark.parametrize(("declared", "right"), [("21S", "20S"), ("20S", "21S")])
def test_wrong_utm_zone_names_the_one_that_fits(desk, declared, right):
    ring = projected(SQUARE, f"EPSG:{31960 + int(right[:2])}")
    finding = refusal(
        desk.examine("m.csv", memorial(ring, f"# datum: SIRGAS2000\n# fuso: {declared}\n")), "wrong_utm_zone"
    )
    assert f"fuso UTM {right}" in finding.why
    assert f"--utm-zone {right}" in finding.how


def test_degrees_declared_as_metres(desk):
    path = write_layer(desk.folder / "p.gpkg", [shapely.Polygon(SQUARE)], "EPSG:31980")
    assert "EPSG:4674" in refusal(desk.examine_file(path), "degrees_as_projected").how


def test_metres_declared_as_degrees(desk):
    finding = refusal(desk.examine("p.geojson", polygon(projected(SQUARE, "EPSG:31980"))), "projected_as_degrees")
    assert "20S" in finding.why


def test_another_place_altogether(desk):
    refusal(desk.examine("p.geojson", polygon([(x + 10, y) for x, y in SQUARE])), "outside_municipality")


def test_partly_beyond_the_limit(desk):
    ring = [(-62.38, -11.14), (-62.0, -11.14), (-62.0, -11.12), (-62.38, -11.12), (-62.38, -11.14)]
    finding = refusal(desk.examine("p.geojson", polygon(ring)), "outside_municipality")
    assert "além do limite" in finding.what
    assert finding.places


def test_self_crossing_names_the_place_and_is_repaired_only_when_asked(desk):
    finding = refusal(desk.examine("p.geojson", polygon(BOW_TIE)), "self_crossing")
    assert "lat -11.130000, lon -62.370000" in finding.what
    assert finding.places == (pytest.approx((-62.37, -11.13)),)
    mended = desk.examine("p.geojson", polygon(BOW_TIE), repair=True)
    assert mended.area.is_valid
    assert mended.before_repair is not None
    assert {"repaired", "self_crossing"} <= codes(mended)


def test_every_crossing_is_named(desk):
    zigzag = [
        (-62.38, -11.14),
        (-62.36, -11.13),
        (-62.38, -11.12),
        (-62.36, -11.12),
        (-62.38, -11.13),
        (-62.36, -11.14),
    ]
    finding = refusal(desk.examine("p.geojson", polygon([*zigzag, zigzag[0]])), "self_crossing")
    assert list(finding.places) == [pytest.approx((-62.37, -11.135)), pytest.approx((-62.37, -11.125))]


def test_open_ring_is_closed_only_when_asked(desk):
    for name, content in (("p.geojson", polygon(SQUARE[:-1])), ("p.kml", kml(kml_ring(SQUARE[:-1])))):
        refusal(desk.examine(name, content), "open_ring")
        mended = desk.examine(name, content, repair=True)
        assert mended.area.equals(shapely.Polygon(SQUARE))
        assert "ring_closed" in codes(mended)


def test_doubled_vertices_are_a_warning_and_go_with_repair(desk):
    doubled = [SQUARE[0], SQUARE[1], SQUARE[1], *SQUARE[2:]]
    kept, mended = (desk.examine("p.geojson", polygon(doubled), repair=repair) for repair in (False, True))
    assert "duplicate_vertices" in codes(kept) & codes(mended)
    assert shapely.get_num_coordinates(kept.area) - shapely.get_num_coordinates(mended.area) == 1


@pytest.mark.parametrize("ring", [[], SQUARE[:1], [SQUARE[0], SQUARE[1], SQUARE[0]], [SQUARE[0]] * 5])
def test_rings_without_area(desk, ring):
    examination = desk.examine("p.geojson", polygon(ring))
    assert errors(examination) & {"empty", "ring_too_short"}


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "FeatureCollection", "features": []}',
        '{"type": "Feature", "properties": {}, "geometry": null}',
        '{"type": "Polygon", "coordinates": []}',
        '{"type": "GeometryCollection", "geometries": []}',
    ],
)
def test_empty_geometry(desk, text):
    refusal(desk.examine("p.geojson", text), "empty")


def test_a_line_is_not_a_perimeter(desk):
    text = json.dumps({"type": "LineString", "coordinates": SQUARE})
    refusal(desk.examine("p.geojson", text), "not_a_polygon")


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_nan_and_infinity_in_geojson(desk, word):
    examination = desk.examine("p.geojson", polygon(SQUARE).replace("-62.38", word))
    assert errors(examination) <= {"not_json", "not_finite"}
    assert examination.area is None


def test_nan_in_kml_memorial_and_geopackage(desk):
    refusal(desk.examine("p.kml", kml(kml_ring(SQUARE).replace("-62.36", "NaN"))), "coordinate_not_number")
    refusal(desk.examine("m.csv", memorial(SQUARE).replace("M-2;-62,360", "M-2;NaN")), "coordinate_not_number")
    nan = shapely.from_wkb(_wkb([(*SQUARE[0],), (float("nan"), 1.0), *SQUARE[2:]]))
    refusal(desk.examine_file(write_layer(desk.folder / "p.gpkg", [nan], "EPSG:4674")), "not_finite")


def _wkb(ring):
    return struct.pack("<BIII", 1, 3, 1, len(ring)) + b"".join(struct.pack("<dd", *vertex) for vertex in ring)


@pytest.mark.parametrize("value", ["-62,38", "-62.38", True, None, {}, []])
def test_text_and_other_things_as_coordinates(desk, value):
    ring = [[value, -11.14], *SQUARE[1:-1], [value, -11.14]]
    refusal(desk.examine("p.geojson", polygon(ring)), "coordinate_not_number")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "[]",
        "null",
        "7",
        '"Polygon"',
        '{"type": "Topology"}',
        '{"type": "Polygon"}',
        "[" * 5000,
        "\x00\xff",
    ],
)
def test_what_is_not_geojson(desk, text):
    assert errors(desk.examine("p.geojson", text)) <= {"not_json", "not_geojson", "empty", "too_many_vertices"}


def test_geopackage_with_two_layers_must_be_chosen_from(desk):
    path = desk.folder / "p.gpkg"
    write_layer(path, [shapely.Polygon(SQUARE)], "EPSG:4674", layer="sede")
    write_layer(path, [shapely.Polygon(SQUARE)], "EPSG:4674", layer="distrito", append=True)
    finding = refusal(desk.examine_file(path), "choose_layer")
    assert "sede" in finding.what
    assert "distrito" in finding.what
    assert desk.examine_file(path, layer="sede").area is not None
    refusal(desk.examine_file(path, layer="outra"), "choose_layer")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.gpkg", b"SQLite format 3\0" + b"\0" * 200),
        ("p.gpkg", b'<OGRVRTDataSource><OGRVRTLayer name="x"/></OGRVRTDataSource>'),
        ("p.zip", b"PK\x03\x04 not a zip"),
        ("p.kmz", b"not a zip"),
        ("p.kml", b"<kml><Document>"),
        ("p.kml", b"<gpx/>"),
        ("p.kml", b"\x89PNG\r\n"),
        ("m.csv", b"\0\1\2"),
        ("m.csv", b"so uma linha"),
        ("m.txt", b"ponto;E;N\n1;2;3\n"),
        ("p.dwg", b"AC1027"),
        ("p.geojson", b""),
    ],
)
def test_broken_files_and_other_formats(desk, name, content):
    examination = desk.examine(name, content)
    assert errors(examination)
    assert examination.area is None


def test_a_missing_file(desk):
    refusal(desk.examine_file(desk.folder / "none.kml"), "no_file")


def test_geopackage_cut_in_the_middle(desk):
    path = write_layer(desk.folder / "p.gpkg", [shapely.Polygon(SQUARE)], "EPSG:4674")
    whole = path.read_bytes()
    for size in (80, 4096, len(whole) // 2, len(whole) - 4096):
        examination = desk.examine("cut.gpkg", whole[:size])
        assert examination.area is None or examination.area.equals(shapely.Polygon(SQUARE))


def test_memorial_that_says_neither_datum_nor_zone_and_has_a_typo_hears_all_at_once(desk):
    text = memorial(projected(SQUARE, "EPSG:31980"), head="").replace("M-2;5", "M-2;S")
    examination = desk.examine("m.csv", text)
    assert [f.code for f in examination.findings] == ["not_stated", "not_stated", "coordinate_not_number"]


def test_memorial_contradicted_by_an_option(desk):
    text = memorial(projected(SQUARE, "EPSG:31980"))
    examination = desk.examine("m.csv", text, datum=Datum.SAD69, utm_zone="21S")
    assert [f.code for f in examination.findings] == ["contradiction", "contradiction"]


def test_memorial_with_commas_for_columns_and_decimals(desk):
    finding = refusal(desk.examine("m.csv", "# datum: SIRGAS2000\nlat,lon\n-11,14,-62,38\n"), "ragged_table")
    assert "vírgula" in finding.what


def test_memorial_with_hemispheres_in_the_wrong_columns(desk):
    text = "datum: WGS84\nlatitude;longitude\n" + "62° O;11° S\n" * 3
    assert "na coluna" in refusal(desk.examine("m.csv", text), "coordinate_not_number").what


def test_wrong_datum_shows_as_a_shift_the_checks_cannot_see_so_the_datum_is_always_asked(desk):
    """SAD69 read as SIRGAS 2000 lies 60 to 70 m off and inside the town: only the person can know."""
    ring = projected(SQUARE, "EPSG:29190")
    right = desk.examine("m.csv", memorial(ring, "# datum: SAD69\n# fuso: 20S\n")).area
    wrong = desk.examine("m.csv", memorial(ring)).area
    (x0, y0), (x1, y1) = (shapely.get_coordinates(shapely.centroid(area))[0] for area in (right, wrong))
    assert 60 < pyproj.Geod(ellps="GRS80").inv(x0, y0, x1, y1)[2] < 75


def test_kml_that_points_elsewhere_is_not_followed(desk):
    link = "<NetworkLink><Link><href>file:///etc/hostname</href></Link></NetworkLink>"
    text = kml(kml_ring(SQUARE)).replace("<Document>", f"<Document>{link}")
    refusal(desk.examine("p.kml", text), "network_link")


def test_several_errors_are_said_together(desk):
    ring = [*[(x + 10, y) for x, y in BOW_TIE]]
    assert errors(desk.examine("p.geojson", polygon(ring))) == {"outside_municipality", "self_crossing"}


def test_hole_outside_and_nested_holes(desk):
    away = [(x + 0.1, y) for x, y in SQUARE]
    assert "furo" in refusal(desk.examine("p.geojson", polygon(SQUARE, away)), "invalid").what


def test_a_cadastre_is_not_a_perimeter(desk):
    lots = [{"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [SQUARE]}}]
    text = json.dumps({"type": "FeatureCollection", "features": lots * (limits.MAX_FEATURES + 1)})
    refusal(desk.examine("p.geojson", text, union=True), "too_many_features")
    path = write_layer(desk.folder / "p.gpkg", [shapely.Polygon(SQUARE)] * (limits.MAX_FEATURES + 1), "EPSG:4674")
    refusal(desk.examine_file(path, union=True), "too_many_features")


def test_names_that_leave_the_archive_are_refused(desk):
    for name in ("../../etc/perimetro.shp", "/etc/perimetro.shp", "C:\\perimetro.shp", "a\\..\\..\\b.shp"):
        with zipfile.ZipFile(desk.folder / "p.zip", "w") as archive:
            archive.writestr(zipfile.ZipInfo(name), b"x")
        refusal(desk.examine_file(desk.folder / "p.zip"), "archive_path")
    link = zipfile.ZipInfo("perimetro.shp")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(desk.folder / "p.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    refusal(desk.examine_file(desk.folder / "p.zip"), "archive_path")

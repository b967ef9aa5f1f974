"""Every accepted format gives the same perimeter."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest
import shapely

from tests.zones.importing.files import (
    HOLE,
    SQUARE,
    codes,
    errors,
    kml,
    kml_ring,
    memorial,
    polygon,
    projected,
    write_layer,
)
from zones.importing.reading import Datum

AREA = shapely.Polygon(SQUARE)
MILLIMETRES = 5e-8  # degrees: two roundings to the millimetre


def zipped(folder, name="shape.zip", leave_out=()):
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in folder.glob("*.*"):
            if part != path and part.suffix not in leave_out:
                archive.write(part, part.name)
    return path


def test_geojson_gives_the_square_as_written(desk):
    examination = desk.examine("square.geojson", polygon(SQUARE))
    assert examination.area.equals(AREA)
    assert {"area", "seat_inside", "inside_municipality"} <= codes(examination)


def test_geojson_feature_collection_with_byte_order_mark_and_legacy_crs(desk):
    ring = [list(vertex) for vertex in projected(SQUARE, "EPSG:31980")]
    document = {
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::31980"}},
        "features": [
            {
                "type": "Feature",
                "properties": {"nome": "Sede"},
                "geometry": {"type": "MultiPolygon", "coordinates": [[ring]]},
            }
        ],
    }
    examination = desk.examine("square.json", "\ufeff" + json.dumps(document))
    assert examination.area.equals_exact(AREA, MILLIMETRES)
    assert "31980" in examination.source.crs


def test_kml_and_kmz_give_the_square_and_say_the_height_was_dropped(desk):
    text = kml(kml_ring([(*vertex, 197) for vertex in SQUARE]))
    with zipfile.ZipFile(desk.folder / "square.kmz", "w") as archive:
        archive.writestr("doc.kml", text)
        archive.writestr("files/icon.kml", kml("0,0 1,0 1,1 0,0"))
    for examination in (desk.examine("square.kml", text), desk.examine_file(desk.folder / "square.kmz")):
        assert examination.area.equals(AREA)
        assert not examination.area.has_z
        assert "z_dropped" in codes(examination)


def test_geopackage_in_utm_comes_back_to_degrees(desk):
    path = write_layer(
        desk.folder / "p.gpkg", [shapely.Polygon(projected(SQUARE, "EPSG:31980"))], "EPSG:31980", layer="sede"
    )
    examination = desk.examine_file(path)
    assert examination.area.equals_exact(AREA, MILLIMETRES)
    assert examination.source.layer == "sede"


def test_zipped_shapefile_with_a_hole(desk):
    write_layer(desk.folder / "perimetro.shp", [shapely.Polygon(SQUARE, [HOLE])], "EPSG:4674")
    examination = desk.examine_file(zipped(desk.folder))
    assert examination.area.equals(shapely.Polygon(SQUARE, [HOLE]))
    assert len(examination.area.interiors) == 1


def test_shapefile_without_prj_asks_for_the_system_and_takes_it(desk):
    write_layer(desk.folder / "perimetro.shp", [AREA], "EPSG:4674")
    path = zipped(desk.folder, leave_out=(".prj",))
    assert errors(desk.examine_file(path)) == {"no_crs"}
    assert desk.examine_file(path, crs="EPSG:4674").area.equals(AREA)


@pytest.mark.parametrize("missing", [".shx", ".shp"])
def test_incomplete_shapefile_says_what_is_missing(desk, missing):
    write_layer(desk.folder / "perimetro.shp", [AREA], "EPSG:4674")
    examination = desk.examine_file(zipped(desk.folder, leave_out=(missing,)))
    assert errors(examination) == {"archive_incomplete"}
    assert missing in examination.findings[0].what


@pytest.mark.parametrize(
    ("datum", "zone", "crs"),
    [
        ("SIRGAS 2000", "20S", "EPSG:31980"),
        ("SAD-69", "fuso 20", "EPSG:29190"),
        ("WGS84", "20 S", "EPSG:32720"),
        ("SIRGAS2000", "21S", "EPSG:31981"),
        ("SAD69", "21S", "EPSG:29191"),
        ("WGS 84", "21S", "EPSG:32721"),
    ],
)
def test_memorial_in_utm_of_every_datum_and_zone(desk, datum, zone, crs):
    text = memorial(projected(SQUARE, crs), f"# datum: {datum}\n# fuso: {zone}\n")
    examination = desk.examine("memorial.csv", text)
    assert examination.area.equals_exact(AREA, MILLIMETRES)
    assert crs in examination.source.crs


def test_memorial_in_degrees_minutes_and_seconds(desk):
    text = """datum: SIRGAS 2000
ponto|latitude|longitude
1|11°08'24,0" S|62°22'48,0" O
2|11 08 24.0 sul|62º21’36,0” W
3|-11°07'12"|62°21.6' oeste
4|S 11,12|-62.38
"""
    assert desk.examine("memorial.txt", text).area.equals_exact(AREA, 1e-8)


def test_memorial_told_datum_and_zone_by_option_and_written_in_windows_1252(desk):
    text = memorial(projected(SQUARE, "EPSG:31980"), head="").encode("cp1252")
    examination = desk.examine("memorial.csv", text, datum=Datum.SIRGAS_2000, utm_zone="20S")
    assert examination.area.equals_exact(AREA, MILLIMETRES)
    assert "encoding" in codes(examination)


def test_two_features_are_chosen_or_united_by_the_person(desk):
    east = [(x + 0.02, y) for x, y in SQUARE]
    path = write_layer(desk.folder / "p.gpkg", [AREA, shapely.Polygon(east)], "EPSG:4674")
    refused = desk.examine_file(path)
    assert errors(refused) == {"several_features"}
    assert "feição 2" in str(refused.findings[-1])
    assert desk.examine_file(path, feature=1).area.equals(AREA)
    both = desk.examine_file(path, union=True).area
    assert both.geom_type == "Polygon"
    assert both.area == pytest.approx(2 * AREA.area)
    assert errors(desk.examine_file(path, feature=3)) == {"several_features"}


def test_stored_coordinates_have_eight_decimals_at_most(desk):
    text = memorial(projected(SQUARE, "EPSG:31980"))
    stored = shapely.get_coordinates(desk.examine("memorial.csv", text).area)
    assert np.array_equal(stored, stored.round(8))

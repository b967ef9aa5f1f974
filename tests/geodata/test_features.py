"""The GeoJSON reader takes what it understands and says what is wrong with the rest."""

from __future__ import annotations

import json

import pytest
import shapely

from geodata.features import BadFeature, parse

SQUARE = [[-62.36, -11.14], [-62.34, -11.14], [-62.34, -11.12], [-62.36, -11.12], [-62.36, -11.14]]
POLYGONS = ("Polygon", "MultiPolygon")


def collection(geometry, **more):
    feature = {"type": "Feature", "properties": {"name": "x"}, "geometry": geometry}
    return json.dumps({"type": "FeatureCollection", "features": [feature], **more})


def polygon(*rings):
    return collection({"type": "Polygon", "coordinates": list(rings)})


def test_rings_come_out_turned_as_the_standard_says_whichever_way_they_were_drawn():
    hole = [[-62.352, -11.132], [-62.348, -11.132], [-62.348, -11.128], [-62.352, -11.128], [-62.352, -11.132]]

    for outer in (SQUARE, SQUARE[::-1]):
        (feature,) = parse(polygon(outer, hole), POLYGONS, "x.geojson")
        assert isinstance(feature.geometry, shapely.Polygon)
        assert feature.geometry.exterior.is_ccw
        assert not feature.geometry.interiors[0].is_ccw
        assert feature.properties == {"name": "x"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "não é um JSON válido"),
        ("[" * 100_000, "não é um JSON válido"),
        ("[]", "FeatureCollection"),
        (collection({"type": "Point", "coordinates": [-62.35, -11.13]}), "a geometria deve ser"),
        (collection(None), "a geometria deve ser"),
        (polygon(SQUARE[:-1]), "malformadas"),
        (polygon([["-62.36", "-11.14"], *SQUARE[1:]]), "malformadas"),
        (polygon([[-62.36], *SQUARE[1:]]), "malformadas"),
        (polygon([[-62.36, float("nan")], *SQUARE[1:]]), "NaN não é um número"),
        (polygon(SQUARE).replace("-62.34", "-1e999"), "malformadas|fora do Brasil|inválida"),
        (polygon([[*xy, 190.0] for xy in SQUARE]), "altitude"),
        (polygon([]), "vazia"),
        (polygon([SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3], SQUARE[0]]), "inválida"),
        (polygon([xy[::-1] for xy in SQUARE]), "trocadas"),
        (polygon([[x + 60, y] for x, y in SQUARE]), "fora do Brasil"),
        (collection({"type": "Polygon", "coordinates": [SQUARE]}, crs="EPSG:4326"), "sistema de coordenadas"),
        (
            collection(
                {"type": "Polygon", "coordinates": [SQUARE]},
                crs={"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::31980"}},
            ),
            "sistema de coordenadas",
        ),
    ],
)
def test_what_is_not_understood_is_refused_with_file_and_reason(text, why):
    with pytest.raises(BadFeature, match=rf"^x\.geojson.*({why})"):
        parse(text, POLYGONS, "x.geojson")


def test_the_message_names_the_feature():
    good, bad = json.loads(polygon(SQUARE)), json.loads(polygon(SQUARE[:-1]))
    both = {"type": "FeatureCollection", "features": good["features"] + bad["features"]}

    with pytest.raises(BadFeature, match="feição 2"):
        parse(json.dumps(both), POLYGONS, "x.geojson")

"""What is exported imports again to the very same numbers."""

from __future__ import annotations

import math
from datetime import date

import orjson
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.zones.importing.files import HOLE, SQUARE
from zones.importing.export import Target, export
from zones.perimeter import Kind, Origin, Perimeter, Status

NAMES = {Target.GEOJSON: "export.geojson", Target.KML: "export.kml"}


def perimeter(area):
    return Perimeter(
        "ro-urupa", Kind.URBAN, "Sede & <distrito>", area, Origin.MUNICIPALITY, Status.IN_FORCE, date(2026, 12, 1),
        legal_act="Lei nº 1/2026", precision_m=0.5,
    )  # fmt: skip


@pytest.mark.parametrize("target", Target)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(radii=st.lists(st.floats(0.003, 0.01), min_size=3, max_size=30), east=st.floats(-62.4, -62.35))
def test_round_trip_is_exact_to_the_last_decimal(desk, target, radii, east):
    turns = [2 * math.pi * n / len(radii) for n in range(len(radii))]
    ring = [
        (round(east + r * math.cos(t), 8), round(-11.13 + r * math.sin(t), 8))
        for r, t in zip(radii, turns, strict=True)
    ]
    area = shapely.Polygon(ring)
    back = desk.examine(NAMES[target], export([perimeter(area)], target))
    assert back.area is not None, back.findings
    assert shapely.normalize(back.area) == shapely.normalize(area)


@pytest.mark.parametrize("target", Target)
def test_holes_and_several_parts_survive(desk, target):
    west = shapely.Polygon([(x - 0.05, y) for x, y in SQUARE])
    area = shapely.MultiPolygon([shapely.Polygon(SQUARE, [HOLE]), west])
    back = desk.examine(NAMES[target], export([perimeter(area)], target))
    assert shapely.normalize(back.area) == shapely.normalize(area)


def test_geojson_carries_validity_act_and_credits_and_turns_as_the_rfc_says():
    document = orjson.loads(export([perimeter(shapely.Polygon(SQUARE[::-1]))], Target.GEOJSON))
    feature = document["features"][0]
    assert feature["properties"]["legal_act"] == "Lei nº 1/2026"
    assert feature["properties"]["valid_from"] == "2026-12-01"
    assert "OpenStreetMap" in feature["properties"]["credit"]
    assert shapely.LinearRing(feature["geometry"]["coordinates"][0][0]).is_ccw


def test_kml_escapes_names():
    text = export([perimeter(shapely.Polygon(SQUARE))], Target.KML).decode()
    assert "Sede &amp; &lt;distrito&gt;" in text

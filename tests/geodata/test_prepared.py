"""What is committed for each municipality: complete, marked for what it is, and a map that can be built."""

from __future__ import annotations

from pathlib import Path

import pytest
import shapely
from pyproj import Geod

from geodata.features import read
from zones import drawn
from zones.perimeter import Kind, Origin, Status

ROOT = Path(__file__).parents[2]
TOWNS = sorted(p.parent for p in (*ROOT.glob("geodata/*/limit.geojson"), *ROOT.glob("tests/geodata/*/limit.geojson")))

# Official areas (IBGE 2022), and for the one whose limit has changed since, that of the 2025 mesh.
SQUARE_KM = {"ro-urupa": 831.857, "ro-sao-miguel-do-guapore": 6789.93, "mt-ipiranga-do-norte": 3422.016}


@pytest.fixture(params=TOWNS, ids=lambda folder: folder.name)
def town(request) -> Path:
    folder: Path = request.param
    return folder


def seat_of(town):
    (seat,) = (f for f in read(town / "seats.geojson", ["Point"]) if f.properties["seat"])
    return seat.geometry


def test_nothing_drawn_here_claims_to_be_law(town):
    for perimeter in drawn.perimeters(town):
        assert perimeter.status is Status.APPROXIMATE
        assert perimeter.legal_act is None
        assert perimeter.credit
        assert perimeter.kind is Kind.LIMIT or perimeter.origin is Origin.SYNTHETIC


def test_the_seat_lies_in_the_town_and_the_town_in_the_limit(town):
    perimeters = {p.kind: p.geometry for p in drawn.perimeters(town)}

    assert perimeters[Kind.URBAN].covers(seat_of(town))
    assert perimeters.get(Kind.UNDETERMINED, perimeters[Kind.LIMIT]).covers(perimeters[Kind.URBAN])
    assert all(perimeters[Kind.LIMIT].covers(geometry) for geometry in perimeters.values())


def test_no_ponto_position_is_said_to_be_verified(town):
    for ponto in read(town / "pontos.geojson", ["Point"]):
        assert ponto.properties["verified"] is False
        assert ponto.properties["note"]


def test_the_neighbours_surround_the_limit_without_covering_it(town):
    (limit,) = (p.geometry for p in drawn.perimeters(town) if p.kind is Kind.LIMIT)
    for neighbour in read(town / "neighbours.geojson", ["Polygon", "MultiPolygon"]):
        assert neighbour.geometry.distance(limit) < 0.01
        assert neighbour.geometry.intersection(limit).area < 0.01 * limit.area


@pytest.mark.parametrize("slug", SQUARE_KM)
def test_the_limit_has_the_official_area(slug):
    (limit,) = (p for p in drawn.perimeters(ROOT / "geodata" / slug) if p.kind is Kind.LIMIT)
    area, _ = Geod(ellps="GRS80").geometry_area_perimeter(shapely.orient_polygons(limit.geometry))

    assert area / 1e6 == pytest.approx(SQUARE_KM[slug], rel=0.0005)

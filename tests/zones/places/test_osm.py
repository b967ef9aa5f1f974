"""Names from a real extract of a small town."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from zones.places import osm
from zones.places.place import Kind, PositionQuality

GEODATA = Path(__file__).parents[2] / "geodata"
STREETS = GEODATA / "ce-limoeiro-do-norte" / "streets.geojson"


def names(extract: osm.Extract, kind: Kind) -> set[str]:
    return {place.name for place in extract.places if place.kind is kind}


def test_the_streets_of_a_town_come_once_each_with_credit() -> None:
    extract = osm.read(STREETS)
    named = {f["properties"]["name"] for f in json.loads(STREETS.read_text())["features"]} - {None}

    assert names(extract, Kind.STREET) == named - {"Pista de caminhada"}
    assert extract.refused == ()
    assert {place.credit for place in extract.places} == {osm.CREDIT}
    assert {place.position_quality for place in extract.places} == {PositionQuality.APPROXIMATE}
    assert all(
        -5.20 < p.position.lat < -5.13 and -38.13 < p.position.lon < -38.06 for p in extract.places if p.position
    )


def test_the_extract_itself_also_gives_landmarks() -> None:
    extract = osm.read(GEODATA / "limoeiro_do_norte_ce.osm.pbf")

    assert names(extract, Kind.STREET) == names(osm.read(STREETS), Kind.STREET)
    assert {"Terminal Rodoviário", "Catedral de Nossa Senhora da Conceição"} <= names(extract, Kind.LANDMARK)


def feature(geometry: dict[str, Any], **tags: str) -> dict[str, Any]:
    return {"type": "Feature", "properties": tags, "geometry": geometry}


def line(*points: tuple[float, float]) -> dict[str, Any]:
    return {"type": "LineString", "coordinates": points}


def point(lon: float, lat: float) -> dict[str, Any]:
    return {"type": "Point", "coordinates": (lon, lat)}


def extract_of(folder: Path, *features: dict[str, Any]) -> osm.Extract:
    path = folder / "recorte.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return osm.read(path)


def test_pieces_of_one_street_are_one_place_in_the_middle(tmp_path: Path) -> None:
    first = line((-62.0, -11.0), (-62.0, -11.1))
    second = line((-62.0, -11.1), (-62.0, -11.2))

    extract = extract_of(
        tmp_path, feature(first, highway="residential", name="Rua Um"), feature(second, highway="track", name="RUA UM")
    )

    (street,) = extract.places
    assert street.position is not None
    assert street.position.lat == pytest.approx(-11.1, abs=1e-6)


def test_a_linha_is_known_for_one_but_gets_no_axis(tmp_path: Path) -> None:
    """The map does not say at which end its km 0 is."""
    road = line((-62.0, -11.0), (-62.0, -11.1))
    (linha,) = extract_of(tmp_path, feature(road, highway="track", name="Ln. C-4")).places
    assert (linha.kind, linha.axis) == (Kind.LINHA, ())


def test_two_landmarks_of_one_name_are_told_apart(tmp_path: Path) -> None:
    extract = extract_of(
        tmp_path,
        feature(point(-62.0, -11.0), amenity="pharmacy", name="Farmácia Popular"),
        feature(point(-62.1, -11.1), amenity="pharmacy", name="Farmácia Popular"),
        feature(point(-62.2, -11.2), place="suburb", name="Sumaúma"),
    )
    assert [place.label for place in extract.places] == [
        "Farmácia Popular",
        "Farmácia Popular (nº 2 no mapa)",
        "Sumaúma",
    ]
    assert names(extract, Kind.DISTRICT) == {"Sumaúma"}


def test_a_name_that_makes_no_place_is_told_and_the_rest_is_kept(tmp_path: Path) -> None:
    extract = extract_of(
        tmp_path,
        feature(point(-62.0, -11.0), amenity="bar", name="x" * 500),
        feature(point(-62.0, -11.0), amenity="bar", name="Bar"),
    )
    assert [place.name for place in extract.places] == ["Bar"]
    assert "500 caracteres" in extract.refused[0]


@pytest.mark.parametrize("name", ["ruas.pbf", "ruas.geojson", "ruas.osm", "ruas.txt"])
def test_a_file_that_is_no_extract_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\x00\x01nada\xff")
    with pytest.raises(osm.BadExtract):
        osm.read(path)

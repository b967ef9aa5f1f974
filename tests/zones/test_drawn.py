"""Perimeters are read from a municipality's folder strictly: an unknown property is an error that names its place."""

from __future__ import annotations

import json
from datetime import date

import pytest

from geodata.features import BadFeature
from zones import drawn
from zones.perimeter import Kind, Origin, Status

FACTS = {
    "kind": "urban",
    "name": "Sede",
    "origin": "municipality",
    "status": "in_force",
    "valid_from": "2024-01-01",
    "credit": "Prefeitura",
}
SQUARE = [[-62.36, -11.14], [-62.34, -11.14], [-62.34, -11.12], [-62.36, -11.12], [-62.36, -11.14]]


@pytest.fixture
def folder(tmp_path):
    """A municipality's folder whose one perimeter has the given properties."""

    def write(properties):
        feature = {
            "type": "Feature",
            "properties": properties,
            "geometry": {"type": "Polygon", "coordinates": [SQUARE]},
        }
        town = tmp_path / "xx-teste"
        town.mkdir()
        for name, features in (("limit", []), ("perimeters", [feature])):
            text = json.dumps({"type": "FeatureCollection", "features": features})
            (town / f"{name}.geojson").write_text(text)
        return town

    return write


def test_a_perimeter_is_read_with_all_it_says(folder):
    more = {"valid_to": "2030-01-01", "legal_act": "Lei nº 1/2024", "precision_m": 0.5, "precedence": 7}

    (perimeter,) = drawn.perimeters(folder({**FACTS, **more}))

    assert (perimeter.municipality, perimeter.kind, perimeter.name) == ("xx-teste", Kind.URBAN, "Sede")
    assert (perimeter.origin, perimeter.status) == (Origin.MUNICIPALITY, Status.IN_FORCE)
    assert (perimeter.valid_from, perimeter.valid_to) == (date(2024, 1, 1), date(2030, 1, 1))
    assert (perimeter.legal_act, perimeter.precision_m, perimeter.precedence) == ("Lei nº 1/2024", 0.5, 7)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"colour": "red"}, "colour"),
        ({"kind": "city"}, "kind"),
        ({"valid_from": "01/01/2024"}, "valid_from"),
        ({"precedence": "high"}, "precedence"),
        ({"precision_m": "NaN"}, "precision_m"),
    ],
)
def test_a_property_that_is_not_understood_is_refused(folder, change, why):
    with pytest.raises(BadFeature, match=rf"xx-teste/perimeters\.geojson, feição 1: .*{why}"):
        drawn.perimeters(folder({**FACTS, **change}))


@pytest.mark.parametrize("missing", FACTS)
def test_a_property_that_is_missing_is_named(folder, missing):
    with pytest.raises(BadFeature, match=missing):
        drawn.perimeters(folder({k: v for k, v in FACTS.items() if k != missing}))

"""A perimeter refuses what is no polygon on Earth, and its version changes with anything that bears on a fare."""

from __future__ import annotations

from datetime import date

import pytest
import shapely
from shapely import MultiPolygon, Polygon, box

from tests.zones.maps import TOWN, limit, undetermined, urban
from zones.perimeter import BadPerimeter, Status, in_force

BOW_TIE = Polygon([(-62.36, -11.14), (-62.34, -11.12), (-62.34, -11.14), (-62.36, -11.12)])


@pytest.mark.parametrize(
    ("geometry", "why"),
    [
        (Polygon(), "não vazio"),
        (MultiPolygon(), "não vazio"),
        (shapely.Point(-62.35, -11.13), "deve ser um polígono"),
        (BOW_TIE, "inválido"),
        (shapely.force_3d(TOWN, 190.0), "altitude"),
        (box(-62.36, -95, -62.34, -11), "fora de"),
        (box(178, -11, 181, -10), "fora de"),
        (Polygon([(-62.36, -11.14), (-62.34, float("nan")), (-62.34, -11.12)]), "inválido"),
    ],
)
def test_a_polygon_that_is_none_is_refused_with_the_reason(geometry, why):
    with pytest.raises(BadPerimeter, match=why):
        urban(geometry)


@pytest.mark.parametrize(
    "facts", [{"valid_to": date(2024, 1, 1)}, {"precision_m": -1.0}, {"precision_m": float("nan")}]
)
def test_impossible_facts_are_refused(facts):
    with pytest.raises(BadPerimeter):
        urban(**facts)


def test_the_version_does_not_depend_on_how_the_rings_are_written():
    ring = list(TOWN.exterior.coords)[:-1]
    turned = Polygon([*ring[2:], *ring[:2]][::-1])

    assert urban(turned).version == urban().version


@pytest.mark.parametrize(
    "facts",
    [
        {"geometry": box(-62.36, -11.14, -62.34, -11.1200001)},
        {"precedence": 21},
        {"status": Status.APPROXIMATE},
        {"legal_act": "Lei nº 1/2024"},
        {"precision_m": 5.0},
        {"valid_from": date(2024, 1, 2)},
        {"valid_to": date(2030, 1, 1)},
    ],
)
def test_whatever_bears_on_a_fare_changes_the_version(facts):
    assert urban(**facts).version != urban().version


def test_only_what_holds_on_the_day_is_in_force():
    former = urban(name="antigo", valid_to=date(2025, 1, 1), status=Status.SUPERSEDED)
    present = urban(name="atual", valid_from=date(2025, 1, 1))
    draft = undetermined(status=Status.DRAFT)
    known = [limit(), former, present, draft]

    assert [p.name for p in in_force(known, date(2024, 12, 31))] == ["limit", "antigo"]
    assert [p.name for p in in_force(known, date(2025, 1, 1))] == ["limit", "atual"]
    assert in_force(known, date(2023, 12, 31)) == ()

"""Changes of datum: the operation is PROJ's own, named, with its accuracy, and never a guess."""

from __future__ import annotations

import numpy as np
import pyproj
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyproj.transformer import TransformerGroup

from zones.importing.datum import operation, parse_utm_zone
from zones.importing.finding import Refused

GRS80 = pyproj.Geod(ellps="GRS80")


def apart(one, other):
    """Metres between two (lon, lat)."""
    return GRS80.inv(one[0], one[1], other[0], other[1])[2]


def test_sad69_moves_by_the_official_parameters():
    """IBGE R.PR 1/2005: dX = -67.35, dY = +3.88, dZ = -38.22 m, worked here by hand on the two ellipsoids."""
    lon, lat = -62.37, -11.13
    helmert = pyproj.Transformer.from_pipeline(
        "+proj=pipeline +step +proj=unitconvert +xy_in=deg +xy_out=rad +step +proj=cart +a=6378160 +rf=298.25 "
        "+step +proj=helmert +x=-67.35 +y=3.88 +z=-38.22 "
        "+step +inv +proj=cart +ellps=GRS80 +step +proj=unitconvert +xy_in=rad +xy_out=deg"
    )
    by_hand = helmert.transform(lon, lat, 0)[:2]
    ours = operation("EPSG:4618").apply(np.array([[lon, lat]]))[0]
    assert apart(by_hand, ours) < 0.001
    assert 60 < apart((lon, lat), ours) < 75


@given(st.floats(-63, -62), st.floats(-12, -11))
def test_sad69_in_utm_agrees_with_projs_own_best_operation(lon, lat):
    east, north = pyproj.Transformer.from_crs("EPSG:4618", "EPSG:29190", always_xy=True).transform(lon, lat)
    ours = operation("EPSG:29190").apply(np.array([[east, north]]))[0]
    best = TransformerGroup("EPSG:4618", "EPSG:4674", always_xy=True).transformers[0].transform(lon, lat)
    assert apart(ours, best) < 0.001


def test_the_operation_is_named_with_its_accuracy_and_the_better_one_that_needs_a_grid():
    sad69 = operation("EPSG:29190")
    assert sad69.accuracy_m == 5
    assert "SAD69 to SIRGAS 2000 (1)" in sad69.name
    assert "SAD69 to SIRGAS 2000 (2), 1 m" in (sad69.better or "")
    text = str(sad69.finding())
    assert "exatidão 5 m" in text
    assert "não está instalada" in text


def test_sirgas_2000_changes_nothing_and_wgs_84_nothing_but_its_name():
    here = np.array([[-62.3626, -11.1452]])
    for code, accuracy in (("EPSG:4674", 0), ("EPSG:4326", 1), ("OGC:CRS84", 1)):
        assert operation(code).apply(here) == pytest.approx(here, abs=1e-13)
        assert operation(code).accuracy_m == accuracy


def test_a_system_without_a_known_way_to_sirgas_is_refused_rather_than_guessed():
    local = 'LOCAL_CS["planta da prefeitura",UNIT["metre",1]]'
    for code in (local, "EPSG:999999", "qualquer", "+proj=longlat +ellps=intl +no_defs"):
        with pytest.raises(Refused):
            operation(code)


@pytest.mark.parametrize(("text", "zone"), [("20S", 20), ("21 s", 21), ("fuso 20", 20), ("21 Sul", 21), ("20", 20)])
def test_zones_as_people_write_them(text, zone):
    assert parse_utm_zone(text) == zone


@pytest.mark.parametrize("text", ["20N", "17S", "26S", "2OS", "", "S20S"])
def test_zones_that_brazil_south_of_the_equator_has_not(text):
    with pytest.raises(Refused):
        parse_utm_zone(text)

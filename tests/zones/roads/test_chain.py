"""Which engine answers, and that an estimate never stands in for a road silently."""

from __future__ import annotations

import shutil
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from geodata.point import Point
from settings import BadSetting, Settings
from zones.drawn import perimeters
from zones.roads.chain import OffMap, RoadsOrEstimate, matcher_for, roads_for
from zones.roads.embedded import EmbeddedRoads
from zones.roads.errors import BuildFailed, NoRoadNearby, NoWay
from zones.roads.estimate import EstimateRoads, load_detour
from zones.roads.remote import BadEngineUrl
from zones.route import Source

FIXTURES = Path(__file__).parents[2] / "geodata"
GEODATA = Path(__file__).parents[3] / "geodata"
TOWN = "ce-limoeiro-do-norte"
A, B = Point(-5.147497, -38.09833), Point(-5.141418, -38.088898)


@pytest.fixture
def settings(tmp_path, town_data) -> Settings:
    """Settings under which the test town has its limit, the general detour factors and built roads."""
    shutil.copytree(FIXTURES / TOWN, tmp_path / "geodata" / TOWN)
    shutil.copy(GEODATA / "detour.yaml", tmp_path / "geodata")
    return Settings(data=town_data, geodata=tmp_path / "geodata")


@pytest.fixture
def limit(settings):
    """A point inside the municipality, off every road, and one outside."""
    west, south, _, north = perimeters(settings.geodata / TOWN)[0].geometry.bounds
    return Point((south + north) / 2, west + 0.0005), Point(south - 1, west)


def test_the_embedded_roads_are_the_default(settings):
    route = roads_for(TOWN, settings).route([A, B])

    assert (route.source, route.engine, route.warnings) == (Source.ROAD, "valhalla", ())


def test_a_town_without_data_gets_an_estimate_that_says_why(settings):
    route = roads_for("xx-vila", settings).route([A, B])

    assert route.source is Source.ESTIMATE
    assert "malha viária deste município ainda não foi instalada" in route.warnings[0]
    assert "Distância estimada" in route.warnings[1]


@pytest.mark.parametrize("kind", ["osrm", "valhalla"])
def test_a_server_that_is_down_gives_an_estimate_that_says_why(settings, kind):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        route = roads_for(TOWN, replace(settings, roads=kind, roads_url=url)).route([A, B])

    assert route.source is Source.ESTIMATE
    assert "falha de comunicação" in route.warnings[0]


def test_an_estimate_by_choice_needs_no_excuse(settings):
    route = roads_for(TOWN, replace(settings, roads="estimate")).route([A, B])

    assert route.source is Source.ESTIMATE
    assert len(route.warnings) == 1


def test_a_passenger_off_the_map_inside_the_municipality_gets_an_estimate(settings, limit):
    unmapped, _ = limit

    route = roads_for(TOWN, settings).route([A, unmapped])

    assert route.source is Source.ESTIMATE
    assert "o mapa pode estar incompleto" in route.warnings[0]


def test_a_passenger_off_the_map_outside_the_municipality_is_refused(settings, limit):
    _, abroad = limit

    with pytest.raises(NoRoadNearby):
        roads_for(TOWN, settings).route([A, abroad])


def test_the_operator_may_refuse_every_point_off_the_map(settings, limit):
    unmapped, _ = limit

    with pytest.raises(NoRoadNearby):
        roads_for(TOWN, settings, off_map=OffMap.REFUSE).route([A, unmapped])


def test_where_nobody_knows_the_limit_a_point_off_the_map_is_refused(settings, limit):
    unmapped, _ = limit
    (settings.geodata / TOWN / "limit.geojson").unlink()

    with pytest.raises(NoRoadNearby):
        roads_for(TOWN, settings).route([A, unmapped])


def test_roads_that_do_not_meet_are_estimated_inside_and_refused_outside(drawn_roads):
    nodes = {1: (-38.0, -5.0), 2: (-37.99, -5.0), 3: (-37.9, -5.0), 4: (-37.89, -5.0)}
    apart: EmbeddedRoads = drawn_roads(nodes, [({"highway": "track"}, (1, 2)), ({"highway": "track"}, (3, 4))])
    estimate = EstimateRoads(load_detour(GEODATA))
    stops = [Point(-5.0, -37.995), Point(-5.0, -37.895)]

    route = RoadsOrEstimate(apart, estimate, inside=lambda point: True).route(stops)

    assert "As vias do mapa não ligam os pontos" in route.warnings[0]
    with pytest.raises(NoWay):
        RoadsOrEstimate(apart, estimate, inside=lambda point: False).route(stops)


def test_tracks_are_matched_only_where_roads_are_built(settings):
    matcher = matcher_for(TOWN, settings)

    assert matcher is not None
    assert matcher.match([(A.lat, A.lon, 0.0, None), (A.lat, A.lon + 0.0005, 5.0, None)]).metres > 30
    assert matcher_for("xx-vila", settings) is None
    assert matcher_for(TOWN, replace(settings, roads="estimate")) is None


def test_a_slug_that_is_none_and_a_server_without_address_are_told(settings):
    with pytest.raises(BuildFailed):
        roads_for("../x", settings)
    with pytest.raises(BadEngineUrl):
        roads_for(TOWN, replace(settings, roads="osrm"))
    with pytest.raises(BadSetting, match="PONTUAL_ROADS_URL"):
        Settings.from_env({"PONTUAL_ROADS": "osrm"})


def test_without_the_routing_library_every_way_is_an_estimate_that_says_so(tmp_path, monkeypatch):
    for module in ("zones.roads.embedded", "valhalla"):
        monkeypatch.setitem(sys.modules, module, None)
    settings = Settings.from_env({"PONTUAL_DATA": str(tmp_path), "PONTUAL_GEODATA": str(GEODATA)})

    route = roads_for("xx-sem-biblioteca", settings).route((Point(-11.12, -62.36), Point(-11.13, -62.36)))

    assert route.source is Source.ESTIMATE
    assert "biblioteca de rotas" in route.warnings[0]

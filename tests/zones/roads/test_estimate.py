"""Straight line times detour: the range holds what was measured, and the data refuses nonsense."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geodata.point import Point
from tests.zones.roads.street_graph import WGS84
from zones.roads.estimate import BadDetour, Detour, EstimateRoads, Knot, load_detour
from zones.route import Source

GEODATA = Path(__file__).parents[3] / "geodata"

# Road distances of the research (straight km, road km): the shortest, the straightest and the most winding of 26.
MEASURED = [(51.92, 85.86), (57.29, 72.03), (371.84, 439.28), (82.22, 153.31), (601.75, 921.74)]
BRAZIL = st.builds(Point, st.floats(-33, 5), st.floats(-73, -35))


@pytest.fixture(scope="module")
def detour() -> Detour:
    return load_detour(GEODATA)


@pytest.mark.parametrize(("straight", "road"), MEASURED)
def test_the_range_holds_real_road_distances(detour, straight, road):
    low, usual, high = detour.lengths(straight * 1000)

    assert low * 0.998 <= road * 1000 <= high * 1.002
    assert low < usual < high


def test_in_town_the_range_is_wider_than_on_the_highway(detour):
    low, _, high = detour.lengths(1000)
    far_low, _, far_high = detour.lengths(100_000)

    assert high / low > far_high / far_low


def test_an_estimate_is_marked_with_its_range(detour):
    route = EstimateRoads(detour).route([Point(-11.1285, -62.3706), Point(-11.0285, -62.3706)])

    assert route.source is Source.ESTIMATE
    assert route.low < route.metres < route.high
    assert route.metres == pytest.approx(11_061 * 1.29, rel=0.01)
    assert "Distância estimada pela linha reta: 14,3 km, entre 12," in route.warnings[0]


def test_equal_points_are_zero_metres_apart(detour):
    here = Point(-11.1285, -62.3706)

    route = EstimateRoads(detour).route([here, here])

    assert (route.low, route.metres, route.high) == (0, 0, 0)
    assert route.source is Source.ESTIMATE
    assert len(route.line) == 2


@given(st.lists(BRAZIL, min_size=2, max_size=5))
def test_the_whole_is_the_sum_of_its_hops_and_never_shorter_than_the_straight_line(detour, stops):
    roads = EstimateRoads(detour)
    route = roads.route(stops)
    hops = [roads.route(pair) for pair in pairwise(stops)]

    for bound in ("low", "metres", "high"):
        assert getattr(route, bound) == pytest.approx(sum(getattr(hop, bound) for hop in hops))
    assert WGS84.inv(*stops[0].lonlat, *stops[-1].lonlat)[2] <= route.low * (1 + 1e-9) + 1e-6
    assert route.stop_indexes == tuple(range(len(stops)))
    assert roads.route(stops[::-1]).metres == pytest.approx(route.metres)


@given(st.floats(0, 700_000), st.floats(1, 1000))
def test_a_longer_straight_line_never_has_a_shorter_usual_way(detour, straight, more):
    assert detour.lengths(straight + more)[1] >= detour.lengths(straight)[1]


def test_a_town_may_have_figures_of_its_own(tmp_path):
    (tmp_path / "detour.yaml").write_text("source: geral\nfactors: [{metres: 0, low: 1, usual: 1.3, high: 2}]\n")
    (tmp_path / "xx-vila").mkdir()
    (tmp_path / "xx-vila" / "detour.yaml").write_text(
        "source: medido na vila\nfactors: [{metres: 0, low: 1.1, usual: 1.2, high: 1.4}]\n"
    )

    assert load_detour(tmp_path, "xx-vila") == Detour((Knot(0, 1.1, 1.2, 1.4),), "medido na vila")
    assert load_detour(tmp_path, "xx-outra").source == "geral"


@pytest.mark.parametrize(
    "text",
    [
        "source: x\nfactors: []",
        "factors: [{metres: 0, low: 1, usual: 1.3, high: 2}]",
        "source: x\nfactors: [{metres: 0, low: 0.9, usual: 1.3, high: 2}]",
        "source: x\nfactors: [{metres: 0, low: 1, usual: 2.3, high: 2}]",
        "source: x\nfactors: [{metres: 0, low: 1, usual: 1.3, high: .nan}]",
        "source: x\nfactors: [{metres: 0, low: 1, usual: 1.3, high: 2, color: blue}]",
        "source: x\nfactors: [{metres: 9, low: 1, usual: 1.3, high: 2}, {metres: 9, low: 1, usual: 1.3, high: 2}]",
        "- 1",
        "source: [",
        "",
    ],
)
def test_figures_that_make_no_sense_are_refused_by_name(tmp_path, text):
    (tmp_path / "detour.yaml").write_text(text)

    with pytest.raises(BadDetour, match=r"detour\.yaml: fatores de desvio inutilizáveis"):
        load_detour(tmp_path)


def test_a_folder_without_factors_uses_those_measured_for_every_town(tmp_path):
    assert load_detour(tmp_path, "xx-vila") == load_detour(GEODATA)

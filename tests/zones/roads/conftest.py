"""Road data built once from the real extracts, and small made-up maps for single situations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import osmium
import pytest

from zones.roads.build import build_roads
from zones.roads.data import town_folder
from zones.roads.embedded import EmbeddedRoads

EXTRACTS = Path(__file__).parents[2] / "geodata"
TOWN = "ce-limoeiro-do-norte"

Way = tuple[dict[str, str], Sequence[int]]


@pytest.fixture(scope="session")
def extract() -> Path:
    return EXTRACTS / "limoeiro_do_norte_ce.osm.pbf"


@pytest.fixture(scope="session")
def town_data(tmp_path_factory: pytest.TempPathFactory, extract: Path) -> Path:
    """A data folder in which the test town's roads are built."""
    data = tmp_path_factory.mktemp("data")
    build_roads(data, TOWN, extract, seat=None)
    return data


@pytest.fixture(scope="session")
def town(town_data) -> EmbeddedRoads:
    return EmbeddedRoads(town_folder(town_data, TOWN))


@pytest.fixture
def draw(tmp_path) -> Callable[[dict[int, tuple[float, float]], Sequence[Way]], Path]:
    """Write an extract of nodes {id: (lon, lat)} and ways (tags, node ids)."""

    def written(nodes, ways):
        path = tmp_path / "drawn.osm.pbf"
        with osmium.SimpleWriter(str(path)) as writer:
            for id_, location in sorted(nodes.items()):
                writer.add_node(osmium.osm.mutable.Node(id=id_, location=location, version=1))
            for id_, (tags, refs) in enumerate(ways, start=1):
                writer.add_way(osmium.osm.mutable.Way(id=id_, nodes=list(refs), tags=tags, version=1))
        return path

    return written


@pytest.fixture
def drawn_roads(tmp_path, draw):
    """The engine over a made-up map."""

    def roads(nodes, ways, **options):
        data = tmp_path / "data"
        build_roads(data, "xx-desenhada", draw(nodes, ways), seat=None)
        return EmbeddedRoads(town_folder(data, "xx-desenhada"), **options)

    return roads

"""The streets of a real town, for rides that can be laid on the map."""

from __future__ import annotations

from pathlib import Path

import pytest

from zones.roads.build import build_roads
from zones.roads.data import town_folder
from zones.roads.embedded import EmbeddedRoads

EXTRACT = Path(__file__).parents[2] / "geodata" / "limoeiro_do_norte_ce.osm.pbf"
TOWN = "ce-limoeiro-do-norte"


@pytest.fixture(scope="session")
def roads(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedRoads:
    folder = tmp_path_factory.mktemp("roads")
    build_roads(folder, TOWN, EXTRACT, seat=None)
    return EmbeddedRoads(town_folder(folder, TOWN))

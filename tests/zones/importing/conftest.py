"""A real town to import into."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from geodata.features import read
from geodata.point import Point
from zones.drawn import perimeters
from zones.importing.bounded import examine_bounded
from zones.importing.examination import Examination, examine
from zones.importing.reading import Options
from zones.importing.surroundings import Surroundings
from zones.perimeter import Kind

GEODATA = Path(__file__).resolve().parents[3] / "geodata" / "ro-urupa"


@pytest.fixture(scope="session")
def urupa() -> Surroundings:
    known = perimeters(GEODATA)
    limit = next(p for p in known if p.kind is Kind.LIMIT)
    urban = next(p for p in known if p.kind is Kind.URBAN)
    seats = [f for f in read(GEODATA / "seats.geojson", ("Point",)) if f.properties["seat"]]
    points = tuple(Point(lat, lon) for feature in seats for lon, lat in feature.geometry.coords)
    return Surroundings("ro-urupa", limit.geometry, 11.0, points, urban.geometry)


@dataclass(frozen=True)
class Desk:
    """Where files are left to be examined against Urupá."""

    folder: Path
    around: Surroundings

    def put(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def examine(self, name: str, content: str | bytes, **options) -> Examination:
        return examine(self.put(name, content), Options(**options), self.around)

    def examine_bounded(self, name: str, content: str | bytes, **options) -> Examination:
        return examine_bounded(self.put(name, content), Options(**options), self.around)

    def examine_file(self, path: Path, **options) -> Examination:
        return examine(path, Options(**options), self.around)


@pytest.fixture
def desk(tmp_path, urupa) -> Desk:
    return Desk(tmp_path, urupa)

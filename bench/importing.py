"""What a large or hostile perimeter file costs: `python -m bench.importing`.

Each file is examined as `flask zones import` does it, in a process with limits. Beside the wall time and the peak of
resident memory stand their parts of those limits; the first two lines compare a lawful file of 100,000 vertices with
bare GDAL reading it and testing its validity.
"""

from __future__ import annotations

import io
import json
import math
import multiprocessing
import resource
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyogrio
import shapely

from geodata.point import Point
from zones.drawn import perimeters
from zones.importing import limits
from zones.importing.bounded import examine_bounded
from zones.importing.reading import Options
from zones.importing.surroundings import Surroundings
from zones.perimeter import Kind

TOWN = Path(__file__).parents[1] / "geodata" / "ro-urupa"
CENTRE = (-62.37, -11.13)
LAUGHS = "<!DOCTYPE kml [<!ENTITY l0 'ha'>" + "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 10))


def circle(vertices: int) -> list[tuple[float, float]]:
    turns = (2 * math.pi * n / vertices for n in range(vertices))
    ring = [(round(CENTRE[0] + 0.01 * math.cos(t), 9), round(CENTRE[1] + 0.01 * math.sin(t), 9)) for t in turns]
    return [*ring, ring[0]]


def combs(vertices: int) -> list[tuple[float, float]]:
    """Two combs laid across each other: (vertices / 2)² / 2 crossings or so."""
    half, (lon, lat) = vertices // 2, CENTRE
    step = 0.01 / half
    across = [(lon + n * step, lat + 0.01 * (n % 2)) for n in range(half)]
    along = [(lon + 0.01 * (n % 2), lat + n * step) for n in range(half)]
    return [*across, *along, across[0]]


def geojson(ring: list[tuple[float, float]]) -> bytes:
    return json.dumps({"type": "Polygon", "coordinates": [ring]}).encode()


def kml(coordinates: str, head: str = "") -> bytes:
    return (
        f'{head}<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><Polygon><outerBoundaryIs><LinearRing>'
        f"<coordinates>{coordinates}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></kml>"
    ).encode()


def zipped(name: str, size: int, entries: int = 1) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(entries):
            archive.writestr(f"{number}{name}", b"\0" * size)
    return buffer.getvalue()


def text(ring: list[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in ring)


def cases() -> Iterator[tuple[str, str, Callable[[], bytes], Options]]:
    """What it is, its file name, its content, and how it is imported."""
    plain, repair = Options(), Options(repair=True)
    yield "100,000 vertices, GeoJSON", "p.geojson", lambda: geojson(circle(100_000)), plain
    yield "100,000 vertices, KML", "p.kml", lambda: kml(text(circle(100_000))), plain
    yield "1,000,000 vertices, GeoJSON", "p.geojson", lambda: geojson(circle(1_000_000)), plain
    yield "1,000,000 vertices, KML", "p.kml", lambda: kml(text(circle(1_000_000))), plain
    yield "63 MiB of open brackets", "p.geojson", lambda: b"[" * (63 * limits.MIB), plain
    yield "63 MiB of empty objects", "p.geojson", lambda: b"[" + b"{}," * (21 * limits.MIB) + b"{}]", plain
    yield "63 MiB of empty elements", "p.kml", lambda: b"<kml>" + b"<a/>" * (15 * limits.MIB) + b"</kml>", plain
    yield "zip bomb, 1 GiB in 1 MiB", "p.zip", lambda: zipped(".shp", 1024 * limits.MIB), plain
    yield "zip bomb, 1,001 entries", "p.zip", lambda: zipped(".shp", 1, 1001), plain
    yield "billion laughs", "p.kml", lambda: kml("&l9;", f"{LAUGHS}]>"), plain
    yield "external entity", "p.kml", lambda: kml("&x;", '<!DOCTYPE k [<!ENTITY x SYSTEM "file:///etc/hosts">]>'), plain
    yield "2,000,000 crossings", "p.geojson", lambda: geojson(combs(4_000)), plain
    yield "2,000,000 crossings, repair", "p.geojson", lambda: geojson(combs(4_000)), repair
    yield "50,000,000 crossings, repair", "p.geojson", lambda: geojson(combs(20_000)), repair


def around() -> Surroundings:
    known = perimeters(TOWN)
    limit = next(p for p in known if p.kind is Kind.LIMIT)
    urban = next(p for p in known if p.kind is Kind.URBAN)
    return Surroundings(TOWN.name, limit.geometry, 11.0, (Point(CENTRE[1], CENTRE[0]),), urban.geometry)


def measure(path: Path, options: Options) -> tuple[float, int, str]:
    """Seconds, peak resident bytes of the examining process, and what it answered."""
    surroundings = around()
    start = time.perf_counter()
    examination = examine_bounded(path, options, surroundings)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    verdict = examination.findings[-1].code if examination.refused else "accepted"
    return seconds, peak, verdict


def bare(path: Path) -> float:
    """Seconds for GDAL to read the file and GEOS to test it, all libraries loaded."""
    start = time.perf_counter()
    shapely.is_valid(shapely.from_wkb(pyogrio.raw.read(path)[2]))
    return time.perf_counter() - start


def main() -> None:
    context = multiprocessing.get_context("spawn")  # one process per case, so that peaks do not mix
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, file_name, content, options) in enumerate(cases()):
            path = Path(folder) / f"{number}-{file_name}"
            path.write_bytes(content())
            with context.Pool(1) as pool:
                seconds, peak, verdict = pool.apply(measure, (path, options))
            print(
                f"{name:32} {seconds:6.2f} s ({seconds / limits.CHILD_WALL_SECONDS:4.0%} of the limit)  "
                f"{peak / limits.MIB:5.0f} MiB ({peak / limits.CHILD_MEMORY_BYTES:4.0%})  {verdict}"
            )
            if number < 2:
                print(f"{'  bare GDAL and GEOS, the same file':32} {bare(path):6.2f} s")


if __name__ == "__main__":
    main()

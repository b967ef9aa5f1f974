"""Files as programs and surveyors write them, and what to look for in their examination."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyogrio
import pyproj
import shapely

from zones.importing.examination import Examination
from zones.importing.finding import Severity

SQUARE = [(-62.38, -11.14), (-62.36, -11.14), (-62.36, -11.12), (-62.38, -11.12), (-62.38, -11.14)]
"""Around the seat of Urupá, counter-clockwise and closed."""

HOLE = [(-62.369, -11.128), (-62.367, -11.128), (-62.367, -11.126), (-62.369, -11.126), (-62.369, -11.128)]


def polygon(*rings: Sequence[Sequence[object]]) -> str:
    return json.dumps({"type": "Polygon", "coordinates": rings})


def kml(*coordinates: str, head: str = "") -> str:
    rings = "".join(
        f"<Placemark><name>Perímetro {n}</name><Polygon><outerBoundaryIs><LinearRing><coordinates>{text}</coordinates>"
        "</LinearRing></outerBoundaryIs></Polygon></Placemark>"
        for n, text in enumerate(coordinates, 1)
    )
    return f'{head}<kml xmlns="http://www.opengis.net/kml/2.2"><Document>{rings}</Document></kml>'


def kml_ring(ring: Sequence[Sequence[float]]) -> str:
    return " ".join(",".join(map(str, vertex)) for vertex in ring)


def write_layer(path: Path, geometries: Sequence[shapely.Geometry], crs: str | None, **options) -> Path:
    """A file of any GDAL format; ``options`` go to pyogrio."""
    names = np.array([f"feição {n}" for n in range(1, len(geometries) + 1)], dtype=object)
    kind = options.pop("geometry_type", "Polygon")
    pyogrio.raw.write(
        path,
        shapely.to_wkb(np.array(geometries, dtype=object)),
        [names],
        ["nome"],
        geometry_type=kind,
        crs=crs,
        **options,
    )
    return path


def projected(ring: Sequence[tuple[float, float]], crs: str) -> list[tuple[float, float]]:
    """The ring in another reference system, from SIRGAS 2000."""
    to = pyproj.Transformer.from_crs("EPSG:4674", crs, always_xy=True)
    return [to.transform(*vertex) for vertex in ring]


def brazilian(value: float, decimals: int = 2) -> str:
    return f"{value:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


def memorial(
    ring: Sequence[tuple[float, float]], head: str = "# datum: SIRGAS2000\n# fuso: 20S\n", decimals: int = 3
) -> str:
    """A table of E and N as a surveyor exports it, without the repeated first vertex."""
    rows = [f"M-{n};{brazilian(e, decimals)};{brazilian(north, decimals)}" for n, (e, north) in enumerate(ring[:-1], 1)]
    return head + "\n".join(["Vértice;E;N", *rows]) + "\n"


def errors(examination: Examination) -> set[str]:
    return {f.code for f in examination.findings if f.severity is Severity.ERROR}


def codes(examination: Examination) -> set[str]:
    return {f.code for f in examination.findings}

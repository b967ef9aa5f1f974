"""Azimuths and distances beside the vertices are held against the coordinates."""

from __future__ import annotations

import itertools
import math

import pyproj
import pytest

from tests.zones.importing.files import SQUARE, brazilian, codes, errors, projected

GRS80 = pyproj.Geod(ellps="GRS80")
HEAD = "# datum: SIRGAS2000\n# fuso: 20S\nvertice;E;N;azimute;distancia (m)\n"


def on_plane(ring):
    for (x0, y0), (x1, y1) in itertools.pairwise(ring):
        yield math.degrees(math.atan2(x1 - x0, y1 - y0)) % 360, math.hypot(x1 - x0, y1 - y0)


def on_ellipsoid(ring):
    for (x0, y0), (x1, y1) in itertools.pairwise(ring):
        azimuth, _, length = GRS80.inv(x0, y0, x1, y1)
        yield azimuth % 360, length


def dms(azimuth):
    seconds = round(azimuth * 3600)
    return f"{seconds // 3600}°{seconds // 60 % 60:02d}'{seconds % 60:02d}\""


def table(ring, sides):
    rows = zip(ring[:-1], sides, strict=True)
    lines = (
        f"M-{n};{brazilian(e)};{brazilian(north)};{dms(azimuth)};{brazilian(length)}"
        for n, ((e, north), (azimuth, length)) in enumerate(rows, 1)
    )
    return HEAD + "\n".join(lines)


@pytest.mark.parametrize(
    ("sides", "where"), [(lambda utm: on_plane(utm), "no plano"), (lambda utm: on_ellipsoid(SQUARE), "geodésicos")]
)
def test_sides_on_the_plane_or_on_the_ellipsoid_agree(desk, sides, where):
    utm = projected(SQUARE, "EPSG:31980")
    examination = desk.examine("m.csv", table(utm, sides(utm)))
    assert [where in f.what for f in examination.findings if f.code == "sides_agree"] == [True]
    assert examination.area is not None


def test_a_vertex_mistyped_by_thirty_metres_is_named_on_both_its_sides(desk):
    utm = projected(SQUARE, "EPSG:31980")
    sides = list(on_plane(utm))
    utm[2] = (utm[2][0] + 30, utm[2][1])
    examination = desk.examine("m.csv", table(utm, sides))
    finding = next(f for f in examination.findings if f.code == "sides_disagree")
    assert errors(examination) == {"sides_disagree"}
    assert "M-2" in finding.what
    assert "M-3" in finding.what
    assert "M-1" not in finding.what


def test_half_a_metre_is_a_warning(desk):
    utm = projected(SQUARE, "EPSG:31980")
    sides = [(azimuth, length + (1.5 if n == 0 else 0)) for n, (azimuth, length) in enumerate(on_plane(utm))]
    examination = desk.examine("m.csv", table(utm, sides))
    assert examination.area is not None
    assert "sides_disagree" in codes(examination)


def test_the_traverse_closes_to_the_centimetre_and_says_so(desk):
    utm = projected(SQUARE, "EPSG:31980")
    finding = next(f for f in desk.examine("m.csv", table(utm, on_plane(utm))).findings if f.code == "closing_error")
    assert "fechamento" in finding.what
    metres = float(finding.what.split(": ")[1].split(" m")[0].replace(",", "."))
    assert metres < 0.05


def test_empty_cells_are_not_checked(desk):
    utm = projected(SQUARE, "EPSG:31980")
    lines = table(utm, on_plane(utm)).splitlines()
    lines[-1] = ";".join([*lines[-1].split(";")[:3], "-", ""])
    examination = desk.examine("m.csv", "\n".join(lines))
    assert "sides_agree" in codes(examination)
    assert "closing_error" not in codes(examination)

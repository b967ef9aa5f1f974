"""A quote drawn: the way in the colours of its zones over the perimeters it was cut by. SVG, complete in itself."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any
from xml.etree import ElementTree as Xml

import shapely

from fares.trip import Zone
from zones.atlas import Atlas

_SIZE, _MARGIN, _ROW = 480, 28, 20
_WAY = {Zone.URBAN: "#0b5394", Zone.UNDETERMINED: "#7f6000", Zone.RURAL: "#38761d", Zone.OUTSIDE: "#990000"}
_DASH = {Zone.URBAN: "none", Zone.UNDETERMINED: "3 5", Zone.RURAL: "10 5", Zone.OUTSIDE: "1 6"}
_GROUND = {Zone.URBAN: "#cfe2f3", Zone.UNDETERMINED: "#fff2cc", Zone.RURAL: "#e9f2e4", Zone.OUTSIDE: "#eeeeee"}
_NAMES = {Zone.URBAN: "urbana", Zone.UNDETERMINED: "indefinida", Zone.RURAL: "rural", Zone.OUTSIDE: "fora"}

LonLat = Sequence[float]


@dataclass(frozen=True, slots=True)
class _View:
    """From degrees to pixels, true to scale across a town; ``left`` and ``top`` centre what is drawn."""

    west: float
    north: float
    scale: float
    squeeze: float
    left: float
    top: float

    def pixels(self, lonlat: LonLat) -> str:
        x = self.left + (lonlat[0] - self.west) * self.squeeze * self.scale
        y = self.top + (self.north - lonlat[1]) * self.scale
        return f"{x:.1f} {y:.1f}"

    def path(self, points: Iterable[LonLat]) -> str:
        return "M" + " L".join(self.pixels(point) for point in points)


def draw(quote: dict[str, Any], atlas: Atlas) -> str:
    """The SVG of a quote's document over the map it rests on. A quote without a way draws the map of its limit."""
    legs = [(Zone(leg["zone"]), leg) for leg in quote["legs"]]
    lines = [leg["geometry"]["coordinates"] for _, leg in legs]
    told = [*_distances(legs), *((None, line) for credit in quote["credits"] for line in wrap(credit, 84))]
    height = _SIZE + _ROW * (len(told) + 1)
    view = _view([point for line in lines for point in line] or _corners(atlas))
    svg = Xml.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {_SIZE} {height}",
            "role": "img",
            "font-family": "sans-serif",
            "font-size": "14",
        },
    )
    Xml.SubElement(svg, "title").text = "Caminho da cotação, com as zonas que atravessa"
    Xml.SubElement(svg, "rect", {"width": str(_SIZE), "height": str(height), "fill": _GROUND[Zone.OUTSIDE]})
    _ground(svg, view, atlas)
    for zone, leg in legs:
        _way(svg, view, zone, leg)
    if lines:
        out = [line for line, (_, leg) in zip(lines, legs, strict=True) if leg["direction"] == "outbound"]
        _end(svg, view, lines[0][0], "A")
        _end(svg, view, out[-1][-1], "B")
    Xml.SubElement(svg, "rect", {"y": str(_SIZE), "width": str(_SIZE), "height": str(height), "fill": "#ffffff"})
    for row, (meant, text) in enumerate(told):
        _told(svg, _SIZE + _ROW * (row + 1), meant, text)
    return Xml.tostring(svg, encoding="unicode")


def _corners(atlas: Atlas) -> list[LonLat]:
    west, south, east, north = atlas.limit.geometry.bounds
    return [(west, south), (east, north)]


def _view(points: list[LonLat]) -> _View:
    west, east = min(p[0] for p in points), max(p[0] for p in points)
    south, north = min(p[1] for p in points), max(p[1] for p in points)
    squeeze = math.cos(math.radians((south + north) / 2))
    across, up = max((east - west) * squeeze, 1e-4), max(north - south, 1e-4)
    scale = (_SIZE - 2 * _MARGIN) / max(across, up)
    return _View(west, north, scale, squeeze, (_SIZE - across * scale) / 2, (_SIZE - up * scale) / 2)


def _ground(svg: Xml.Element, view: _View, atlas: Atlas) -> None:
    west, north = view.west - view.left / view.scale / view.squeeze, view.north + view.top / view.scale
    frame = shapely.box(west, north - _SIZE / view.scale, west + _SIZE / view.scale / view.squeeze, north)
    for region in atlas.regions:
        for part in shapely.get_parts(shapely.intersection(region.area, frame)):
            if isinstance(part, shapely.Polygon):
                rings = " ".join(view.path(ring.coords) + " Z" for ring in (part.exterior, *part.interiors))
                style = {"fill": _GROUND[region.zone], "fill-rule": "evenodd", "stroke": "#999999"}
                Xml.SubElement(svg, "path", {"d": rings, **style})


def _way(svg: Xml.Element, view: _View, zone: Zone, leg: dict[str, Any]) -> None:
    back = leg["direction"] == "return"
    style = {
        "fill": "none",
        "stroke": _WAY[zone],
        "stroke-width": "3" if back else "6",
        "stroke-dasharray": _DASH[zone],
    }
    Xml.SubElement(svg, "path", {"d": view.path(leg["geometry"]["coordinates"]), "stroke-opacity": "0.85", **style})


def _end(svg: Xml.Element, view: _View, point: LonLat, name: str) -> None:
    x, y = view.pixels(point).split()
    Xml.SubElement(svg, "circle", {"cx": x, "cy": y, "r": "11", "fill": "#ffffff", "stroke": "#222222"})
    _text(svg, float(x), float(y) + 5, name, anchor="middle")


def _distances(legs: Sequence[tuple[Zone, dict[str, Any]]]) -> Iterator[tuple[Zone, str]]:
    for zone in dict.fromkeys(zone for zone, _ in legs):
        metres = sum(leg["metres"] for ridden, leg in legs if ridden is zone)
        yield zone, f"zona {_NAMES[zone]}: {metres / 1000:.3f} km".replace(".", ",")


def _told(svg: Xml.Element, y: float, zone: Zone | None, text: str) -> None:
    """A line under the map: what a stroke means, or whose data is shown."""
    if zone is None:
        _text(svg, 12, y, text, size="10")
        return
    style = {"stroke": _WAY[zone], "stroke-width": "5", "stroke-dasharray": _DASH[zone]}
    Xml.SubElement(svg, "path", {"d": f"M12 {y - 5} h40", **style})
    _text(svg, 62, y, text)


def _text(svg: Xml.Element, x: float, y: float, text: str, anchor: str = "start", size: str = "14") -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor, "font-size": size, "fill": "#222222"}
    Xml.SubElement(svg, "text", place).text = text

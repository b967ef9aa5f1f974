"""The picture of an imported perimeter over today's: SVG, readable without colour, complete in itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

import numpy as np
import shapely

from zones.importing.notation import format_number
from zones.importing.reading import Coordinates
from zones.importing.surroundings import Area, Surroundings

WIDTH, HEIGHT, MARGIN, COLUMN = 1150, 700, 40, 290
_METRES_PER_DEGREE = 111_320.0
_SVG = "http://www.w3.org/2000/svg"
CREDIT = "Limites: IBGE. Pontos e anéis aproximados: © colaboradores do OpenStreetMap (ODbL 1.0)."


@dataclass(frozen=True, slots=True)
class _Frame:
    """A rectangle of the picture, in pixels from its top left corner."""

    left: float
    top: float
    width: float
    height: float
    margin: float


_MAP = _Frame(0, 0, WIDTH - COLUMN, HEIGHT, MARGIN)
_INSET = _Frame(WIDTH - COLUMN, HEIGHT - 240, COLUMN - 10, 230, 8)


@dataclass(frozen=True, slots=True)
class _View:
    """From degrees to pixels: equirectangular at the middle latitude, true to scale across a town."""

    west: float
    north: float
    pixels_per_degree: float
    squeeze: float

    @classmethod
    def of(cls, areas: Sequence[shapely.Geometry], frame: _Frame) -> _View:
        west, south, east, north = (float(bound) for bound in shapely.total_bounds(list(areas)))
        squeeze = math.cos(math.radians((south + north) / 2))
        scale = min(
            (frame.width - 2 * frame.margin) / max((east - west) * squeeze, 1e-6),
            (frame.height - 2 * frame.margin) / max(north - south, 1e-6),
        )
        extra_x = (frame.width / scale / squeeze - (east - west)) / 2
        extra_y = (frame.height / scale - (north - south)) / 2
        left, top = frame.left / scale / squeeze, frame.top / scale
        return cls(west - extra_x - left, north + extra_y + top, scale, squeeze)

    def pixels(self, lonlat: Coordinates) -> Coordinates:
        x = (lonlat[:, 0] - self.west) * self.squeeze * self.pixels_per_degree
        y = (self.north - lonlat[:, 1]) * self.pixels_per_degree
        return np.column_stack([x, y])

    @property
    def metres_per_pixel(self) -> float:
        return _METRES_PER_DEGREE / self.pixels_per_degree


def draw_svg(
    title: str,
    area: Area,
    around: Surroundings,
    before_repair: Sequence[Sequence[tuple[float, float]]] | None = None,
    marks: Sequence[tuple[float, float]] = (),
) -> str:
    """An SVG document: limit, today's perimeter, the new one, what was repaired, the seat, marks, scale and credits.

    Outlines are thinned to half a pixel, so that the largest file still gives a light picture.
    """
    view = _View.of([area] if around.current is None else [area, around.current], _MAP)
    svg = Xml.Element(
        "svg", {"xmlns": _SVG, "viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img", "font-family": "sans-serif"}
    )
    Xml.SubElement(svg, "title").text = title
    Xml.SubElement(svg, "rect", {"width": str(WIDTH), "height": str(HEIGHT), "fill": "#f7f5f0"})
    frame = shapely.box(
        view.west,
        view.north - HEIGHT / view.pixels_per_degree,
        view.west + (WIDTH - COLUMN - 10) / view.pixels_per_degree / view.squeeze,
        view.north,
    )
    _path(svg, view, shapely.intersection(around.limit, frame), fill="#ffffff", stroke="#555555", width="1.5")
    if around.current is not None:
        _path(svg, view, around.current, fill="#e69f00", stroke="#a05a00", width="2", dash="8 4")
    _path(svg, view, area, fill="#0072b2", stroke="#003f7d", width="2.5")
    for ring in before_repair or ():
        pixels = view.pixels(np.asarray(ring, dtype=np.float64))
        _line(svg, _steps(pixels), stroke="#d55e00", width="2", dash="2 4")
    for seat in around.seats:
        _mark(svg, view, seat.lonlat, "★", "#000000")
    for number, at in enumerate(marks, 1):
        _mark(svg, view, at, str(number), "#c00000")
    _scale_bar(svg, view)
    _inset(svg, area, around)
    _legend(svg, around, before_repair is not None, bool(marks))
    return Xml.tostring(svg, encoding="unicode")


def _path(
    svg: Xml.Element, view: _View, area: shapely.Geometry, *, fill: str, stroke: str, width: str, dash: str = "none"
) -> None:
    polygons = [part for part in shapely.get_parts(area).tolist() if isinstance(part, shapely.Polygon)]
    rings = [ring for polygon in polygons for ring in (polygon.exterior, *polygon.interiors)]
    steps = " ".join(_steps(view.pixels(shapely.get_coordinates(ring))) + " Z" for ring in rings)
    style = {"fill": fill, "fill-opacity": "0.25", "fill-rule": "evenodd", "stroke": stroke}
    Xml.SubElement(svg, "path", {"d": steps, "stroke-width": width, "stroke-dasharray": dash, **style})


def _line(svg: Xml.Element, steps: str, *, stroke: str, width: str, dash: str) -> None:
    style = {"fill": "none", "stroke": stroke, "stroke-width": width, "stroke-dasharray": dash}
    Xml.SubElement(svg, "path", {"d": steps, **style})


def _steps(pixels: Coordinates) -> str:
    """The SVG path through the pixels, leaving out those that do not move by half of one."""
    halves = np.round(pixels * 2).astype(np.int64)
    moved = np.ones(len(halves), dtype=bool)
    moved[1:] = (np.diff(halves, axis=0) != 0).any(axis=1)
    return "M" + " L".join(f"{x / 2:.1f} {y / 2:.1f}" for x, y in halves[moved].tolist())


def _mark(svg: Xml.Element, view: _View, lonlat: tuple[float, float], text: str, colour: str) -> None:
    x, y = view.pixels(np.array([lonlat]))[0]
    circle = {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "9", "fill": "#ffffff", "stroke": colour}
    Xml.SubElement(svg, "circle", circle)
    _text(svg, float(x), float(y) + 4, text, colour, anchor="middle")


def _text(svg: Xml.Element, x: float, y: float, text: str, colour: str = "#222222", anchor: str = "start") -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "font-size": "12", "fill": colour, "text-anchor": anchor}
    Xml.SubElement(svg, "text", place).text = text


def _scale_bar(svg: Xml.Element, view: _View) -> None:
    room = 200 * view.metres_per_pixel
    power = 10 ** math.floor(math.log10(room))
    metres = max(step * power for step in (1, 2, 5) if step * power <= room)
    length = metres / view.metres_per_pixel
    y = HEIGHT - 40
    bar = {"x": str(MARGIN), "y": str(y), "width": f"{length:.1f}", "height": "5", "fill": "#222222"}
    Xml.SubElement(svg, "rect", bar)
    label = f"{format_number(metres / 1000, 0)} km" if metres >= 1000 else f"{format_number(metres, 0)} m"
    _text(svg, MARGIN, y - 6, label)
    _text(svg, WIDTH - COLUMN - MARGIN, MARGIN, "N ↑", anchor="end")
    _text(svg, MARGIN, HEIGHT - 12, CREDIT)


def _inset(svg: Xml.Element, area: Area, around: Surroundings) -> None:
    """Where the perimeter lies in the whole municipality."""
    _box(svg, _INSET)
    view = _View.of([around.limit, area], _INSET)
    _path(svg, view, around.limit, fill="#ffffff", stroke="#555555", width="1")
    _path(svg, view, area, fill="#0072b2", stroke="#003f7d", width="1.5")


def _box(svg: Xml.Element, frame: _Frame) -> None:
    sides = {"x": frame.left, "y": frame.top, "width": frame.width, "height": frame.height}
    style = {"fill": "#ffffff", "fill-opacity": "0.85", "stroke": "#bbbbbb"}
    Xml.SubElement(svg, "rect", {**{name: str(value) for name, value in sides.items()}, **style})


def _legend(svg: Xml.Element, around: Surroundings, repaired: bool, marked: bool) -> None:
    lines = [("#003f7d", "none", "novo perímetro (rascunho)")]
    if around.current is not None:
        lines.append(("#a05a00", "8 4", "perímetro de hoje" + ("" if around.current_is_legal else " (aproximado)")))
    if repaired:
        lines.append(("#d55e00", "2 4", "contorno original, antes do reparo"))
    lines.append(("#555555", "none", "limite do município"))
    left = WIDTH - COLUMN
    _box(svg, _Frame(left, 8, COLUMN - 10, 18 * len(lines) + 28, 0))
    for row, (colour, dash, text) in enumerate(lines):
        y = 24 + 18 * row
        _line(svg, f"M{left + 8} {y} L{left + 42} {y}", stroke=colour, width="2.5", dash=dash)
        _text(svg, left + 50, y + 4, text)
    notes = "★ sede" + ("; números: lugares das verificações" if marked else "")
    _text(svg, left + 8, 24 + 18 * len(lines) + 4, notes)

"""Checks of the drawing itself: closed, long enough, no vertex twice, no crossing. Repair only when asked.

Coordinates are (lon, lat) in degrees. The rules of validity are those of OGC Simple Features (06-103r4, 6.1.11).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon

from zones.importing import limits
from zones.importing.finding import Finding, Refused, error, note, warning
from zones.importing.notation import Axis, count, format_dms, format_number
from zones.importing.reading import Coordinates, RawPolygon, open_ring
from zones.importing.surroundings import Area, polygonal

DECIMALS = 8
"""Of a degree, 1.1 mm on the ground: what is stored and exported, so that a round trip gives the same numbers back."""

CROSSING_SEARCH_VERTICES = 2_000
"""Up to here every crossing is looked for (at worst a million of them); beyond, only the first one is named."""

_REASONS = {
    "Self-intersection": "O contorno cruza a si mesmo",
    "Ring Self-intersection": "O contorno toca ou passa duas vezes pelo mesmo ponto",
    "Hole lies outside shell": "Um furo está fora do contorno",
    "Holes are nested": "Há um furo dentro de outro furo",
    "Nested shells": "Um polígono está dentro de outro",
    "Interior is disconnected": "Os furos cortam o interior em pedaços soltos",
    "Duplicate Rings": "O mesmo anel aparece duas vezes",
    "Too few points in geometry component": "Um anel tem pontos de menos para formar área",
}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A valid area, and the outline as it was before a repair (None where nothing was mended)."""

    area: Area
    before_repair: tuple[tuple[tuple[float, float], ...], ...] | None
    findings: tuple[Finding, ...]


def draw(polygons: tuple[RawPolygon, ...], repair: bool) -> Drawing:
    """The area the rings enclose. Raises `Refused` with all that is wrong with them at once."""
    findings: list[Finding] = []
    mended = [_mend(polygon, repair, findings) for polygon in polygons]
    if errors := _errors(findings):
        raise Refused(*errors)
    shape = _assemble(mended)
    findings.append(_census(mended))
    if shape.is_valid:
        return Drawing(shape, None, tuple(findings))
    broken = _invalid(shape, mended, repair)
    if not repair:
        raise Refused(*findings, broken)
    area = polygonal(shapely.make_valid(shape, method="structure", keep_collapsed=False))
    if area.is_empty:
        raise Refused(*findings, broken, _nothing_left())
    outline = tuple(tuple((float(x), float(y)) for x, y in r) for polygon in mended for r in polygon.rings)
    return Drawing(_rounded(area), outline, (*findings, broken, _repaired(shape, area)))


def _errors(findings: list[Finding]) -> list[Finding]:
    return findings if any(f.severity == "error" for f in findings) else []


def _mend(polygon: RawPolygon, repair: bool, findings: list[Finding]) -> RawPolygon:
    """Ring by ring: rounded to `DECIMALS`, closed and freed of doubles only when ``repair`` is asked for."""
    rings = []
    for ring in polygon.rings:
        ring = np.round(ring, DECIMALS) + 0.0  # no negative zero
        if len(ring) and not np.array_equal(ring[0], ring[-1]):
            findings.append(open_ring(repair))
            ring = np.vstack([ring, ring[:1]])
        double = np.flatnonzero((ring[1:] == ring[:-1]).all(axis=1))
        if len(double):
            findings.append(_doubled(ring[double], repair))
            ring = np.delete(ring, double, axis=0) if repair else ring
        if len(np.unique(ring, axis=0)) < 3:
            findings.append(_too_short(ring))
        rings.append(ring)
    return RawPolygon(tuple(rings))


def _doubled(vertices: Coordinates, repair: bool) -> Finding:
    places = [(float(x), float(y)) for x, y in vertices]
    done = ", e foi retirado, como pedido" if repair else ""
    return warning(
        "duplicate_vertices",
        f"Há {count(len(vertices), 'vértice repetido', 'vértices repetidos')} em seguida{done}: {_where(places)}.",
        "Não muda a área, mas pode esconder um vértice digitado no lugar de outro.",
        "" if repair else "Confira-os com o memorial; --repair retira os repetidos.",
        places[: limits.MAX_LISTED],
    )


def _too_short(ring: Coordinates) -> Finding:
    return error(
        "ring_too_short",
        f"Um anel tem só {count(len(np.unique(ring, axis=0)), 'vértice distinto', 'vértices distintos')}.",
        "Menos de três não cercam área nenhuma.",
        "Complete o anel ou retire-o do arquivo.",
        [(float(x), float(y)) for x, y in ring[:1]],
    )


def _assemble(polygons: list[RawPolygon]) -> Area:
    parts = [Polygon(polygon.rings[0], polygon.rings[1:]) for polygon in polygons]
    if len(parts) == 1:
        return parts[0]
    if all(part.is_valid for part in parts):
        return polygonal(shapely.union_all(parts))
    return MultiPolygon(parts)


def _rounded(area: Area) -> Area:
    """Rounded again after a repair put vertices where lines cross, without losing validity."""
    return polygonal(shapely.set_precision(area, 10**-DECIMALS))


def _census(polygons: list[RawPolygon]) -> Finding:
    holes = sum(len(polygon.rings) - 1 for polygon in polygons)
    vertices = sum(len(ring) - 1 for polygon in polygons for ring in polygon.rings)
    inside = "; o que fica nos furos não é do perímetro" if holes else ""
    return note(
        "census",
        f"{count(len(polygons), 'polígono', 'polígonos')}, {count(holes, 'furo', 'furos')}, "
        f"{count(vertices, 'vértice', 'vértices')}{inside}.",
    )


def _invalid(shape: Area, polygons: list[RawPolygon], repair: bool) -> Finding:
    reason, places = _reason(shape)
    vertices = sum(len(ring) for polygon in polygons for ring in polygon.rings)
    if vertices <= CROSSING_SEARCH_VERTICES and "ntersection" in reason:
        places = crossings(polygons) or places
    make = warning if repair else error
    return make(
        "self_crossing" if "ntersection" in reason else "invalid",
        f"{_REASONS.get(reason, f'A geometria é inválida ({reason})')}: {_where(places)}.",
        "Assim não se sabe o que está dentro e o que está fora.",
        "Foi reparado como pedido: compare antes e depois na prévia."
        if repair
        else "Corrija a ordem dos vértices nesse lugar, ou use --repair e confira o resultado na prévia.",
        places[: limits.MAX_LISTED],
    )


def _reason(shape: Area) -> tuple[str, list[tuple[float, float]]]:
    text = shapely.is_valid_reason(shape)
    match = re.fullmatch(r"(.*?)\[(\S+) (\S+)\]", text)
    return (match[1], [(float(match[2]), float(match[3]))]) if match else (text, [])


def crossings(polygons: list[RawPolygon]) -> list[tuple[float, float]]:
    """Every point where rings meet themselves or each other, and every end of a spike, from west to east."""
    lines = [shapely.LineString(ring) for polygon in polygons for ring in polygon.rings]
    pieces = shapely.get_parts(shapely.unary_union(lines))
    ends = np.concatenate([shapely.get_coordinates(shapely.get_point(pieces, place)) for place in (0, -1)])
    points, met = np.unique(ends, axis=0, return_counts=True)
    return [(float(x), float(y)) for x, y in points[met != 2]]


def _where(places: list[tuple[float, float]]) -> str:
    """Places in degrees, decimal and as a memorial writes them."""
    texts = [
        f"lat {lat:.6f}, lon {lon:.6f} ({format_dms(lat, Axis.LAT, 1)}, {format_dms(lon, Axis.LON, 1)})"
        for lon, lat in places[: limits.MAX_LISTED]
    ]
    more = len(places) - len(texts)
    return ", ".join(texts) + (f" e mais {more}" if more else "") if texts else "lugar não identificado"


def _repaired(before: Area, after: Area) -> Finding:
    parts = len(shapely.get_parts(after))
    return warning(
        "repaired",
        f"Geometria reparada: ficou com {count(parts, 'parte', 'partes')} e "
        f"{count(int(shapely.get_num_coordinates(after)), 'vértice', 'vértices')} "
        f"(antes {format_number(int(shapely.get_num_coordinates(before)), 0)}).",
        "O reparo é geométrico: não sabe o que a lei quis.",
        "Quem aprova deve comparar o contorno original (tracejado) com o reparado na prévia.",
    )


def _nothing_left() -> Finding:
    return error(
        "empty",
        "Depois do reparo não sobra área.",
        "O contorno é só uma linha.",
        "Confira os vértices com o memorial.",
    )

"""Checks of where the drawing falls: on Earth, in the municipality, around its seat, and against today's perimeter.

A drawing that falls elsewhere is tried under the usual mistakes (axes exchanged, sign lost, another UTM zone, degrees
declared as metres), and the one that would fit is named. Nothing is corrected unless asked.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyproj
import shapely

from zones.importing.datum import UTM_ZONES, Operation, System, code_of, operation
from zones.importing.finding import Finding, Refused, error, note, warning
from zones.importing.notation import format_number
from zones.importing.reading import Coordinates, Datum
from zones.importing.surroundings import Area, Surroundings

GEOD = pyproj.Geod(ellps="GRS80")  # the ellipsoid of SIRGAS 2000

MIN_LIMIT_TOLERANCE_M = 50.0
"""No public municipal limit is better than this near the border, whatever it claims."""

LARGE_CHANGE = 0.5
"""Symmetric difference over today's area from which the change is pointed out to whoever approves."""


def place(xy: Coordinates, how: Operation, around: Surroundings) -> tuple[Coordinates, Finding | None]:
    """Longitudes and latitudes of all vertices, and the finding where they fall outside the municipality.

    Raises `Refused` where they are no place on Earth at all.
    """
    if not np.isfinite(xy).all():
        raise Refused(_not_finite())
    plausible = not how.system.is_geographic or bool((np.abs(xy) <= (180, 90)).all())
    lonlat = how.apply(xy)
    located = plausible and bool(np.isfinite(lonlat).all())
    if located and _meets(lonlat, around.limit):
        return lonlat, None
    finding = _elsewhere(xy, how.system, around, located)
    if not located:
        raise Refused(finding)
    return lonlat, finding


def _meets(lonlat: Coordinates, limit: Area) -> bool:
    """Whether the middle of the vertices, or any of them, lies within the limit."""
    middle = np.median(lonlat, axis=0)
    return bool(shapely.contains_xy(limit, *middle)) or bool(shapely.contains_xy(limit, lonlat).any())


def _elsewhere(xy: Coordinates, system: System, around: Surroundings, located: bool) -> Finding:
    code, why, how = next(
        _explanations(xy, system, around),
        (
            "outside_municipality",
            "Nenhum engano comum (eixos trocados, sinal, fuso, graus por metros) o explica.",
            "Confira o município e o sistema de referência do arquivo.",
        ),
    )
    middle = np.median(xy, axis=0)
    shown = f"({format_number(float(middle[0]), 5)}; {format_number(float(middle[1]), 5)})"
    fall = "fora do município" if located else "fora do mundo"
    return error(code, f"Em {system.name}, o perímetro cai {fall}: centro em {shown}.", why, how)


def _explanations(xy: Coordinates, system: System, around: Surroundings) -> Iterator[tuple[str, str, str]]:
    limit, swapped = around.limit, xy[:, ::-1]
    degrees = bool((np.abs(xy) <= 180).all())
    if _fits(swapped, system, limit):
        yield (
            "swapped",
            "Com as duas coordenadas trocadas ele cairia dentro: latitude e longitude (ou N e E) estão trocadas.",
            "Corrija o arquivo ou use --swap para trocá-las.",
        )
    for x, y in ((-1, -1), (-1, 1), (1, -1)):
        if degrees and system.is_geographic and _fits(xy * (x, y), system, limit):
            yield (
                "sign_missing",
                "Com o sinal negativo ele cairia dentro: oeste e sul são negativos.",
                "Corrija o arquivo: escreva o sinal ou o hemisfério (O, S).",
            )
    if degrees and not system.is_geographic:
        for tried, name in ((xy, "na ordem longitude, latitude"), (swapped, "na ordem latitude, longitude")):
            if shapely.contains_xy(limit, *np.median(tried, axis=0)):
                yield (
                    "degrees_as_projected",
                    f"Os números são graus ({name}), mas o sistema declarado é em metros.",
                    "Declare o sistema em graus, por exemplo --crs EPSG:4674 (SIRGAS 2000).",
                )
    if not degrees:
        yield from _other_zones(xy, system, limit)


def _other_zones(xy: Coordinates, system: System, limit: Area) -> Iterator[tuple[str, str, str]]:
    datum = system.datum or Datum.SIRGAS_2000
    for tried, order in ((xy, ""), (xy[:, ::-1], " com E e N trocados")):
        for zone in UTM_ZONES:
            candidate = operation(code_of(datum, zone)).system
            if candidate.utm_zone != system.utm_zone and _fits(tried, candidate, limit):
                declared = f"fuso {system.utm_zone}" if system.utm_zone else system.name
                yield (
                    "wrong_utm_zone" if system.utm_zone else "projected_as_degrees",
                    f"No fuso UTM {zone}S{order} ele cairia dentro; o arquivo declara {declared}.",
                    f"Corrija a declaração: --utm-zone {zone}S (memorial) ou --crs {code_of(datum, zone)}.",
                )


def _fits(xy: Coordinates, system: System, limit: Area) -> bool:
    middle = np.median(xy, axis=0).reshape(1, 2)
    if system.is_geographic and (np.abs(middle) > (180, 90)).any():
        return False
    lonlat = operation(system.crs.srs).apply(middle)
    return bool(np.isfinite(lonlat).all()) and bool(shapely.contains_xy(limit, *lonlat[0]))


def _not_finite() -> Finding:
    return error(
        "not_finite",
        "O arquivo traz coordenadas NaN ou infinitas.",
        "Elas não são lugar nenhum; pulá-las mudaria o perímetro.",
        "Corrija os vértices vazios na origem e exporte de novo.",
    )


def area_m2(area: shapely.Geometry) -> float:
    """Geodesic area on the GRS 80 ellipsoid, whatever the order of the rings."""
    return abs(float(GEOD.geometry_area_perimeter(shapely.orient_polygons(area))[0]))


def compare(area: Area, around: Surroundings) -> list[Finding]:
    """What the municipality, the seat and today's perimeter have to say about a valid area."""
    findings = [note("area", f"Área: {_km2(area_m2(area))} (geodésica, GRS 80).")]
    findings += _against_limit(area, around)
    findings += _against_seats(area, around)
    findings.append(_change(area, around))
    return findings


def _against_limit(area: Area, around: Surroundings) -> list[Finding]:
    outside = shapely.difference(area, around.limit)
    if outside.is_empty or area_m2(outside) < 1:
        return [note("inside_municipality", "Está inteiro dentro do município.")]
    reach = _reach(outside, around.limit)
    tolerance = max(around.limit_precision_m, MIN_LIMIT_TOLERANCE_M)
    share = 100 * area_m2(outside) / area_m2(area)
    what = (
        f"{_km2(area_m2(outside))} ({format_number(share, 1)} %) ficam fora do município, "
        f"até {format_number(reach, 0)} m além do limite."
    )
    point = shapely.get_coordinates(shapely.point_on_surface(outside))[0]
    places = [(float(point[0]), float(point[1]))]
    if reach <= tolerance:
        return [
            warning(
                "touches_limit",
                what,
                f"Cabe na imprecisão do limite usado ({format_number(tolerance, 0)} m), que não é o legal.",
                "Confira a divisa com o município vizinho.",
                places,
            )
        ]
    return [
        error(
            "outside_municipality",
            what,
            "A lei do município não alcança o vizinho: ali nenhuma tarifa dela vale.",
            "Confira o sistema de referência e os vértices do lado que sai.",
            places,
        )
    ]


def _reach(outside: shapely.Geometry, limit: Area) -> float:
    """How far beyond the limit the drawing goes, in metres, on a plane centred there (error under 0.1 %)."""
    lon, lat = shapely.get_coordinates(shapely.centroid(outside))[0]
    plane = pyproj.Transformer.from_crs(
        "EPSG:4674", f"+proj=aeqd +lat_0={lat} +lon_0={lon} +ellps=GRS80", always_xy=True
    )

    def on_plane(lonlat: Coordinates) -> Coordinates:
        return np.column_stack(plane.transform(lonlat[:, 0], lonlat[:, 1]))

    flat_limit = shapely.transform(limit, on_plane)
    vertices = shapely.points(on_plane(shapely.get_coordinates(outside)))
    return float(shapely.distance(vertices, flat_limit).max())


def _against_seats(area: Area, around: Surroundings) -> list[Finding]:
    if not around.seats:
        return []
    inside = [seat for seat in around.seats if area.covers(shapely.Point(seat.lonlat))]
    if inside:
        return [note("seat_inside", f"A sede do município está dentro ({len(inside)} de {len(around.seats)} pontos).")]
    return [
        warning(
            "seat_outside",
            "A sede do município fica fora do perímetro.",
            "O perímetro urbano costuma conter a sede; só o de um distrito não contém.",
            "Confira se é este o perímetro e se o sistema de referência está certo.",
            [seat.lonlat for seat in around.seats],
        )
    ]


def _change(area: Area, around: Surroundings) -> Finding:
    current = _met(area, around.current)
    if current is None:
        return note("no_current", "Não há perímetro anterior deste tipo neste lugar para comparar.")
    before, after = area_m2(current), area_m2(area)
    changed = area_m2(shapely.symmetric_difference(area, current))
    gained = area_m2(shapely.difference(area, current))
    kind = "" if around.current_is_legal else " (aproximado, sem ato legal)"
    what = (
        f"Perímetro de hoje{kind}: {_km2(before)}. Mudam de zona {_km2(changed)} "
        f"({format_number(100 * changed / before, 1)} % da área de hoje): entram {_km2(gained)}, "
        f"saem {_km2(changed - gained)}; a área total vai a {_km2(after)} "
        f"({format_number(100 * (after - before) / before, 1)} %)."
    )
    if changed / before <= LARGE_CHANGE:
        return note("change", what)
    return warning(
        "large_change",
        what,
        "Corridas que hoje são rurais podem passar a urbanas, ou o contrário.",
        "Confira na prévia as áreas que mudam antes de aprovar.",
    )


def _met(area: Area, current: Area | None) -> shapely.Geometry | None:
    """The parts of today's ground that ``area`` touches: a district is not compared with the town."""
    parts = [part for part in shapely.get_parts(current).tolist() if part.intersects(area)] if current else []
    return shapely.union_all(parts) if parts else None


def _km2(square_metres: float) -> str:
    return f"{format_number(square_metres / 1e6, 4)} km²"

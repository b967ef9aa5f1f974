"""One file examined from end to end: read, choose, place on Earth, check the drawing, compare with today.

Every error found along the way is reported at once; only what makes further reading impossible stops it short.
Untrusted files go through `zones.importing.bounded`, which runs this in a process with limits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zones.importing import geojson, geopackage, kml, limits, memorial, shapefile
from zones.importing.datum import Operation, operation
from zones.importing.finding import Finding, Refused, Severity, error, note
from zones.importing.notation import format_number
from zones.importing.placing import compare, place
from zones.importing.reading import Coordinates, Options, RawPolygon, Reading, choose, too_many_vertices
from zones.importing.rings import Drawing, draw
from zones.importing.surroundings import Area, Surroundings

_READERS: dict[str, Callable[[Path, Options], Reading]] = {
    ".geojson": lambda path, options: geojson.read(path),
    ".json": lambda path, options: geojson.read(path),
    ".kml": kml.read_kml,
    ".kmz": kml.read_kmz,
    ".gpkg": geopackage.read,
    ".zip": shapefile.read,
    ".csv": memorial.read,
    ".txt": memorial.read,
}

Outline = tuple[tuple[tuple[float, float], ...], ...]


@dataclass(frozen=True, slots=True)
class Source:
    """Where an area was read from. ``accuracy_m`` is that of the change of datum alone."""

    file_name: str
    sha256: str
    format: str
    layer: str | None
    crs: str
    operation: str
    accuracy_m: float


@dataclass(frozen=True, slots=True)
class Examination:
    """What an examined file turned out to be.

    ``area`` is in (lon, lat) degrees of SIRGAS 2000 with 8 decimals, None where the file was refused;
    ``before_repair`` are the rings as drawn, where a repair was asked for and made.
    """

    findings: tuple[Finding, ...]
    source: Source | None = None
    area: Area | None = None
    before_repair: Outline | None = None

    @property
    def refused(self) -> bool:
        return self.area is None


def examine(path: Path, options: Options, around: Surroundings) -> Examination:
    """Never raises for what a file contains: an unreadable one is an examination with errors and no area."""
    findings: list[Finding] = []
    try:
        reading = _read(path, options)
        findings += reading.findings
        polygons, chosen = choose(reading, options)
        findings += chosen
        how = operation(_crs(reading, options))
        findings.append(how.finding())
        if options.swap:
            findings.append(note("swapped_as_asked", "As duas coordenadas foram trocadas, como pedido."))
        lonlat, elsewhere = _placed(polygons, options.swap, how, around)
        findings += [elsewhere] if elsewhere else []
        drawing = draw(lonlat, options.repair)
        findings += drawing.findings
        findings += [] if elsewhere else compare(drawing.area, around)
    except Refused as refused:
        return Examination((*findings, *refused.findings))
    if any(finding.severity is Severity.ERROR for finding in findings):
        return Examination(tuple(findings))
    return _accepted(path, reading, how, drawing, findings)


def _accepted(path: Path, reading: Reading, how: Operation, drawing: Drawing, findings: list[Finding]) -> Examination:
    source = Source(
        path.name,
        hashlib.sha256(path.read_bytes()).hexdigest(),
        reading.format.value,
        reading.layer,
        how.system.name,
        how.name,
        how.accuracy_m,
    )
    return Examination(tuple(findings), source, drawing.area, drawing.before_repair)


def _read(path: Path, options: Options) -> Reading:
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise Refused(
            error(
                "unknown_format",
                f"A extensão “{path.suffix[:20]}” não é de um formato aceito.",
                "O formato é reconhecido pela extensão e conferido pelo conteúdo.",
                "Use .geojson, .kml, .kmz, .gpkg, .zip (Shapefile) ou memorial em .csv/.txt.",
            )
        )
    _check_size(path)
    reading = reader(path, options)
    vertices = sum(len(ring) for ring in reading.rings)
    if vertices > limits.MAX_VERTICES:
        raise Refused(*reading.findings, too_many_vertices(vertices))
    return reading


def _check_size(path: Path) -> None:
    try:
        size = path.stat().st_size
    except OSError as missing:
        raise Refused(error("no_file", f"Não encontrei o arquivo {path.name}.", "", "Confira o caminho.")) from missing
    if size > limits.MAX_FILE_BYTES:
        mebibytes = [format_number(number / limits.MIB, 0) for number in (size, limits.MAX_FILE_BYTES)]
        raise Refused(
            error(
                "file_too_big",
                f"O arquivo tem {mebibytes[0]} MiB; o limite é {mebibytes[1]} MiB.",
                "Um perímetro urbano ocupa alguns quilobytes; o resto é outro dado.",
                "Exporte só a camada do perímetro.",
            )
        )
    if size == 0:
        raise Refused(error("empty", "O arquivo está vazio.", "", "Exporte de novo."))


def _crs(reading: Reading, options: Options) -> str:
    """The system of the file, or the declared one where the file names none or names it wrongly on purpose."""
    if options.crs is not None:
        return options.crs
    if reading.crs is None:
        raise Refused(
            error(
                "no_crs",
                "O arquivo não diz seu sistema de referência (falta o .prj ou a definição na camada).",
                "Supor um deles pode deslocar o perímetro.",
                "Informe com --crs, por exemplo EPSG:31980 (SIRGAS 2000 / UTM 20S) ou EPSG:4674 (graus).",
            )
        )
    return reading.crs


def _placed(
    polygons: tuple[RawPolygon, ...], swap: bool, how: Operation, around: Surroundings
) -> tuple[tuple[RawPolygon, ...], Finding | None]:
    """All rings brought to degrees in one go."""
    rings = [ring for polygon in polygons for ring in polygon.rings]
    xy: Coordinates = np.vstack(rings)
    if len(xy) == 0:
        raise Refused(error("empty", "A geometria está vazia.", "Não há vértice nenhum.", "Exporte de novo."))
    lonlat, finding = place(xy[:, ::-1] if swap else xy, how, around)
    pieces = iter(np.split(lonlat, np.cumsum([len(ring) for ring in rings])[:-1]))
    return tuple(RawPolygon(tuple(next(pieces) for _ in polygon.rings)) for polygon in polygons), finding

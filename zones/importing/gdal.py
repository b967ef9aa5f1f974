"""KML, GeoPackage and Shapefile through GDAL, from a file whose beginning was already checked.

The caller has looked at the file's signature, so GDAL cannot be led to a format that opens other files; the network is
shut in `zones.importing.bounded`.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pyogrio.errors
import shapely

from zones.importing import limits
from zones.importing.finding import Finding, Refused, error
from zones.importing.notation import listed
from zones.importing.reading import (
    Feature,
    Format,
    Options,
    RawPolygon,
    Reading,
    open_ring,
    too_many_features,
    too_many_vertices,
    z_dropped,
)

_PORTUGUESE = {
    "Point": "pontos",
    "MultiPoint": "pontos",
    "LineString": "linhas",
    "MultiLineString": "linhas",
}


def read(path: Path, format_: Format, options: Options) -> Reading:
    """Every polygon of the one layer there is, or of the layer asked for.

    Raises `Refused` for a file GDAL cannot read, and where the layer is the person's choice.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what GDAL warns of (open rings, odd tags) is checked here
            layer = _layer(path, options)
            meta, _, blobs, columns = pyogrio.raw.read(path, layer=layer, max_features=limits.MAX_FEATURES + 1)
    except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError, ValueError) as broken:
        raise Refused(_unreadable(format_)) from broken
    if len(blobs) > limits.MAX_FEATURES:
        raise Refused(too_many_features(limits.MAX_FEATURES))
    parsed = _Parsed(options.repair)
    features = tuple(parsed.feature(blob, _label(columns, row)) for row, blob in enumerate(blobs))
    return Reading(format_, features, meta["crs"], layer, tuple(parsed.findings))


def _layer(path: Path, options: Options) -> str:
    names = [str(name) for name, kind in pyogrio.list_layers(path) if kind is not None]
    shown = listed([f"“{name}”" for name in names], limits.MAX_LISTED)
    if options.layer is not None and options.layer not in names:
        raise Refused(_choose_layer(f"Não há camada “{options.layer}”; há {shown or 'nenhuma'}"))
    if options.layer is not None:
        return options.layer
    if not names:
        raise Refused(
            error(
                "empty",
                "O arquivo não tem nenhuma camada com geometria.",
                "Sem geometria não há perímetro.",
                "Confira se a camada certa foi exportada e exporte de novo.",
            )
        )
    if len(names) > 1:
        raise Refused(_choose_layer(f"O arquivo tem {len(names)} camadas: {shown}"))
    return names[0]


def _choose_layer(what: str) -> Finding:
    return error(
        "choose_layer",
        f"{what}.",
        "Qual delas é o perímetro é decisão de quem importa.",
        "Escolha com --layer NOME.",
    )


def _label(columns: list[Any], row: int) -> str:
    texts = (column[row] for column in columns if column.dtype == object)
    return next((str(text)[:60] for text in texts if text), f"feição {row + 1}")


class _Parsed:
    """Turns WKB into raw polygons, collecting what was found on the way."""

    def __init__(self, repair: bool) -> None:
        self._repair = repair
        self.findings: list[Finding] = []
        self._seen: set[str] = set()
        self._vertices = 0

    def feature(self, blob: bytes | None, label: str) -> Feature:
        geometry = self._geometry(blob)
        if geometry is None:
            return Feature(label, ())
        self._vertices += int(shapely.get_num_coordinates(geometry))
        if self._vertices > limits.MAX_VERTICES:
            raise Refused(too_many_vertices(None))
        if geometry.has_z:
            self._once(z_dropped())
        parts = _parts(geometry)
        polygons = tuple(
            RawPolygon(tuple(np.asarray(ring.coords)[:, :2] for ring in _rings(part)))
            for part in parts
            if isinstance(part, shapely.Polygon)
        )
        kinds = {part.geom_type for part in parts if not isinstance(part, shapely.Polygon)}
        return Feature(label, polygons, tuple(_PORTUGUESE.get(kind, kind) for kind in kinds))

    def _geometry(self, blob: bytes | None) -> Any:
        if blob is None:
            return None
        try:
            return shapely.from_wkb(blob)
        except shapely.errors.GEOSException as broken:
            reason = str(broken)
        if "closed" not in reason:
            raise Refused(
                error(
                    "broken_geometry",
                    "Uma geometria do arquivo não pode ser montada (anel com menos de 4 pontos, arco ou tipo incomum).",
                    "Sem um anel fechado de pelo menos três lados não há área.",
                    "No QGIS use Processar > Corrigir geometrias e exporte de novo como polígono simples.",
                )
            )
        self._once(open_ring(self._repair))
        return shapely.from_wkb(blob, on_invalid="fix")

    def _once(self, finding: Finding) -> None:
        if finding.code not in self._seen:
            self._seen.add(finding.code)
            self.findings.append(finding)


def _parts(geometry: Any) -> list[Any]:
    """Simple parts of a geometry, collections of collections included, empty ones left out."""
    if not hasattr(geometry, "geoms"):
        return [] if geometry.is_empty else [geometry]
    return [part for member in geometry.geoms for part in _parts(member)]


def _rings(polygon: shapely.Polygon) -> list[shapely.LinearRing]:
    return [polygon.exterior, *polygon.interiors]


def _unreadable(format_: Format) -> Finding:
    return error(
        "unreadable",
        f"O arquivo não pôde ser lido como {format_.value}.",
        "Pode estar cortado, vazio ou ter outro formato com a extensão trocada.",
        "Abra-o no QGIS e exporte de novo.",
    )

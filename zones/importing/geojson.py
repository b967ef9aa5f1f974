"""GeoJSON (RFC 7946), read strictly: the parser refuses NaN, and every coordinate must be a number.

The `crs` member of the 2008 draft is still written by many programs and is honoured.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import orjson

from zones.importing import limits
from zones.importing.finding import Finding, Refused, error
from zones.importing.reading import (
    Coordinates,
    Feature,
    Format,
    RawPolygon,
    Reading,
    too_many_features,
    too_many_vertices,
    z_dropped,
)

_RFC_7946_CRS = "OGC:CRS84"
_NAME_KEYS = ("nome", "name", "título", "titulo", "title", "id")
_GEOMETRIES = {
    "Polygon", "MultiPolygon", "GeometryCollection",
    "Point", "MultiPoint", "LineString", "MultiLineString",
}  # fmt: skip


def read(path: Path) -> Reading:
    """Raises `Refused` for text that is not GeoJSON and for coordinates that are not numbers."""
    data = path.read_bytes()
    # Every vertex opens a bracket, every feature a brace: counting costs nothing, parsing might cost a gigabyte.
    if data.count(b"[") > 2 * limits.MAX_VERTICES:
        raise Refused(too_many_vertices(None))
    if data.count(b"{") > limits.MAX_ELEMENTS:
        raise Refused(too_many_features(limits.MAX_FEATURES))
    try:
        document = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as broken:
        raise Refused(_not_json(data, broken)) from broken
    reader = _Reader()
    features = tuple(reader.features(document))
    if len(features) > limits.MAX_FEATURES:
        raise Refused(too_many_features(limits.MAX_FEATURES))
    findings = (z_dropped(),) if reader.has_z else ()
    return Reading(Format.GEOJSON, features, _crs(document), findings=findings)


class _Reader:
    """Walks one document, remembering whether any coordinate had a height."""

    def __init__(self) -> None:
        self.has_z = False

    def features(self, document: Any) -> list[Feature]:
        kind = _member(document, "type", "o documento")
        if kind == "FeatureCollection":
            items = _list(document.get("features"), "features")
            return [self._feature(item, f"feição {n}") for n, item in enumerate(items, 1)]
        if kind == "Feature":
            return [self._feature(document, "feição 1")]
        if kind in _GEOMETRIES:
            return [self._geometry_feature(document, "geometria", "geometria")]
        raise Refused(_malformed(f"o tipo “{str(kind)[:40]}” não é GeoJSON"))

    def _feature(self, item: Any, where: str) -> Feature:
        if _member(item, "type", where) != "Feature":
            raise Refused(_malformed(f"{where}: esperava um objeto do tipo Feature"))
        properties = item.get("properties")
        label = where
        if isinstance(properties, dict):
            lowered = {str(key).lower(): value for key, value in properties.items()}
            names = (lowered.get(key) for key in _NAME_KEYS)
            label = next((str(name)[:60] for name in names if name not in (None, "")), where)
        if item.get("geometry") is None:
            return Feature(label, ())
        return self._geometry_feature(item["geometry"], label, where)

    def _geometry_feature(self, geometry: Any, label: str, where: str) -> Feature:
        polygons: list[RawPolygon] = []
        kinds: list[str] = []
        self._collect(geometry, where, polygons, kinds)
        return Feature(label, tuple(polygons), tuple(kinds))

    def _collect(self, geometry: Any, where: str, polygons: list[RawPolygon], kinds: list[str]) -> None:
        kind = _member(geometry, "type", where)
        if kind == "GeometryCollection":
            for part in _list(geometry.get("geometries"), where):
                self._collect(part, where, polygons, kinds)
        elif kind == "Polygon":
            polygons.extend(self._polygon(geometry.get("coordinates"), where))
        elif kind == "MultiPolygon":
            for part in _list(geometry.get("coordinates"), where):
                polygons.extend(self._polygon(part, where))
        elif kind in _GEOMETRIES:
            kinds.append(kind)
        else:
            raise Refused(_malformed(f"{where}: geometria do tipo “{str(kind)[:40]}” desconhecida"))

    def _polygon(self, rings: Any, where: str) -> list[RawPolygon]:
        read = [self._ring(r, f"{where}, anel {n}") for n, r in enumerate(_list(rings, where), 1)]
        return [RawPolygon(tuple(read))] if read else []

    def _ring(self, vertices: Any, where: str) -> Coordinates:
        pairs = []
        for number, vertex in enumerate(_list(vertices, where), 1):
            if not isinstance(vertex, list) or len(vertex) < 2:
                raise Refused(_malformed(f"{where}, vértice {number}: esperava [longitude, latitude]"))
            for value in vertex:
                if type(value) not in (int, float):
                    raise Refused(_not_number(value, f"{where}, vértice {number}"))
            self.has_z = self.has_z or len(vertex) > 2
            pairs.append(vertex[:2])
        return np.array(pairs, dtype=np.float64).reshape(-1, 2)


def _member(value: Any, key: str, where: str) -> Any:
    if not isinstance(value, dict):
        raise Refused(_malformed(f"{where}: esperava um objeto JSON"))
    return value.get(key)


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise Refused(_malformed(f"{where}: esperava uma lista"))
    return value


def _crs(document: Any) -> str:
    crs = document.get("crs")
    properties = crs.get("properties") if isinstance(crs, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    if crs is None:
        return _RFC_7946_CRS
    if not isinstance(name, str):
        raise Refused(_malformed("o membro “crs” não traz um nome (properties.name)"))
    return name


def _malformed(detail: str) -> Finding:
    return error(
        "not_geojson",
        f"O arquivo não segue o GeoJSON: {detail}.",
        "Sem a estrutura da RFC 7946 não há como saber o que é o perímetro.",
        "Exporte de novo como GeoJSON (RFC 7946) no QGIS ou confira em geojson.io.",
    )


def _not_json(data: bytes, broken: orjson.JSONDecodeError) -> Finding:
    numbers = "NaN e Infinity não existem em JSON. " if b"NaN" in data or b"Infinity" in data else ""
    return error(
        "not_json",
        f"O arquivo não é JSON válido: erro na linha {broken.lineno}, coluna {broken.colno}.",
        f"{numbers}Uma leitura parcial poderia perder pedaço do perímetro.",
        "Exporte de novo; se editou à mão, confira vírgulas, colchetes e números nesse ponto.",
    )


def _not_number(value: Any, where: str) -> Finding:
    return error(
        "coordinate_not_number",
        f"{where}: a coordenada “{str(value)[:40]}” não é um número.",
        "Texto, vazio e verdadeiro/falso não são coordenadas; adivinhar o número poderia mover o perímetro.",
        "Escreva números sem aspas e com ponto decimal: [-62.3626, -11.1452].",
    )

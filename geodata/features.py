"""GeoJSON files of this room, read strictly: what is not understood is refused with the file and the feature."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import shapely
from shapely.errors import GEOSException
from shapely.geometry.base import BaseGeometry

BRAZIL = (-74.1, -33.9, -28.6, 5.4)
"""West, south, east, north: the country with its islands, and a margin of some kilometres."""

LON_LAT = frozenset({"urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::4326", "urn:ogc:def:crs:EPSG::4674"})
"""Accepted `crs` names: WGS 84, and SIRGAS 2000, which agrees with it to well under a metre."""


class BadFeature(ValueError):
    """The text is not the GeoJSON we read; the message says where, why and how to mend it, in Portuguese."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A geometry in (longitude, latitude) degrees, exterior rings counter-clockwise, and its properties as written."""

    geometry: BaseGeometry
    properties: Mapping[str, object]


def read(path: Path, types: Collection[str]) -> tuple[Feature, ...]:
    """The features of a GeoJSON file; see `parse`."""
    return parse(path.read_text(encoding="utf-8"), types, source=path.name)


def parse(text: str, types: Collection[str], source: str) -> tuple[Feature, ...]:
    """The features of a FeatureCollection whose geometries are all of ``types`` ("Point", "Polygon", …).

    ``source`` names the file in messages. Raises ``BadFeature`` for anything but flat, finite, valid, non-empty
    geometries within Brazil's box; a file with latitude first is recognised and told so.
    """
    try:
        document = json.loads(text, parse_constant=_not_a_number)
    except (ValueError, RecursionError) as error:
        raise BadFeature(f"{source}: não é um JSON válido ({error})") from error
    if not isinstance(document, dict) or document.get("type") != "FeatureCollection":
        raise BadFeature(f"{source}: o arquivo deve ser um GeoJSON FeatureCollection")
    _check_crs(document.get("crs"), source)
    features = document.get("features")
    if not isinstance(features, list):
        raise BadFeature(f"{source}: falta a lista “features”")
    return tuple(_feature(item, types, f"{source}, feição {i}") for i, item in enumerate(features, start=1))


def _not_a_number(name: str) -> NoReturn:
    raise ValueError(f"{name} não é um número de JSON")


def _check_crs(crs: object, source: str) -> None:
    if crs is None:
        return
    properties = crs.get("properties") if isinstance(crs, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    if name not in LON_LAT:
        raise BadFeature(
            f"{source}: sistema de coordenadas {name!r}; grave em WGS 84 ou SIRGAS 2000, em longitude e latitude"
        )


def _feature(item: object, types: Collection[str], where: str) -> Feature:
    if not isinstance(item, dict) or item.get("type") != "Feature":
        raise BadFeature(f"{where}: não é uma Feature")
    geometry, properties = item.get("geometry"), item.get("properties")
    if not isinstance(geometry, dict) or geometry.get("type") not in types:
        raise BadFeature(f"{where}: a geometria deve ser {' ou '.join(sorted(types))}")
    if not isinstance(properties, dict):
        raise BadFeature(f"{where}: faltam as propriedades")
    return Feature(_geometry(geometry, where), properties)


def _geometry(geometry: Mapping[str, object], where: str) -> BaseGeometry:
    try:
        shape = shapely.from_geojson(json.dumps(geometry))
    except GEOSException as error:
        raise BadFeature(f"{where}: coordenadas malformadas ({error})") from error
    if shape.is_empty:
        raise BadFeature(f"{where}: geometria vazia")
    if shape.has_z:
        raise BadFeature(f"{where}: há altitude nas coordenadas; grave só longitude e latitude")
    if not shape.is_valid:
        raise BadFeature(f"{where}: geometria inválida ({shapely.is_valid_reason(shape)}); corrija o contorno")
    _check_in_brazil(shape, where)
    return shapely.orient_polygons(shape)


def _check_in_brazil(shape: BaseGeometry, where: str) -> None:
    west, south, east, north = BRAZIL
    x0, y0, x1, y1 = shape.bounds
    if west <= x0 and x1 <= east and south <= y0 and y1 <= north:
        return
    if west <= y0 and y1 <= east and south <= x0 and x1 <= north:
        raise BadFeature(f"{where}: latitude e longitude parecem trocadas; o GeoJSON põe a longitude primeiro")
    raise BadFeature(f"{where}: fora do Brasil (longitude {x0:.4f}..{x1:.4f}, latitude {y0:.4f}..{y1:.4f})")

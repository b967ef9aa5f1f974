"""Perimeters given back as GeoJSON or KML, with the same numbers that were stored.

Coordinates are written with `rings.DECIMALS` decimals, the ones kept at import, so that importing an export gives the
same perimeter bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any
from xml.etree import ElementTree as Xml

import orjson
import shapely

from zones.importing.picture import CREDIT
from zones.importing.reading import Coordinates
from zones.importing.rings import DECIMALS
from zones.perimeter import Perimeter

_KML = "http://www.opengis.net/kml/2.2"


class Target(StrEnum):
    GEOJSON = "geojson"
    KML = "kml"


def export(perimeters: Sequence[Perimeter], target: Target) -> bytes:
    """One document with all the perimeters, their validity, origin and credits."""
    return _geojson(perimeters) if target is Target.GEOJSON else _kml(perimeters)


def _properties(perimeter: Perimeter) -> dict[str, Any]:
    return {
        "municipality": perimeter.municipality,
        "kind": perimeter.kind.value,
        "name": perimeter.name,
        "origin": perimeter.origin.value,
        "status": perimeter.status.value,
        "valid_from": perimeter.valid_from.isoformat(),
        "valid_to": perimeter.valid_to and perimeter.valid_to.isoformat(),
        "legal_act": perimeter.legal_act,
        "precision_m": perimeter.precision_m,
        "precedence": perimeter.precedence,
        "version": perimeter.version,
        "credit": CREDIT,
    }


def _polygons(perimeter: Perimeter) -> list[list[Coordinates]]:
    """Rings of every polygon, the outer one counter-clockwise (RFC 7946, 3.1.6)."""
    parts = shapely.get_parts(shapely.orient_polygons(perimeter.geometry)).tolist()
    return [[shapely.get_coordinates(ring) for ring in (part.exterior, *part.interiors)] for part in parts]


def _geojson(perimeters: Sequence[Perimeter]) -> bytes:
    features = [
        {
            "type": "Feature",
            "properties": _properties(perimeter),
            "geometry": {
                "type": "MultiPolygon",
                "coordinates": [[ring.round(DECIMALS).tolist() for ring in rings] for rings in _polygons(perimeter)],
            },
        }
        for perimeter in perimeters
    ]
    return orjson.dumps({"type": "FeatureCollection", "features": features}, option=orjson.OPT_APPEND_NEWLINE)


def _kml(perimeters: Sequence[Perimeter]) -> bytes:
    root = Xml.Element("kml", {"xmlns": _KML})
    document = Xml.SubElement(root, "Document")
    for perimeter in perimeters:
        placemark = Xml.SubElement(document, "Placemark")
        Xml.SubElement(placemark, "name").text = perimeter.name
        data = Xml.SubElement(placemark, "ExtendedData")
        for key, value in _properties(perimeter).items():
            if value is not None:
                Xml.SubElement(Xml.SubElement(data, "Data", {"name": key}), "value").text = str(value)
        geometry = Xml.SubElement(placemark, "MultiGeometry")
        for rings in _polygons(perimeter):
            polygon = Xml.SubElement(geometry, "Polygon")
            for place, ring in enumerate(rings):
                border = Xml.SubElement(polygon, "innerBoundaryIs" if place else "outerBoundaryIs")
                texts = (f"{lon:.{DECIMALS}f},{lat:.{DECIMALS}f}" for lon, lat in ring.tolist())
                line = Xml.SubElement(border, "LinearRing")
                Xml.SubElement(line, "coordinates").text = " ".join(texts)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode").encode()

"""Examinations and their parts as JSON, between processes and in the database. Areas are WKB in hexadecimal."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import shapely

from geodata.point import Point
from zones.importing.examination import Examination, Outline, Source
from zones.importing.finding import Finding, Severity
from zones.importing.surroundings import Surroundings


def pack_area(area: shapely.Geometry | None) -> str | None:
    return None if area is None else str(shapely.to_wkb(area, hex=True))


def unpack_area(wkb: str | None) -> Any:
    return None if wkb is None else shapely.from_wkb(wkb)


def pack_surroundings(around: Surroundings) -> dict[str, Any]:
    return {
        "municipality": around.municipality,
        "limit": pack_area(around.limit),
        "limit_precision_m": around.limit_precision_m,
        "seats": [seat.lonlat for seat in around.seats],
        "current": pack_area(around.current),
        "current_is_legal": around.current_is_legal,
    }


def unpack_surroundings(packed: dict[str, Any]) -> Surroundings:
    return Surroundings(
        packed["municipality"],
        unpack_area(packed["limit"]),
        packed["limit_precision_m"],
        tuple(Point(lat, lon) for lon, lat in packed["seats"]),
        unpack_area(packed["current"]),
        packed["current_is_legal"],
    )


def pack_examination(examination: Examination) -> dict[str, Any]:
    return {
        "findings": [asdict(finding) for finding in examination.findings],
        "source": examination.source and asdict(examination.source),
        "area": pack_area(examination.area),
        "before_repair": examination.before_repair,
    }


def unpack_examination(packed: dict[str, Any]) -> Examination:
    return Examination(
        tuple(unpack_finding(finding) for finding in packed["findings"]),
        Source(**packed["source"]) if packed["source"] else None,
        unpack_area(packed["area"]),
        unpack_outline(packed["before_repair"]),
    )


def unpack_outline(packed: list[list[list[float]]] | None) -> Outline | None:
    """The rings before a repair, from their JSON."""
    return None if packed is None else tuple(tuple((x, y) for x, y in ring) for ring in packed)


def unpack_finding(packed: dict[str, Any]) -> Finding:
    """A finding from its JSON."""
    places = tuple((lon, lat) for lon, lat in packed["places"])
    return Finding(**{**packed, "severity": Severity(packed["severity"]), "places": places})

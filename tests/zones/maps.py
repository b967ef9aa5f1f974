"""Small made-up municipalities around the town square of field report F047."""

from __future__ import annotations

from datetime import date
from typing import Any

from shapely import box

from zones.atlas import Atlas
from zones.perimeter import Kind, Origin, Perimeter, Status

FIRST_DAY = date(2024, 1, 1)
LIMIT = box(-62.5, -11.3, -62.2, -11.0)
TOWN = box(-62.36, -11.14, -62.34, -11.12)
BAND = box(-62.37, -11.15, -62.33, -11.11)


def perimeter(kind: Kind, geometry: Any, **facts: Any) -> Perimeter:
    defaults: dict[str, Any] = {
        "municipality": "xx-teste",
        "name": kind.value,
        "origin": Origin.MUNICIPALITY,
        "status": Status.IN_FORCE,
        "valid_from": FIRST_DAY,
    }
    return Perimeter(kind=kind, geometry=geometry, **{**defaults, **facts})


def limit(geometry: Any = LIMIT, **facts: Any) -> Perimeter:
    return perimeter(Kind.LIMIT, geometry, **{"origin": Origin.IBGE, **facts})


def urban(geometry: Any = TOWN, **facts: Any) -> Perimeter:
    return perimeter(Kind.URBAN, geometry, **{"precedence": 20, **facts})


def rural(geometry: Any, **facts: Any) -> Perimeter:
    return perimeter(Kind.RURAL, geometry, **facts)


def undetermined(geometry: Any = BAND, **facts: Any) -> Perimeter:
    return perimeter(Kind.UNDETERMINED, geometry, **{"precedence": 10, **facts})


def atlas(*perimeters: Perimeter) -> Atlas:
    """The usual limit with ``perimeters``."""
    return Atlas([limit(), *perimeters])

"""A perimeter: one dated piece of municipal geography and how far it can be relied upon."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

import shapely
from shapely import MultiPolygon, Polygon

from laws.norm import Zone


class BadPerimeter(ValueError):
    """The perimeter cannot be used; the message says why and how to mend it, in Portuguese."""


class Kind(StrEnum):
    """What a perimeter encloses. `limit` is the municipality itself."""

    LIMIT = "limit"
    URBAN = "urban"
    RURAL = "rural"
    UNDETERMINED = "undetermined"


class Origin(StrEnum):
    """Where the geometry comes from."""

    IBGE = "ibge"
    OSM = "osm"
    MUNICIPALITY = "municipality"
    SYNTHETIC = "synthetic"


class Status(StrEnum):
    """How a perimeter stands. Only a `draft` is never used to tell a zone."""

    DRAFT = "draft"
    APPROXIMATE = "approximate"
    IN_FORCE = "in_force"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Perimeter:
    """One polygon (or several) with its kind, provenance and validity.

    ``geometry`` is in (longitude, latitude) degrees on WGS 84 and is stored normalised (ring order
    and start do not matter). ``valid_to`` is the first day on which it no longer holds, None while
    open. ``precision_m`` is how far the true border may lie from the drawn one, None where nobody
    measured it. Where perimeters overlap, the higher ``precedence`` decides. ``version`` is the
    SHA-256 of everything that bears on a fare: two perimeters with the same version are the same
    law.

    Raises ``BadPerimeter`` for a geometry that is not a valid, flat, non-empty polygon on Earth.
    """

    municipality: str
    kind: Kind
    name: str
    geometry: Polygon | MultiPolygon
    origin: Origin
    status: Status
    valid_from: date
    valid_to: date | None = None
    legal_act: str | None = None
    precision_m: float | None = None
    precedence: int = 0
    credit: str = ""
    version: str = field(init=False)

    def __post_init__(self) -> None:
        _check(self)
        object.__setattr__(self, "geometry", shapely.normalize(self.geometry))
        object.__setattr__(self, "version", _fingerprint(self))

    def in_force_on(self, day: date) -> bool:
        """Whether it tells zones on ``day`` (a superseded one does for the days it was in
        force)."""
        return (
            self.status is not Status.DRAFT
            and self.valid_from <= day
            and (self.valid_to is None or day < self.valid_to)
        )

    @property
    def zone(self) -> Zone:
        """The zone of a point inside; inside the bare limit nobody has said anything yet."""
        return Zone.UNDETERMINED if self.kind is Kind.LIMIT else Zone(self.kind.value)


def in_force(perimeters: Iterable[Perimeter], day: date) -> tuple[Perimeter, ...]:
    """The perimeters that tell zones on ``day``."""
    return tuple(p for p in perimeters if p.in_force_on(day))


def _check(perimeter: Perimeter) -> None:
    geometry, name = perimeter.geometry, perimeter.name
    if not isinstance(geometry, Polygon | MultiPolygon) or geometry.is_empty:
        raise BadPerimeter(f"{name}: o perímetro deve ser um polígono (ou vários) não vazio")
    if geometry.has_z:
        raise BadPerimeter(f"{name}: o perímetro tem altitude; grave-o só com longitude e latitude")
    west, south, east, north = geometry.bounds
    # NaN and infinity fail these comparisons too.
    if not (-180 <= west <= east <= 180 and -90 <= south <= north <= 90):
        raise BadPerimeter(f"{name}: coordenadas fora de -180..180 (longitude) e -90..90 (latitude)")
    if not geometry.is_valid:
        reason = shapely.is_valid_reason(geometry)
        raise BadPerimeter(f"{name}: polígono inválido ({reason}); corrija o desenho do contorno")
    if perimeter.valid_to is not None and perimeter.valid_to <= perimeter.valid_from:
        raise BadPerimeter(f"{name}: o fim da vigência deve ser posterior ao início")
    if perimeter.precision_m is not None and not 0 <= perimeter.precision_m < 100_000:
        raise BadPerimeter(f"{name}: a precisão deve estar entre 0 e 100.000 metros")


def _fingerprint(perimeter: Perimeter) -> str:
    facts = {
        "municipality": perimeter.municipality,
        "kind": perimeter.kind,
        "name": perimeter.name,
        "origin": perimeter.origin,
        "status": perimeter.status,
        "valid_from": perimeter.valid_from.isoformat(),
        "valid_to": perimeter.valid_to and perimeter.valid_to.isoformat(),
        "legal_act": perimeter.legal_act,
        "precision_m": perimeter.precision_m,
        "precedence": perimeter.precedence,
        "credit": perimeter.credit,
    }
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True, ensure_ascii=False).encode())
    digest.update(shapely.to_wkb(perimeter.geometry, byte_order=1))
    return f"sha256:{digest.hexdigest()}"

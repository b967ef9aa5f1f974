"""The public contract of a quote: two points come in; the fare, its way and its proof go out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from marshmallow import ValidationError, fields

from api.answers import Answer
from api.fields import Choice, Flag, Instant, Point, Rows, Slug, Whole
from api.instants import BadInstant, in_zone
from api.requests import Request
from fares.quotes import QuoteOrder
from fares.schemas import MOST_ITEMS, FareOut, ItemIn
from fares.trip import Direction, Zone
from zones.route import Source

MOST_STOPS = 10


class QuoteIn(Request):
    """De onde, para onde, por onde, quando e quem. Sem hora, é agora."""

    municipality = Slug(required=True)
    origin = Point(required=True)
    destination = Point(required=True)
    stops = fields.List(Point(), load_default=(), metadata={"maxItems": MOST_STOPS})
    same_vehicle_return = Flag(load_default=False)
    depart_at = Instant(load_default=None, allow_none=True, metadata={"description": "Sem fuso: hora local"})
    passengers = Whole(1, 20, load_default=1)
    passenger_age = Whole(0, 130, load_default=None, allow_none=True)
    parcel_only = Flag(load_default=False)
    items = Rows(ItemIn(), MOST_ITEMS, load_default=())

    def build(self, data: dict[str, Any]) -> QuoteOrder:
        if len(data["stops"]) > MOST_STOPS:
            raise ValidationError({"stops": [f"no máximo {MOST_STOPS} paradas"]})
        data["stops"] = tuple(data["stops"])
        data["items"] = tuple(data["items"])
        data["depart_at"] = data["depart_at"] or datetime.now(UTC)
        return QuoteOrder(**data)


def settled(order: QuoteOrder, zone: ZoneInfo) -> QuoteOrder:
    """The order with its departure in the municipality's time zone.

    Raises marshmallow's ``ValidationError`` for a local time that does not exist or happens twice.
    """
    try:
        return replace(order, depart_at=in_zone(order.depart_at, zone))
    except BadInstant as why:
        raise ValidationError({"depart_at": [str(why)]}) from None


class LineGeometry(fields.Field[Any]):
    """A way as a GeoJSON LineString (longitude, latitude)."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            metadata={
                "type": "object",
                "properties": {
                    "type": {"type": "string", "enum": ["LineString"]},
                    "coordinates": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
                },
                "required": ["type", "coordinates"],
            },
            **kwargs,
        )

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> dict[str, Any]:
        return {"type": "LineString", "coordinates": [[round(lon, 6), round(lat, 6)] for lon, lat in value]}


class QuoteLegOut(Answer):
    """Um trecho do caminho dentro de uma zona."""

    zone = Choice(Zone, required=True)
    metres = fields.Integer(required=True)
    direction = Choice(Direction, required=True)
    stop = Flag(required=True)
    geometry = LineGeometry(required=True, attribute="line")


class DistanceOut(Answer):
    """Quanto se percorre, e como se sabe."""

    metres = fields.Integer(required=True)
    source = Choice(Source, required=True)
    range = fields.List(fields.Integer(), required=True, metadata={"minItems": 2, "maxItems": 2})
    engine = fields.String(required=True)


class QuoteDetailsOut(Answer):
    """O que uma cotação tem além da tarifa."""

    id = fields.String(required=True)
    municipality = fields.String(required=True)
    depart_at = Instant(required=True)
    created_at = Instant(required=True)
    expires_at = Instant(required=True, metadata={"description": "Até quando a cotação vale"})
    legs = fields.List(fields.Nested(QuoteLegOut()), required=True)
    distance = fields.Nested(DistanceOut(), required=True, allow_none=True)
    zones_version = fields.String(required=True, metadata={"description": "Versão dos perímetros usados"})
    credits = fields.List(fields.String(), required=True)


class QuoteOut(FareOut, QuoteDetailsOut):
    """A tarifa entre dois pontos, congelada: a mesma resposta, byte a byte, venha a norma que vier."""

    code = fields.String(required=True, metadata={"description": "Código que prova a cotação em /verify/{code}"})


@dataclass(frozen=True, slots=True)
class DistanceTold:
    metres: int
    source: Source
    range: tuple[int, int]
    engine: str


@dataclass(frozen=True, slots=True)
class QuoteDetails:
    id: str
    municipality: str
    depart_at: datetime
    created_at: datetime
    expires_at: datetime
    legs: tuple[Any, ...]
    distance: DistanceTold | None
    zones_version: str
    credits: tuple[str, ...]


class ProofOut(Answer):
    """O que um código prova."""

    genuine = Flag(required=True)
    kind = fields.String(required=True, allow_none=True, metadata={"enum": ["quote", None]})
    detail = fields.String(required=True)
    expired = Flag(required=True)
    document = fields.Raw(required=True, metadata={"type": ["object", "null"], "description": "Como foi emitido"})


@dataclass(frozen=True, slots=True)
class Proven:
    """What is told of a code."""

    genuine: bool
    kind: str | None
    detail: str
    expired: bool
    document: dict[str, Any] | None

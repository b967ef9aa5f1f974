"""The public contract of a fare: the facts that come in, the itemised answer that goes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from marshmallow import ValidationError, fields

from api.answers import Answer
from api.fields import (
    Choice,
    Day,
    Flag,
    Instant,
    Kilometres,
    Money,
    MoneySpan,
    Rows,
    SignedMoney,
    Slug,
    Whole,
    Word,
)
from api.instants import BadInstant, in_zone
from api.requests import Request
from fares.fare import Unit
from fares.trip import Direction, Evidence, Item, Leg, Surface, Trip, Zone
from laws.norm import Nature, Standing, Status
from laws.public_schemas import NormRefOut, WarningOut

MOST_LEGS = 200
MOST_ITEMS = 50
A_DAY = 24 * 60


class LegIn(Request):
    """Um trecho da corrida dentro de uma zona, num sentido."""

    zone = Choice(Zone, required=True)
    metres = Kilometres(required=True, data_key="km")
    direction = Choice(Direction, load_default=Direction.OUTBOUND, metadata={"default": "outbound"})
    stop = Flag(load_default=False, metadata={"description": "O passageiro pediu para parar no fim deste trecho"})
    surface = Choice(Surface, load_default=Surface.PAVED, metadata={"default": "paved"})
    zone_code = Word(load_default=None, allow_none=True, metadata={"description": "Bairro ou zona, para tabelas"})
    started_at = Instant(load_default=None, allow_none=True)

    def build(self, data: dict[str, Any]) -> Leg:
        return Leg(**data)


class ItemIn(Request):
    """Coisas levadas: a classe, como a norma a chama, e quantas."""

    item_class = Word(required=True, data_key="class")
    count = Whole(0, 100, load_default=1)

    def build(self, data: dict[str, Any]) -> Item:
        return Item(**data)


@dataclass(frozen=True, slots=True)
class FareOrder:
    """A trip in a municipality whose instants may still be of no time zone; ``with_instants`` makes the trip."""

    municipality: str
    started_at: datetime
    ended_at: datetime | None
    legs: tuple[Leg, ...]
    with_instants: Callable[..., Trip]

    def trip(self, zone: ZoneInfo) -> Trip:
        """The trip with every instant in the municipality's time zone. Raises marshmallow's ``ValidationError``."""
        legs = self.legs
        if any(leg.started_at for leg in legs):
            legs = tuple(_leg_in(zone, leg, f"legs.{place}.started_at") for place, leg in enumerate(legs))
        started_at = _local(self.started_at, zone, "started_at")
        ended_at = _local(self.ended_at, zone, "ended_at") if self.ended_at else None
        if ended_at is not None and ended_at < started_at:
            raise ValidationError({"ended_at": ["a corrida não pode terminar antes de começar"]})
        return self.with_instants(started_at=started_at, ended_at=ended_at, legs=legs)


class FareIn(Request):
    """Os fatos de uma corrida. Só município, início e trechos são obrigatórios; o resto tem valor comum."""

    municipality = Slug(required=True)
    started_at = Instant(required=True, metadata={"description": "Sem fuso: hora local do município"})
    ended_at = Instant(load_default=None, allow_none=True)
    legs = Rows(LegIn(), MOST_LEGS, load_default=(), metadata={"description": "Ao menos um, se houve embarque"})
    same_vehicle_return = Flag(load_default=False)
    boarded = Flag(load_default=True, metadata={"description": "Falso: a chamada não virou corrida"})
    passengers = Whole(1, 20, load_default=1)
    passenger_age = Whole(0, 130, load_default=None, allow_none=True)
    parcel_only = Flag(load_default=False)
    waiting_minutes = Whole(0, A_DAY, load_default=0)
    slow_minutes = Whole(0, A_DAY, load_default=0)
    category = Word(load_default=None, allow_none=True)
    items = Rows(ItemIn(), MOST_ITEMS, load_default=())
    origin_zone_code = Word(load_default=None, allow_none=True)
    destination_zone_code = Word(load_default=None, allow_none=True)
    radius_metres = Kilometres(load_default=None, allow_none=True, data_key="radius_km")
    agreed = Money(load_default=None, allow_none=True, metadata={"description": "Preço combinado"})
    meter_verified_at = Day(load_default=None, allow_none=True)
    table_posted_at = Day(load_default=None, allow_none=True)
    tender_homologated_at = Day(load_default=None, allow_none=True)

    def build(self, data: dict[str, Any]) -> FareOrder:
        if data["boarded"] and not data["legs"]:
            raise ValidationError({"legs": ["ao menos um trecho, se houve embarque"]})
        stated = {name: data.pop(name) for name in _EVIDENCE}
        return FareOrder(
            municipality=data.pop("municipality"),
            started_at=data.pop("started_at"),
            ended_at=data.pop("ended_at"),
            legs=tuple(data.pop("legs")),
            with_instants=partial(
                Trip,
                waiting_seconds=data.pop("waiting_minutes") * 60,
                slow_seconds=data.pop("slow_minutes") * 60,
                items=tuple(data.pop("items")),
                evidence={_EVIDENCE[name]: day for name, day in stated.items() if day is not None},
                **data,
            ),
        )


_EVIDENCE: Mapping[str, Evidence] = {str(each.value): each for each in Evidence}


def _local(moment: datetime, zone: ZoneInfo, path: str) -> datetime:
    try:
        return in_zone(moment, zone)
    except BadInstant as why:
        raise ValidationError({path: [str(why)]}) from None


def _leg_in(zone: ZoneInfo, leg: Leg, path: str) -> Leg:
    return leg if leg.started_at is None else replace(leg, started_at=_local(leg.started_at, zone, path))


class FareLineOut(Answer):
    """Uma parcela da tarifa; as parcelas somam o total."""

    code = fields.String(required=True)
    text = fields.String(required=True)
    quantity = fields.String(required=True, metadata={"description": "Decimal exato", "example": "10.5"})
    unit = Choice(Unit, required=True)
    unit_amount = SignedMoney(required=True, allow_none=True)
    amount = SignedMoney(required=True)
    citation = fields.String(required=True)


class FareReasonOut(Answer):
    """Por que não há preço legal, com o artigo que o diz."""

    code = fields.String(required=True)
    citation = fields.String(required=True)
    detail = fields.String(required=True)


class ReadingOut(Answer):
    """Quanto custaria lendo as cláusulas obscuras de certa maneira."""

    id = fields.String(required=True)
    standing = Choice(Standing, required=True)
    status = Choice(Status, required=True)
    total = Money(required=True, allow_none=True)
    why = fields.String(required=True)
    choices = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    signed_by = fields.String(required=True, allow_none=True, metadata={"description": "Autoridade que a adotou"})


class FareOut(Answer):
    """A tarifa que a norma em vigor no instante dá à corrida, ou por que não há preço."""

    status = Choice(Status, required=True)
    total = Money(required=True, allow_none=True)
    range = MoneySpan("low", "high", required=True, metadata={"description": "O que se pode cobrar legalmente"})
    currency = fields.Constant("BRL", required=True, metadata={"type": "string", "enum": ["BRL"]})
    exact = Flag(required=True)
    nature = Choice(Nature, required=True)
    lines = fields.List(fields.Nested(FareLineOut()), required=True)
    norm = fields.Nested(NormRefOut(), required=True, allow_none=True)
    readings = fields.List(fields.Nested(ReadingOut()), required=True)
    readings_range = MoneySpan("readings_low", "readings_high", required=True)
    warnings = fields.List(fields.Nested(WarningOut()), required=True)
    reasons = fields.List(fields.Nested(FareReasonOut()), required=True)
    known_part = Money(required=True, allow_none=True, metadata={"description": "O que a norma fixa, se falta o resto"})

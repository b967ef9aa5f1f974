"""The public contract of a measured ride: raw fixes come in; distance by zone, doubts and the fare go out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from marshmallow import ValidationError, fields

from api.answers import Answer
from api.fields import Choice, Flag, Instant, Kilometres, Point, Rows, Slug, Whole, Word
from api.instants import BadInstant, in_zone
from api.requests import Request
from fares.collecting import CLOCK_SKEW
from fares.meter import Cause, DoubtCode, Dropped, DropReason, Fill, Fix, Gap, Grade, Stretch, Way
from fares.meter.state import BATCH, MOST_FIXES
from fares.meter.words import km
from fares.metered import Metered, RideFacts, TrackOrder, local
from fares.quote_schemas import LineGeometry
from fares.schemas import MOST_ITEMS, FareOut, ItemIn
from fares.trip import Direction, Zone
from geodata.point import Point as Position


class Number(fields.Field[float]):
    """A finite JSON number within bounds, both included."""

    def __init__(self, least: float, most: float, **kwargs: Any) -> None:
        self.least, self.most = least, most
        bounds = {"type": "number", "minimum": least, "maximum": most}
        super().__init__(metadata={**bounds, **kwargs.pop("metadata", {})}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        return self.plainly(value)

    def plainly(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.least <= value <= self.most:
            raise ValidationError(f"deve ser um número de {self.least:g} a {self.most:g}, sem aspas")
        return float(value)


@dataclass(frozen=True, slots=True)
class StatedFix:
    """A fix as sent; ``t`` without an offset is the municipality's local time."""

    t: datetime
    lat: float
    lon: float
    accuracy_m: float | None
    speed_mps: float | None
    mock: bool


class FixIn(Request):
    """Uma posição como o aparelho a informou, boa ou ruim: o medidor decide o que vale e diz por quê."""

    t = Instant(required=True, metadata={"description": "Sem fuso: hora local do município"})
    lat = Number(-90, 90, required=True)
    lon = Number(-180, 180, required=True)
    accuracy_m = Number(-1, 10_000_000, load_default=None, allow_none=True)
    speed_mps = Number(-1, 10_000, load_default=None, allow_none=True)
    mock = Flag(load_default=False, metadata={"description": "O aparelho avisa que a posição é simulada"})

    def build(self, data: dict[str, Any]) -> StatedFix:
        return StatedFix(**data)


@dataclass(frozen=True, slots=True)
class StatedTrack:
    """A track as sent: instants may still be of no time zone."""

    municipality: str
    fixes: Sequence[StatedFix]
    facts: RideFacts

    def order(self, zone: ZoneInfo) -> TrackOrder:
        """The track with its instants in seconds since 1970.

        Raises marshmallow's ``ValidationError`` for a local time that does not exist or happens twice.
        """
        return TrackOrder(self.municipality, in_seconds(self.fixes, zone), self.facts)


class FactsIn(Request):
    """O que as posições não contam da corrida."""

    passengers = Whole(1, 20, load_default=1)
    passenger_age = Whole(0, 130, load_default=None, allow_none=True)
    parcel_only = Flag(load_default=False)
    items = Rows(ItemIn(), MOST_ITEMS, load_default=())


class TrackIn(FactsIn):
    """As posições de uma corrida, em qualquer ordem, e o que elas não contam."""

    municipality = Slug(required=True)
    fixes = Rows(FixIn(), MOST_FIXES, required=True, metadata={"minItems": 1})

    def build(self, data: dict[str, Any]) -> StatedTrack:
        return StatedTrack(data["municipality"], _some(data["fixes"]), _facts(data))


@dataclass(frozen=True, slots=True)
class Opening:
    """A measurement to be opened; ``accepted_at`` may be of no time zone, and None means now."""

    municipality: str
    accepted_at: datetime | None
    facts: RideFacts

    def begins(self, zone: ZoneInfo, now: datetime) -> datetime:
        """When the ride was accepted. Raises marshmallow's ``ValidationError`` for no instant, or one still to come."""
        if self.accepted_at is None:
            return now
        try:
            accepted_at = in_zone(self.accepted_at, zone)
        except BadInstant as why:
            raise ValidationError({"accepted_at": [str(why)]}) from None
        if (accepted_at - now).total_seconds() > CLOCK_SKEW:
            raise ValidationError({"accepted_at": ["ainda não chegou; confira o relógio, ou não o informe para agora"]})
        return accepted_at


class OpeningIn(FactsIn):
    """Uma medição a abrir: o município e o que as posições não contarão."""

    municipality = Slug(required=True)
    accepted_at = Instant(
        load_default=None,
        allow_none=True,
        metadata={"description": "Quando a corrida foi aceita (sem fuso: hora local); posições anteriores não ficam"},
    )

    def build(self, data: dict[str, Any]) -> Opening:
        return Opening(data["municipality"], data["accepted_at"], _facts(data))


class BatchIn(Request):
    """Um lote de posições de uma medição aberta, em qualquer ordem; repetir o lote não muda nada."""

    fixes = Rows(FixIn(), BATCH, required=True, metadata={"minItems": 1})

    def build(self, data: dict[str, Any]) -> Sequence[StatedFix]:
        return _some(data["fixes"])


@dataclass(frozen=True, slots=True)
class Look:
    """For which case somebody looks at a track that is not his, and why."""

    case_number: str
    reason: str


class LookIn(Request):
    """Por que se consulta a medição de outra pessoa."""

    case_number = Word(load_default="", metadata={"description": "Processo ou reclamação; o fiscal tem de informar"})
    reason = Word(load_default="", metadata={"description": "Em poucas palavras, para o registro de consultas"})

    def build(self, data: dict[str, Any]) -> Look:
        return Look(**data)


def _some(fixes: Sequence[StatedFix]) -> Sequence[StatedFix]:
    if not fixes:
        raise ValidationError({"fixes": ["envie ao menos uma posição"]})
    return fixes


def _facts(data: dict[str, Any]) -> RideFacts:
    return RideFacts(data["passengers"], data["passenger_age"], data["parcel_only"], tuple(data["items"]))


def in_seconds(fixes: Sequence[StatedFix], zone: ZoneInfo) -> list[Fix]:
    """The fixes with their instants in seconds since 1970.

    Raises marshmallow's ``ValidationError`` for a local time that does not exist or happens twice.
    """
    return [_fix(each, zone, index) for index, each in enumerate(fixes)]


def _fix(stated: StatedFix, zone: ZoneInfo, index: int) -> Fix:
    try:
        t = in_zone(stated.t, zone).timestamp()
    except BadInstant as why:
        raise ValidationError({f"fixes.{index}.t": [str(why)]}) from None
    return Fix(t, stated.lat, stated.lon, stated.accuracy_m, stated.speed_mps, stated.mock)


class MeteredLegOut(Answer):
    """Um trecho da corrida numa zona; os trechos somam a distância."""

    zone = Choice(Zone, required=True)
    metres = fields.Integer(required=True)
    direction = Choice(Direction, required=True)


class StretchOut(Answer):
    """Uma parte contínua do caminho e como foi medida."""

    way = Choice(Way, required=True)
    metres = fields.Float(required=True)
    geometry = LineGeometry(required=True, attribute="line")


class GapOut(Answer):
    """Um tempo sem registro e o que se contou por ele."""

    started_at = Instant(required=True)
    ended_at = Instant(required=True)
    start = Point(required=True)
    end = Point(required=True)
    straight_metres = fields.Integer(required=True)
    metres = fields.Integer(required=True)
    fill = Choice(Fill, required=True)
    cause = Choice(Cause, required=True)
    detail = fields.String(required=True)


class DroppedOut(Answer):
    """Uma posição descartada e por quê."""

    t = Instant(required=True)
    lat = fields.Float(required=True)
    lon = fields.Float(required=True)
    accuracy_m = fields.Float(required=True, allow_none=True)
    speed_mps = fields.Float(required=True, allow_none=True)
    reason = Choice(DropReason, required=True)
    detail = fields.String(required=True)


class DoubtOut(Answer):
    """O que depõe contra a medição, e o melhor grau que isso permite."""

    code = Choice(DoubtCode, required=True)
    at_best = Choice(Grade, required=True)
    detail = fields.String(required=True)


class TrackOut(Answer):
    """A corrida medida: distância por zona, tempo parado, o que a medição prova e a tarifa."""

    municipality = fields.String(required=True)
    metres = fields.Integer(required=True)
    km = Kilometres(required=True)
    legs = fields.List(fields.Nested(MeteredLegOut()), required=True)
    stretches = fields.List(fields.Nested(StretchOut()), required=True)
    started_at = Instant(required=True, allow_none=True)
    ended_at = Instant(required=True, allow_none=True)
    waiting_seconds = fields.Integer(required=True, metadata={"description": "Tempo parado"})
    slow_seconds = fields.Integer(required=True, metadata={"description": "Tempo abaixo de 15 km/h, parado incluído"})
    grade = Choice(
        Grade, required=True, metadata={"description": "A: dentro de 2 %; B: serve para cobrar; C: não prova"}
    )
    doubts = fields.List(fields.Nested(DoubtOut()), required=True)
    complete = Flag(required=True, metadata={"description": "Falso: o caminho real é mais longo que o contado"})
    gaps = fields.List(fields.Nested(GapOut()), required=True)
    used = fields.Integer(required=True, metadata={"description": "Quantas posições contaram"})
    dropped = fields.List(fields.Nested(DroppedOut()), required=True)
    fare = fields.Nested(FareOut(), required=True, allow_none=True)
    zones_version = fields.String(required=True, metadata={"description": "Versão dos perímetros usados"})
    credits = fields.List(fields.String(), required=True)


@dataclass(frozen=True, slots=True)
class Opened:
    """A measurement that was opened."""

    id: str


class OpenedOut(Answer):
    """O número da medição aberta."""

    id = fields.String(required=True)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a track so far, and what became of a batch."""

    fixes: int
    new: int
    before_ride: int


class KeptOut(Answer):
    """Quantas posições a medição já tem, e o que houve com as do lote."""

    fixes = fields.Integer(required=True, metadata={"description": "Guardadas até agora, sem repetições"})
    new = fields.Integer(required=True, metadata={"description": "As do lote que ainda não tinham chegado"})
    before_ride = fields.Integer(
        required=True, metadata={"description": "As do lote anteriores ao aceite: não são da corrida, não ficam"}
    )


class TrackState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class TrackDetails:
    """A track without its result; instants in local time."""

    id: str
    municipality: str
    state: TrackState
    accepted_at: datetime
    closed_at: datetime | None
    fixes: int


class TrackDetailsOut(Answer):
    """Em que pé está a medição."""

    id = fields.String(required=True)
    municipality = fields.String(required=True)
    state = Choice(TrackState, required=True)
    accepted_at = Instant(required=True)
    closed_at = Instant(required=True, allow_none=True)
    fixes = fields.Integer(required=True, metadata={"description": "Guardadas até agora, sem repetições"})


class TrackShownOut(TrackDetailsOut):
    """Em que pé está a medição e, se encerrada, o resultado como foi dado no encerramento."""

    result = fields.Nested(TrackOut(), required=True, allow_none=True)


@dataclass(frozen=True, slots=True)
class ToldGap:
    started_at: datetime
    ended_at: datetime
    start: Position
    end: Position
    straight_metres: int
    metres: int
    fill: Fill
    cause: Cause
    detail: str


@dataclass(frozen=True, slots=True)
class ToldDropped:
    t: datetime
    lat: float
    lon: float
    accuracy_m: float | None
    speed_mps: float | None
    reason: DropReason
    detail: str


@dataclass(frozen=True, slots=True)
class ToldTrack:
    """A metered ride with its instants in local time, as `TrackOut` writes it."""

    municipality: str
    metres: int
    legs: Sequence[Any]
    stretches: Sequence[Stretch]
    started_at: datetime | None
    ended_at: datetime | None
    waiting_seconds: int
    slow_seconds: int
    grade: Grade
    doubts: Sequence[Any]
    complete: bool
    gaps: Sequence[ToldGap]
    used: int
    dropped: Sequence[ToldDropped]
    fare: Any
    zones_version: str
    credits: tuple[str, ...]

    @property
    def km(self) -> int:
        """The same length, for the field that writes metres as kilometres."""
        return self.metres


def told(metered: Metered, municipality: str, zone: ZoneInfo, credits: tuple[str, ...]) -> ToldTrack:
    """What is answered of a metered ride."""
    found = metered.measurement
    return ToldTrack(
        municipality=municipality,
        metres=sum(leg.metres for leg in metered.legs),
        legs=metered.legs,
        stretches=found.stretches,
        started_at=None if found.started_at is None else local(found.started_at, zone),
        ended_at=None if found.ended_at is None else local(found.ended_at, zone),
        waiting_seconds=found.waiting_seconds,
        slow_seconds=found.slow_seconds,
        grade=found.grade,
        doubts=found.doubts,
        complete=found.complete,
        gaps=[_told_gap(gap, zone) for gap in found.gaps],
        used=found.used,
        dropped=[_told_dropped(each, zone) for each in found.dropped],
        fare=metered.fare,
        zones_version=metered.atlas_version,
        credits=credits,
    )


_COUNTED = {Fill.ROAD: "contados pelo caminho usual por estrada", Fill.STRAIGHT: "contados em linha reta"}


def _told_gap(gap: Gap, zone: ZoneInfo) -> ToldGap:
    counted = _COUNTED.get(gap.fill, "não contados")
    return ToldGap(
        started_at=local(gap.started_at, zone),
        ended_at=local(gap.ended_at, zone),
        start=gap.start,
        end=gap.end,
        straight_metres=round(gap.straight_metres),
        metres=round(gap.metres),
        fill=gap.fill,
        cause=gap.cause,
        detail=f"{km(gap.metres or gap.straight_metres)} sem registro, {counted}.",
    )


def _told_dropped(dropped: Dropped, zone: ZoneInfo) -> ToldDropped:
    fix = dropped.fix
    return ToldDropped(
        local(fix.t, zone), fix.lat, fix.lon, fix.accuracy_m, fix.speed_mps, dropped.reason, dropped.reason.detail
    )

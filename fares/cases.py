"""Worked cases kept beside a municipality's norms: a lawyer reads them, the loader makes them reproduce.

A leg is written `zone km [back] [stop] [unpaved] [@district]`, for example `rural 10 back`. Money is decimal reais.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from marshmallow import ValidationError, fields

from fares.engine import price, price_under
from fares.trip import Direction, Evidence, FactMissing, Item, Leg, Surface, Trip, Zone
from laws.loader import loaded
from laws.norm import Municipality, Norm, Status
from laws.schemas import Flag, Km, Moment, Strict
from laws.source import Document
from laws.timeline import EvidenceNeeded, InForce, in_force, norms_beside
from laws.variants import BadChange


class Reais(fields.Field[int]):
    """Decimal reais with two digits, as text; becomes centavos."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        text = str(value)
        whole, dot, cents = text.partition(".")
        if not (whole.isdecimal() and dot and len(cents) == 2 and cents.isdecimal()):
            raise ValidationError(f"valor inválido: {value!r}; escreva como 7.00")
        return int(whole) * 100 + int(cents)


class LegText(fields.Field[Leg]):
    """A leg in words."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Leg:
        zone, *rest = str(value).split()
        if zone not in set(Zone) or not rest:
            raise ValidationError(f"trecho inválido: {value!r}; escreva, por exemplo, 'rural 10 back'")
        metres = Km().deserialize(rest[0])
        marks, codes = [m for m in rest[1:] if m[0] != "@"], [m[1:] for m in rest[1:] if m[0] == "@"]
        unknown = set(marks) - {"back", "stop", "unpaved"}
        if unknown or len(codes) > 1:
            raise ValidationError(f"trecho inválido: {value!r}; use só back, stop, unpaved e um @distrito")
        return Leg(
            zone=Zone(zone),
            metres=metres,
            direction=Direction.RETURN if "back" in marks else Direction.OUTBOUND,
            stop="stop" in marks,
            surface=Surface.UNPAVED if "unpaved" in marks else Surface.PAVED,
            zone_code=codes[0] if codes else None,
        )


class FactsSchema(Strict):
    at = Moment(required=True)
    until = Moment()
    legs = fields.List(LegText(), load_default=list)
    same_vehicle_return = Flag(load_default=False)
    boarded = Flag(load_default=True)
    passengers = fields.Integer(load_default=1)
    passenger_age = fields.Integer(load_default=None)
    parcel_only = Flag(load_default=False)
    waiting_minutes = fields.Integer(load_default=0)
    slow_minutes = fields.Integer(load_default=0)
    category = fields.String(load_default=None)
    items = fields.Dict(keys=fields.String(), values=fields.Integer(), load_default=dict)
    origin_zone_code = fields.String(load_default=None)
    destination_zone_code = fields.String(load_default=None)
    radius_km = Km(load_default=None)
    evidence = fields.Dict(
        keys=fields.Enum(Evidence, by_value=True), values=fields.Date(), load_default=dict[Evidence, date]
    )


class ReadingCaseSchema(Strict):
    choices = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    total = Reais(required=True, allow_none=True)
    note = fields.String()


class CaseSchema(Strict):
    case = fields.String(required=True)
    cite = fields.String(required=True)
    facts = fields.Nested(FactsSchema, required=True)
    adopted = Reais(required=True, allow_none=True)
    status = fields.String(load_default=None)
    readings = fields.List(fields.Nested(ReadingCaseSchema), load_default=list)
    highest = Reais(load_default=None)
    charged = Reais()
    note = fields.String()
    norm = fields.String()


@dataclass(frozen=True, slots=True)
class Case:
    """One worked case: the facts, what is due, and what other readings give.

    ``status`` is the expected status or reason code where there is no price; ``adopted`` then may be the part of the
    fare that the norm does fix. ``highest`` is the most onerous reasonable reading.
    """

    name: str
    trip: Trip
    adopted: int | None
    status: str | None
    readings: tuple[tuple[dict[str, str], int | None], ...]
    highest: int | None


def read_cases(document: Document, zone_info: ZoneInfo) -> tuple[Case, ...]:
    """The cases of a file. Raises `laws.source.LawError`."""
    if not isinstance(document.data, list):
        raise document.refuse((), "o arquivo de casos deve ser uma lista")
    cases: list[Case] = []
    for i, raw in enumerate(document.data):
        data = loaded(CaseSchema(), raw, document, (i,))
        if any(case.name == data["case"] for case in cases):
            raise document.refuse((i, "case"), f"caso repetido: {data['case']}")
        cases.append(
            Case(
                name=data["case"],
                trip=_trip(data["facts"], zone_info),
                adopted=data["adopted"],
                status=data["status"],
                readings=tuple((r["choices"], r["total"]) for r in data["readings"]),
                highest=data["highest"],
            )
        )
    return tuple(cases)


def _trip(facts: dict[str, Any], zone_info: ZoneInfo) -> Trip:
    def local(moment: datetime | None) -> datetime | None:
        return moment.replace(tzinfo=zone_info) if moment else None

    started_at = local(facts["at"])
    assert started_at is not None
    return Trip(
        started_at=started_at,
        ended_at=local(facts.get("until")),
        legs=tuple(facts["legs"]),
        same_vehicle_return=facts["same_vehicle_return"],
        boarded=facts["boarded"],
        passengers=facts["passengers"],
        passenger_age=facts["passenger_age"],
        parcel_only=facts["parcel_only"],
        waiting_seconds=60 * facts["waiting_minutes"],
        slow_seconds=60 * facts["slow_minutes"],
        category=facts["category"],
        items=tuple(Item(k, v) for k, v in facts["items"].items()),
        origin_zone_code=facts["origin_zone_code"],
        destination_zone_code=facts["destination_zone_code"],
        radius_metres=facts["radius_km"],
        evidence=facts["evidence"],
    )


def verify(municipality: Municipality, document: Document) -> None:
    """Refuse the municipality if a worked case does not reproduce. Raises `laws.source.LawError`."""
    for i, case in enumerate(read_cases(document, municipality.zone_info)):
        wrong = differences(municipality, case)
        if wrong:
            raise document.refuse((i,), f"o caso «{case.name}» não se reproduz: {'; '.join(wrong)}")


def differences(municipality: Municipality, case: Case) -> list[str]:
    """In what the engine and the case disagree; empty when they agree."""
    try:
        found = in_force(municipality, case.trip.started_at, case.trip.evidence)
        if found.norm is None:
            return _status_differences(case, found)
        return _norm_differences(found.norm, municipality, case)
    except (EvidenceNeeded, FactMissing, BadChange) as error:
        return [str(error)]


def _status_differences(case: Case, found: InForce) -> list[str]:
    assert found.grounds is not None
    known = {found.grounds.status.value, found.grounds.code}
    return [] if case.adopted is None and case.status in known else [f"não há norma: {', '.join(sorted(known))}"]


def _norm_differences(norm: Norm, municipality: Municipality, case: Case) -> list[str]:
    fare = price(norm, case.trip, norms_beside(municipality, case.trip.started_at, norm.service))
    figure = fare.known_part if fare.status is Status.UNDEFINED_COMPONENT else fare.total
    wrong = []
    if figure != case.adopted:
        wrong.append(f"adotada: esperado {_reais(case.adopted)}, calculado {_reais(figure)}")
    known = {fare.status.value, *(reason.code for reason in fare.reasons)}
    if case.status is not None and case.status not in known:
        wrong.append(f"status: esperado {case.status}, calculado {', '.join(sorted(known))}")
    if case.highest is not None and fare.readings_high != case.highest:
        wrong.append(f"mais onerosa: esperado {_reais(case.highest)}, calculado {_reais(fare.readings_high)}")
    for choices, expected in case.readings:
        got = price_under(norm, case.trip, choices)
        if got != expected:
            wrong.append(f"leitura {choices}: esperado {_reais(expected)}, calculado {_reais(got)}")
    return wrong


def _reais(centavos: int | None) -> str:
    return "sem preço" if centavos is None else f"{centavos // 100}.{centavos % 100:02}"

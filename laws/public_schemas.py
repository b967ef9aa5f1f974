"""What the public contract shows of municipalities and norms (the schemas of the norm files are `laws.schemas`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from marshmallow import fields

from api.answers import Answer
from api.fields import Choice, Day, Flag, Instant, Kilometres, SignedMoney
from api.requests import Request
from laws.norm import Evidence, Nature, Standing, Status


@dataclass(frozen=True, slots=True)
class TariffQuestion:
    """Which instant is asked about (None: now), and the facts on which some norms make their own force depend."""

    at: datetime | None
    evidence: Mapping[Evidence, date]


class TariffQuery(Request):
    at = Instant(load_default=None)
    meter_verified_at = Day()
    table_posted_at = Day()
    tender_homologated_at = Day()

    def build(self, data: dict[str, Any]) -> TariffQuestion:
        return TariffQuestion(data.pop("at"), {Evidence(name): day for name, day in data.items()})


class NormRefOut(Answer):
    """Qual norma, e em que estado."""

    id = fields.String(required=True)
    title = fields.String(required=True)
    label = fields.String(required=True, metadata={"description": "Como os artigos citam a norma"})
    in_force_from = Day(required=True)
    in_force_to = Day(required=True, allow_none=True, metadata={"description": "Primeiro dia fora de vigor"})
    confirmed = Flag(required=True, metadata={"description": "A data de vigência foi confirmada"})
    version = fields.String(required=True, metadata={"description": "SHA-256 dos dados da norma"})


class NormSummaryOut(NormRefOut):
    status = Choice(Status, required=True)


class MunicipalityOut(Answer):
    slug = fields.String(required=True)
    name = fields.String(required=True)
    uf = fields.String(required=True)
    ibge_code = fields.String(required=True)
    time_zone = fields.String(required=True, attribute="zone_info.key")
    area_code = fields.String(required=True, metadata={"description": "DDD"})


class MunicipalityPageOut(Answer):
    items = fields.List(fields.Nested(MunicipalityOut()), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class EntryOut(Answer):
    """Um valor de uma tabela."""

    amount = SignedMoney(required=True, allow_none=True)
    up_to_km = Kilometres(required=True, allow_none=True, attribute="up_to_metres")
    origin = fields.String(required=True, allow_none=True)
    destination = fields.String(required=True, allow_none=True)
    passengers = fields.Integer(required=True, allow_none=True)


class LineOut(Answer):
    code = fields.String(required=True)
    text = fields.String(required=True)
    citation = fields.String(required=True)
    kind = fields.String(required=True)
    unit = fields.String(required=True)
    amount = SignedMoney(required=True, allow_none=True, metadata={"description": "Valor por unidade"})
    from_km = Kilometres(required=True, allow_none=True, attribute="from_metres")
    to_km = Kilometres(required=True, allow_none=True, attribute="to_metres")
    table = fields.List(fields.Nested(EntryOut()), required=True)
    factor = fields.String(required=True, allow_none=True)
    windows = fields.List(fields.String(), required=True, metadata={"description": "Só nestas faixas; vazio: todas"})
    zones = fields.List(fields.String(), required=True, metadata={"description": "Só nestas zonas; vazio: todas"})
    optional = Flag(required=True)


class WindowOut(Answer):
    id = fields.String(required=True)
    text = fields.String(required=True)


class OptionOut(Answer):
    id = fields.String(required=True)
    standing = Choice(Standing, required=True)
    why = fields.String(required=True)


class ClauseOut(Answer):
    """Uma cláusula obscura e todas as suas leituras; a primeira é a adotada."""

    id = fields.String(required=True)
    question = fields.String(required=True)
    citation = fields.String(required=True)
    signed_by = fields.String(required=True, allow_none=True, metadata={"description": "Autoridade que a adotou"})
    signed_on = Day(required=True, allow_none=True)
    options = fields.List(fields.Nested(OptionOut()), required=True)


class ReasonOut(Answer):
    status = Choice(Status, required=True)
    code = fields.String(required=True)
    citation = fields.String(required=True)
    detail = fields.String(required=True, attribute="text")


class ProhibitionOut(Answer):
    code = fields.String(required=True, attribute="grounds.code")
    citation = fields.String(required=True, attribute="grounds.citation")
    detail = fields.String(required=True, attribute="grounds.text")


class WarningOut(Answer):
    code = fields.String(required=True)
    detail = fields.String(required=True)
    citation = fields.String(required=True, allow_none=True)


class TariffOut(Answer):
    municipality = fields.String(required=True)
    status = Choice(Status, required=True)
    norm = fields.Nested(NormRefOut(), required=True, allow_none=True)
    basis = fields.String(required=True, allow_none=True, metadata={"description": "De onde vem a data de vigência"})
    nature = Choice(Nature, required=True, allow_none=True)
    windows = fields.List(fields.Nested(WindowOut()), required=True)
    lines = fields.List(fields.Nested(LineOut()), required=True)
    readings = fields.List(fields.Nested(ClauseOut()), required=True)
    prohibitions = fields.List(fields.Nested(ProhibitionOut()), required=True)
    warnings = fields.List(fields.Nested(WarningOut()), required=True)
    reasons = fields.List(fields.Nested(ReasonOut()), required=True)


class MunicipalityWithNormsOut(MunicipalityOut):
    norms = fields.List(fields.Nested(NormSummaryOut()), required=True)

"""What the address search reads and answers (public contract)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from marshmallow import ValidationError, fields

from api.answers import Answer
from api.fields import Choice, Kilometres, Point, _Text
from api.requests import Request
from zones.places.place import Kind, PositionQuality
from zones.places.rural import Side

LONGEST_TYPED = 200
MOST_CANDIDATES = 20


@dataclass(frozen=True, slots=True)
class PlaceQuestion:
    """What was typed, how many candidates are wanted, and whether the online geocoder may be asked."""

    query: str
    limit: int
    online: bool


class _Typed(_Text):
    """What a person typed: anything printable, within bounds."""

    described = {"type": "string", "minLength": 1, "maxLength": LONGEST_TYPED}  # noqa: RUF012 - see the base class

    def read(self, text: str) -> str:
        if not 1 <= len(text.strip()) <= len(text) <= LONGEST_TYPED:
            raise ValidationError(f"deve ter de 1 a {LONGEST_TYPED} caracteres")
        if not text.isprintable():
            raise ValidationError("contém caracteres de controle")
        return text


class _Limit(_Text):
    """How many candidates."""

    described = {"type": "integer", "minimum": 1, "maximum": MOST_CANDIDATES}  # noqa: RUF012

    def read(self, text: str) -> int:
        if re.fullmatch(r"[1-9][0-9]?", text) is None or int(text) > MOST_CANDIDATES:
            raise ValidationError(f"deve ser um número inteiro de 1 a {MOST_CANDIDATES}")
        return int(text)


class _YesNo(StrEnum):
    YES = "true"
    NO = "false"


class PlaceQuery(Request):
    q = _Typed(required=True, metadata={"description": "O que foi digitado", "example": "linha c4 km 12"})
    limit = _Limit(load_default=10)
    online = Choice(
        _YesNo,
        load_default=_YesNo.NO,
        metadata={"description": "Consultar também o geocodificador on-line; nunca a cada tecla"},
    )

    def build(self, data: dict[str, Any]) -> PlaceQuestion:
        return PlaceQuestion(data["q"], data["limit"], data["online"] is _YesNo.YES)


class RuralAddressOut(Answer):
    """O endereço rural como foi lido do texto."""

    linha = fields.String(required=True, allow_none=True)
    km = Kilometres(required=True, allow_none=True, attribute="metres")
    side = Choice(Side, required=True, allow_none=True)
    lot = fields.String(required=True, allow_none=True)
    gleba = fields.String(required=True, allow_none=True)
    sector = fields.String(required=True, allow_none=True)
    reference = fields.String(required=True)


class CandidateOut(Answer):
    """Um lugar possível; quem pergunta confirma."""

    kind = Choice(Kind, required=True, attribute="place.kind")
    label = fields.String(required=True)
    score = fields.Integer(required=True, metadata={"description": "De 0 a 100; 100: o nome digitado por inteiro"})
    position = Point(required=True, allow_none=True)
    position_quality = Choice(PositionQuality, required=True)
    note = fields.String(required=True, allow_none=True, metadata={"description": "Em que se apoia a posição"})
    unmatched = fields.List(
        fields.String(), required=True, metadata={"description": "Palavras digitadas que não estão no nome"}
    )
    address = fields.Nested(RuralAddressOut(), required=True, allow_none=True)
    source = fields.String(required=True, attribute="place.source")


class NoticeOut(Answer):
    code = fields.String(required=True)
    detail = fields.String(required=True)


class PlacesOut(Answer):
    items = fields.List(fields.Nested(CandidateOut()), required=True)
    warnings = fields.List(fields.Nested(NoticeOut()), required=True)
    credits = fields.List(fields.String(), required=True, metadata={"description": "A mostrar junto dos resultados"})

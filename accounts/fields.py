"""Fields of the public contract for documents, plates and telephones; they read strictly and write what was kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from marshmallow import ValidationError

from accounts import identifiers as ids
from accounts.identifiers.phone import TYPED_PATTERN
from api.fields import _Text
from api.problem import FieldError, Problem

Value = TypeVar("Value")


def _or_invalid(parse: Callable[[str], Value], text: str) -> Value:
    try:
        return parse(text)
    except ids.BadIdentifier as why:
        raise ValidationError(str(why)) from None


class Cpf(_Text):
    """A CPF, with or without punctuation; answers show it masked."""

    described: ClassVar[dict[str, Any]] = {
        "type": "string",
        "maxLength": 40,
        "description": "CPF, com ou sem pontuação; nas respostas, mascarado",
        "example": "012.345.678-90",
    }

    def read(self, text: str) -> ids.Cpf:
        return _or_invalid(ids.parse_cpf, text)

    def write(self, value: ids.Cpf) -> str:
        return value.masked


class Cnpj(_Text):
    """A CNPJ, of digits or with letters."""

    described: ClassVar[dict[str, Any]] = {
        "type": "string",
        "maxLength": 40,
        "description": "CNPJ, numérico ou alfanumérico, com ou sem pontuação",
        "example": "12.ABC.345/01DE-35",
    }

    def read(self, text: str) -> ids.Cnpj:
        return _or_invalid(ids.parse_cnpj, text)

    def write(self, value: ids.Cnpj) -> str:
        return value.formatted


class Cnh(_Text):
    """A driving licence's number; what is odd about it is a warning of the value, not an error."""

    described: ClassVar[dict[str, Any]] = {
        "type": "string",
        "maxLength": 40,
        "description": "Registro da CNH; dígitos que não conferem geram aviso, não recusa; nas respostas, mascarado",
        "example": "36043652707",
    }

    def read(self, text: str) -> ids.Cnh:
        return _or_invalid(ids.parse_cnh, text)

    def write(self, value: ids.Cnh) -> str:
        return value.masked


class Plate(_Text):
    """A number plate, old or Mercosul."""

    described: ClassVar[dict[str, Any]] = {
        "type": "string",
        "maxLength": 40,
        "description": "Placa antiga ou Mercosul; as duas formas do mesmo veículo são reconhecidas como uma",
        "example": "NDX1C34",
    }

    def read(self, text: str) -> ids.Plate:
        return _or_invalid(ids.parse_plate, text)

    def write(self, value: ids.Plate) -> str:
        return value.shown


class Phone(_Text):
    """A telephone with its area code; answers show it masked."""

    described: ClassVar[dict[str, Any]] = {
        "type": "string",
        "maxLength": 40,
        "description": "Telefone do Brasil com DDD; nas respostas, mascarado",
        "example": "+5569992841234",
    }

    def read(self, text: str) -> ids.Phone:
        return _or_invalid(lambda typed: ids.parse_phone(typed, area_code=None), text)

    def write(self, value: ids.Phone) -> str:
        return value.masked


class DialledPhone(_Text):
    """A telephone as dialled in a town, perhaps without area code; stays text until ``dialled_in`` reads it.

    Only with the town's area code is a local number not taken for another state's.
    """

    described: ClassVar[dict[str, Any]] = {
        "type": "string",
        "maxLength": 40,
        "pattern": TYPED_PATTERN,
        "description": "Telefone do Brasil; sem DDD, vale o do município",
        "example": "99284-1234",
    }

    def read(self, text: str) -> str:
        if len(text) > 40 or re.fullmatch(TYPED_PATTERN[1:-1], text) is None:
            raise ValidationError("telefone são só números, como (69) 99284-1234")
        return text


def dialled_in(area_code: str, dialled: str, path: str = "phone") -> ids.Phone:
    """The number ``dialled`` in a town of this area code. Raises `Problem` 422 naming the field at ``path``."""
    try:
        return ids.parse_phone(dialled, area_code)
    except ids.BadIdentifier as why:
        raise Problem(422, errors=[FieldError(path, str(why))]) from None

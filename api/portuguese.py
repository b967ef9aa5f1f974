"""marshmallow's own messages in Portuguese, put in place once, when a schema of ours is first imported.

The library documents replacing ``default_error_messages`` on its classes; doing it centrally means that a field used
anywhere in the house, ours or the library's, never answers in English.
"""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

_FIELD_MESSAGES: dict[type[fields.Field[Any]], dict[str, str]] = {
    fields.Field: {
        "required": "campo obrigatório",
        "null": "não pode ser null; omita o campo se não houver valor",
        "validator_failed": "valor inválido",
    },
    fields.String: {"invalid": "deve ser texto", "invalid_utf8": "deve ser texto em UTF-8"},
    fields.Integer: {"invalid": "deve ser número inteiro, sem aspas", "too_large": "número grande demais"},
    fields.Number: {"invalid": "deve ser número", "too_large": "número grande demais"},
    fields.Boolean: {"invalid": "deve ser true ou false"},
    fields.List: {"invalid": "deve ser uma lista"},
    fields.Nested: {"type": "deve ser um objeto JSON"},
    fields.Date: {"invalid": "data inválida", "format": "data inválida"},
    fields.DateTime: {"invalid": "data e hora inválidas", "format": "data e hora inválidas"},
    fields.Enum: {"unknown": "deve ser um destes: {choices}"},
}


SCHEMA_MESSAGES = {
    "type": "deve ser um objeto JSON",
    "unknown": "campo desconhecido; retire-o ou corrija o nome",
}
"""For ``Schema.error_messages``, which the library lets each base class set for itself."""


def speak_portuguese() -> None:
    """Replace the library's English messages. May be called any number of times."""
    for kind, messages in _FIELD_MESSAGES.items():
        kind.default_error_messages = {**kind.default_error_messages, **messages}
    # Doubled braces: Range formats its messages twice.
    validate.Range.message_min = "deve ser no mínimo {{min}}"
    validate.Range.message_max = "deve ser no máximo {{max}}"
    validate.Range.message_all = "deve estar entre {{min}} e {{max}}"
    validate.Length.message_min = "tamanho mínimo: {min}"
    validate.Length.message_max = "tamanho máximo: {max}"
    validate.Length.message_all = "tamanho deve estar entre {min} e {max}"
    validate.Length.message_equal = "tamanho deve ser {equal}"
    validate.OneOf.default_message = "deve ser um destes: {choices}"
    validate.Regexp.default_message = "formato inválido"

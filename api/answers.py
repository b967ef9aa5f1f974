"""Schemas that write answers, fast: the fields are looked at once, not again for every row of every answer.

An answer is built from frozen dataclasses of ours, so nothing of marshmallow's general machinery (mappings or objects,
missing attributes, hooks) is needed to write it; the schema still is the one description of the answer, for the
OpenAPI and for the tests, which hold the fast way equal to the library's own.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from marshmallow import Schema, fields

Writer = Callable[[Any], Any]

_AS_IS = (fields.String, fields.Boolean, fields.Integer, fields.Dict, fields.Raw)


class Answer(Schema):
    """Base of every schema that writes an answer from dataclasses; it has no hooks and reads nothing."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._writers = tuple((name, _member(name, field)) for name, field in self.dump_fields.items())

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        if self.many if many is None else many:
            return [self._row(one) for one in obj]
        return self._row(obj)

    def dump_slowly(self, obj: Any) -> Any:
        """What marshmallow itself writes; the tests compare."""
        return super().dump(obj)

    def _row(self, obj: Any) -> dict[str, Any]:
        return {name: write(obj) for name, write in self._writers}


def _member(name: str, field: fields.Field[Any]) -> Writer:
    """How to write one member of an answer, given the whole object."""
    if not field._CHECK_ATTRIBUTE:  # computed from the whole object, or constant
        return lambda obj: field._serialize(None, name, obj)
    get = attrgetter(field.attribute or name)
    write = _writer(field)
    return get if write is None else lambda obj: write(get(obj))


def _writer(field: fields.Field[Any]) -> Writer | None:
    """How to write a value of ``field``; None when it goes out as it is."""
    if isinstance(field, fields.Nested):
        dump = field.schema.dump
        return lambda value: None if value is None else dump(value)
    if isinstance(field, fields.List):
        inner = _writer(field.inner)
        return list if inner is None else lambda values: None if values is None else [inner(one) for one in values]
    if isinstance(field, _AS_IS):
        return None
    return lambda value: field._serialize(value, "", None)

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

Write = Callable[[Any], Any]

_AS_IS = (fields.String, fields.Boolean, fields.Integer, fields.Dict)


class Answer(Schema):
    """Base of every schema that writes an answer from dataclasses; it has no hooks and reads nothing."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        whole = {name: field for name, field in self.dump_fields.items() if not field._CHECK_ATTRIBUTE}
        parts = {name: field for name, field in self.dump_fields.items() if name not in whole}
        self._names = tuple(self.dump_fields)
        # One call fetches every attribute; "__class__" holds the place of what is made from the whole object.
        paths = ("__class__" if name in whole else field.attribute or name for name, field in self.dump_fields.items())
        self._values = attrgetter(*paths, "__class__")
        self._of_value = tuple((name, write) for name, field in parts.items() if (write := _writer(field)))
        self._of_whole = tuple((name, field) for name, field in whole.items())

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        if self.many if many is None else many:
            return [self.write(one) for one in obj]
        return self.write(obj)

    def dump_slowly(self, obj: Any) -> Any:
        """What marshmallow itself writes; the tests compare."""
        return super().dump(obj)

    def write(self, obj: Any) -> dict[str, Any]:
        """One object as the members of its JSON."""
        row = dict(zip(self._names, self._values(obj)))  # noqa: B905 - the last value is only there to make a tuple
        for name, write in self._of_value:
            value = row[name]
            if value is not None:
                row[name] = write(value)
        for name, field in self._of_whole:
            row[name] = field._serialize(None, name, obj)
        return row


def _writer(field: fields.Field[Any]) -> Write | None:
    """How to write a value of ``field`` that is not null; None when it goes out as it is."""
    if hasattr(field, "write"):  # our own fields
        return field.write  # type: ignore[no-any-return]
    if isinstance(field, fields.Nested):
        schema = field.schema
        return schema.write if isinstance(schema, Answer) else schema.dump
    if isinstance(field, fields.List):
        inner = _writer(field.inner)
        return list if inner is None else lambda values: [inner(one) for one in values]
    if isinstance(field, _AS_IS):
        return None
    return lambda value: field._serialize(value, "", None)

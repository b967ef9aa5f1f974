"""Schemas that write answers, fast: the fields are looked at once, not again for every row of every answer.

An answer is built from frozen dataclasses of ours, so nothing of marshmallow's general machinery (mappings or objects,
missing attributes, hooks) is needed to write it. As `dataclasses` does for ``__init__``, a schema writes the one
expression that makes a row and has Python compile it. The schema still is the only description of the answer, for the
OpenAPI and for the tests, which hold the compiled way equal to the library's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import Schema, fields

Write = Callable[[Any], Any]

_AS_IS = (fields.String, fields.Boolean, fields.Integer, fields.Dict)


class Answer(Schema):
    """Base of every schema that writes an answer from dataclasses; it has no hooks and reads nothing."""

    write: Write
    """One object as the members of its JSON."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        names: dict[str, Any] = {}
        members = [f"{name!r}: {_member(name, field, names)}" for name, field in self.dump_fields.items()]
        # Only names of fields and attributes that our own classes spell out are in this text.
        self.write = eval("lambda o: {" + ", ".join(members) + "}", names)  # noqa: S307

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        if self.many if many is None else many:
            return [self.write(one) for one in obj]
        return self.write(obj)

    def dump_slowly(self, obj: Any) -> Any:
        """What marshmallow itself writes; the tests compare."""
        return super().dump(obj)


def _member(name: str, field: fields.Field[Any], names: dict[str, Any]) -> str:
    """The expression that makes one member of an answer from the object ``o``; what it calls is put into ``names``."""
    called = f"f{len(names)}"
    if not field._CHECK_ATTRIBUTE:  # made from the whole object, or constant
        names[called] = field._serialize
        return f"{called}(None, {name!r}, o)"
    inner = field.inner if isinstance(field, fields.List) else field
    write = _writer(inner)
    if write is None:
        written = "v" if inner is field else "list(v)"
    else:
        names[called] = write
        written = f"{called}(v)" if inner is field else f"[{called}(one) for one in v]"
    value = f"o.{field.attribute or name}"
    return value if written == "v" else f"None if (v := {value}) is None else {written}"


def _writer(field: fields.Field[Any]) -> Write | None:
    """How to write a value of ``field`` that is not null; None when it goes out as it is."""
    if hasattr(field, "write"):  # our own fields
        return field.write  # type: ignore[no-any-return]
    if isinstance(field, fields.Nested):
        schema = field.schema
        return schema.write if isinstance(schema, Answer) else schema.dump
    if isinstance(field, _AS_IS):
        return None
    return lambda value: field._serialize(value, "", None)

"""Schemas that read requests: strict, and fast when nothing is wrong.

marshmallow looks at every field of a schema for every row it reads, in a general way that costs more than pricing the
trip. So a request is first read by a plain loop over readers made once; at the first thing that is not plainly right
the loop gives up and marshmallow reads it all again, finding every error there is. What a request means is therefore
always what marshmallow says; the tests hold the two ways equal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from marshmallow import RAISE, Schema, ValidationError, fields, missing, post_load

from api import portuguese

Read = Callable[[Any], Any]
"""Reads one value that is present and not null; raises ``ValidationError`` when it is not plainly right."""


class Request(Schema):
    """Base of every schema that reads a request. An unknown field is an error that names it.

    A subclass overrides ``build`` to make its value. One that uses marshmallow's hooks instead works, slowly.
    """

    error_messages = portuguese.SCHEMA_MESSAGES

    class Meta:
        unknown = RAISE

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._members = tuple(_member(name, field) for name, field in self.load_fields.items())
        hooks = {name for hooks in self._hooks.values() for name, *_ in hooks}
        as_usual = self.unknown == RAISE and not self.many and not self.partial
        self._quick = as_usual and hooks == {"_build"} and not any(callable(one.default) for one in self._members)

    def build(self, data: dict[str, Any]) -> Any:
        """The value that the checked fields make. Raises ``ValidationError`` where they do not fit one another."""
        return data

    def load(self, data: Any, **kwargs: Any) -> Any:
        """The value of a request. Raises ``ValidationError`` with every error found."""
        if self._quick and not kwargs:
            try:
                return self.read(data)
            except ValidationError:
                pass
        return super().load(data, **kwargs)

    def read(self, data: Any) -> Any:
        """Read what is plainly right; raises ``ValidationError`` without saying all that is wrong."""
        if not self._quick:
            return super().load(data)
        if type(data) is not dict:
            raise _NOT_PLAIN
        left = len(data)
        values: dict[str, Any] = {}
        for key, name, read, default, required, nullable in self._members:
            value = data.get(key, missing)
            if value is missing:
                if required:
                    raise _NOT_PLAIN
                if default is not missing:
                    values[name] = default
                continue
            left -= 1
            if value is not None:
                values[name] = read(value)
            elif nullable:
                values[name] = None
            else:
                raise _NOT_PLAIN
        if left:  # some key is not a field
            raise _NOT_PLAIN
        return self.build(values)

    @post_load
    def _build(self, data: dict[str, Any], **kwargs: Any) -> Any:
        return self.build(data)


_NOT_PLAIN = ValidationError("not plainly right")


class _Member(NamedTuple):
    key: str
    name: str
    read: Read
    default: Any
    required: bool
    nullable: bool


def _member(name: str, field: fields.Field[Any]) -> _Member:
    key = field.data_key if field.data_key is not None else name
    read = field.deserialize if field.validators else getattr(field, "plainly", field.deserialize)
    return _Member(key, field.attribute or name, read, field.load_default, field.required, field.allow_none)

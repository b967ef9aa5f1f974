"""Lists in pages: `?limit=&cursor=` in, `{items, next_cursor}` out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from marshmallow import ValidationError

from api.fields import Word, _Text
from api.requests import Request

MOST = 200
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list is asked for: ``limit`` items after the one whose key is ``cursor``."""

    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Part of a list; ``next_cursor`` is None on the last page."""

    items: Sequence[Item]
    next_cursor: str | None


def cut(items: Sequence[Item], window: Window, key: Callable[[Item], str]) -> Page[Item]:
    """The page of ``items``, sorted by the text ``key`` gives each, that ``window`` asks for."""
    rest = [item for item in items if window.cursor is None or key(item) > window.cursor]
    shown = rest[: window.limit]
    return Page(shown, key(shown[-1]) if len(rest) > len(shown) else None)


class Limit(_Text):
    """A whole number of items in a query."""

    described = {"type": "integer", "minimum": 1, "maximum": MOST}  # noqa: RUF012 - see the base class

    def read(self, text: str) -> int:
        if re.fullmatch(r"[1-9][0-9]{0,2}", text) is None or int(text) > MOST:
            raise ValidationError(f"deve ser um número inteiro de 1 a {MOST}")
        return int(text)


class WindowIn(Request):
    limit = Limit(load_default=50)
    cursor = Word(load_default=None)

    def build(self, data: dict[str, Any]) -> Window:
        return Window(**data)

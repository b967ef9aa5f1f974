"""Lists of what an actor reaches, a page at a time: never more rows than are shown, never another town's."""

from __future__ import annotations

from typing import TypeVar

from sqlalchemy import Select
from sqlalchemy.orm import Session

from accounts.models import Account, ServiceKey
from accounts.rights import Actor, Scope
from api.pages import Page, Window, cut

__all__ = ["within_reach"]

Row = TypeVar("Row", Account, ServiceKey)


def within_reach(
    session: Session, query: Select[Row], table: type[Row], actor: Actor, action: str, window: Window
) -> Page[Row]:
    """The page of ``query``, by id, that the right of ``actor`` to ``action`` reaches."""
    if actor.scope_of(action) is not Scope.ALL:
        query = query.where(table.municipality == actor.municipality)
    if window.cursor is not None:
        query = query.where(table.id > window.cursor)
    rows = session.scalars(query.order_by(table.id).limit(window.limit + 1)).all()
    return cut(rows, window, lambda row: row.id)

"""Keys of integrators: made, shown once, revoked. Works in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from accounts import tokens
from accounts.listing import within_reach
from accounts.models import ServiceKey
from accounts.rights import KEY_SCOPES, Actor
from api.pages import Page, Window

__all__ = ["KeyOrder", "MadeKey", "NameTaken", "NotHisToGive", "create", "visible"]


class NameTaken(ValueError):
    """A live key of the municipality has this name."""


class NotHisToGive(ValueError):
    """The maker asked for a right that he has not himself, or that no key may have."""

    def __init__(self, scopes: Iterable[str]) -> None:
        super().__init__(", ".join(sorted(scopes)))


@dataclass(frozen=True, slots=True)
class KeyOrder:
    """A key to be made: ``municipality`` None is a key for all of them."""

    municipality: str | None
    name: str
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A key with its ``secret``, told once."""

    key: ServiceKey
    secret: str


def create(session: Session, order: KeyOrder, by: Actor, now: datetime) -> MadeKey:
    """Make a key that can do no more than its maker. Raises ``NotHisToGive`` or ``NameTaken``."""
    refused = [scope for scope in order.scopes if scope not in KEY_SCOPES or not by.reaches(scope, order.municipality)]
    if refused:
        raise NotHisToGive(refused)
    secret = tokens.new(tokens.Kind.SERVICE)
    key = ServiceKey(
        id=uuid4().hex,
        municipality=order.municipality,
        name=order.name,
        key_sha256=tokens.digest(secret),
        scopes=sorted(order.scopes),
        created_by=by.caller,
        created_at=now,
    )
    try:
        with session.begin_nested():
            session.add(key)
    except IntegrityError:
        raise NameTaken(order.name) from None
    return MadeKey(key, secret)


def visible(session: Session, actor: Actor, action: str, window: Window) -> Page[ServiceKey]:
    """The live keys that ``actor`` may see, by id."""
    live = select(ServiceKey).where(ServiceKey.revoked_at.is_(None))
    return within_reach(session, live, ServiceKey, actor, action, window)

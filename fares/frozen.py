"""Quotes kept and proved: the bytes answered once are the bytes answered ever after."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from fares.codes import code_for, locator_of, new_locator, proves
from fares.models import FrozenQuote
from fares.quotes import Priced, QuoteOrder


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a quote gets when it is frozen: its name, its time, and for how long it binds."""

    id: str
    locator: str
    created_at: datetime
    expires_at: datetime


def stamp(now: datetime, valid_for: timedelta) -> Stamp:
    """A new quote's stamp; times are those of the server."""
    return Stamp(uuid4().hex, new_locator(), now, now + valid_for)


def seal(payload: bytes, locator: str, secret: bytes) -> bytes:
    """The document of a quote: its payload, a JSON object, with the code that proves it as the last member."""
    return payload.removesuffix(b"}") + _member(code_for(locator, payload, secret))


def _member(code: str) -> bytes:
    return f',"code":"{code}"}}'.encode()


_SEAL_LENGTH = len(_member("XXXX-XXXX-XXXX-XXXX"))


def freeze(session: Session, order: QuoteOrder, priced: Priced, marked: Stamp, document: bytes) -> None:
    """Keep a quote's sealed document under its stamp. Nothing can change it afterwards."""
    norm = priced.fare.norm
    session.add(
        FrozenQuote(
            id=marked.id,
            locator=marked.locator,
            municipality=order.municipality,
            norm_id=norm.id if norm else None,
            norm_version=norm.version if norm else None,
            zones_version=priced.atlas_version,
            created_at=marked.created_at,
            expires_at=marked.expires_at,
            document=document,
        )
    )


def document_of(session: Session, quote_id: str) -> bytes | None:
    """The document of a quote, byte for byte as first answered; None for an unknown id."""
    return session.scalar(select(FrozenQuote.document).where(FrozenQuote.id == quote_id))


@dataclass(frozen=True, slots=True)
class Proof:
    """What a code proves. ``quote`` is None for a code that was never given or does not fit its document."""

    quote: FrozenQuote | None
    expired: bool


def prove(session: Session, typed: str, secret: bytes, now: datetime) -> Proof:
    """Look up and check a code as typed. Raises `fares.codes.BadCode` for what is not a code."""
    quote = session.scalar(select(FrozenQuote).where(FrozenQuote.locator == locator_of(typed)))
    if quote is None or not proves(typed, quote.document[:-_SEAL_LENGTH] + b"}", secret):
        return Proof(None, expired=False)
    return Proof(quote, expired=now >= quote.expires_at)

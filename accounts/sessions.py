"""Sign-ins in PostgreSQL: opened, refreshed, asked for, ended. Every function works in the caller's transaction.

A refresh replaces both tokens. Of two refreshes at once exactly one wins; the other, and whoever repeats the token
replaced last within `GRACE`, is told so and the sign-in lives on (two open tabs are no theft). Any older token, or
that one later, is taken for stolen: the whole sign-in ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from secrets import token_urlsafe

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from accounts import tokens
from accounts.models import Account, ServiceKey, SignIn
from accounts.rights import Actor, Role

__all__ = [
    "GRACE",
    "Lives",
    "Opened",
    "Refusal",
    "actor_of",
    "end",
    "end_all",
    "open_for_script",
    "open_session",
    "refresh",
]

GRACE = timedelta(seconds=10)


class Refusal(StrEnum):
    """Why a refresh token is not good."""

    UNKNOWN = "unknown"
    SUPERSEDED = "superseded"
    """Another request has just renewed this sign-in, which lives on."""
    REUSED = "reused"
    """The token had been replaced: the sign-in was ended."""


@dataclass(frozen=True, slots=True)
class Lives:
    """How long things last: access tokens, sign-ins on phones, and sign-ins of the staff."""

    access: timedelta
    phone: timedelta
    staff: timedelta

    def of(self, role: Role) -> timedelta:
        """How long a sign-in of ``role`` lasts, however often refreshed."""
        return self.phone if role in (Role.PASSENGER, Role.RIDER) else self.staff


@dataclass(frozen=True, slots=True)
class Opened:
    """The tokens of a sign-in, told once. ``device`` only when one was bound just now."""

    account: Account
    access: str
    access_until: datetime
    refresh: str
    until: datetime
    device: str | None = None


def open_session(session: Session, account: Account, lives: Lives, now: datetime, device: str | None = None) -> Opened:
    """Open a sign-in of ``account``."""
    kept = SignIn(id=token_urlsafe(16), account_id=account.id, opened_at=now, until=now + lives.of(account.kind))
    opened = _renew(kept, account, lives, now, device)
    session.add(kept)
    return opened


def open_for_script(session: Session, account: Account, life: timedelta, now: datetime) -> str:
    """An access token that lasts ``life`` and cannot be refreshed."""
    access = tokens.new(tokens.Kind.ACCESS)
    until = now + life
    session.add(
        SignIn(
            id=token_urlsafe(16),
            account_id=account.id,
            access_sha256=tokens.digest(access),
            access_until=until,
            opened_at=now,
            until=until,
        )
    )
    return access


def refresh(session: Session, token: str, lives: Lives, now: datetime) -> Opened | Refusal:
    """New tokens for an old refresh token. A refusal is to be committed too: it may have ended the sign-in."""
    kept = session.get(SignIn, tokens.session_of(token) or "", with_for_update=True)
    if kept is None or kept.ended_at is not None or kept.until <= now or kept.refresh_sha256 is None:
        return Refusal.UNKNOWN
    if tokens.matches(token, kept.refresh_sha256):
        account = session.get_one(Account, kept.account_id)
        if account.disabled_at is not None:
            return Refusal.UNKNOWN
        kept.former_refresh_sha256, kept.refreshed_at = kept.refresh_sha256, now
        return _renew(kept, account, lives, now)
    just_replaced = kept.refreshed_at is not None and now - kept.refreshed_at <= GRACE
    if just_replaced and tokens.matches(token, kept.former_refresh_sha256):
        return Refusal.SUPERSEDED
    kept.ended_at, kept.ended_because = now, "refresh_reused"
    return Refusal.REUSED


def actor_of(session: Session, token: str, now: datetime) -> Actor | None:
    """Who presents an access token or a service key; None when it is not good (any more)."""
    if token.startswith(tokens.Kind.SERVICE):
        return _actor_of_key(session, token)
    row = session.execute(
        select(Account, SignIn)
        .join(SignIn)
        .where(
            SignIn.access_sha256 == tokens.digest(token),
            SignIn.access_until > now,
            SignIn.ended_at.is_(None),
            Account.disabled_at.is_(None),
        )
    ).one_or_none()
    if row is None:
        return None
    account, kept = row
    return Actor(account.kind, account.id, account.municipality, account.name, session=kept.id)


def end(session: Session, sign_in_id: str, now: datetime) -> None:
    """End one sign-in; its tokens are worth nothing from now on."""
    _end(session, SignIn.id == sign_in_id, now, "signed_out")


def end_all(session: Session, account_id: str, now: datetime, because: str, *, but: str | None = None) -> None:
    """End all sign-ins of an account, on every device, except perhaps the one the request came from."""
    spared = SignIn.id != but if but is not None else SignIn.id.is_not(None)
    _end(session, (SignIn.account_id == account_id) & spared, now, because)


def _end(session: Session, which: object, now: datetime, because: str) -> None:
    live = SignIn.ended_at.is_(None)
    session.execute(update(SignIn).where(which, live).values(ended_at=now, ended_because=because))  # type: ignore[arg-type]


def _renew(kept: SignIn, account: Account, lives: Lives, now: datetime, device: str | None = None) -> Opened:
    access, renewal = tokens.new(tokens.Kind.ACCESS), tokens.new(tokens.Kind.REFRESH, kept.id)
    kept.access_sha256, kept.refresh_sha256 = tokens.digest(access), tokens.digest(renewal)
    kept.access_until = min(now + lives.access, kept.until)
    return Opened(account, access, kept.access_until, renewal, kept.until, device)


def _actor_of_key(session: Session, token: str) -> Actor | None:
    key = session.scalar(
        select(ServiceKey).where(ServiceKey.key_sha256 == tokens.digest(token), ServiceKey.revoked_at.is_(None))
    )
    if key is None:
        return None
    return Actor(Role.SERVICE, key.id, key.municipality, key.name, scopes=frozenset(key.scopes))

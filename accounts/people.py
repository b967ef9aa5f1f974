"""Accounts: made, found, disabled, given a new secret or a new device. Works in the caller's transaction.

Whether somebody may do so is asked before, in the views (`accounts.rights`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from accounts import passwords, sessions, totp
from accounts.listing import within_reach
from accounts.models import Account, Means
from accounts.rights import Actor, Role
from api.pages import Page, Window

__all__ = [
    "Enrolment",
    "Issued",
    "LoginTaken",
    "NewAccount",
    "change_secret",
    "create",
    "disable",
    "enable",
    "find",
    "of_script",
    "rebind",
    "reset",
    "visible",
]

TOTP_ROLES = frozenset({Role.AUTHORITY, Role.ADMIN})
"""Who must show a code of an authenticator app in production."""


class LoginTaken(ValueError):
    """Another account of the municipality has this login or permit."""


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account to be made: ``login`` is a rider's permit number. ``totp``: with an authenticator app."""

    role: Role
    municipality: str | None
    login: str
    name: str
    totp: bool = False


@dataclass(frozen=True, slots=True)
class Enrolment:
    """What secrets of authenticator apps are made from, and whether some roles must have one."""

    key: str
    issuer: str
    demanded: bool


@dataclass(frozen=True, slots=True)
class Issued:
    """An account with the secret made for it, told once; ``totp_uri`` is for the authenticator app."""

    account: Account
    secret: str
    totp_uri: str | None


def means_of(role: Role) -> Means:
    """How accounts of ``role`` sign in."""
    return {Role.RIDER: Means.PERMIT, Role.PASSENGER: Means.PHONE}.get(role, Means.PASSWORD)


def find(session: Session, municipality: str | None, means: Means, login: str, *, lock: bool = False) -> Account | None:
    """The account with this login, disabled or not."""
    query = select(Account).where(Account.municipality == municipality, Account.means == means, Account.login == login)
    return session.scalar(query.with_for_update() if lock else query)


def create(session: Session, order: NewAccount, enrolment: Enrolment, by: str, now: datetime) -> Issued:
    """Make an account with a first secret. Raises ``LoginTaken``."""
    with_totp = order.totp or (enrolment.demanded and order.role in TOTP_ROLES)
    account = Account(
        id=uuid4().hex,
        role=order.role,
        municipality=order.municipality,
        means=means_of(order.role),
        login=order.login,
        name=order.name,
        totp_generation=0 if with_totp else None,
        totp_last_step=0,
        created_by=by,
        created_at=now,
    )
    try:
        with session.begin_nested():
            session.add(account)
    except IntegrityError:
        raise LoginTaken(order.login) from None
    return reset(session, account, enrolment, now)


def reset(session: Session, account: Account, enrolment: Enrolment, now: datetime) -> Issued:
    """A new first secret and a new secret for the authenticator app; whoever is signed in is signed out.

    The device of a rider stays bound: a new PIN alone opens nothing elsewhere.
    """
    secret = passwords.first_pin() if account.means == Means.PERMIT else passwords.first_password()
    account.secret_hash = passwords.hashed(secret)
    uri = None
    if account.totp_generation is not None:
        account.totp_generation += 1
        app = totp.authenticator(enrolment.key, account.id, account.totp_generation, enrolment.issuer, account.login)
        uri = app.provisioning_uri()
    sessions.end_all(session, account.id, now, "secret_reset")
    return Issued(account, secret, uri)


def change_secret(session: Session, account: Account, new: str, now: datetime, *, kept: str | None) -> None:
    """The owner's own new password or PIN; his other sign-ins end. Raises ``WeakSecret``."""
    if account.means == Means.PERMIT:
        passwords.check_pin(new)
    else:
        passwords.check_password(new, account.login, account.name)
    account.secret_hash = passwords.hashed(new)
    sessions.end_all(session, account.id, now, "secret_changed", but=kept)


def rebind(session: Session, account: Account, now: datetime) -> None:
    """Let a rider's next sign-in bind another device; the former one is signed out."""
    account.device_sha256 = None
    sessions.end_all(session, account.id, now, "device_rebound")


def disable(session: Session, account: Account, now: datetime) -> None:
    """Shut an account and sign it out everywhere; done twice it is done once."""
    account.disabled_at = account.disabled_at or now
    sessions.end_all(session, account.id, now, "disabled")


def enable(account: Account) -> None:
    """Open a disabled account again, with the secret it had."""
    account.disabled_at = None


def visible(session: Session, actor: Actor, action: str, window: Window) -> Page[Account]:
    """The accounts that ``actor`` may look after, by id."""
    roles = [role for role in Role if actor.manages(role)]
    query = select(Account).where(Account.role.in_(roles))
    return within_reach(session, query, Account, actor, action, window)


def of_script(session: Session, role: Role, municipality: str | None, now: datetime) -> Account:
    """The account for whose scripts tokens are printed; made when first asked for, and never signed in to."""
    login = f"script-{role}"
    account = find(session, municipality, Means.NONE, login)
    if account is None:
        account = Account(
            id=uuid4().hex,
            role=role,
            municipality=municipality,
            means=Means.NONE,
            login=login,
            name="Linha de comando",
            totp_last_step=0,
            created_by="cli",
            created_at=now,
        )
        session.add(account)
        session.flush()
    return account

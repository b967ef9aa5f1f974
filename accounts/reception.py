"""Lets people in: by password, by permit and PIN, by a code sent to the phone, or by a refresh token.

The same answer and the same work for accounts that exist and that do not. Guesses are counted before they are
checked, by account and by address; a rider's own device is counted apart, so that nobody locks him out from afar.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

import structlog
from sqlalchemy.orm import Session, sessionmaker

from accounts import codes, lockout, passwords, people, sessions, tokens, totp
from accounts.gate import Gate, GateDown
from accounts.messenger import Messenger
from accounts.models import Account, Means
from accounts.people import Enrolment
from accounts.rights import Actor, Role
from accounts.sessions import Lives, Opened, Refusal
from store.connections import Connections

__all__ = ["ByPassword", "ByPermit", "ByPhone", "ByRefresh", "NotLetIn", "Order", "Reception", "Superseded", "utc_now"]


@dataclass(frozen=True, slots=True)
class ByPassword:
    """``municipality`` is None for an admin; ``totp`` the code of the authenticator app, if one is enrolled."""

    municipality: str | None
    login: str
    password: str
    totp: str | None


@dataclass(frozen=True, slots=True)
class ByPermit:
    """``device`` is the device's own secret. The first sign-in binds it, or makes one where the device sent none.

    A device that makes its own and keeps it before asking is not shut out when the answer gets lost on the way.
    """

    municipality: str
    permit: str
    pin: str
    device: str | None


@dataclass(frozen=True, slots=True)
class ByPhone:
    """``phone`` in E.164; ``code`` as it was sent."""

    municipality: str
    phone: str
    code: str


@dataclass(frozen=True, slots=True)
class ByRefresh:
    token: str


Order = ByPassword | ByPermit | ByPhone | ByRefresh


class NotLetIn(Exception):
    """Something did not match. Which thing is not said, to anybody."""


class Superseded(Exception):
    """Another request has just renewed the same sign-in."""


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Reception:
    """What it takes to let people in; one per application. ``enrolment`` is asked for at each use."""

    store: Connections
    gate: Gate
    messenger: Messenger
    lives: Lives
    enrolment: Callable[[], Enrolment]
    clock: Callable[[], datetime] = utc_now

    @property
    def sessions(self) -> sessionmaker[Session]:
        return self.store.sessions

    def actor_of(self, token: str) -> Actor | None:
        """Who presents ``token``; None when it is not good."""
        with self.sessions.begin() as session:
            return sessions.actor_of(session, token, self.clock())

    def sign_in(self, order: Order, address: str | None) -> Opened:
        """Tokens for who proves who he is. Raises ``NotLetIn``, ``Superseded``, ``MustWait`` or ``GateDown``."""
        if isinstance(order, ByRefresh):
            return self._refreshed(order)
        if isinstance(order, ByPhone):
            return self._by_phone(order, address)
        return self._by_secret(order, address)

    def send_code(self, municipality: str, phone: str, address: str | None) -> None:
        """Send a code to a phone, known or not. Raises ``MustWait``, ``GateDown`` or ``NotSent``."""
        now = self.clock()
        self.gate.attempt(lockout.name("codes", lockout.origin(address)), lockout.CODES_OF_ADDRESS, now)
        self.gate.attempt(lockout.name("codes", phone), lockout.CODES_OF_PHONE, now)
        with self.sessions.begin() as session:
            code = codes.issue(session, municipality, phone, self.enrolment().key, now)
        minutes = int(codes.LIFE.total_seconds() // 60)
        self.messenger.send(
            phone, f"Pontual: seu código de acesso é {code}. Vale por {minutes} minutos. Não o conte a ninguém."
        )

    def confirm(self, actor: Actor, secret: str, address: str | None) -> bool:
        """Whether ``secret`` is the present one of who is signed in. Raises ``MustWait`` or ``GateDown``."""
        with self.sessions.begin() as session:
            stored = session.get_one(Account, actor.id).secret_hash
        with_counts = self._counted(lockout.name("confirm", actor.id), address)
        right = passwords.verify(stored, secret)
        if right:
            with_counts()
        return right

    def _by_secret(self, order: ByPassword | ByPermit, address: str | None) -> Opened:
        if isinstance(order, ByPermit):
            means, login, secret, device = Means.PERMIT, order.permit, order.pin, order.device
        else:
            means, login, secret, device = Means.PASSWORD, order.login, order.password, None
        with self.sessions.begin() as session:
            account = people.find(session, order.municipality, means, login)
        own_device = account is not None and _is_bound(account, device)
        honest = self._counted(
            lockout.name(means, order.municipality, login, "own device" if own_device else None), address
        )
        right = passwords.verify(account.secret_hash if account else None, secret)
        with self.sessions.begin() as session:
            opened = self._open(session, account, order) if account is not None and right else None
        if opened is None:
            raise NotLetIn
        honest()
        return opened

    def _open(self, session: Session, seen: Account, order: ByPassword | ByPermit) -> Opened | None:
        """The last checks, with the account locked: what is good once is taken once."""
        now = self.clock()
        account = session.get(Account, seen.id, with_for_update=True)
        if account is None or account.disabled_at is not None or account.secret_hash != seen.secret_hash:
            return None
        device = None
        if isinstance(order, ByPassword):
            if not self._totp_is_good(account, order.totp, now):
                return None
        elif account.device_sha256 is None:
            device = order.device or tokens.new(tokens.Kind.DEVICE)
            account.device_sha256 = tokens.digest(device)
        elif not _is_bound(account, order.device):
            return None
        return sessions.open_session(session, account, self.lives, now, device)

    def _totp_is_good(self, account: Account, code: str | None, now: datetime) -> bool:
        enrolment = self.enrolment()
        if account.totp_generation is None:
            return not (enrolment.demanded and account.kind in people.TOTP_ROLES)
        app = totp.authenticator(enrolment.key, account.id, account.totp_generation)
        step = totp.step_of(app, code or "", now)
        if step is None or step <= account.totp_last_step:
            return False
        account.totp_last_step = step
        return True

    def _by_phone(self, order: ByPhone, address: str | None) -> Opened:
        now, key = self.clock(), self.enrolment().key
        honest = self._counted(lockout.name(Means.PHONE, order.municipality, order.phone), address)
        opened = None
        with self.sessions.begin() as session:
            if codes.redeem(session, order.municipality, order.phone, order.code, key, now):
                account = _passenger(session, order, now)
                if account.disabled_at is None:
                    opened = sessions.open_session(session, account, self.lives, now)
        if opened is None:
            raise NotLetIn
        honest()
        return opened

    def _refreshed(self, order: ByRefresh) -> Opened:
        with self.sessions.begin() as session:
            found = sessions.refresh(session, order.token, self.lives, self.clock())
        if isinstance(found, Opened):
            return found
        if found is Refusal.SUPERSEDED:
            raise Superseded
        if found is Refusal.REUSED:
            structlog.get_logger().warning("refresh_reused")
        raise NotLetIn

    def _counted(self, who: str, address: str | None) -> Callable[[], None]:
        """Count an attempt by account and by address; call the answer when it proved honest.

        Raises ``MustWait`` or ``GateDown``.
        """
        now, where = self.clock(), lockout.name("secrets", lockout.origin(address))
        self.gate.attempt(where, lockout.SECRETS_OF_ADDRESS, now)
        self.gate.attempt(who, lockout.SECRETS_OF_ACCOUNT, now)

        def honest() -> None:
            with suppress(GateDown):  # what was granted stays granted
                self.gate.clear(who)
                self.gate.forgive(where)

        return honest


def _is_bound(account: Account, device: str | None) -> bool:
    return device is not None and tokens.matches(device, account.device_sha256)


def _passenger(session: Session, order: ByPhone, now: datetime) -> Account:
    """The passenger's account; the first code that reaches his phone makes it."""
    account = people.find(session, order.municipality, Means.PHONE, order.phone, lock=True)
    if account is None:
        account = Account(
            id=uuid4().hex,
            role=Role.PASSENGER,
            municipality=order.municipality,
            means=Means.PHONE,
            login=order.phone,
            name="",
            totp_last_step=0,
            created_by="code",
            created_at=now,
        )
        session.add(account)
        session.flush()
    return account

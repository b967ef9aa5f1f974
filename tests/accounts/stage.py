"""Demo people with known secrets, their sign-ins and their keys, in two towns."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from flask import Flask
from pyotp import TOTP

from accounts import keys, people, sessions
from accounts.models import Account, Means
from accounts.people import Issued, NewAccount
from accounts.reception import Reception
from accounts.rights import KEY_SCOPES, Actor, Role
from tests.accounts.entrants import OTHER_TOWN, TOWN, bearer

__all__ = ["OTHER_TOWN", "PHONE", "TOWN", "Clock", "Person", "Stage", "at_once", "authenticator", "bearer", "told"]

PHONE = "+5569992841234"


class Clock:
    """Stands still until `forward`."""

    def __init__(self) -> None:
        self.now = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


@dataclass(frozen=True)
class Person:
    """Somebody with a token; ``secret`` is his password or PIN."""

    id: str
    role: Role
    token: str
    secret: str = ""
    login: str = ""
    totp_uri: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        return bearer(self.token)


class Stage:
    def __init__(self, app: Flask, clock: Clock) -> None:
        self.app, self.clock = app, clock
        self.reception: Reception = app.extensions["reception"]
        self._numbers = count(1)

    def client(self) -> Any:
        """A client that says nothing of who asks. Its answers are of no type: every test looks into their JSON."""
        return self.app.test_client()

    def issued(self, role: Role, town: str | None = TOWN, *, totp: bool = False) -> Issued:
        """A new account that signs in with a secret."""
        number = next(self._numbers)
        login = f"{number:04d}" if role is Role.RIDER else f"pessoa{number}"
        order = NewAccount(role, None if role is Role.ADMIN else town, login, f"Demo {number}", totp)
        with self.reception.sessions.begin() as session:
            return people.create(session, order, self.reception.enrolment(), "test", self.clock())

    def person(self, role: Role, town: str | None = TOWN) -> Person:
        """Somebody of ``role`` who has signed in (or, an integrator, has his key)."""
        if role is Role.SERVICE:
            return self.key(town)
        issued = None if role is Role.PASSENGER else self.issued(role, town)
        account = self._passenger(town) if issued is None else issued.account
        with self.reception.sessions.begin() as session:
            opened = sessions.open_session(session, account, self.reception.lives, self.clock())
        return Person(account.id, role, opened.access, "" if issued is None else issued.secret, account.login)

    def key(self, town: str | None = TOWN) -> Person:
        order = keys.KeyOrder(town, f"Sistema {next(self._numbers)}", KEY_SCOPES)
        with self.reception.sessions.begin() as session:
            made = keys.create(session, order, Actor(Role.ADMIN, "test"), self.clock())
        return Person(made.key.id, Role.SERVICE, made.secret)

    def _passenger(self, town: str | None) -> Account:
        account = Account(
            id=uuid4().hex,
            role=Role.PASSENGER,
            municipality=town,
            means=Means.PHONE,
            login=f"+55699928{next(self._numbers):05d}",
            name="",
            totp_last_step=0,
            created_by="test",
            created_at=self.clock(),
        )
        with self.reception.sessions.begin() as session:
            session.add(account)
        return account

    def sign_in(self, address: str = "10.0.0.1", **order: Any) -> Any:
        return self.client().post("/api/v1/sessions", json=order, environ_base={"REMOTE_ADDR": address})

    def by_password(self, login: str, password: str, town: str | None = TOWN, **more: Any) -> Any:
        place = {} if town is None else {"municipality": town}
        return self.sign_in(by="password", login=login, password=password, **place, **more)

    def by_permit(self, permit: str, pin: str, town: str = TOWN, **more: Any) -> Any:
        return self.sign_in(by="permit", municipality=town, permit=permit, pin=pin, **more)

    def by_phone(self, code: str, town: str = TOWN) -> Any:
        return self.sign_in(by="phone", municipality=town, phone=PHONE, code=code)

    def ask_code(self, phone: str = PHONE, town: str = TOWN, address: str = "10.0.0.2") -> Any:
        order = {"municipality": town, "phone": phone}
        return self.client().post("/api/v1/sessions/codes", json=order, environ_base={"REMOTE_ADDR": address})

    def codes_sent(self) -> list[str]:
        """The codes that reached a phone, oldest first."""
        kept = self.app.extensions["settings"].data / "messages.log"
        return re.findall(r"código de acesso é (\d{6})", kept.read_text())

    def refresh(self, token: str) -> Any:
        return self.sign_in(by="refresh", refresh_token=token)

    def me(self, token: str) -> Any:
        return self.client().get("/api/v1/me", headers=bearer(token))


def authenticator(uri: str | None) -> TOTP:
    """The app that scanned ``uri``."""
    assert uri is not None
    return TOTP(parse_qs(urlsplit(uri).query)["secret"][0])


def told(answer: Any) -> tuple[int, dict[str, Any], str | None]:
    """All that an answer tells, but for its number."""
    members = {name: value for name, value in answer.json.items() if name != "instance"}
    return answer.status_code, members, answer.headers.get("WWW-Authenticate")


def at_once(times: int, work: Any) -> list[Any]:
    """What ``work`` answers, sorted, when done ``times`` times at the same moment."""
    barrier, answers = threading.Barrier(times), []

    def one() -> None:
        barrier.wait()
        answers.append(work())

    threads = [threading.Thread(target=one) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(answers)

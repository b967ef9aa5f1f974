"""People with tokens, for the tests of every room."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

from flask import Flask
from flask.testing import FlaskClient

from accounts import keys, people, sessions
from accounts.reception import utc_now
from accounts.rights import KEY_SCOPES, Actor, Role
from store.connections import Connections

TOWN = "ro-urupa"
OTHER_TOWN = "ro-sao-miguel-do-guapore"
TEN_YEARS = timedelta(days=3650)


def token_of(app: Flask, role: Role, municipality: str | None = TOWN) -> str:
    """An access token of somebody of ``role``, who works in ``municipality`` (an admin in all)."""
    store: Connections = app.extensions["store"]
    with store.sessions.begin() as session:
        account = people.of_script(session, role, None if role is Role.ADMIN else municipality, utc_now())
        return sessions.open_for_script(session, account, TEN_YEARS, utc_now())


def key_of(app: Flask, municipality: str | None = TOWN) -> str:
    """An integrator's key that may all that keys may."""
    store: Connections = app.extensions["store"]
    order = keys.KeyOrder(municipality, f"Sistema {uuid4().hex}", KEY_SCOPES)
    with store.sessions.begin() as session:
        return keys.create(session, order, Actor(Role.ADMIN, "test"), utc_now()).secret


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def client_of(app: Flask, role: Role, municipality: str | None = TOWN) -> FlaskClient:
    """A client whose every request carries a token of ``role``."""
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token_of(app, role, municipality)}"
    return client

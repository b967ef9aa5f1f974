"""Who asks, in the views: `current_actor`, `requires`, and how far he reaches.

Every request to an endpoint is judged here before anything of it is read. An endpoint in no table of `accounts.rights`
is refused to everybody.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from ipaddress import ip_address
from typing import Any, TypeVar

import structlog
from flask import Flask, Response, current_app, g, request

from accounts.gate import Gate
from accounts.messenger import FileMessenger, Messenger, NoMessenger, WebhookMessenger
from accounts.people import Enrolment
from accounts.reception import Reception
from accounts.rights import ACTIONS, ANONYMOUS, OPEN_ENDPOINTS, RIGHTS, Actor, Scope
from accounts.sessions import Lives
from api.openapi import Api
from api.problem import Problem
from settings import Environment, Settings
from store.connections import Connections

__all__ = ["action_of", "current_actor", "install", "must_reach", "must_work_in", "reception", "requires"]

_NAME = "reception"
_CALLER = "caller"  # api.idempotency asks for it by this name
_CREDENTIALS = re.compile(r"bearer +([A-Za-z0-9_.-]{1,200})", re.IGNORECASE)
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP")

View = TypeVar("View", bound=Callable[..., Any])


def install(app: Flask, api: Api, settings: Settings, store: Connections) -> None:
    """Judge every request of ``app``; nothing is opened yet."""
    app.extensions[_NAME] = Reception(
        store=store,
        gate=Gate(lambda: store.redis),
        messenger=_messenger(settings),
        lives=Lives(
            access=timedelta(minutes=settings.access_minutes),
            phone=timedelta(days=settings.session_days),
            staff=timedelta(hours=settings.staff_session_hours),
        ),
        enrolment=lambda: Enrolment(
            settings.signing_key(), settings.totp_issuer, settings.env is Environment.PRODUCTION
        ),
    )
    app.extensions[_CALLER] = lambda: current_actor().caller
    app.before_request(_judge)
    app.after_request(_keep_private)
    api.spec.components.security_scheme("bearer", {"type": "http", "scheme": "bearer"})


def requires(action: str) -> Callable[[View], View]:
    """Let only those do what the view does who have a right to ``action``; anywhere among the decorators.

    The OpenAPI then asks for a token. How far the right reaches is for the view: `must_reach`, `must_work_in`.
    Raises ``ValueError`` for an action that no row names.
    """
    if action not in ACTIONS:
        raise ValueError(f"{action!r} is no action: add it to accounts/rights.py")

    def mark(view: View) -> View:
        holders = [row.role.value for row in RIGHTS if row.action == action]
        documented = view.__dict__.setdefault("_apidoc", {}).setdefault("manual_doc", {})
        documented |= {"security": [{"bearer": []}], "x-action": action, "x-roles": holders}
        view.__dict__["action"] = action
        return view

    return mark


def action_of(app: Flask, endpoint: str) -> str | None:
    """The action that ``endpoint`` is; None when no table names it."""
    marked: str | None = getattr(app.view_functions.get(endpoint), "action", None)
    return marked or OPEN_ENDPOINTS.get(endpoint)


def reception() -> Reception:
    """The reception of the current application."""
    found: Reception = current_app.extensions[_NAME]
    return found


def current_actor() -> Actor:
    """Who asks; `ANONYMOUS` without a token. Raises `Problem` 401 for a token that is not good.

    Opens a transaction of its own when first asked: ask before opening another.
    """
    if "actor" not in g:
        g.actor = _actor()
    actor: Actor = g.actor
    return actor


def must_reach(municipality: str | None, owner: str | None = None) -> None:
    """Go on only if the right in use reaches what belongs to ``municipality`` and ``owner``.

    Raises `Problem` 404, the same as if there were no such thing.
    """
    if not current_actor().reaches(g.action, municipality, owner):
        raise Problem(404, "Não há nada seu com este número.")


def must_work_in(municipality: str | None) -> None:
    """Go on only if the right in use reaches the municipality that the request names. Raises `Problem` 403."""
    if not current_actor().reaches(g.action, municipality):
        raise Problem(403, "Seu acesso é de outro município.", "other_municipality")


def _judge() -> None:
    endpoint = request.endpoint
    if endpoint is None or request.method == "OPTIONS":
        return  # no such address, or only a question about methods
    g.action = action = action_of(current_app, endpoint)
    if action is None:
        structlog.get_logger().error("endpoint_without_right", endpoint=endpoint)
        raise Problem(403, "Este endereço ainda não diz quem pode usá-lo.", "no_right_declared")
    if ANONYMOUS.scope_of(action) is Scope.ALL:
        return  # open: who asks is looked up only if somebody wants to know
    actor = current_actor()
    if not actor.may(action, here=_from_here()):
        raise Problem(403) if actor.known else _unauthenticated()


def _keep_private(response: Response) -> Response:
    """What is answered to somebody is for nobody's cache."""
    action = g.get("action")
    if action is not None and ("actor" in g or action.startswith("sessions:")):
        response.headers.setdefault("Cache-Control", "no-store")
    return response


def _actor() -> Actor:
    given = request.headers.get("Authorization")
    if given is None:
        return ANONYMOUS
    credentials = _CREDENTIALS.fullmatch(given)
    actor = reception().actor_of(credentials[1]) if credentials else None
    if actor is None:
        raise _unauthenticated("Seu acesso expirou ou foi encerrado. Entre de novo.", error="invalid_token")
    return actor


def _unauthenticated(detail: str | None = None, error: str | None = None) -> Problem:
    challenge = 'Bearer realm="pontual"' + (f', error="{error}"' if error else "")
    return Problem(401, detail, error, headers={"WWW-Authenticate": challenge})


def _from_here() -> bool:
    """Whether the request was made on this machine and not handed on by a proxy."""
    if any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return ip_address(request.remote_addr or "").is_loopback
    except ValueError:  # a unix socket has no address
        return False


def _messenger(settings: Settings) -> Messenger:
    if settings.messenger_url is not None:
        return WebhookMessenger(settings.messenger_url, settings.messenger_token)
    if settings.env is Environment.PRODUCTION:
        return NoMessenger()
    return FileMessenger(settings.data / "messages.log")

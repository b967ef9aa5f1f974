"""`Idempotency-Key`: the same key and body get the stored answer again; nothing is done twice.

The answer is stored in the transaction that does the work, so that a crash leaves both or neither. A view under
`idempotent` does its work in `unit_of_work()`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, current_app, g, make_response, request
from sqlalchemy.orm import Session

from api.problem import Problem
from store.connections import Connections
from store.idempotency import KeptAnswer, claim, kept

HEADER = "Idempotency-Key"
_KEY = re.compile(r"[\x21-\x7e]{8,128}")


def unit_of_work() -> Session:
    """The transaction of the current request, which commits when its view has answered."""
    session: Session = g.unit_of_work
    return session


def idempotent(view: Callable[..., Any]) -> Callable[..., Any]:
    """Run ``view`` in one transaction, at most once for a key. Goes outside ``@blueprint.response``.

    Problems: 422 for a bad key or a key used with another body, 409 while the first request still runs. Errors are
    not stored: the same key may try again.
    """

    @wraps(view)
    def once(*args: Any, **kwargs: Any) -> Response:
        store: Connections = current_app.extensions["store"]
        key = request.headers.get(HEADER)
        # Who asks is looked up before a connection is held: a pool whose every holder waits for one more is stuck.
        scope = "" if key is None else f"{_caller()} {request.method} {request.path}"
        with store.sessions.begin() as session:
            g.unit_of_work = session
            if key is None:
                return make_response(view(*args, **kwargs))
            return _at_most_once(session, scope, key, lambda: make_response(view(*args, **kwargs)))

    return once


def _caller() -> str:
    """Whose keys these are: two callers may choose the same. Without accounts installed, everybody's."""
    ask: Callable[[], str] | None = current_app.extensions.get("caller")
    return ask() if ask else "anyone"


def _at_most_once(session: Session, scope: str, key: str, work: Callable[[], Response]) -> Response:
    if not _KEY.fullmatch(key):
        raise Problem(422, f"{HEADER} deve ter de 8 a 128 caracteres visíveis, sem espaços.", "bad_idempotency_key")
    digest = hashlib.sha256(request.get_data(cache=True)).digest()
    if not claim(session, scope, key):
        detail = "O primeiro pedido com esta chave ainda está em andamento; aguarde e repita."
        raise Problem(409, detail, "still_running", headers={"Retry-After": "1"})
    answer = kept(session, scope, key)
    if answer is None:
        response = work()
        session.add(
            KeptAnswer(
                scope=scope,
                key=key,
                request_sha256=digest,
                status=response.status_code,
                content_type=response.content_type or "application/json",
                body=response.get_data(),
            )
        )
        return response
    if answer.request_sha256 != digest:
        raise Problem(422, "Esta chave já foi usada com outro pedido; gere uma chave nova.", "idempotency_key_reused")
    response = Response(answer.body, answer.status, content_type=answer.content_type)
    response.headers["Idempotency-Replayed"] = "true"
    return response

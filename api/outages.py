"""A database or a Redis that does not answer is no fault of the request: 503 and when to try again, not 500."""

from __future__ import annotations

import redis.exceptions
import sqlalchemy.exc
import structlog
from flask import Flask, Response

from api.problem import Problem
from store.connections import NotRunning

__all__ = ["install"]

_SECONDS = "5"
_DETAIL = (
    "Uma parte do serviço não responde agora. Nada foi perdido do que já foi confirmado; tente de novo em instantes."
)
_OUTAGES = (
    NotRunning,
    redis.exceptions.ConnectionError,  # loading and out-of-connections too
    redis.exceptions.ReadOnlyError,  # the new master is being chosen
    redis.exceptions.TimeoutError,
    sqlalchemy.exc.InterfaceError,
    sqlalchemy.exc.OperationalError,
    sqlalchemy.exc.TimeoutError,  # every connection of the pool is taken
)


def install(app: Flask) -> None:
    """Answer 503 where a view of ``app`` meets an outage it did not foresee."""
    for outage in _OUTAGES:
        app.register_error_handler(outage, _unavailable)


def _unavailable(error: Exception) -> Response:
    structlog.get_logger().error("outage", why=type(error).__name__)  # its text may hold addresses and parameters
    return Problem(503, _DETAIL, headers={"Retry-After": _SECONDS}).response()

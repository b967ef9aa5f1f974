"""A number for every request, and one structured log line per answer.

The line says method, route template, status, milliseconds and request number. No body, no query, no address, no
token: nothing in it is anybody's personal data.
"""

from __future__ import annotations

import logging
import re
import uuid
from functools import partial
from time import perf_counter

import orjson
import structlog
from flask import Flask, Response, g, has_request_context, request
from structlog.typing import EventDict, FilteringBoundLogger

from api import metrics

HEADER = "X-Request-ID"
_WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")


def configure(level: str) -> None:
    """Send log lines of ``level`` and above to standard error, one JSON object each."""
    structlog.configure(
        processors=[
            _number,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=orjson.dumps, default=str),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        # The descriptor itself, unbuffered: one write per line, whole even when workers share it.
        logger_factory=structlog.BytesLoggerFactory(open(2, "wb", buffering=0, closefd=False)),  # noqa: SIM115
    )


def install(app: Flask) -> None:
    """Number and log the requests of ``app``, at the level last configured."""
    app.before_request(_begin)
    app.after_request(partial(_end, structlog.get_logger().bind()))  # bound now: looking it up costs every request


def _number(logger: object, method: str, event: EventDict) -> EventDict:
    """Every line written while answering a request bears its number."""
    if has_request_context():
        event["request"] = g.get("request_id")
    return event


def _begin() -> None:
    given = request.headers.get(HEADER, "")
    g.request_id = given if _WELL_FORMED.fullmatch(given) else uuid.uuid4().hex
    g.started = perf_counter()


def _end(log: FilteringBoundLogger, response: Response) -> Response:
    seconds = perf_counter() - g.started
    route = request.url_rule.rule if request.url_rule else "unmatched"
    response.headers[HEADER] = g.request_id
    metrics.count(request.method, route, response.status_code, seconds)
    log.info("request", method=request.method, route=route, status=response.status_code, ms=round(seconds * 1000, 2))
    return response

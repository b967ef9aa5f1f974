"""A number for every request, and one structured log line per answer.

The line says method, route template, status, milliseconds and request number. No body, no query, no address, no
token: nothing in it is anybody's personal data. The traceback of an unforeseen error is written without what its
messages may quote: tokens, long numbers (documents, telephones, codes), and PostgreSQL's details, which show values.
"""

from __future__ import annotations

import logging
import re
from functools import partial
from secrets import token_hex
from time import perf_counter
from typing import cast

import orjson
import structlog
from flask import Flask, Request, Response, g, has_request_context, request
from structlog.typing import EventDict, FilteringBoundLogger
from werkzeug.local import LocalProxy

from api import metrics

HEADER = "X-Request-ID"
_QUOTED = re.compile(r"\bpt[a-z]_[A-Za-z0-9_.-]+|(?<=Bearer )\S+|[0-9]{6,}|(?<=DETAIL: ).*")
_WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")


def configure(level: str) -> None:
    """Send log lines of ``level`` and above to standard error, one JSON object each."""
    structlog.configure(
        processors=[
            _number,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _discreet,
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
    if "request" not in event and has_request_context():
        event["request"] = g.get("request_id")
    return event


def _discreet(logger: object, method: str, event: EventDict) -> EventDict:
    """A traceback says where; whose data it was about is not for the log."""
    if "exception" in event:
        event["exception"] = _QUOTED.sub("[omitido]", event["exception"])
    return event


def _begin() -> None:
    current = g._get_current_object()  # the proxies look it up at every use
    given = request.headers.get(HEADER, "")
    current.request_id = given if _WELL_FORMED.fullmatch(given) else token_hex(16)
    current.started = perf_counter()


def _end(log: FilteringBoundLogger, response: Response) -> Response:
    current, asked = g._get_current_object(), cast(LocalProxy[Request], request)._get_current_object()
    seconds = perf_counter() - current.started
    route = asked.url_rule.rule if asked.url_rule else "unmatched"
    status = response.status_code
    response.headers[HEADER] = current.request_id
    metrics.count(asked.method, route, status, seconds)
    log.info(
        "request",
        method=asked.method,
        route=route,
        status=status,
        ms=round(seconds * 1000, 2),
        request=current.request_id,
    )
    return response

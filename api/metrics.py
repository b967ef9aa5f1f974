"""Prometheus figures of the HTTP server, right also when several worker processes answer.

With ``PROMETHEUS_MULTIPROC_DIR`` set (before this module is imported; the server sets it to a fresh folder at start)
every worker writes its counts to files there and any of them can answer for all. Without it the counts are this
process's own. Labels are route templates, never paths: a path may name a person.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

if _folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    Path(_folder).mkdir(parents=True, exist_ok=True)  # the library opens its files as soon as a figure is defined

from flask import Flask, Response
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

REQUESTS = Counter("pontual_http_requests", "Pedidos atendidos", ["method", "route", "status"])
SECONDS = Histogram(
    "pontual_http_request_seconds",
    "Tempo até a resposta, em segundos",
    ["route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5),
)


def count(method: str, route: str, status: int, seconds: float) -> None:
    """Count one answered request. ``route`` is the template of the route, from a closed set."""
    requests, times = _figures(method if method in _METHODS else "OTHER", route, status)
    requests.inc()
    times.observe(seconds)


@cache  # the library finds a figure by its labels in a slower way; the labels are of closed sets
def _figures(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    return REQUESTS.labels(method, route, status), SECONDS.labels(route)


def install(app: Flask) -> None:
    app.add_url_rule("/metrics", "metrics", _metrics)


def _metrics() -> Response:
    registry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

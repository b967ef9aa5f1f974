"""`/health` (the process answers) and `/ready` (what it needs answers too, each part by name)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import structlog
from marshmallow import Schema, fields

from api.openapi import Blueprint
from api.problem import Problem

Check = Callable[[], object]
"""Returns when its part works, raises when it does not; has a short time-out of its own."""


class Healthy(Schema):
    status = fields.String(required=True, metadata={"enum": ["ok"]})


class Ready(Schema):
    status = fields.String(required=True, metadata={"enum": ["ready"]})
    parts = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


def blueprint(checks: Mapping[str, Check]) -> Blueprint:
    """The two addresses, with ``checks`` by the name of the part each looks at."""
    health = Blueprint("health", __name__, description="Vida e prontidão do serviço")

    @health.get("/health")
    @health.response(200, Healthy())
    def alive() -> dict[str, str]:
        """O processo está vivo."""
        return {"status": "ok"}

    @health.get("/ready")
    @health.response(200, Ready())
    @health.alt_response(503, "SERVICE_UNAVAILABLE")
    def ready() -> dict[str, Any]:
        """Tudo de que o serviço precisa responde; senão, 503 com o nome do que falta."""
        parts = {name: _state(name, check) for name, check in checks.items()}
        down = [name for name, state in parts.items() if state != "ok"]
        if down:
            raise Problem(503, f"Não responde: {', '.join(down)}.", "not_ready", extra={"parts": parts})
        return {"status": "ready", "parts": parts}

    return health


def _state(name: str, check: Check) -> str:
    try:
        check()
    except Exception as why:
        structlog.get_logger().warning("part_down", part=name, why=type(why).__name__)
        return "down"
    return "ok"

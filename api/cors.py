"""Pages of other sites may call the API only from the origins that the settings name, and never with cookies.

The answer to another origin lacks the headers, and the browser keeps it from the page that asked.
Source: Fetch standard, "HTTP-cors protocol".
"""

from __future__ import annotations

from collections.abc import Collection

from flask import Flask, Response, request

__all__ = ["install"]

_METHODS = "GET, POST, PUT, PATCH, DELETE"
_SENT = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-ID"
_SHOWN = "ETag, Idempotency-Replayed, Retry-After, X-Request-ID"
_SECONDS_TO_REMEMBER = "600"


def install(app: Flask, origins: Collection[str]) -> None:
    """Let pages of ``origins`` call ``app``; without any, nothing is installed."""
    if not origins:
        return

    def answer_preflight() -> Response | None:
        asked = request.headers
        preflight = request.method == "OPTIONS" and "Access-Control-Request-Method" in asked
        if not preflight or asked.get("Origin") not in origins:
            return None
        return Response(
            status=204,
            headers={
                "Access-Control-Allow-Methods": _METHODS,
                "Access-Control-Allow-Headers": _SENT,
                "Access-Control-Max-Age": _SECONDS_TO_REMEMBER,
            },
        )

    def allow(response: Response) -> Response:
        response.vary.add("Origin")  # a cache must not give one origin's answer to another
        origin = request.headers.get("Origin")
        if origin in origins:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = _SHOWN
        return response

    app.before_request(answer_preflight)
    app.after_request(allow)

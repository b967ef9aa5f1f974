"""Headers that every answer carries so that browsers do nothing with it but what it is for.

Written where the server takes the answer over, so that no error or redirect goes without them. A page that needs more
than nothing says so itself with a `Content-Security-Policy` of its own.
Source: OWASP Secure Headers Project; ASVS 5.0, V3.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Flask

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication

__all__ = ["install"]

_POLICY = "Content-Security-Policy"
_NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_ALWAYS = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),  # the address of a quote's page is all it takes to read it
    ("Permissions-Policy", "camera=(self), geolocation=(self), microphone=(), payment=(), usb=()"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
_TLS_ONLY = ("Strict-Transport-Security", "max-age=31536000")


def install(app: Flask, *, tls: bool) -> None:
    """Add the headers to every answer of ``app``; ``tls``: people reach it by https, and browsers may rely on it."""
    always = (*_ALWAYS, _TLS_ONLY) if tls else _ALWAYS
    inner: WSGIApplication = app.wsgi_app

    def outer(environ: dict[str, Any], start_response: StartResponse) -> Any:
        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            names = [name for name, _ in headers]
            if _POLICY not in names:
                headers.append((_POLICY, _NOTHING))
            if "Cache-Control" not in names:
                headers.append(("Cache-Control", "no-store"))
            headers.extend(always)
            return start_response(status, headers, exc_info)

        return inner(environ, start)

    app.wsgi_app = outer  # type: ignore[method-assign] # Flask's documented way to wrap an application

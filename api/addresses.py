"""The address of this service as people reach it, for what is printed or sent: QR codes, messages.

The request's own `Host` is what the client claims, so it decides nothing once the settings say the address.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from flask import current_app, request

from api.problem import Problem

__all__ = ["public_address"]


def public_address(path: str) -> str:
    """The whole address of ``path``, which begins with a slash. Raises `Problem` 400 for a `Host` not to rely on."""
    settings = current_app.extensions["settings"]
    if settings.public_url is not None:
        return f"{settings.public_url}{path}"
    if not _is_machine(request.headers.get("Host", "")):
        raise Problem(
            400,
            "Este nome de servidor não é conhecido aqui. Quem opera o serviço deve informá-lo em PONTUAL_PUBLIC_URL.",
            "unknown_host",
        )
    return f"{request.scheme}://{request.headers['Host']}{path}"


def _is_machine(host: str) -> bool:
    """Whether ``host`` is an IP address or localhost, perhaps with a port: a developer's, or on the local network."""
    try:
        parts = urlsplit(f"//{host}")
        plain = parts.netloc == host and "@" not in host and parts.port != 0
        if parts.hostname == "localhost":
            return plain
        ip_address(parts.hostname or "")
    except ValueError:
        return False
    return plain

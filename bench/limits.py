"""What limiting costs a request: `POST /api/v1/fares` uncounted, counted in the worker, and counted in Redis.

All three by one server in one run, in short turns; Redis is the embedded Valkey as users run it, which syncs every
count to disk, and one without disk. It decides where `accounts.limits` keeps the count of what is cheap.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from flask import Flask, request

from accounts.limiter import limiter
from accounts.limits import Kept, Limit, Per
from app import create_app
from bench.http_fares import REQUESTS_A_TURN, Client, body, serving
from bench.turns import ratio, seconds_each
from store.servers import socket_folder, unprivileged, valkey

TURNS = 40
SHARED = Limit("bench", 1_000_000, 60, Per.ADDRESS, Kept.SHARED)
SIDES = {
    "not counted": {"X-Forwarded-For": "127.0.0.1"},
    "counted in the worker": {"X-Forwarded-For": "198.51.100.7"},
    "counted in Redis": {"X-Forwarded-For": "127.0.0.1", "X-Bench-Shared": "yes"},
}


def web() -> Flask:
    """The application, that counts also in Redis where the request says so."""
    app = create_app()

    def count() -> None:
        if "X-Bench-Shared" in request.headers:
            limiter().spend(SHARED, "198.51.100.7")

    app.before_request(count)
    return app


def measure(durable: bool, folder: Path) -> None:
    """Print the cost of each side with a Valkey that does or does not keep what it is told."""
    account, sent = unprivileged(folder), body()
    with ExitStack() as running:
        sockets = running.enter_context(socket_folder(account))
        _, url = running.enter_context(valkey(folder, sockets, account, durable=durable))
        os.environ |= {
            "PONTUAL_DATA": str(folder),
            "PONTUAL_REDIS_URL": url,
            "PONTUAL_TRUSTED_PROXIES": "1",
            "PONTUAL_LIMITS_TIMES": "1000",
        }
        port = running.enter_context(serving("bench.limits:web"))
        clients = [Client(port, sent, headers) for headers in SIDES.values()]
        found = seconds_each([client.turn for client in clients], 1, TURNS)
    print(f"Valkey {'as users run it, every count on disk' if durable else 'without disk'}:")
    for name, seconds in zip(SIDES, found, strict=True):
        rate = REQUESTS_A_TURN / median(seconds)
        extra = median((ours - free) / REQUESTS_A_TURN for ours, free in zip(seconds, found[0], strict=True))
        print(
            f"  POST /fares {name}: {rate:.0f}/s, {ratio(found[0], seconds):.2f} of the rate uncounted, "
            f"{extra * 1e6:+.0f} µs a request"
        )


def main() -> None:
    for durable in (True, False):
        with tempfile.TemporaryDirectory(prefix="pontual-bench-", dir="/tmp") as folder:
            os.chmod(folder, 0o711)
            measure(durable, Path(folder))


if __name__ == "__main__":
    main()

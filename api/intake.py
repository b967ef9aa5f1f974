"""How much of a request is taken in: the length of its address, the size of its body, and how many bodies at once.

The server hands a request over before its body has come, and reading then blocks a thread for as long as the client
likes (granian has no time-out for bodies: emmett-framework/granian#728). So bodies are read here, first of all, in a
bounded number of slots, of which one address gets a few: whoever drips his bodies stops nobody but himself, and
threads remain for all requests without a body and for all that have arrived whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from flask import Flask, Response, request

from api.problem import Problem

__all__ = ["LARGEST_BODY", "LONGEST_ADDRESS", "SLOTS", "SLOTS_OF_ADDRESS", "NoSlot", "Slots", "install"]

LARGEST_BODY = 1_000_000
LONGEST_ADDRESS = 4_096
SLOTS = 32
"""Bodies read at once by one worker; it has as many threads more than it needs for work."""
SLOTS_OF_ADDRESS = 8


class NoSlot(Exception):
    """Too many bodies are being read."""


class Slots:
    """Counts the bodies under way, in all and by address."""

    def __init__(self, most: int = SLOTS, most_of_address: int = SLOTS_OF_ADDRESS) -> None:
        self._most = most
        self._most_of_address = most_of_address
        self._taken: Counter[str] = Counter()
        self._lock = Lock()

    @contextmanager
    def one(self, address: str) -> Iterator[None]:
        """Hold a slot for ``address``. Raises ``NoSlot``."""
        with self._lock:
            if self._taken.total() >= self._most or self._taken[address] >= self._most_of_address:
                raise NoSlot
            self._taken[address] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[address] -= 1
                if not self._taken[address]:
                    del self._taken[address]


def install(app: Flask) -> None:
    """Take in the requests of ``app`` within these bounds."""
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    slots = Slots()

    def take_in() -> None:
        environ = request.environ
        path = environ.get("PATH_INFO", "")
        if len(path) + len(environ.get("QUERY_STRING", "")) > LONGEST_ADDRESS:
            raise Problem(414)
        if "\0" in path:
            raise Problem(404)  # nothing of ours has such a name, and PostgreSQL takes none
        stated = environ.get("CONTENT_LENGTH") or "0"
        chunked = "HTTP_TRANSFER_ENCODING" in environ
        if stated != "0" or chunked:
            with slots.one(request.remote_addr or "unknown"):
                size = len(request.get_data())  # a stated size beyond the bound is refused before anything is read
            # werkzeug takes what came for the whole: a body that broke off, or one without stated size cut at the bound
            if chunked and size >= LARGEST_BODY:
                raise Problem(413)
            if not chunked and size != int(stated):
                raise Problem(400, "O corpo do pedido chegou incompleto; envie de novo.", "cut_off")

    app.before_request(take_in)
    app.register_error_handler(NoSlot, _busy)


def _busy(error: NoSlot) -> Response:
    return Problem(503, headers={"Retry-After": "1"}).response()

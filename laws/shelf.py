"""The lawbook that this process works with: read from its folder once, when first needed."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from flask import Flask, current_app

from laws.loader import LawBook

_NAME = "lawbook"


class Shelf:
    """Reads the lawbook at the first call, so that commands which mend the laws also run while one is broken."""

    def __init__(self, read: Callable[[], LawBook]) -> None:
        self._read = read
        self._lock = Lock()
        self._lawbook: LawBook | None = None

    def lawbook(self) -> LawBook:
        """Raises `LawError` when a file of the folder is refused."""
        if self._lawbook is None:
            with self._lock:
                if self._lawbook is None:
                    self._lawbook = self._read()
        return self._lawbook


def install(app: Flask, read: Callable[[], LawBook]) -> Shelf:
    """Give the application its lawbook, which ``read`` reads and checks."""
    app.extensions[_NAME] = shelf = Shelf(read)
    return shelf


def lawbook() -> LawBook:
    """The lawbook of the current application. Raises `LawError`."""
    shelf: Shelf = current_app.extensions[_NAME]
    return shelf.lawbook()

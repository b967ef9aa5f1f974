"""Takes a short message to a phone. Which way is a setting; the rest of the house does not know."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

import requests

__all__ = ["FileMessenger", "Messenger", "NotSent", "WebhookMessenger"]

_SECONDS = 5


class NotSent(Exception):
    """The message did not leave; the text says why, in Portuguese, without the message."""


class Messenger(Protocol):
    """Whatever brings messages to phones."""

    def send(self, phone: str, message: str) -> None:
        """Send ``message`` to ``phone`` (E.164). Raises ``NotSent``."""


class FileMessenger:
    """Writes messages to a file that only its owner reads: for development, where no message costs."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def send(self, phone: str, message: str) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8") as file:
            file.write(f"{phone}\t{message}\n")


class WebhookMessenger:
    """Posts ``{"phone", "message"}`` to the provider the operator chose; any 2xx is taken for sent.

    The address comes from a setting, never from a request, and redirects are not followed.
    """

    def __init__(self, url: str, token: str | None) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(self, phone: str, message: str) -> None:
        body = {"phone": phone, "message": message}
        try:
            answer = requests.post(self._url, json=body, headers=self._headers, timeout=_SECONDS, allow_redirects=False)
        except requests.RequestException as why:
            raise NotSent(f"o serviço de mensagens não respondeu ({type(why).__name__})") from None
        if not 200 <= answer.status_code < 300:
            raise NotSent(f"o serviço de mensagens recusou (resposta {answer.status_code})")


class NoMessenger:
    """No way to phones was chosen."""

    def send(self, phone: str, message: str) -> None:
        raise NotSent("nenhum serviço de mensagens foi configurado (PONTUAL_MESSENGER_URL)")

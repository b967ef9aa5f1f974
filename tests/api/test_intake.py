"""The bounds of what is taken in. Slow and cut-off bodies over real sockets: tests/test_slow_clients.py."""

from __future__ import annotations

import io
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.intake import LARGEST_BODY, LONGEST_ADDRESS, NoSlot, Slots
from app import create_app
from settings import Settings


@pytest.fixture(scope="module")
def app() -> Flask:
    return create_app(Settings.from_env({"PONTUAL_DATA": "/nothing/here", "PONTUAL_LOG_LEVEL": "ERROR"}))


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def test_one_address_gets_a_few_slots_and_all_together_a_bounded_number():
    slots = Slots(most=3, most_of_address=2)
    with slots.one("a"), slots.one("a"):
        with pytest.raises(NoSlot), slots.one("a"):
            pass
        with slots.one("b"), pytest.raises(NoSlot), slots.one("c"):
            pass
    with slots.one("a"), slots.one("a"), slots.one("c"):
        pass


def test_a_slot_is_given_back_whatever_happened():
    slots = Slots(most=1, most_of_address=1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), slots.one("a"):
            raise ZeroDivisionError


def test_the_longest_address_is_answered_and_a_longer_one_is_not(client: FlaskClient):
    assert client.get("/" + "x" * (LONGEST_ADDRESS - 1)).status_code == 404
    refused = client.get("/health?" + "x" * LONGEST_ADDRESS)
    assert refused.json is not None
    assert (refused.status_code, refused.json["code"]) == (414, "address_too_long")


def test_the_largest_body_is_read_and_a_larger_one_is_not(client: FlaskClient):
    for size, code in ((LARGEST_BODY, 400), (LARGEST_BODY + 1, 413)):
        answer = client.post("/api/v1/fares", data=b" " * size, content_type="application/json")
        assert answer.status_code == code


class Unread(io.RawIOBase):
    def readinto(self, buffer: object) -> int:
        raise AssertionError("a body too large was read")


def test_a_stated_size_beyond_the_bound_is_refused_unread(client: FlaskClient):
    environ = {"wsgi.input": Unread(), "CONTENT_LENGTH": str(LARGEST_BODY + 1), "wsgi.input_terminated": True}
    assert client.post("/api/v1/fares", environ_overrides=environ).status_code == 413


@pytest.mark.parametrize(
    ("environ", "size", "code"),
    [
        ({"CONTENT_LENGTH": "30", "wsgi.input_terminated": True}, 20, "cut_off"),
        ({"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}, LARGEST_BODY + 1, "too_large"),
    ],
)
def test_part_of_a_body_never_passes_for_the_whole(client: FlaskClient, environ: dict[str, Any], size: int, code: str):
    """As granian hands over a body whose client hung up, and one of no stated size."""
    whole = b'{"municipality": "?"}'[:size]
    body = io.BytesIO(whole + b" " * (size - len(whole)))
    environ = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": "application/json", **environ, "wsgi.input": body}
    answer = client.open("/api/v1/fares", environ_overrides=environ)
    assert answer.json is not None
    assert answer.json["code"] == code

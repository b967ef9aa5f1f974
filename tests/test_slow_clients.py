"""Clients that send slowly, too much or two requests in one, over real sockets to the service as it runs for users."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from api import intake
from serve import LARGEST_HEADERS
from tests.test_serve import House

pytestmark = pytest.mark.slow

BODY = b'{"municipality": "ninguem", "started_at": "2026-12-01T10:00", "legs": [{"zone": "urban", "km": "2"}]}'
POST = b"POST /api/v1/fares HTTP/1.1\r\nHost: pontual\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def house(servers_folder) -> Iterator[House]:
    house = House(servers_folder / "slow clients", PONTUAL_WORKERS="1")
    with ExitStack() as ends:
        ends.callback(house.ended)
        ends.callback(house.process.terminate)
        yield house.on_air()


def call(house: House, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", house.port), timeout=60)
    connection.sendall(sent)
    return connection


def answer(connection: socket.socket) -> bytes:
    """Everything the server says until it has answered once, or hung up."""
    said = b""
    while b"\r\n\r\n" not in said and (more := connection.recv(65_536)):
        said += more
    head, _, body = said.partition(b"\r\n\r\n")
    length = head.lower().partition(b"content-length:")[2].partition(b"\r")[0]
    while len(body) < int(length or 0) and (more := connection.recv(65_536)):
        body += more
    return head + b"\r\n\r\n" + body


def test_dripped_bodies_hold_their_own_slots_and_nobody_else(house: House):
    """Those beyond the slots of one address are refused at once; all other requests are answered meanwhile."""
    surplus = 3
    with ExitStack() as open_, selectors.DefaultSelector() as answered:
        for _ in range(intake.SLOTS_OF_ADDRESS + surplus):
            dripping = open_.enter_context(call(house, POST + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY[:1]))
            answered.register(dripping, selectors.EVENT_READ, data=dripping)
        refused: list[bytes] = []
        while len(refused) < surplus:
            for key, _ in answered.select():
                refused.append(answer(key.data))
                answered.unregister(key.data)
        for said in refused:
            assert b" 503 " in said.splitlines()[0]
            assert b"\r\nretry-after: 1\r\n" in said.lower()
        for _ in range(3):
            assert house.ask("/health")["status"] == "ok"
            assert house.ask("/api/v1/municipalities")["items"]

        held: list[socket.socket] = [key.data for key in answered.get_map().values()]
        assert len(held) == intake.SLOTS_OF_ADDRESS
        for connection in held:
            connection.sendall(BODY[1:])
        for connection in held:
            assert b" 422 " in answer(connection)
    assert b" 422 " in answer(call(house, POST + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY))


def test_a_client_that_hangs_up_gives_its_slot_back(house: House):
    for _ in range(2 * intake.SLOTS_OF_ADDRESS):
        call(house, POST + b"Content-Length: 99\r\n\r\n{").close()
    whole = POST + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
    tries = iter(range(1000))
    while b" 422 " not in answer(call(house, whole)):
        assert next(tries, None) is not None, "slots of closed connections stay taken"


def test_a_body_is_refused_by_its_stated_size_before_it_comes(house: House):
    said = answer(call(house, POST + b"Content-Length: %d\r\n\r\n" % (intake.LARGEST_BODY + 1)))
    assert b" 413 " in said.splitlines()[0]
    assert b"too_large" in said


def test_a_body_without_stated_size_is_cut_at_the_bound(house: House):
    connection = call(house, POST + b"Transfer-Encoding: chunked\r\n\r\n")
    piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    try:
        for _ in range(intake.LARGEST_BODY // 0x10000 + 1):
            connection.sendall(piece)
        connection.sendall(b"0\r\n\r\n")
    except ConnectionError:
        pass  # it need not listen to the end
    assert b" 413 " in answer(connection).splitlines()[0]


@pytest.mark.parametrize(
    "headers",
    [
        b"X-Long: " + b"x" * (2 * LARGEST_HEADERS),
        b"\r\n".join(b"X-%d: x" % number for number in range(200)),
    ],
    ids=["too long", "too many"],
)
def test_headers_beyond_the_bounds_are_refused(house: House, headers: bytes):
    said = answer(call(house, b"GET /health HTTP/1.1\r\nHost: pontual\r\n" + headers + b"\r\n\r\n"))
    assert b" 431 " in said.splitlines()[0]


def test_headers_that_never_end_are_given_up_on(house: House):
    """Within the server's own time: this waits for it, ten seconds."""
    connection = call(house, b"GET /health HTTP/1.1\r\nHost: pontual\r\nX-Slow: ")
    assert connection.recv(1000) == b""


SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: pontual\r\n\r\n"


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(SMUGGLED),
        b"Content-Length: 0, %d\r\n\r\n" % len(SMUGGLED),
        b"Content-Length: +0\r\n\r\n",
        b"Content-Length : 0\r\n\r\n",
        b"Transfer-Encoding: xchunked\r\n\r\n",
        b"Transfer-Encoding: chunked, identity\r\n\r\n",
        b"Transfer-Encoding:\x0bchunked\r\n\r\n",
        b"X: y\r\n Content-Length: 0\r\n\r\n",
        b"X: a\rContent-Length: 0\r\n\r\n",
    ],
)
def test_a_second_request_cannot_hide_in_the_first(house: House, framing: bytes):
    """Whatever a proxy before us might read there: unclear framing ends the connection, or is read in the one way."""
    connection = call(house, POST + framing + SMUGGLED)
    said = b""
    try:
        connection.shutdown(socket.SHUT_WR)
        while more := connection.recv(65_536):
            said += more
    except ConnectionError:
        pass
    assert said.count(b"HTTP/1.1 ") == 1


def test_http2_without_being_asked_is_not_spoken(house: House):
    assert b"HTTP/2" not in answer(call(house, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))

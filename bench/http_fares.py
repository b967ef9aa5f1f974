"""`POST /api/v1/fares` against a bare Flask + marshmallow echo of the same body (goal: at least 0.7 of its rate).

Both run at once under the same server with the same workers; a light client keeps eight requests under way at one of
them, then at the other, in short turns.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from types import MappingProxyType

from bench.turns import ratio, seconds_each
from fares.tariffs import open_lawbook
from serve import example_request
from settings import Settings

HERE = Path(__file__).resolve().parents[1]
WORKERS = 1  # the client needs the other core of a small machine
THREADS = 8
CONNECTIONS = 8
REQUESTS_A_TURN = 100
TURNS = 120
GOAL = 0.7


def body() -> bytes:
    """The example of the public contract, in a municipality whose law prices it."""
    example = example_request(open_lawbook(Settings.from_env().laws))
    if example is None:
        sys.exit("Nenhum município tem tarifa hoje; não há o que medir.")
    return json.dumps(example | {"passengers": 1, "waiting_minutes": 0, "items": [], "passenger_age": 34}).encode()


@contextmanager
def serving(target: str) -> Iterator[int]:
    """A granian serving ``target``; gives its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as figures:
        command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--factory", "--port", str(port)]
        command += ["--workers", str(WORKERS), "--blocking-threads", str(THREADS), "--log-level", "error", target]
        environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": figures}
        server = subprocess.Popen(command, cwd=HERE, env=environment, stderr=subprocess.DEVNULL)
        try:
            _wait_for(port, server)
            yield port
        finally:
            server.terminate()
            server.wait()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit("O servidor a medir não iniciou.")


class Client:
    """Keeps requests under way at one server over several open connections."""

    def __init__(self, port: int, sent: bytes, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        head = "POST /api/v1/fares HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._request = f"{head}Content-Length: {len(sent)}\r\n\r\n".encode() + sent
        self._ready = selectors.DefaultSelector()
        self._connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
        for connection in self._connections:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._ready.register(connection, selectors.EVENT_READ)

    def turn(self) -> bytes:
        """Send a turn's requests and read their answers; gives the last answer's body."""
        to_send, to_read, answer = REQUESTS_A_TURN, REQUESTS_A_TURN, b""
        for connection in self._connections:
            connection.sendall(self._request)
            to_send -= 1
        while to_read:
            for key, _ in self._ready.select():
                assert isinstance(key.fileobj, socket.socket)
                answer = _read(key.fileobj)
                to_read -= 1
                if to_send:
                    key.fileobj.sendall(self._request)
                    to_send -= 1
        return answer


def _read(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    head, _, rest = data.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        sys.exit(f"Resposta inesperada: {data[:300]!r}")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r")[0])
    while len(rest) < length:
        rest += connection.recv(65536)
    return rest


def main() -> None:
    """Print the ratio."""
    sent = body()
    with ExitStack() as running:
        ours = Client(running.enter_context(serving("serve:web")), sent)
        echo = Client(running.enter_context(serving("bench.echo:create_app")), sent)
        fare = json.loads(ours.turn())
        assert fare["status"] == "priced", fare
        assert json.loads(echo.turn())["legs"], "the echo must send the body back"
        our_seconds, echo_seconds = seconds_each([ours.turn, echo.turn], 1, TURNS)
    found = ratio(echo_seconds, our_seconds)
    rates = [REQUESTS_A_TURN / median(seconds) for seconds in (our_seconds, echo_seconds)]
    print(
        f"POST /fares ({len(fare['readings'])} readings): {rates[0]:.0f}/s, "
        f"bare Flask + marshmallow echo: {rates[1]:.0f}/s, ratio {found:.2f} (goal >= {GOAL})"
    )


if __name__ == "__main__":
    main()

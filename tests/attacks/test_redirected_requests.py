"""Server-side request forgery: the servers we ask are those of the settings, and none can send us on to another.

No request can name an address for us to ask (`test_no_request_holds_an_address`). A routing server's redirects are
tested in tests/zones/roads/test_remote.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from accounts.messenger import NotSent, WebhookMessenger
from zones.places.geocoders import Box, Engine, Geocoder, GeocoderSilent


@dataclass
class Server:
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200
    asked: list[str] = field(default_factory=list)


@contextmanager
def server() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            self.send_response(state.status)
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"[]")

        do_POST = do_GET

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state = Server(f"http://127.0.0.1:{http.server_port}")
        thread = Thread(target=http.serve_forever)
        thread.start()
        yield state
        http.shutdown()
        thread.join()


@pytest.fixture
def chosen_and_inner() -> Iterator[tuple[Server, Server]]:
    """The server of the setting, which redirects to one that we must not be led to."""
    with ExitStack() as open_:
        chosen, inner = open_.enter_context(server()), open_.enter_context(server())
        chosen.headers["Location"] = f"{inner.url}/latest/meta-data"
        yield chosen, inner


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("engine", list(Engine))
def test_a_geocoder_cannot_send_us_elsewhere(chosen_and_inner, redis_url: str, status: int, engine: Engine):
    chosen, inner = chosen_and_inner
    chosen.status = status
    with redis.Redis.from_url(redis_url) as store, pytest.raises(GeocoderSilent):
        Geocoder(engine, chosen.url, "Central de Teste, contato@exemplo.com.br").search(
            "rua um", "ro-urupa", Box(-63, -12, -62, -11), store
        )
    assert len(chosen.asked) == 1
    assert inner.asked == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_messenger_cannot_send_us_elsewhere(chosen_and_inner, status: int):
    chosen, inner = chosen_and_inner
    chosen.status = status
    with pytest.raises(NotSent):
        WebhookMessenger(chosen.url, "segredo").send("+5569992841234", "código 123456")
    assert len(chosen.asked) == 1
    assert inner.asked == []


def _names(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        for name, inner in (schema.get("properties") or {}).items():
            if isinstance(inner, dict):
                yield name, inner
        for inner in schema.values():
            yield from _names(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _names(inner)


def test_no_request_holds_an_address(client: FlaskClient):
    """Whoever adds such a field must also decide which addresses it may hold."""
    spec = client.get("/api/openapi.json").get_json()
    names = [
        *_names({name: one for name, one in spec["components"]["schemas"].items() if not name.endswith("Out")}),
        *(
            (one["name"], one.get("schema", {}))
            for path in spec["paths"].values()
            for operation in path.values()
            if isinstance(operation, dict)
            for one in operation.get("parameters", [])
            if "name" in one
        ),
    ]
    assert len(names) > 50
    for name, schema in names:
        assert schema.get("format") not in ("uri", "url"), name
        assert not {"url", "uri", "webhook", "callback", "redirect"} & set(name.lower().split("_")), name

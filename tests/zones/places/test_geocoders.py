"""The online geocoders, against a real HTTP server that answers as Nominatim and Photon do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import redis

from geodata.point import Point
from settings import BadSetting, Settings
from store.connections import Connections
from zones.places import geocoders
from zones.places.finder import Finder
from zones.places.geocoders import Box, Engine, Geocoder, GeocoderSilent
from zones.places.osm import CREDIT
from zones.places.place import Kind, Place, PositionQuality

TOWN = "ce-limoeiro-do-norte"
GEODATA = Path(__file__).parents[2] / "geodata"
BOX = Box(-38.125, -5.196, -38.068, -5.132)
AGENT = "Central de Teste, contato@example.com"

NOMINATIM = [
    {
        "place_id": 1,
        "licence": "Data © OpenStreetMap contributors, ODbL 1.0",
        "lat": "-5.1450",
        "lon": "-38.0970",
        "class": "highway",
        "type": "residential",
        "display_name": "Rua Padre Vicente, Centro, Limoeiro do Norte, Ceará, Brasil",
    },
    {
        "place_id": 2,
        "lat": "-3.7300",
        "lon": "-38.5200",
        "class": "amenity",
        "type": "school",
        "display_name": "Escola Padre Vicente, Fortaleza, Ceará, Brasil",
    },
]
PHOTON = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [-38.0970, -5.1450]},
            "properties": {"osm_key": "place", "osm_value": "suburb", "name": "Bairro Novo", "country": "Brasil"},
        }
    ],
}


@dataclass
class Server:
    """Answers every request with ``status`` and ``body``; remembers what was asked and by whom."""

    url: str = ""
    status: int = 200
    body: bytes = b"[]"
    asked: list[tuple[str, dict[str, list[str]], str]] = field(default_factory=list)
    may_answer: Event = field(default_factory=Event)

    def says(self, answer: Any) -> None:
        self.body = json.dumps(answer).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()
    state.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            state.asked.append((parts.path, parse_qs(parts.query), self.headers["User-Agent"]))
            state.may_answer.wait(timeout=60)
            with suppress(BrokenPipeError):  # a client that no longer waits
                self.send_response(state.status)
                self.end_headers()
                self.wfile.write(state.body)

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=http.serve_forever)
    thread.start()
    state.url = f"http://127.0.0.1:{http.server_port}/busca/"
    yield state
    state.may_answer.set()
    http.shutdown()
    thread.join()
    http.server_close()


@pytest.fixture
def store(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def next_second(store: redis.Redis) -> Callable[[], object]:
    """As if the second (or the pause after a failure) had passed."""
    return lambda: store.delete(geocoders.TURN)


def test_nominatim_is_asked_as_its_policy_wants_and_only_inside_the_box(server: Server, store: redis.Redis) -> None:
    server.says(NOMINATIM)

    (found,) = Geocoder(Engine.NOMINATIM, server.url, AGENT).search("rua padre vicente", TOWN, BOX, store)

    assert (found.place.kind, found.place.name) == (Kind.STREET, "Rua Padre Vicente")
    assert found.position == Point(-5.145, -38.097)
    assert found.position_quality is PositionQuality.APPROXIMATE
    assert (found.place.source, found.place.credit) == ("OpenStreetMap via Nominatim", CREDIT)
    ((path, query, agent),) = server.asked
    assert (path, agent) == ("/busca/search", AGENT)
    assert query["q"] == ["rua padre vicente"]
    assert query["bounded"] == ["1"]
    assert query["viewbox"] == ["-38.125,-5.196,-38.068,-5.132"]


def test_photon_is_understood_too(server: Server, store: redis.Redis) -> None:
    server.says(PHOTON)

    (found,) = Geocoder(Engine.PHOTON, server.url, AGENT).search("bairro novo", TOWN, BOX, store)

    assert (found.place.kind, found.place.name, found.score) == (Kind.DISTRICT, "Bairro Novo", 99)
    ((path, query, agent),) = server.asked
    assert (path, agent) == ("/busca/api", AGENT)
    assert query["bbox"] == ["-38.125,-5.196,-38.068,-5.132"]


def test_the_same_question_is_asked_once_in_a_month(server: Server, store: redis.Redis) -> None:
    server.says(NOMINATIM)
    first = Geocoder(Engine.NOMINATIM, server.url, AGENT).search("Rua Padre Vicente", TOWN, BOX, store)

    again = Geocoder(Engine.NOMINATIM, server.url, AGENT).search("rua  padre vicente", TOWN, BOX, store)

    assert again[0].position == first[0].position
    assert len(server.asked) == 1
    (key,) = store.scan_iter("{*}:geocoder:*")
    assert 29 * 24 * 3600 < store.ttl(key) <= 30 * 24 * 3600


def test_all_workers_together_ask_once_a_second(server: Server, store: redis.Redis) -> None:
    server.says(NOMINATIM)
    Geocoder(Engine.NOMINATIM, server.url, AGENT).search("rua um", TOWN, BOX, store)
    assert 0 < store.pttl(geocoders.TURN) <= 1000

    store.pexpire(geocoders.TURN, 60_000)  # so that a slow machine does not let the second pass
    with pytest.raises(GeocoderSilent, match="um pedido por segundo"):
        Geocoder(Engine.NOMINATIM, server.url, AGENT).search("rua dois", TOWN, BOX, store)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("status", "body", "complaint"),
    [
        (500, b"", "falhou"),
        (429, b"", "excesso de uso"),
        (403, b"", "falhou"),
        (200, b"<html>", "falhou"),
        (200, b'[{"lat": "x"}]', "não se entende"),
        (200, b'[{"lat": "1", "lon": "nada", "display_name": "Rua"}]', "não se entende"),
        (200, b'["texto"]', "não se entende"),
    ],
)
def test_a_server_that_fails_is_left_alone_for_a_while_and_its_answer_is_not_kept(
    server: Server, store: redis.Redis, status: int, body: bytes, complaint: str, next_second: Callable[[], object]
) -> None:
    geocoder = Geocoder(Engine.NOMINATIM, server.url, AGENT)
    server.status, server.body = status, body

    with pytest.raises(GeocoderSilent, match=complaint):
        geocoder.search("rua um", TOWN, BOX, store)

    assert 20_000 < store.pttl(geocoders.TURN) <= 30_000
    next_second()
    server.status = 200
    server.says(NOMINATIM)
    assert len(geocoder.search("rua um", TOWN, BOX, store)) == 1


def test_a_server_that_is_not_there_is_a_reason_and_no_crash(store: redis.Redis) -> None:
    with pytest.raises(GeocoderSilent, match="falhou"):
        Geocoder(Engine.PHOTON, "http://127.0.0.1:9/", AGENT).search("rua um", TOWN, BOX, store)


def test_a_server_that_does_not_answer_in_time_is_not_waited_for(
    server: Server, store: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(geocoders, "SECONDS_TO_ANSWER", 0.1)
    server.may_answer.clear()
    with pytest.raises(GeocoderSilent, match="não respondeu"):
        Geocoder(Engine.NOMINATIM, server.url, AGENT).search("rua um", TOWN, BOX, store)
    assert len(server.asked) == 1


def test_without_redis_nobody_is_asked(server: Server, tmp_path: Path) -> None:
    nowhere = Connections(tmp_path, redis_url=f"unix://{tmp_path}/nada.sock").redis
    with pytest.raises(GeocoderSilent, match="não está disponível"):
        Geocoder(Engine.NOMINATIM, server.url, AGENT).search("rua um", TOWN, BOX, nowhere)
    assert server.asked == []


def test_a_geocoder_without_a_user_agent_of_ones_own_stops_the_start() -> None:
    with pytest.raises(BadSetting, match="PONTUAL_GEOCODER_USER_AGENT"):
        Settings.from_env({"PONTUAL_GEOCODER": "nominatim"})
    with pytest.raises(BadSetting, match="none, nominatim, photon"):
        Settings.from_env({"PONTUAL_GEOCODER": "outro"})
    assert Settings.from_env({}).geocoder == "none"


@pytest.fixture
def connections(database_url: str, redis_url: str, tmp_path: Path) -> Iterator[Connections]:
    connections = Connections(tmp_path, database_url, redis_url)
    yield connections
    connections.engine.dispose()


def finder(connections: Connections, server: Server) -> Finder:
    found = Finder(connections, GEODATA, Geocoder(Engine.NOMINATIM, server.url, AGENT))
    found.gazetteer.put(TOWN, [Place(Kind.STREET, "Rua Padre Vicente", "prefeitura")], by="central")
    return found


def test_online_answers_join_the_local_ones_with_their_credit(connections: Connections, server: Server) -> None:
    server.says(NOMINATIM)

    answer = finder(connections, server).find(TOWN, "rua padre vicente", 10, online=True)

    assert [(item.score, item.place.source) for item in answer.items] == [
        (100, "prefeitura"),
        (99, "OpenStreetMap via Nominatim"),
    ]
    assert answer.credits == (CREDIT,)
    assert answer.warnings == ()


def test_a_place_that_the_gazetteer_locates_is_not_repeated(connections: Connections, server: Server) -> None:
    server.says(NOMINATIM)
    search = finder(connections, server)
    located = Place(
        Kind.STREET,
        "Rua Padre Vicente",
        "prefeitura",
        position=Point(-5.1451, -38.0971),
        position_quality=PositionQuality.VERIFIED,
    )
    search.gazetteer.put(TOWN, [located], by="central")

    answer = search.find(TOWN, "rua padre vicente", 10, online=True)

    assert [item.place for item in answer.items] == [located]
    assert answer.credits == ()


def test_while_a_person_types_only_the_gazetteer_is_asked(connections: Connections, server: Server) -> None:
    answer = finder(connections, server).find(TOWN, "rua pad", 10, online=False)

    assert [item.label for item in answer.items] == ["Rua Padre Vicente"]
    assert server.asked == []


def test_a_failing_geocoder_leaves_the_local_results_and_a_warning(connections: Connections, server: Server) -> None:
    server.status = 500

    answer = finder(connections, server).find(TOWN, "rua padre vicente", 10, online=True)

    assert [item.label for item in answer.items] == ["Rua Padre Vicente"]
    assert [warning.code for warning in answer.warnings] == ["geocoder_unavailable"]


def test_without_the_limit_of_the_municipality_nobody_is_asked(connections: Connections, server: Server) -> None:
    answer = finder(connections, server).find("xx-sem-limite", "rua um", 10, online=True)

    assert [warning.code for warning in answer.warnings] == ["geocoder_unavailable", "nothing_found"]
    assert server.asked == []


def test_without_a_geocoder_an_online_search_says_that_there_is_none(connections: Connections) -> None:
    answer = Finder(connections, GEODATA, None).find(TOWN, "rua um", 10, online=True)
    assert [warning.code for warning in answer.warnings] == ["geocoder_disabled", "nothing_found"]

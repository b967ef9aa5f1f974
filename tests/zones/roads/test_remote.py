"""OSRM and Valhalla over HTTP, against a real server on loopback that answers what each test tells it to."""

from __future__ import annotations

import gzip
import json
import re
import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from geodata.point import Point
from zones.roads.build import BUILDER
from zones.roads.data import current_build
from zones.roads.embedded import engine_config, open_engine
from zones.roads.errors import EngineDown, NoRoadNearby, NoWay
from zones.roads.remote import BadEngineUrl, Limits, OsrmRoads, ValhallaRoads
from zones.route import Source

A, B = Point(-5.147497, -38.09833), Point(-5.141418, -38.088898)
QUICK = Limits(connect=1, read=0.3, total=0.5, retries=0, failures=3, rest=3600)


class Server(ThreadingHTTPServer):
    """Answers each request with ``self.answer(handler)`` and keeps what was asked."""

    daemon_threads = True

    def __init__(self):
        self.asked = []
        self.answer = saying(b"", 500)
        self.closing = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    server: Server

    def do_GET(self):
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append(self)
        self.server.answer(self)

    do_POST = do_GET

    def reply(self, status, body, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.closing.set()
        running.shutdown()
        thread.join()


def saying(answer, status=200):
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return lambda handler: handler.reply(status, body)


def osrm(*legs, distance=None):
    """What OSRM answers for legs given as lists of steps, a step being its coordinates."""
    return {
        "code": "Ok",
        "routes": [
            {
                "distance": distance,
                "legs": [{"steps": [{"geometry": {"coordinates": step}} for step in leg]} for leg in legs],
            }
        ],
    }


LEG = [[[A.lon, A.lat], [-38.095, -5.147]], [[-38.095, -5.147], [B.lon, B.lat]], [[B.lon, B.lat], [B.lon, B.lat]]]
GOOD = osrm(LEG, distance=1283)


def test_osrm_is_asked_for_the_whole_geometry_within_the_limit(server):
    server.answer = saying(GOOD)

    route = OsrmRoads(server.url, limits=QUICK).route([A, B])

    asked = urlsplit(server.asked[0].path)
    assert asked.path == "/route/v1/driving/-38.098330,-5.147497;-38.088898,-5.141418"
    assert parse_qs(asked.query)["radiuses"] == ["300;300"]
    assert route.line == ((A.lon, A.lat), (-38.095, -5.147), (B.lon, B.lat))
    assert route.stop_indexes == (0, 2)
    assert route.metres == pytest.approx(1289, abs=1)
    assert (route.source, route.engine) == (Source.ROAD, "osrm")


def test_osrm_joins_the_legs_at_the_stops(server):
    back = [[[B.lon, B.lat], [A.lon, A.lat]]]
    server.answer = saying(osrm(LEG, back, distance=1283 + 1243))

    route = OsrmRoads(server.url, limits=QUICK).route([A, B, A])

    assert route.stop_indexes == (0, 2, 3)


def test_a_valhalla_server_answers_like_the_engine_in_process(server, town, town_data):
    build = current_build(town_data / "roads" / "ce-limoeiro-do-norte")
    assert build is not None
    actor = open_engine(build / "tiles.tar")
    server.answer = lambda handler: handler.reply(200, json.dumps(actor.route(json.loads(handler.body))).encode())

    remote = ValhallaRoads(server.url + "/", limits=QUICK).route([A, B, A])

    here = town.route([A, B, A])
    assert server.asked[0].path == "/route"
    assert (remote.line, remote.stop_indexes, remote.metres) == (here.line, here.stop_indexes, here.metres)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"error_code": 171, "error": "No suitable edges near location"}, NoRoadNearby),
        ({"error_code": 442, "error": "No path could be found for input"}, NoWay),
        ({"error_code": 154, "error": "Path distance exceeds the max distance limit"}, EngineDown),
        ({"error_code": 100, "error": "Failed to parse"}, EngineDown),
        ([], EngineDown),
    ],
)
def test_what_valhalla_refuses(server, answer, error):
    server.answer = saying(answer, status=400)

    with pytest.raises(error):
        ValhallaRoads(server.url, limits=QUICK).route([A, B])


@pytest.mark.parametrize(
    ("answer", "error", "point"),
    [
        ({"code": "NoSegment", "message": "Could not find a matching segment for coordinate 1"}, NoRoadNearby, B),
        ({"code": "NoSegment", "message": "coordinate 77"}, NoRoadNearby, None),
        ({"code": "NoRoute"}, NoWay, None),
        ({"code": "InvalidQuery"}, EngineDown, None),
        ("what?", EngineDown, None),
    ],
)
def test_what_osrm_refuses(server, answer, error, point):
    server.answer = saying(answer, status=400)

    with pytest.raises(error) as raised:
        OsrmRoads(server.url, limits=QUICK).route([A, B])

    assert getattr(raised.value, "point", None) == point


FAR = [[[0, 0], [1, 1]]]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"", "não é JSON"),
        (b"<html>", "não é JSON"),
        (b"\xff\xfe", "não é JSON"),
        (b"[" * 200_000, "não é JSON"),
        (b"{}", "formato esperado"),
        (b"[]", "formato esperado"),
        (b"null", "formato esperado"),
        ({"routes": []}, "formato esperado"),
        ({"routes": [{"distance": 1, "legs": 7}]}, "formato esperado"),
        ({"routes": [{"distance": 10**400, "legs": []}]}, "formato esperado"),
        (osrm([[[1, 2, 3]]], distance=1), "formato esperado"),
        (osrm([["ab"]], distance=1), "formato esperado"),
        (osrm(LEG, LEG, distance=1), "vieram 2 trechos para 2 pontos"),
        (osrm([[]], distance=0), "não é uma sequência de coordenadas"),
        (osrm([[[A.lon, float("nan")], [B.lon, B.lat]]], distance=1), "não é uma sequência de coordenadas"),
        (osrm([[[A.lat * 40, A.lon], [B.lon, B.lat]]], distance=1), "não é uma sequência de coordenadas"),
        (osrm(FAR, distance=157_000), "não passa pelos pontos"),
        (osrm(LEG, distance=9000), "diz 9000 m, mas o traçado mede 12"),
        (osrm(LEG, distance=float("nan")), "mas o traçado mede"),
        (osrm(LEG, distance=-1), "mas o traçado mede"),
    ],
)
def test_garbage_is_never_a_distance(server, answer, why):
    server.answer = saying(answer)

    with pytest.raises(EngineDown, match=why):
        OsrmRoads(server.url, limits=QUICK).route([A, B])


@pytest.mark.parametrize("shape", ["", "?", "~u~yH~nqtgA" * 3, 5, None, "é" * 40, "_" * 500])
def test_a_broken_polyline_is_never_a_distance(server, shape):
    server.answer = saying({"trip": {"legs": [{"shape": shape}], "summary": {"length": 1.2}}})

    with pytest.raises(EngineDown):
        ValhallaRoads(server.url, limits=QUICK).route([A, B])


@pytest.mark.parametrize("status", [500, 502, 503, 204, 301, 302, 307])
def test_a_failing_or_redirecting_server_is_down(server, status):
    server.answer = lambda handler: handler.reply(status, b"", Location="http://169.254.169.254/latest/meta-data")

    with pytest.raises(EngineDown, match=f"HTTP {status}"):
        OsrmRoads(server.url, limits=QUICK).route([A, B])

    assert len(server.asked) == 1


def test_a_passing_failure_is_asked_again(server):
    def first_bad(handler):
        saying(b"", 503)(handler) if len(server.asked) == 1 else saying(GOOD)(handler)

    server.answer = first_bad

    assert OsrmRoads(server.url, limits=Limits(retries=1)).route([A, B]).metres > 0
    assert len(server.asked) == 2


def test_a_server_that_says_nothing_is_given_up(server):
    server.answer = lambda handler: server.closing.wait()

    with pytest.raises(EngineDown, match="a tempo"):
        OsrmRoads(server.url, limits=QUICK).route([A, B])


def test_a_server_that_drips_is_given_up(server):
    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not server.closing.wait(0.05):
            handler.wfile.write(b" ")

    server.answer = drip

    with pytest.raises(EngineDown, match="a tempo"):
        OsrmRoads(server.url, limits=QUICK).route([A, B])


@pytest.mark.parametrize("packed", [False, True])
def test_a_huge_answer_is_not_read_to_the_end(server, packed):
    body = b" " * 8_000_000
    headers = {"Content_Encoding": "gzip"} if packed else {}
    server.answer = lambda handler: handler.reply(200, gzip.compress(body) if packed else body, **headers)

    with pytest.raises(EngineDown, match="passa de 4000000 bytes"):
        OsrmRoads(server.url, limits=Limits(retries=0)).route([A, B])


def test_a_connection_closed_in_the_middle_is_down(server):
    def cut(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "500")
        handler.end_headers()
        handler.wfile.write(b"{")
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True

    server.answer = cut

    with pytest.raises(EngineDown, match="falha de comunicação"):
        OsrmRoads(server.url, limits=QUICK).route([A, B])


def test_a_server_that_is_not_there_is_down():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(EngineDown, match="falha de comunicação"):
            ValhallaRoads(f"http://127.0.0.1:{port}", limits=QUICK).route([A, B])


def test_after_failures_in_a_row_the_server_is_left_alone(server):
    server.answer = saying(b"", 500)
    roads = OsrmRoads(server.url, limits=QUICK)

    for _ in range(5):
        with pytest.raises(EngineDown):
            roads.route([A, B])

    assert len(server.asked) == QUICK.failures
    with pytest.raises(EngineDown, match="em pausa"):
        roads.route([A, B])


def test_after_its_rest_the_server_is_tried_again(server):
    server.answer = saying(b"", 500)
    roads = OsrmRoads(server.url, limits=Limits(retries=0, failures=1, rest=0))
    with pytest.raises(EngineDown):
        roads.route([A, B])

    server.answer = saying(GOOD)

    assert roads.route([A, B]).metres == roads.route([A, B]).metres


def test_failures_that_are_not_in_a_row_do_not_stop_it(server):
    roads = OsrmRoads(server.url, limits=QUICK)
    for _ in range(QUICK.failures):
        server.answer = saying(b"", 500)
        with pytest.raises(EngineDown):
            roads.route([A, B])
        server.answer = saying(GOOD)
        roads.route([A, B])


def test_refusals_are_not_failures(server):
    server.answer = saying({"code": "NoRoute"}, 400)
    roads = OsrmRoads(server.url, limits=QUICK)

    for _ in range(2 * QUICK.failures):
        with pytest.raises(NoWay):
            roads.route([A, B])


def test_requests_run_side_by_side(server):
    together = threading.Barrier(4, timeout=5)

    def meet(handler):
        together.wait()
        saying(GOOD)(handler)

    server.answer = meet
    roads = OsrmRoads(server.url, limits=Limits(retries=0, read=5, total=5))
    got = []
    threads = [threading.Thread(target=lambda: got.append(roads.route([A, B]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(got) == 4


def test_the_environment_sends_nothing_elsewhere(server, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    server.answer = saying(GOOD)

    assert OsrmRoads(server.url, limits=QUICK).route([A, B]).metres > 0


@pytest.mark.parametrize(
    "url", ["", "ftp://x", "file:///etc/passwd", "http://", "http://x:99999", "http://x?y=1", "//x", "http://[::1"]
)
def test_only_an_http_address_is_taken(url):
    with pytest.raises(BadEngineUrl, match=re.escape("http://servidor")):
        OsrmRoads(url)


@pytest.mark.slow
def test_a_real_valhalla_server_answers_like_the_engine_in_process(town, town_data, tmp_path):
    build = current_build(town_data / "roads" / "ce-limoeiro-do-norte")
    assert build is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config: Any = engine_config(tile_extract=build / "tiles.tar")
    for part in ("loki", "thor", "odin", "meili"):
        config[part]["service"] = {"proxy": f"ipc://{tmp_path}/{part}"}
    config["httpd"]["service"] |= {
        "listen": f"tcp://127.0.0.1:{port}",
        "loopback": f"ipc://{tmp_path}/loopback",
        "interrupt": f"ipc://{tmp_path}/interrupt",
    }
    (tmp_path / "valhalla.json").write_text(json.dumps(config))
    running = subprocess.Popen([BUILDER.with_name("valhalla_service"), tmp_path / "valhalla.json", "1"])
    try:
        remote = ValhallaRoads(f"http://127.0.0.1:{port}", limits=Limits(retries=8))  # until it listens
        route = remote.route([A, B, A])
        with pytest.raises(NoRoadNearby):
            remote.route([A, Point(-5.147497, -38.1225)])
    finally:
        running.kill()
        running.wait()

    assert (route.line, route.metres) == (town.route([A, B, A]).line, town.route([A, B, A]).metres)

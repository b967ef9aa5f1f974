"""OSRM and Valhalla on a server, over HTTP: the address comes from the settings, the answers are not trusted."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import pybreaker
import requests
import urllib3
from requests.adapters import HTTPAdapter

from geodata.point import Point
from zones.roads.answer import SNAP_LIMIT_METRES, route_from_legs
from zones.roads.errors import EngineDown, NoRoadNearby, NoWay
from zones.roads.valhalla_json import failure, read_route, route_request
from zones.route import Route

__all__ = ["BadEngineUrl", "Limits", "OsrmRoads", "ValhallaRoads"]


class BadEngineUrl(ValueError):
    """The address of the server cannot be used; the message, in Portuguese, says why."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How patient we are with the server; seconds and bytes.

    ``total`` bounds the reading of one answer. After ``failures`` in a row the server is left alone for ``rest``
    seconds, then one request tries it again.
    """

    connect: float = 1.0
    read: float = 3.0
    total: float = 6.0
    retries: int = 1
    most_bytes: int = 4_000_000
    failures: int = 5
    rest: float = 30.0


class _Server:
    """JSON over HTTP from one server: redirects are refused, so nothing it says sends us to another host.

    The environment's proxies and .netrc are not used. Only server failures open the circuit, not refusals (HTTP 4xx).
    """

    def __init__(self, engine: str, url: str, limits: Limits) -> None:
        self._engine = engine
        self._url = _checked(url)
        self._limits = limits
        self._session = requests.Session()
        self._session.trust_env = False
        retry = urllib3.Retry(
            total=limits.retries,
            redirect=0,
            status_forcelist=(502, 503, 504),
            allowed_methods=frozenset({"GET", "POST"}),  # both only ask
            backoff_factor=0.1,
            raise_on_status=False,
            respect_retry_after_header=False,
        )
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=retry))
        self._breaker = pybreaker.CircuitBreaker(
            fail_max=limits.failures, reset_timeout=limits.rest, throw_new_error_on_trip=False
        )

    def ask(self, path: str, *, params: Mapping[str, str] | None = None, body: object = None) -> tuple[bool, object]:
        """Whether the server agreed (HTTP 200) or refused (HTTP 4xx), and its JSON. Raises ``EngineDown``."""
        if self._breaker.current_state != pybreaker.STATE_CLOSED:
            try:
                return self._breaker.call(self._ask, path, params, body)
            except pybreaker.CircuitBreakerError:
                raise EngineDown(self._engine, "o servidor falhou várias vezes seguidas e está em pausa") from None
        # While all is well the request runs outside the breaker, which would let in one at a time.
        try:
            answer = self._ask(path, params, body)
        except EngineDown as down:
            self._breaker.call(_fail, down)
            raise
        if self._breaker.fail_counter:
            self._breaker.call(_succeed)
        return answer

    def _ask(self, path: str, params: Mapping[str, str] | None, body: object) -> tuple[bool, object]:
        try:
            with self._session.request(
                "GET" if body is None else "POST",
                self._url + path,
                params=params,
                json=body,
                timeout=(self._limits.connect, self._limits.read),
                allow_redirects=False,
                stream=True,
            ) as response:
                if response.status_code != 200 and not 400 <= response.status_code < 500:
                    raise EngineDown(self._engine, f"o servidor respondeu HTTP {response.status_code}")
                return response.status_code == 200, json.loads(self._body(response))
        except (ValueError, RecursionError):
            raise EngineDown(self._engine, "a resposta não é JSON") from None
        except (requests.RequestException, urllib3.exceptions.HTTPError, TimeoutError) as why:
            if _timed_out(why):
                raise EngineDown(self._engine, "o servidor não respondeu a tempo") from None
            raise EngineDown(self._engine, f"falha de comunicação ({type(why).__name__})") from None

    def _body(self, response: requests.Response) -> bytes:
        """The answer as it comes in, so that neither a huge nor an endless one is waited for."""
        deadline = time.monotonic() + self._limits.total
        chunks: list[bytes] = []
        size = 0
        while chunk := response.raw.read1(65_536, decode_content=True):
            chunks.append(chunk)
            size += len(chunk)
            if size > self._limits.most_bytes:
                raise EngineDown(self._engine, f"a resposta passa de {self._limits.most_bytes} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError
        return b"".join(chunks)


class ValhallaRoads:
    """A Valhalla server: the same request, costing and answer as in process."""

    ENGINE = "valhalla_http"

    def __init__(self, url: str, *, snap_limit: float = SNAP_LIMIT_METRES, limits: Limits | None = None) -> None:
        """``url`` is the server's base address. Raises ``BadEngineUrl``."""
        self._server = _Server(self.ENGINE, url, limits or Limits())
        self._snap_limit = snap_limit

    def route(self, stops: Sequence[Point]) -> Route:
        """The shortest lawful way through ``stops``. Raises ``NoRoadNearby``, ``NoWay``, ``EngineDown``."""
        agreed, answer = self._server.ask("/route", body=route_request(stops, self._snap_limit))
        if not agreed:
            told = answer if isinstance(answer, dict) else {}
            code = told.get("error_code")
            raise failure(
                self.ENGINE, code if isinstance(code, int) else None, str(told.get("error"))[:200], self._snap_limit
            )
        return read_route(self.ENGINE, stops, answer, self._snap_limit)


class OsrmRoads:
    """An OSRM server, route service v1 (https://project-osrm.org/docs/v5.24.0/api/#route-service).

    How one-way and unpaved roads are ridden is decided by the profile the server was built with.
    """

    ENGINE = "osrm"

    def __init__(
        self,
        url: str,
        *,
        profile: str = "driving",
        snap_limit: float = SNAP_LIMIT_METRES,
        limits: Limits | None = None,
    ) -> None:
        """``url`` is the server's base address. Raises ``BadEngineUrl``."""
        self._server = _Server(self.ENGINE, url, limits or Limits())
        self._profile = profile
        self._snap_limit = snap_limit

    def route(self, stops: Sequence[Point]) -> Route:
        """The way the server prefers through ``stops``. Raises ``NoRoadNearby``, ``NoWay``, ``EngineDown``."""
        places = ";".join(f"{stop.lon:.6f},{stop.lat:.6f}" for stop in stops)
        agreed, answer = self._server.ask(
            f"/route/v1/{self._profile}/{places}",
            params={
                "steps": "true",  # the only form that says where each leg's geometry ends
                "overview": "false",
                "geometries": "geojson",
                "continue_straight": "false",
                "radiuses": ";".join([f"{self._snap_limit:.0f}"] * len(stops)),
            },
        )
        if not agreed:
            raise self._refusal(answer, stops)
        return self._read(answer, stops)

    def _read(self, answer: object, stops: Sequence[Point]) -> Route:
        try:
            route = answer["routes"][0]  # type: ignore[index] # anything malformed ends in the except below
            legs = [
                [(float(lon), float(lat)) for step in leg["steps"] for lon, lat in step["geometry"]["coordinates"]]
                for leg in route["legs"]
            ]
            claimed = float(route["distance"])
        except (LookupError, TypeError, ValueError, OverflowError):
            raise EngineDown(self.ENGINE, "a resposta não tem o formato esperado") from None
        return route_from_legs(self.ENGINE, stops, legs, claimed, self._snap_limit)

    def _refusal(self, answer: object, stops: Sequence[Point]) -> Exception:
        told = answer if isinstance(answer, dict) else {}
        match told.get("code"):
            case "NoSegment":
                which = re.search(r"coordinate (\d{1,3})\b", str(told.get("message")))
                index = int(which[1]) if which else len(stops)
                return NoRoadNearby(stops[index] if index < len(stops) else None, None, self._snap_limit)
            case "NoRoute":
                return NoWay()
            case code:
                return EngineDown(self.ENGINE, f"o servidor recusou o pedido ({str(code)[:50]})")


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment
        if parts.port == 0:
            usable = False
    except ValueError:
        usable = False
    if not usable:
        raise BadEngineUrl("O endereço do servidor de rotas deve ser http://servidor[:porta][/caminho] (ou https).")
    return url.rstrip("/")


def _timed_out(why: Exception) -> bool:
    """Whether time ran out, at whichever of the three layers below; after retries the cause is inside."""
    cause = getattr(why.args[0] if why.args else None, "reason", why)
    if isinstance(cause, urllib3.exceptions.NewConnectionError):  # refused at once, and yet a time-out by its class
        return False
    return isinstance(cause, requests.Timeout | urllib3.exceptions.TimeoutError | TimeoutError)


def _fail(why: EngineDown) -> None:
    raise why


def _succeed() -> None:
    """Tells the breaker that the row of failures ended."""

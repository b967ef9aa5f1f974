"""Online help for the search: Nominatim or Photon through geopy, off unless the operator sets one.

The public servers' policy is kept (operations.osmfoundation.org/policies/nominatim): a User-Agent of the operator's
own, one request per second for all workers together, answers kept and not asked for again, and never while a person is
still typing: the caller asks only on an explicit request. The query goes to a third party and is never logged here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, ProxyHandler, build_opener

import orjson
import redis
import structlog
from geopy.adapters import URLLibAdapter
from geopy.exc import GeocoderRateLimited, GeocoderTimedOut, GeopyError
from geopy.geocoders import Nominatim, Photon
from rapidfuzz import fuzz

from geodata.point import Point
from zones.places.names import fold
from zones.places.osm import CREDIT
from zones.places.place import LONGEST_TEXT, BadPlace, Candidate, Kind, Place, PositionQuality

__all__ = ["Box", "Engine", "Geocoder", "GeocoderSilent"]

SECONDS_TO_ANSWER = 3
ONE_REQUEST_PER_MS = 1_000
PAUSE_AFTER_FAILURE_MS = 30_000
KEPT_SECONDS = 30 * 24 * 3600
MOST_ANSWERS = 10
TURN = "geocoder:turn"

_ROADS = frozenset({"highway", "street"})
_PARTS_OF_TOWN = frozenset({"suburb", "neighbourhood", "quarter", "village", "hamlet", "district"})
_log = structlog.get_logger()


class Engine(StrEnum):
    """Which geocoder answers."""

    NOMINATIM = "nominatim"
    PHOTON = "photon"


class _Direct(URLLibAdapter):  # type: ignore[misc] # geopy has no types
    """Asks the server it is told to and no other: an answer that redirects is a failure, not an errand of ours.

    (geopy's other adapter repeats failed requests by itself, at once, and logs the query when it does.)
    """

    def __init__(self, *, proxies: Any, ssl_context: Any) -> None:
        super().__init__(proxies=proxies, ssl_context=ssl_context)
        self.urlopen = build_opener(HTTPSHandler(context=ssl_context), ProxyHandler(proxies), _NoRedirects()).open


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *args: Any) -> None:
        return None


class GeocoderSilent(Exception):
    """The geocoder gave no answer; the message says why, in Portuguese. The local gazetteer is unaffected."""


@dataclass(frozen=True, slots=True)
class Box:
    """The bounding box of a municipality, in degrees."""

    west: float
    south: float
    east: float
    north: float

    def holds(self, point: Point) -> bool:
        return self.south <= point.lat <= self.north and self.west <= point.lon <= self.east

    @property
    def corners(self) -> list[tuple[float, float]]:
        """South-west and north-east, latitude first, as geopy wants them."""
        return [(self.south, self.west), (self.north, self.east)]


class Geocoder:
    """One geocoding server. ``url`` None means the engine's public server; ``user_agent`` must be the operator's."""

    def __init__(self, engine: Engine, url: str | None, user_agent: str) -> None:
        self.engine = engine
        self._server = url or "public"
        options: dict[str, Any] = {
            "user_agent": user_agent,
            "timeout": SECONDS_TO_ANSWER,
            "adapter_factory": _Direct,
        }
        if url is not None:
            parts = urlsplit(url)
            options |= {"scheme": parts.scheme, "domain": parts.netloc + parts.path.rstrip("/")}
        self._client = Nominatim(**options) if engine is Engine.NOMINATIM else Photon(**options)

    def search(self, query: str, municipality: str, box: Box, store: redis.Redis) -> list[Candidate]:
        """What the server knows inside ``box``, in its order, approximate. Raises ``GeocoderSilent``."""
        try:
            places = self._places(query, municipality, box, store)
        except redis.RedisError as why:
            # Without the shared turn the policy could not be kept: better no answer than too many questions.
            _log.warning("geocoder_without_redis", why=type(why).__name__)
            raise GeocoderSilent(
                "A busca on-line não está disponível agora; só o cadastro local foi consultado."
            ) from why
        return [_candidate(place, query) for place in places]

    def _places(self, query: str, municipality: str, box: Box, store: redis.Redis) -> list[Place]:
        asked = "\0".join((self.engine, self._server, repr(box), fold(query)))
        key = f"{{{municipality}}}:geocoder:{hashlib.sha256(asked.encode()).hexdigest()}"
        kept = store.get(key)
        if kept is None:
            if not store.set(TURN, 1, nx=True, px=ONE_REQUEST_PER_MS):
                raise GeocoderSilent(
                    "A busca on-line está ocupada (um pedido por segundo); tente de novo em instantes."
                )
            kept = orjson.dumps(self._ask(query, box, store))
            store.set(key, kept, ex=KEPT_SECONDS)
        found = (self._place(answer) for answer in orjson.loads(kept))
        return [place for place in found if place is not None and place.position and box.holds(place.position)]

    def _ask(self, query: str, box: Box, store: redis.Redis) -> list[dict[str, Any]]:
        bounds: dict[str, Any] = {"bbox": box.corners}
        if self.engine is Engine.NOMINATIM:
            bounds = {"viewbox": box.corners, "bounded": True, "country_codes": "br", "language": "pt-BR"}
        try:
            found = self._client.geocode(query, exactly_one=False, limit=MOST_ANSWERS, **bounds) or []
            return [_answer(each.address, each.latitude, each.longitude, each.raw) for each in found]
        except (GeopyError, LookupError, TypeError, ValueError, AttributeError) as why:
            store.set(TURN, 1, px=PAUSE_AFTER_FAILURE_MS)
            _log.warning("geocoder_failed", engine=self.engine.value, why=type(why).__name__)
            raise GeocoderSilent(
                f"A busca on-line {_what_went_wrong(why)}; só o cadastro local foi consultado."
            ) from why

    def _place(self, answer: Mapping[str, Any]) -> Place | None:
        first, _, rest = answer["address"].partition(",")
        try:
            return Place(
                kind=_kind(answer["key"], answer["value"]),
                name=first[:LONGEST_TEXT],
                detail=rest.strip()[:LONGEST_TEXT],
                source=f"OpenStreetMap via {self.engine.value.capitalize()}",
                position=Point(lat=answer["lat"], lon=answer["lon"]),
                position_quality=PositionQuality.APPROXIMATE,
                credit=CREDIT,
            )
        except (BadPlace, ValueError):
            return None  # a nameless or misplaced answer is no candidate


def _answer(address: str, lat: float, lon: float, raw: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of one answer: plain values of ours, whichever server they came from."""
    said = raw.get("properties", raw)
    return {
        "address": str(address),
        "lat": float(lat),
        "lon": float(lon),
        "key": str(said.get("osm_key") or said.get("category") or said.get("class") or ""),
        "value": str(said.get("osm_value") or said.get("type") or ""),
    }


def _kind(key: str, value: str) -> Kind:
    if key in _ROADS:
        return Kind.STREET
    return Kind.DISTRICT if value in _PARTS_OF_TOWN else Kind.LANDMARK


def _candidate(place: Place, query: str) -> Candidate:
    return Candidate(
        place=place,
        label=place.label,
        score=min(round(fuzz.token_set_ratio(fold(query), fold(place.label))), 99),
        position=place.position,
        position_quality=PositionQuality.APPROXIMATE,
        note="Encontrado on-line, posição aproximada: confirme com o passageiro.",
    )


def _what_went_wrong(why: Exception) -> str:
    if isinstance(why, GeocoderTimedOut):
        return f"não respondeu em {SECONDS_TO_ANSWER} s"
    if isinstance(why, GeocoderRateLimited):
        return "recusou o pedido por excesso de uso"
    if isinstance(why, GeopyError):
        return "falhou"
    return "respondeu algo que não se entende"

"""Finding an address: first in the municipality's gazetteer; online too where asked for and allowed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from geodata import features
from store.connections import Connections, NotRunning
from zones.atlas import Notice
from zones.places.gazetteer import Gazetteer
from zones.places.geocoders import Box, Geocoder, GeocoderSilent
from zones.places.names import fold
from zones.places.place import Candidate

__all__ = ["Answer", "Finder"]

NOTHING_FOUND = Notice(
    "nothing_found",
    "Nada parecido no cadastro deste município: confira a grafia, informe uma referência ou marque o ponto no mapa.",
)
NOT_ENABLED = Notice("geocoder_disabled", "A busca on-line está desligada; só o cadastro local foi consultado.")


@dataclass(frozen=True, slots=True)
class Answer:
    """Candidates, best first; what the reader must know; whom to credit for the data shown."""

    items: tuple[Candidate, ...]
    warnings: tuple[Notice, ...]
    credits: tuple[str, ...]


class Finder:
    """Answers address searches of every municipality. ``geocoder`` None: local results only."""

    def __init__(self, store: Connections, geodata: Path, geocoder: Geocoder | None) -> None:
        self.gazetteer = Gazetteer(store)
        self._store = store
        self._geodata = geodata
        self._geocoder = geocoder
        self._boxes: dict[str, Box] = {}

    def find(self, municipality: str, query: str, limit: int, online: bool) -> Answer:
        """Local candidates and, with ``online``, the geocoder's; its silence is a warning, never an error."""
        items = self.gazetteer.search(municipality, query, limit)
        warnings: list[Notice] = []
        if online:
            try:
                items = _merged(items, self._online(municipality, query))[:limit]
            except GeocoderSilent as why:
                warnings.append(Notice("geocoder_unavailable", str(why)))
        if online and self._geocoder is None:
            warnings.append(NOT_ENABLED)
        if not items:
            warnings.append(NOTHING_FOUND)
        credits = dict.fromkeys(item.place.credit for item in items if item.place.credit)
        return Answer(tuple(items), tuple(warnings), tuple(credits))

    def _online(self, municipality: str, query: str) -> list[Candidate]:
        if self._geocoder is None:
            return []
        try:
            return self._geocoder.search(query, municipality, self._box(municipality), self._store.redis)
        except NotRunning as why:
            raise GeocoderSilent("A busca on-line precisa do Redis, que não está em execução.") from why

    def _box(self, municipality: str) -> Box:
        if municipality not in self._boxes:
            try:
                found = features.read(self._geodata / municipality / "limit.geojson", ("Polygon", "MultiPolygon"))
                (limit,) = (feature.geometry for feature in found)
            except (OSError, ValueError) as why:
                raise GeocoderSilent("Sem o limite do município não há busca on-line: cadastre-o primeiro.") from why
            self._boxes[municipality] = Box(*limit.bounds)
        return self._boxes[municipality]


def _merged(local: list[Candidate], online: list[Candidate]) -> list[Candidate]:
    """By score, local before online; what the gazetteer knows with a position is not repeated."""
    known = {fold(item.place.name) for item in local if item.position is not None}
    new = [item for item in online if fold(item.place.name) not in known]
    return sorted([*local, *new], key=lambda item: -item.score)

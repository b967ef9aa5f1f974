"""Names of streets and landmarks from an OpenStreetMap extract (`.osm.pbf`, `.osm`) or GeoJSON made from one.

Positions are approximate: the middle of a street, a point inside an area. A linha comes without axis, because the map
does not say where its km 0 is. © OpenStreetMap contributors, ODbL 1.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import osmium
import shapely
from shapely.geometry.base import BaseGeometry

from geodata import features
from geodata.geodesic import line_metres
from geodata.point import Point
from zones.places.axis import position_at
from zones.places.names import fold, words
from zones.places.place import BadPlace, Kind, Place, PositionQuality

__all__ = ["CREDIT", "BadExtract", "Extract", "read"]

CREDIT = "© OpenStreetMap contributors (ODbL 1.0)"
DECIMALS = 7  # what OpenStreetMap keeps

_NOT_STREETS = frozenset({"footway", "path", "steps", "cycleway", "corridor", "bus_stop", "platform", "proposed"})
_LANDMARKS = ("amenity", "shop", "leisure", "tourism", "office", "public_transport", "building")
_DISTRICTS = frozenset({"suburb", "quarter", "neighbourhood", "village", "hamlet"})
_SHAPES = ("Point", "LineString", "Polygon", "MultiLineString", "MultiPolygon")


class BadExtract(ValueError):
    """The file is no extract that can be read; the message says why, in Portuguese."""


@dataclass(frozen=True, slots=True)
class Extract:
    """What a file gave: places, and the names that could not become one, each with the reason."""

    places: tuple[Place, ...]
    refused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Named:
    """One named thing on the map."""

    kind: Kind
    name: str
    detail: str
    shape: BaseGeometry


def read(path: Path) -> Extract:
    """Every named street (its pieces joined), landmark and district. Raises ``BadExtract``."""
    if path.suffix in (".geojson", ".json"):
        named = _from_geojson(path)
    elif path.suffix in (".pbf", ".osm"):
        named = _from_osm(path)
    else:
        raise BadExtract(f"{path.name}: use um extrato .osm.pbf, .osm ou .geojson")
    source = f"OpenStreetMap, {path.name}"
    places: dict[str, Place] = {}
    refused: list[str] = []
    for each in _joined(named):
        try:
            place = _place(each, source)
        except BadPlace as why:
            refused.append(f"{each.name[:60]!r}: {why}")
            continue
        place = _told_apart(place, places)
        places[place.identity] = place
    return Extract(tuple(places.values()), tuple(refused))


def _from_geojson(path: Path) -> Iterator[_Named]:
    try:
        found = features.read(path, _SHAPES)
    except (features.BadFeature, UnicodeDecodeError) as why:
        raise BadExtract(str(why)) from why
    for feature in found:
        tags = {key: value for key, value in feature.properties.items() if isinstance(value, str)}
        yield from _named(tags, feature.geometry)


def _from_osm(path: Path) -> Iterator[_Named]:
    try:
        for thing in osmium.FileProcessor(str(path)).with_locations().with_filter(osmium.filter.KeyFilter("name")):
            if isinstance(thing, osmium.osm.Node):
                yield from _named(dict(thing.tags), shapely.Point(thing.lon, thing.lat))
            elif isinstance(thing, osmium.osm.Way):
                corners = [(n.lon, n.lat) for n in thing.nodes if n.location.valid()]
                if len(corners) > 1:
                    yield from _named(dict(thing.tags), shapely.LineString(corners))
    except RuntimeError as why:
        raise BadExtract(f"{path.name}: não é um extrato do OpenStreetMap que se possa ler ({why})") from why


def _named(tags: Mapping[str, str], shape: BaseGeometry) -> Iterator[_Named]:
    name = tags.get("name", "")
    if not name:
        return
    if tags.get("place") in _DISTRICTS:
        yield _Named(Kind.DISTRICT, name, "", shape)
    elif "highway" in tags:
        if shape.geom_type.endswith("LineString") and tags["highway"] not in _NOT_STREETS:
            yield _Named(Kind.LINHA if words(name)[:1] == ("linha",) else Kind.STREET, name, "", shape)
    elif any(key in tags for key in _LANDMARKS):
        yield _Named(Kind.LANDMARK, name, tags.get("addr:street", ""), shape)


def _joined(named: Iterable[_Named]) -> Iterator[_Named]:
    """Pieces of one street become one line; everything else stays as it is."""
    pieces: dict[tuple[Kind, str], list[_Named]] = {}
    for each in named:
        if each.kind in (Kind.STREET, Kind.LINHA):
            pieces.setdefault((each.kind, fold(each.name)), []).append(each)
        else:
            yield each
    for street in pieces.values():
        yield replace(street[0], shape=shapely.line_merge(shapely.union_all([piece.shape for piece in street])))


def _place(named: _Named, source: str) -> Place:
    return Place(
        kind=named.kind,
        name=named.name,
        source=source,
        detail=named.detail,
        position=_middle(named.shape),
        position_quality=PositionQuality.APPROXIMATE,
        credit=CREDIT,
    )


def _middle(shape: BaseGeometry) -> Point:
    """Half way along the longest line of a street; a point inside anything else."""
    lines = [tuple(line.coords) for line in shapely.get_parts(shape) if line.geom_type == "LineString"]
    inside = shape.representative_point()
    found = Point(lat=inside.y, lon=inside.x)
    if lines and not (len(lines) == 1 and lines[0][0] == lines[0][-1]):
        longest = max(lines, key=line_metres)
        found = position_at(longest, line_metres(longest) / 2) or found
    return Point(lat=round(found.lat, DECIMALS), lon=round(found.lon, DECIMALS))


def _told_apart(place: Place, known: Mapping[str, Place]) -> Place:
    """A second landmark of one name gets a detail of its own."""
    count, apart = 1, place
    while apart.identity in known:
        count += 1
        apart = replace(place, detail=f"{place.detail} nº {count} no mapa".strip())
    return apart

"""The public maps: perimeters and pontos as GeoJSON FeatureCollections (public contract)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from marshmallow import fields
from shapely.geometry import mapping

from api.answers import Answer
from api.fields import Choice, Day, Flag
from geodata.features import Feature
from zones.atlas import Atlas
from zones.perimeter import Kind, Origin, Perimeter, Status


@dataclass(frozen=True, slots=True)
class MapFeature:
    """A thing on a map, as GeoJSON wants it."""

    properties: Any
    geometry: dict[str, Any]
    type: Literal["Feature"] = "Feature"


@dataclass(frozen=True, slots=True)
class PublicMap:
    """A FeatureCollection, and the credits that go wherever it is shown."""

    features: tuple[MapFeature, ...]
    credits: tuple[str, ...]
    version: str | None = None
    type: Literal["FeatureCollection"] = "FeatureCollection"


@dataclass(frozen=True, slots=True)
class PontoPosition:
    """Where a ponto stands, as far as anybody has checked."""

    id: str
    name: str
    verified: bool
    note: str
    citation: str


def map_of_zones(atlas: Atlas) -> PublicMap:
    """The limit and the perimeters of ``atlas``, the limit first."""
    perimeters: tuple[Perimeter, ...] = (atlas.limit, *atlas.perimeters)
    features = tuple(MapFeature(p, mapping(p.geometry)) for p in perimeters)
    return PublicMap(features, _once(p.credit for p in perimeters), atlas.version)


def map_of_pontos(pontos: Iterable[Feature]) -> PublicMap:
    """The pontos of a municipality's `pontos.geojson`."""
    read = [(PontoPosition(**_without_credit(f)), f) for f in pontos]
    features = tuple(MapFeature(ponto, mapping(f.geometry)) for ponto, f in read)
    return PublicMap(features, _once(str(f.properties["credit"]) for _, f in read))


def _without_credit(feature: Feature) -> dict[str, Any]:
    return {name: value for name, value in feature.properties.items() if name != "credit"}


def _once(credits: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(credit for credit in credits if credit))


class PerimeterOut(Answer):
    """Um perímetro e o quanto se pode confiar nele."""

    kind = Choice(Kind, required=True)
    name = fields.String(required=True)
    origin = Choice(Origin, required=True)
    status = Choice(Status, required=True)
    legal_act = fields.String(required=True, allow_none=True)
    valid_from = Day(required=True)
    valid_to = Day(required=True, allow_none=True, metadata={"description": "Primeiro dia em que não vale mais"})
    precision_m = fields.Float(
        required=True, allow_none=True, metadata={"description": "Até onde a divisa real pode estar; nulo: não medido"}
    )
    precedence = fields.Integer(required=True, metadata={"description": "Onde dois se sobrepõem, vale o maior"})
    version = fields.String(required=True, metadata={"description": "SHA-256 do perímetro"})
    credit = fields.String(required=True)


class PontoOut(Answer):
    """Onde fica um ponto de mototáxi."""

    id = fields.String(required=True)
    name = fields.String(required=True)
    verified = Flag(required=True, metadata={"description": "A posição foi conferida no local"})
    note = fields.String(required=True)
    citation = fields.String(required=True)


class _FeatureOut(Answer):
    type = fields.Constant("Feature", required=True)
    geometry = fields.Dict(required=True)


class PerimeterFeatureOut(_FeatureOut):
    properties = fields.Nested(PerimeterOut(), required=True)


class PontoFeatureOut(_FeatureOut):
    properties = fields.Nested(PontoOut(), required=True)


class _MapOut(Answer):
    type = fields.Constant("FeatureCollection", required=True)
    credits = fields.List(fields.String(), required=True, metadata={"description": "A mostrar junto do mapa"})


class ZonesOut(_MapOut):
    """Os perímetros em vigor, em GeoJSON (longitude, latitude)."""

    features = fields.List(fields.Nested(PerimeterFeatureOut()), required=True)
    version = fields.String(required=True, metadata={"description": "SHA-256 do conjunto, citado pelas cotações"})


class PontosOut(_MapOut):
    """Os pontos, em GeoJSON (longitude, latitude)."""

    features = fields.List(fields.Nested(PontoFeatureOut()), required=True)

"""The perimeters drawn in the committed files of a municipality (`geodata/<slug>/`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from marshmallow import RAISE, Schema, ValidationError, fields
from shapely import MultiPolygon, Polygon

from geodata.features import BadFeature, Feature, read
from zones.perimeter import Kind, Origin, Perimeter, Status

FILES = ("limit.geojson", "perimeters.geojson")


class _Properties(Schema):
    """The properties of a perimeter feature; one that is not listed here is refused."""

    kind = fields.Enum(Kind, by_value=True, required=True)
    name = fields.String(required=True)
    origin = fields.Enum(Origin, by_value=True, required=True)
    status = fields.Enum(Status, by_value=True, required=True)
    valid_from = fields.Date(required=True)
    valid_to = fields.Date()
    legal_act = fields.String()
    precision_m = fields.Float()
    precedence = fields.Integer(strict=True)
    credit = fields.String(required=True)

    class Meta:
        unknown = RAISE


_PROPERTIES = _Properties()


def perimeters(folder: Path) -> tuple[Perimeter, ...]:
    """The limit and the perimeters in ``folder``, whose name is the municipality's slug.

    Raises ``BadFeature`` for a file that is not strict GeoJSON or has an unknown property, ``BadPerimeter`` for a
    polygon that cannot be one.
    """
    return tuple(
        _perimeter(folder.name, feature, f"{folder.name}/{name}, feição {i}")
        for name in FILES
        for i, feature in enumerate(read(folder / name, ("Polygon", "MultiPolygon")), start=1)
    )


def _perimeter(municipality: str, feature: Feature, where: str) -> Perimeter:
    try:
        facts = cast("dict[str, Any]", _PROPERTIES.load(feature.properties))
    except ValidationError as error:
        raise BadFeature(f"{where}: {error.messages}") from error
    geometry = cast("Polygon | MultiPolygon", feature.geometry)
    return Perimeter(municipality=municipality, geometry=geometry, **facts)

"""Make the committed GeoJSON of each municipality from the folder of source files.

Run as ``python -m geodata.prepare FOLDER``; what is taken, and why, stands in `sources.yaml`. Nothing is redrawn: the
step selects, renames and marks, and writes coordinates with seven decimals (1 cm).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import shapely
import yaml

from geodata.features import Feature, read

ROOM = Path(__file__).parent
POLYGONS = ("Polygon", "MultiPolygon")
DECIMALS = 7

Settings = Mapping[str, Any]  # sources.yaml as written


def prepare(sources: Path, target: Path) -> None:
    """Write ``target``/<slug>/*.geojson for every municipality of `sources.yaml`."""
    settings = yaml.safe_load((ROOM / "sources.yaml").read_text(encoding="utf-8"))
    for town in settings["municipalities"]:
        folder = target / town["slug"]
        folder.mkdir(parents=True, exist_ok=True)
        seats = _seats(sources, settings, town)
        _write(folder / "limit.geojson", [_limit(sources, settings, town)])
        _write(folder / "perimeters.geojson", _perimeters(sources, settings, town))
        _write(folder / "neighbours.geojson", _neighbours(sources, settings, town))
        _write(folder / "seats.geojson", seats)
        _write(folder / "pontos.geojson", _pontos(town, seats))


def _limit(sources: Path, settings: Settings, town: Settings) -> Feature:
    chosen = town["limit"]
    (found,) = (
        f
        for f in _of(town, read(sources / chosen["file"], POLYGONS))
        if f.properties["edicao_malha"] == chosen["edition"]
    )
    return Feature(
        found.geometry,
        {
            "kind": "limit",
            "name": f"Limite de {found.properties['nome']}",
            "origin": "ibge",
            "status": "approximate",
            "valid_from": chosen["valid_from"],
            "precision_m": chosen["precision_m"],
            "credit": settings["credits"][chosen["credit"]],
        },
    )


def _perimeters(sources: Path, settings: Settings, town: Settings) -> list[Feature]:
    rings = settings["perimeters"]
    return [
        Feature(
            f.geometry,
            {
                **rings["classes"][f.properties["classe"]],
                "origin": "synthetic",
                "status": "approximate",
                "valid_from": town["limit"]["valid_from"],
                "credit": settings["credits"][rings["credit"]],
            },
        )
        for f in _of(town, read(sources / rings["file"], POLYGONS))
    ]


def _neighbours(sources: Path, settings: Settings, town: Settings) -> list[Feature]:
    credit = settings["credits"][settings["neighbours"]["credit"]]
    return [
        Feature(
            f.geometry,
            {
                "ibge": f.properties["codigo_ibge"],
                "name": f"{f.properties['nome']}/{f.properties['uf']}",
                "credit": credit,
            },
        )
        for f in read(sources / settings["neighbours"]["file"], POLYGONS)
        if town["ibge"] in _listed(f.properties["vizinho_de"])
    ]


def _seats(sources: Path, settings: Settings, town: Settings) -> list[Feature]:
    """Every known position of the town; the seat is the one of IBGE's register of localities."""
    return [
        Feature(
            f.geometry,
            {
                "kind": f.properties["tipo"],
                "seat": f.properties["tipo"] == "sede_ibge",
                "credit": f.properties["fonte"],
                "note": f.properties["observacao"],
            },
        )
        for f in _of(town, read(sources / settings["seats"]["file"], ["Point"]))
    ]


def _pontos(town: Settings, seats: Iterable[Feature]) -> list[Feature]:
    """The pontos that the law names. Nobody has surveyed one: each stands at the seat, marked as not verified."""
    (seat,) = (f for f in seats if f.properties["seat"])
    note = "Posição não verificada: é a da sede do município; confirme no local."
    return [
        Feature(seat.geometry, {**ponto, "verified": False, "note": note, "credit": seat.properties["credit"]})
        for ponto in town["pontos"]
    ]


def _of(town: Settings, features: Iterable[Feature]) -> list[Feature]:
    return [f for f in features if f.properties["codigo_ibge"] == town["ibge"]]


def _listed(value: object) -> list[str]:
    assert isinstance(value, list)
    return value


def _write(path: Path, features: Iterable[Feature]) -> None:
    """One feature a line, so that a change shows as a change of that feature."""
    lines = (json.dumps(_as_geojson(f), ensure_ascii=False) for f in features)
    path.write_text('{"type": "FeatureCollection", "features": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")


def _as_geojson(feature: Feature) -> dict[str, object]:
    rounded = shapely.transform(feature.geometry, lambda xy: xy.round(DECIMALS))
    return {"type": "Feature", "properties": dict(feature.properties), "geometry": shapely.geometry.mapping(rounded)}


if __name__ == "__main__":
    prepare(Path(sys.argv[1]), ROOM)

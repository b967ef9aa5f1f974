"""What every reader hands on: polygons as written in the file, and what was learnt while reading.

Coordinates are (x, y) in the file's own reference system, as arrays of shape (n, 2). Rings are kept as written (open,
doubled, too short) so that the checks can tell; nothing is mended here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from zones.importing import limits
from zones.importing.finding import Finding, Refused, error, note, warning
from zones.importing.notation import count, format_number, listed

Coordinates = NDArray[np.float64]


class Format(StrEnum):
    GEOJSON = "GeoJSON"
    KML = "KML"
    KMZ = "KMZ"
    GEOPACKAGE = "GeoPackage"
    SHAPEFILE = "Shapefile"
    MEMORIAL = "memorial descritivo"


class Datum(StrEnum):
    SIRGAS_2000 = "SIRGAS 2000"
    SAD69 = "SAD69"
    WGS_84 = "WGS 84"


@dataclass(frozen=True, slots=True)
class Options:
    """What the person importing asked for; nothing is chosen for him.

    ``crs`` declares the reference system of a file that has none ("EPSG:31980"); ``datum`` and
    ``utm_zone`` ("20S") do so for a memorial. ``swap`` exchanges the two coordinates, ``repair`` mends the
    geometry, ``union`` joins all features, ``feature`` takes one by its number from 1.
    """

    layer: str | None = None
    feature: int | None = None
    union: bool = False
    repair: bool = False
    swap: bool = False
    crs: str | None = None
    datum: Datum | None = None
    utm_zone: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RawPolygon:
    """The rings of one polygon, the outer one first."""

    rings: tuple[Coordinates, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """One named feature and its polygons; ``kinds`` are the other geometry types found in it."""

    label: str
    polygons: tuple[RawPolygon, ...]
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """All that was read from one file. ``crs`` is an authority code or WKT, None where the file names none."""

    format: Format
    features: tuple[Feature, ...]
    crs: str | None
    layer: str | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def rings(self) -> Iterator[Coordinates]:
        return (ring for feature in self.features for polygon in feature.polygons for ring in polygon.rings)


def too_many_vertices(vertices: int | None) -> Finding:
    """The finding for more than `limits.MAX_VERTICES`; ``vertices`` is None where counting was given up."""
    found = "tem vértices demais" if vertices is None else f"tem {count(vertices, 'vértice', 'vértices')}"
    return error(
        "too_many_vertices",
        f"O arquivo {found}; o limite é {format_number(limits.MAX_VERTICES, 0)}.",
        "Um perímetro urbano legal tem de dezenas a centenas de vértices; tantos assim são outro dado "
        "(lotes, curvas de nível) ou uma exportação com pontos repetidos.",
        "Exporte só a camada do perímetro ou simplifique a linha no QGIS (Vetor > Geometria > Simplificar).",
    )


def z_dropped() -> Finding:
    return note(
        "z_dropped",
        "As coordenadas têm altitude (3-D), que foi descartada.",
        "O perímetro é uma linha no plano: a altitude não muda a zona.",
    )


def too_many_features(found: int) -> Finding:
    """The finding for more than `limits.MAX_FEATURES` features, or for as many elements as they could have."""
    return error(
        "too_many_features",
        f"O arquivo tem mais de {count(found, 'feição ou elemento', 'feições ou elementos')}.",
        "Isto parece um cadastro de lotes ou quadras, não um perímetro.",
        "Exporte só a feição do perímetro urbano, sem as outras.",
    )


def open_ring(repair: bool) -> Finding:
    """The finding for a ring whose last vertex is not its first; closing it is a repair."""
    what = "Um anel não termina no vértice em que começou"
    if repair:
        return warning(
            "ring_closed",
            f"{what}; foi fechado com uma reta, como pedido.",
            "O último lado não está no arquivo: foi suposto.",
            "Confira esse lado na prévia.",
        )
    return error(
        "open_ring",
        f"{what}.",
        "Falta um lado do perímetro; fechá-lo com uma reta seria supor.",
        "Complete o arquivo ou use --repair para fechar com uma reta.",
    )


def choose(reading: Reading, options: Options) -> tuple[tuple[RawPolygon, ...], tuple[Finding, ...]]:
    """The polygons to import, and what was left aside. Raises `Refused` where the choice is the person's."""
    polygonal = [feature for feature in reading.features if feature.polygons]
    kinds = sorted({kind for feature in reading.features for kind in feature.kinds})
    if not polygonal:
        raise Refused(_no_polygon(kinds))
    findings = []
    if kinds:
        findings.append(
            warning(
                "other_geometries",
                f"O arquivo traz também {listed(kinds, limits.MAX_LISTED)}, que ficam de fora.",
                "Só polígonos formam um perímetro.",
                "Confira na prévia se nada do perímetro se perdeu.",
            )
        )
    if options.feature is not None and not 1 <= options.feature <= len(polygonal):
        raise Refused(*findings, _several(polygonal, f"Não há feição {options.feature}"))
    if options.feature is not None:
        chosen = [polygonal[options.feature - 1]]
        findings.append(note("feature_chosen", f"Importada a feição {options.feature}: {chosen[0].label}."))
    elif len(polygonal) > 1 and not options.union:
        raise Refused(*findings, _several(polygonal, f"O arquivo tem {len(polygonal)} feições"))
    else:
        chosen = polygonal
    if len(chosen) > 1:
        findings.append(note("features_united", f"As {len(chosen)} feições foram unidas, como pedido."))
    return tuple(polygon for feature in chosen for polygon in feature.polygons), tuple(findings)


def _no_polygon(kinds: list[str]) -> Finding:
    if not kinds:
        return error(
            "empty",
            "O arquivo não tem nenhum polígono.",
            "A geometria está vazia.",
            "Confira se a camada certa foi exportada e exporte de novo.",
        )
    return error(
        "not_a_polygon",
        f"O arquivo só tem {listed(kinds, limits.MAX_LISTED)}.",
        "Um perímetro é uma área: precisa ser polígono.",
        "No QGIS use Vetor > Geometria > Linhas para polígonos; no Google Earth desenhe com “Polígono”, não “Caminho”.",
    )


def _several(features: list[Feature], what: str) -> Finding:
    names = [f"{number}: {feature.label}" for number, feature in enumerate(features, 1)]
    return error(
        "several_features",
        f"{what}: {listed(names, limits.MAX_LISTED)}.",
        "Qual delas é o perímetro é decisão de quem importa.",
        "Use --feature N para uma só ou --union para unir todas.",
    )

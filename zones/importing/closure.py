"""Whether the azimuths and distances of a memorial agree with its coordinates, and how well they close.

A memorial may give them on the UTM plane or on the ellipsoid (geodesic, as SIGEF has done since 2013): both are tried,
and the one that fits better is named.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyproj
from numpy.typing import NDArray

from zones.importing import limits
from zones.importing.datum import parse_crs
from zones.importing.finding import Finding, error, note, warning
from zones.importing.notation import format_number, listed
from zones.importing.reading import Coordinates

ROUNDING_M = 0.10
"""Coordinates and distances to the centimetre differ by up to 3 cm, to the decimetre by up to 10."""

ROUNDING_DEGREES = 1 / 60
"""Azimuths are written to the second or to the minute."""

BLUNDER_M = 5.0
"""Beyond this no rounding or projection explains the difference: a vertex or a side is wrong."""


_ON_PLANE = "no plano da projeção"


@dataclass(frozen=True, slots=True)
class Side:
    """What the memorial says of the side that leaves vertex ``label``: degrees from north, metres."""

    label: str
    azimuth: float | None
    distance: float | None


@dataclass(frozen=True, slots=True)
class _Measure:
    """One way to compute sides from the coordinates: azimuths in degrees, lengths in metres."""

    name: str
    azimuths: NDArray[np.float64]
    lengths: NDArray[np.float64]


def check_closure(ring: Coordinates, sides: list[Side], crs: str) -> list[Finding]:
    """Compare each stated side with the one between its vertices; ``ring`` is closed, in ``crs``.

    A row for the repeated first vertex may follow; its side, if any, is not checked.
    """
    sides = sides[: len(ring) - 1]
    misfits = [(measure, _misfits(sides, measure)) for measure in _measures(ring, crs)]
    measure, offsets = min(misfits, key=lambda pair: float(np.nansum(pair[1])))
    wrong = [n for n, offset in enumerate(offsets) if offset > _allowed(sides[n], measure.lengths[n])]
    findings = _closing_error(sides, measure)
    if not wrong:
        return [note("sides_agree", f"Azimutes e distâncias conferem com as coordenadas ({measure.name})."), *findings]
    worst = max(float(offsets[n]) for n in wrong)
    told = [f"{sides[n].label} ({format_number(float(offsets[n]), 2)} m)" for n in wrong]
    make = error if worst > BLUNDER_M else warning
    return [
        make(
            "sides_disagree",
            f"Azimute ou distância não confere com as coordenadas nos lados que saem de: "
            f"{listed(told, limits.MAX_LISTED)}.",
            "Um número foi digitado errado, um vértice foi trocado ou falta um.",
            "Confira esses vértices com o memorial publicado.",
        ),
        *findings,
    ]


def _measures(ring: Coordinates, crs: str) -> list[_Measure]:
    system = parse_crs(crs)
    geod = system.crs.get_geod() or pyproj.Geod(ellps="GRS80")
    if system.is_geographic:
        lonlat, planes = ring, []
    else:
        step = np.diff(ring, axis=0)
        azimuths = np.degrees(np.arctan2(step[:, 0], step[:, 1]))
        planes = [_Measure(_ON_PLANE, azimuths, np.hypot(step[:, 0], step[:, 1]))]
        to_degrees = pyproj.Transformer.from_crs(system.crs, system.crs.geodetic_crs, always_xy=True)
        lonlat = np.column_stack(to_degrees.transform(ring[:, 0], ring[:, 1]))
    if not np.isfinite(lonlat).all():
        return planes
    forward, _, length = geod.inv(lonlat[:-1, 0], lonlat[:-1, 1], lonlat[1:, 0], lonlat[1:, 1])
    return [*planes, _Measure("geodésicos, no elipsoide", np.asarray(forward), np.asarray(length))]


def _misfits(sides: list[Side], measure: _Measure) -> NDArray[np.float64]:
    """How far, in metres, each stated side ends from the next vertex (0 where nothing is stated)."""
    offsets = []
    for side, azimuth, length in zip(sides, measure.azimuths, measure.lengths, strict=False):
        along = 0.0 if side.distance is None else side.distance - length
        turn = 0.0 if side.azimuth is None else (side.azimuth - azimuth + 180) % 360 - 180
        across = 2 * length * math.sin(math.radians(abs(turn)) / 2)
        offsets.append(math.hypot(along, across))
    return np.array(offsets)


def _allowed(side: Side, length: float) -> float:
    return ROUNDING_M + (0.0 if side.azimuth is None else length * math.radians(ROUNDING_DEGREES))


def _closing_error(sides: list[Side], measure: _Measure) -> list[Finding]:
    """The linear error of closing the traverse by its stated sides alone; the last may be left unsaid."""
    if measure.name != _ON_PLANE:
        return []  # geodesic azimuths do not add up on a plane
    stated = [(s.azimuth, s.distance) for s in sides if s.azimuth is not None and s.distance is not None]
    if len(stated) < len(measure.lengths):
        return []
    azimuths = np.radians([azimuth for azimuth, _ in stated])
    lengths = np.array([distance for _, distance in stated])
    gap = math.hypot(float((lengths * np.sin(azimuths)).sum()), float((lengths * np.cos(azimuths)).sum()))
    ratio = f" (1:{format_number(float(lengths.sum()) / gap, 0)})" if gap > 0.001 else ""
    return [note("closing_error", f"Erro linear de fechamento da poligonal: {format_number(gap, 2)} m{ratio}.")]

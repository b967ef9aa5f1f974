"""Where no road is known: the straight line times a measured detour factor, with its range.

The factors are data (`geodata/detour.yaml`, or `geodata/<slug>/detour.yaml` for one town), each with its source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import yaml

import geodata as house
from geodata.geodesic import WGS84
from geodata.point import Point
from zones.route import Route, Source

__all__ = ["BadDetour", "Detour", "EstimateRoads", "Knot", "load_detour"]

ENGINE = "straight_line"


class BadDetour(ValueError):
    """The file of detour factors cannot be used; the message, in Portuguese, names it and says why."""


@dataclass(frozen=True, slots=True)
class Knot:
    """Measured road length / straight length at one straight length: usual, and the range around it."""

    metres: float
    low: float
    usual: float
    high: float


@dataclass(frozen=True, slots=True)
class Detour:
    """Detour factors by straight length: linear between knots, constant before the first and after the last."""

    knots: tuple[Knot, ...]
    source: str

    def __post_init__(self) -> None:
        if not self.knots:
            raise ValueError("falta ao menos um item em 'factors'")
        if any(before.metres >= after.metres for before, after in pairwise(self.knots)):
            raise ValueError("'metres' deve crescer de um item para o outro")
        for knot in self.knots:
            if not 1 <= knot.low <= knot.usual <= knot.high < float("inf") or not knot.metres >= 0:
                raise ValueError("cada item precisa de metres >= 0 e 1 <= low <= usual <= high")

    def lengths(self, straight: float) -> tuple[float, float, float]:
        """Low, usual and high road length in metres for a straight length in metres."""
        at = [knot.metres for knot in self.knots]
        low = straight * float(np.interp(straight, at, [knot.low for knot in self.knots]))
        usual = straight * float(np.interp(straight, at, [knot.usual for knot in self.knots]))
        high = straight * float(np.interp(straight, at, [knot.high for knot in self.knots]))
        return low, usual, high


class EstimateRoads:
    """Roads nobody mapped: needs no data of the town and never fails."""

    def __init__(self, detour: Detour) -> None:
        self._detour = detour

    def route(self, stops: Sequence[Point]) -> Route:
        """The straight lines through ``stops``; ``metres`` is the usual road length, ``low`` and ``high`` its range.

        The line is only where the stops are: its own length is shorter than ``metres``.
        """
        hops = [WGS84.inv(*a.lonlat, *b.lonlat)[2] for a, b in pairwise(stops)]
        low, usual, high = (sum(each) for each in zip(*map(self._detour.lengths, hops), strict=True))
        return Route(
            line=tuple(stop.lonlat for stop in stops),
            stop_indexes=tuple(range(len(stops))),
            metres=usual,
            low=low,
            high=high,
            source=Source.ESTIMATE,
            engine=ENGINE,
            warnings=(self._warning(usual, low, high),) if usual else (),
        )

    def _warning(self, usual: float, low: float, high: float) -> str:
        return (
            f"Distância estimada pela linha reta: {_km(usual)} km, entre {_km(low)} e {_km(high)} km. "
            "O caminho por estrada não foi calculado."
        )


_FILE = "detour.yaml"
_GENERAL = Path(house.__file__).with_name(_FILE)


def load_detour(geodata: Path, slug: str | None = None) -> Detour:
    """The factors of a town: its own file, or that of the folder, or the general one measured for every town.

    Raises ``BadDetour``.
    """
    own = [] if slug is None else [geodata / slug / _FILE]
    path = next((path for path in (*own, geodata / _FILE) if path.is_file()), _GENERAL)
    try:
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
        if not isinstance(told, Mapping) or set(told) != {"source", "factors"}:
            raise ValueError("as chaves são 'source' e 'factors'")
        return Detour(tuple(Knot(**knot) for knot in told["factors"]), " ".join(str(told["source"]).split()))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, TypeError, ValueError) as why:
        raise BadDetour(f"{path}: fatores de desvio inutilizáveis ({why}).") from None


def _km(metres: float) -> str:
    return f"{metres / 1000:.1f}".replace(".", ",")

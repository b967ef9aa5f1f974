"""Reference systems: which one a file is in, and how its coordinates become longitude and latitude.

Everything is brought to SIRGAS 2000 (EPSG:4674), the datum of Brazilian law (Decreto 5.334/2005, IBGE R.PR 1/2015),
which agrees with WGS 84 to under 1 m and is kept as such. PROJ runs without network: no grid is fetched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyproj
import pyproj.network
from pyproj.exceptions import CRSError, ProjError
from pyproj.transformer import TransformerGroup

from zones.importing.finding import Finding, Refused, error, note
from zones.importing.notation import format_number
from zones.importing.reading import Coordinates, Datum

SIRGAS_2000 = "EPSG:4674"

UTM_ZONES = tuple(range(18, 26))
"""The zones that cover Brazil; south of the equator only, as the codes below."""

_GEOGRAPHIC = {Datum.SIRGAS_2000: 4674, Datum.SAD69: 4618, Datum.WGS_84: 4326}
_UTM_SOUTH = {Datum.SIRGAS_2000: 31960, Datum.SAD69: 29170, Datum.WGS_84: 32700}  # + zone (EPSG)

pyproj.network.set_network_enabled(False)  # type: ignore[attr-defined]  # missing in its stubs


def code_of(datum: Datum, utm_zone: int | None) -> str:
    """The EPSG code of a datum, geographic or in a southern UTM zone of `UTM_ZONES`."""
    return f"EPSG:{_GEOGRAPHIC[datum] if utm_zone is None else _UTM_SOUTH[datum] + utm_zone}"


def parse_utm_zone(text: str) -> int:
    """21 from "21S", "21 S" or "fuso 21". Raises `Refused`; the north has other codes and no client yet."""
    match = re.fullmatch(r"(?:fuso|zona)?\s*(\d{1,2})\s*([sn]?)(?:ul|orte)?", text.strip().lower())
    if not match or int(match[1]) not in UTM_ZONES or match[2] == "n":
        raise Refused(
            error(
                "bad_utm_zone",
                f"“{text[:40]}” não é um fuso UTM aceito.",
                f"O Brasil ao sul do Equador usa os fusos {UTM_ZONES[0]}S a {UTM_ZONES[-1]}S.",
                "Escreva, por exemplo, 20S ou 21S.",
            )
        )
    return int(match[1])


def parse_datum(text: str) -> Datum:
    """A datum from its usual spellings. Raises `Refused`."""
    key = re.sub(r"[\s_./-]", "", text).lower()
    names = {
        "sirgas2000": Datum.SIRGAS_2000,
        "sirgas": Datum.SIRGAS_2000,
        "sad69": Datum.SAD69,
        "wgs84": Datum.WGS_84,
    }
    if key not in names:
        raise Refused(
            error(
                "bad_datum",
                f"“{text[:40]}” não é um datum aceito.",
                "Entre um datum e outro o perímetro anda dezenas de metros.",
                "Use SIRGAS2000, SAD69 ou WGS84.",
            )
        )
    return names[key]


@dataclass(frozen=True, slots=True)
class System:
    """A horizontal reference system as the file declares it."""

    crs: pyproj.CRS

    @property
    def name(self) -> str:
        authority = self.crs.to_authority()
        return f"{self.crs.name} ({':'.join(authority)})" if authority else str(self.crs.name)

    @property
    def is_geographic(self) -> bool:
        return bool(self.crs.is_geographic)

    @property
    def datum(self) -> Datum | None:
        geodetic = self.crs.geodetic_crs
        code = geodetic.to_epsg(min_confidence=20) if geodetic else None
        return next((datum for datum, epsg in _GEOGRAPHIC.items() if epsg == code), None)

    @property
    def utm_zone(self) -> str | None:
        return self.crs.utm_zone


def parse_crs(text: str) -> System:
    """A system from an authority code, an OGC URN or WKT. Raises `Refused`."""
    try:
        return System(pyproj.CRS.from_user_input(text).to_2d())
    except CRSError as unknown:
        raise Refused(
            error(
                "unknown_crs",
                f"O sistema de referência “{text[:60]}” não é conhecido.",
                "Sem ele as coordenadas não têm lugar no mapa.",
                "Informe o código com --crs, por exemplo EPSG:31980 (SIRGAS 2000 / UTM 20S).",
            )
        ) from unknown


@dataclass(frozen=True, slots=True)
class Operation:
    """How a system is brought to SIRGAS 2000: the operation PROJ runs, and its accuracy.

    ``accuracy_m`` is EPSG's figure, 0 where there is no change of datum. ``better`` is a more accurate operation
    that needs a grid not installed here.
    """

    system: System
    transformer: pyproj.Transformer
    name: str
    accuracy_m: float
    better: str | None

    def apply(self, xy: Coordinates) -> Coordinates:
        """(lon, lat) in degrees; infinite where ``xy`` lies outside what the projection can invert."""
        lon, lat = self.transformer.transform(xy[:, 0], xy[:, 1])
        return np.column_stack([lon, lat])

    def finding(self) -> Finding:
        accuracy = "sem mudança de datum" if self.accuracy_m == 0 else f"exatidão {format_number(self.accuracy_m, 0)} m"
        better = f" Com grade seria melhor ({self.better}), mas ela não está instalada." if self.better else ""
        return note(
            "transformed",
            f"Sistema do arquivo: {self.system.name}.",
            f"Levado a SIRGAS 2000 por “{self.name}” ({accuracy}).{better}",
        )


@cache
def operation(code: str) -> Operation:
    """The most accurate operation available without network. Raises `Refused` where only a guess exists."""
    system = parse_crs(code)
    try:
        group = TransformerGroup(system.crs, SIRGAS_2000, always_xy=True)
    except ProjError:
        group = None
    best = group.transformers[0] if group and group.transformers else None
    if group is None or best is None or best.accuracy < 0 or "Ballpark" in best.description:
        raise Refused(
            error(
                "no_datum_operation",
                f"Não há transformação conhecida de {system.name} para SIRGAS 2000.",
                "Tomar um datum pelo outro desloca o perímetro em dezenas de metros.",
                "Converta no QGIS ou no ProGriD (IBGE) para SIRGAS 2000 e importe o resultado.",
            )
        )
    unavailable = [op for op in group.unavailable_operations if 0 <= op.accuracy < best.accuracy]
    better = f"{_steps(unavailable[0].name)}, {format_number(unavailable[0].accuracy, 0)} m" if unavailable else None
    return Operation(system, best, _steps(best.description), float(best.accuracy), better)


def _steps(description: str) -> str:
    kept = [step for step in description.split(" + ") if "axis order" not in step]
    return " + ".join(kept) or "mesmo sistema"

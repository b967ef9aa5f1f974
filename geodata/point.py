"""A position on WGS 84, and the one error for a position that cannot be one."""

from __future__ import annotations

import math
from dataclasses import dataclass


class BadPoint(ValueError):
    """The numbers are not a position on Earth; the message says why, in Portuguese."""


@dataclass(frozen=True, slots=True)
class Point:
    """Latitude and longitude in degrees, in this order in code and in the public contract.

    GeoJSON and geometry libraries use (longitude, latitude): `lonlat` gives that order. Raises ``BadPoint`` for
    numbers that are not finite or lie outside -90..90 and -180..180.
    """

    lat: float
    lon: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.lat) and math.isfinite(self.lon)):
            raise BadPoint("latitude e longitude devem ser números finitos")
        if abs(self.lat) > 90:
            raise BadPoint(f"latitude {self.lat} fora de -90..90; confira se não trocou latitude e longitude")
        if abs(self.lon) > 180:
            raise BadPoint(f"longitude {self.lon} fora de -180..180")

    @property
    def lonlat(self) -> tuple[float, float]:
        return (self.lon, self.lat)

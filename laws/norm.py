"""A norm as the engine reads it: frozen values built by `laws.loader` from the YAML of one municipality.

Money is integer centavos, lengths integer metres, rates centavos per kilometre or per hour. Every line carries the
full citation of the provision that creates it. Nothing here computes a fare.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum

from zoneinfo import ZoneInfo

from laws.calendar import Calendar
from laws.schedule import Schedule


class Zone(StrEnum):
    """Where a leg runs. `undetermined` is the band in which no source tells town from country."""

    URBAN = "urban"
    RURAL = "rural"
    UNDETERMINED = "undetermined"
    OUTSIDE = "outside"


class Direction(StrEnum):
    OUTBOUND = "outbound"
    RETURN = "return"


class Surface(StrEnum):
    PAVED = "paved"
    UNPAVED = "unpaved"


class Status(StrEnum):
    """What the law answers for a trip (public contract)."""

    PRICED = "priced"
    DELEGATED = "delegated"
    NO_TARIFF = "no_tariff"
    OUT_OF_SCOPE = "out_of_scope"
    PROHIBITED = "prohibited"
    NEGOTIATED = "negotiated"
    UNDEFINED_COMPONENT = "undefined_component"


class Nature(StrEnum):
    """How the computed figure binds."""

    EXACT = "exact"
    CEILING = "ceiling"
    INTERVAL = "interval"
    NEGOTIATED = "negotiated"


class Standing(StrEnum):
    """How defensible a reading of an unclear clause is."""

    ADOPTED = "adopted"
    REASONABLE = "reasonable"
    REJECTED = "rejected"


class PartialKm(StrEnum):
    """How a part of a kilometre counts."""

    PRORATE = "prorate"
    STARTED = "started"
    COMPLETED = "completed"


class Stage(StrEnum):
    """The steps of evaluation; a tariff lists them in its own order."""

    BASE = "base"
    RETURN = "return"
    ADJUST = "adjust"
    EXTRAS = "extras"
    BOUNDS = "bounds"


@dataclass(frozen=True, slots=True)
class NormRef:
    """Which text, in which state, a result rests on. ``version`` is the SHA-256 of the norm's data."""

    id: str
    title: str
    label: str
    in_force_from: date
    in_force_to: date | None
    confirmed: bool
    version: str

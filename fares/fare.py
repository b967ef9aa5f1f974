"""The answer of the engine: what is due, why, and under which readings of the law.

Money is integer centavos everywhere in this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from laws.norm import Nature, NormRef, Standing, Status


class Unit(StrEnum):
    """What a line counts."""

    TRIP = "trip"
    KM = "km"
    HOUR = "hour"
    ITEM = "item"
    PASSENGER = "passenger"
    TICK = "tick"
    PERCENT = "percent"


class FareLine(NamedTuple):
    """One line of the fare.

    ``quantity`` is an exact decimal text ("10.5" km). ``unit_amount`` is None where the line is not a product
    (an adjustment, a minimum). The amounts of the lines add up to the total.
    """

    code: str
    text: str
    quantity: str
    unit: Unit
    unit_amount: int | None
    amount: int
    citation: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why there is no lawful price, with the article that says so."""

    code: str
    citation: str
    detail: str


@dataclass(frozen=True, slots=True)
class Caution:
    """Something the reader must know before relying on the fare."""

    code: str
    detail: str
    citation: str | None = None


class ReadingOutcome(NamedTuple):
    """What the trip costs when every unclear clause is read in one given way.

    ``choices`` maps each clause that differs from the adopted reading to the option taken. ``total`` is None where
    that reading gives no price; ``status`` then says which answer it gives.
    """

    id: str
    standing: Standing
    status: Status
    total: int | None
    why: str
    choices: dict[str, str]
    signed_by: str | None = None


@dataclass(frozen=True, slots=True)
class Fare:
    """The fare of one trip under one norm.

    ``status`` other than PRICED means ``total`` is None and ``reasons`` say why. ``low`` and ``high`` bound what may
    lawfully be charged under the adopted reading (equal for an exact tariff of known facts, from 0 for a ceiling).
    ``readings_low`` and ``readings_high`` span the adopted and every reasonable reading. ``known_part`` is what the
    norm does fix when one of its figures is missing.
    """

    status: Status
    nature: Nature
    total: int | None
    low: int | None
    high: int | None
    exact: bool
    lines: tuple[FareLine, ...]
    norm: NormRef | None
    readings: tuple[ReadingOutcome, ...]
    readings_low: int | None
    readings_high: int | None
    warnings: tuple[Caution, ...]
    reasons: tuple[Reason, ...]
    known_part: int | None = None

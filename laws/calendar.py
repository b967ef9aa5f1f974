"""Which days are holidays in a municipality, and which days have a name that a norm may use.

National and state holidays come from the `holidays` library; municipal holidays and optional days (ponto facultativo)
are data of the municipality, each with the act that made it. Optional days are never holidays for a tariff.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

import holidays
from dateutil.easter import easter

NAMED_DAYS = {
    "carnival_monday": -48,
    "carnival_tuesday": -47,
    "ash_wednesday": -46,
    "good_friday": -2,
    "corpus_christi": 60,
}
"""Movable days by their distance in days from Easter Sunday."""


def named_weekday(name: str) -> int:
    """The weekday on which a named day always falls (0 for Monday)."""
    return (6 + NAMED_DAYS[name]) % 7


class Day(NamedTuple):
    """What a window may ask of a calendar day. ``weekday`` is 0 for Monday."""

    weekday: int
    month: int
    day: int
    holiday: bool
    eve: bool
    after: bool
    named: str | None


@dataclass(frozen=True, slots=True)
class MunicipalHoliday:
    """A holiday of every year on the same day, created by a municipal act."""

    month: int
    day: int
    name: str
    act: str


@dataclass(frozen=True, slots=True)
class OptionalDay:
    """A day on which the town hall is closed by decree. It moves deadlines, never fares."""

    on: date
    name: str
    act: str


class Calendar:
    """The holidays of one municipality."""

    def __init__(
        self,
        uf: str,
        municipal: tuple[MunicipalHoliday, ...] = (),
        optional: tuple[OptionalDay, ...] = (),
    ) -> None:
        self.uf = uf
        self.municipal = municipal
        self.optional = optional
        self._public = holidays.country_holidays("BR", subdiv=uf)
        self._municipal = {(m.month, m.day): m.name for m in municipal}
        self._optional = {o.on: o.name for o in optional}
        self.day = lru_cache(maxsize=4096)(self._day)

    def holiday(self, on: date) -> str | None:
        """The holiday's name on that date, or None."""
        return self._municipal.get((on.month, on.day)) or self._public.get(on)

    def optional_day(self, on: date) -> str | None:
        """The optional day's name on that date, or None."""
        return self._optional.get(on)

    def _day(self, on: date) -> Day:
        one = timedelta(days=1)
        return Day(
            weekday=on.weekday(),
            month=on.month,
            day=on.day,
            holiday=self.holiday(on) is not None,
            eve=self.holiday(on + one) is not None,
            after=self.holiday(on - one) is not None,
            named=_named(on),
        )


def _named(on: date) -> str | None:
    distance = (on - easter(on.year)).days
    return next((name for name, days in NAMED_DAYS.items() if days == distance), None)

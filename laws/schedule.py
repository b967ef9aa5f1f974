"""Hour bands: named windows that together cover every minute of every kind of day exactly once.

Intervals are half-open [from, to) in local minutes. A window that crosses midnight belongs to the evening it starts on.
Where two windows claim a minute the norm must say which prevails; where none does it must name the gap as a window of
its own: `Schedule` refuses anything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import product

from laws.calendar import NAMED_DAYS, Calendar, Day, named_weekday

MINUTES_A_DAY = 24 * 60
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class BadSchedule(ValueError):
    """The windows leave a minute out or claim it twice; the message says which, in Portuguese."""


@dataclass(frozen=True, slots=True)
class Daily:
    """On these weekdays from ``start`` to ``end``; ``end`` <= ``start`` crosses midnight."""

    days: frozenset[int]
    start: int
    end: int

    def covers(self, day: Day, minute: int) -> bool:
        if self.start < self.end:
            return day.weekday in self.days and self.start <= minute < self.end
        evening = day.weekday in self.days and minute >= self.start
        morning_after = (day.weekday - 1) % 7 in self.days and minute < self.end
        return evening or morning_after

    @property
    def minutes(self) -> tuple[int, ...]:
        return (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Weekly:
    """One stretch of the week, such as Saturday 13:00 to Monday 06:00."""

    from_day: int
    start: int
    to_day: int
    end: int

    def covers(self, day: Day, minute: int) -> bool:
        begins = self.from_day * MINUTES_A_DAY + self.start
        week = 7 * MINUTES_A_DAY
        length = (self.to_day * MINUTES_A_DAY + self.end - begins) % week
        return (day.weekday * MINUTES_A_DAY + minute - begins) % week < length

    @property
    def minutes(self) -> tuple[int, ...]:
        return (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Holiday:
    """On holidays from ``start`` to ``end``; optionally from ``eve_from`` on the eve and until ``until_next`` after."""

    start: int = 0
    end: int = MINUTES_A_DAY
    eve_from: int | None = None
    until_next: int | None = None

    def covers(self, day: Day, minute: int) -> bool:
        return (
            (day.holiday and self.start <= minute < self.end)
            or (day.eve and self.eve_from is not None and minute >= self.eve_from)
            or (day.after and self.until_next is not None and minute < self.until_next)
        )

    @property
    def minutes(self) -> tuple[int, ...]:
        return (self.start, self.end, self.eve_from or 0, self.until_next or 0)


@dataclass(frozen=True, slots=True)
class Season:
    """Every day from one (month, day) to another, both included; it may cross the year."""

    first: tuple[int, int]
    last: tuple[int, int]

    def covers(self, day: Day, minute: int) -> bool:
        today = (day.month, day.day)
        if self.first <= self.last:
            return self.first <= today <= self.last
        return today >= self.first or today <= self.last

    @property
    def minutes(self) -> tuple[int, ...]:
        return (0,)


@dataclass(frozen=True, slots=True)
class Named:
    """All of a movable day with a name, such as Carnival Tuesday."""

    day: str

    def covers(self, day: Day, minute: int) -> bool:
        return day.named == self.day

    @property
    def minutes(self) -> tuple[int, ...]:
        return (0,)


Times = Daily | Weekly | Holiday | Season | Named


@dataclass(frozen=True, slots=True)
class Window:
    """A named band. ``rest`` marks the one window that takes every minute no other claims.

    ``prevails_over`` names the windows that yield to this one where both claim a minute.
    ``gap`` marks minutes that the norm's text leaves without a tariff.
    """

    id: str
    text: str
    times: tuple[Times, ...]
    prevails_over: frozenset[str] = frozenset()
    rest: bool = False
    gap: bool = False

    def covers(self, day: Day, minute: int) -> bool:
        return any(times.covers(day, minute) for times in self.times)


class Schedule:
    """The windows of a tariff; total by construction.

    Raises ``BadSchedule`` when some minute of some kind of day (weekday x holiday, eve, day after x season x named
    day) is claimed by no window or by two that do not say which prevails.
    """

    def __init__(self, windows: tuple[Window, ...]) -> None:
        self.windows = windows
        self._claiming = tuple(w for w in windows if not w.rest)
        self._rest = next((w.id for w in windows if w.rest), None)
        for day, minute in self._representatives():
            self.band(day, minute)

    def window_at(self, instant: datetime, calendar: Calendar) -> str | None:
        """The band in force at a local instant; None where the tariff has no bands."""
        if not self.windows:
            return None
        return self.band(calendar.day(instant.date()), instant.hour * 60 + instant.minute)

    def band(self, day: Day, minute: int) -> str:
        """The one window that holds that minute of such a day."""
        claims = [w for w in self._claiming if w.covers(day, minute)]
        if len(claims) > 1:
            claims = [w for w in claims if all(o is w or o.id in w.prevails_over for o in claims)]
            if len(claims) != 1:
                raise BadSchedule(
                    f"{_when(day, minute)} cabe em mais de uma faixa; diga qual prevalece (prevails_over)"
                )
        if claims:
            return claims[0].id
        if self._rest is None:
            raise BadSchedule(
                f"{_when(day, minute)} não cabe em faixa nenhuma; estenda uma faixa, marque uma como "
                "`rest: true` ou declare a lacuna como faixa própria com `gap: true`"
            )
        return self._rest

    def _representatives(self) -> Iterator[tuple[Day, int]]:
        """One day of each kind the windows can tell apart, at each minute where something may change."""
        if not self.windows:
            return
        times = [t for w in self._claiming for t in w.times]
        minutes = sorted({0} | {m % MINUTES_A_DAY for t in times for m in t.minutes})
        by_holiday = any(isinstance(t, Holiday) for t in times)
        holiday_kinds = list(product((False, True), repeat=3)) if by_holiday else [(False,) * 3]
        names = [None, *sorted({t.day for t in times if isinstance(t, Named)} & set(NAMED_DAYS))]
        for weekday, (holiday, eve, after), (month, day), name in product(
            range(7), holiday_kinds, _season_edges(times), names
        ):
            if name is not None and weekday != named_weekday(name):
                continue
            kind = Day(weekday, month, day, holiday, eve, after, name)
            yield from ((kind, minute) for minute in minutes)


_LEAP_YEAR = date(2000, 1, 1)


def _season_edges(times: list[Times]) -> list[tuple[int, int]]:
    seasons = [t for t in times if isinstance(t, Season)]
    if not seasons:
        return [(7, 15)]
    kinds: dict[tuple[bool, ...], tuple[int, int]] = {}
    for number in range(366):
        on = _LEAP_YEAR + timedelta(days=number)
        sample = Day(0, on.month, on.day, False, False, False, None)
        kinds.setdefault(tuple(s.covers(sample, 0) for s in seasons), (on.month, on.day))
    return list(kinds.values())


_DAY_NAMES = ("segunda", "terça", "quarta", "quinta", "sexta", "sábado", "domingo")


def _when(day: Day, minute: int) -> str:
    notes = [text for flag, text in ((day.holiday, "feriado"), (day.eve, "véspera de feriado"),
                                     (day.after, "dia seguinte a feriado")) if flag]  # fmt: skip
    if day.named:
        notes.append(day.named)
    kind = f" ({', '.join(notes)})" if notes else ""
    return f"{_DAY_NAMES[day.weekday]}{kind} {day.day:02}/{day.month:02} {minute // 60:02}:{minute % 60:02}"

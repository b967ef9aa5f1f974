"""Hour bands: what people reported going wrong, and that a schedule accepted leaves no minute out or doubtful."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from itertools import product
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fares.tariffs import open_lawbook
from laws.calendar import NAMED_DAYS, Calendar, Day, MunicipalHoliday, OptionalDay
from laws.schedule import BadSchedule, Daily, Holiday, Named, Schedule, Season, Times, Weekly, Window
from laws.source import LawError
from tests.laws.town import NORM, SLUG, broken, write_town

RO = Calendar("RO")
EVERY_DAY = frozenset(range(7))
WEEK = frozenset(range(5))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def band(schedule: Schedule, instant: str, calendar: Calendar = RO) -> str | None:
    return schedule.window_at(at(instant), calendar)


DAY_AND_NIGHT = (
    Window("day", "Dia", (Daily(EVERY_DAY, 360, 1320),)),
    Window("night", "Noite", (Daily(EVERY_DAY, 1320, 360),)),
)


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("21:59", "day"),
        ("22:00", "night"),
        ("23:59", "night"),
        ("00:00", "night"),
        ("05:59", "night"),
        ("06:00", "day"),
    ],
)
def test_a_window_may_cross_midnight(clock, expected):
    """F031: 22:00 to 06:00 is one night, half-open."""
    assert band(Schedule(DAY_AND_NIGHT), f"2024-05-14T{clock}") == expected


def test_a_window_may_end_at_midnight():
    """F032: until 24:00 belongs to its own day, to the last second."""
    schedule = Schedule(
        (
            Window("week", "Semana", (), rest=True),
            Window("saturday", "Sábado", (Daily(frozenset({5}), 780, 1440),)),
            Window("small_hours", "Madrugada", (Daily(frozenset({6}), 0, 300),)),
        )
    )
    assert band(schedule, "2024-05-18T23:59:59") == "saturday"
    assert band(schedule, "2024-05-19T00:00:00") == "small_hours"


def test_a_window_that_crosses_midnight_belongs_to_its_evening():
    """The night of a weekday runs into Saturday; Monday's small hours belong to Sunday's night."""
    schedule = Schedule((Window("night", "", (Daily(WEEK, 1320, 360),)), Window("other", "", (), rest=True)))
    assert band(schedule, "2024-05-18T05:59") == "night"
    assert band(schedule, "2024-05-20T03:00") == "other"


def test_a_season_may_be_a_month():
    """F109: band 2 all through December, by the hour on either side of it."""
    december = Window("band_2", "Dezembro", (Season((12, 1), (12, 31)),), prevails_over=frozenset({"day", "night"}))
    schedule = Schedule((*DAY_AND_NIGHT, december))
    assert band(schedule, "2023-11-30T23:59") == "night"
    assert band(schedule, "2023-12-01T00:00") == "band_2"
    assert band(schedule, "2023-12-31T23:59") == "band_2"
    assert band(schedule, "2024-01-01T00:00") == "night"


def test_a_season_may_cross_the_year():
    season = Window("season", "", (Season((12, 8), (1, 8)),))
    schedule = Schedule((season, Window("other", "", (), rest=True)))
    instants = ["2024-12-07T23:59", "2024-12-08T00:00", "2025-01-08T23:59", "2025-01-09T00:00"]
    assert [band(schedule, i) for i in instants] == ["other", "season", "season", "other"]


def test_two_halves_of_the_year_cover_it():
    halves = (
        Window("first", "", (Season((1, 1), (6, 30)),)),
        Window("second", "", (Season((7, 1), (12, 31)),)),
    )
    assert band(Schedule(halves), "2024-06-30T12:00") == "first"


def test_the_eve_and_the_morning_after_a_holiday():
    """F083: from 20:00 of the eve to 06:00 of the day after."""
    holiday = Window("band_2", "", (Holiday(eve_from=1200, until_next=360),))
    schedule = Schedule((holiday, Window("band_1", "", (), rest=True)))
    instants = ["2024-12-24T19:59", "2024-12-24T20:30", "2024-12-25T12:00", "2024-12-26T05:59", "2024-12-26T06:00"]
    assert [band(schedule, i) for i in instants] == ["band_1", "band_2", "band_2", "band_2", "band_1"]


def test_a_holiday_may_run_through_the_whole_day_after():
    holiday = Window("band_2", "", (Holiday(until_next=1440),))
    schedule = Schedule((holiday, Window("band_1", "", (), rest=True)))
    assert band(schedule, "2024-12-26T23:59") == "band_2"
    assert band(schedule, "2024-12-27T00:00") == "band_1"


def test_a_stretch_of_the_week_may_begin_at_midnight():
    schedule = Schedule((Window("weekend", "", (Weekly(4, 1440, 0, 0),)), Window("week", "", (), rest=True)))
    instants = ["2024-05-17T23:59", "2024-05-18T00:00", "2024-05-19T23:59", "2024-05-20T00:00"]
    assert [band(schedule, i) for i in instants] == ["week", "weekend", "weekend", "week"]


def test_municipal_holidays_count_and_optional_days_do_not():
    calendar = Calendar(
        "RO",
        (MunicipalHoliday(3, 15, "Aniversário", "Lei nº 1"),),
        (OptionalDay(date(2024, 3, 18), "Ponto facultativo", "Decreto nº 2"),),
    )
    schedule = Schedule((Window("holiday", "", (Holiday(),)), Window("other", "", (), rest=True)))
    assert band(schedule, "2024-03-15T10:00", calendar) == "holiday"
    assert band(schedule, "2024-03-18T10:00", calendar) == "other"
    assert band(schedule, "2024-01-04T10:00", calendar) == "holiday"  # a state holiday of RO
    assert band(schedule, "2024-01-04T10:00", Calendar("SP")) == "other"


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("carnival_monday", "2017-02-27"),
        ("carnival_tuesday", "2017-02-28"),
        ("ash_wednesday", "2017-03-01"),
        ("good_friday", "2017-04-14"),
        ("corpus_christi", "2017-06-15"),
    ],
)
def test_days_with_a_name(name, day):
    schedule = Schedule((Window("named", "", (Named(name),)), Window("other", "", (), rest=True)))
    assert band(schedule, f"{day}T10:00") == "named"
    assert band(schedule, "2017-08-01T10:00") == "other"


def test_two_windows_that_each_prevail_over_the_other_settle_nothing():
    a = Window("a", "", (Daily(EVERY_DAY, 0, 720),), frozenset({"b"}))
    b = Window("b", "", (Daily(EVERY_DAY, 0, 1440),), frozenset({"a"}))
    with pytest.raises(BadSchedule, match="diga qual prevalece"):
        Schedule((a, b))


def test_a_named_day_needs_no_order_with_a_weekday_it_never_falls_on():
    sunday = Window("sunday", "", (Daily(frozenset({6}), 0, 1440),))
    carnival = Window("carnival", "", (Named("carnival_tuesday"),))
    schedule = Schedule((sunday, carnival, Window("other", "", (), rest=True)))
    assert band(schedule, "2017-02-28T10:00") == "carnival"


@pytest.mark.parametrize(
    "times",
    [
        "{span_from: sat 13:00, span_to: sat 13:00}",
        '{holiday: {from: "10:00", to: "09:00"}}',
        '{days: [mon], from: "24:00", to: "06:00"}',
    ],
)
def test_a_window_without_a_minute_is_refused(times, tmp_path):
    norm = broken(NORM, '{days: [mon, tue, wed, thu, fri, sat, sun], from: "06:00", to: "22:00"}', times)
    write_town(tmp_path, norm=norm)
    with pytest.raises(LawError, match="não deixam minuto nenhum"):
        open_lawbook(tmp_path)


# Time zones (F050): Brazil left summer time; bands are local.


@pytest.mark.parametrize(
    ("zone", "instant", "local"),
    [
        ("America/Porto_Velho", "2026-12-01T01:30+00:00", "2026-11-30T21:30-04:00"),
        ("America/Cuiaba", "2026-12-01T01:30+00:00", "2026-11-30T21:30-04:00"),
        ("America/Cuiaba", "2018-12-01T12:00+00:00", "2018-12-01T09:00-03:00"),
        ("America/Porto_Velho", "2018-12-01T12:00+00:00", "2018-12-01T08:00-04:00"),
    ],
)
def test_summer_time_is_what_it_was_on_the_day(zone, instant, local):
    assert at(instant).astimezone(ZoneInfo(zone)).isoformat(timespec="minutes") == local


def test_the_towns_say_their_own_time_zone(tmp_path):
    write_town(tmp_path)
    assert open_lawbook(tmp_path).municipality(SLUG).zone_info == ZoneInfo("America/Porto_Velho")


# Any schedule accepted is total; one refused really leaves a minute out, or leaves it to two windows.

clock = st.integers(0, 1439)
some_days = st.frozensets(st.integers(0, 6), min_size=1)
month_days = st.dates(date(2024, 1, 1), date(2024, 12, 31)).map(lambda d: (d.month, d.day))
all_times: st.SearchStrategy[Times] = st.one_of(
    st.builds(Daily, some_days, clock, st.integers(0, 1440)).filter(lambda t: t.start != t.end),
    st.builds(Weekly, st.integers(0, 6), clock, st.integers(0, 6), st.integers(0, 1440)),
    st.builds(
        lambda ends, eve, after: Holiday(min(ends), max(ends), eve, after),
        st.lists(st.integers(0, 1440), min_size=2, max_size=2, unique=True),
        st.none() | clock,
        st.none() | st.integers(1, 1440),
    ),
    st.builds(Season, month_days, month_days),
    st.builds(Named, st.sampled_from(sorted(NAMED_DAYS))),
)


@st.composite
def window_sets(draw: st.DrawFn) -> tuple[Window, ...]:
    """One to four windows, at most one of which takes the rest; some prevail over others."""
    names = "abcd"[: draw(st.integers(1, 4))]
    rest = draw(st.booleans())
    stretches = st.lists(all_times, min_size=1, max_size=2).map(tuple)
    yields = st.frozensets(st.sampled_from(names))
    windows = [Window(name, name, draw(stretches), draw(yields)) for name in names]
    if rest:
        windows[-1] = Window(names[-1], names[-1], (), rest=True)
    if draw(st.booleans()):  # a whole order, so that overlaps are often settled
        windows = [Window(w.id, w.text, w.times, frozenset(names[i + 1 :]), w.rest) for i, w in enumerate(windows)]
    return tuple(windows)


MINUTES = np.arange(1440)


def painted(times: Times, day: Day) -> np.ndarray:
    """The minutes of a day that ``times`` claims, worked out apart from the code under test."""
    match times:
        case Daily(days, start, end) if start < end:
            return (start <= MINUTES) & (end > MINUTES) & (day.weekday in days)
        case Daily(days, start, end):
            return ((start <= MINUTES) & (day.weekday in days)) | ((end > MINUTES) & ((day.weekday + 6) % 7 in days))
        case Weekly(from_day, start, to_day, end):
            now, begin, stop = day.weekday * 1440 + MINUTES, from_day * 1440 + start, to_day * 1440 + end
            begin, stop = begin % 10080, stop % 10080
            if begin <= stop:
                return (now >= begin) & (now < stop)
            return (now >= begin) | (now < stop)
        case Holiday(start, end, eve_from, until_next):
            claimed = (start <= MINUTES) & (end > MINUTES) & day.holiday
            if eve_from is not None:
                claimed |= (eve_from <= MINUTES) & day.eve
            if until_next is not None:
                claimed |= (until_next > MINUTES) & day.after
            return claimed
        case Season(first, last):
            today = (day.month, day.day)
            inside = first <= today <= last if first <= last else today >= first or today <= last
            return np.full(1440, inside)
        case Named(name):
            return np.full(1440, day.named == name)
    raise AssertionError(times)


def winners(windows: tuple[Window, ...], day: Day) -> np.ndarray:
    """For each minute of the day, the index of its window; -1 where no window, or no one window, has it."""
    claims = {i: np.any([painted(t, day) for t in w.times], axis=0) for i, w in enumerate(windows) if not w.rest}
    rest = next((i for i, w in enumerate(windows) if w.rest), -1)
    found, won = np.full(1440, rest), np.zeros(1440, dtype=int)
    if claims:
        found[np.any(list(claims.values()), axis=0)] = -1
    for i, claimed in claims.items():
        wins = claimed.copy()
        for j, other in claims.items():
            if j != i and windows[j].id not in windows[i].prevails_over:
                wins &= ~other
        found[wins] = i
        won += wins
    found[won > 1] = -1
    return found


def kinds_of_day(windows: tuple[Window, ...]) -> list[Day]:
    """Every kind of day that may come and that these windows can tell apart."""
    times = [t for w in windows for t in w.times]
    edges = {d for t in times if isinstance(t, Season) for d in (t.first, t.last)}
    days = {date(2024, *edge) + timedelta(days=n) for edge in edges for n in (-1, 0, 1)} | {date(2024, 7, 15)}
    holiday = [False, True] if any(isinstance(t, Holiday) for t in times) else [False]
    names = [None, *sorted({t.day for t in times if isinstance(t, Named)})]
    return [
        Day(weekday, day.month, day.day, is_holiday, eve, after, name)
        for weekday, day, is_holiday, eve, after, name in product(
            range(7), sorted(days), holiday, holiday, holiday, names
        )
        if name is None or weekday == (6 + NAMED_DAYS[name]) % 7
    ]


@given(windows=window_sets())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_schedule_is_accepted_when_and_only_when_it_is_total(windows):
    total = all((winners(windows, day) >= 0).all() for day in kinds_of_day(windows))
    try:
        Schedule(windows)
    except BadSchedule:
        assert not total
    else:
        assert total


@pytest.mark.slow
@given(windows=window_sets(), year=st.integers(2015, 2035), picked=st.randoms(use_true_random=False))
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking a year takes minutes
)
def test_an_accepted_schedule_has_one_band_for_every_minute_of_a_year(windows, year, picked):
    try:
        schedule = Schedule(windows)
    except BadSchedule:
        return
    first = date(year, 1, 1)
    for on in (first + timedelta(days=n) for n in range((date(year + 1, 1, 1) - first).days)):
        found = winners(windows, RO.day(on))
        assert (found >= 0).all()
        for minute in (0, 1439, *picked.sample(range(1440), 4)):
            instant = datetime(on.year, on.month, on.day, minute // 60, minute % 60)
            assert schedule.window_at(instant, RO) == windows[found[minute]].id

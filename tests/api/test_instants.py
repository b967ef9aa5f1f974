"""Local times: one instant, or an error that says why not. Cuiabá had summer time until 2019."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.instants import BadInstant, in_zone, parse_date, parse_instant

CUIABA = ZoneInfo("America/Cuiaba")


@pytest.mark.parametrize(
    "text",
    ["1900-01-01T10:00", "1987-12-31T23:59", "2101-01-01T00:00", "9999-12-31T23:59", "2026-02-29T10:00",
     "2026-12-01", "2026-12-01 10:00", "2026-12-01T24:00", "2026-12-01T10:60", "2026-12-01T10:00:60", "20261201T1000",
     "2026-W49-2T10:00", "2026-12-01T10:00-0400", "2026-12-01T10:00\n", "٢٠٢٦-12-01T10:00", "01/12/2026 10:00", "",
     "2026-12-01T10:00:00.1234567"],
)  # fmt: skip
def test_a_text_that_is_not_one_sensible_instant_is_refused(text):
    with pytest.raises(BadInstant):
        parse_instant(text)


@pytest.mark.parametrize("text", ["2026-13-01", "2026-02-30", "20261201", "1900-01-01", "2026-12-01\n"])
def test_a_text_that_is_not_one_sensible_day_is_refused(text):
    with pytest.raises(BadInstant):
        parse_date(text)


def test_the_forms_of_the_public_contract():
    assert parse_instant("2026-12-01T10:00") == datetime(2026, 12, 1, 10)
    assert parse_instant("2026-12-01T10:00:30Z") == datetime(2026, 12, 1, 10, 0, 30, tzinfo=UTC)
    assert parse_instant("2026-12-01T10:00:00.5-04:00").utcoffset() == timedelta(hours=-4)
    assert parse_date("2026-12-01") == date(2026, 12, 1)


def test_without_an_offset_it_is_local_time():
    assert in_zone(datetime(2026, 12, 1, 10), CUIABA).isoformat() == "2026-12-01T10:00:00-04:00"


def test_with_an_offset_it_is_brought_to_local_time():
    assert in_zone(parse_instant("2026-12-01T14:00Z"), CUIABA).isoformat() == "2026-12-01T10:00:00-04:00"


def test_a_local_time_that_the_clocks_skipped_is_refused():
    with pytest.raises(BadInstant, match="não existiu"):
        in_zone(datetime(2018, 11, 4, 0, 30), CUIABA)


def test_a_local_time_that_happened_twice_asks_for_the_offset():
    with pytest.raises(BadInstant, match=r"2018-02-17T23:30:00-03:00 ou 2018-02-17T23:30:00-04:00"):
        in_zone(datetime(2018, 2, 17, 23, 30), CUIABA)
    assert in_zone(parse_instant("2018-02-17T23:30-03:00"), CUIABA).utcoffset() == timedelta(hours=-3)


@given(st.datetimes(datetime(1988, 1, 1), datetime(2100, 12, 31)))
def test_every_local_time_is_one_instant_or_refused(moment):
    try:
        instant = in_zone(moment, CUIABA)
    except BadInstant:
        return
    assert instant.astimezone(UTC).astimezone(CUIABA).replace(tzinfo=None, fold=0) == moment

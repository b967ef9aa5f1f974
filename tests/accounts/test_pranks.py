"""Prank calls: the rule, and its count in a real Valkey."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from accounts.identifiers.phone import Phone
from accounts.pranks import POLICY, PrankPolicy, Pranks

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
PHONE, OTHER = Phone("+5569992841234"), Phone("+5569992841235")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def pranks(client: redis.Redis) -> Pranks:
    return Pranks(client, "ro-urupa")


def reported(pranks: Pranks, times: int, phone: Phone = PHONE, now: datetime = NOON) -> datetime | None:
    return [pranks.report_prank(phone, f"rider:{number}", now) for number in range(times)][-1]


@given(
    st.integers(0, 5),
    st.timedeltas(timedelta(seconds=1), timedelta(days=2)),
    st.timedeltas(timedelta(days=2), timedelta(days=60)),
)
def test_blocks_double_from_the_first_to_the_longest(free: int, first: timedelta, most: timedelta):
    blocks = PrankPolicy(free, DAY, first, most, HOUR).blocks()

    assert blocks[:free] == [timedelta(0)] * free
    growing = blocks[free:]
    assert growing[0] == first
    assert growing[-1] == most
    assert all(later == 2 * earlier for earlier, later in pairwise(growing[:-1]))
    assert growing == sorted(growing)


def test_two_reports_are_forgiven_and_each_further_one_blocks_for_twice_as_long(pranks: Pranks):
    assert reported(pranks, 2) is None
    assert pranks.blocked_until(PHONE, NOON) is None

    assert pranks.report_prank(PHONE, "operator:1", NOON) == NOON + HOUR
    assert pranks.report_prank(PHONE, "operator:2", NOON) == NOON + 2 * HOUR
    assert pranks.blocked_until(PHONE, NOON) == NOON + 2 * HOUR
    assert pranks.blocked_until(PHONE, NOON + 2 * HOUR) is None
    assert pranks.blocked_until(OTHER, NOON) is None


def test_a_block_never_grows_beyond_the_longest(pranks: Pranks):
    assert reported(pranks, 30) == NOON + POLICY.most


def test_one_person_counts_once_per_half_day_and_repeating_changes_nothing(pranks: Pranks):
    for _ in range(10):
        assert pranks.report_prank(PHONE, "rider:1", NOON) is None
    assert pranks.report_prank(PHONE, "rider:1", NOON + DAY) is None
    assert pranks.report_prank(PHONE, "rider:1", NOON + 2 * DAY) == NOON + 2 * DAY + HOUR


def test_reports_are_forgotten_after_the_window(pranks: Pranks, client: redis.Redis):
    reported(pranks, 2)
    assert reported(pranks, 2, now=NOON + POLICY.window + HOUR) is None
    assert all(0 < client.pttl(key) <= POLICY.window / timedelta(milliseconds=1) for key in client.scan_iter())


def test_a_report_while_blocked_does_not_shorten_the_block(pranks: Pranks):
    until = reported(pranks, 6)
    assert pranks.report_prank(PHONE, "rider:0", NOON + timedelta(minutes=1)) == until


def test_forgiving_forgets_everything(pranks: Pranks, client: redis.Redis):
    reported(pranks, 5)
    pranks.forgive(PHONE)

    assert pranks.blocked_until(PHONE, NOON) is None
    assert list(client.scan_iter()) == []


def test_a_block_in_one_town_is_none_in_another(pranks: Pranks, client: redis.Redis):
    reported(pranks, 5)
    assert Pranks(client, "mt-sinop").blocked_until(PHONE, NOON) is None


def test_keys_stay_in_the_towns_slot_and_do_not_show_the_phone(pranks: Pranks, client: redis.Redis):
    reported(pranks, 5)
    for key in map(bytes, client.scan_iter()):
        assert key.startswith(b"{ro-urupa}:")
        assert b"92841234" not in key


def test_reports_at_once_are_counted_one_by_one(pranks: Pranks):
    start, told = threading.Barrier(8), []

    def report(number: int) -> None:
        start.wait()
        told.append(pranks.report_prank(PHONE, f"rider:{number}", NOON))

    threads = [threading.Thread(target=report, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [None, None, *(NOON + HOUR * 2**number for number in range(6))]
    assert sorted(told, key=lambda until: until or NOON) == expected

"""Tracks in the database: kept whole over lost connections, late and repeated batches, and servers that restart."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sqlalchemy import Engine, select, text

from fares.meter import DropReason, Fix, Grade, measure
from fares.meter.state import BATCH, BatchTooLarge, TrackFull
from fares.track_models import Track, TrackFix
from fares.tracks import Taken, TrackClosed, UnknownTrack, append, close, fixes_of, open_track
from store.database import make_engine, make_sessions
from tests.fares.meter.tracks import NOON, along

ACCEPTED = datetime.fromtimestamp(NOON, UTC)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = make_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def track(engine: Engine) -> str:
    with make_sessions(engine).begin() as session:
        return open_track(session, "xx-cidade", ACCEPTED)


def send(engine: Engine, track: str, batch: list[Fix]) -> int:
    with make_sessions(engine).begin() as session:
        return append(session, track, batch).new


def test_late_and_repeated_batches_leave_the_track_the_phone_recorded(engine: Engine, track: str):
    ride = along(NOON, 0, 4000)
    batches = [ride[at : at + BATCH] for at in range(0, len(ride), BATCH)]
    dice = random.Random(1)
    for batch in dice.sample(batches * 2, 2 * len(batches)):
        dice.shuffle(batch)
        send(engine, track, batch)

    with make_sessions(engine)() as session:
        assert measure(fixes_of(session, track)) == measure(ride)


def test_a_repeated_batch_says_that_nothing_was_new(engine: Engine, track: str):
    ride = along(NOON, 0, 500)

    assert send(engine, track, ride) == len(ride)
    assert send(engine, track, [*ride, *ride[:3]][:BATCH]) == 0


def test_an_open_track_survives_the_loss_of_every_connection(database_url: str, engine: Engine, track: str):
    ride = along(NOON, 0, 1500)
    send(engine, track, ride[:80])
    with engine.connect() as connection:
        mine = connection.scalar(text("SELECT pg_backend_pid()"))
        cut = text(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> :me"
        )
        connection.execute(cut, {"me": mine})
    engine.dispose()

    after = make_engine(database_url)
    send(after, track, ride[80:])
    with make_sessions(after).begin() as session:
        assert close(session, track, measure) == measure(ride)
    after.dispose()


def test_closing_writes_beside_each_dropped_fix_why(engine: Engine, track: str):
    ride, island = along(NOON, 0, 500), Fix(NOON + 1000, 0.0, 0.0, None, None)
    send(engine, track, [*ride, island])

    with make_sessions(engine).begin() as session:
        close(session, track, measure)

    with make_sessions(engine)() as session:
        rows = session.scalars(select(TrackFix).where(TrackFix.drop_reason.is_not(None))).all()
        assert [(row.t, row.lat, row.drop_reason) for row in rows] == [(island.t, 0.0, DropReason.NULL_ISLAND)]
        assert len(fixes_of(session, track)) == len(ride) + 1


def test_a_closed_track_takes_nothing_more(engine: Engine, track: str):
    with make_sessions(engine).begin() as session:
        assert close(session, track, measure).grade is Grade.C

    with pytest.raises(TrackClosed, match="encerrada"):
        send(engine, track, along(NOON, 0, 100))
    with pytest.raises(TrackClosed), make_sessions(engine).begin() as session:
        close(session, track, measure)


def test_an_unknown_track_is_refused(engine: Engine):
    with pytest.raises(UnknownTrack, match="não há medição"):
        send(engine, "nenhuma", along(NOON, 0, 100))


def test_a_batch_beyond_the_limit_is_refused_whole(engine: Engine, track: str):
    with pytest.raises(BatchTooLarge, match="101 posições"):
        send(engine, track, along(NOON, 0, 1000))
    with make_sessions(engine)() as session:
        assert fixes_of(session, track) == []


def test_a_full_track_refuses_new_fixes_and_still_takes_old_ones(
    engine: Engine, track: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("fares.tracks.MOST_FIXES", 60)
    ride = along(NOON, 0, 1000)
    send(engine, track, ride[:50])

    with pytest.raises(TrackFull):
        send(engine, track, ride[40:70])

    assert send(engine, track, ride[:50]) == 0
    with make_sessions(engine)() as session:
        assert len(fixes_of(session, track)) == 50


@pytest.mark.parametrize("overlap", [100, 50])
def test_batches_sent_at_once_are_kept_once_and_counted_right(engine: Engine, track: str, overlap: int):
    ride, barrier, new = along(NOON, 0, 2990), threading.Barrier(4), []
    batches = [ride[at : at + BATCH] for at in range(0, 4 * (BATCH - overlap) or 1, BATCH - overlap or 1)]
    batches = (batches * 4)[:4]

    def phone(batch: list[Fix]) -> None:
        barrier.wait()
        new.append(send(engine, track, batch))

    threads = [threading.Thread(target=phone, args=(batch,)) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    distinct = len({fix for batch in batches for fix in batch})
    assert sum(new) == distinct
    with make_sessions(engine)() as session:
        assert session.get_one(Track, track).fixes == distinct


def test_deleting_a_track_deletes_where_it_went(engine: Engine, track: str):
    send(engine, track, along(NOON, 0, 500))

    with make_sessions(engine).begin() as session:
        session.delete(session.get_one(Track, track))

    with make_sessions(engine)() as session:
        assert session.scalars(select(TrackFix)).all() == []


def test_positions_from_before_the_ride_are_not_kept_and_counted(engine: Engine, track: str):
    waiting, ride = along(NOON - 3600, 0, 300), along(NOON, 0, 500)

    with make_sessions(engine).begin() as session:
        assert append(session, track, [*waiting, *ride]) == Taken(new=len(ride), before_ride=len(waiting))
        assert append(session, track, waiting) == Taken(new=0, before_ride=len(waiting))

    with make_sessions(engine)() as session:
        assert fixes_of(session, track) == ride

"""Who looked at which track: never without a case number, never rewritten, whole however many look at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import orjson
import pytest
from flask import Flask
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker

from accounts.access_log import AccessRecord, CaseNumberMissing, What, accesses_to, record
from accounts.rights import Actor, Role
from store.database import make_engine, make_sessions
from store.hash_chain import verify

AT = datetime(2026, 12, 1, 10, 0, 0, 123456, tzinfo=UTC)
INSPECTOR = Actor(Role.INSPECTOR, "fiscal-1", "xx-cidade", "Fiscal nº 1")
TRACK = What("tracks", "trajeto-1")


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = make_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def sessions(engine: Engine) -> sessionmaker[Session]:
    return make_sessions(engine)


def look(sessions: sessionmaker[Session], what: What = TRACK, case: str = "12/2026", reason: str = "apuração") -> None:
    with sessions.begin() as session:
        record(session, INSPECTOR, what, case, reason=reason, at=AT)


def test_a_look_tells_who_what_when_for_which_case_and_why(sessions: sessionmaker[Session]):
    look(sessions)
    look(sessions, What("tracks", "outro"))

    with sessions() as session:
        (told,) = accesses_to(session, TRACK)
    assert (told.who, told.name, told.what, told.case_number, told.reason) == (
        "inspector:fiscal-1",
        "Fiscal nº 1",
        TRACK,
        "12/2026",
        "apuração",
    )
    assert abs((told.at - AT).total_seconds()) < 0.00001


@pytest.mark.parametrize("case", ["", "   ", "\t", "1" * 81, "12\n2026", "12\x002026"])
def test_without_a_case_number_nobody_looks(sessions: sessionmaker[Session], case: str):
    with pytest.raises(CaseNumberMissing, match="número do processo"):
        look(sessions, case=case)

    with sessions() as session:
        assert list(accesses_to(session, TRACK)) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE access_log SET body = replace(body, 'fiscal-1', 'fiscal-2')",
        "DELETE FROM access_log",
        "TRUNCATE access_log",
    ],
)
def test_no_look_is_rewritten_or_forgotten(engine: Engine, sessions: sessionmaker[Session], statement: str):
    look(sessions)

    with pytest.raises(DBAPIError, match="só aceita inclusão"), engine.begin() as connection:
        connection.execute(text(statement))

    assert verify(engine, [AccessRecord])[0].links == 1


def test_what_was_typed_is_kept_as_text_and_nothing_else(sessions: sessionmaker[Session], engine: Engine):
    nasty = '\'"); DROP TABLE access_log; -- \\u0000 {"who": "outro"} =1+1 <script>'
    look(sessions, What("tracks", nasty), case=nasty, reason=nasty)

    with sessions() as session:
        (told,) = accesses_to(session, What("tracks", nasty))
    assert (told.case_number, told.reason, told.who) == (nasty, nasty, "inspector:fiscal-1")
    assert verify(engine, [AccessRecord])[0].why is None


def test_equal_looks_leave_different_digests(sessions: sessionmaker[Session]):
    look(sessions)
    look(sessions)

    with sessions() as session:
        one, two = session.scalars(select(AccessRecord.body).order_by(AccessRecord.seq))
    assert one != two
    assert {**orjson.loads(one), "salt": 0} == {**orjson.loads(two), "salt": 0}


def test_a_look_that_fails_to_read_is_not_written_down(sessions: sessionmaker[Session]):
    def look_and_fail() -> None:
        with sessions.begin() as session:
            record(session, INSPECTOR, TRACK, "12/2026", reason="r", at=AT)
            raise KeyError("the track")

    with pytest.raises(KeyError):
        look_and_fail()

    with sessions() as session:
        assert list(accesses_to(session, TRACK)) == []


def test_looks_at_once_make_one_chain(sessions: sessionmaker[Session], engine: Engine):
    barrier = threading.Barrier(5)

    def inspector() -> None:
        barrier.wait()
        for _ in range(4):
            look(sessions)

    threads = [threading.Thread(target=inspector) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    (found,) = verify(engine, [AccessRecord])
    assert (found.links, found.why) == (20, None)


class TestCommands:
    def test_the_officer_sees_who_looked(self, app: Flask):
        look(app.extensions["store"].sessions)
        runner = app.test_cli_runner()

        told = runner.invoke(args=["accounts", "accesses", "tracks", "trajeto-1"]).output
        assert "2026-12-01T10:00:00Z inspector:fiscal-1 (Fiscal nº 1), processo 12/2026: apuração" in told
        assert "Ninguém" in runner.invoke(args=["accounts", "accesses", "tracks", "outro"]).output

    def test_verify_says_that_all_holds_and_the_head_to_note(self, app: Flask):
        look(app.extensions["store"].sessions)
        (found,) = verify(app.extensions["store"].engine, [AccessRecord])

        result = app.test_cli_runner().invoke(args=["store", "verify"])

        assert result.exit_code == 0
        assert f"access_log: íntegra, 1 elos; último elo {found.head}" in result.output

    def test_verify_names_the_first_broken_link_and_fails(self, app: Flask):
        store = app.extensions["store"]
        for _ in range(3):
            look(store.sessions)
        with store.engine.begin() as connection:
            connection.execute(text("ALTER TABLE access_log DISABLE TRIGGER USER"))
            connection.execute(
                text("UPDATE access_log SET body = replace(body, 'fiscal-1', 'fiscal-2') WHERE seq >= 2")
            )

        result = app.test_cli_runner().invoke(args=["store", "verify"])

        assert result.exit_code == 1
        assert "access_log: QUEBRADA no elo 2: o registro foi alterado" in result.output

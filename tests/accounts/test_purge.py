"""The purge: what is due goes, what a case holds stays, twice or at once it does no more, and it says what it did."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import Engine, func, select, text
from sqlalchemy.orm import Session, sessionmaker

from accounts.access_log import AccessRecord, What, accesses_to, record
from accounts.models import Account, SentCode, SignIn
from accounts.privacy.holds import CannotHold, Hold, hold, holds_on, release
from accounts.privacy.purge import BATCH, Purged, purge
from accounts.privacy.retention import load_retention
from accounts.rights import Actor, Role
from fares.models import FrozenQuote
from fares.track_models import Track, TrackFix
from store.database import make_engine, make_sessions
from store.hash_chain import verify
from store.idempotency import KeptAnswer

NOW = datetime.now(UTC)
RETENTION = load_retention()
INSPECTOR = Actor(Role.INSPECTOR, "fiscal-1", "xx-cidade", "Fiscal nº 1")


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = make_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def sessions(engine: Engine) -> sessionmaker[Session]:
    return make_sessions(engine)


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def track(session: Session, name: str, age: float, fixes: int = 3) -> None:
    session.add(Track(id=name, municipality="xx-cidade", fixes=fixes, opened_at=days_ago(age)))
    session.flush()
    session.add_all(TrackFix(track_id=name, t=float(i), lat=-11.0, lon=-62.0, mock=False) for i in range(fixes))


def quote(session: Session, name: str, age: float) -> None:
    session.add(
        FrozenQuote(
            id=name,
            locator=name,
            municipality="xx-cidade",
            zones_version="v",
            expires_at=days_ago(age),
            document=b"{}",
            created_at=days_ago(age),
        )
    )


def of(report: list[Purged], table: str) -> Purged:
    return next(each for each in report if each.kept.table == table)


def held_track(session: Session, name: str, case: str = "12/2026") -> None:
    hold(session, RETENTION, Hold("tracks", name, case, "Fiscal nº 1", "reclamação"))


def left(sessions: sessionmaker[Session], column) -> set[str]:
    with sessions() as session:
        return set(session.scalars(select(column)))


def test_what_is_past_its_period_goes_with_its_parts_and_the_rest_stays(sessions: sessionmaker[Session]):
    with sessions.begin() as session:
        track(session, "velho", 91, fixes=5)
        track(session, "novo", 89, fixes=2)
        quote(session, "velha", 91)
        quote(session, "nova", 89)

    report = purge(sessions, RETENTION)

    tracks = of(report, "tracks")
    assert (tracks.deleted, tracks.parts, tracks.within, tracks.held) == (1, {"track_fixes": 5}, 1, 0)
    assert (of(report, "quotes").deleted, of(report, "quotes").within) == (1, 1)
    assert left(sessions, Track.id) == {"novo"}
    assert left(sessions, TrackFix.track_id) == {"novo"}
    assert left(sessions, FrozenQuote.id) == {"nova"}


def test_short_lived_rows_go_after_a_day(sessions: sessionmaker[Session]):
    with sessions.begin() as session:
        for name, age in (("velha", 1.1), ("nova", 0.9)):
            session.add(
                KeptAnswer(
                    scope="s",
                    key=name,
                    request_sha256=b"",
                    status=201,
                    content_type="t",
                    body=b"",
                    kept_at=days_ago(age),
                )
            )
            session.add(
                SentCode(municipality=name, phone="+5569992841234", code_hmac=b"", until=days_ago(age), tries=0)
            )

    purge(sessions, RETENTION)

    assert left(sessions, KeptAnswer.key) == left(sessions, SentCode.municipality) == {"nova"}


def test_records_of_access_go_after_six_months_and_accounts_stay(sessions: sessionmaker[Session]):
    with sessions.begin() as session:
        session.add(
            Account(
                id="conta",
                role="rider",
                municipality="xx-cidade",
                means="permit",
                login="1",
                name="Demo 1",
                created_by="x",
                created_at=days_ago(4000),
            )
        )
        session.flush()
        for name, age in (("velho", 185), ("novo", 180)):
            session.add(
                SignIn(
                    id=name,
                    account_id="conta",
                    access_sha256=name.encode(),
                    access_until=days_ago(age),
                    opened_at=days_ago(age + 30),
                    until=days_ago(age),
                )
            )

    report = purge(sessions, RETENTION)

    assert left(sessions, SignIn.id) == {"novo"}
    assert left(sessions, Account.id) == {"conta"}
    assert (of(report, "accounts").deleted, of(report, "accounts").within) == (0, 1)


class TestHolds:
    def test_what_a_case_holds_stays_until_it_lets_go(self, sessions: sessionmaker[Session]):
        with sessions.begin() as session:
            track(session, "prova", 400)
            track(session, "velho", 400)
            held_track(session, "prova")

        assert (of(purge(sessions, RETENTION), "tracks").deleted, left(sessions, Track.id)) == (1, {"prova"})
        assert of(purge(sessions, RETENTION), "tracks").held == 1

        with sessions.begin() as session:
            release(session, Hold("tracks", "prova", "12/2026", "Fiscal nº 1", "arquivado"))
        purge(sessions, RETENTION)
        assert left(sessions, Track.id) == set()

    def test_two_cases_hold_apart(self, sessions: sessionmaker[Session]):
        with sessions.begin() as session:
            track(session, "prova", 400)
            held_track(session, "prova", "12/2026")
            held_track(session, "prova", "13/2026")
            held_track(session, "prova", "13/2026")
            release(session, Hold("tracks", "prova", "12/2026", "Fiscal nº 1", "arquivado"))

        purge(sessions, RETENTION)

        assert left(sessions, Track.id) == {"prova"}
        with sessions() as session:
            assert holds_on(session, "tracks", "prova") == ["13/2026"]

    def test_a_case_may_hold_again_what_it_released(self, sessions: sessionmaker[Session]):
        with sessions.begin() as session:
            track(session, "prova", 400)
            held_track(session, "prova")
            release(session, Hold("tracks", "prova", "12/2026", "Fiscal nº 1", "engano"))
            held_track(session, "prova")

        purge(sessions, RETENTION)

        assert left(sessions, Track.id) == {"prova"}

    @pytest.mark.parametrize(
        ("table", "row", "said"),
        [
            ("tracks", "nenhum", "pode já ter sido eliminado"),
            ("accounts", "x", "não pode ser retida"),
            ("kept_answers", "x", "não pode ser retida"),
            ("pg_class; DROP TABLE tracks", "x", "não pode ser retida"),
        ],
    )
    def test_what_is_not_there_or_cannot_be_held_is_said(
        self, sessions: sessionmaker[Session], table: str, row: str, said: str
    ):
        with sessions() as session, pytest.raises(CannotHold, match=said):
            hold(session, RETENTION, Hold(table, row, "12/2026", "Fiscal nº 1", "r"))

    def test_what_was_not_held_cannot_be_released(self, sessions: sessionmaker[Session]):
        with sessions() as session, pytest.raises(CannotHold, match="não retém"):
            release(session, Hold("tracks", "x", "12/2026", "Fiscal nº 1", "r"))

    def test_a_hold_begun_while_a_purge_runs_is_either_kept_or_refused(self, sessions: sessionmaker[Session]):
        names = [f"prova-{i}" for i in range(20)]
        with sessions.begin() as session:
            for name in names:
                track(session, name, 400, fixes=1)
        barrier, kept, refused = threading.Barrier(2), [], []

        def holder() -> None:
            barrier.wait()
            for name in names:
                try:
                    with sessions.begin() as session:
                        held_track(session, name)
                    kept.append(name)
                except CannotHold:
                    refused.append(name)

        thread = threading.Thread(target=holder)
        thread.start()
        barrier.wait()
        purge(sessions, RETENTION)
        thread.join()

        assert left(sessions, Track.id) == set(kept)
        assert set(kept) | set(refused) == set(names)


class TestTwice:
    def test_a_second_purge_finds_nothing(self, sessions: sessionmaker[Session]):
        with sessions.begin() as session:
            track(session, "velho", 91)
        purge(sessions, RETENTION)

        assert all(each.deleted == 0 and not any(each.parts.values()) for each in purge(sessions, RETENTION))

    def test_purges_at_once_delete_each_row_once(self, sessions: sessionmaker[Session]):
        rows = BATCH + 20
        with sessions.begin() as session:
            for number in range(rows):
                quote(session, f"velha-{number}", 91)
        barrier, deleted = threading.Barrier(3), []

        def cleaner() -> None:
            barrier.wait()
            deleted.append(of(purge(sessions, RETENTION), "quotes").deleted)

        threads = [threading.Thread(target=cleaner) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sum(deleted) == rows
        assert left(sessions, FrozenQuote.id) == set()

    def test_a_row_somebody_is_changing_waits_for_the_next_purge(self, sessions: sessionmaker[Session]):
        with sessions.begin() as session:
            track(session, "aberto", 91)
        with sessions.begin() as busy:
            busy.get(Track, "aberto", with_for_update=True)
            assert of(purge(sessions, RETENTION), "tracks").deleted == 0

        assert of(purge(sessions, RETENTION), "tracks").deleted == 1

    def test_a_rehearsal_counts_and_deletes_nothing(self, sessions: sessionmaker[Session]):
        with sessions.begin() as session:
            track(session, "velho", 91)
            track(session, "prova", 91)
            held_track(session, "prova")

        tracks = of(purge(sessions, RETENTION, dry_run=True), "tracks")

        assert (tracks.deleted, tracks.held) == (1, 1)
        assert left(sessions, Track.id) == {"velho", "prova"}


class TestAccessLog:
    def look(self, sessions: sessionmaker[Session], what: str, age: float) -> None:
        with sessions.begin() as session:
            record(session, INSPECTOR, What("tracks", what), "12/2026", reason="apuração", at=days_ago(age))

    def test_old_looks_go_and_the_chain_still_verifies(self, sessions: sessionmaker[Session], engine: Engine):
        for number, age in enumerate((200, 190, 100, 1)):
            self.look(sessions, f"trajeto-{number}", age)

        assert of(purge(sessions, RETENTION), "access_log").deleted == 2

        assert left(sessions, AccessRecord.what_id) == {"trajeto-2", "trajeto-3"}
        (found,) = verify(engine, [AccessRecord])
        assert (found.links, found.forgotten, found.why) == (5, 2, None)

    def test_a_look_that_a_case_holds_stays(self, sessions: sessionmaker[Session], engine: Engine):
        for number in range(3):
            self.look(sessions, f"trajeto-{number}", 200)
        with sessions.begin() as session:
            hold(session, RETENTION, Hold("access_log", "2", "77/2026", "Corregedoria nº 1", "desvio"))

        purge(sessions, RETENTION)

        assert left(sessions, AccessRecord.what_id) == {"trajeto-1"}
        assert verify(engine, [AccessRecord])[0].why is None

    def test_nothing_due_adds_nothing_to_the_chain(self, sessions: sessionmaker[Session], engine: Engine):
        self.look(sessions, "trajeto", 1)
        purge(sessions, RETENTION)

        assert verify(engine, [AccessRecord])[0].links == 1


def test_the_command_reports_in_a_table_and_in_json(app: Flask):
    sessions = app.extensions["store"].sessions
    with sessions.begin() as session:
        track(session, "velho", 91)
        track(session, "prova", 91)
        held_track(session, "prova")
    runner = app.test_cli_runner()

    rehearsal = runner.invoke(args=["accounts", "purge", "--dry-run"])
    assert rehearsal.exit_code == 0
    assert "Trajetos do GPS" in rehearsal.output
    assert "a apagar" in rehearsal.output

    told = {each["table"]: each for each in json.loads(runner.invoke(args=["accounts", "purge", "--json"]).output)}
    assert told["tracks"]["deleted"] == 1
    assert told["tracks"]["deleted_with_them"] == {"track_fixes": 3}
    assert told["tracks"]["kept_for_a_case"] == 1
    assert "guarda permanente" in told["perimeters"]["kept_because"]
    assert left(sessions, Track.id) == {"prova"}


def test_a_case_holds_and_releases_at_the_command_line(app: Flask):
    sessions = app.extensions["store"].sessions
    with sessions.begin() as session:
        track(session, "prova", 91)
    runner = app.test_cli_runner()
    case = ["tracks", "prova", "--case", "12/2026", "--by", "Fiscal nº 1", "--reason", "reclamação"]

    assert "Retido" in runner.invoke(args=["accounts", "hold", *case]).output
    runner.invoke(args=["accounts", "purge"])
    assert left(sessions, Track.id) == {"prova"}

    assert "nenhum processo" in runner.invoke(args=["accounts", "release", *case]).output
    twice = runner.invoke(args=["accounts", "release", *case])
    assert (twice.exit_code, "não retém" in twice.output) == (1, True)
    runner.invoke(args=["accounts", "purge"])
    assert left(sessions, Track.id) == set()


def test_holds_are_never_rewritten(engine: Engine, sessions: sessionmaker[Session]):
    with sessions.begin() as session:
        track(session, "prova", 1)
        held_track(session, "prova")

    for statement in ("UPDATE holds SET released = true", "DELETE FROM holds"):
        with pytest.raises(Exception, match="só aceita inclusão"), engine.begin() as connection:
            connection.execute(text(statement))

    with sessions() as session:
        assert session.scalar(select(func.count()).select_from(text("holds"))) == 1
        assert list(accesses_to(session, What("tracks", "prova"))) == []

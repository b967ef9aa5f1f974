"""Chained tables: nothing changes unseen, however many write at once, and what may go leaves the rest provable."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Iterator
from hashlib import sha256

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, Executable, delete, event, func, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Mapped, mapped_column

from store.database import Base, make_engine, make_sessions
from store.hash_chain import Chained, ChainLink, Verified, append, chained, chained_tables, forget, verify
from store.migrations import all_tables


class Diary(Chained, Base):
    """A chained table of these tests only."""

    __tablename__ = "test_diary"

    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


Base.metadata.remove(Diary.__table__)  # type: ignore[arg-type] # the migrations are not to know it


@pytest.fixture(scope="module", autouse=True)
def known_only_here() -> Iterator[None]:
    yield
    assert "test_diary" not in Base.metadata.tables


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = make_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE test_diary (seq bigint PRIMARY KEY, body text NOT NULL)"))
        for statement in chained("test_diary"):
            connection.execute(text(statement))
    yield engine
    engine.dispose()


def write(engine: Engine, *bodies: str) -> None:
    for body in bodies:
        with make_sessions(engine).begin() as session:
            append(session, Diary, body)


def look(engine: Engine) -> Verified:
    return verify(engine, [Diary])[0]


def tamper(engine: Engine, *statements: Executable) -> None:
    """What somebody does who may switch the triggers off."""
    with engine.begin() as connection:
        for table in ("test_diary", "chain_links"):
            connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
        for statement in statements:
            connection.execute(statement)
        for table in ("test_diary", "chain_links"):
            connection.execute(text(f"ALTER TABLE {table} ENABLE TRIGGER USER"))


def test_records_keep_their_order_and_the_chain_holds(engine: Engine):
    write(engine, "um", "dois", "três")

    found = look(engine)
    assert (found.links, found.forgotten, found.broken_at, found.why) == (3, 0, None, None)
    assert len(bytes.fromhex(found.head)) == 32


def test_an_empty_chain_holds(engine: Engine):
    assert look(engine) == Verified("test_diary", 0, 0, "00" * 32)


def test_equal_records_have_different_links(engine: Engine):
    write(engine, "mesmo", "mesmo")

    with engine.connect() as connection:
        assert connection.scalar(select(func.count(ChainLink.link.distinct()))) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE test_diary SET body = 'outro'",
        "DELETE FROM test_diary",
        "TRUNCATE test_diary",
        "UPDATE chain_links SET digest = ''",
        "DELETE FROM chain_links",
        "TRUNCATE chain_links",
    ],
)
def test_the_database_itself_refuses_to_rewrite(engine: Engine, statement: str):
    write(engine, "um")

    with pytest.raises(DBAPIError, match="só aceita inclusão"), engine.begin() as connection:
        connection.execute(text(f"SET session_replication_role = replica; {statement}"))

    assert look(engine).links == 1


def test_many_at_once_make_one_chain(engine: Engine):
    barrier, each = threading.Barrier(6), 8

    def writer(number: int) -> None:
        barrier.wait()
        write(engine, *(f"{number}/{i}" for i in range(each)))

    threads = [threading.Thread(target=writer, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (look(engine).links, look(engine).why) == (6 * each, None)


def test_a_record_rolled_back_leaves_no_trace(engine: Engine):
    write(engine, "um")
    with make_sessions(engine)() as session:
        append(session, Diary, "nunca")
        session.rollback()
    write(engine, "dois")

    assert (look(engine).links, look(engine).why) == (2, None)


class TestTampering:
    """Each way to falsify, by somebody who may switch the triggers off; the first broken place is named."""

    @pytest.fixture(autouse=True)
    def five_records(self, engine: Engine) -> None:
        write(engine, "um", "dois", "três", "quatro", "cinco")

    def test_a_changed_record(self, engine: Engine):
        tamper(engine, text("UPDATE test_diary SET body = 'Três' WHERE seq = 3"))
        assert (look(engine).broken_at, look(engine).why) == (3, "o registro foi alterado")

    def test_a_changed_record_with_its_digest(self, engine: Engine):
        tamper(
            engine,
            text("UPDATE test_diary SET body = 'Três' WHERE seq = 3"),
            text("UPDATE chain_links SET digest = sha256(convert_to('Três', 'UTF8')) WHERE seq = 3"),
        )
        assert (look(engine).broken_at, look(engine).why) == (3, "o elo não confere com o anterior")

    def test_a_changed_record_with_its_digest_and_its_link_shows_at_the_next(self, engine: Engine):
        with engine.connect() as connection:
            before = connection.scalar(select(ChainLink.link).where(ChainLink.seq == 2))
        assert before is not None
        digest = sha256("Três".encode()).digest()
        link = sha256(b"test_diary\n3\n\n" + before + digest).digest()

        tamper(
            engine,
            update(Diary).where(Diary.seq == 3).values(body="Três"),
            update(ChainLink).where(ChainLink.seq == 3).values(digest=digest, link=link),
        )

        assert (look(engine).broken_at, look(engine).why) == (4, "o elo não confere com o anterior")

    def test_a_removed_record(self, engine: Engine):
        tamper(engine, text("DELETE FROM test_diary WHERE seq = 2"))
        assert (look(engine).broken_at, look(engine).why) == (2, "o registro foi removido")

    def test_a_record_removed_with_its_link(self, engine: Engine):
        tamper(engine, text("DELETE FROM test_diary WHERE seq = 2"), text("DELETE FROM chain_links WHERE seq = 2"))
        assert (look(engine).broken_at, look(engine).why) == (2, "falta o elo 2")

    def test_the_first_record_removed_with_its_link(self, engine: Engine):
        tamper(engine, text("DELETE FROM test_diary WHERE seq = 1"), text("DELETE FROM chain_links WHERE seq = 1"))
        assert look(engine).broken_at == 1

    def test_two_records_exchanged(self, engine: Engine):
        tamper(engine, text("UPDATE test_diary d SET body = o.body FROM test_diary o WHERE d.seq + o.seq = 5"))
        assert look(engine).broken_at == 1

    def test_two_records_exchanged_with_their_links(self, engine: Engine):
        for table in ("test_diary", "chain_links"):
            tamper(
                engine,
                text(f"UPDATE {table} SET seq = -seq WHERE seq IN (2, 4)"),
                text(f"UPDATE {table} SET seq = 6 + seq WHERE seq < 0"),
            )
        assert (look(engine).broken_at, look(engine).why) == (2, "o elo não confere com o anterior")

    def test_a_record_slipped_in(self, engine: Engine):
        tamper(engine, text("INSERT INTO test_diary VALUES (6, 'seis')"))
        assert (look(engine).broken_at, look(engine).why) == (6, "registro sem elo na cadeia")

    def test_a_link_moved_to_another_chain(self, engine: Engine):
        tamper(engine, text("UPDATE chain_links SET chain = 'outra' WHERE seq = 5"))

        own, stray = verify(engine, [Diary])
        assert (own.broken_at, own.why) == (5, "registro sem elo na cadeia")
        assert (stray.chain, stray.why) == ("outra", "elo de uma cadeia que não existe")

    def test_a_removal_declared_by_hand(self, engine: Engine):
        tamper(
            engine,
            text("UPDATE chain_links SET forgets_up_to = 4 WHERE seq = 5"),
            text("DELETE FROM test_diary WHERE seq IN (2, 5)"),
        )
        assert (look(engine).broken_at, look(engine).why) == (5, "o elo não confere com o anterior")

    def test_the_newest_records_cut_off_with_their_links_show_only_in_the_head(self, engine: Engine):
        noted = look(engine).head
        tamper(engine, text("DELETE FROM test_diary WHERE seq > 3"), text("DELETE FROM chain_links WHERE seq > 3"))

        found = look(engine)
        assert (found.links, found.why) == (3, None)
        assert found.head != noted


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_single_byte_changed_anywhere_is_found(engine: Engine, data: st.DataObject):
    bodies = [f"registro {number} – ação" for number in range(4)]
    if look(engine).links == 0:
        write(engine, *bodies)
    seq = data.draw(st.integers(1, 4))
    column = data.draw(st.sampled_from(["body", "digest", "link"]))
    spoil: Executable
    mend: Executable
    if column == "body":
        place = data.draw(st.integers(0, len(bodies[0]) - 1))
        letter = data.draw(st.characters(min_codepoint=32, codec="utf-8").filter(lambda c: c != bodies[seq - 1][place]))
        changed = bodies[seq - 1][:place] + letter + bodies[seq - 1][place + 1 :]
        spoil = update(Diary).where(Diary.seq == seq).values(body=changed)
        mend = update(Diary).where(Diary.seq == seq).values(body=bodies[seq - 1])
    else:
        place, bits = data.draw(st.integers(0, 31)), data.draw(st.integers(1, 255))
        flip = f"UPDATE chain_links SET {column} = set_byte({column}, {place}, get_byte({column}, {place}) # {bits})"
        spoil = mend = text(f"{flip} WHERE chain = 'test_diary' AND seq = {seq}")

    tamper(engine, spoil)
    found = look(engine)
    tamper(engine, mend)

    assert found.broken_at == seq
    assert look(engine).why is None


class TestForgetting:
    def test_what_the_chain_declared_may_go_and_the_rest_still_verifies(self, engine: Engine):
        write(engine, "um", "dois", "três")
        with make_sessions(engine).begin() as session:
            forget(session, Diary, up_to=2)
            session.execute(delete(Diary).where(Diary.seq <= 2))
        write(engine, "quatro")

        found = look(engine)
        assert (found.links, found.forgotten, found.why) == (5, 2, None)

    def test_what_was_not_declared_may_not(self, engine: Engine):
        write(engine, "um", "dois", "três")

        with make_sessions(engine)() as session:
            forget(session, Diary, up_to=2)
            with pytest.raises(DBAPIError, match="DELETE recusado"):
                session.execute(delete(Diary).where(Diary.seq == 3))

        assert (look(engine).links, look(engine).why) == (3, None)

    def test_a_record_may_outstay_what_was_declared(self, engine: Engine):
        write(engine, "um", "dois", "três")
        with make_sessions(engine).begin() as session:
            forget(session, Diary, up_to=3)
            session.execute(delete(Diary).where(Diary.seq != 2))

        assert (look(engine).forgotten, look(engine).why) == (2, None)
        tamper(engine, text("UPDATE test_diary SET body = 'Dois' WHERE seq = 2"))
        assert look(engine).broken_at == 2


@pytest.mark.slow
def test_a_long_chain_is_walked_in_little_memory(engine: Engine):
    body, records = "x" * 10_000, 1500
    with make_sessions(engine).begin() as session:
        for _ in range(records):
            append(session, Diary, body)
            session.expunge_all()

    tracemalloc.start()
    found = look(engine)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (found.links, found.why) == (records, None)
    assert peak < records * len(body) / 2


def test_the_walk_reads_one_snapshot(engine: Engine):
    write(engine, "um", "dois")
    written: list[bool] = []

    @event.listens_for(engine, "after_cursor_execute")
    def write_meanwhile(connection, cursor, statement, *rest) -> None:
        if "max(chain_links" in statement and not written:
            written.append(True)
            write(engine, "três")

    assert (look(engine).links, look(engine).why) == (2, None)
    assert look(engine).links == 3


def test_every_chained_table_is_walked():
    all_tables()

    assert set(chained_tables()) == {"access_log"}

"""The database's shape and the models agree, however many starters bring it up to date."""

from __future__ import annotations

import subprocess
import sys

import pytest
from alembic.util.exc import CommandError
from sqlalchemy import Column, Engine, Integer, Table, inspect, make_url, text

from store.database import make_engine
from store.migrations import all_tables, differences_from_models, is_current, migrate


def an_empty_database(database_url: str) -> Engine:
    engine = make_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    return engine


def test_migrations_and_models_agree(database_url: str) -> None:
    differences_from_models(make_engine(database_url))


def test_a_table_without_a_migration_is_found(database_url: str) -> None:
    tables = all_tables()
    forgotten = Table("forgotten", tables, Column("id", Integer, primary_key=True))
    try:
        with pytest.raises(CommandError, match="forgotten"):
            differences_from_models(make_engine(database_url))
    finally:
        tables.remove(forgotten)


def test_an_empty_database_is_not_current_until_migrated(database_url: str) -> None:
    engine = an_empty_database(database_url)
    assert not is_current(engine)

    migrate(engine)

    assert is_current(engine)
    assert "published_norms" in inspect(engine).get_table_names()


STARTER = """
import sys
from store.database import make_engine
from store.migrations import migrate
print("ready", flush=True)
sys.stdin.readline()
migrate(make_engine(sys.argv[1]))
"""


def test_starters_at_once_migrate_once(database_url: str) -> None:
    empty = an_empty_database(database_url)
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", STARTER, database_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for starter in starters:
        assert starter.stdout is not None
        assert starter.stdout.readline() == "ready\n"

    for starter in starters:
        assert starter.stdin is not None
        starter.stdin.write("go\n")
        starter.stdin.flush()

    assert [starter.communicate()[1] for starter in starters] == ["", "", ""]
    assert is_current(empty)


def test_a_plain_postgresql_url_is_read_as_psycopg(database_url: str) -> None:
    plain = make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)

    with make_engine(plain).connect() as connection:
        assert connection.execute(text("SHOW timezone")).scalar_one() == "UTC"

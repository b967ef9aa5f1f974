"""Real servers for every test that asks for them.

``database_url``  the URL of a PostgreSQL database of this test's own, at the newest shape, thrown away afterwards.
``redis_url``     the URL of a Valkey that is empty when the test begins.
``data_folder``   an empty folder for tests that start servers of their own.

Both servers start when the first test of a process asks (each pytest-xdist worker has its own), and stop with it.
They forgo safety on disk for speed; what a crash keeps is tested in tests/store and tests/test_serve.py, where the
servers run as they do for users.

Property tests have no deadline and no complaint about slow machines, which these are. In CI they try the same examples
every time: a search that may fail at random belongs to those who can look into it. `make check` tries few.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import psycopg
import pytest
import redis
from hypothesis import HealthCheck, settings
from psycopg import sql
from sqlalchemy import make_url

from store.database import make_engine
from store.migrations import migrate
from store.servers import postgres, socket_folder, unprivileged, valkey

settings.register_profile(
    "house", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.register_profile("quick", settings.get_profile("house"), max_examples=15)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))


@contextmanager
def passable_folder() -> Iterator[Path]:
    """Outside pytest's own folders: each session of pytest closes those again to the account PostgreSQL runs as."""
    with TemporaryDirectory(prefix="pontual-tests-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def servers_folder() -> Iterator[Path]:
    with passable_folder() as folder:
        yield folder


@pytest.fixture
def data_folder() -> Iterator[Path]:
    with passable_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def migrated_database_url(servers_folder: Path) -> Iterator[str]:
    """The pattern that each test's database is copied from; tests use ``database_url``."""
    account = unprivileged(servers_folder)
    with (
        socket_folder(account) as sockets,
        postgres(servers_folder, sockets, account, durable=False) as (_, url),
    ):
        engine = make_engine(url)
        migrate(engine)
        engine.dispose()  # a database in use cannot be copied
        yield url


@pytest.fixture
def database_url(migrated_database_url: str) -> Iterator[str]:
    pattern = make_url(migrated_database_url)
    copy = pattern.set(database=f"test_{uuid4().hex}")
    names = {"copy": sql.Identifier(copy.database or ""), "pattern": sql.Identifier(pattern.database or "")}
    with psycopg.connect(
        host=str(pattern.query["host"]), user="postgres", dbname="postgres", autocommit=True
    ) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {copy} TEMPLATE {pattern} STRATEGY file_copy").format(**names))
        yield copy.render_as_string(hide_password=False)
        connection.execute(sql.SQL("DROP DATABASE {copy} WITH (FORCE)").format(**names))


@pytest.fixture(scope="session")
def valkey_url(servers_folder: Path) -> Iterator[str]:
    """The worker's Valkey, with what earlier tests left in it; tests use ``redis_url``."""
    account = unprivileged(servers_folder)
    with (
        socket_folder(account) as sockets,
        valkey(servers_folder, sockets, account, durable=False) as (_, url),
    ):
        yield url


@pytest.fixture
def redis_url(valkey_url: str) -> str:
    with redis.Redis.from_url(valkey_url) as client:
        client.flushall()
        client.script_flush()
        client.function_flush()
    return valkey_url


SERVERS = {"database_url", "redis_url", "data_folder"}
ENGINES = ("tests/zones/importing/", "tests/zones/roads/", "tests/attacks/", "tests/fares/meter/")
"""Rooms whose tests start readers, builders and servers of their own."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that ask for a server or an engine: `make check` leaves them out."""
    for item in items:
        if item.nodeid.startswith(ENGINES) or SERVERS & set(getattr(item, "fixturenames", ())):
            item.add_marker("servers")

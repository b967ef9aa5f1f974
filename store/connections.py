"""The connections of one process to PostgreSQL and Redis, each opened when first used.

An application that only prices stated facts never opens any. The addresses are those of the settings or, without
them, what the owner of the data folder announced.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from sqlalchemy import Engine, NullPool, create_engine, text
from sqlalchemy.orm import Session, sessionmaker

from store.database import make_engine, make_sessions
from store.migrations import is_current
from store.servers import Urls, urls_of

_SECONDS_TO_CHECK = 2


class NotRunning(Exception):
    """No address is set and no embedded server is announced; the message says what to do, in Portuguese."""


class NotMigrated(Exception):
    """The database answers, but its shape is not the newest."""


class Connections:
    """Opens what is asked for, once per process. ``engine`` and ``redis`` raise ``NotRunning``."""

    def __init__(self, data: Path, database_url: str | None = None, redis_url: str | None = None) -> None:
        self._data = data
        self._database_url = database_url
        self._redis_url = redis_url

    @cached_property
    def engine(self) -> Engine:
        return make_engine(self._database())

    @cached_property
    def sessions(self) -> sessionmaker[Session]:
        return make_sessions(self.engine)

    def hasty_redis(self, seconds: float) -> redis.Redis:
        """A new client that gives up after ``seconds``, for what must not wait. Raises ``NotRunning``."""
        return redis.Redis.from_url(
            self._redis(), socket_timeout=seconds, socket_connect_timeout=seconds, retry=Retry(NoBackoff(), 0)
        )

    @cached_property
    def redis(self) -> redis.Redis:
        """Every command at most once: a write that was cut off is not repeated behind the caller's back."""
        return redis.Redis.from_url(self._redis(), socket_timeout=5, retry=Retry(NoBackoff(), 0))

    def check_database(self) -> None:
        """Ask the database for an answer within two seconds. Raises whatever went wrong."""
        with self._hasty().connect() as connection:
            connection.execute(text("SELECT 1"))

    def check_migrations(self) -> None:
        """Raises ``NotMigrated`` when the database is behind the code."""
        if not is_current(self._hasty()):
            raise NotMigrated("o banco de dados não está na forma mais nova; aplique as migrações")

    def check_redis(self) -> None:
        """Ask Redis for an answer within two seconds. Raises whatever went wrong."""
        with self.hasty_redis(_SECONDS_TO_CHECK) as client:
            client.ping()

    def _hasty(self) -> Engine:
        """A connection of its own, so that a check never waits behind the pool."""
        options = f"-c statement_timeout={_SECONDS_TO_CHECK * 1000}"
        arguments = {"connect_timeout": _SECONDS_TO_CHECK, "options": options}
        url = self._database().replace("postgresql://", "postgresql+psycopg://", 1)
        return create_engine(url, poolclass=NullPool, connect_args=arguments)

    def _database(self) -> str:
        return self._database_url or self._announced().database

    def _redis(self) -> str:
        return self._redis_url or self._announced().redis

    def _announced(self) -> Urls:
        urls = urls_of(self._data)
        if urls is None:
            raise NotRunning(f"nenhum servidor anunciado em {self._data}; inicie com `make run` ou dê os endereços")
        return urls

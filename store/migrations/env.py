"""What Alembic runs for every command: all steps in one transaction, under one lock."""

from __future__ import annotations

import os

from alembic import context
from sqlalchemy import Engine, text

from store.database import make_engine
from store.migrations import all_tables

LOCK = 0x706F6E7475616C  # "pontual": the number every starter asks for


def run() -> None:
    engine = context.config.attributes.get("engine")
    if not isinstance(engine, Engine):  # the alembic command itself
        engine = make_engine(os.environ["PONTUAL_DATABASE_URL"])
    with engine.connect() as connection:
        context.configure(connection=connection, target_metadata=all_tables())
        with context.begin_transaction():
            # Held until the transaction ends, and taken before the present shape is read.
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            context.run_migrations()


run()

"""The shape of the database, step by step: one file per step under ``versions``, applied in order.

A new step: change the models, then ``alembic revision --autogenerate -m "why"`` against a database
that is up to date (``PONTUAL_DATABASE_URL``), read what it wrote, and correct it by hand.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, MetaData

from store.database import Base

__all__ = ["all_tables", "differences_from_models", "is_current", "migrate"]

# Every module that defines tables. Named, not imported: the store knows nobody's rules.
MODEL_MODULES = (
    "store.norms",
    "store.idempotency",
    "store.hash_chain",
    "accounts.access_log",
    "accounts.privacy.models",
    "fares.models",
    "fares.track_models",
    "zones.models",
    "zones.importing.models",
    "zones.places.models",
    "accounts.models",
)


def all_tables() -> MetaData:
    """The tables of every room, as its models describe them."""
    for module in MODEL_MODULES:
        import_module(module)
    return Base.metadata


def migrate(engine: Engine) -> None:
    """Bring the database to the newest shape. Processes that start at once wait for one another.

    Alembic keeps its context in the module: not for several threads of one process.
    """
    command.upgrade(_config(engine), "head")


def is_current(engine: Engine) -> bool:
    """Whether the database has the newest shape."""
    newest = ScriptDirectory.from_config(_config(engine)).get_heads()
    with engine.connect() as connection:
        return set(MigrationContext.configure(connection).get_current_heads()) == set(newest)


def differences_from_models(engine: Engine) -> None:
    """Raises ``alembic.util.exc.CommandError`` when the models and an up-to-date database differ."""
    command.check(_config(engine))


def _config(engine: Engine) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["engine"] = engine
    return config

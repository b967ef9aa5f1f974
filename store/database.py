"""The one way to PostgreSQL: the base every table shares, the engine, the sessions."""

from __future__ import annotations

from sqlalchemy import Engine, MetaData, create_engine, make_url
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker

__all__ = ["Base", "Session", "make_engine", "make_sessions"]


class Base(DeclarativeBase):
    """Parent of every table. Constraints are named, so that migrations can refer to them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_N_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


def make_engine(url: str, *, pool_size: int = 5, max_overflow: int = 10) -> Engine:
    """A pool of connections, opened only when first used; every session runs in UTC.

    ``postgresql://`` is read as psycopg 3. Connections that a restart of the server cut are
    replaced before use.
    """
    target = make_url(url)
    if target.drivername == "postgresql":
        target = target.set(drivername="postgresql+psycopg")
    return create_engine(
        target,
        pool_size=pool_size,
        max_overflow=max_overflow,
        pool_pre_ping=True,
        hide_parameters=True,  # an error's text goes to the log
        connect_args={"connect_timeout": 5, "options": "-c timezone=UTC"},
    )


def make_sessions(engine: Engine) -> sessionmaker[Session]:
    """Units of work: ``with sessions.begin() as session: …`` commits or rolls back."""
    return sessionmaker(engine, expire_on_commit=False)

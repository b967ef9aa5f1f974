"""Published norms: kept once, never changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import IntegrityError

from store.database import make_engine, make_sessions
from store.norms import NormText, PublishedNorm, publish

LAW = NormText(
    id="xx-cidade/lei-1",
    version="sha256:" + "a" * 64,
    municipality="xx-cidade",
    label="Lei nº 1/2020",
    in_force_from=date(2020, 1, 1),
    document="tariff: {…}",
)
AMENDED = replace(LAW, version="sha256:" + "b" * 64, document="tariff: {outra}")


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = make_engine(database_url)
    yield engine
    engine.dispose()


def kept(engine: Engine) -> set[tuple[str, str]]:
    with make_sessions(engine)() as session:
        return {(row.version, row.document) for row in session.scalars(select(PublishedNorm))}


def publish_all(engine: Engine, *norms: NormText) -> list[NormText]:
    with make_sessions(engine).begin() as session:
        return publish(session, norms)


def test_publishing_the_same_norm_again_adds_nothing(engine: Engine) -> None:
    assert publish_all(engine, LAW, LAW) == [LAW]
    assert publish_all(engine, LAW) == []
    assert kept(engine) == {(LAW.version, LAW.document)}


def test_publishing_nothing_is_no_error(engine: Engine) -> None:
    assert publish_all(engine) == []


def test_a_changed_norm_stands_beside_its_former_version(engine: Engine) -> None:
    publish_all(engine, LAW)

    assert publish_all(engine, LAW, AMENDED) == [AMENDED]
    assert kept(engine) == {(LAW.version, LAW.document), (AMENDED.version, AMENDED.document)}


def test_the_moment_of_keeping_is_the_servers(engine: Engine) -> None:
    publish_all(engine, LAW)

    with make_sessions(engine)() as session:
        stored = session.scalars(select(PublishedNorm)).one()
        assert stored.stored_at.utcoffset() is not None
        assert stored.in_force_from == LAW.in_force_from


def test_a_version_that_is_no_hash_is_refused(engine: Engine) -> None:
    with pytest.raises(IntegrityError, match="ck_published_norms_version_is_sha256"):
        publish_all(engine, replace(LAW, version="1.0"))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE published_norms SET document = 'outro'",
        "DELETE FROM published_norms",
        "DELETE FROM published_norms WHERE false",
        "TRUNCATE published_norms",
        "SET session_replication_role = replica; DELETE FROM published_norms",
    ],
)
def test_what_was_published_cannot_be_changed(engine: Engine, change: str) -> None:
    publish_all(engine, LAW)

    with engine.begin() as connection, pytest.raises(IntegrityError, match="published_norms só aceita inclusão"):
        connection.execute(text(change))

    assert kept(engine) == {(LAW.version, LAW.document)}

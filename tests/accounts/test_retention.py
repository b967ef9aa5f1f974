"""The retention data: every table is in it, and it says nothing that the database cannot do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, text

from accounts.privacy.retention import FILE, Erase, Period, Retention, load_retention
from laws.source import LawError
from store.database import make_engine
from store.migrations import all_tables

TABLES = all_tables()
RETENTION = load_retention()


def unclassified(retention: Retention, tables: MetaData) -> set[str]:
    return set(tables.tables) ^ set(retention.tables)


def test_every_table_is_said_to_hold_personal_data_or_not():
    assert unclassified(RETENTION, TABLES) == set(), "say in accounts/privacy/retention.yaml what these tables hold"


def test_a_new_table_is_noticed():
    tables = MetaData()
    for table in TABLES.tables.values():
        table.to_metadata(tables)
    Table("new_table", tables, Column("id", Integer, primary_key=True))

    assert unclassified(RETENTION, tables) == {"new_table"}


@pytest.mark.parametrize("kept", RETENTION.kept, ids=lambda kept: kept.table)
def test_every_column_named_exists(kept):
    table = TABLES.tables[kept.table]
    named = [*kept.subject.values(), *kept.secrets, *kept.erasure.values, *kept.erasure.rows_with]
    if kept.since is not None:
        named.append(kept.since)
    if kept.through is not None:
        named.append(kept.through.column)

    assert set(named) <= set(table.columns.keys())
    for part in kept.parts:
        assert part in TABLES.tables


@pytest.mark.parametrize("kept", [one for one in RETENTION.kept if one.keep], ids=lambda kept: kept.table)
def test_what_has_a_period_counts_it_from_a_moment_and_can_take_its_parts_along(kept):
    table = TABLES.tables[kept.table]

    assert table.c[kept.since].type.timezone
    for part in kept.parts:
        assert [each.referred_table for each in TABLES.tables[part].foreign_key_constraints] == [table]


@pytest.mark.parametrize(
    "kept", [one for one in RETENTION.kept if one.held_by_cases or one.through], ids=lambda kept: kept.table
)
def test_rows_that_are_held_or_hung_on_have_one_key(kept):
    table = TABLES.tables[kept.through.table if kept.through else kept.table]

    assert len(table.primary_key.columns) == 1


def test_columns_that_look_like_secrets_are_given_to_nobody():
    for kept in RETENTION.kept:
        columns = [column.name for column in TABLES.tables[kept.table].columns]
        secret = {name for name in columns if name.endswith(("_sha256", "_hash", "_hmac"))}
        assert secret - {"request_sha256"} <= set(kept.secrets)


def test_tables_that_refuse_deletion_are_not_promised_to_be_purged_or_erased(database_url: str):
    engine = make_engine(database_url)
    with engine.connect() as connection:
        refusing = set(
            connection.scalars(
                text(
                    "SELECT tgrelid::regclass::text FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
                    "WHERE proname = 'refuse_change' AND tgtype & 8 > 0"  # before DELETE
                )
            )
        )
    engine.dispose()

    assert {"holds", "place_records", "chain_links"} <= refusing
    for kept in RETENTION.kept:
        if refusing & {kept.table, *kept.parts}:
            assert (kept.keep, kept.erasure.rule) == (None, Erase.KEEP), kept.table


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("keep: 90 days", "keep: 90 dias", 1), "prazo inválido"),
        (lambda text: text.replace("    keep: 90 days\n", "    keep: null\n", 1), "kept_because"),
        (lambda text: text.replace("    since: opened_at\n", "", 1), "`since`"),
        (lambda text: text.replace("    basis:", "    motivo: x\n    basis:", 1), "desconhecida"),
        (lambda text: text.replace("table: quotes", "table: tracks", 1), "repetida"),
        (lambda text: text.replace("part_of: tracks", "part_of: quotes", 1), "deve vir antes"),
        (lambda text: text.replace("{rule: keep,", "{rule: blank,", 1), "`values`"),
        (lambda text: text.replace("    personal: true\n    title", "    title", 1), "obrigatório"),
    ],
)
def test_what_it_does_not_understand_is_refused_with_its_line(tmp_path: Path, change: Callable[[str], str], said: str):
    original = FILE.read_text(encoding="utf-8")
    changed = tmp_path / "retention.yaml"
    changed.write_text(change(original), encoding="utf-8")
    assert changed.read_text(encoding="utf-8") != original

    with pytest.raises(LawError, match=said) as refused:
        load_retention(changed)

    assert refused.value.line is not None


@pytest.mark.parametrize(
    ("period", "words"),
    [
        (Period(90, "days"), "90 dias"),
        (Period(1, "months"), "1 mês"),
        (Period(6, "months"), "6 meses"),
        (Period(5, "years"), "5 anos"),
        (Period(24, "hours"), "24 horas"),
    ],
)
def test_a_period_reads_as_people_say_it(period: Period, words: str):
    assert str(period) == words


def test_what_the_law_and_the_contract_fix_is_kept_so_long():
    assert {table: str(RETENTION.of(table).keep) for table in ("tracks", "kept_answers", "access_log")} == {
        "tracks": "90 dias",
        "kept_answers": "24 horas",
        "access_log": "6 meses",
    }

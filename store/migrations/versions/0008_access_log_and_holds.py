"""Chain records of who looked at what, and let a case hold rows back from deletion"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.append_only import append_only
from store.hash_chain import chained, link_rows

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "chain_links",
        sa.Column("chain", sa.Text, nullable=False),
        sa.Column("seq", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("link", sa.LargeBinary, nullable=False),
        sa.Column("forgets_up_to", sa.BigInteger),
        sa.PrimaryKeyConstraint("chain", "seq", name="pk_chain_links"),
    )
    op.create_table(
        "access_log",
        sa.Column("seq", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column(
            "at",
            sa.DateTime(timezone=True),
            sa.Computed("to_timestamp((body::jsonb ->> 'at')::double precision)", persisted=True),
            nullable=False,
        ),
        sa.Column("what_table", sa.Text, sa.Computed("body::jsonb ->> 'what_table'", persisted=True), nullable=False),
        sa.Column("what_id", sa.Text, sa.Computed("body::jsonb ->> 'what_id'", persisted=True), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_access_log"),
    )
    op.create_index("ix_access_log_what", "access_log", ["what_table", "what_id"])
    op.create_index("ix_access_log_at", "access_log", ["at"])
    op.create_table(
        "holds",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), nullable=False),
        sa.Column("table_name", sa.Text, nullable=False),
        sa.Column("row_id", sa.Text, nullable=False),
        sa.Column("case_number", sa.Text, nullable=False),
        sa.Column("released", sa.Boolean, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_holds"),
    )
    op.create_index("ix_holds_row", "holds", ["table_name", "row_id", "case_number", "id"])
    for statement in (*link_rows(), *chained("access_log"), *append_only("holds")):
        op.execute(statement)

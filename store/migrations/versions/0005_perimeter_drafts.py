"""Keep imported perimeters as drafts, and who made each one law"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from store.append_only import append_only

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "perimeter_drafts",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), nullable=False),
        sa.Column("municipality", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("area", sa.LargeBinary, nullable=False),
        sa.Column("source", JSONB, nullable=False),
        sa.Column("findings", JSONB, nullable=False),
        sa.Column("before_repair", JSONB(none_as_null=True)),
        sa.Column("precision_m", sa.Double),
        sa.Column("imported_by", sa.Text, nullable=False),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_perimeter_drafts"),
    )
    op.create_index("ix_perimeter_drafts_municipality", "perimeter_drafts", ["municipality"])
    op.create_table(
        "perimeter_approvals",
        sa.Column("draft_id", sa.BigInteger, nullable=False),
        sa.Column("perimeter_version", sa.Text, nullable=False),
        sa.Column("legal_act", sa.Text, nullable=False),
        sa.Column("valid_from", sa.Date, nullable=False),
        sa.Column("approved_by", sa.Text, nullable=False),
        sa.Column("approved_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("draft_id", name="pk_perimeter_approvals"),
        sa.ForeignKeyConstraint(
            ["draft_id"], ["perimeter_drafts.id"], name="fk_perimeter_approvals_draft_id_perimeter_drafts"
        ),
        sa.ForeignKeyConstraint(
            ["perimeter_version"],
            ["perimeters.version"],
            name="fk_perimeter_approvals_perimeter_version_perimeters",
        ),
    )
    for table in ("perimeter_drafts", "perimeter_approvals"):
        for statement in append_only(table):
            op.execute(statement)

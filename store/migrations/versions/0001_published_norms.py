"""Keep every version of every norm that was ever loaded"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.append_only import CREATE_REFUSAL, append_only

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(CREATE_REFUSAL)
    op.create_table(
        "published_norms",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("municipality", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("in_force_from", sa.Date, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("stored_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("id", "version", name="pk_published_norms"),
        sa.CheckConstraint("version ~ '^sha256:[0-9a-f]{64}$'", name="ck_published_norms_version_is_sha256"),
    )
    for statement in append_only("published_norms"):
        op.execute(statement)

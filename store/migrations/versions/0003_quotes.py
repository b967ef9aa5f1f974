"""Keep quotes as they were given, and answers under their Idempotency-Key"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "quotes",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("locator", sa.Text, nullable=False),
        sa.Column("municipality", sa.Text, nullable=False),
        sa.Column("norm_id", sa.Text, nullable=True),
        sa.Column("norm_version", sa.Text, nullable=True),
        sa.Column("zones_version", sa.Text, nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_quotes"),
        sa.UniqueConstraint("locator", name="uq_quotes_locator"),
    )
    # Quotes hold where somebody went: they may be deleted when their time is over, never changed.
    op.execute(
        "CREATE TRIGGER never_changes BEFORE UPDATE ON quotes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )
    op.execute("ALTER TABLE quotes ENABLE ALWAYS TRIGGER never_changes")
    op.create_table(
        "kept_answers",
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("request_sha256", sa.LargeBinary, nullable=False),
        sa.Column("status", sa.SmallInteger, nullable=False),
        sa.Column("content_type", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("kept_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "key", name="pk_kept_answers"),
    )
    op.create_index("ix_kept_answers_kept_at", "kept_answers", ["kept_at"])

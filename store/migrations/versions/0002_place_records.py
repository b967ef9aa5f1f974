"""Keep each municipality's gazetteer with its whole history"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.append_only import append_only

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "place_records",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), nullable=False),
        sa.Column("municipality", sa.Text, nullable=False),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("removed", sa.Boolean, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("aliases", sa.ARRAY(sa.Text), nullable=False),
        sa.Column("lat", sa.Double),
        sa.Column("lon", sa.Double),
        sa.Column("position_quality", sa.Text, nullable=False),
        sa.Column("axis", sa.ARRAY(sa.Double), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("credit", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_place_records"),
        sa.CheckConstraint(
            "kind IN ('street', 'landmark', 'linha', 'ponto', 'district')", name="ck_place_records_known_kind"
        ),
        sa.CheckConstraint(
            "(lat IS NULL) = (position_quality = 'none')", name="ck_place_records_quality_of_a_position"
        ),
        sa.CheckConstraint("(lat IS NULL) = (lon IS NULL)", name="ck_place_records_whole_position"),
    )
    op.create_index("ix_place_records_latest", "place_records", ["municipality", "identity", "id"])
    op.create_index("ix_place_records_version", "place_records", ["municipality", "id"])
    for statement in append_only("place_records"):
        op.execute(statement)

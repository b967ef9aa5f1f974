"""Keep the raw fixes of a measurement, so that it survives restarts and can be measured again"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tracks",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("municipality", sa.Text, nullable=False),
        sa.Column("fixes", sa.Integer, nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_tracks"),
    )
    op.create_table(
        "track_fixes",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), nullable=False),
        sa.Column("track_id", sa.Text, nullable=False),
        sa.Column("t", sa.Double, nullable=False),
        sa.Column("lat", sa.Double, nullable=False),
        sa.Column("lon", sa.Double, nullable=False),
        sa.Column("accuracy_m", sa.Double, nullable=True),
        sa.Column("speed_mps", sa.Double, nullable=True),
        sa.Column("mock", sa.Boolean, nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("drop_reason", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_track_fixes"),
        sa.ForeignKeyConstraint(["track_id"], ["tracks.id"], ondelete="CASCADE", name="fk_track_fixes_track_id_tracks"),
        sa.UniqueConstraint(
            "track_id",
            "t",
            "lat",
            "lon",
            "accuracy_m",
            "speed_mps",
            "mock",
            name="uq_track_fixes_once",
            postgresql_nulls_not_distinct=True,
        ),
    )

"""Say whose a track is, what was stated of its ride, and what was answered when it was closed"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tracks", sa.Column("opened_by", sa.Text))
    op.add_column("tracks", sa.Column("facts", JSONB, server_default=sa.text("'{}'"), nullable=False))
    op.add_column("tracks", sa.Column("answer", sa.LargeBinary))

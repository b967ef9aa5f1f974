"""Keep every version of every perimeter, the days each is in force, and the maps they make"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from store.append_only import append_only

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

KEY = "municipality || '/' || kind || '/' || name"


def upgrade() -> None:
    op.create_table(
        "perimeters",
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("municipality", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("geometry", sa.LargeBinary, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("valid_from", sa.Date, nullable=False),
        sa.Column("valid_to", sa.Date),
        sa.Column("legal_act", sa.Text),
        sa.Column("precision_m", sa.Double),
        sa.Column("precedence", sa.Integer, nullable=False),
        sa.Column("credit", sa.Text, nullable=False),
        sa.Column("stored_by", sa.Text, nullable=False),
        sa.Column("stored_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("version", name="pk_perimeters"),
        sa.CheckConstraint("version ~ '^sha256:[0-9a-f]{64}$'", name="ck_perimeters_version_is_sha256"),
        sa.CheckConstraint("kind IN ('limit', 'urban', 'rural', 'undetermined')", name="ck_perimeters_known_kind"),
        sa.CheckConstraint(
            "status IN ('draft', 'approximate', 'in_force', 'superseded')", name="ck_perimeters_known_status"
        ),
    )
    op.create_table(
        "perimeter_terms",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("municipality", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("during", postgresql.DATERANGE, nullable=False),
        sa.Column("started_by", sa.Text, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("ended_by", sa.Text),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_perimeter_terms"),
        sa.ForeignKeyConstraint(["version"], ["perimeters.version"], name="fk_perimeter_terms_version_perimeters"),
    )
    op.create_index("ix_perimeter_terms_municipality", "perimeter_terms", ["municipality"])
    # Equality by ranges of one text: `btree_gist` does not come with every PostgreSQL.
    op.execute('CREATE TYPE text_range AS RANGE (subtype = text, collation = "C")')
    op.execute(
        "ALTER TABLE perimeter_terms ADD CONSTRAINT ex_perimeter_terms_one_at_a_time EXCLUDE USING gist "
        f"(text_range({KEY}, {KEY}, '[]') WITH &&, during WITH &&)"
    )
    op.create_table(
        "zone_maps",
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("municipality", sa.Text, nullable=False),
        sa.Column("perimeters", sa.ARRAY(sa.Text), nullable=False),
        sa.Column("stored_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("version", name="pk_zone_maps"),
        sa.CheckConstraint("version ~ '^sha256:[0-9a-f]{64}$'", name="ck_zone_maps_version_is_sha256"),
    )
    for table in ("perimeters", "zone_maps"):
        for statement in append_only(table):
            op.execute(statement)
    op.execute(
        "CREATE TRIGGER never_forgets BEFORE DELETE OR TRUNCATE ON perimeter_terms "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )
    op.execute("ALTER TABLE perimeter_terms ENABLE ALWAYS TRIGGER never_forgets")

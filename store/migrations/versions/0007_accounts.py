"""Keep accounts, their sign-ins, the codes sent to phones and the keys of integrators"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("municipality", sa.Text),
        sa.Column("means", sa.Text, nullable=False),
        sa.Column("login", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("secret_hash", sa.Text),
        sa.Column("totp_generation", sa.Integer),
        sa.Column("totp_last_step", sa.BigInteger, server_default=sa.text("0"), nullable=False),
        sa.Column("device_sha256", sa.LargeBinary),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("disabled_at", _MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.CheckConstraint(
            "role IN ('passenger', 'rider', 'operator', 'inspector', 'authority', 'admin')",
            name="ck_accounts_known_role",
        ),
        sa.CheckConstraint("means IN ('password', 'permit', 'phone', 'none')", name="ck_accounts_known_means"),
        sa.CheckConstraint("(municipality IS NULL) = (role = 'admin')", name="ck_accounts_one_municipality"),
    )
    op.create_index(
        "uq_accounts_login",
        "accounts",
        ["municipality", "means", "login"],
        unique=True,
        postgresql_nulls_not_distinct=True,
    )
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("account_id", sa.Text, nullable=False),
        sa.Column("access_sha256", sa.LargeBinary, nullable=False),
        sa.Column("access_until", _MOMENT, nullable=False),
        sa.Column("refresh_sha256", sa.LargeBinary),
        sa.Column("former_refresh_sha256", sa.LargeBinary),
        sa.Column("refreshed_at", _MOMENT),
        sa.Column("opened_at", _MOMENT, nullable=False),
        sa.Column("until", _MOMENT, nullable=False),
        sa.Column("ended_at", _MOMENT),
        sa.Column("ended_because", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_sign_ins"),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_sign_ins_account_id_accounts", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("access_sha256", name="uq_sign_ins_access_sha256"),
    )
    op.create_index("ix_sign_ins_account_id", "sign_ins", ["account_id"])
    op.create_table(
        "sent_codes",
        sa.Column("municipality", sa.Text, nullable=False),
        sa.Column("phone", sa.Text, nullable=False),
        sa.Column("code_hmac", sa.LargeBinary, nullable=False),
        sa.Column("until", _MOMENT, nullable=False),
        sa.Column("tries", sa.SmallInteger, server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("municipality", "phone", name="pk_sent_codes"),
    )
    op.create_index("ix_sent_codes_until", "sent_codes", ["until"])
    op.create_table(
        "service_keys",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("municipality", sa.Text),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("key_sha256", sa.LargeBinary, nullable=False),
        sa.Column("scopes", sa.ARRAY(sa.Text), nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("revoked_at", _MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_service_keys"),
        sa.UniqueConstraint("key_sha256", name="uq_service_keys_key_sha256"),
    )
    op.create_index(
        "uq_service_keys_name",
        "service_keys",
        ["municipality", "name"],
        unique=True,
        postgresql_nulls_not_distinct=True,
        postgresql_where=sa.text("revoked_at IS NULL"),
    )

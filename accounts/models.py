"""Accounts, their sign-ins, the codes on their way to phones, and the keys of integrators.

No table holds a secret: passwords and PINs as argon2id, what machines keep as SHA-256, codes as a keyed digest.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Text,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from accounts.rights import Role
from store.database import Base

__all__ = ["Account", "Means", "SentCode", "ServiceKey", "SignIn"]

_Moment = DateTime(timezone=True)


class Means(StrEnum):
    """How an account signs in, which is also what its ``login`` is."""

    PASSWORD = "password"  # noqa: S105 - the word, not a secret
    PERMIT = "permit"
    PHONE = "phone"
    NONE = "none"
    """Not at all: only tokens printed at the command line."""


class Account(Base):
    """Somebody who may sign in, in one municipality (an admin: in none, for all).

    ``totp_generation`` is set when a code of an authenticator app is asked for; ``totp_last_step`` is the step of the
    last code accepted. ``device_sha256`` is the one device a rider's PIN is good on.
    """

    __tablename__ = "accounts"
    __table_args__ = (
        CheckConstraint(
            "role IN ('passenger', 'rider', 'operator', 'inspector', 'authority', 'admin')", name="known_role"
        ),
        CheckConstraint("means IN ('password', 'permit', 'phone', 'none')", name="known_means"),
        CheckConstraint("(municipality IS NULL) = (role = 'admin')", name="one_municipality"),
        Index("uq_accounts_login", "municipality", "means", "login", unique=True, postgresql_nulls_not_distinct=True),
    )

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    role: Mapped[str] = mapped_column(Text)
    municipality: Mapped[str | None] = mapped_column(Text)
    means: Mapped[str] = mapped_column(Text)
    login: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    secret_hash: Mapped[str | None] = mapped_column(Text)
    totp_generation: Mapped[int | None] = mapped_column(Integer)
    totp_last_step: Mapped[int] = mapped_column(BigInteger, server_default=text("0"), default=0)
    device_sha256: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(_Moment)
    disabled_at: Mapped[datetime | None] = mapped_column(_Moment)

    @property
    def kind(self) -> Role:
        return Role(self.role)


class SignIn(Base):
    """One sign-in on one device: its present access and refresh tokens, replaced at each refresh.

    ``former_refresh_sha256`` is the refresh token replaced last, at ``refreshed_at``.
    """

    __tablename__ = "sign_ins"
    __table_args__ = (Index(None, "account_id"),)

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))
    access_sha256: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    access_until: Mapped[datetime] = mapped_column(_Moment)
    refresh_sha256: Mapped[bytes | None] = mapped_column(LargeBinary)
    former_refresh_sha256: Mapped[bytes | None] = mapped_column(LargeBinary)
    refreshed_at: Mapped[datetime | None] = mapped_column(_Moment)
    opened_at: Mapped[datetime] = mapped_column(_Moment)
    until: Mapped[datetime] = mapped_column(_Moment)
    ended_at: Mapped[datetime | None] = mapped_column(_Moment)
    ended_because: Mapped[str | None] = mapped_column(Text)


class SentCode(Base):
    """The one code on its way to a phone; a new one replaces it."""

    __tablename__ = "sent_codes"
    __table_args__ = (Index(None, "until"),)

    municipality: Mapped[str] = mapped_column(Text, primary_key=True)
    phone: Mapped[str] = mapped_column(Text, primary_key=True)
    code_hmac: Mapped[bytes] = mapped_column(LargeBinary)
    until: Mapped[datetime] = mapped_column(_Moment)
    tries: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"), default=0)


class ServiceKey(Base):
    """An integrator's key: what it may do, in one municipality (an admin's: in all)."""

    __tablename__ = "service_keys"
    __table_args__ = (
        Index(
            "uq_service_keys_name",
            "municipality",
            "name",
            unique=True,
            postgresql_nulls_not_distinct=True,
            postgresql_where=text("revoked_at IS NULL"),
        ),
    )

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    municipality: Mapped[str | None] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    key_sha256: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    created_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(_Moment)
    revoked_at: Mapped[datetime | None] = mapped_column(_Moment)

"""Secrets that machines keep: long, random, and known here only by their SHA-256.

256 random bits need no slow hash: nobody can try them all (OWASP ASVS 5.0, V11.5).
"""

from __future__ import annotations

from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe

__all__ = ["Kind", "digest", "matches", "new", "session_of"]


class Kind(StrEnum):
    """What a token is for: its first letters, by which people and secret scanners tell them."""

    ACCESS = "pta_"
    REFRESH = "ptr_"
    SERVICE = "pts_"
    DEVICE = "ptd_"


def new(kind: Kind, session: str | None = None) -> str:
    """A fresh token of 256 random bits; a refresh token also names the ``session`` it renews."""
    return f"{kind}{token_urlsafe(32)}" if session is None else f"{kind}{session}.{token_urlsafe(32)}"


def digest(token: str) -> bytes:
    """What is stored of a token."""
    return sha256(token.encode()).digest()


def matches(token: str, stored: bytes | None) -> bool:
    """Whether ``stored`` is the digest of ``token``, in a time that does not tell how nearly."""
    return compare_digest(digest(token), stored or b"")


def session_of(refresh: str) -> str | None:
    """The session a refresh token names; None when it is no such token."""
    session, dot, _ = refresh.removeprefix(Kind.REFRESH).partition(".")
    return session if dot and refresh.startswith(Kind.REFRESH) else None

"""Codes of an authenticator app, each good once (RFC 6238: 30 s, 6 digits, one step of tolerance either way).

The secret is derived from the signing key, the account and a generation, and so is stored nowhere: who reads the
database learns nothing. A new generation makes the former app useless; so does a new signing key, for everybody.
"""

from __future__ import annotations

import hmac
from base64 import b32encode
from datetime import datetime
from hashlib import sha256

from pyotp import TOTP

__all__ = ["authenticator", "step_of"]

STEP_SECONDS = 30
TOLERANCE = 1


def authenticator(key: str, account_id: str, generation: int, issuer: str = "", login: str = "") -> TOTP:
    """The authenticator of an account; its ``provisioning_uri()`` is what the app scans."""
    seed = hmac.digest(key.encode(), f"totp\n{account_id}\n{generation}".encode(), sha256)[:20]
    return TOTP(b32encode(seed).decode(), interval=STEP_SECONDS, name=login, issuer=issuer)


def step_of(totp: TOTP, code: str, now: datetime) -> int | None:
    """The step of time whose code this is, among those near ``now``; None when it is none of them.

    The caller accepts a step only if it is later than the last one accepted: that refuses replays.
    """
    present = int(now.timestamp()) // STEP_SECONDS
    found = None
    for step in range(present - TOLERANCE, present + TOLERANCE + 1):
        if hmac.compare_digest(totp.generate_otp(step).encode(), code.encode()):
            found = step
    return found

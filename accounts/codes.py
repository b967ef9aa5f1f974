"""One-time codes to phones: six digits, five minutes, five tries, good once.

What is stored is keyed with the signing key: a million codes are tried in no time by who has only the table.
"""

from __future__ import annotations

import hmac
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import randbelow

from sqlalchemy.orm import Session

from accounts.models import SentCode

__all__ = ["LIFE", "TRIES", "issue", "redeem"]

LIFE = timedelta(minutes=5)
TRIES = 5


def issue(session: Session, municipality: str, phone: str, key: str, now: datetime) -> str:
    """A new code for a phone, which replaces the former one."""
    code = f"{randbelow(1_000_000):06d}"
    session.merge(
        SentCode(
            municipality=municipality,
            phone=phone,
            code_hmac=_keyed(key, municipality, phone, code),
            until=now + LIFE,
            tries=0,
        )
    )
    return code


def redeem(session: Session, municipality: str, phone: str, code: str, key: str, now: datetime) -> bool:
    """Whether this is the code sent. A try is to be committed even when it fails, for it counts."""
    sent = session.get(SentCode, (municipality, phone), with_for_update=True)
    given = _keyed(key, municipality, phone, code)
    if sent is None or sent.until <= now or sent.tries >= TRIES:
        return False
    if not hmac.compare_digest(given, sent.code_hmac):
        sent.tries += 1
        return False
    session.delete(sent)
    return True


def _keyed(key: str, municipality: str, phone: str, code: str) -> bytes:
    return hmac.digest(key.encode(), f"code\n{municipality}\n{phone}\n{code}".encode(), sha256)

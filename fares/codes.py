"""Short codes that people can read aloud and machines can prove: what a quote or receipt prints beside its figures.

A code is 16 letters and digits in four groups: 40 random bits that find the document and 40 bits of an HMAC-SHA256
over them and the document's SHA-256. Who has no key cannot make one for figures of his own; who changes the stored
document breaks it. The alphabet is Crockford's base 32: no I, L, O or U, and those are read as 1, 1, 0 and V.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ = str.maketrans("ILOU", "110V")
_LENGTH = 16
_HALF = 8


class BadCode(ValueError):
    """What was typed is not a code; the message says why, in Portuguese."""


def new_locator() -> str:
    """The half of a code that finds its document: eight random characters."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_HALF))


def code_for(locator: str, document: bytes, secret: bytes) -> str:
    """The whole code of a document, grouped for reading: ``XXXX-XXXX-XXXX-XXXX``."""
    whole = locator + _proof(locator, document, secret)
    return "-".join(whole[i : i + 4] for i in range(0, _LENGTH, 4))


def locator_of(typed: str) -> str:
    """The half that finds the document, from a code as typed. Raises ``BadCode``."""
    return _plain(typed)[:_HALF]


def proves(typed: str, document: bytes, secret: bytes) -> bool:
    """Whether the code was made for exactly this document. Raises ``BadCode`` for what is not a code."""
    plain = _plain(typed)
    return hmac.compare_digest(plain[_HALF:], _proof(plain[:_HALF], document, secret))


def _plain(typed: str) -> str:
    plain = typed.upper().replace("-", "").replace(" ", "").translate(_READ)
    if len(plain) != _LENGTH or set(plain) - set(_ALPHABET):
        raise BadCode("o código tem 16 letras e números, como está impresso; confira a digitação")
    return plain


def _proof(locator: str, document: bytes, secret: bytes) -> str:
    message = locator.encode() + hashlib.sha256(document).digest()
    number = int.from_bytes(hmac.new(secret, message, "sha256").digest()[:5], "big")
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(35, -1, -5))

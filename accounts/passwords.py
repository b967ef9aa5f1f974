"""Secrets that people remember: passwords and PINs, hashed with argon2id.

Cost: 19 MiB, 2 passes, 1 lane (OWASP Password Storage). The text is normalised to NFKC first, so that the same
password typed on another keyboard is the same (NIST SP 800-63B, 3.1.1.2); length is bounded before any hashing.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from secrets import choice, randbelow, token_urlsafe

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

__all__ = ["LONGEST", "PIN_DIGITS", "SHORTEST", "WeakSecret", "check_password", "check_pin", "hashed", "verify"]

SHORTEST = 12
LONGEST = 128
PIN_DIGITS = 6

_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_RUNS = "01234567890 09876543210"
# No letters that are mistaken for one another: the first secret is read from a screen or a slip of paper.
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


class WeakSecret(ValueError):
    """The new secret is refused; the message says why and what would do, in Portuguese."""


def normal(secret: str) -> str:
    """The one form a secret is hashed in. Raises ``WeakSecret`` beyond `LONGEST` characters."""
    if len(secret) > LONGEST:
        raise WeakSecret(f"a senha pode ter no máximo {LONGEST} caracteres")
    return unicodedata.normalize("NFKC", secret)


def hashed(secret: str) -> str:
    """The argon2id hash of a password or PIN."""
    return _HASHER.hash(normal(secret))


def verify(stored: str | None, secret: str) -> bool:
    """Whether ``secret`` is the one hashed in ``stored``. Without a stored one the same work is done, for nothing.

    So the time of an answer does not tell whether the account exists.
    """
    try:
        return _HASHER.verify(stored or _nobodys(), normal(secret)) and stored is not None
    except (VerificationError, InvalidHashError, WeakSecret):
        return False


def check_password(password: str, *known: str) -> None:
    """Raises ``WeakSecret`` for a new password that is too short or repeats what is ``known`` (login, name)."""
    text = normal(password)
    if len(text) < SHORTEST:
        raise WeakSecret(f"use ao menos {SHORTEST} caracteres; uma frase serve, com espaços e acentos")
    if len(set(text)) < 5:
        raise WeakSecret("use ao menos cinco caracteres diferentes")
    if any(normal(word).casefold() in text.casefold() for word in known if len(word) >= 4):
        raise WeakSecret("a senha não pode conter seu nome nem seu login")


def check_pin(pin: str) -> None:
    """Raises ``WeakSecret`` for a new PIN that is not six digits or that anyone would try first."""
    if len(pin) != PIN_DIGITS or not (pin.isascii() and pin.isdigit()):
        raise WeakSecret(f"o PIN deve ter exatamente {PIN_DIGITS} algarismos")
    if pin in _RUNS or len(set(pin)) < 3:
        raise WeakSecret("PIN fácil demais: evite sequências e algarismos repetidos")


def first_password() -> str:
    """A password to be handed over once, four groups that can be read aloud (79 bits)."""
    return "-".join("".join(choice(_LETTERS) for _ in range(4)) for _ in range(4))


def first_pin() -> str:
    """A PIN to be handed over once."""
    while True:
        pin = f"{randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"
        try:
            check_pin(pin)
        except WeakSecret:
            continue
        return pin


@cache
def _nobodys() -> str:
    return _HASHER.hash(token_urlsafe(32))

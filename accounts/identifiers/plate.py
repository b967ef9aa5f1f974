"""Number plates: the old one and the Mercosul one of the same vehicle are one vehicle."""

from __future__ import annotations

import re
from dataclasses import dataclass

from accounts.identifiers.typed import BadIdentifier, plain

_TYPED = re.compile(r"([A-Z]{3})[-. ]?([0-9][0-9A-Z]{2}[0-9]|[0-9]{2}[A-Z][0-9])", re.ASCII | re.IGNORECASE)
_OLD = re.compile(r"[A-Z]{3}[0-9]{4}", re.ASCII)
_MERCOSUL = re.compile(r"[A-Z]{3}[0-9][A-Z][0-9]{2}", re.ASCII)
_EARLY_MOTORCYCLE = re.compile(r"[A-Z]{3}[0-9]{2}[A-Z][0-9]", re.ASCII)
_LETTERS = "ABCDEFGHIJ"


@dataclass(frozen=True, slots=True)
class Plate:
    """``printed`` is what stands on the plate, ``key`` the same for both spellings of one vehicle.

    Look up and compare by ``key``, show ``shown``. ``warning`` says what is odd, None when nothing is.
    """

    printed: str
    key: str
    warning: str | None

    @property
    def shown(self) -> str:
        """As it is printed: `NDX-1234` or `NDX1C34`."""
        return f"{self.printed[:3]}-{self.printed[3:]}" if _OLD.fullmatch(self.printed) else self.printed

    def __str__(self) -> str:
        return self.shown


def parse_plate(typed: str) -> Plate:
    """Read `NDX-1234`, `ndx 1c34`, `NDX1C34`. Raises ``BadIdentifier``.

    The Mercosul plate of a vehicle is its old one with the fifth character, a digit, turned into a letter:
    0 is A, … 9 is J.
    """
    match = _TYPED.fullmatch(plain(typed))
    if match is None:
        raise BadIdentifier("placa são três letras e quatro caracteres, como NDX-1234 ou NDX1C34")
    printed = (match[1] + match[2]).upper()
    if _OLD.fullmatch(printed):
        return Plate(printed, printed[:4] + _LETTERS[int(printed[4])] + printed[5:], None)
    if _MERCOSUL.fullmatch(printed):
        return Plate(printed, printed, None)
    if _EARLY_MOTORCYCLE.fullmatch(printed):
        return Plate(printed, printed, "o padrão LLLNNLN é incomum; confira a placa no veículo e no documento")
    raise BadIdentifier("placa são três letras e quatro caracteres, como NDX-1234 ou NDX1C34")

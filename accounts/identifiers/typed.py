"""What a person typed, brought to plain characters before anything is read in it."""

from __future__ import annotations

import unicodedata

_DASHES = str.maketrans(dict.fromkeys("‐‒–—−", "-"))
_LONGEST = 40


class BadIdentifier(ValueError):
    """What was typed is no such thing. The message, in Portuguese, says why; it never repeats what was typed."""


class Unconfirmed(BadIdentifier):
    """What was typed is probably ``proposal``; only whoever typed it can say so, by typing that.

    ``proposal`` is in the form shown to people. It is personal data: for the screen that asked, not for logs.
    """

    def __init__(self, message: str, proposal: str) -> None:
        super().__init__(message)
        self.proposal = proposal


def plain(typed: str) -> str:
    """``typed`` with full-width digits, no-break spaces and the like made plain (NFKC), and one kind of dash.

    Digits of other scripts stay what they are: no reader here takes them for ours. Raises ``BadIdentifier`` for text
    that is absurdly long.
    """
    if len(typed) > _LONGEST:
        raise BadIdentifier(f"longo demais: são no máximo {_LONGEST} caracteres")
    return unicodedata.normalize("NFKC", typed).translate(_DASHES).strip()

"""How long to wait between attempts: a few are free, then each wait doubles.

Pure rules; `accounts.gate` keeps the counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv6Address, ip_address

__all__ = ["CODES_OF_ADDRESS", "CODES_OF_PHONE", "SECRETS_OF_ACCOUNT", "SECRETS_OF_ADDRESS", "Policy", "name", "origin"]


@dataclass(frozen=True, slots=True)
class Policy:
    """``free`` attempts in a row, then ``first`` seconds of waiting, doubled each time up to ``most``.

    The count is forgotten after ``memory`` seconds without an attempt.
    """

    free: int
    first: int
    most: int = 900
    memory: int = 3600

    def waits(self) -> list[int]:
        """Seconds to wait after the 1st, 2nd … attempt; the last holds for all later ones."""
        waits = [0] * (self.free - 1)
        wait = self.first
        while wait < self.most:
            waits.append(wait)
            wait *= 2
        return [*waits, self.most]


SECRETS_OF_ACCOUNT = Policy(free=5, first=30)
SECRETS_OF_ADDRESS = Policy(free=30, first=30)
"""Generous: behind one address of a mobile carrier are many people."""
CODES_OF_PHONE = Policy(free=1, first=60)
CODES_OF_ADDRESS = Policy(free=10, first=60)


def name(*parts: str | None) -> str:
    """The name a count is kept under: it tells nobody whose it is."""
    return sha256("\n".join(part or "" for part in parts).encode()).hexdigest()


def origin(address: str | None) -> str:
    """What counts as one address: IPv4 as it is, IPv6 by its /64, which one customer has to himself."""
    try:
        known = ip_address(address or "")
    except ValueError:
        return "unknown"
    if isinstance(known, IPv6Address):
        return str(known.ipv4_mapped or IPv6Address(int(known) >> 64 << 64))
    return str(known)

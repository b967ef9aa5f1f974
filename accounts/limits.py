"""How often one may ask: one table, and the even pace at which a process counts by itself.

Pure rules; `accounts.limiter` counts and `install`s them. Guessing of secrets is not limited here but, more
strictly, by `accounts.lockout`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from math import ceil
from threading import Lock
from types import MappingProxyType

from accounts.rights import OPEN_ENDPOINTS

__all__ = ["CALLS_OF_PHONE", "LIMITS", "Kept", "Limit", "Pace", "Per", "limits_of"]


class Per(StrEnum):
    """Whose requests are counted together."""

    ADDRESS = "address"
    """Those of one network address (an IPv6 /64). Requests from this machine itself are not counted."""
    CALLER = "caller"
    """Those of one account or service key; without a token, of one address."""
    PHONE = "phone"
    """Those about one telephone. Counted where the number is known, not by the hook."""


class Kept(StrEnum):
    """Where the count is."""

    SHARED = "shared"
    """In Redis, for all workers together: what is dear (writes a record, sends a message). A moving window."""
    PROCESS = "process"
    """In each worker's memory: what costs only that worker's time, so that asking Redis would cost as much."""


@dataclass(frozen=True, slots=True)
class Limit:
    """At most ``most`` requests in ``seconds``."""

    name: str
    most: int
    seconds: int
    per: Per
    kept: Kept

    @property
    def policy(self) -> str:
        """As the header `RateLimit-Policy` says it (draft-ietf-httpapi-ratelimit-headers)."""
        return f'"{self.name}";q={self.most};w={self.seconds}'


_EVERYTHING = Limit("all", 6000, 60, Per.ADDRESS, Kept.PROCESS)
_OPEN = Limit("public", 1200, 60, Per.ADDRESS, Kept.PROCESS)
_PRICES = Limit("prices", 1200, 60, Per.ADDRESS, Kept.PROCESS)
_SIGNED_IN = Limit("signed_in", 600, 60, Per.CALLER, Kept.PROCESS)
_SIGN_INS = Limit("sign_ins", 60, 60, Per.ADDRESS, Kept.SHARED)
_QUOTES = Limit("quotes", 60, 60, Per.CALLER, Kept.SHARED)
_TRACKS = Limit("tracks", 60, 60, Per.CALLER, Kept.SHARED)
CALLS_OF_PHONE = Limit("calls_of_phone", 6, 600, Per.PHONE, Kept.SHARED)
"""Calls for a moto from one telephone; spent with ``Limiter.spend`` where calls are placed."""

# Generous: behind one address of a mobile carrier is half a town.
LIMITS: Mapping[str, tuple[Limit, ...]] = MappingProxyType(
    {
        "fares.price": (_EVERYTHING, _PRICES),
        "health.alive": (),  # asked by whoever restarts us when it fails
        "quotes.quote": (_EVERYTHING, _QUOTES),
        "sessions.ask_code": (_EVERYTHING, _SIGN_INS),
        "sessions.sign_in": (_EVERYTHING, _SIGN_INS),
        "tracks.measure_track": (_EVERYTHING, _TRACKS),
    }
)
"""The limits of each endpoint that has its own; `limits_of` has those of all others."""


@cache  # endpoints are of a closed set
def limits_of(endpoint: str | None) -> tuple[Limit, ...]:
    """The limits that a request to ``endpoint`` (None: an address that does not exist) must keep."""
    special = LIMITS.get(endpoint or "")
    if special is not None:
        return special
    return (_EVERYTHING, _OPEN if endpoint is None or endpoint in OPEN_ENDPOINTS else _SIGNED_IN)


class Pace:
    """Counts in memory: ``most`` at once, then one each time a ``most``-th of the seconds has passed (GCRA).

    Source: ITU-T I.371 annex A, the virtual scheduling algorithm. Remembers ``names`` at most; beyond that the oldest
    are forgotten, for memory must not grow with the number of attackers.
    """

    def __init__(self, names: int = 50_000) -> None:
        self._names = names
        self._due: dict[tuple[str, str], float] = {}
        self._lock = Lock()

    def spend(self, limit: Limit, subject: str, now: float) -> int:
        """Count one request at ``now`` (seconds of any steady clock): 0, or the whole seconds it comes too early."""
        key, step = (limit.name, subject), limit.seconds / limit.most
        with self._lock:
            due = max(self._due.pop(key, now), now)
            early = due + step - limit.seconds - now
            if early > 1e-6:  # floats: the sum of `most` steps is not quite `seconds`
                self._due[key] = due
                return ceil(early)
            self._due[key] = due + step
            if len(self._due) > self._names:
                del self._due[next(iter(self._due))]
            return 0

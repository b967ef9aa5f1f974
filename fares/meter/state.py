"""A measurement under way: the fixes so far, whatever the network did to them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fares.meter.fixes import Fix

__all__ = ["BATCH", "MOST_FIXES", "BatchTooLarge", "MeterState", "TrackFull", "pack", "unpack"]

BATCH = 100
"""Fixes a phone may send at once."""

MOST_FIXES = 20_000
"""Fixes of one ride: 5.5 hours at one a second. About 3 MB of memory, 1 MB stored."""

_PACKED = struct.Struct(">dddddB")
_ACCURACY, _SPEED, _MOCK = 1, 2, 4


class BatchTooLarge(ValueError):
    """More fixes at once than a phone may send."""

    def __init__(self, count: int) -> None:
        super().__init__(f"o lote tem {count} posições, acima do limite de {BATCH}; divida-o e envie de novo")


class TrackFull(ValueError):
    """The ride has as many fixes as one ride may have."""

    def __init__(self) -> None:
        super().__init__(f"a corrida passou de {MOST_FIXES} posições; encerre-a e abra outra medição")


@dataclass(slots=True)
class MeterState:
    """The distinct fixes of an open measurement.

    Batches may come late, repeated, overlapping and in any order: what counts is the set of fixes, so
    `measure(state.fixes())` equals the measurement of the whole track. Memory is bounded by ``MOST_FIXES``.
    """

    _packed: set[bytes] = field(default_factory=set)

    def add(self, batch: Iterable[Fix]) -> int:
        """Take a batch; how many of its fixes were new. Raises ``BatchTooLarge`` or ``TrackFull``, taking none."""
        fixes = list(batch)
        if len(fixes) > BATCH:
            raise BatchTooLarge(len(fixes))
        new = set(map(pack, fixes)) - self._packed
        if len(self._packed) + len(new) > MOST_FIXES:
            raise TrackFull
        self._packed |= new
        return len(new)

    def __len__(self) -> int:
        return len(self._packed)

    def fixes(self) -> Iterator[Fix]:
        """The fixes so far, in no promised order."""
        return map(unpack, self._packed)

    def to_bytes(self) -> bytes:
        """The state as bytes: the same fixes give the same bytes, however they came."""
        return b"".join(sorted(self._packed))

    @classmethod
    def from_bytes(cls, stored: bytes) -> MeterState:
        """The state that `to_bytes` wrote. Raises ``ValueError`` for bytes that are not one."""
        size = _PACKED.size
        if len(stored) % size or len(stored) > size * MOST_FIXES:
            raise ValueError("these bytes are not a meter's state")
        return cls({stored[at : at + size] for at in range(0, len(stored), size)})


def pack(fix: Fix) -> bytes:
    """A fix as bytes, exact to the last bit: its identity."""
    flags = (
        (_ACCURACY if fix.accuracy_m is not None else 0)
        | (_SPEED if fix.speed_mps is not None else 0)
        | (_MOCK if fix.mock else 0)
    )
    return _PACKED.pack(fix.t, fix.lat, fix.lon, fix.accuracy_m or 0.0, fix.speed_mps or 0.0, flags)


def unpack(packed: bytes) -> Fix:
    t, lat, lon, accuracy, speed, flags = _PACKED.unpack(packed)
    return Fix(
        t=t,
        lat=lat,
        lon=lon,
        accuracy_m=accuracy if flags & _ACCURACY else None,
        speed_mps=speed if flags & _SPEED else None,
        mock=bool(flags & _MOCK),
    )

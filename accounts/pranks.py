"""Telephones that call motos for nothing: a few reports are forgiven, then each blocks the phone for twice as long.

A report is by somebody (a rider at an empty address, an operator), and one person counts once per half day for the
same phone: nobody blocks a passenger alone by pressing a button often, and repeating a report changes nothing.
Whatever is reported is forgotten after the window. The live state is the municipality's, beside that of its dispatch.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import redis

from accounts.identifiers.phone import Phone
from accounts.lockout import name

__all__ = ["POLICY", "PrankPolicy", "Pranks"]


@dataclass(frozen=True, slots=True)
class PrankPolicy:
    """``free`` reports within ``window`` do nothing; the next blocks for ``first``, each further one twice as long.

    Never longer than ``most``; reports by one person within the same ``apart`` count once.
    """

    free: int
    window: timedelta
    first: timedelta
    most: timedelta
    apart: timedelta

    def blocks(self) -> list[timedelta]:
        """How long the 1st, 2nd … report within the window blocks; the last holds for all later ones."""
        blocks = [timedelta(0)] * self.free
        block = self.first
        while block < self.most:
            blocks.append(block)
            block *= 2
        return [*blocks, self.most]


POLICY = PrankPolicy(
    free=2, window=timedelta(days=30), first=timedelta(hours=1), most=timedelta(days=7), apart=timedelta(hours=12)
)

# report: count a report and lengthen the block.
# KEYS  1 a sorted set of reports by their time  2 until when the phone is blocked, in ms
# ARGV  1 now in ms  2 the window in ms  3 who reports, with the half day  4… ms of block after each number of reports
# Promise: the same report counts once; a block is never shortened.
# Answers: until when the phone is blocked, in ms; 0 when it is not.
_REPORT = """
local now, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local till = tonumber(redis.call('GET', KEYS[2]) or '0')
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if redis.call('ZADD', KEYS[1], 'NX', now, ARGV[3]) == 1 then
    redis.call('PEXPIRE', KEYS[1], window)
    local count = redis.call('ZCARD', KEYS[1])
    till = math.max(till, now + tonumber(ARGV[3 + math.min(count, #ARGV - 3)]))
    if till > now then redis.call('SET', KEYS[2], string.format('%d', till), 'PX', till - now) end
end
if till > now then return till end
return 0
"""


class Pranks:
    """The reports of one municipality. Every method raises ``redis.RedisError`` when the counts cannot be reached."""

    def __init__(self, client: redis.Redis, municipality: str, policy: PrankPolicy = POLICY) -> None:
        self._client = client
        self._slug = municipality
        self._policy = policy

    def report_prank(self, phone: Phone, by: str, now: datetime) -> datetime | None:
        """Count a report by ``by`` (`Actor.caller`): until when the phone is blocked now; None when it is not."""
        policy = self._policy
        half_day = int(now.timestamp() // policy.apart.total_seconds())
        blocks = [_ms(block) for block in policy.blocks()]
        till = self._client.eval(
            _REPORT, 2, *self._keys(phone), _at(now), _ms(policy.window), f"{half_day}:{by}", *blocks
        )
        return _moment(int(till))

    def blocked_until(self, phone: Phone, now: datetime) -> datetime | None:
        """Until when no call from this phone is taken; None when calls are."""
        kept = self._client.get(self._keys(phone)[1])
        till = int(kept or 0)
        return _moment(till) if till > _at(now) else None

    def forgive(self, phone: Phone) -> None:
        """Forget every report on a phone, and unblock it."""
        self._client.delete(*self._keys(phone))

    def _keys(self, phone: Phone) -> tuple[str, str]:
        """Both in the slot of the municipality; they do not show the number."""
        whose = name(phone.e164)
        return f"{{{self._slug}}}:prank_reports:{whose}", f"{{{self._slug}}}:prank_block:{whose}"


def _at(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _ms(length: timedelta) -> int:
    return length // timedelta(milliseconds=1)


def _moment(ms: int) -> datetime | None:
    return datetime.fromtimestamp(ms / 1000, UTC) if ms else None

"""Counts attempts in Redis, so that all workers together let through no more than the rule says.

Without Redis nobody gets through: guessing must not become free. Who is signed in already stays so, since access and
refresh tokens need no count.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from math import ceil

import redis

from accounts.lockout import Policy
from store.connections import NotRunning

__all__ = ["Gate", "GateDown", "MustWait"]

# attempt: count an attempt, unless the one who makes it must still wait.
# KEYS  1 a hash {tries, until}
# ARGV  1 now in ms  2 seconds the count is kept  3… the wait in ms after each number of tries, the last for all further
# Promise: attempts made at once are counted one by one; one made while waiting is refused and not counted.
# Answers: ms still to wait; 0 when the attempt may go on.
_ATTEMPT = """
local now, till = tonumber(ARGV[1]), tonumber(redis.call('HGET', KEYS[1], 'until') or '0')
if now < till then return till - now end
local tries = redis.call('HINCRBY', KEYS[1], 'tries', 1)
local wait = tonumber(ARGV[2 + math.min(tries, #ARGV - 2)])
redis.call('HSET', KEYS[1], 'until', string.format('%d', now + wait))
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 0
"""

# forgive: take back one attempt that proved honest, and its wait.
# KEYS  1 a hash {tries, until}
# Answers: nothing. Does not revive a count that was forgotten.
_FORGIVE = """
if redis.call('HINCRBY', KEYS[1], 'tries', -1) <= 0 then
    redis.call('DEL', KEYS[1])
else
    redis.call('HDEL', KEYS[1], 'until')
end
"""


class MustWait(Exception):
    """Too many attempts; ``seconds`` until the next one."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"aguarde {seconds} s")
        self.seconds = seconds


class GateDown(Exception):
    """The counts cannot be kept."""


class Gate:
    """One per application; ``redis`` is asked for at each use."""

    def __init__(self, client: Callable[[], redis.Redis]) -> None:
        self._client = client

    def attempt(self, name: str, policy: Policy, now: datetime) -> None:
        """Count an attempt of ``name`` before it is made. Raises ``MustWait`` or ``GateDown``."""
        waits = [wait * 1000 for wait in policy.waits()]
        left = self._run(_ATTEMPT, name, int(now.timestamp() * 1000), policy.memory, *waits)
        if left:
            raise MustWait(ceil(left / 1000))

    def forgive(self, name: str) -> None:
        """The attempt was honest: it does not count. Raises ``GateDown``."""
        self._run(_FORGIVE, name)

    def clear(self, name: str) -> None:
        """Forget all attempts of ``name``. Raises ``GateDown``."""
        self._ask(lambda client: client.delete(_key(name)))

    def _run(self, script: str, name: str, *arguments: int) -> int:
        answer = self._ask(lambda client: client.eval(script, 1, _key(name), *map(str, arguments)))
        return answer if isinstance(answer, int) else 0

    def _ask(self, question: Callable[[redis.Redis], object]) -> object:
        try:
            return question(self._client())
        except (redis.RedisError, NotRunning, OSError) as why:
            raise GateDown from why


def _key(name: str) -> str:
    return f"attempts:{name}"

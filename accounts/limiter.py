"""Counts requests and refuses those beyond the limits of `accounts.limits`, with 429 and `Retry-After`.

Shared counts are moving windows in Redis, by the `limits` library. When Redis does not answer, each worker counts by
itself for a while: pricing and quoting go on, merely less exactly limited. Guessing secrets does not go on: the gate
of `accounts.gate` refuses it then.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from ipaddress import ip_address
from math import ceil

import redis
import structlog
from flask import Flask, Response, current_app, request
from limits import RateLimitItemPerSecond
from limits.storage import RedisStorage
from limits.strategies import MovingWindowRateLimiter

from accounts.limits import Kept, Limit, Pace, Per, limits_of
from accounts.lockout import name, origin
from api.problem import Problem
from settings import Settings
from store.connections import Connections, NotRunning

__all__ = ["Limiter", "TooMany", "install", "limiter", "too_many"]

SECONDS_TO_ANSWER = 0.5
SECONDS_WITHOUT_REDIS = 2.0
_NAME = "limiter"


class TooMany(Exception):
    """A request beyond ``limit``; the next one may come after ``seconds``."""

    def __init__(self, limit: Limit, seconds: int) -> None:
        super().__init__(f"{limit.name}: aguarde {seconds} s")
        self.limit = limit
        self.seconds = seconds


class Limiter:
    """One per application. ``times`` multiplies every limit of the table; ``clock`` is steady, in seconds."""

    def __init__(self, store: Connections, times: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._times = times
        self._clock = clock
        self._pace = Pace()
        self._without_redis_until = 0.0

    def spend(self, limit: Limit, subject: str) -> None:
        """Count one request of ``subject``. Raises ``TooMany``."""
        now = self._clock()
        if self._times != 1:
            limit = _multiplied(limit, self._times)
        if limit.kept is Kept.SHARED and now >= self._without_redis_until:
            try:
                seconds = self._spend_shared(limit, name(subject))
            except (redis.RedisError, NotRunning, OSError) as why:
                self._without_redis_until = now + SECONDS_WITHOUT_REDIS
                structlog.get_logger().warning("limits_without_redis", why=type(why).__name__)
                seconds = self._pace.spend(limit, subject, now)
        else:
            seconds = self._pace.spend(limit, subject, now)
        if seconds:
            raise TooMany(limit, seconds)

    def _spend_shared(self, limit: Limit, subject: str) -> int:
        item = RateLimitItemPerSecond(limit.most, limit.seconds, limit.name)
        if self._windows.hit(item, subject):
            return 0
        return max(ceil(self._windows.get_window_stats(item, subject).reset_time - time.time()), 1)

    @cached_property
    def _windows(self) -> MovingWindowRateLimiter:
        pool = self._store.hasty_redis(SECONDS_TO_ANSWER).connection_pool
        return MovingWindowRateLimiter(RedisStorage("redis://", connection_pool=pool, key_prefix="limits"))


def install(app: Flask, settings: Settings, store: Connections) -> None:
    """Count the requests of ``app`` by address, before anything of them is read."""
    app.extensions[_NAME] = found = Limiter(store, settings.limits_times)
    app.register_error_handler(TooMany, too_many)
    app.before_request(partial(_by_address, found))


def install_callers(app: Flask, caller: Callable[[], str | None]) -> None:
    """Count also by who asks; goes after what finds that out. ``caller`` gives None for who did not say."""
    app.before_request(partial(_by_caller, app.extensions[_NAME], caller))


def limiter() -> Limiter:
    """The limiter of the current application."""
    found: Limiter = current_app.extensions[_NAME]
    return found


def too_many(error: TooMany) -> Response:
    """The answer to who asks too often."""
    headers = {"Retry-After": str(error.seconds), "RateLimit-Policy": error.limit.policy}
    detail = f"Muitos pedidos em pouco tempo. Aguarde {error.seconds} s e tente de novo."
    return Problem(429, detail, headers=headers).response()


def _by_address(found: Limiter) -> None:
    subject = _counted(request.remote_addr)
    if subject is None:
        return
    for limit in limits_of(None if request.method == "OPTIONS" else request.endpoint):
        if limit.per is Per.ADDRESS:
            found.spend(limit, subject)


def _by_caller(found: Limiter, caller: Callable[[], str | None]) -> None:
    for limit in limits_of(None if request.method == "OPTIONS" else request.endpoint):
        if limit.per is Per.CALLER:
            subject = (caller() if "Authorization" in request.headers else None) or _counted(request.remote_addr)
            if subject is not None:
                found.spend(limit, subject)


@lru_cache(maxsize=4096)
def _counted(address: str | None) -> str | None:
    """What an address is counted under; None for this machine itself, which is not counted."""
    try:
        here = ip_address(address or "").is_loopback
    except ValueError:
        here = False
    return None if here else origin(address)


@lru_cache
def _multiplied(limit: Limit, times: int) -> Limit:
    return Limit(limit.name, limit.most * times, limit.seconds, limit.per, limit.kept)

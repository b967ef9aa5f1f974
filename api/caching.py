"""Public data that phones may keep: a short life, and a tag that changes exactly when the answer does."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, request

_SECONDS = 60


def cacheable(view: Callable[..., Any]) -> Callable[..., Any]:
    """Let anyone keep the answer of ``view`` for a minute and ask again by its tag (304 when nothing changed).

    The tag is taken from the answer itself, which names the version of the norm it rests on. Goes outside
    ``@blueprint.response``.
    """

    @wraps(view)
    def tagged(*args: Any, **kwargs: Any) -> Any:
        response: Response = view(*args, **kwargs)
        response.cache_control.public = True
        response.cache_control.max_age = _SECONDS
        response.add_etag()
        return response.make_conditional(request)

    return tagged

"""How to ask each endpoint that needs an access: the walk of `test_endpoints` goes by this.

A new endpoint that needs an access fails the walk until it stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from accounts.rights import Role
from fares import tracks
from tests.accounts.stage import Person, Stage
from zones.store import seed

__all__ = ["WAYS", "Way"]


@dataclass(frozen=True)
class Way:
    """``good``: the status of what is allowed. ``values``: makes a thing of ``town`` and of ``owner``, and says what
    names it in the path. ``body``: for who asks. ``names_town``: the request names the town itself, so that another
    is refused (403) rather than denied to exist (404).
    """

    good: int
    values: Callable[[Stage, str, Person], dict[str, str]] = lambda stage, town, owner: {}
    body: Callable[[Stage, str, Person], dict[str, Any]] | None = None
    names_town: bool = False


def _account(stage: Stage, town: str, owner: Person) -> dict[str, str]:
    return {"account_id": stage.issued(Role.RIDER, town).account.id}


def _key(stage: Stage, town: str, owner: Person) -> dict[str, str]:
    return {"key_id": stage.key(town).id}


def _track(stage: Stage, town: str, owner: Person) -> dict[str, str]:
    with stage.reception.sessions.begin() as session:
        seed(session, stage.app.extensions["settings"].geodata, stage.clock().date())
        return {"track_id": tracks.open_track(session, town, stage.clock(), opened_by=owner.id)}


def _fixes(stage: Stage, town: str, asker: Person) -> dict[str, Any]:
    times = [f"2026-12-01T10:00:{second:02d}Z" for second in range(5)]
    return {"fixes": [{"t": t, "lat": -11.1249, "lon": -62.3653} for t in times]}


def _whole_track(stage: Stage, town: str, asker: Person) -> dict[str, Any]:
    _track(stage, town, asker)
    return {"municipality": town, **_fixes(stage, town, asker)}


def _new_secret(stage: Stage, town: str, asker: Person) -> dict[str, Any]:
    new = "805137" if asker.role is Role.RIDER else "um cavalo correto na bateria"
    return {"present": asker.secret or "nenhuma", "new": new}


def _naming_town(**told: Any) -> Callable[[Stage, str, Person], dict[str, Any]]:
    return lambda stage, town, asker: {"municipality": town, **told}


WAYS: dict[str, Way] = {
    "accounts.account": Way(200, _account),
    "accounts.accounts": Way(200),
    "accounts.create_account": Way(201, body=_naming_town(role="rider", login="A-77", name="Demo"), names_town=True),
    "accounts.disable_account": Way(200, _account),
    "accounts.enable_account": Way(200, _account),
    "accounts.rebind_device": Way(200, _account),
    "accounts.reset_secret": Way(200, _account),
    "keys.create_key": Way(201, body=_naming_town(name="Painel", scopes=["fares:price"]), names_town=True),
    "keys.revoke_key": Way(204, _key),
    "keys.service_keys": Way(200),
    "me.change_secret": Way(204, body=_new_secret),
    "me.who_am_i": Way(200),
    "metrics": Way(200),
    "sessions.sign_out": Way(204),
    "sessions.sign_out_everywhere": Way(204),
    "tracks.close_track": Way(200, _track),
    "tracks.measure_track": Way(200, body=_whole_track, names_town=True),
    "tracks.open_track": Way(201, body=_naming_town(), names_town=True),
    "tracks.take_fixes": Way(200, _track, body=_fixes),
    "tracks.track": Way(200, _track),
}

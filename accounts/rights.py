"""Who may do what, and how far: one table. What is not in it is refused.

An endpoint that needs an access says its action with ``accounts.current.requires``; one open to all stands in
`OPEN_ENDPOINTS`. The tests walk both tables with real requests, so an endpoint in neither fails the suite (and is
refused to everybody while the program runs).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

__all__ = [
    "ACTIONS",
    "ANONYMOUS",
    "KEY_SCOPES",
    "MANAGES",
    "OPEN_ENDPOINTS",
    "RIGHTS",
    "Actor",
    "Right",
    "Role",
    "Scope",
]


class Role(StrEnum):
    """As whom somebody asks. `ANYONE` did not say; `SERVICE` is an integrator's key."""

    ANYONE = "anyone"
    PASSENGER = "passenger"
    RIDER = "rider"
    OPERATOR = "operator"
    INSPECTOR = "inspector"
    AUTHORITY = "authority"
    ADMIN = "admin"
    SERVICE = "service"


class Scope(StrEnum):
    """How far a right reaches."""

    ALL = "all"
    """Everything, in every municipality."""
    TOWN = "town"
    """What belongs to one's own municipality."""
    OWN = "own"
    """What is one's own."""
    HERE = "here"
    """Everything, for who asks from the machine itself, not through a proxy."""


@dataclass(frozen=True, slots=True)
class Right:
    """One row: ``role`` may do ``action`` as far as ``scope``."""

    role: Role
    action: str
    scope: Scope


_EVERYONE = dict.fromkeys(Role, Scope.ALL)
_SIGNED_IN = dict.fromkeys(set(Role) - {Role.ANYONE, Role.SERVICE}, Scope.OWN)
_TOWN_HALL = {Role.AUTHORITY: Scope.TOWN, Role.ADMIN: Scope.ALL}

_TABLE: Mapping[str, Mapping[Role, Scope]] = {
    # The law and the map are public, and so is a price.
    "laws:read": _EVERYONE,
    "zones:read": _EVERYONE,
    "places:search": _EVERYONE,
    "fares:price": _EVERYONE,
    "quotes:create": _EVERYONE,
    "quotes:read": _EVERYONE,  # by a number that nobody guesses
    "documents:verify": _EVERYONE,
    "service:describe": _EVERYONE,  # health, readiness, OpenAPI
    "metrics:read": {Role.ANYONE: Scope.HERE, Role.ADMIN: Scope.ALL, Role.SERVICE: Scope.ALL},
    "tracks:measure": {Role.RIDER: Scope.TOWN, Role.INSPECTOR: Scope.TOWN},
    "tracks:open": {Role.RIDER: Scope.TOWN, Role.INSPECTOR: Scope.TOWN},
    "tracks:collect": {Role.RIDER: Scope.OWN, Role.INSPECTOR: Scope.OWN},  # add to it and close it
    "tracks:read": {Role.RIDER: Scope.OWN, Role.INSPECTOR: Scope.TOWN},  # another's: only for a case, and recorded
    # Oneself.
    "sessions:open": _EVERYONE,
    "sessions:end": _SIGNED_IN,
    "me:read": {**_SIGNED_IN, Role.SERVICE: Scope.OWN},
    "me:change_secret": dict.fromkeys(set(_SIGNED_IN) - {Role.PASSENGER}, Scope.OWN),
    # Others; `MANAGES` says whose accounts.
    "accounts:read": {Role.OPERATOR: Scope.TOWN, **_TOWN_HALL},
    "accounts:create": _TOWN_HALL,
    "accounts:disable": _TOWN_HALL,
    "accounts:reset": _TOWN_HALL,
    "accounts:rebind": {Role.OPERATOR: Scope.TOWN, **_TOWN_HALL},
    "keys:create": _TOWN_HALL,
    "keys:read": _TOWN_HALL,
    "keys:revoke": _TOWN_HALL,
}

RIGHTS: tuple[Right, ...] = tuple(
    Right(role, action, scope) for action, holders in _TABLE.items() for role, scope in sorted(holders.items())
)

ACTIONS = frozenset(_TABLE)

_SCOPES: Mapping[tuple[Role, str], Scope] = MappingProxyType({(row.role, row.action): row.scope for row in RIGHTS})

KEY_SCOPES = frozenset(row.action for row in RIGHTS if row.role is Role.SERVICE) - {
    "me:read",
    "service:describe",
    "sessions:open",
}
"""What a service key may be given."""

_TO_BE_GIVEN = frozenset(action for action in KEY_SCOPES if _SCOPES.get((Role.ANYONE, action)) is not Scope.ALL)
"""Of these, what it may do only if it was given."""

MANAGES: Mapping[Role, frozenset[Role]] = MappingProxyType(
    {
        Role.ADMIN: frozenset(Role) - {Role.ANYONE, Role.SERVICE},
        Role.AUTHORITY: frozenset({Role.INSPECTOR, Role.OPERATOR, Role.RIDER}),
        Role.OPERATOR: frozenset({Role.RIDER}),
    }
)
"""Whose accounts a role may see and, with the rights above, touch. Nobody but an admin makes equals."""

OPEN_ENDPOINTS: Mapping[str, str] = MappingProxyType(
    {
        "api-docs.openapi_json": "service:describe",
        "api_docs": "service:describe",
        "api_docs_file": "service:describe",
        "fares.price": "fares:price",
        "health.alive": "service:describe",
        "health.ready": "service:describe",
        "laws.municipalities": "laws:read",
        "laws.municipality": "laws:read",
        "laws.tariff": "laws:read",
        "metrics": "metrics:read",
        "places.places": "places:search",
        "privacy.page": "service:describe",
        "privacy.static": "service:describe",
        "proof.page": "documents:verify",
        "proof.picture": "documents:verify",
        "proof.qr": "documents:verify",
        "proof.static": "documents:verify",
        "quotes.quote": "quotes:create",
        "quotes.stored_quote": "quotes:read",
        "quotes.verify": "documents:verify",
        "sessions.ask_code": "sessions:open",
        "sessions.sign_in": "sessions:open",
        "zones.pontos": "zones:read",
        "zones.zones": "zones:read",
    }
)
"""The endpoints that need no access, by Flask's name, and the action each is."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks. ``id`` is the account's or the key's; ``municipality`` is None for anyone, and for who serves all.

    ``scopes`` are the only actions a service key was given; ``session`` is the sign-in behind an access token.
    """

    role: Role
    id: str | None = None
    municipality: str | None = None
    name: str = ""
    scopes: frozenset[str] = frozenset()
    session: str | None = None

    @property
    def known(self) -> bool:
        """Whether somebody said who he is."""
        return self.role is not Role.ANYONE

    @property
    def caller(self) -> str:
        """Whose an idempotency key, a record or a limit is: `rider:…`, `service:…`, or `anyone`."""
        return self.role if self.id is None else f"{self.role}:{self.id}"

    def scope_of(self, action: str) -> Scope | None:
        """How far he may do ``action``; None when not at all."""
        if self.role is Role.SERVICE and action in _TO_BE_GIVEN and action not in self.scopes:
            return None
        return _SCOPES.get((self.role, action))

    def may(self, action: str, *, here: bool = False) -> bool:
        """Whether he may do ``action`` at all; ``here``: he asks from the machine itself."""
        scope = self.scope_of(action)
        return scope is not None and (scope is not Scope.HERE or here)

    def reaches(self, action: str, municipality: str | None, owner: str | None = None) -> bool:
        """Whether his right to ``action`` reaches what belongs to ``municipality`` and to the account ``owner``."""
        scope = self.scope_of(action)
        if scope is Scope.TOWN:
            return municipality is not None and municipality == self.municipality
        if scope is Scope.OWN:
            return owner is not None and owner == self.id
        return scope is Scope.ALL

    def manages(self, role: Role) -> bool:
        """Whether accounts of ``role`` are his to see and look after."""
        return role in MANAGES.get(self.role, frozenset())

    def actions(self) -> list[str]:
        """All he may do, sorted."""
        return sorted(action for action in ACTIONS if self.may(action))


ANONYMOUS = Actor(Role.ANYONE)

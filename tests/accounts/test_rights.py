"""The table of rights, as pure rules."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.current import requires
from accounts.rights import ACTIONS, ANONYMOUS, KEY_SCOPES, MANAGES, OPEN_ENDPOINTS, RIGHTS, Actor, Role, Scope

roles = st.sampled_from(Role)
actions = st.sampled_from(sorted(ACTIONS))
names = st.none() | st.text(max_size=3)


def an_actor(role: Role, municipality: str | None = "a", id: str | None = "1") -> Actor:
    return Actor(role, id, municipality, scopes=KEY_SCOPES)


def test_no_pair_of_role_and_action_stands_twice() -> None:
    pairs = [(right.role, right.action) for right in RIGHTS]

    assert len(pairs) == len(set(pairs))


def test_open_endpoints_are_open_to_everybody_and_only_figures_ask_from_where() -> None:
    scopes = {endpoint: {Actor(role).scope_of(action) for role in Role} for endpoint, action in OPEN_ENDPOINTS.items()}

    assert {endpoint for endpoint, found in scopes.items() if found != {Scope.ALL}} == {"metrics"}


def test_nobody_without_an_access_may_do_what_is_not_open() -> None:
    may = {right.action for right in RIGHTS if ANONYMOUS.may(right.action)}

    assert may <= {OPEN_ENDPOINTS[endpoint] for endpoint in OPEN_ENDPOINTS}


@given(roles, actions, names, names, names)
def test_a_right_within_a_town_never_reaches_another(
    role: Role, action: str, own: str | None, other: str | None, owner: str | None
) -> None:
    actor = an_actor(role, own)
    reaches = actor.reaches(action, other, owner)

    if actor.scope_of(action) is Scope.TOWN:
        assert reaches == (own is not None and own == other)
    if actor.scope_of(action) is Scope.OWN:
        assert reaches == (owner == "1")
    if not actor.may(action, here=True):
        assert not reaches


def test_only_an_admin_and_what_is_public_reach_every_town() -> None:
    reaching = {(right.role, right.action) for right in RIGHTS if right.scope is Scope.ALL}
    public = {right.action for right in RIGHTS if right.role is Role.ANYONE and right.scope is Scope.ALL}

    assert {role for role, action in reaching if action not in public} == {Role.ADMIN, Role.SERVICE}
    assert {action for role, action in reaching if role is Role.SERVICE} - public == {"metrics:read"}


@pytest.mark.parametrize(("manager", "managed"), list(product(Role, Role)))
def test_managing_goes_downwards_only(manager: Role, managed: Role) -> None:
    order = [Role.RIDER, Role.OPERATOR, Role.AUTHORITY, Role.ADMIN]

    if an_actor(manager).manages(managed) and manager is not Role.ADMIN:
        assert managed not in MANAGES or order.index(managed) < order.index(manager)
        assert MANAGES[manager] < MANAGES[Role.ADMIN]


def test_a_key_may_what_it_was_given_and_what_is_open() -> None:
    bare, given_figures = Actor(Role.SERVICE, "1"), Actor(Role.SERVICE, "1", scopes=frozenset({"metrics:read"}))

    assert bare.may("fares:price")
    assert not bare.may("metrics:read", here=True)
    assert given_figures.may("metrics:read")
    assert not Actor(Role.SERVICE, "1", scopes=frozenset({"accounts:create"})).may("accounts:create")


def test_a_view_cannot_ask_for_an_action_that_nobody_has() -> None:
    with pytest.raises(ValueError, match=r"accounts/rights\.py"):
        requires("acounts:create")

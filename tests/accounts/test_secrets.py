"""Passwords, PINs, tokens, authenticator codes and waits, as pure rules."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts import lockout, passwords, tokens, totp
from accounts.lockout import Policy
from accounts.passwords import WeakSecret


@settings(max_examples=10, deadline=None)
@given(st.text(min_size=1, max_size=60), st.text(max_size=200))
def test_a_password_is_verified_by_itself_in_any_form_and_by_no_other(password: str, other: str) -> None:
    stored = passwords.hashed(password)
    decomposed = unicodedata.normalize("NFD", password)
    same = unicodedata.normalize("NFKC", other) == unicodedata.normalize("NFKC", password)

    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert passwords.verify(stored, decomposed) == (len(decomposed) <= passwords.LONGEST)
    assert passwords.verify(stored, other) == (same and len(other) <= passwords.LONGEST)


def test_without_an_account_no_secret_is_right_not_even_nobodys() -> None:
    assert not passwords.verify(None, "")
    assert not passwords.verify("not a hash", "qualquer coisa")


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("onze letras", "ao menos 12"),
        ("a" * 129, "no máximo 128"),
        ("abababababab", "cinco caracteres"),
        ("sou a MARIA.demo", "nome nem seu login"),
    ],
)
def test_a_weak_password_is_refused_with_the_reason(password: str, why: str) -> None:
    with pytest.raises(WeakSecret, match=why):
        passwords.check_password(password, "maria.demo", "Demo")


@pytest.mark.parametrize("pin", ["123456", "654321", "111111", "121212", "12345", "1234567", "١٢٣٤٥٦"])
def test_a_weak_pin_is_refused(pin: str) -> None:
    with pytest.raises(WeakSecret):
        passwords.check_pin(pin)


def test_first_secrets_pass_the_rules_and_differ() -> None:
    pins, words = ({make() for _ in range(50)} for make in (passwords.first_pin, passwords.first_password))

    for pin in pins:
        passwords.check_pin(pin)
    for word in words:
        passwords.check_password(word)
    assert len(words) == 50


@given(st.sampled_from(tokens.Kind))
def test_tokens_carry_256_bits_and_are_kept_by_their_digest(kind: tokens.Kind) -> None:
    token = tokens.new(kind)

    assert len(token) == len(kind) + 43
    assert len(tokens.digest(token)) == 32
    assert tokens.matches(token, tokens.digest(token))
    assert not tokens.matches(tokens.new(kind), tokens.digest(token))
    assert not tokens.matches(token, None)


@given(st.text(alphabet="abc_-", min_size=1, max_size=30))
def test_a_refresh_token_names_its_session(session: str) -> None:
    assert tokens.session_of(tokens.new(tokens.Kind.REFRESH, session)) == session


@given(st.integers(10**9, 4 * 10**9), st.integers(-3, 3))
def test_an_authenticator_code_is_taken_one_step_away_and_no_farther(second: int, away: int) -> None:
    app = totp.authenticator("key", "account", 0)
    present = second // 30
    code = app.generate_otp(present + away)

    found = totp.step_of(app, code, datetime.fromtimestamp(second, UTC))

    near = {app.generate_otp(present + each) for each in (-1, 0, 1)}  # two steps may share a code
    assert (found is not None) == (code in near)
    if found is not None:
        assert app.generate_otp(found) == code


def test_keys_accounts_and_generations_have_secrets_of_their_own() -> None:
    made = {
        totp.authenticator(*of).secret
        for of in [("k", "a", 0), ("k", "a", 1), ("k", "b", 0), ("l", "a", 0), ("k", "a1", 0)]
    }

    assert len(made) == 5


@given(st.integers(1, 50), st.integers(1, 300), st.integers(301, 4000))
def test_waits_begin_after_the_free_ones_double_and_end_at_the_most(free: int, first: int, most: int) -> None:
    waits = Policy(free, first, most).waits()

    assert waits[: free - 1] == [0] * (free - 1)
    assert waits[free - 1] == first
    assert waits[-1] == most
    assert all(later <= 2 * earlier for earlier, later in zip(waits[free - 1 :], waits[free:], strict=False))
    assert waits == sorted(waits)


@pytest.mark.parametrize(
    ("address", "counts_as"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::9", "2001:db8:1:2::"),
        ("nada", "unknown"),
        ("", "unknown"),
        (None, "unknown"),
    ],
)
def test_what_counts_as_one_address(address: str | None, counts_as: str) -> None:
    assert lockout.origin(address) == counts_as


def test_names_of_counts_do_not_show_whose_they_are_nor_collide() -> None:
    assert "5569" not in lockout.name("codes", "+5569992841234")
    assert lockout.name("a", "b") != lockout.name("ab")
    assert lockout.name("a", None) == lockout.name("a", "")
    assert lockout.SECRETS_OF_ACCOUNT.memory > lockout.SECRETS_OF_ACCOUNT.most

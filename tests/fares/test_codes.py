"""Codes that prove a document: read aloud, mistyped, forged, moved to another document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fares.codes import BadCode, code_for, locator_of, new_locator, proves

SECRET = b"s" * 32
DOCUMENT = b'{"total":"7.00"}'


def test_a_code_proves_its_document_however_it_is_typed():
    code = code_for(new_locator(), DOCUMENT, SECRET)

    for typed in (code, code.lower(), code.replace("-", ""), code.replace("-", " "), code.replace("0", "O")):
        assert proves(typed, DOCUMENT, SECRET)


def test_letters_that_look_like_digits_are_read_as_digits():
    assert locator_of("ILOU-0000-0000-0000") == "110V0000"


@given(st.binary(), st.binary())
def test_a_code_proves_no_other_document(one: bytes, other: bytes):
    code = code_for("7K3M9QXZ", one, SECRET)

    assert proves(code, other, SECRET) == (one == other)


def test_another_key_does_not_make_the_same_code():
    assert not proves(code_for("7K3M9QXZ", DOCUMENT, b"x" * 32), DOCUMENT, SECRET)


def test_a_changed_letter_breaks_the_proof():
    code = code_for("7K3M9QXZ", DOCUMENT, SECRET)
    broken = code[:-1] + ("A" if code[-1] != "A" else "B")

    assert not proves(broken, DOCUMENT, SECRET)


@pytest.mark.parametrize(
    "typed", ["", "7K3M-9QXZ", "7K3M-9QXZ-0000-000é", "7K3M-9QXZ-0000-00000", "Ω" * 16, "7K3M\n" * 4]
)
def test_what_is_not_a_code_is_refused_with_a_reason(typed: str):
    with pytest.raises(BadCode, match="16 letras e números"):
        locator_of(typed)


def test_locators_do_not_repeat_soon():
    assert len({new_locator() for _ in range(2000)}) == 2000

"""Bodies that a lenient reader would take, each refused with what is wrong with it."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.problem import Problem
from api.strict_json import parse

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        (b"", "empty_body", "vazio"),
        (b"{", "invalid_json", "linha 1, coluna 2"),
        (b'{"a": 1,}', "invalid_json", "linha 1"),
        (b"{'a': 1}", "invalid_json", "linha 1"),
        (b'{"a": 1} {"b": 2}', "invalid_json", "linha 1"),
        (b'{"a": NaN}', "invalid_json", "NaN"),
        (b'{"a": -Infinity}', "invalid_json", "-Infinity"),
        (b'{"a": 01}', "invalid_json", "linha 1"),
        (b'"\x01"', "invalid_json", "linha 1"),
        ('{"a": "ção"}'.encode("latin-1"), "wrong_encoding", "UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "wrong_encoding", "UTF-16"),
        ('{"a": 1}'.encode("utf-16-le"), "wrong_encoding", "bytes nulos"),
        ('{"a": 1}'.encode("utf-8-sig"), "wrong_encoding", "BOM"),
        (b'{"a": "\xed\xa0\x80"}', "wrong_encoding", "UTF-8"),
        (b'{"a": "\\ud800"}', "wrong_encoding", "meio caractere"),
        (b'{"\\udc00": 1}', "wrong_encoding", "meio caractere"),
        (b'{"a": 1, "a": 2}', "duplicate_key", '"a"'),
        (b'{"x": [{"km": 1, "km": 2}]}', "duplicate_key", '"km"'),
        (b'{"\\ud800": 1, "\\ud800": 2}', "duplicate_key", "mais de uma vez"),
        (b"[" * 100_000, "too_deep", "níveis"),
        (b'{"a":' * 100_000, "too_deep", "níveis"),
        (b'{"a": ' + b"9" * 5000 + b"}", "number_too_long", "algarismos"),
    ],
)
def test_a_body_that_is_not_plain_json_in_utf8_is_refused(body, code, says):
    with pytest.raises(Problem) as refused:
        parse(body)

    assert (refused.value.status, refused.value.code) == (400, code)
    assert says in (refused.value.detail or "")


def test_the_repeated_key_is_named():
    with pytest.raises(Problem) as refused:
        parse(b'{"legs": [], "legs": []}')

    assert [error.path for error in refused.value.errors] == ["legs"]


@given(json_values)
def test_plain_json_is_read_as_the_standard_library_reads_it(value):
    for ascii_only in (True, False):
        assert parse(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@given(st.binary(max_size=60))
def test_no_bytes_at_all_break_the_reader(body):
    with suppress(Problem):
        parse(body)

"""One strict way to write each thing; everything near it is refused."""

from __future__ import annotations

from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError, fields, validate

from api.fields import (
    Choice,
    Day,
    Flag,
    Instant,
    Kilometres,
    Money,
    Point,
    Rows,
    Slug,
    Whole,
    Word,
)
from api.requests import Request
from geodata.point import Point as Position


class Zone(StrEnum):
    URBAN = "urban"
    RURAL = "rural"


class RowIn(Request):
    km = Kilometres(required=True)


class EverythingIn(Request):
    money = Money()
    km = Kilometres()
    slug = Slug()
    word = Word()
    instant = Instant()
    day = Day()
    flag = Flag()
    whole = Whole(1, 20)
    choice = Choice(Zone)
    point = Point()
    rows = Rows(RowIn(), 3)


NEVER = [None, [], {}, ["7.00"], {"a": 1}, 1.5, 10**400, float("inf"), "\x00", "a" * 100_000, "١٠", "NaN", "1e9", "-1"]


@pytest.mark.parametrize("value", NEVER, ids=lambda value: repr(value)[:20])
@pytest.mark.parametrize("name", [name for name in EverythingIn().fields if name not in {"word", "rows"}])
def test_no_field_takes_nonsense(name, value):
    with pytest.raises(ValidationError) as refused:
        EverythingIn().load({name: value})

    assert list(refused.value.messages) == [name]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("money", 7), ("money", 7.0), ("money", True), ("money", "7"), ("money", "-7.00"), ("money", "7,00"),
        ("km", 10), ("km", 10.5), ("km", "10,5"), ("km", "10.1234"), ("km", "010"), ("km", "10000.001"), ("km", ".5"),
        ("km", "1000000000"), ("km", "+1"), ("km", "1_0"), ("km", " 1"), ("km", "1\n"),
        ("slug", "Urupa"), ("slug", "../etc"), ("slug", "ro_x"), ("slug", "ro-" + "x" * 90),
        ("word", ""), ("word", "a\x00b"), ("word", "a\nb"), ("word", "a" * 81), ("word", 3),
        ("flag", 1), ("flag", 0), ("flag", "true"), ("flag", "on"),
        ("whole", 0), ("whole", 21), ("whole", True), ("whole", "1"), ("whole", 1.0), ("whole", 10**9),
        ("choice", "Urban"), ("choice", "urban "), ("choice", 0),
        ("point", {"lat": -11.1}), ("point", {"lat": "-11", "lon": -62.3}), ("point", {"lat": True, "lon": 0}),
        ("point", {"lat": -11, "lon": -62, "alt": 1}), ("point", {"lat": -91, "lon": 0}),
        ("point", {"lat": -62.36, "lon": -181}),
        ("rows", {}), ("rows", "abc"), ("rows", [1]), ("rows", [{}]), ("rows", [{"km": "1"}] * 4),
    ],
)  # fmt: skip
def test_near_misses_are_refused_by_name(name, value):
    with pytest.raises(ValidationError) as refused:
        EverythingIn().load({name: value})

    assert list(refused.value.messages) == [name]


@given(st.integers(0, 10_000_000))
def test_kilometres_are_exact_metres(metres):
    text = Kilometres()._serialize(metres, "km", None)
    assert RowIn().load({"km": text}) == {"km": metres}
    assert RowIn().load({"km": f"{metres // 1000}.{metres % 1000:03d}"}) == {"km": metres}


def test_a_point_comes_in_as_written():
    assert EverythingIn().load({"point": {"lat": -11, "lon": -62.36}}) == {"point": Position(-11, -62.36)}


def test_an_unknown_field_is_named():
    with pytest.raises(ValidationError) as refused:
        EverythingIn().load({"valor": 1})

    assert refused.value.messages == {"valor": ["campo desconhecido; retire-o ou corrija o nome"]}


def test_too_many_rows_are_refused_before_any_is_read():
    with pytest.raises(ValidationError) as refused:
        EverythingIn().load({"rows": [{"km": "mal"}] * 10_000})

    assert refused.value.messages == {"rows": ["deve ter no máximo 3 itens; vieram 10000"]}


class PlainIn(Request):
    """The library's own fields, as another room may use them."""

    text = fields.String(required=True, validate=validate.Length(2, 5))
    exactly = fields.String(validate=validate.Length(equal=3))
    number = fields.Integer(validate=validate.Range(min=1, max=3))
    at_least = fields.Integer(validate=validate.Range(min=1))
    zone = fields.Enum(Zone, by_value=True)
    one = fields.String(validate=validate.OneOf(["a", "b"]))
    shape = fields.String(validate=validate.Regexp("x+"))
    many = fields.List(fields.Boolean())
    nested = fields.Nested(RowIn)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": None},
        {"text": "a"},
        {"text": 1},
        {"text": "abc", "exactly": "a"},
        {"text": "abc", "number": 9, "at_least": 0},
        {"text": "abc", "number": "x", "zone": "lua", "one": "c", "shape": "y", "many": ["talvez"], "nested": 3},
        {"text": "abc", "many": 3, "nested": {"km": "1", "x": 1}},
        [],
        "texto",
        None,
    ],
    ids=repr,
)
def test_the_library_speaks_portuguese_too(body):
    with pytest.raises(ValidationError) as refused:
        PlainIn().load(body)

    said = repr(refused.value.messages)
    english = ("Must", "must", "Not a", "Invalid", "Missing", "Unknown", "May", "Field", "Shorter", "Longer", "Length")
    assert not [word for word in english if word in said]

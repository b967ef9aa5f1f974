"""The fast way of writing an answer is the library's way, only faster."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from hypothesis import given
from hypothesis import strategies as st
from marshmallow import fields

from api.answers import Answer
from api.fields import Choice, Day, Flag, Kilometres, MoneySpan, SignedMoney


class Kind(StrEnum):
    ONE = "one"
    TWO = "two"


@dataclass(frozen=True)
class Inner:
    text: str
    amount: int | None
    kind: Kind


@dataclass(frozen=True)
class Outer:
    name: str | None
    metres: int | None
    day: date | None
    low: int | None
    high: int | None
    yes: bool
    inner: Inner | None
    rows: tuple[Inner, ...]
    words: tuple[str, ...]
    maybe: tuple[Inner, ...] | None
    choices: dict[str, str]


class InnerOut(Answer):
    text = fields.String()
    money = SignedMoney(attribute="amount")
    kind = Choice(Kind)


class OuterOut(Answer):
    name = fields.String()
    km = Kilometres(attribute="metres")
    day = Day()
    span = MoneySpan("low", "high")
    yes = Flag()
    inner = fields.Nested(InnerOut())
    rows = fields.List(fields.Nested(InnerOut()))
    words = fields.List(fields.String())
    maybe = fields.List(fields.Nested(InnerOut()), allow_none=True)
    choices = fields.Dict(keys=fields.String(), values=fields.String())
    currency = fields.Constant("BRL")
    deep = fields.String(attribute="inner.text")


amounts = st.none() | st.integers(-10_000, 10_000)
inners = st.builds(Inner, st.text(max_size=5), amounts, st.sampled_from(Kind))
outers = st.builds(
    Outer,
    st.none() | st.text(max_size=5),
    st.none() | st.integers(0, 10_000_000),
    st.none() | st.dates(),
    amounts,
    amounts,
    st.booleans(),
    inners,
    st.lists(inners, max_size=3).map(tuple),
    st.lists(st.text(max_size=3), max_size=3).map(tuple),
    st.none() | st.lists(inners, max_size=2).map(tuple),
    st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
)


@given(outers)
def test_the_fast_way_writes_what_the_library_writes(outer):
    schema = OuterOut()
    assert schema.dump(outer) == schema.dump_slowly(outer)


@given(st.lists(inners, max_size=3))
def test_many_at_once(rows):
    assert InnerOut().dump(rows, many=True) == [InnerOut().dump(row) for row in rows]


def test_nothing_inside_is_null():
    outer = Outer(None, None, None, None, None, False, None, (), (), None, {})
    schema = OuterOut(exclude=["deep"])
    assert schema.dump(outer)["inner"] is None
    assert schema.dump(outer) == schema.dump_slowly(outer)

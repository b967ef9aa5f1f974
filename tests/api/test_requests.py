"""The quick way of reading a request is marshmallow's way, only quicker."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import Schema, ValidationError, fields, post_load, validate

from api.fields import Choice, Flag, Instant, Kilometres, Money, Rows, Whole, Word
from api.requests import Request
from laws.norm import Zone


class RowIn(Request):
    metres = Kilometres(required=True, data_key="km")
    note = Word(load_default=None, allow_none=True)

    def build(self, data: dict[str, Any]) -> tuple[Any, ...]:
        if data["note"] == "ruim":
            raise ValidationError({"note": ["ruim"]})
        return (data["metres"], data["note"])


class TripIn(Request):
    zone = Choice(Zone, required=True)
    rows = Rows(RowIn(), 3, load_default=())
    flag = Flag(load_default=False)
    count = Whole(1, 5)
    money = Money(load_default=None, allow_none=True)
    at = Instant()
    short = Word(validate=validate.Length(max=2))
    plain = fields.String()

    def build(self, data: dict[str, Any]) -> dict[str, Any]:
        if data.get("count") == 5 and not data["rows"]:
            raise ValidationError({"rows": ["faltam"]})
        return data


values: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, 1, 5, 6, 1.0, "", "1", "10.5", "7.00", "7,00", "urban", "ruim", "abc", "2026-12-01T10:00",
     "2026-02-30T10:00", [], {}, [{"km": "1"}], [{"km": "1", "note": "ruim"}], [{"km": "1", "x": 1}], [{}], [1],
     [{"km": "1"}] * 4]
)  # fmt: skip
keys = st.sampled_from(["zone", "rows", "flag", "count", "money", "at", "short", "plain", "other"])
good = {"zone": "rural"}


def outcome(load, body):
    try:
        return load(body)
    except ValidationError as refused:
        return refused.messages


@given(st.dictionaries(keys, values).map(lambda some: good | some) | values)
def test_both_ways_read_the_same_and_refuse_the_same(body):
    schema = TripIn()
    assert outcome(schema.load, body) == outcome(lambda it: Schema.load(schema, it), body)


def test_what_is_plainly_right_is_read_the_quick_way(monkeypatch):
    monkeypatch.setattr(Schema, "_do_load", lambda *args, **kwargs: pytest.fail("marshmallow read it"))

    body = {"zone": "rural", "rows": [{"km": "10.5"}], "count": 2, "plain": "x", "short": "ab", "money": None}
    assert TripIn().load(body) == {
        "zone": Zone.RURAL, "rows": [(10500, None)], "flag": False, "count": 2, "plain": "x", "short": "ab",
        "money": None,
    }  # fmt: skip


def test_a_schema_with_a_hook_of_its_own_is_read_by_marshmallow():
    class HookedIn(Request):
        count = Whole(1, 5)

        @post_load
        def doubled(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
            return {"count": data["count"] * 2}

    class OuterIn(Request):
        rows = Rows(HookedIn(), 2)

    assert HookedIn().load({"count": 2}) == {"count": 4}
    assert OuterIn().load({"rows": [{"count": 2}]}) == {"rows": [{"count": 4}]}


def test_a_default_made_anew_each_time_is_read_by_marshmallow():
    class DefaultIn(Request):
        words = fields.List(fields.String(), load_default=list)

    assert DefaultIn().load({}) == {"words": []}

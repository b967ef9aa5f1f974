"""The answer of a fare is written as its schema says, whatever the answer is."""

from __future__ import annotations

from pathlib import Path

import pytest

from fares.schemas import FareIn, FareOut
from fares.tariffs import fare, open_lawbook

OUT = [{"zone": "urban", "km": "2"}, {"zone": "rural", "km": "10.125"}]
BACK = [{"zone": "rural", "km": "10", "direction": "return"}]


@pytest.fixture(scope="module")
def lawbook():
    return open_lawbook(Path(__file__).parents[2] / "laws")


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        ({"municipality": "ro-urupa", "legs": OUT}, "priced"),
        ({"municipality": "ro-urupa", "legs": OUT + BACK, "same_vehicle_return": True}, "priced"),
        ({"municipality": "ro-urupa", "legs": [{"zone": "undetermined", "km": "3"}]}, "priced"),
        ({"municipality": "ro-urupa", "legs": OUT, "passengers": 2}, "prohibited"),
        ({"municipality": "ro-urupa", "legs": OUT, "started_at": "1990-01-01T10:00"}, "no_tariff"),
        ({"municipality": "ro-urupa", "legs": [*OUT, {"zone": "outside", "km": "1"}]}, "out_of_scope"),
        ({"municipality": "mt-ipiranga-do-norte", "legs": OUT}, "delegated"),
    ],
)
def test_every_kind_of_answer_is_written_as_the_schema_says(lawbook, facts, status):
    order = FareIn().load({"started_at": "2026-12-01T10:00"} | facts)
    priced = fare(lawbook, order.municipality, order.trip(lawbook.municipality(order.municipality).zone_info))

    schema = FareOut()
    written = schema.dump(priced)
    assert written["status"] == status
    assert written == schema.dump_slowly(priced)

"""Every primitive of the tariff model by example, on norms written for the purpose."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from fares.engine import price, price_under
from fares.fare import Unit
from fares.trip import FactMissing, Item
from laws.loader import load_municipality
from laws.norm import Nature, Standing, Status
from laws.variants import BadChange
from tests.fares.norms import DAY_AND_NIGHT, ZONE, amounts, leg, norm_of, trip

NORMS = Path(__file__).parents[1] / "norms"


# P1, P2: a flat amount, and a rate per kilometre


def test_a_flat_fare_with_included_kilometres(tmp_path):
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        lines:
          - {code: flag, text: Até 3 km, fixed: 600, cite: art. 1º}
          - {code: km, text: Por km além de 3, per_km: 120, from_km: 3, cite: art. 2º}
        """,
    )
    assert price(norm, trip("urban 3")).total == 600
    fare = price(norm, trip("urban 5.5"))
    assert (fare.status, fare.total, fare.low, fare.high, fare.exact) == (Status.PRICED, 900, 900, 900, True)
    flag, km = fare.lines
    assert (km.quantity, km.unit, km.unit_amount, km.amount, km.citation) == (
        "2.5",
        Unit.KM,
        120,
        300,
        "Lei nº 1, art. 2º",
    )
    assert (flag.quantity, flag.unit, flag.amount) == ("1", Unit.TRIP, 600)


def test_a_rate_that_changes_beyond_a_distance(tmp_path):
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        lines:
          - {code: near, text: Até 10 km, per_km: 100, to_km: 10, cite: art. 1º}
          - {code: far, text: Além, per_km: 250, from_km: 10, to_km: 20, cite: art. 1º}
        """,
    )
    assert amounts(price(norm, trip("urban 4"))) == {"near": 400}
    assert amounts(price(norm, trip("urban 12"))) == {"near": 1000, "far": 500}
    assert amounts(price(norm, trip("urban 40"))) == {"near": 1000, "far": 2500}


@pytest.mark.parametrize(("partial", "total"), [("prorate", 340), ("started", 400), ("completed", 300)])
def test_part_of_a_kilometre(partial, total, tmp_path):
    norm = norm_of(
        tmp_path,
        f"nature: exact\nlines: [{{code: km, text: Por km, per_km: 100, partial: {partial}, cite: art. 1º}}]",
    )
    assert price(norm, trip("urban 3.4")).total == total
    assert price(norm, trip("urban 3")).total == 300


def test_a_rate_over_some_of_the_way(tmp_path):
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        lines:
          - {code: rural, text: Rural, per_km: 100, over: {zone: rural}, cite: art. 1º}
          - {code: unpaved, text: Sem asfalto, per_km: 10, over: {surface: unpaved}, cite: art. 1º}
          - {code: district, text: No distrito, per_km: 1000, over: {zone_code: ilha}, cite: art. 1º}
          - {code: after, text: Depois da cidade, per_km: 10000, over: {after_town: true}, cite: art. 1º}
        """,
    )
    fare = price(norm, trip("rural 1", "urban 2 unpaved", "rural 3 unpaved", "urban 4 @ilha"))
    assert amounts(fare) == {"rural": 400, "unpaved": 50, "district": 4000, "after": 70_000}


# P3: a value by band of distance

STEPS = """
nature: exact
lines:
  - code: band
    text: Por faixa
    steps: [{up_to_km: 4, amount: 600}, {up_to_km: 6, amount: 700}, {negotiated: true}]
    edge: EDGE
    cite: art. 1º
"""


@pytest.mark.parametrize(("edge", "at_four"), [("lower", 600), ("upper", 700)])
def test_bands_of_distance(edge, at_four, tmp_path):
    norm = norm_of(tmp_path, STEPS.replace("EDGE", edge))
    assert [price(norm, trip(f"urban {km}")).total for km in ("3.999", "4", "4.001")] == [600, at_four, 700]


def test_beyond_the_last_band_the_price_is_agreed(tmp_path):
    fare = price(norm_of(tmp_path, STEPS.replace("EDGE", "lower")), trip("urban 9"))
    assert (fare.status, fare.total, fare.lines) == (Status.NEGOTIATED, None, ())
    assert [(r.code, r.citation) for r in fare.reasons] == [("beyond_table", "Lei nº 1, art. 1º")]


def test_bands_in_a_straight_line_need_the_radius(tmp_path):
    norm = norm_of(tmp_path, STEPS.replace("edge: EDGE", "radius: true"))
    assert price(norm, trip("urban 9", radius_metres=3500)).total == 600
    with pytest.raises(FactMissing) as missing:
        price(norm, trip("urban 9"))
    assert missing.value.field == "radius_km"


# P4: a price by origin and destination

MATRIX = """
nature: exact
zones: {a: [Centro], b: [Vila Áurea], c: [Sítio]}
lines:
  - code: table
    text: Tabela
    matrix:
      - {from: a, to: c, amount: 2000, symmetric: true}
      - {from: a, to: b, amount: 900}
      - {from: same, to: same, amount: 400}
      - {from: any, to: c, amount: 3000}
    cite: anexo
"""


@pytest.mark.parametrize(
    ("origin", "destination", "total"),
    [
        ("Centro", "Centro", 400),
        ("centro", "  VILA AUREA ", 900),
        ("Vila Áurea", "Centro", None),
        ("Centro", "Sítio", 2000),
        ("Sítio", "Centro", 2000),
        ("Vila Áurea", "Sítio", 3000),
        ("Sítio", "Sítio", 400),
        ("Centro", "Marte", None),
    ],
)
def test_a_price_by_pair_of_zones(origin, destination, total, tmp_path):
    """F100: a pair that is not in the table has no price, never zero; the table need not be symmetric."""
    norm = norm_of(tmp_path, MATRIX)
    fare = price(norm, trip("urban 1", origin_zone_code=origin, destination_zone_code=destination))
    assert fare.total == total
    if total is None:
        assert fare.status is Status.UNDEFINED_COMPONENT
        assert [reason.code for reason in fare.reasons] == ["no_price_for_pair"]


def test_a_table_asks_for_both_ends(tmp_path):
    norm = norm_of(tmp_path, MATRIX)
    for facts, missing in (
        ({"destination_zone_code": "Centro"}, "origin_zone_code"),
        ({"origin_zone_code": "Centro"}, "destination_zone_code"),
    ):
        with pytest.raises(FactMissing) as refused:
            price(norm, trip("urban 1", **facts))
        assert refused.value.field == missing


def test_a_surcharge_of_either_end_asks_for_the_end_it_was_not_told(tmp_path):
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        zones: {far: [Sítio]}
        lines:
          - {code: fare, text: Corrida, fixed: 500, cite: art. 1º}
          - {code: far, text: Longe, add: 100, when: {either_code: far}, cite: art. 2º}
        """,
    )
    assert price(norm, trip("urban 1", destination_zone_code="Sítio")).total == 600
    assert price(norm, trip("urban 1", origin_zone_code="Sítio", destination_zone_code="Centro")).total == 600
    with pytest.raises(FactMissing) as missing:
        price(norm, trip("urban 1", destination_zone_code="Centro"))
    assert (missing.value.field, missing.value.citation) == ("origin_zone_code", "Lei nº 1, art. 2º")


def test_a_long_ride_costs_a_flat_fare_and_then_a_rate(tmp_path):
    """F100: R$ 15 up to 10 km, then R$ 1,20 per km."""
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        lines:
          - {code: long, text: Corrida longa, fixed: 1500, cite: tabela}
          - {code: km, text: Além de 10 km, per_km: 120, from_km: 10, cite: tabela}
        """,
    )
    assert [price(norm, trip(f"urban {km}")).total for km in ("10", "12")] == [1500, 1740]


# P5, P6: hour bands, and choosing by condition


def test_the_band_of_the_start_chooses_the_line(tmp_path):
    """F032: Saturday until 24:00 at R$ 6,00, Sunday from 00:00 at R$ 7,00."""
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        schedule:
          saturday: {text: Sábado, times: [{days: [sat], from: "13:00", to: "24:00"}]}
          sunday: {text: Domingo, times: [{days: [sun], from: "00:00", to: "05:00"}]}
          other: {text: Outras horas, rest: true}
        lines:
          - {code: saturday, text: Sábado, fixed: 600, when: {window: saturday}, cite: art. 1º}
          - {code: sunday, text: Domingo, fixed: 700, when: {window: sunday}, cite: art. 1º}
          - {code: other, text: Outras horas, fixed: 500, when: {window: other}, cite: art. 1º}
        """,
    )
    instants = ("2024-05-18T23:59:59", "2024-05-19T00:00:00", "2024-05-19T05:00:00")
    assert [price(norm, trip("urban 1", at=at)).total for at in instants] == [600, 700, 500]


BANDS = f"""
nature: exact
{DAY_AND_NIGHT}
lines:
  - {{code: day, text: De dia, per_km: 100, when: {{window: day}}, cite: art. 1º}}
  - {{code: night, text: De noite, per_km: 150, when: {{window: night}}, cite: art. 1º}}
"""


def test_the_band_of_the_end_may_choose_the_line(tmp_path):
    norm = norm_of(tmp_path, BANDS + "window_at: end\n")
    ends = datetime(2024, 5, 14, 22, 0, tzinfo=ZONE)
    assert price(norm, trip("urban 2", at="2024-05-14T21:50", ended_at=ends)).total == 300
    with pytest.raises(FactMissing) as missing:
        price(norm, trip("urban 2", at="2024-05-14T21:50"))
    assert missing.value.field == "ended_at"


def test_each_leg_may_have_its_own_band(tmp_path):
    norm = norm_of(tmp_path, BANDS + "window_at: leg\n")
    legs = tuple(
        replace(leg(words), started_at=datetime(2024, 5, 14, hour, minute, tzinfo=ZONE))
        for words, hour, minute in (("urban 2", 21, 50), ("urban 4", 22, 0))
    )
    fare = price(norm, replace(trip(at="2024-05-14T21:50"), legs=legs))
    assert amounts(fare) == {"day": 200, "night": 600}
    with pytest.raises(FactMissing) as missing:
        price(norm, trip("urban 2"))
    assert missing.value.field == "legs.started_at"


BY_LEG = """
readings:
  - id: band_of
    question: Vale a hora do começo ou a de cada trecho?
    cite: art. 1º
    options:
      - {id: start, standing: adopted, why: Do começo.}
      - {id: leg, standing: reasonable, why: De cada trecho., changes: {window_at: leg}}
"""


def test_readings_by_start_and_by_leg_are_measured_apart(tmp_path):
    norm = norm_of(tmp_path, BANDS + BY_LEG)
    legs = tuple(
        replace(leg(words), started_at=datetime(2024, 5, 14, hour, minute, tzinfo=ZONE))
        for words, hour, minute in (("urban 2", 21, 50), ("urban 4", 22, 0))
    )
    fare = price(norm, replace(trip(at="2024-05-14T21:50"), legs=legs))
    assert [reading.total for reading in fare.readings] == [600, 800]


def test_bands_are_read_on_the_towns_own_clocks(tmp_path):
    """F050: 01:30 UTC is 21:30 of the day before in Rondônia: still day."""
    norm = norm_of(tmp_path, BANDS)
    assert amounts(price(norm, trip("urban 1", at="2026-11-30T21:30"))) == {"day": 100}
    in_utc = replace(trip("urban 1"), started_at=datetime.fromisoformat("2026-12-01T01:30+00:00"))
    assert amounts(price(norm, in_utc)) == {"day": 100}
    assert amounts(price(norm, replace(in_utc, started_at=datetime.fromisoformat("2026-12-01T02:00Z")))) == {
        "night": 150
    }


GAP = """
nature: exact
schedule:
  day: {text: Dia, times: [{days: [mon, tue, wed, thu, fri, sat, sun], from: "06:00", to: "22:00"}]}
  night: {text: de noite, rest: true, gap: true}
lines:
  - {code: flag, text: Bandeirada, fixed: 300, cite: art. 1º}
  - {code: day, text: De dia, per_km: 100, when: {window: day}, cite: art. 1º}
"""


def test_an_hour_without_a_tariff_has_no_price(tmp_path):
    """Not even the flag, which names no band."""
    norm = norm_of(tmp_path, GAP)
    assert price(norm, trip("urban 2")).total == 500
    fare = price(norm, trip("urban 2", at="2024-05-14T23:00"))
    assert (fare.status, fare.total, fare.lines) == (Status.NO_TARIFF, None, ())
    assert [(reason.code, "de noite" in reason.detail) for reason in fare.reasons] == [("no_rule", True)]


def test_a_leg_in_an_hour_without_a_tariff_has_no_price(tmp_path):
    norm = norm_of(tmp_path, GAP + "window_at: leg\n")
    late = replace(leg("urban 2"), started_at=datetime(2024, 5, 14, 22, 10, tzinfo=ZONE))
    fare = price(norm, replace(trip(at="2024-05-14T21:50"), legs=(late,)))
    assert (fare.status, fare.total) == (Status.NO_TARIFF, None)


def test_the_first_line_of_a_group_whose_condition_holds_is_the_one(tmp_path):
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        lines:
          - {code: many, text: Mais de três, fixed: 900, one_of: fare, when: {passengers_from: 4}, cite: art. 1º}
          - {code: unpaved, text: Sem asfalto, fixed: 700, one_of: fare, when: {surface: unpaved}, cite: art. 1º}
          - {code: plain, text: Corrida, fixed: 500, one_of: fare, cite: art. 1º}
        """,
    )
    assert amounts(price(norm, trip("urban 1"))) == {"plain": 500}
    assert amounts(price(norm, trip("urban 1 unpaved"))) == {"unpaved": 700}
    assert amounts(price(norm, trip("urban 1 unpaved", passengers=4))) == {"many": 900}


def test_a_tariff_by_category_asks_for_it(tmp_path):
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        lines:
          - {code: plain, text: Comum, fixed: 500, when: {category: comum}, cite: art. 1º}
          - {code: luxury, text: Luxo, fixed: 900, when: {category: luxo}, cite: art. 1º}
        """,
    )
    assert price(norm, trip("urban 1", category="luxo")).total == 900
    with pytest.raises(FactMissing) as missing:
        price(norm, trip("urban 1"))
    assert missing.value.field == "category"


# P7, P10: adjustments and bounds, on some of the lines

ADJUSTED = """
nature: exact
lines:
  - {code: flag, text: Bandeirada, fixed: 500, cite: art. 1º}
  - {code: km, text: Por km, per_km: 100, cite: art. 1º}
"""


@pytest.mark.parametrize(
    ("adjustment", "total"),
    [
        ("add: 150", 1650),
        ("add: 150, on: [nothing]", 1500),
        ("times: 1.5", 2250),
        ("times: 1.5, on: [km]", 2000),
        ("times: 0.5", 750),
        ("at_least: 2000", 2000),
        ("at_least: 1200", 1500),
        ("at_least: 1200, on: [km]", 1700),
        ("at_most: 1200", 1200),
        ("at_most: 2000", 1500),
        ("at_most: 400, on: [km]", 900),
    ],
)
def test_adjustments_and_bounds(adjustment, total, tmp_path):
    norm = norm_of(tmp_path, f"{ADJUSTED}  - {{code: adjusted, text: Ajuste, {adjustment}, cite: art. 2º}}\n")
    fare = price(norm, trip("urban 10"))
    assert fare.total == total
    assert sum(line.amount for line in fare.lines) == total


def test_adjustments_follow_the_order_of_the_norm(tmp_path):
    factor = "  - {code: factor, text: Dobro, times: 2, cite: art. 2º}\n"
    extra = "  - {code: extra, text: Acréscimo, add: 100, cite: art. 3º}\n"
    first = norm_of(tmp_path / "first", ADJUSTED + extra + factor)
    last = norm_of(tmp_path / "last", ADJUSTED + factor + extra)
    assert (price(first, trip("urban 1")).total, price(last, trip("urban 1")).total) == (1400, 1300)


def test_the_order_of_evaluation_is_data(tmp_path):
    extras = """
  - {code: wait, text: Espera, waiting: 600, cite: art. 2º}
  - {code: factor, text: Dobro, times: 2, cite: art. 3º}
"""
    usual = norm_of(tmp_path / "usual", ADJUSTED + extras)
    waiting_first = norm_of(
        tmp_path / "other", f"order: [base, return, extras, adjust, bounds]\n{ADJUSTED.strip()}\n{extras}"
    )
    facts = trip("urban 1", waiting_seconds=3600)
    assert (price(usual, facts).total, price(waiting_first, facts).total) == (1800, 2400)


# P8, P9, P14: waiting, things carried, passengers


@pytest.mark.parametrize(
    ("line", "facts", "total"),
    [
        ("waiting: 1500", {"waiting_seconds": 1200}, 500),
        ("waiting: 1500", {"waiting_seconds": 3}, 1),
        ("waiting: 1500, free_minutes: 10", {"waiting_seconds": 1200}, 250),
        ("waiting: 1500, free_minutes: 30", {"waiting_seconds": 1200}, 0),
        ("waiting: 5100, slow_below_kmh: 15", {"slow_seconds": 720}, 1020),
        ("waiting: 5100, slow_below_kmh: 15", {"waiting_seconds": 720}, 0),
        ("item: 125, class: bag", {"items": (Item("bag", 3),)}, 375),
        ("item: 125, class: bag, free: 1", {"items": (Item("bag", 3),)}, 250),
        ("item: 125, class: bag", {"items": (Item("dog", 3),)}, 0),
        ("per_passenger: {1: 500, 2: 300}", {"passengers": 1}, 500),
        ("per_passenger: {1: 500, 2: 300}", {"passengers": 2}, 600),
    ],
)
def test_extras(line, facts, total, tmp_path):
    norm = norm_of(tmp_path, f"nature: exact\nlines: [{{code: extra, text: Extra, {line}, cite: art. 1º}}]")
    assert price(norm, trip("urban 1", **facts)).total == total


def test_a_number_of_passengers_the_table_lacks_has_no_price(tmp_path):
    norm = norm_of(
        tmp_path, "nature: exact\nlines: [{code: seat, text: Lugar, per_passenger: {1: 500}, cite: art. 1º}]"
    )
    fare = price(norm, trip("urban 1", passengers=2))
    assert (fare.status, fare.reasons[0].code) == (Status.UNDEFINED_COMPONENT, "no_price_for_passengers")


def test_odometer_and_stopped_time(tmp_path):
    """F103: 45.310,2 to 45.317,2 on the odometer, 15 minutes stopped."""
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        lines:
          - {code: flag, text: Bandeirada, fixed: 250, cite: decreto}
          - {code: km, text: Por km, per_km: 100, cite: decreto}
          - {code: wait, text: Hora parada, waiting: 1600, cite: decreto}
        """,
    )
    assert price(norm, trip("urban 7")).total == 950
    assert price(norm, trip("urban 7", waiting_seconds=900)).total == 1350


# P11: the way back

BACK = """
nature: exact
return_after_stop: [rural]
lines:
  - {code: out, text: Ida, fixed: 700, cite: art. 1º}
  - code: back
    text: Volta
    fixed: 300
    stage: return
    when: {same_vehicle_return: true, destination: urban}
    cite: art. 2º
  - code: rural_back
    text: Volta da zona rural
    per_km: 50
    over: {zone: rural, direction: return}
    stage: return
    when: {same_vehicle_return: true}
    cite: art. 3º
"""


def test_the_way_back_on_the_same_vehicle(tmp_path):
    norm = norm_of(tmp_path, BACK)
    assert amounts(price(norm, trip("urban 2"))) == {"out": 700}
    assert amounts(price(norm, trip("urban 2", "urban 2 back", same_vehicle_return=True))) == {"out": 700, "back": 300}
    fare = price(norm, trip("rural 4", "rural 6 back", same_vehicle_return=True))
    assert amounts(fare) == {"out": 700, "rural_back": 300}


def test_the_way_back_on_another_vehicle_is_another_hire(tmp_path):
    fare = price(norm_of(tmp_path, BACK), trip("urban 2", "urban 2 back"))
    assert fare.total == 1400
    assert [(line.code, line.quantity, line.amount) for line in fare.lines] == [("out", "2", 1400)]


def test_after_a_stop_asked_for_the_rest_is_the_way_back(tmp_path):
    norm = norm_of(tmp_path, BACK)
    fare = price(norm, trip("urban 1", "rural 4 stop", "rural 4", "urban 1", same_vehicle_return=True))
    assert amounts(fare) == {"out": 700, "rural_back": 200}


def test_a_return_without_a_leg_back_says_what_is_missing(tmp_path):
    with pytest.raises(FactMissing) as missing:
        price(norm_of(tmp_path, BACK), trip("urban 2", same_vehicle_return=True))
    assert missing.value.field == "legs.direction"


# P12: nature

FLAT = "lines: [{code: fare, text: Corrida, fixed: 700, cite: art. 1º}]"


def test_a_ceiling_allows_any_lower_charge(tmp_path):
    """F101: with a ceiling of R$ 7,00, R$ 6,00 conforms; with an exact tariff it does not."""
    ceiling = price(norm_of(tmp_path / "ceiling", f"nature: ceiling\n{FLAT}"), trip("urban 1"))
    assert (ceiling.nature, ceiling.total, ceiling.low, ceiling.high, ceiling.exact) == (
        Nature.CEILING,
        700,
        0,
        700,
        False,
    )
    exact = price(norm_of(tmp_path / "exact", f"nature: exact\n{FLAT}"), trip("urban 1"))
    assert (exact.low, exact.high, exact.exact) == (700, 700, True)


def test_a_line_that_may_be_left_out_makes_a_range(tmp_path):
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        lines:
          - {code: fare, text: Corrida, fixed: 700, cite: art. 1º}
          - {code: december, text: Décimo terceiro, fixed: 200, optional: true, cite: art. 2º}
        """,
    )
    fare = price(norm, trip("urban 1"))
    assert (fare.total, fare.low, fare.high, fare.exact) == (700, 700, 900, False)


def test_an_interval_bounds_an_agreed_price(tmp_path):
    norm = norm_of(
        tmp_path,
        """
        nature: interval
        lines:
          - {code: least, text: Mínimo, fixed: 400, side: lower, cite: art. 1º}
          - {code: most, text: Máximo, per_km: 500, side: upper, cite: art. 2º}
        """,
    )
    fare = price(norm, trip("urban 2"))
    assert (fare.status, fare.total, fare.low, fare.high) == (Status.NEGOTIATED, None, 400, 1000)


def test_a_negotiated_price_has_no_bounds(tmp_path):
    fare = price(norm_of(tmp_path, f"nature: negotiated\n{FLAT}"), trip("urban 1"))
    assert (fare.status, fare.total, fare.low, fare.high) == (Status.NEGOTIATED, None, None, None)


# P13: rounding


@pytest.mark.parametrize(
    ("rounding", "total"),
    [
        ("{mode: truncate}", 1141),
        ("{mode: half_up}", 1142),
        ("{mode: truncate, to_centavos: 10}", 1140),
        ("{mode: half_up, to_centavos: 50}", 1150),
        ("{mode: truncate, to_centavos: 100}", 1100),
    ],
)
def test_rounding_once_at_the_end(rounding, total, tmp_path):
    norm = norm_of(
        tmp_path,
        f"""
        nature: exact
        rounding: {rounding}
        lines:
          - {{code: flag, text: Bandeirada, fixed: 480, cite: art. 1º}}
          - {{code: km, text: Por km, per_km: 90, cite: art. 1º}}
        """,
    )
    fare = price(norm, trip("urban 7.35"))
    assert fare.total == total
    assert sum(line.amount for line in fare.lines) == total


@pytest.mark.parametrize(("where", "total"), [("end", 101), ("line", 100)])
def test_rounding_each_line_or_the_sum(where, total, tmp_path):
    norm = norm_of(
        tmp_path,
        f"""
        nature: exact
        rounding: {{at: {where}}}
        lines:
          - {{code: a, text: A, per_km: 101, over: {{zone: urban}}, cite: art. 1º}}
          - {{code: b, text: B, per_km: 101, over: {{zone: rural}}, cite: art. 1º}}
        """,
    )
    assert price(norm, trip("urban 0.5", "rural 0.5")).total == total


@pytest.mark.parametrize(("metres", "ticks"), [("0.199", 1), ("0.2", 1), ("0.201", 2), ("1", 5)])
def test_ticks_of_distance(metres, ticks, tmp_path):
    norm = norm_of(
        tmp_path, "nature: exact\nlines: [{code: tick, text: A cada 200 m, tick: {amount: 30, metres: 200}, cite: a}]"
    )
    fare = price(norm, trip(f"urban {metres}"))
    assert (fare.total, fare.lines[0].quantity, fare.lines[0].unit) == (30 * ticks, str(ticks), Unit.TICK)


def test_ticks_of_time(tmp_path):
    norm = norm_of(
        tmp_path, "nature: exact\nlines: [{code: tick, text: A cada 36 s, tick: {amount: 30, seconds: 36}, cite: a}]"
    )
    assert price(norm, trip("urban 1", waiting_seconds=37)).total == 60


def test_a_centavo_in_doubt_falls_to_no_line_twice(tmp_path):
    """F025: ten centavos three times are thirty."""
    tenths = "".join(f"  - {{code: t{i}, text: Décimo, per_km: 1, cite: a}}\n" for i in range(3))
    fare = price(norm_of(tmp_path, f"nature: exact\nlines:\n{tenths}"), trip("urban 10"))
    assert [line.amount for line in fare.lines] == [10, 10, 10]
    fare = price(norm_of(tmp_path, f"nature: exact\nlines:\n{tenths}"), trip("urban 0.5"))
    assert (fare.total, sorted(line.amount for line in fare.lines)) == (1, [0, 0, 1])


# P17: readings

READ = """
nature: exact
lines:
  - {code: flag, text: Bandeirada, fixed: 500, cite: art. 1º}
  - {code: km, text: Por km, per_km: 100, cite: art. 1º}
readings:
  - id: part
    question: Fração?
    cite: art. 1º
    when: {partial_km: true}
    options:
      - {id: prorated, standing: adopted, why: Por igual.}
      - {id: started, standing: reasonable, why: Começado., changes: {set: {km: {partial: started}}}}
  - id: flag
    question: A bandeirada é devida?
    cite: art. 2º
    signed_by: Prefeito
    signed_on: 2024-01-02
    options:
      - {id: due, standing: adopted, why: Sim.}
      - {id: absurd, standing: rejected, why: Em dobro., changes: {set: {flag: {fixed: 1000}}}}
      - {id: none, standing: reasonable, why: Não., changes: {drop: [flag]}}
      - id: silent
        standing: reasonable
        why: A lei se cala.
        changes: {refuses: {status: no_tariff, code: no_rule, text: Nada., cite: art. 2º}}
"""


def test_every_reading_and_their_combinations(tmp_path):
    norm = norm_of(tmp_path, READ)
    fare = price(norm, trip("urban 2.5"))
    assert {reading.id: (reading.standing, reading.total) for reading in fare.readings} == {
        "adopted": (Standing.ADOPTED, 750),
        "part.started": (Standing.REASONABLE, 800),
        "flag.absurd": (Standing.REJECTED, 1250),
        "flag.none": (Standing.REASONABLE, 250),
        "flag.silent": (Standing.REASONABLE, None),
        "part.started+flag.absurd": (Standing.REJECTED, 1300),
        "part.started+flag.none": (Standing.REASONABLE, 300),
    }
    assert (fare.total, fare.readings_low, fare.readings_high) == (750, 250, 800)
    assert [w.code for w in fare.warnings] == ["reading_unsigned"]
    for reading in fare.readings:
        assert price_under(norm, trip("urban 2.5"), reading.choices) == reading.total


def test_a_clause_the_trip_does_not_raise_is_not_read(tmp_path):
    fare = price(norm_of(tmp_path, READ), trip("urban 2"))
    assert [reading.id for reading in fare.readings] == ["adopted", "flag.absurd", "flag.none", "flag.silent"]
    assert fare.readings[0].signed_by == "Prefeito"
    assert not fare.warnings


def test_a_reading_that_does_not_exist_is_refused(tmp_path):
    norm = norm_of(tmp_path, READ)
    for choices in ({"part": "halved"}, {"halves": "prorated"}):
        with pytest.raises(BadChange):
            price_under(norm, trip("urban 2"), choices)


# P18: answers without a price


def test_a_figure_the_source_lacks_leaves_what_it_has(tmp_path):
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        lines:
          - {code: flag, text: Bandeirada, missing: true, cite: art. 1º}
          - {code: km, text: Por km, per_km: 500, cite: art. 1º}
        """,
    )
    fare = price(norm, trip("urban 4"))
    assert (fare.status, fare.total, fare.known_part) == (Status.UNDEFINED_COMPONENT, None, 2000)
    assert [(r.code, r.citation) for r in fare.reasons] == [("missing_figure", "Lei nº 1, art. 1º")]


RULES = """
prohibitions:
  - {status: out_of_scope, code: outside, text: Fora., cite: art. 1º, when: {touches: outside}}
  - {status: prohibited, code: one_passenger, text: Um só., cite: art. 2º, when: {passengers_from: 2}}
  - {status: prohibited, code: child, text: Criança., cite: art. 3º, when: {age_below: 10}}
  - {status: prohibited, code: load, text: Carga., cite: art. 4º, when: {items_other_than: [backpack]}}
notices:
  - {code: waits, text: Não há espera., cite: art. 5º, when: {waited: true}}
"""


@pytest.mark.parametrize(
    ("legs", "facts", "status", "codes"),
    [
        (["urban 1"], {}, Status.DELEGATED, ["needs_decree"]),
        (["urban 1"], {"passengers": 2}, Status.PROHIBITED, ["one_passenger"]),
        (["urban 1"], {"passenger_age": 9}, Status.PROHIBITED, ["child"]),
        (["urban 1"], {"passenger_age": 10}, Status.DELEGATED, ["needs_decree"]),
        (["urban 1"], {"items": (Item("sofa"),)}, Status.PROHIBITED, ["load"]),
        (["urban 1"], {"items": (Item("backpack"),)}, Status.DELEGATED, ["needs_decree"]),
        (["rural 1", "outside 1"], {"passengers": 2}, Status.PROHIBITED, ["one_passenger", "outside"]),
        (["rural 1", "outside 1"], {}, Status.OUT_OF_SCOPE, ["outside"]),
    ],
)
def test_why_there_is_no_price(legs, facts, status, codes, tmp_path):
    delegated = "none: {status: delegated, code: needs_decree, text: Por decreto., cite: art. 14}"
    norm = norm_of(tmp_path, delegated, RULES)
    fare = price(norm, trip(*legs, **facts))
    assert (fare.status, fare.total, fare.lines, fare.readings) == (status, None, (), ())
    assert [reason.code for reason in fare.reasons][: len(codes)] == codes
    assert all(
        reason.citation.startswith("Lei nº 1, art. ") or reason.code == "outside_municipality"
        for reason in fare.reasons
    )


def test_a_notice_warns_beside_the_price(tmp_path):
    norm = norm_of(tmp_path, f"nature: exact\n{FLAT}", RULES)
    assert not price(norm, trip("urban 1")).warnings
    (warning,) = price(norm, trip("urban 1", waiting_seconds=60)).warnings
    assert (warning.code, warning.citation) == ("waits", "Lei nº 1, art. 5º")


def test_a_call_that_never_became_a_trip_costs_nothing(tmp_path):
    fare = price(norm_of(tmp_path, f"nature: exact\n{FLAT}"), trip("urban 0", boarded=False))
    assert (fare.status, fare.total, fare.lines) == (Status.PRICED, 0, ())


# The band that no source tells town from country


def test_a_trip_through_the_undetermined_band_is_a_range_from_the_cheaper(tmp_path):
    norm = norm_of(
        tmp_path,
        """
        nature: exact
        lines:
          - {code: town, text: Cidade, per_km: 100, over: {zone: urban}, cite: art. 1º}
          - {code: country, text: Campo, per_km: 300, over: {zone: rural}, cite: art. 1º}
        """,
    )
    fare = price(norm, trip("urban 1", "undetermined 2"))
    assert (fare.total, fare.low, fare.high, fare.exact) == (300, 300, 700, False)
    assert (fare.readings_low, fare.readings_high) == (300, 700)
    assert "zone_undetermined" in [warning.code for warning in fare.warnings]


def test_holiday_eves_and_unpaved_roads_say_why_they_cost_more():
    """F083: the eve of a holiday from 20:00, and an unpaved road at noon, both at band 2 with the reason printed."""
    (norm,) = [n for n in load_municipality(NORMS / "mt-sinop").norms if n.ref.id == "mt-sinop/decreto-2015"]
    for at in ("2016-12-24T20:30", "2017-12-24T20:30"):  # a Saturday and a Sunday
        fare = price(norm, trip("urban 10", at=at))
        assert fare.lines[1].code == "km_b2"
        assert (fare.lines[1].text, fare.lines[1].unit_amount) == ("Por quilômetro, bandeira 2", 450)
    fare = price(norm, trip("urban 7", "rural 5 unpaved", at="2015-12-02T12:00"))
    unpaved = fare.lines[2]
    assert (unpaved.text, unpaved.quantity, unpaved.unit_amount) == (
        "Por quilômetro em estrada sem asfalto, bandeira 2",
        "5",
        450,
    )
    assert "unpaved_facultative" in [warning.code for warning in fare.warnings]

"""What holds of every fare: on tariffs made up at random, and on every norm we have, with trips made up at random."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cache
from math import floor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from fares.engine import price, price_under
from fares.fare import Fare
from fares.trip import Direction, Item, Leg, Surface, Trip, Zone
from laws.loader import load_lawbook
from laws.norm import Municipality, Nature, Norm, Standing, Status
from laws.timeline import norms_beside
from tests.fares.norms import ZONE, norm_of

ROOT = Path(__file__).parents[2]
ROUNDS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

MADE_UP = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # each try writes and loads a norm: shrinking takes minutes
)


@cache
def municipalities() -> tuple[Municipality, ...]:
    books = (load_lawbook(ROOT / "laws"), load_lawbook(ROOT / "tests" / "norms"))
    return tuple(m for book in books for m in book.municipalities.values())


@cache
def norms() -> tuple[tuple[Municipality, Norm], ...]:
    """Every norm that fixes a tariff."""
    return tuple((m, norm) for m in municipalities() for norm in m.norms if norm.variants is not None)


metres = st.integers(0, 60_000) | st.integers(0, 30).map(lambda km: 1000 * km)
legs = st.builds(
    Leg,
    zone=st.sampled_from([Zone.URBAN, Zone.RURAL]),
    metres=metres,
    direction=st.sampled_from(Direction),
    stop=st.booleans(),
    surface=st.sampled_from(Surface),
)


@st.composite
def rides(draw: st.DrawFn) -> tuple[Norm, tuple[Norm, ...], Trip]:
    """A norm, the norms beside it, and a trip that states all the facts it may ask for."""
    municipality, norm = draw(st.sampled_from(norms()))
    base = norm.base
    assert base is not None
    ridden = tuple(draw(st.lists(legs, min_size=1, max_size=6)))
    districts = sorted(base.districts) or ["qualquer"]
    minutes = draw(st.integers(0, 60 * 24 * 800))
    started_at = norm.force.start + timedelta(minutes=minutes)
    trip = Trip(
        started_at=started_at,
        ended_at=draw(st.none() | st.just(started_at + timedelta(minutes=25))),
        legs=tuple(replace(leg, zone_code=draw(st.sampled_from(districts))) for leg in ridden),
        same_vehicle_return=draw(st.booleans()) and any(leg.direction is Direction.RETURN for leg in ridden),
        waiting_seconds=draw(st.sampled_from([0, 0, 60, 1201, 5000])),
        slow_seconds=draw(st.sampled_from([0, 0, 719])),
        passengers=draw(st.sampled_from([1, 1, 1, 2])),
        category=draw(st.sampled_from(["comum", "luxo"])),
        items=draw(st.sampled_from([(), (), (Item("outside_boot", 2),), (Item("backpack"),)])),
        origin_zone_code=draw(st.sampled_from(districts)),
        destination_zone_code=draw(st.sampled_from(districts)),
    )
    return norm, norms_beside(municipality, started_at, norm.service), trip


@given(ride=rides())
@ROUNDS
def test_the_lines_add_up_and_every_one_is_cited(ride):
    norm, beside, trip = ride
    fare = price(norm, trip, beside)
    assert all(line.citation and line.text for line in fare.lines)
    if fare.total is not None:
        assert sum(line.amount for line in fare.lines) == fare.total
        assert isinstance(fare.total, int)
        assert fare.total >= 0
    elif fare.known_part is not None:
        assert sum(line.amount for line in fare.lines) == fare.known_part
    else:
        assert fare.reasons


@given(ride=rides())
@ROUNDS
def test_an_answer_is_a_price_or_says_why_not(ride):
    norm, beside, trip = ride
    fare = price(norm, trip, beside)
    assert (fare.status is Status.PRICED) == (fare.total is not None) == (not fare.reasons)
    if fare.total is not None:
        assert fare.low is not None
        assert fare.high is not None
        assert fare.low <= fare.total <= fare.high
        assert fare.exact == (fare.low == fare.high)


@given(ride=rides())
@ROUNDS
def test_the_readings_span_the_adopted_total(ride):
    norm, beside, trip = ride
    fare = price(norm, trip, beside)
    if not fare.readings:
        return
    first, *others = fare.readings
    assert (first.standing, first.total, first.choices) == (Standing.ADOPTED, fare.total, {})
    assert all(reading.standing is not Standing.ADOPTED and reading.choices for reading in others)
    counted = [r.total for r in fare.readings if r.total is not None and r.standing is not Standing.REJECTED]
    assert (fare.readings_low, fare.readings_high) == (min(counted, default=None), max(counted, default=None))
    if fare.total is not None:
        assert fare.readings_low is not None
        assert fare.readings_high is not None
        assert fare.readings_low <= fare.total <= fare.readings_high


@given(ride=rides())
@ROUNDS
def test_each_reading_is_what_the_norm_gives_under_its_choices(ride):
    norm, beside, trip = ride
    for reading in price(norm, trip, beside).readings:
        figure = price_under(norm, trip, reading.choices)
        if reading.status is not Status.UNDEFINED_COMPONENT:
            assert figure == reading.total


@given(ride=rides())
@ROUNDS
def test_no_reading_is_told_twice(ride):
    norm, beside, trip = ride
    fare = price(norm, trip, beside)
    assert len({reading.id for reading in fare.readings}) == len(fare.readings)


@given(ride=rides(), place=st.integers(0, 5), part=st.integers(0, 1000))
@ROUNDS
def test_splitting_a_leg_changes_nothing(ride, place, part):
    """Where kilometres are prorated: a leg is a way of telling, not a thing of law."""
    norm, beside, trip = ride
    place %= len(trip.legs)
    leg = trip.legs[place]
    first = leg.metres * part // 1000
    split = (replace(leg, metres=first, stop=False), replace(leg, metres=leg.metres - first))
    parts = replace(trip, legs=(*trip.legs[:place], *split, *trip.legs[place + 1 :]))
    whole, cut = price(norm, trip, beside), price(norm, parts, beside)
    assert (whole.status, whole.total, whole.known_part) == (cut.status, cut.total, cut.known_part)


@given(ride=rides(), data=st.data())
@ROUNDS
def test_the_order_of_legs_alike_changes_nothing(ride, data):
    norm, beside, trip = ride
    place = data.draw(st.integers(0, len(trip.legs) - 1))
    leg = replace(trip.legs[place], stop=False)
    alike = [replace(leg, metres=data.draw(metres)) for _ in range(3)]

    def with_legs(order: list[Leg]) -> Fare:
        return price(norm, replace(trip, legs=(*trip.legs[:place], *order, *trip.legs[place:])), beside)

    assert with_legs(alike) == with_legs(data.draw(st.permutations(alike)))


@given(ride=rides())
@ROUNDS
def test_the_same_facts_give_the_same_answer(ride):
    norm, beside, trip = ride
    assert price(norm, trip, beside) == price(norm, replace(trip), beside)


# Tariffs made up at random, against a reckoning in fractions

money = st.integers(0, 5000)
rates = st.lists(
    st.tuples(
        st.sampled_from(["urban", "rural", "[urban, rural]"]),
        st.sampled_from(["outbound", "return"]),
        money,
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=3,
)


Linear = tuple[int, list[tuple[str, str, int, int]], int, int]


@st.composite
def linear_tariffs(draw: st.DrawFn) -> Linear:
    """A flag, rates by zone and direction beyond some kilometres, an hour's waiting and its free minutes."""
    return draw(money), draw(rates), draw(money), draw(st.integers(0, 20))


def norm_for(tariff: Linear, nature: str = "exact") -> Norm:
    flag, kilometres, waiting, free = tariff
    lines = [f"  - {{code: flag, text: Bandeirada, fixed: {flag}, cite: a}}"]
    for i, (zone, direction, rate, beyond) in enumerate(kilometres):
        over = f"{{zone: {zone}, direction: {direction}}}"
        lines.append(f"  - {{code: km{i}, text: Km, per_km: {rate}, from_km: {beyond}, over: {over}, cite: a}}")
    lines.append(f"  - {{code: wait, text: Espera, waiting: {waiting}, free_minutes: {free}, cite: a}}")
    with TemporaryDirectory() as folder:
        return norm_of(Path(folder), f"nature: {nature}\nlines:\n" + "\n".join(lines))


def exactly(tariff: Linear, trip: Trip, factor: int = 10_000) -> Fraction:
    """What the tariff comes to in centavos, nothing rounded; ``factor`` (ten-thousandths) is on all but waiting."""
    flag, kilometres, waiting, free = tariff
    due = Fraction(flag)
    for zone, direction, rate, beyond in kilometres:
        run = sum(leg.metres for leg in trip.legs if leg.zone in zone and leg.direction == direction)
        due += Fraction(rate * max(0, run - 1000 * beyond), 1000)
    return due * factor / 10_000 + Fraction(waiting * max(0, trip.waiting_seconds - 60 * free), 3600)


@st.composite
def one_hires(draw: st.DrawFn) -> Trip:
    """One hire, out and perhaps back."""
    ridden = tuple(draw(st.lists(legs, min_size=1, max_size=6)))
    returns = any(leg.direction is Direction.RETURN for leg in ridden)
    started_at = datetime(2024, 5, 14, 10, tzinfo=ZONE)
    waited = draw(st.integers(0, 20_000))
    return Trip(started_at=started_at, legs=ridden, same_vehicle_return=returns, waiting_seconds=waited)


@given(tariff=linear_tariffs(), trip=one_hires())
@MADE_UP
def test_the_total_is_the_exact_sum_cut_once(tariff, trip):
    fare = price(norm_for(tariff), trip)
    exact = exactly(tariff, trip)
    assert fare.total == floor(exact)
    assert fare.total <= exact


@given(tariff=linear_tariffs(), trip=one_hires())
@MADE_UP
def test_a_ceiling_computes_the_same_and_allows_less(tariff, trip):
    fare = price(norm_for(tariff, "ceiling"), trip)
    assert (fare.nature, fare.low, fare.high, fare.total) == (
        Nature.CEILING,
        0,
        floor(exactly(tariff, trip)),
        floor(exactly(tariff, trip)),
    )


@given(tariff=linear_tariffs(), trip=one_hires(), leg=legs, place=st.integers(0, 6))
@MADE_UP
def test_one_more_leg_never_lowers_a_fare_without_bands_or_maximum(tariff, trip, leg, place):
    assume(trip.same_vehicle_return or leg.direction is Direction.OUTBOUND)
    norm = norm_for(tariff)
    longer = replace(trip, legs=(*trip.legs[:place], leg, *trip.legs[place:]))
    before, after = price(norm, trip).total, price(norm, longer).total
    assert before is not None
    assert after is not None
    assert after >= before


@given(tariff=linear_tariffs(), trip=one_hires(), factor=st.integers(1, 40_000), extra=money)
@MADE_UP
def test_factors_and_additions_are_exact(tariff, trip, factor, extra):
    norm = norm_for(tariff)
    assert norm.variants is not None
    written = norm.source.rstrip() + (
        f"\n    - {{code: factor, text: Fator, times: {factor / 10_000}, cite: a}}"
        f"\n    - {{code: extra, text: Acréscimo, add: {extra}, cite: a}}\n"
    )
    body = written[written.index("  nature:") :]
    with TemporaryDirectory() as folder:
        adjusted = norm_of(Path(folder), body)
    assert price(adjusted, trip).total == floor(exactly(tariff, trip, factor) + extra)


def test_there_are_norms_to_try():
    assert len(norms()) >= 20


@pytest.mark.slow
@given(ride=rides())
@settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_trip_breaks_the_engine(ride):
    norm, beside, trip = ride
    fare = price(norm, trip, beside)
    assert fare.status in Status

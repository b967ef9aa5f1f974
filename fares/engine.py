"""The tariff engine: one norm and the facts of one trip give an itemised fare under every reading of the norm.

`price` follows the order that the tariff's own data gives: scope and prohibitions, hour band, lines, return,
adjustments, waiting and items, bounds, one rounding, nature. It knows no municipality.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from fares.conditions import Shape, shape_of
from fares.fare import Caution, Fare, ReadingOutcome, Reason
from fares.hire import Scene, hires_of
from fares.lines import SCALE, Charge, Unpriced, measure
from fares.plan import Judged, Plan, PlannedLine, PlannedTariff, plan_of
from fares.sums import Sum, add_up, itemised, rounded
from fares.trip import FactMissing, Leg, Trip
from laws import norm as n


def price(norm: n.Norm, trip: Trip, beside: tuple[n.Norm, ...] = ()) -> Fare:
    """The fare of ``trip`` under ``norm``, with every other reading of it; norms ``beside`` it may forbid the trip.

    A trip through the undetermined band is priced with that band as town and as country: the fare is then a range,
    and its total the cheaper for the passenger.

    Raises ``FactMissing`` when the norm needs a fact that the trip does not state.
    """
    for leg in trip.legs:
        if leg.zone is n.Zone.UNDETERMINED:
            return _both_ways(norm, trip, beside)
    plan = plan_of(norm)
    case = _Case(norm, plan, trip)
    judged = plan.judged(case.shapes, beside)
    refusals = case.refusals(judged) or ((norm.grounds,) if norm.grounds else ())
    if refusals:
        return _unpriced(norm, refusals, judged.cautions)
    adopted, readings = case.outcomes(judged)
    cautions = judged.cautions + judged.raised.unsigned if len(readings) > 1 else judged.cautions
    return _fare(norm, adopted, readings, cautions)


def price_under(norm: n.Norm, trip: Trip, choices: dict[str, str]) -> int | None:
    """The figure in centavos with the given option of some clauses; None where that reading gives no price.

    Where a figure is missing in the source, what the norm does fix. ``choices`` maps clauses to options. Raises
    `laws.variants.BadChange` for a clause or option the norm does not have.
    """
    plan = plan_of(norm)
    return _Case(norm, plan, trip).under(plan.reading(choices)).figure


@dataclass(slots=True)
class _Outcome:
    """What a trip comes to under one reading: a sum for each hire, at each end of what may be charged.

    ``figure`` is what the lines that have figures come to, None where the reading gives no price for a reason other
    than a missing figure; ``key`` is equal for two readings under which the same lines come to the same amounts.
    """

    nature: n.Nature
    lows: tuple[Sum, ...]
    highs: tuple[Sum, ...]
    grounds: n.Grounds | None
    key: tuple[Any, ...]
    figure: int | None

    @property
    def low(self) -> int:
        return 0 if self.nature is n.Nature.CEILING else sum(s.total for s in self.lows)

    @property
    def high(self) -> int:
        return sum(s.total for s in self.highs)

    @property
    def shown(self) -> tuple[Sum, ...]:
        """A ceiling is shown as the most that may be charged, anything else as what is due."""
        return self.highs if self.nature is n.Nature.CEILING else self.lows

    @property
    def total(self) -> int | None:
        return None if self.grounds else self.figure

    @property
    def status(self) -> n.Status:
        return self.grounds.status if self.grounds else n.Status.PRICED


Found = Charge | Unpriced | bool
"""A line measured; True: applies and acts on others; False: does not apply."""


class _Case:
    """One trip under one norm. What several readings share is computed once: they share their lines."""

    def __init__(self, norm: n.Norm, plan: Plan, trip: Trip) -> None:
        self._norm = norm
        self._plan = plan
        self._trip = trip
        base = norm.base
        self._districts = base.districts if base else {}
        self._stated = self._band(base, trip.started_at) if base else None
        hires = hires_of(trip, base.return_after_stop if base else frozenset())
        self._scenes = [Scene(hire, trip, self._stated, self._districts) for hire in hires]
        self.shapes = tuple([shape_of(hire, trip, self._stated, plan.exact) for hire in hires])
        self._found: dict[tuple[int, int, str | int | None], Found] = {}
        self._simple: dict[int, Charge | None] = {}
        self._idents: dict[int, tuple[str, int] | None] = {}

    def refusals(self, judged: Judged) -> tuple[n.Grounds, ...]:
        """Every prohibition or limit of scope that the trip meets; prohibitions first."""
        met = judged.refusals
        outside = any(leg.zone is n.Zone.OUTSIDE for leg in self._trip.legs)
        if outside and not any(g.status is n.Status.OUT_OF_SCOPE for g in met):
            return (*met, _BEYOND_THE_MUNICIPALITY)
        return met

    # Readings

    def outcomes(self, judged: Judged) -> tuple[_Outcome, list[ReadingOutcome]]:
        """The adopted outcome; then it and every combination of readings that comes to something else, simplest
        first."""
        raised = judged.raised
        self._measure_simple(judged)
        adopted = self.under(raised.readings[0].planned)
        idents = self._idents
        seen: set[object] = set()
        told = []
        for r in raised.readings:
            planned = r.planned
            status, total = n.Status.PRICED, None
            if idents and planned.simple:  # nearly always: nothing is built that the reader is not told
                key = tuple([ident for number in planned.numbers if (ident := idents[number])])
                if key in seen:
                    continue
                exact = sum([scaled for _, scaled in key])
                total = exact // SCALE if planned.cuts else rounded(exact, planned.tariff.rounding)
            else:
                outcome = self.under(planned)
                if outcome.key in seen:
                    continue
                key, status, total = outcome.key, outcome.status, outcome.total
            seen.add(key)
            told.append(ReadingOutcome(r.id, r.standing, status, total, r.why, r.choices, r.signed_by))
        return adopted, told

    def _measure_simple(self, judged: Judged) -> None:
        """Measure once every line of the readings that only add up, where the trip is one hire."""
        if len(self._scenes) > 1:
            return
        simple: dict[int, Charge | None] = dict.fromkeys(judged.raised.numbers)
        idents: dict[int, tuple[str, int] | None] = dict.fromkeys(judged.raised.numbers)
        for planned in judged.lines:
            found = measure(planned.line, self._scenes[0])
            if isinstance(found, Unpriced):
                return
            if found.scaled or found.quantity != "0":
                simple[planned.number] = found
                idents[planned.number] = found.ident
        self._simple, self._idents = simple, idents

    def under(self, planned: PlannedTariff) -> _Outcome:
        """What the trip comes to under one combination of readings."""
        tariff = planned.tariff
        if planned.simple and self._simple:
            simple = self._simple
            charges = tuple([c for number in planned.numbers if (c := simple[number])])
            total = rounded(sum([c.scaled for c in charges]), tariff.rounding)
            sums = (Sum(charges, total),)
            return _Outcome(tariff.nature, sums, sums, None, tuple([c.ident for c in charges]), total)
        if tariff.refuses is not None:
            return _Outcome(tariff.nature, (), (), tariff.refuses, (tariff.refuses,), None)
        window = self._window(tariff)
        gap = self._gap(tariff, window)
        if gap is not None:
            return _Outcome(tariff.nature, (), (), gap, (gap,), None)
        applicable = [self._applicable(planned, i, window) for i in range(len(self._scenes))]
        unpriced = next((f.grounds for found in applicable for _, f in found if isinstance(f, Unpriced)), None)
        lows = tuple(_low(tariff, found) for found in applicable)
        highs = tuple(_high(tariff, found) for found in applicable)
        charged = [c.ident for s in (lows if lows == highs else (*lows, *highs)) for c in s.charges]
        grounds = unpriced or _agreed(self._norm, tariff)
        shown = highs if tariff.nature is n.Nature.CEILING else lows
        priceless = grounds is not None and grounds.status is not n.Status.UNDEFINED_COMPONENT
        figure = None if priceless else sum(s.total for s in shown)
        key = (grounds, *charged) if grounds else tuple(charged)
        return _Outcome(tariff.nature, lows, highs, grounds, key, figure)

    # Lines

    def _applicable(self, planned: PlannedTariff, index: int, window: str | None) -> list[tuple[n.Line, Found]]:
        """The lines that apply to a hire, in order of evaluation."""
        taken: set[str] = set()
        applicable: list[tuple[n.Line, Found]] = []
        for line in planned.lines:
            group = line.line.one_of
            if group is not None and group in taken:
                continue
            found = self._find(line, index, window, planned.tariff)
            if found is not False:
                applicable.append((line.line, found))
                if group is not None:
                    taken.add(group)
        return applicable

    def _find(self, planned: PlannedLine, index: int, window: str | None, tariff: n.Tariff | None = None) -> Found:
        """The line measured for a hire in an hour band, once; ``tariff`` only where it may choose bands leg by leg."""
        by_leg = tariff is not None and tariff.window_at is n.WindowAt.LEG
        key = (planned.number, index, id(tariff) if by_leg else window)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._measured(planned, index, window, tariff)
        return found

    def _measured(self, planned: PlannedLine, index: int, window: str | None, tariff: n.Tariff | None) -> Found:
        scene, shape = self._scenes[index], self.shapes[index]
        if window != scene.window:
            scene, shape = scene._replace(window=window), shape._replace(window=window)
        if tariff and tariff.window_at is n.WindowAt.LEG and isinstance(planned.line.amount, n.PerKm):
            legs = tuple(leg for leg in scene.hire.legs if self._in_band(tariff, planned, shape, leg))
            scene = scene._replace(hire=scene.hire._replace(legs=legs))
        elif not planned.applies(shape):
            return False
        return True if planned.acts else measure(planned.line, scene)

    # Hour bands

    def _window(self, tariff: n.Tariff) -> str | None:
        if tariff.window_at is not n.WindowAt.END or not tariff.schedule.windows:
            return tariff.treat.get(self._stated, self._stated) if self._stated else None
        if self._trip.ended_at is None:
            raise FactMissing("ended_at", self._norm.ref.label)
        return self._treated(tariff, self._trip.ended_at)

    def _gap(self, tariff: n.Tariff, window: str | None) -> n.Grounds | None:
        """Why there is no price where the trip falls in an hour that this reading leaves without a tariff."""
        bands = {window}
        if tariff.window_at is n.WindowAt.LEG:
            legs = (leg for scene in self._scenes for leg in scene.hire.legs)
            bands |= {self._treated(tariff, leg.started_at) for leg in legs if leg.started_at}
        for found in tariff.schedule.windows:
            if found.gap and found.id in bands:
                text = f"A norma não fixa tarifa nesta hora: {found.text}."
                return n.Grounds(n.Status.NO_TARIFF, "no_rule", text, self._norm.ref.label)
        return None

    def _band(self, tariff: n.Tariff, instant: datetime) -> str | None:
        """The hour band of an instant, on the clocks of the municipality whatever the instant's own offset."""
        if not tariff.schedule.windows:
            return None
        return tariff.schedule.window_at(instant.astimezone(self._norm.zone_info), self._norm.calendar)

    def _treated(self, tariff: n.Tariff, instant: datetime) -> str | None:
        window = self._band(tariff, instant)
        return tariff.treat.get(window, window) if window else None

    def _in_band(self, tariff: n.Tariff, planned: PlannedLine, shape: Shape, leg: Leg) -> bool:
        if leg.started_at is None:
            raise FactMissing("legs.started_at", planned.line.citation)
        return planned.applies(shape._replace(window=self._treated(tariff, leg.started_at)))


_BEYOND_THE_MUNICIPALITY = n.Grounds(
    n.Status.OUT_OF_SCOPE,
    "outside_municipality",
    "O trajeto sai do município; a tarifa municipal não vale fora dele.",
    "Constituição Federal, art. 30, V",
)
"""Holds even where a norm does not say it: municipalities regulate services of local interest only."""


def _low(tariff: n.Tariff, found: list[tuple[n.Line, Found]]) -> Sum:
    """The least that may be charged: without optional lines and those that make only the upper end."""
    kept = [(line, f) for line, f in found if not line.optional and line.side is not n.Side.UPPER]
    return add_up(tariff.rounding, _charges(kept))


def _high(tariff: n.Tariff, found: list[tuple[n.Line, Found]]) -> Sum:
    """The most that may be charged: with optional lines and without those that make only the lower end."""
    return add_up(tariff.rounding, _charges([(line, f) for line, f in found if line.side is not n.Side.LOWER]))


def _charges(found: list[tuple[n.Line, Found]]) -> list[tuple[n.Line, Charge | None]]:
    return [(line, f if isinstance(f, Charge) else None) for line, f in found if isinstance(f, Charge) or f is True]


def _agreed(norm: n.Norm, tariff: n.Tariff) -> n.Grounds | None:
    """A tariff that only bounds an agreement gives no single price."""
    if tariff.nature is n.Nature.EXACT or tariff.nature is n.Nature.CEILING:
        return None
    text = "O preço é combinado entre as partes, dentro dos limites que a norma fixa."
    return n.Grounds(n.Status.NEGOTIATED, "agreed_price", text, norm.ref.label)


def _fare(norm: n.Norm, adopted: _Outcome, readings: list[ReadingOutcome], cautions: tuple[Caution, ...]) -> Fare:
    grounds = adopted.grounds
    spanned = [r.total for r in readings if r.total is not None and r.standing is not n.Standing.REJECTED]
    bounded = grounds is None or adopted.nature is n.Nature.INTERVAL
    undefined = grounds is not None and grounds.status is n.Status.UNDEFINED_COMPONENT
    low, high = adopted.low, adopted.high
    return Fare(
        status=adopted.status,
        nature=adopted.nature,
        total=adopted.total,
        low=low if bounded else None,
        high=high if bounded else None,
        exact=grounds is None and low == high,
        lines=itemised(adopted.shown),
        norm=norm.ref,
        readings=tuple(readings),
        readings_low=min(spanned, default=None),
        readings_high=max(spanned, default=None),
        warnings=cautions,
        reasons=(_reason(grounds),) if grounds else (),
        known_part=adopted.figure if undefined else None,
    )


def _reason(grounds: n.Grounds) -> Reason:
    return Reason(grounds.code, grounds.citation, grounds.text)


def _unpriced(norm: n.Norm, grounds: tuple[n.Grounds, ...], cautions: tuple[Caution, ...]) -> Fare:
    base = norm.base
    return Fare(
        status=grounds[0].status,
        nature=base.nature if base else n.Nature.EXACT,
        total=None,
        low=None,
        high=None,
        exact=False,
        lines=(),
        norm=norm.ref,
        readings=(),
        readings_low=None,
        readings_high=None,
        warnings=cautions,
        reasons=tuple(_reason(g) for g in grounds),
    )


def _both_ways(norm: n.Norm, trip: Trip, beside: tuple[n.Norm, ...]) -> Fare:
    """The undetermined band as town and as country: the cheaper fare, with the range between them."""
    fares = [price(norm, _settled(trip, zone), beside) for zone in (n.Zone.URBAN, n.Zone.RURAL)]
    cheap, dear = sorted(fares, key=lambda fare: (fare.total is None, fare.total or 0))
    detail = (
        "Parte do trajeto está em faixa que nenhuma fonte oficial define como urbana ou rural; "
        "o valor mostrado é o mais barato para o passageiro, e o intervalo vai até o outro."
    )
    spans = [v for f in fares for v in (f.readings_low, f.readings_high) if v is not None]
    return replace(
        cheap,
        low=min((f.low for f in fares if f.low is not None), default=None),
        high=max((f.high for f in fares if f.high is not None), default=None),
        exact=cheap.exact and dear.exact and cheap.total == dear.total,
        readings_low=min(spans, default=None),
        readings_high=max(spans, default=None),
        warnings=(*cheap.warnings, Caution("zone_undetermined", detail)),
    )


def _settled(trip: Trip, zone: n.Zone) -> Trip:
    legs = tuple(replace(leg, zone=zone) if leg.zone is n.Zone.UNDETERMINED else leg for leg in trip.legs)
    return replace(trip, legs=legs)

"""The tariff engine: one norm and the facts of one trip give an itemised fare under every reading of the norm.

`price` follows the order that the tariff's own data gives: scope and prohibitions, hour band, lines, return,
adjustments, waiting and items, bounds, one rounding, nature. It knows no municipality.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import product

from fares.fare import Caution, Fare, FareLine, ReadingOutcome, Reason, Unit
from fares.hire import Circumstances, Hire, hires_of
from fares.lines import SCALE, Charge, Unpriced, measure, thousandths
from fares.trip import FactMissing, Leg, Trip
from laws import norm as n

Choices = Mapping[str, str]


def price(norm: n.Norm, trip: Trip, federal: tuple[n.Norm, ...] = ()) -> Fare:
    """The fare of ``trip`` under ``norm``, with every other reading of it; ``federal`` norms may forbid the trip.

    A trip through the undetermined band is priced with that band as town and as country: the fare is then a range,
    and its total the cheaper for the passenger.

    Raises ``FactMissing`` when the norm needs a fact that the trip does not state.
    """
    if any(leg.zone is n.Zone.UNDETERMINED for leg in trip.legs):
        return _both_ways(norm, trip, federal)
    cautions = _cautions(norm, trip)
    refusals = _refusals((norm, *federal), trip)
    if not refusals and norm.grounds is not None:
        refusals = (norm.grounds,)
    if refusals:
        return _unpriced(norm, refusals, cautions)
    case = _Case(norm, trip)
    adopted = case.under({})
    readings = case.readings(adopted)
    if _disputed(readings):
        cautions += case.unsigned()
    return _fare(norm, adopted, readings, cautions)


def price_under(norm: n.Norm, trip: Trip, choices: Choices) -> int | None:
    """The figure in centavos with the given option of some clauses; None where that reading gives no price.

    Where a figure is missing in the source, what the norm does fix. ``choices`` maps clauses to options.
    """
    return _Case(norm, trip).under(choices).figure


@dataclass(frozen=True, slots=True)
class _Sum:
    """Lines added up for one hire: exact charges, and the total after rounding, in centavos."""

    charges: tuple[Charge, ...]
    total: int
    rounding: n.Rounding


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a trip comes to under one reading: one or two sums (one a hire) at each end of what may be charged."""

    nature: n.Nature
    lows: tuple[_Sum, ...]
    highs: tuple[_Sum, ...]
    grounds: n.Grounds | None

    @property
    def low(self) -> int:
        return 0 if self.nature is n.Nature.CEILING else sum(s.total for s in self.lows)

    @property
    def high(self) -> int:
        return sum(s.total for s in self.highs)

    @property
    def shown(self) -> tuple[_Sum, ...]:
        """The sums the reader is shown: a ceiling is what may be charged at the most, otherwise what is due."""
        return self.highs if self.nature is n.Nature.CEILING else self.lows

    @property
    def figure(self) -> int | None:
        if self.grounds and self.grounds.status is not n.Status.UNDEFINED_COMPONENT:
            return None
        return sum(s.total for s in self.shown)

    @property
    def total(self) -> int | None:
        return None if self.grounds else self.figure

    @property
    def status(self) -> n.Status:
        return self.grounds.status if self.grounds else n.Status.PRICED

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for two readings under which the same lines come to the same amounts."""
        return (self.grounds, *((c.line.code, c.scaled) for s in self.highs for c in s.charges))


class _Case:
    """One trip under one norm. What several readings share is computed once: they share their lines."""

    def __init__(self, norm: n.Norm, trip: Trip) -> None:
        assert norm.variants is not None
        self._norm = norm
        self._variants = norm.variants
        self._trip = trip
        base = norm.variants.under({})
        self._hires = hires_of(trip, base.return_after_stop)
        self._found: dict[tuple[int, int, str | None], Charge | Unpriced | bool] = {}
        self._windows: dict[datetime, str | None] = {}
        window = self._band(base, trip.started_at)
        self._scenes = [Circumstances(hire, window, base.districts) for hire in self._hires]

    # Readings

    def readings(self, adopted: _Outcome) -> tuple[ReadingOutcome, ...]:
        """The adopted reading and every combination of others that comes to something else, simplest first."""
        open_clauses = [(clause, options) for clause in self._norm.clauses if len(options := self._options(clause)) > 1]
        combinations = sorted(
            (tuple((c, o) for (c, _), o in zip(open_clauses, chosen, strict=True) if o is not c.adopted)
             for chosen in product(*(options for _, options in open_clauses))),
            key=len,
        )  # fmt: skip
        seen = {adopted.key}
        outcomes = [_adopted_reading([clause for clause, _ in open_clauses], adopted)]
        for chosen in combinations[1:]:
            choices = {clause.id: option.id for clause, option in chosen}
            outcome = self.under(choices)
            if outcome.key not in seen:
                seen.add(outcome.key)
                outcomes.append(_other_reading(chosen, choices, outcome))
        return tuple(outcomes)

    def _options(self, clause: n.Clause) -> tuple[n.Option, ...]:
        """The options of a clause that this trip raises; none where it does not raise the clause."""
        if not self._meets(clause.when, clause.citation):
            return ()
        return tuple(option for option in clause.options if self._meets(option.when, clause.citation))

    def _meets(self, guards: tuple[n.Guard, ...], citation: str) -> bool:
        return any(scene.meet(guards, citation) for scene in self._scenes)

    def unsigned(self) -> tuple[Caution, ...]:
        """A caution for each clause this trip raises whose adopted reading no authority has signed."""
        return tuple(
            Caution(
                "reading_unsigned", f"Leitura ainda não assinada pela autoridade: {clause.question}", clause.citation
            )
            for clause in self._norm.clauses
            if clause.signed_by is None and len(self._options(clause)) > 1
        )

    # One reading

    def under(self, choices: Choices) -> _Outcome:
        """The outcome with the given options in place of the adopted ones."""
        tariff = self._variants.under(choices)
        if tariff.refuses is not None:
            return _Outcome(tariff.nature, (), (), tariff.refuses)
        window = self._window(tariff)
        applicable = [self._applicable(tariff, i, window) for i in range(len(self._hires))]
        priced = [[(line, f) for line, f in found if not isinstance(f, Unpriced)] for found in applicable]
        unpriced = next((f.grounds for found in applicable for _, f in found if isinstance(f, Unpriced)), None)
        lows = tuple(
            _sum_up(tariff, [p for p in found if not p[0].optional and p[0].side is not n.Side.UPPER])
            for found in priced
        )
        highs = lows
        if any(line.optional or line.side is not n.Side.BOTH for found in priced for line, _ in found):
            highs = tuple(_sum_up(tariff, [p for p in found if p[0].side is not n.Side.LOWER]) for found in priced)
        return _Outcome(tariff.nature, lows, highs, unpriced or _agreed(self._norm, tariff))

    def _applicable(
        self, tariff: n.Tariff, index: int, window: str | None
    ) -> list[tuple[n.Line, Charge | Unpriced | bool]]:
        """The lines that apply to a hire, in order of evaluation; adjustments and bounds are only marked True."""
        taken: set[str] = set()
        applicable: list[tuple[n.Line, Charge | Unpriced | bool]] = []
        for line in tariff.lines:
            if line.one_of in taken:
                continue
            key = (id(line), index, window)
            found = self._found.get(key)
            if found is None:
                found = self._found[key] = self._find(tariff, line, self._hires[index], window)
            if found is not False:
                applicable.append((line, found))
                if line.one_of is not None:
                    taken.add(line.one_of)
        return applicable

    def _find(self, tariff: n.Tariff, line: n.Line, hire: Hire, window: str | None) -> Charge | Unpriced | bool:
        if tariff.window_at is n.WindowAt.LEG and isinstance(line.amount, n.PerKm):
            hire = replace(hire, legs=tuple(leg for leg in hire.legs if self._in_band(tariff, line, hire, leg)))
        elif not Circumstances(hire, window, tariff.districts).meet(line.when, line.citation):
            return False
        if isinstance(line.amount, n.Add | n.Times | n.Bound):
            return True
        return measure(line, hire, window, tariff.districts)

    # Hour bands

    def _window(self, tariff: n.Tariff) -> str | None:
        if tariff.window_at is n.WindowAt.END and tariff.schedule.windows:
            if self._trip.ended_at is None:
                raise FactMissing("ended_at", self._norm.ref.label)
            return self._treated(tariff, self._trip.ended_at)
        return self._treated(tariff, self._trip.started_at)

    def _in_band(self, tariff: n.Tariff, line: n.Line, hire: Hire, leg: Leg) -> bool:
        if leg.started_at is None:
            raise FactMissing("legs.started_at", line.citation)
        window = self._treated(tariff, leg.started_at)
        return Circumstances(hire, window, tariff.districts).meet(line.when, line.citation)

    def _treated(self, tariff: n.Tariff, instant: datetime) -> str | None:
        window = self._band(tariff, instant)
        return tariff.treat.get(window, window) if window is not None else None

    def _band(self, tariff: n.Tariff, instant: datetime) -> str | None:
        if instant not in self._windows:
            self._windows[instant] = tariff.schedule.window_at(instant, self._norm.calendar)
        return self._windows[instant]


# Adding up


def _sum_up(tariff: n.Tariff, found: Sequence[tuple[n.Line, Charge | bool]]) -> _Sum:
    """Add up the lines of one hire: ``running`` holds what each has come to so far, for what acts on it."""
    running: dict[str, int] = {}
    charges: list[Charge] = []
    for line, charge in found:
        if charge is True:
            charge = _acted(line, running)
        if isinstance(charge, Charge) and charge.quantity != "0":
            if tariff.rounding.each_line:
                charge = replace(charge, scaled=_rounded(charge.scaled, tariff.rounding) * SCALE)
            if not isinstance(line.amount, n.Times):
                running[line.code] = charge.scaled
            charges.append(charge)
    exact = sum([charge.scaled for charge in charges])
    return _Sum(tuple(charges), _rounded(exact, tariff.rounding), tariff.rounding)


def _acted(line: n.Line, running: dict[str, int]) -> Charge | bool:
    """What an adjustment or a bound adds to the lines so far (False: nothing). A factor changes them in place."""
    match line.amount:
        case n.Add(amount=amount, on=on):
            if on is None or not on.isdisjoint(running):
                return Charge(line, amount * SCALE, "1", Unit.TRIP, amount)
        case n.Times(ten_thousandths=factor, on=on):
            before = sum(running.values())
            for code in running:
                if on is None or code in on:
                    running[code] = running[code] * factor // 10_000
            added = sum(running.values()) - before
            if added:
                return Charge(line, added, thousandths(factor * 10), Unit.PERCENT, None)
        case n.Bound(amount=amount, on=on, upper=upper):
            gap = amount * SCALE - sum(v for code, v in running.items() if on is None or code in on)
            if gap < 0 if upper else gap > 0:
                return Charge(line, gap, "1", Unit.TRIP, None)
        case _:
            raise TypeError(line.code)
    return False


def _rounded(scaled: int, rounding: n.Rounding) -> int:
    """Centavos: cut (Lei 9.069/1995, art. 12, § 1º) or to the nearest, halves up."""
    unit = SCALE * rounding.to_centavos
    steps = (2 * scaled + unit) // (2 * unit) if rounding.half_up else scaled // unit
    return steps * rounding.to_centavos


def _itemised(sums: tuple[_Sum, ...]) -> tuple[FareLine, ...]:
    """The lines a reader sees. Their amounts add up to the total; two hires' equal lines are joined."""
    lines: dict[tuple[str, int | None], FareLine] = {}
    for one in sums:
        for line in _shares(one):
            key = (line.code, line.unit_amount)
            lines[key] = _joined(lines[key], line) if key in lines else line
    return tuple(lines.values())


def _joined(a: FareLine, b: FareLine) -> FareLine:
    quantity = thousandths(_thousandths(a.quantity) + _thousandths(b.quantity))
    return replace(a, quantity=quantity, amount=a.amount + b.amount)


def _thousandths(text: str) -> int:
    whole, _, rest = text.partition(".")
    return int(whole) * 1000 + int(rest.ljust(3, "0") or 0)


def _shares(one: _Sum) -> Iterator[FareLine]:
    """Centavos for each charge: cut, and the centavos left over given to the largest cut-off parts."""
    cut = [charge.scaled // SCALE for charge in one.charges]
    left = one.total - sum(cut)
    by_loss = sorted(range(len(cut)), key=lambda i: one.charges[i].scaled % SCALE, reverse=True)
    losers = [i for i in by_loss if one.charges[i].scaled % SCALE]
    for i in losers[: max(0, left)]:
        cut[i] += 1
    for charge, amount in zip(one.charges, cut, strict=True):
        line = charge.line
        yield FareLine(line.code, line.text, charge.quantity, charge.unit, charge.unit_amount, amount, line.citation)
    rest = one.total - sum(cut)
    if rest:
        citation = one.charges[0].line.citation
        yield FareLine("rounding", "Arredondamento", "1", Unit.TRIP, None, rest, citation)


# Words around the figures


def _agreed(norm: n.Norm, tariff: n.Tariff) -> n.Grounds | None:
    """A tariff that only bounds an agreement gives no single price."""
    if tariff.nature not in (n.Nature.NEGOTIATED, n.Nature.INTERVAL):
        return None
    text = "O preço é combinado entre as partes, dentro dos limites que a norma fixa."
    return n.Grounds(n.Status.NEGOTIATED, "agreed_price", text, norm.ref.label)


def _refusals(norms: tuple[n.Norm, ...], trip: Trip) -> tuple[n.Grounds, ...]:
    """Every prohibition or limit of scope that the trip meets; prohibitions first."""
    scenes = [Circumstances(hire, None, {}) for hire in hires_of(trip)] if any(m.rules for m in norms) else []
    met = [
        rule.grounds
        for norm in norms
        for rule in norm.rules
        if any(scene.meet(rule.when, rule.grounds.citation) for scene in scenes)
    ]
    return tuple(sorted(met, key=lambda grounds: grounds.status is not n.Status.PROHIBITED))


def _cautions(norm: n.Norm, trip: Trip) -> tuple[Caution, ...]:
    cautions = []
    if not norm.force.confirmed:
        detail = f"Início de vigência a confirmar: {norm.force.basis}"
        cautions.append(Caution("in_force_date_unconfirmed", detail, norm.ref.label))
    if norm.notices:
        scenes = [Circumstances(hire, None, {}) for hire in hires_of(trip)]
        cautions += [
            Caution(notice.code, notice.text, notice.citation)
            for notice in norm.notices
            if any(scene.meet(notice.when, notice.citation or norm.ref.label) for scene in scenes)
        ]
    return tuple(cautions)


_PLAIN = "O texto da norma não deixa dúvida sobre esta viagem."


def _adopted_reading(clauses: list[n.Clause], outcome: _Outcome) -> ReadingOutcome:
    signers = {clause.signed_by for clause in clauses}
    return ReadingOutcome(
        id="adopted",
        standing=n.Standing.ADOPTED,
        status=outcome.status,
        total=outcome.total,
        why=" ".join(clause.adopted.why for clause in clauses) or _PLAIN,
        choices={},
        signed_by=None if None in signers else "; ".join(sorted(s for s in signers if s)) or None,
    )


def _other_reading(
    chosen: tuple[tuple[n.Clause, n.Option], ...], choices: dict[str, str], outcome: _Outcome
) -> ReadingOutcome:
    rejected = any(option.standing is n.Standing.REJECTED for _, option in chosen)
    return ReadingOutcome(
        id="+".join(f"{clause}.{option}" for clause, option in choices.items()),
        standing=n.Standing.REJECTED if rejected else n.Standing.REASONABLE,
        status=outcome.status,
        total=outcome.total,
        why=" ".join([option.why for _, option in chosen]),
        choices=choices,
    )


def _disputed(readings: tuple[ReadingOutcome, ...]) -> bool:
    return any(r.standing is n.Standing.REASONABLE for r in readings)


def _fare(norm: n.Norm, adopted: _Outcome, readings: tuple[ReadingOutcome, ...], cautions: tuple[Caution, ...]) -> Fare:
    spanned = [r.total for r in readings if r.total is not None and r.standing is not n.Standing.REJECTED]
    grounds = adopted.grounds
    bounded = grounds is None or adopted.nature is n.Nature.INTERVAL
    undefined = grounds is not None and grounds.status is n.Status.UNDEFINED_COMPONENT
    return Fare(
        status=adopted.status,
        nature=adopted.nature,
        total=adopted.total,
        low=adopted.low if bounded else None,
        high=adopted.high if bounded else None,
        exact=grounds is None and adopted.low == adopted.high,
        lines=_itemised(adopted.shown),
        norm=norm.ref,
        readings=readings,
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


def _both_ways(norm: n.Norm, trip: Trip, federal: tuple[n.Norm, ...]) -> Fare:
    """The undetermined band as town and as country: the cheaper fare, with the range between them."""
    fares = sorted(
        (price(norm, _settled(trip, zone), federal) for zone in (n.Zone.URBAN, n.Zone.RURAL)),
        key=lambda fare: (fare.total is None, fare.total or 0),
    )
    cheap, dear = fares
    detail = (
        "Parte do trajeto está em faixa que nenhuma fonte oficial define como urbana ou rural; "
        "o valor mostrado é o mais barato para o passageiro, e o intervalo vai até o outro."
    )
    caution = Caution("zone_undetermined", detail)
    spans = [v for f in fares for v in (f.readings_low, f.readings_high) if v is not None]
    return replace(
        cheap,
        low=min((f.low for f in fares if f.low is not None), default=None),
        high=max((f.high for f in fares if f.high is not None), default=None),
        exact=cheap.exact and dear.exact and cheap.total == dear.total,
        readings_low=min(spans, default=None),
        readings_high=max(spans, default=None),
        warnings=(*cheap.warnings, caution),
    )


def _settled(trip: Trip, zone: n.Zone) -> Trip:
    legs = tuple(replace(leg, zone=zone) if leg.zone is n.Zone.UNDETERMINED else leg for leg in trip.legs)
    return replace(trip, legs=legs)

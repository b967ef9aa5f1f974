"""A norm made ready to price: its conditions prepared, its combinations of readings listed, each built once.

Nothing here depends on a trip. A plan is made when a norm first prices and kept as long as the norm is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from weakref import WeakKeyDictionary

from fares.conditions import Condition, Shape, condition
from fares.fare import Caution
from fares.sums import ACTS
from laws import norm as n

_PLAIN_TEXT = "O texto da norma não deixa dúvida sobre esta viagem."


@dataclass(frozen=True, slots=True)
class PlannedLine:
    """A line and when it applies; ``acts`` marks adjustments and bounds, ``number`` its place in the plan."""

    number: int
    line: n.Line
    applies: Condition
    acts: bool


@dataclass(frozen=True, slots=True)
class PlannedTariff:
    """A tariff under one combination of readings. ``simple`` ones only add up lines: nothing acts, nothing is an end
    of an interval, no line excludes another, no hour band stands for another."""

    tariff: n.Tariff
    lines: tuple[PlannedLine, ...]
    numbers: tuple[int, ...]
    simple: bool
    cuts: bool
    """Parts of a centavo are cut, the rule of nearly every tariff."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One combination of readings: the options that differ from the adopted ones, and what they make of the tariff."""

    id: str
    standing: n.Standing
    why: str
    choices: dict[str, str]
    signed_by: str | None
    planned: PlannedTariff


@dataclass(frozen=True, slots=True)
class PlannedOption:
    option: n.Option
    applies: Condition


@dataclass(frozen=True, slots=True)
class PlannedClause:
    clause: n.Clause
    applies: Condition
    options: tuple[PlannedOption, ...]


OpenClauses = tuple[tuple[int, tuple[int, ...]], ...]
"""The clauses a trip raises and the options it leaves open, by index (the adopted option, 0, is always one)."""


@dataclass(frozen=True, slots=True)
class Raised:
    """What a set of open clauses leads to: the adopted reading first, then the others, simplest first."""

    readings: tuple[Reading, ...]
    unsigned: tuple[Caution, ...]
    lines: tuple[PlannedLine, ...]
    """Every line that some simple reading has, once."""

    numbers: tuple[int, ...]
    """Their places in the plan."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the shape of a trip decides before anything is measured.

    ``lines`` are those of simple readings that apply to a trip of one hire; empty for a refused trip.
    """

    refusals: tuple[n.Grounds, ...]
    cautions: tuple[Caution, ...]
    raised: Raised
    lines: tuple[PlannedLine, ...]


_SHAPES_KEPT = 4096
_NO_TARIFF = Raised((), (), (), ())
_NOTHING_RAISED: OpenClauses = ()


class Plan:
    """A norm made ready to price."""

    def __init__(self, norm: n.Norm) -> None:
        base = norm.base
        self._clauses = norm.clauses
        self._variants = norm.variants
        self._districts = base.districts if base else {}
        self._raised: dict[OpenClauses, Raised] = {}
        self._lines: dict[int, PlannedLine] = {}
        self._judged: dict[tuple[tuple[Shape, ...], tuple[n.Norm, ...]], Judged] = {}
        self.exact = _asks_distance(norm)
        self.rules = tuple((self._condition(r.when, r.grounds.citation), r.grounds) for r in norm.rules)
        self._notices = tuple(
            (self._condition(i.when, i.citation or norm.ref.label), Caution(i.code, i.text, i.citation))
            for i in norm.notices
        )
        self._unconfirmed = () if norm.force.confirmed else (_unconfirmed(norm),)
        self._planned = tuple(
            PlannedClause(
                clause,
                self._condition(clause.when, clause.citation),
                tuple(PlannedOption(o, self._condition(o.when, clause.citation)) for o in clause.options),
            )
            for clause in norm.clauses
        )

    def _condition(self, guards: tuple[n.Guard, ...], citation: str) -> Condition:
        return condition(guards, citation, self._districts)

    def judged(self, shapes: tuple[Shape, ...], beside: tuple[n.Norm, ...]) -> Judged:
        """What the shapes of a trip's hires decide, with the prohibitions of the norms ``beside``; kept by shape.

        Raises ``FactMissing``.
        """
        key = (shapes, beside)
        judged = self._judged.get(key)
        if judged is None:
            if len(self._judged) >= _SHAPES_KEPT:
                self._judged.clear()
            judged = self._judged[key] = self._judge(shapes, beside)
        return judged

    def _judge(self, shapes: tuple[Shape, ...], beside: tuple[n.Norm, ...]) -> Judged:
        plans = (self, *(plan_of(norm) for norm in beside))
        met = [grounds for plan in plans for applies, grounds in plan.rules if any(map(applies, shapes))]
        refusals = tuple(sorted(met, key=lambda grounds: grounds.status is not n.Status.PROHIBITED))
        told = [caution for applies, caution in self._notices if any(map(applies, shapes))]
        raised = self.raised(self._open(shapes) if self._variants and not met else _NOTHING_RAISED)
        lines = [line for line in raised.lines if len(shapes) == 1 and not met and line.applies(shapes[0])]
        return Judged(refusals, (*self._unconfirmed, *told), raised, tuple(lines))

    def _open(self, shapes: tuple[Shape, ...]) -> OpenClauses:
        """The clauses these shapes raise, with the options they leave open."""
        found = []
        for i, planned in enumerate(self._planned):
            if any(map(planned.applies, shapes)):
                options = tuple(j for j, o in enumerate(planned.options) if any(map(o.applies, shapes)))
                if len(options) > 1:
                    found.append((i, options))
        return tuple(found)

    def raised(self, open_clauses: OpenClauses) -> Raised:
        """The combinations of readings that a trip raising these clauses leaves open."""
        raised = self._raised.get(open_clauses)
        if raised is None:
            raised = self._raised[open_clauses] = self._combine(open_clauses) if self._variants else _NO_TARIFF
        return raised

    def reading(self, choices: dict[str, str]) -> PlannedTariff:
        """The tariff with the given options. Raises `laws.variants.BadChange` for an unknown clause or option."""
        assert self._variants is not None
        tariff = self._variants.under(choices)
        lines = tuple(self._line(line) for line in tariff.lines)
        simple = (
            not any(p.acts or p.line.optional or p.line.one_of or p.line.side is not n.Side.BOTH for p in lines)
            and not tariff.rounding.each_line
            and tariff.window_at is n.WindowAt.START
            and tariff.refuses is None
            and not tariff.treat
            and not any(window.gap for window in tariff.schedule.windows)
            and tariff.nature in (n.Nature.EXACT, n.Nature.CEILING)
        )
        cuts = not tariff.rounding.half_up and tariff.rounding.to_centavos == 1
        return PlannedTariff(tariff, lines, tuple(p.number for p in lines), simple, cuts)

    def _line(self, line: n.Line) -> PlannedLine:
        planned = self._lines.get(id(line))
        if planned is None:
            applies = self._condition(line.when, line.citation)
            number = len(self._lines)
            planned = self._lines[id(line)] = PlannedLine(number, line, applies, isinstance(line.amount, ACTS))
        return planned

    def _combine(self, open_clauses: OpenClauses) -> Raised:
        clauses = [self._clauses[i] for i, _ in open_clauses]
        options = [[self._clauses[i].options[j] for j in js] for i, js in open_clauses]
        combinations = [
            [(clause, option) for clause, option in zip(clauses, chosen, strict=True) if option is not clause.adopted]
            for chosen in product(*options)
        ]
        others = sorted((c for c in combinations if c), key=len)
        unsigned = tuple(
            Caution("reading_unsigned", f"Leitura ainda não assinada pela autoridade: {c.question}", c.citation)
            for c in clauses
            if c.signed_by is None
        )
        readings = (self._adopted(clauses), *(self._other(c) for c in others))
        lines = {p.number: p for r in readings if r.planned.simple for p in r.planned.lines}
        return Raised(readings, unsigned, tuple(lines.values()), tuple(lines))

    def _adopted(self, clauses: list[n.Clause]) -> Reading:
        signers = {clause.signed_by for clause in clauses}
        return Reading(
            id="adopted",
            standing=n.Standing.ADOPTED,
            why=" ".join(clause.adopted.why for clause in clauses) or _PLAIN_TEXT,
            choices={},
            signed_by=None if None in signers else "; ".join(sorted(s for s in signers if s)) or None,
            planned=self.reading({}),
        )

    def _other(self, chosen: list[tuple[n.Clause, n.Option]]) -> Reading:
        choices = {clause.id: option.id for clause, option in chosen}
        rejected = any(option.standing is n.Standing.REJECTED for _, option in chosen)
        return Reading(
            id="+".join(f"{clause}.{option}" for clause, option in choices.items()),
            standing=n.Standing.REJECTED if rejected else n.Standing.REASONABLE,
            why=" ".join(option.why for _, option in chosen),
            choices=choices,
            signed_by=None,
            planned=self.reading(choices),
        )


def _asks_distance(norm: n.Norm) -> bool:
    """Whether some condition of a norm depends on how far exactly a trip goes."""
    guards = [g for rule in norm.rules for g in rule.when]
    guards += [g for notice in norm.notices for g in notice.when]
    guards += [g for clause in norm.clauses for g in clause.when]
    guards += [g for clause in norm.clauses for option in clause.options for g in option.when]
    if norm.variants:
        singles = [{}, *({clause.id: option.id} for clause in norm.clauses for option in clause.options)]
        guards += [g for choices in singles for line in norm.variants.under(choices).lines for g in line.when]
    return any(guard.km_above is not None or guard.km_up_to is not None for guard in guards)


def _unconfirmed(norm: n.Norm) -> Caution:
    return Caution("in_force_date_unconfirmed", f"Início de vigência a confirmar: {norm.force.basis}", norm.ref.label)


_PLANS: WeakKeyDictionary[n.Norm, Plan] = WeakKeyDictionary()


def plan_of(norm: n.Norm) -> Plan:
    """The plan of a norm, made once."""
    plan = _PLANS.get(norm)
    if plan is None:
        plan = _PLANS[norm] = Plan(norm)
    return plan

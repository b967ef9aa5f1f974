"""A norm made ready to price: its conditions prepared, its combinations of readings listed, each built once.

Nothing here depends on a trip. A plan is made when a norm first prices and kept as long as the norm is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from weakref import WeakKeyDictionary

from fares.conditions import Condition, condition
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


class Plan:
    """A norm made ready to price."""

    def __init__(self, norm: n.Norm) -> None:
        self._clauses = norm.clauses
        self._variants = norm.variants
        self._label = norm.ref.label
        self._raised: dict[OpenClauses, Raised] = {}
        self._lines: dict[int, PlannedLine] = {}
        self.rules = tuple((condition(r.when, r.grounds.citation), r.grounds) for r in norm.rules)
        self.notices = tuple(
            (condition(i.when, i.citation or norm.ref.label), Caution(i.code, i.text, i.citation)) for i in norm.notices
        )
        self.unconfirmed = () if norm.force.confirmed else (_unconfirmed(norm),)
        self.clauses = tuple(
            PlannedClause(
                clause,
                condition(clause.when, clause.citation),
                tuple(PlannedOption(o, condition(o.when, clause.citation)) for o in clause.options),
            )
            for clause in norm.clauses
        )

    def raised(self, open_clauses: OpenClauses) -> Raised:
        """The combinations of readings that a trip raising these clauses leaves open."""
        raised = self._raised.get(open_clauses)
        if raised is None:
            raised = self._raised[open_clauses] = self._combine(open_clauses)
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
        return PlannedTariff(tariff, lines, tuple(p.number for p in lines), simple)

    def _line(self, line: n.Line) -> PlannedLine:
        planned = self._lines.get(id(line))
        if planned is None:
            applies = condition(line.when, line.citation)
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
        return Raised(readings, unsigned, tuple(lines.values()))

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


def _unconfirmed(norm: n.Norm) -> Caution:
    return Caution("in_force_date_unconfirmed", f"Início de vigência a confirmar: {norm.force.basis}", norm.ref.label)


_PLANS: WeakKeyDictionary[n.Norm, Plan] = WeakKeyDictionary()


def plan_of(norm: n.Norm) -> Plan:
    """The plan of a norm, made once."""
    plan = _PLANS.get(norm)
    if plan is None:
        plan = _PLANS[norm] = Plan(norm)
    return plan

"""Adding up the lines of a fare: adjustments, bounds, one rounding, and lines whose centavos add up to the total."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fares.fare import FareLine, Unit
from fares.lines import SCALE, Charge, thousandths
from laws import norm as n

ACTS = (n.Add, n.Times, n.Bound)
"""Amounts that act on the lines before them and are not measured by themselves."""


@dataclass(frozen=True, slots=True)
class Sum:
    """Lines added up for one hire: exact charges, and the total after rounding, in centavos."""

    charges: tuple[Charge, ...]
    total: int


def add_up(rounding: n.Rounding, found: Sequence[tuple[n.Line, Charge | None]]) -> Sum:
    """Add up lines in their order; None stands for a line that acts on those before it.

    ``running`` holds what each line has come to so far, which is what adjustments and bounds act on.
    """
    running: dict[str, int] = {}
    charges: list[Charge] = []
    for line, measured in found:
        charge = _act(line, running) if measured is None else measured
        if charge is None or charge.quantity == "0":
            continue
        if rounding.each_line:
            charge = charge._replace(scaled=rounded(charge.scaled, rounding) * SCALE)
        if not isinstance(line.amount, n.Times):
            running[line.code] = charge.scaled
        charges.append(charge)
    return Sum(tuple(charges), rounded(sum([c.scaled for c in charges]), rounding))


def _act(line: n.Line, running: dict[str, int]) -> Charge | None:
    """What an adjustment or a bound adds to the lines so far. A factor changes them in place."""
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
            raise TypeError(f"{line.code} does not act on other lines")
    return None


def rounded(scaled: int, rounding: n.Rounding) -> int:
    """Centavos: cut (Lei 9.069/1995, art. 12, § 1º) or to the nearest, halves up."""
    unit = SCALE * rounding.to_centavos
    steps = (2 * scaled + unit) // (2 * unit) if rounding.half_up else scaled // unit
    return steps * rounding.to_centavos


def itemised(sums: Sequence[Sum]) -> tuple[FareLine, ...]:
    """The lines a reader sees. Their amounts add up to the total; two hires' equal lines are joined."""
    if len(sums) == 1:
        return tuple(_shares(sums[0]))
    lines: dict[tuple[str, int | None], FareLine] = {}
    for one in sums:
        for line in _shares(one):
            key = (line.code, line.unit_amount)
            lines[key] = _joined(lines[key], line) if key in lines else line
    return tuple(lines.values())


def _joined(a: FareLine, b: FareLine) -> FareLine:
    quantity = thousandths(_thousandths(a.quantity) + _thousandths(b.quantity))
    return a._replace(quantity=quantity, amount=a.amount + b.amount)


def _thousandths(text: str) -> int:
    whole, _, rest = text.partition(".")
    return int(whole) * 1000 + int(rest.ljust(3, "0"))


def _shares(one: Sum) -> Iterator[FareLine]:
    """Centavos for each charge: cut, and the centavos left over given to the largest cut-off parts."""
    cut = [charge.scaled // SCALE for charge in one.charges]
    left = one.total - sum(cut)
    if left > 0:
        losses = [(charge.scaled % SCALE, i) for i, charge in enumerate(one.charges) if charge.scaled % SCALE]
        for _, i in sorted(losses, reverse=True)[:left]:
            cut[i] += 1
    for charge, amount in zip(one.charges, cut, strict=True):
        line = charge.line
        yield FareLine(line.code, line.text, charge.quantity, charge.unit, charge.unit_amount, amount, line.citation)
    rest = one.total - sum(cut)
    if rest:
        yield FareLine("rounding", "Arredondamento", "1", Unit.TRIP, None, rest, one.charges[0].line.citation)

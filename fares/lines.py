"""What each line of a tariff comes to for a hire, in exact arithmetic.

Amounts are integers in units of 1/SCALE centavo. SCALE is a multiple of 1000 (metres in a kilometre), of 3600 (seconds
in an hour) and of 10,000 twice (two factors of four decimals), so that nothing is rounded before the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from fares.fare import Unit
from fares.hire import Scene, metres_over, zone_of
from fares.trip import FactMissing, Trip
from laws import norm as n

SCALE = 18_000 * 10_000 * 10_000
_PER_METRE = SCALE // 1000


class Charge(NamedTuple):
    """A line that applies: its exact amount, and the product that a reader can check.

    A tuple, as is `fares.fare.ReadingOutcome`: a fare makes dozens of them, and they cost a third of a frozen
    dataclass to make.
    """

    line: n.Line
    scaled: int
    quantity: str
    unit: Unit
    unit_amount: int | None

    @property
    def ident(self) -> tuple[str, int]:
        """Equal for two charges that tell the same line and amount."""
        return (self.line.code, self.scaled)


@dataclass(frozen=True, slots=True)
class Unpriced:
    """A line that applies but has no figure: missing in the source, not in the matrix, or left to agreement."""

    line: n.Line
    grounds: n.Grounds


def measure(line: n.Line, scene: Scene) -> Charge | Unpriced:
    """What a line that is not an adjustment or a bound comes to (quantity "0" where there is nothing to count).

    Raises ``FactMissing`` for a fact the line needs.
    """
    amount = line.amount
    match amount:
        case n.PerKm():
            return _per_km(line, amount, metres_over(scene.hire, amount.over, scene.districts))
        case n.Fixed(amount=None):
            return Unpriced(line, _no_figure(line))
        case n.Fixed(amount=int(fixed)):
            return Charge(line, fixed * SCALE, "1", Unit.TRIP, fixed)
        case n.Steps():
            return _steps(line, amount, scene)
        case n.Matrix():
            return _matrix(line, amount, scene)
        case n.PerPassenger(each=each):
            return _per_passenger(line, each, scene.trip.passengers)
        case n.Tick():
            return _ticks(line, amount, scene)
        case n.Waiting():
            return _waiting(line, amount, scene.trip)
        case n.PerItem():
            return _items(line, amount, scene.trip)
    raise TypeError(f"{line.code} is not measured by itself")


def _per_km(line: n.Line, rate: n.PerKm, metres: int) -> Charge:
    counted = metres if rate.to_metres is None or metres < rate.to_metres else rate.to_metres
    counted = counted - rate.from_metres if counted > rate.from_metres else 0
    if rate.partial is n.PartialKm.STARTED:
        counted = -(-counted // 1000) * 1000
    elif rate.partial is n.PartialKm.COMPLETED:
        counted = counted // 1000 * 1000
    return Charge(line, rate.rate * counted * _PER_METRE, thousandths(counted), Unit.KM, rate.rate)


def _steps(line: n.Line, steps: n.Steps, scene: Scene) -> Charge | Unpriced:
    if steps.radius:
        if scene.trip.radius_metres is None:
            raise FactMissing("radius_km", line.citation)
        metres = scene.trip.radius_metres
    else:
        metres = metres_over(scene.hire, steps.over, scene.districts)
    for limit, amount in steps.bands:
        below = limit is None or metres < limit or (metres == limit and steps.edge is n.Edge.LOWER)
        if below and amount is not None:
            return Charge(line, amount * SCALE, "1", Unit.TRIP, amount)
        if below:
            break
    text = "A norma deixa o preço desta distância à livre negociação."
    return Unpriced(line, n.Grounds(n.Status.NEGOTIATED, "beyond_table", text, line.citation))


def _matrix(line: n.Line, matrix: n.Matrix, scene: Scene) -> Charge | Unpriced:
    trip = scene.trip
    if trip.origin_zone_code is None:
        raise FactMissing("origin_zone_code", line.citation)
    if trip.destination_zone_code is None:
        raise FactMissing("destination_zone_code", line.citation)
    origin = zone_of(trip.origin_zone_code, scene.districts)
    destination = zone_of(trip.destination_zone_code, scene.districts)
    for cell in matrix.cells:
        if cell.windows is not None and scene.window not in cell.windows:
            continue
        if _fits(cell, origin, destination) or (cell.symmetric and _fits(cell, destination, origin)):
            return Charge(line, cell.amount * SCALE, "1", Unit.TRIP, cell.amount)
    text = f"Sem preço definido de {trip.origin_zone_code} para {trip.destination_zone_code}."
    return Unpriced(line, n.Grounds(n.Status.UNDEFINED_COMPONENT, "no_price_for_pair", text, line.citation))


def _fits(cell: n.Cell, origin: str | None, destination: str | None) -> bool:
    if origin is None or destination is None:
        return False
    if "same" in (cell.origin, cell.destination) and origin != destination:
        return False
    if "different" in (cell.origin, cell.destination) and origin == destination:
        return False
    wild = ("same", "different", "any")
    return (cell.origin in wild or cell.origin == origin) and (
        cell.destination in wild or cell.destination == destination
    )


def _per_passenger(line: n.Line, each: Mapping[int, int], passengers: int) -> Charge | Unpriced:
    if passengers not in each:
        text = f"Sem preço definido para {passengers} passageiros."
        return Unpriced(line, n.Grounds(n.Status.UNDEFINED_COMPONENT, "no_price_for_passengers", text, line.citation))
    return Charge(line, passengers * each[passengers] * SCALE, str(passengers), Unit.PASSENGER, each[passengers])


def _ticks(line: n.Line, tick: n.Tick, scene: Scene) -> Charge:
    if tick.metres is not None:
        count = -(-metres_over(scene.hire, tick.over, scene.districts) // tick.metres)
    else:
        assert tick.seconds is not None
        count = -(-scene.trip.waiting_seconds // tick.seconds)
    return Charge(line, count * tick.amount * SCALE, str(count), Unit.TICK, tick.amount)


def _waiting(line: n.Line, waiting: n.Waiting, trip: Trip) -> Charge:
    stated = trip.slow_seconds if waiting.slow else trip.waiting_seconds
    seconds = max(0, stated - waiting.free_seconds)
    return Charge(line, waiting.rate * seconds * (SCALE // 3600), _hours(seconds), Unit.HOUR, waiting.rate)


def _items(line: n.Line, item: n.PerItem, trip: Trip) -> Charge:
    carried = sum(i.count for i in trip.items if i.item_class == item.item_class)
    count = max(0, carried - item.free)
    return Charge(line, count * item.amount * SCALE, str(count), Unit.ITEM, item.amount)


def _no_figure(line: n.Line) -> n.Grounds:
    text = f"A fonte não traz o valor de: {line.text}."
    return n.Grounds(n.Status.UNDEFINED_COMPONENT, "missing_figure", text, line.citation)


@lru_cache(maxsize=4096)
def thousandths(count: int) -> str:
    """Thousandths as an exact decimal text without needless zeros: 10500 -> "10.5"."""
    whole, rest = divmod(count, 1000)
    return f"{whole}.{rest:03}".rstrip("0").rstrip(".") if rest else str(whole)


def _hours(seconds: int) -> str:
    """Hours to three decimals, for reading; the amount comes from the seconds, and "0" only from none."""
    return thousandths(max(1, seconds * 1000 // 3600)) if seconds else "0"

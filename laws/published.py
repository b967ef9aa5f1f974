"""Norms as the public reads them: which one governs an instant, and its lines in one flat shape.

Everything comes from the norm; nothing here computes a fare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from laws import norm as n
from laws.schedule import Window
from laws.timeline import in_force, norms_beside


@dataclass(frozen=True, slots=True)
class Entry:
    """One figure of a table: up to a distance, from one district to another, or with so many passengers."""

    amount: int | None
    up_to_metres: int | None = None
    origin: str | None = None
    destination: str | None = None
    passengers: int | None = None


@dataclass(frozen=True, slots=True)
class PublicLine:
    """One line of a tariff. ``amount`` in centavos per ``unit``; ``table`` where it is not one figure.

    ``factor`` is an exact decimal text ("1.5") for lines that multiply. ``windows`` and ``zones`` are those the line
    is limited to; empty: any.
    """

    code: str
    text: str
    citation: str
    kind: str
    unit: str
    amount: int | None = None
    from_metres: int | None = None
    to_metres: int | None = None
    table: tuple[Entry, ...] = ()
    factor: str | None = None
    windows: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()
    optional: bool = False


def public_line(line: n.Line) -> PublicLine:
    """The public shape of ``line``."""
    windows = {name for guard in line.when for name in guard.windows or ()}
    scope = getattr(line.amount, "over", None)
    shown = _amount(line.amount)
    return PublicLine(
        code=line.code,
        text=line.text,
        citation=line.citation,
        kind=shown.kind,
        unit=shown.unit,
        amount=shown.amount,
        from_metres=shown.from_metres,
        to_metres=shown.to_metres,
        table=shown.table,
        factor=shown.factor,
        windows=tuple(sorted(windows)),
        zones=tuple(sorted(scope.zones)) if scope is not None and scope.zones else (),
        optional=line.optional,
    )


@dataclass(frozen=True, slots=True)
class _Amount:
    kind: str
    unit: str
    amount: int | None = None
    from_metres: int | None = None
    to_metres: int | None = None
    table: tuple[Entry, ...] = ()
    factor: str | None = None


def _amount(amount: n.Amount) -> _Amount:
    match amount:
        case n.Fixed(centavos):
            return _Amount("fixed", "trip", centavos)
        case n.PerKm(rate=rate, from_metres=start, to_metres=end):
            return _Amount("per_km", "km", rate, start or None, end)
        case n.Steps(bands=bands):
            return _Amount("steps", "trip", table=tuple(Entry(value, up_to_metres=limit) for limit, value in bands))
        case n.Matrix(cells=cells):
            entries = tuple(Entry(cell.amount, origin=cell.origin, destination=cell.destination) for cell in cells)
            return _Amount("matrix", "trip", table=entries)
        case n.PerPassenger(each=each):
            entries = tuple(Entry(value, passengers=count) for count, value in each.items())
            return _Amount("per_passenger", "passenger", table=entries)
        case n.Tick(amount=centavos):
            return _Amount("tick", "tick", centavos)
        case n.Waiting(rate=rate):
            return _Amount("waiting", "hour", rate)
        case n.PerItem(amount=centavos):
            return _Amount("per_item", "item", centavos)
        case n.Add(amount=centavos):
            return _Amount("add", "trip", centavos)
        case n.Times(ten_thousandths=parts):
            return _Amount("times", "percent", factor=f"{parts // 10_000}.{parts % 10_000:04d}".rstrip("0").rstrip("."))
        case n.Bound(amount=centavos, upper=upper):
            return _Amount("maximum" if upper else "minimum", "trip", centavos)


@dataclass(frozen=True, slots=True)
class Warning:
    """What the reader must know before relying on the tariff; ``citation`` where an article says it."""

    code: str
    detail: str
    citation: str | None


@dataclass(frozen=True, slots=True)
class PublicTariff:
    """The tariff of a municipality at an instant.

    ``status`` PRICED means ``lines`` give figures; any other has its ``reasons``. ``readings`` are the unclear
    clauses with every way to read them; ``prohibitions`` include the federal ones.
    """

    municipality: str
    status: n.Status
    norm: n.NormRef | None
    basis: str | None
    nature: n.Nature | None
    windows: tuple[Window, ...]
    lines: tuple[PublicLine, ...]
    readings: tuple[n.Clause, ...]
    prohibitions: tuple[n.Rule, ...]
    warnings: tuple[Warning, ...]
    reasons: tuple[n.Grounds, ...]


def public_tariff(municipality: n.Municipality, at: datetime, evidence: Mapping[n.Evidence, date]) -> PublicTariff:
    """The tariff in force at a local instant. Raises `laws.timeline.EvidenceNeeded`."""
    found = in_force(municipality, at, evidence)
    norm = found.norm
    if norm is None:
        assert found.grounds is not None
        return PublicTariff(
            municipality.slug, found.grounds.status, None, None, None, (), (), (), (), (), (found.grounds,)
        )
    tariff = norm.base
    grounds = norm.grounds or (tariff.refuses if tariff else None)
    superior = (rule for other in norms_beside(municipality, at, norm.service) for rule in other.rules)
    return PublicTariff(
        municipality=municipality.slug,
        status=status_of(norm),
        norm=norm.ref,
        basis=norm.force.basis,
        nature=tariff.nature if tariff else None,
        windows=tariff.schedule.windows if tariff else (),
        lines=tuple(public_line(line) for line in tariff.lines) if tariff else (),
        readings=norm.clauses,
        prohibitions=(*norm.rules, *superior),
        warnings=_warnings(norm),
        reasons=(grounds,) if grounds else (),
    )


def status_of(norm: n.Norm) -> n.Status:
    """Whether the norm gives figures, and if not, what it gives instead."""
    if norm.grounds is not None:
        return norm.grounds.status
    if norm.base is None:
        return n.Status.NO_TARIFF
    return norm.base.refuses.status if norm.base.refuses else n.Status.PRICED


def _warnings(norm: n.Norm) -> tuple[Warning, ...]:
    told = tuple(Warning(notice.code, notice.text, notice.citation) for notice in norm.notices)
    if norm.force.confirmed:
        return told
    return (Warning("in_force_date_unconfirmed", f"Data de vigência não confirmada: {norm.force.basis}", None), *told)


@dataclass(frozen=True, slots=True)
class PublicNorm:
    """A norm in the list of a municipality's, and whether it gives figures."""

    id: str
    title: str
    label: str
    in_force_from: date
    in_force_to: date | None
    confirmed: bool
    version: str
    status: n.Status


@dataclass(frozen=True, slots=True)
class PublicMunicipality:
    """A municipality with its norms, earliest first."""

    slug: str
    name: str
    uf: str
    ibge_code: str
    zone_info: ZoneInfo
    area_code: str
    norms: tuple[PublicNorm, ...]


def public_municipality(town: n.Municipality) -> PublicMunicipality:
    """``town`` as the public reads it."""
    norms = tuple(PublicNorm(**asdict(norm.ref), status=status_of(norm)) for norm in town.norms)
    return PublicMunicipality(town.slug, town.name, town.uf, town.ibge_code, town.zone_info, town.area_code, norms)

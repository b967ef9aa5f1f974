"""A norm as the engine reads it: frozen values built by `laws.loader` from the YAML of one municipality.

Money is integer centavos, lengths integer metres, rates centavos per kilometre or per hour. Every line carries the
full citation of the provision that creates it. Nothing here computes a fare.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from laws.calendar import Calendar
from laws.schedule import Schedule


class Zone(StrEnum):
    """Where a leg runs. `undetermined` is the band in which no source tells town from country."""

    URBAN = "urban"
    RURAL = "rural"
    UNDETERMINED = "undetermined"
    OUTSIDE = "outside"


class Direction(StrEnum):
    OUTBOUND = "outbound"
    RETURN = "return"


class Surface(StrEnum):
    PAVED = "paved"
    UNPAVED = "unpaved"


class Status(StrEnum):
    """What the law answers for a trip (public contract)."""

    PRICED = "priced"
    DELEGATED = "delegated"
    NO_TARIFF = "no_tariff"
    OUT_OF_SCOPE = "out_of_scope"
    PROHIBITED = "prohibited"
    NEGOTIATED = "negotiated"
    UNDEFINED_COMPONENT = "undefined_component"


class Nature(StrEnum):
    """How the computed figure binds."""

    EXACT = "exact"
    CEILING = "ceiling"
    INTERVAL = "interval"
    NEGOTIATED = "negotiated"


class Standing(StrEnum):
    """How defensible a reading of an unclear clause is."""

    ADOPTED = "adopted"
    REASONABLE = "reasonable"
    REJECTED = "rejected"


class PartialKm(StrEnum):
    """How a part of a kilometre counts."""

    PRORATE = "prorate"
    STARTED = "started"
    COMPLETED = "completed"


def district_key(name: str) -> str:
    """How district names are compared: accents, case and spacing do not matter."""
    plain = unicodedata.normalize("NFKD", name)
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).casefold().split())


class Evidence(StrEnum):
    """Facts outside the trip on which a norm may make its own force depend (`effective_when`)."""

    METER_VERIFIED = "meter_verified_at"
    TABLE_POSTED = "table_posted_at"
    TENDER_HOMOLOGATED = "tender_homologated_at"


class Edge(StrEnum):
    """To which band a distance equal to a limit belongs."""

    LOWER = "lower"
    UPPER = "upper"


class Side(StrEnum):
    """Which end of an interval a line makes."""

    BOTH = "both"
    LOWER = "lower"
    UPPER = "upper"


class WindowAt(StrEnum):
    """Which instant chooses the hour band."""

    START = "start"
    END = "end"
    LEG = "leg"


class Stage(StrEnum):
    """The steps of evaluation; a tariff lists them in its own order."""

    BASE = "base"
    RETURN = "return"
    ADJUST = "adjust"
    EXTRAS = "extras"
    BOUNDS = "bounds"


@dataclass(frozen=True, slots=True)
class NormRef:
    """Which text, in which state, a result rests on. ``version`` is the SHA-256 of the norm's data."""

    id: str
    title: str
    label: str
    in_force_from: date
    in_force_to: date | None
    confirmed: bool
    version: str


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition on the trip; every stated field must hold. A rule's guards are alternatives.

    Zones of the ends are those of the first leg and of the last outbound leg. ``touches`` asks for some distance
    inside the zone, ``partial_km`` for a leg that is not a whole number of kilometres, ``crosses_again`` for a
    way out that leaves town and enters it again. ``boarded`` is True unless the
    norm says otherwise: nothing is charged for a call that never became a trip. ``ended``: the end is
    known.
    """

    windows: frozenset[str] | None = None
    touches: frozenset[Zone] | None = None
    origin: frozenset[Zone] | None = None
    destination: frozenset[Zone] | None = None
    stop_in: frozenset[Zone] | None = None
    surface: Surface | None = None
    origin_code: frozenset[str] | None = None
    destination_code: frozenset[str] | None = None
    either_code: frozenset[str] | None = None
    category: frozenset[str] | None = None
    same_vehicle_return: bool | None = None
    boarded: bool | None = True
    parcel_only: bool | None = None
    moved: bool | None = None
    partial_km: bool | None = None
    crosses_again: bool | None = None
    waited: bool | None = None
    ended: bool | None = None
    km_above: int | None = None
    km_up_to: int | None = None
    passengers_from: int | None = None
    passengers_to: int | None = None
    age_below: int | None = None
    carries: frozenset[str] | None = None
    items_other_than: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """Which metres a rate runs over: legs by zone, direction, surface and district (None: any).

    ``after_town`` keeps only what is ridden after the trip first leaves the urban zone.
    """

    zones: frozenset[Zone] | None = None
    direction: Direction | None = None
    surface: Surface | None = None
    codes: frozenset[str] | None = None
    after_town: bool = False


@dataclass(frozen=True, slots=True)
class Fixed:
    """A flat amount; ``amount`` None is a figure the source does not give."""

    amount: int | None


@dataclass(frozen=True, slots=True)
class PerKm:
    """``rate`` per kilometre over the metres of ``over`` beyond ``from_metres`` and up to ``to_metres``."""

    rate: int
    over: Scope
    from_metres: int
    to_metres: int | None
    partial: PartialKm


@dataclass(frozen=True, slots=True)
class Steps:
    """A value by distance band: ``bands`` are (upper limit in metres or None, amount or None for negotiated).

    ``edge`` LOWER keeps a distance equal to a limit in the band below. ``radius`` measures in a straight line from a
    reference the norm names (the trip states ``radius_metres``), otherwise the metres of ``over`` count.
    """

    bands: tuple[tuple[int | None, int | None], ...]
    edge: Edge
    over: Scope
    radius: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """An entry of a matrix; ``origin`` and ``destination`` are a zone id, "same", "different" or "any"."""

    origin: str
    destination: str
    amount: int
    windows: frozenset[str] | None
    symmetric: bool


@dataclass(frozen=True, slots=True)
class Matrix:
    """A price by origin and destination; the first cell listed that fits is the one (explicit precedence)."""

    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class PerPassenger:
    """What each passenger pays when so many ride."""

    each: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Tick:
    """``amount`` for every started stretch of so many metres, or of so many seconds of waiting."""

    amount: int
    metres: int | None
    seconds: int | None
    over: Scope


@dataclass(frozen=True, slots=True)
class Waiting:
    """``rate`` per hour of waiting beyond ``free_seconds``; ``slow`` counts time below ``below_kmh`` instead."""

    rate: int
    free_seconds: int
    slow: bool
    below_kmh: int | None


@dataclass(frozen=True, slots=True)
class PerItem:
    """``amount`` for each item of a class beyond ``free``."""

    amount: int
    item_class: str
    free: int


@dataclass(frozen=True, slots=True)
class Add:
    """A flat adjustment, when at least one of the lines in ``on`` applies (None: any)."""

    amount: int
    on: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Times:
    """A factor in ten-thousandths on what the lines in ``on`` (None: all) have come to so far."""

    ten_thousandths: int
    on: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Bound:
    """A minimum (``upper`` False) or maximum on the sum of the lines in ``on`` (None: all)."""

    amount: int
    on: frozenset[str] | None
    upper: bool


Amount = Fixed | PerKm | Steps | Matrix | PerPassenger | Tick | Waiting | PerItem | Add | Times | Bound


@dataclass(frozen=True, slots=True)
class Line:
    """One provision that adds to the fare, or changes it.

    Of the lines that share ``one_of`` only the first whose guard holds applies. ``optional`` lines may be left out by
    the rider (the fare becomes an interval). ``side`` LOWER or UPPER lines make only that end of an interval.
    """

    code: str
    text: str
    citation: str
    amount: Amount
    when: tuple[Guard, ...]
    stage: Stage
    one_of: str | None = None
    optional: bool = False
    side: Side = Side.BOTH


@dataclass(frozen=True, slots=True)
class Grounds:
    """Why the law gives no price."""

    status: Status
    code: str
    text: str
    citation: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A prohibition or the edge of the law's scope: when a guard holds there is no price, for these grounds."""

    grounds: Grounds
    when: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """What the reader must be told when a guard holds."""

    code: str
    text: str
    citation: str | None
    when: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class Rounding:
    """How sub-centavo parts end: to a multiple of ``to_centavos``, on each line or once at the end."""

    half_up: bool
    to_centavos: int
    each_line: bool


@dataclass(frozen=True, slots=True)
class Tariff:
    """A complete way to compute a fare: one reading of every clause already taken; lines in order of evaluation.

    ``treat`` sends a window to another (a gap read as one of its neighbours). ``refuses`` is set where this reading
    gives no price. ``return_after_stop`` names the zones in which a stop asked for by the passenger turns what
    follows into the way back.
    """

    nature: Nature
    lines: tuple[Line, ...]
    schedule: Schedule
    treat: Mapping[str, str]
    window_at: WindowAt
    rounding: Rounding
    order: tuple[Stage, ...]
    return_after_stop: frozenset[Zone]
    districts: Mapping[str, str]
    refuses: Grounds | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """One way to read a clause. ``when`` narrows the trips on which it differs from the adopted one."""

    id: str
    standing: Standing
    why: str
    when: tuple[Guard, ...]
    changes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Clause:
    """An unclear provision and its readings; the adopted option is the first.

    ``signed_by`` and ``signed_on`` say which authority took the adopted reading as its own; None: nobody yet.
    """

    id: str
    question: str
    citation: str
    when: tuple[Guard, ...]
    options: tuple[Option, ...]
    signed_by: str | None
    signed_on: date | None

    @property
    def adopted(self) -> Option:
        return self.options[0]


@dataclass(frozen=True, slots=True)
class Suspension:
    """A court's order that a norm not be applied for a time; ``restores`` is the norm that revives, if any."""

    start: datetime
    end: datetime | None
    by: str
    restores: str | None


@dataclass(frozen=True, slots=True)
class EffectiveWhen:
    """A norm that binds a vehicle only with a fresh fact, such as a meter verified in the last 30 days."""

    evidence: Evidence
    within_days: int | None
    citation: str


@dataclass(frozen=True, slots=True)
class Force:
    """From when to when a norm is in force: [start, end) in the municipality's time."""

    start: datetime
    end: datetime | None
    basis: str
    confirmed: bool
    suspended: tuple[Suspension, ...] = ()
    effective_when: EffectiveWhen | None = None


@dataclass(frozen=True, eq=False)
class Norm:
    """One published norm. Immutable: a later one supersedes it.

    ``base`` is the tariff under the adopted readings, None where the norm gives none (``grounds`` says why).
    ``under`` gives the tariff with the stated options in place of the adopted ones. ``superior`` are federal norms
    whose prohibitions hold beside the municipality's own.
    """

    ref: NormRef
    force: Force
    supersedes: tuple[str, ...]
    override: bool
    service: str
    calendar: Calendar
    zone_info: ZoneInfo
    grounds: Grounds | None
    variants: Variants | None
    clauses: tuple[Clause, ...]
    rules: tuple[Rule, ...]
    notices: tuple[Notice, ...]
    source: str

    @property
    def about_fares(self) -> bool:
        """Whether the norm fixes a tariff, or says who does; other norms only forbid or tell."""
        return self.variants is not None or self.grounds is not None

    @property
    def base(self) -> Tariff | None:
        return self.variants.under({}) if self.variants else None


class Variants(Protocol):
    """The tariff of a norm under any choice of readings."""

    def under(self, choices: Mapping[str, str]) -> Tariff:
        """The tariff with the given option for each named clause and the adopted one for the others."""


@dataclass(frozen=True)
class Municipality:
    """One municipality and its norms, earliest first; ``forbidding`` are those that only forbid, federal or its own."""

    slug: str
    name: str
    uf: str
    ibge_code: str
    zone_info: ZoneInfo
    area_code: str
    calendar: Calendar
    norms: tuple[Norm, ...]
    federal: tuple[Norm, ...]
    forbidding: tuple[Norm, ...]

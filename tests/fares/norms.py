"""Norms written on the spot, for tests that need a tariff of a certain shape."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from textwrap import dedent, indent
from typing import Any
from zoneinfo import ZoneInfo

from fares.fare import Fare
from fares.trip import Leg, Trip, Zone
from laws.loader import load_municipality
from laws.norm import Direction, Norm, Surface
from tests.laws.town import SLUG, write_town

ZONE = ZoneInfo("America/Porto_Velho")

HEAD = f"""\
norm: {{id: {SLUG}/lei-1, kind: lei, date: 2020-01-01, title: Tarifa, label: Lei nº 1}}
in_force: {{from: 2020-01-01, basis: publicação, confirmed: true}}
service: mototaxi
"""

DAY_AND_NIGHT = """
schedule:
  day:
    text: Dia
    times: [{days: [mon, tue, wed, thu, fri, sat, sun], from: "06:00", to: "22:00"}]
  night: {text: Noite, rest: true}
"""


def norm_of(folder: Path, tariff: str, more: str = "") -> Norm:
    """The norm whose `tariff` block is ``tariff``; ``more`` are further blocks of the file."""
    body = indent(dedent(tariff).strip("\n"), "  ")
    town = write_town(folder, norm=f"{HEAD}tariff:\n{body}\n{dedent(more)}")
    return load_municipality(town).norms[0]


def leg(words: str) -> Leg:
    """A leg written as in the worked cases: "rural 10 back", "urban 2 stop", "urban 3 unpaved @centro"."""
    zone, km, *marks = words.split()
    return Leg(
        zone=Zone(zone),
        metres=round(float(km) * 1000),
        direction=Direction.RETURN if "back" in marks else Direction.OUTBOUND,
        stop="stop" in marks,
        surface=Surface.UNPAVED if "unpaved" in marks else Surface.PAVED,
        zone_code=next((mark[1:] for mark in marks if mark[0] == "@"), None),
    )


def trip(*legs: str, at: str = "2024-05-14T10:00", **facts: Any) -> Trip:
    """A trip on a Tuesday morning unless said otherwise."""
    started_at = datetime.fromisoformat(at).replace(tzinfo=ZONE)
    return Trip(started_at=started_at, legs=tuple(leg(words) for words in legs), **facts)


def amounts(fare: Fare) -> dict[str, int]:
    """The amount of each line by its code."""
    return {line.code: line.amount for line in fare.lines}

"""The one question of this room: what does a trip cost in a municipality, under the law of its day?"""

from __future__ import annotations

from pathlib import Path

from fares import cases
from fares.engine import price
from fares.fare import Fare, Reason
from fares.trip import FactMissing, Trip
from laws.loader import LawBook, load_lawbook
from laws.norm import Grounds, Nature
from laws.timeline import EvidenceNeeded, in_force, norms_beside


def open_lawbook(folder: Path) -> LawBook:
    """Load every municipality under ``folder``; the worked cases stored beside the norms must reproduce.

    Raises `laws.source.LawError` with file, line and what to do.
    """
    return load_lawbook(folder, verify=cases.verify)


def fare(lawbook: LawBook, slug: str, trip: Trip) -> Fare:
    """The fare of a trip under the norm in force in a municipality when it started.

    Raises `laws.loader.UnknownMunicipality`, and ``FactMissing`` for a fact the norm needs.
    """
    municipality = lawbook.municipality(slug)
    try:
        found = in_force(municipality, trip.started_at, trip.evidence)
    except EvidenceNeeded as need:
        raise FactMissing(need.evidence, need.citation) from need
    if found.norm is None:
        assert found.grounds is not None
        return _without_norm(found.grounds)
    beside = norms_beside(municipality, trip.started_at, found.norm.service)
    return price(found.norm, trip, beside)


def _without_norm(grounds: Grounds) -> Fare:
    return Fare(
        status=grounds.status,
        nature=Nature.EXACT,
        total=None,
        low=None,
        high=None,
        exact=False,
        lines=(),
        norm=None,
        readings=(),
        readings_low=None,
        readings_high=None,
        warnings=(),
        reasons=(Reason(grounds.code, grounds.citation, grounds.text),),
    )

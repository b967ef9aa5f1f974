"""The gazetteer of every municipality: kept in PostgreSQL with its history, searched from memory.

Every worker keeps one `Index` per municipality and asks the database only whether it is still the newest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from sqlalchemy import func, insert, select, text
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from geodata.point import Point
from store.connections import Connections
from zones.places.models import PlaceRecord
from zones.places.place import Candidate, Kind, Place, PositionQuality, identity_of
from zones.places.search import Index

__all__ = ["Changes", "Gazetteer", "HistoryEntry", "NoSuchPlace"]


_NOTHING = Index([])


class NoSuchPlace(LookupError):
    """The gazetteer has no such place; the message says what to do, in Portuguese."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What one import did, in numbers of places."""

    added: int
    changed: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One change of one place: how it stood from then on, or that it was removed; who, when and why."""

    place: Place
    removed: bool
    by: str
    at: datetime
    reason: str


class Gazetteer:
    """Reads and writes the places of all municipalities. Safe to share between threads."""

    def __init__(self, store: Connections) -> None:
        self._store = store
        self._indexes: dict[str, tuple[int, Index]] = {}
        self._building = Lock()

    def search(self, municipality: str, query: str, limit: int) -> list[Candidate]:
        """See `zones.places.search.Index.search`; what was written before the call is found."""
        return self._index(municipality).search(query, limit)

    def places(self, municipality: str) -> list[Place]:
        """The places in use now, in natural order."""
        return self._index(municipality).places

    def put(self, municipality: str, places: Sequence[Place], by: str, reason: str = "") -> Changes:
        """Add places, or change those whose identity is known; all or none. ``by`` is who says so."""
        with self._store.sessions.begin() as session:
            _write_alone(session, municipality)
            known = {place.identity: place for place in _current(session, municipality)}
            new = [place for place in places if known.get(place.identity) != place]
            _record(session, municipality, new, by=by, reason=reason)
        changed = sum(place.identity in known for place in new)
        return Changes(added=len(new) - changed, changed=changed, unchanged=len(places) - len(new))

    def seed(self, municipality: str, places: Sequence[Place], by: str) -> Changes:
        """Add the first places of a municipality that never had any; where it had, its central knows better."""
        with self._store.sessions.begin() as session:
            _write_alone(session, municipality)
            if _version(session, municipality):
                return Changes(added=0, changed=0, unchanged=0)
            _record(session, municipality, places, by=by, reason="")
        return Changes(added=len(places), changed=0, unchanged=0)

    def remove(self, municipality: str, kind: Kind, name: str, detail: str, by: str, reason: str) -> Place:
        """End a place; its history stays. Raises ``NoSuchPlace``."""
        identity = identity_of(kind, name, detail)
        with self._store.sessions.begin() as session:
            _write_alone(session, municipality)
            for place in _current(session, municipality):
                if place.identity == identity:
                    _record(session, municipality, [place], by=by, reason=reason, removed=True)
                    return place
        raise NoSuchPlace(
            f"não há {kind.value} {name!r} com o detalhe {detail!r} em {municipality}; veja: flask zones places list"
        )

    def history(self, municipality: str) -> list[HistoryEntry]:
        """Every change ever made, oldest first."""
        with self._store.sessions() as session:
            records = session.scalars(
                select(PlaceRecord).where(PlaceRecord.municipality == municipality).order_by(PlaceRecord.id)
            )
            return [HistoryEntry(_place(r), r.removed, r.by, r.at, r.reason) for r in records]

    def _index(self, municipality: str) -> Index:
        with self._store.sessions() as session:
            newest = _version(session, municipality)
            with self._building:
                version, index = self._indexes.get(municipality, (-1, _NOTHING))
                if version < newest:
                    # What is read may be newer than `newest`, never older: at worst it is read once more.
                    index = Index(_current(session, municipality))
                    self._indexes[municipality] = (newest, index)
        return index


def _version(session: Session, municipality: str) -> int:
    newest = select(func.max(PlaceRecord.id)).where(PlaceRecord.municipality == municipality)
    return session.scalar(newest) or 0


def _write_alone(session: Session, municipality: str) -> None:
    """One writer per municipality at a time, so that record numbers are committed in order."""
    session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"), {"key": f"places:{municipality}"})


def _current(session: Session, municipality: str) -> list[Place]:
    latest = (
        select(PlaceRecord)
        .where(PlaceRecord.municipality == municipality)
        .ext(distinct_on(PlaceRecord.identity))
        .order_by(PlaceRecord.identity, PlaceRecord.id.desc())
    )
    return [_place(record) for record in session.scalars(latest) if not record.removed]


def _record(
    session: Session, municipality: str, places: Sequence[Place], by: str, reason: str, removed: bool = False
) -> None:
    if not places:
        return
    rows = [
        {
            "municipality": municipality,
            "identity": place.identity,
            "removed": removed,
            "kind": place.kind.value,
            "name": place.name,
            "detail": place.detail,
            "aliases": list(place.aliases),
            "lat": place.position and place.position.lat,
            "lon": place.position and place.position.lon,
            "position_quality": place.position_quality.value,
            "axis": [degrees for point in place.axis for degrees in point],
            "source": place.source,
            "credit": place.credit,
            "by": by,
            "reason": reason,
        }
        for place in places
    ]
    session.execute(insert(PlaceRecord), rows)


def _place(record: PlaceRecord) -> Place:
    return Place(
        kind=Kind(record.kind),
        name=record.name,
        source=record.source,
        detail=record.detail,
        aliases=tuple(record.aliases),
        position=None if record.lat is None or record.lon is None else Point(lat=record.lat, lon=record.lon),
        position_quality=PositionQuality(record.position_quality),
        axis=tuple(zip(record.axis[::2], record.axis[1::2], strict=True)),
        credit=record.credit,
    )

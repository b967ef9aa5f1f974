"""Measurements under way in PostgreSQL: what a phone sent survives every restart, and is never measured twice.

The same promise as `fares.meter.state.MeterState`, kept by the database: a track is the set of its distinct fixes.
Positions from before the ride was accepted are not kept (`fares.collecting`); after its end nothing is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import uuid4

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from fares.collecting import Ride, those_of
from fares.meter import Fix, Measurement
from fares.meter.state import BATCH, MOST_FIXES, BatchTooLarge, TrackFull
from fares.metered import RideFacts, TrackOrder
from fares.track_models import Track, TrackFix
from fares.trip import Item

__all__ = ["Taken", "TrackClosed", "UnknownTrack", "append", "close", "find", "fixes_of", "open_track", "order_of"]


class UnknownTrack(LookupError):
    """No track has this number."""

    def __init__(self) -> None:
        super().__init__("não há medição com este número; abra outra")


class TrackClosed(ValueError):
    """The track is measured; nothing can be added to it."""

    def __init__(self) -> None:
        super().__init__("a medição já foi encerrada; posições atrasadas não entram mais nela")


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a batch: how many of its fixes were new, and how many are from before the ride and not kept."""

    new: int
    before_ride: int


_NO_FACTS = RideFacts()


def open_track(
    session: Session,
    municipality: str,
    accepted_at: datetime,
    *,
    opened_by: str | None = None,
    facts: RideFacts = _NO_FACTS,
) -> str:
    """Begin to measure the ride accepted at ``accepted_at`` (with its offset); the track's number.

    ``opened_by`` is the account whose track it is.
    """
    track = Track(
        id=uuid4().hex,
        municipality=municipality,
        fixes=0,
        opened_at=accepted_at,
        opened_by=opened_by,
        facts=asdict(facts),
    )
    session.add(track)
    session.flush()
    return track.id


def append(session: Session, track_id: str, batch: Sequence[Fix]) -> Taken:
    """Keep a batch, in any order and as often as it comes.

    Raises ``UnknownTrack``, ``TrackClosed``, ``BatchTooLarge`` or ``TrackFull``, keeping none.
    """
    if len(batch) > BATCH:
        raise BatchTooLarge(len(batch))
    track = _open(session, track_id)
    of_ride = those_of(Ride(track.opened_at.timestamp()), batch)
    rows = [{"track_id": track_id, **asdict(fix)} for fix in of_ride]
    if not rows:
        return Taken(0, len(batch))
    with session.begin_nested():
        new = len(
            session.execute(insert(TrackFix).on_conflict_do_nothing().returning(TrackFix.id), rows).scalars().all()
        )
        if track.fixes + new > MOST_FIXES:
            raise TrackFull
    track.fixes += new
    return Taken(new, len(batch) - len(of_ride))


def find(session: Session, track_id: str, *, lock: bool = False) -> Track | None:
    """The track with this number, if any; with ``lock`` nobody else touches it until the transaction ends."""
    return session.get(Track, track_id, with_for_update=lock or None, populate_existing=lock)


def order_of(session: Session, track: Track) -> TrackOrder:
    """What is to be measured and priced of a track: all that it holds by now."""
    items = tuple(Item(**item) for item in track.facts.get("items", ()))
    facts = RideFacts(**{**track.facts, "items": items})
    return TrackOrder(track.municipality, fixes_of(session, track.id), facts)


def fixes_of(session: Session, track_id: str) -> list[Fix]:
    """The raw fixes of a track, in the order they came."""
    rows = session.scalars(select(TrackFix).where(TrackFix.track_id == track_id).order_by(TrackFix.id))
    return [_fix(row) for row in rows]


def close(session: Session, track_id: str, measure: Callable[[Iterable[Fix]], Measurement]) -> Measurement:
    """Measure a track once and for all, and write beside each fix that was dropped why.

    Raises ``UnknownTrack`` or ``TrackClosed``.
    """
    track = _open(session, track_id)
    rows = session.scalars(select(TrackFix).where(TrackFix.track_id == track_id))
    numbers = {_fix(row): row.id for row in rows}
    measurement = measure(numbers)
    reasons = [{"id": numbers[each.fix], "drop_reason": each.reason.value} for each in measurement.dropped]
    if reasons:
        session.execute(update(TrackFix), reasons)
    track.closed_at = func.now()
    return measurement


def _open(session: Session, track_id: str) -> Track:
    """The track, locked until the transaction ends: batches of one track wait for one another."""
    track = find(session, track_id, lock=True)
    if track is None:
        raise UnknownTrack
    if track.closed_at is not None:
        raise TrackClosed
    return track


def _fix(row: TrackFix) -> Fix:
    return Fix(row.t, row.lat, row.lon, row.accuracy_m, row.speed_mps, row.mock)

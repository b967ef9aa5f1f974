"""The perimeters in the database: put there, put in force, and read back as the map of a day or of a version.

Every function works in the caller's transaction.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Lock
from typing import cast

import shapely
from shapely import MultiPolygon, Polygon
from sqlalchemy import Select, func, select
from sqlalchemy.dialects.postgresql import Range, insert
from sqlalchemy.orm import Session, joinedload

from zones import drawn
from zones.atlas import Atlas
from zones.models import MapRecord, PerimeterRecord, PerimeterTerm
from zones.perimeter import BadPerimeter, Kind, Origin, Perimeter, Status

SEED = "geodata"
"""Who put in force what the committed files hold."""

ATLASES_KEPT = 64


class NoMap(LookupError):
    """There is no map of the municipality for that day, or of that version; the message says so in Portuguese."""


class CannotEnact(ValueError):
    """The perimeter cannot come into force as asked; the message says why and how to mend it, in Portuguese."""


def atlas_in_force(session: Session, municipality: str, day: date) -> Atlas:
    """The map of ``day`` (the municipality's local date). Raises ``NoMap``."""
    versions = session.scalars(
        select(PerimeterTerm.version).where(
            PerimeterTerm.municipality == municipality, PerimeterTerm.during.contains(day)
        )
    ).all()
    if not versions:
        raise NoMap(f"Não há mapa de zonas de “{municipality}” para {day:%d/%m/%Y}.")
    return _atlas(session, versions)


def atlas_of_version(session: Session, version: str) -> Atlas:
    """The map that a quote or a ride rests on, whatever came into force later. Raises ``NoMap``."""
    record = session.get(MapRecord, version)
    if record is None:
        raise NoMap(f"Não há mapa de zonas com a versão {version[:80]}.")
    return _atlas(session, record.perimeters)


def seed(session: Session, geodata: Path, today: date) -> list[Perimeter]:
    """Put in force the perimeters drawn in ``geodata``/<slug>/ that never were; say which. Twice adds nothing.

    A perimeter whose file changed follows its former version from ``today``, unless an authority has ended that one:
    files never overrule an approval. Raises what `zones.drawn` and `Atlas` refuse.
    """
    started = []
    for folder in sorted(path.parent for path in geodata.glob("*/limit.geojson")):
        _lock(session, folder.name)
        perimeters = drawn.perimeters(folder)
        keep(session, perimeters, SEED)
        new = [p for p in perimeters if _seed_one(session, p, today)]
        if new:
            _record_maps(session, folder.name)
        started += new
    return started


def keep(session: Session, perimeters: Iterable[Perimeter], by: str) -> None:
    """Store versions that are not stored yet (drafts too); none comes into force by this."""
    rows = [_row(p, by) for p in perimeters]
    if rows:
        session.execute(insert(PerimeterRecord).on_conflict_do_nothing(), rows)


def perimeter(session: Session, version: str) -> Perimeter:
    """One stored version. Raises ``NoMap``."""
    return _perimeters(session, [version])[0]


def perimeters_known(session: Session, municipality: str) -> tuple[Perimeter, ...]:
    """What nobody has ended, to compare a draft with; each as it was published."""
    terms = session.scalars(
        select(PerimeterTerm)
        .options(joinedload(PerimeterTerm.perimeter))
        .where(PerimeterTerm.municipality == municipality, PerimeterTerm.ended_by.is_(None))
        .order_by(PerimeterTerm.id)
    )
    return tuple(_perimeter(term.perimeter) for term in terms)


def enact(session: Session, new: Perimeter, ending: Iterable[Perimeter], by: str) -> Atlas:
    """Put ``new`` in force from its ``valid_from``, when each of ``ending`` ends; answer the map of that day.

    Raises ``CannotEnact`` for a draft, for one in ``ending`` that is not in force before that day, and where another of
    the same kind and name still is; ``AtlasError`` where the perimeters would not make a map.
    """
    if new.status is Status.DRAFT:
        raise CannotEnact(f"“{new.name}” ainda é rascunho. Aprove-o com o ato legal e a data.")
    _lock(session, new.municipality)
    for former in ending:
        _end(session, former, new.valid_from, by)
    during = Range(new.valid_from, new.valid_to)
    rival = session.scalar(_terms_like(new).where(PerimeterTerm.during.overlaps(during)))
    if rival is not None:
        raise CannotEnact(f"“{new.name}” já tem versão em vigor nessas datas. Encerre-a na mesma aprovação.")
    keep(session, [new], by)
    _start(session, new, during, by)
    _record_maps(session, new.municipality)
    return atlas_in_force(session, new.municipality, new.valid_from)


def _seed_one(session: Session, drawn_: Perimeter, today: date) -> bool:
    """Whether the perimeter of a file came into force now."""
    terms = session.scalars(_terms_like(drawn_).order_by(PerimeterTerm.id.desc())).all()
    if any(term.version == drawn_.version for term in terms):
        return False
    if not terms:
        _start(session, drawn_, Range(drawn_.valid_from, drawn_.valid_to), SEED)
        return True
    last, day = terms[0], max(today, drawn_.valid_from)
    overruled = last.started_by != SEED or last.ended_by not in (None, SEED)
    if overruled or not _starts_before(last, day):
        return False
    _close(last, day, SEED)
    _start(session, drawn_, Range(day, drawn_.valid_to), SEED)
    return True


def _lock(session: Session, municipality: str) -> None:
    """One at a time changes what is in force in a municipality, until its transaction ends."""
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"zones/{municipality}", 0))))


def _terms_like(new: Perimeter) -> Select[PerimeterTerm]:
    return select(PerimeterTerm).where(
        PerimeterTerm.municipality == new.municipality, PerimeterTerm.kind == new.kind, PerimeterTerm.name == new.name
    )


def _start(session: Session, new: Perimeter, during: Range[date], by: str) -> None:
    session.add(
        PerimeterTerm(
            version=new.version,
            municipality=new.municipality,
            kind=new.kind,
            name=new.name,
            during=during,
            started_by=by,
        )
    )
    session.flush()


def _end(session: Session, former: Perimeter, day: date, by: str) -> None:
    term = session.scalar(
        select(PerimeterTerm).where(
            PerimeterTerm.version == former.version,
            PerimeterTerm.during.contains(day),
            func.lower(PerimeterTerm.during) < day,
        )
    )
    if term is None:
        raise CannotEnact(
            f"“{former.name}” não está em vigor antes de {day:%d/%m/%Y} e depois; confira a data e o que ela encerra."
        )
    _close(term, day, by)
    session.flush()


def _starts_before(term: PerimeterTerm, day: date) -> bool:
    return term.during.lower is None or term.during.lower < day


def _close(term: PerimeterTerm, day: date, by: str) -> None:
    term.during = Range(term.during.lower, day)
    term.ended_by, term.ended_at = by, datetime.now(UTC)


def _record_maps(session: Session, municipality: str) -> None:
    """Build the map of every span of days between two changes, and store what it is made of."""
    session.flush()
    terms = session.scalars(select(PerimeterTerm).where(PerimeterTerm.municipality == municipality)).all()
    changes = sorted({d for term in terms for d in (term.during.lower, term.during.upper) if d is not None})
    for day in changes:
        versions = [term.version for term in terms if term.during.contains(day)]
        if not any(term.kind == Kind.LIMIT and term.during.contains(day) for term in terms):
            continue
        atlas = _atlas(session, versions)
        row = {"version": atlas.version, "municipality": municipality, "perimeters": sorted(versions)}
        session.execute(insert(MapRecord).on_conflict_do_nothing(), [row])


_atlases: OrderedDict[frozenset[str], Atlas] = OrderedDict()
_atlases_lock = Lock()


def _atlas(session: Session, versions: Sequence[str]) -> Atlas:
    """The map these perimeters make, built once per process while it is among the last used."""
    key = frozenset(versions)
    with _atlases_lock:
        if key in _atlases:
            _atlases.move_to_end(key)
            return _atlases[key]
    atlas = Atlas(_perimeters(session, versions))
    with _atlases_lock:
        _atlases[key] = atlas
        while len(_atlases) > ATLASES_KEPT:
            _atlases.popitem(last=False)
    return atlas


def _perimeters(session: Session, versions: Sequence[str]) -> list[Perimeter]:
    records = session.scalars(select(PerimeterRecord).where(PerimeterRecord.version.in_(versions))).all()
    if len(records) != len(set(versions)):
        raise NoMap("Falta no banco de dados uma versão de perímetro que este mapa usa.")
    return [_perimeter(record) for record in records]


def _perimeter(record: PerimeterRecord) -> Perimeter:
    found = Perimeter(
        municipality=record.municipality,
        kind=Kind(record.kind),
        name=record.name,
        geometry=cast("Polygon | MultiPolygon", shapely.from_wkb(record.geometry)),
        origin=Origin(record.origin),
        status=Status(record.status),
        valid_from=record.valid_from,
        valid_to=record.valid_to,
        legal_act=record.legal_act,
        precision_m=record.precision_m,
        precedence=record.precedence,
        credit=record.credit,
    )
    if found.version != record.version:
        raise BadPerimeter(f"“{record.name}” não confere com a sua versão {record.version}: o banco foi alterado")
    return found


def _row(new: Perimeter, by: str) -> dict[str, object]:
    return {
        "version": new.version,
        "municipality": new.municipality,
        "kind": new.kind,
        "name": new.name,
        "geometry": shapely.to_wkb(new.geometry, byte_order=1),
        "origin": new.origin,
        "status": new.status,
        "valid_from": new.valid_from,
        "valid_to": new.valid_to,
        "legal_act": new.legal_act,
        "precision_m": new.precision_m,
        "precedence": new.precedence,
        "credit": new.credit,
        "stored_by": by,
    }

"""Drafts of perimeters in the database: kept as imported, approved at most once.

Every function works in the caller's transaction.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import date

import shapely

from store.database import Session
from zones import store
from zones.importing.draft import CannotApprove, Draft, Enactment, enact
from zones.importing.examination import Source
from zones.importing.models import DraftApproval, PerimeterDraft
from zones.importing.packing import unpack_finding, unpack_outline
from zones.importing.surroundings import polygonal
from zones.perimeter import Kind
from zones.store import perimeters_known


class NoSuchDraft(LookupError):
    """There is no draft of that number; the message says what to do, in Portuguese."""


def add(session: Session, draft: Draft) -> int:
    """Keep the draft; its number names it from then on."""
    record = _record(draft)
    session.add(record)
    session.flush()
    return record.id


def get(session: Session, number: int) -> Draft:
    """Raises ``NoSuchDraft``."""
    record = session.get(PerimeterDraft, number)
    if record is None:
        raise NoSuchDraft(f"não há rascunho {number}; quem dá o número é: flask zones import")
    return _draft(record)


def approve(session: Session, number: int, legal_act: str, valid_from: date, by: str) -> Enactment:
    """Make the draft law from ``valid_from``; what it replaces ends on that day.

    Raises ``NoSuchDraft``, ``CannotApprove``, and what `zones.store.enact` refuses.
    """
    draft = get(session, number)
    approval = session.get(DraftApproval, number)
    if approval is not None:
        raise CannotApprove(
            f"o rascunho {number} já foi aprovado por {approval.approved_by}, com vigência desde "
            f"{approval.valid_from:%d/%m/%Y} ({approval.legal_act}); para mudar o perímetro, importe-o de novo"
        )
    if not by.strip():
        raise CannotApprove("falta quem aprova: informe o nome e o cargo da autoridade com --by")
    enactment = enact(draft, legal_act, valid_from, perimeters_known(session, draft.municipality))
    store.enact(session, enactment.perimeter, enactment.superseded, by)
    session.add(
        DraftApproval(
            draft_id=number,
            perimeter_version=enactment.perimeter.version,
            legal_act=legal_act.strip(),
            valid_from=valid_from,
            approved_by=by.strip(),
        )
    )
    session.flush()
    return enactment


def _record(draft: Draft) -> PerimeterDraft:
    return PerimeterDraft(
        municipality=draft.municipality,
        kind=draft.kind.value,
        name=draft.name,
        area=shapely.to_wkb(draft.area),
        source=asdict(draft.source),
        findings=[asdict(finding) for finding in draft.findings],
        before_repair=draft.before_repair,
        precision_m=draft.precision_m,
        imported_by=draft.imported_by,
        imported_at=draft.imported_at,
    )


def _draft(record: PerimeterDraft) -> Draft:
    return Draft(
        municipality=record.municipality,
        kind=Kind(record.kind),
        name=record.name,
        area=polygonal(shapely.from_wkb(record.area)),
        source=Source(**record.source),
        findings=tuple(unpack_finding(finding) for finding in record.findings),
        imported_at=record.imported_at,
        imported_by=record.imported_by,
        precision_m=record.precision_m,
        before_repair=unpack_outline(record.before_repair),
    )

"""Which norm governs an instant: versions by [from, to), overrides, court suspensions, conditions of force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from laws.norm import Evidence, Grounds, Municipality, Norm, Status, Suspension


class EvidenceNeeded(Exception):
    """A norm binds only with a fact that was not stated; ``evidence`` is the name of the fact."""

    def __init__(self, evidence: str, citation: str) -> None:
        super().__init__(f"{evidence} ({citation})")
        self.evidence = evidence
        self.citation = citation


@dataclass(frozen=True, slots=True)
class InForce:
    """The norm that governs an instant, or the grounds for there being none."""

    norm: Norm | None
    grounds: Grounds | None = None


def in_force(municipality: Municipality, at: datetime, evidence: Mapping[Evidence, date] | None = None) -> InForce:
    """The tariff norm that governs an instant.

    An override prevails over the norms beneath it while it lasts; otherwise the latest norm begun does. A norm
    suspended by a court gives way to the one the order restores, or to none. A norm whose `effective_when` fails
    leaves its predecessor in force. Raises ``EvidenceNeeded`` when that depends on a fact not stated.
    """
    at = at.astimezone(municipality.zone_info)
    candidates = [norm for norm in municipality.norms if norm.about_fares and _covers(norm, at)]
    if len(candidates) > 1:
        candidates.sort(key=lambda norm: (norm.override, norm.force.start), reverse=True)
    for norm in candidates:
        suspension = suspension_at(norm, at)
        if suspension is not None:
            restored = next((m for m in municipality.norms if m.ref.id == suspension.restores), None)
            if restored is not None:
                return InForce(restored)
            if norm.override:
                continue
            return InForce(None, _suspended(norm, suspension))
        if _effective(norm, at, evidence or {}):
            return InForce(norm)
    return InForce(None, _nothing(at))


def suspension_at(norm: Norm, at: datetime) -> Suspension | None:
    """The court order under which the norm is not applied at that instant."""
    return next((s for s in norm.force.suspended if s.start <= at and (s.end is None or at < s.end)), None)


def norms_beside(municipality: Municipality, at: datetime, service: str) -> tuple[Norm, ...]:
    """The norms in force that may forbid a trip beside the tariff norm: federal, or municipal without a tariff."""
    return tuple([n for n in municipality.forbidding if n.service == service and _covers(n, at)])


def _covers(norm: Norm, at: datetime) -> bool:
    force = norm.force
    return force.start <= at and (force.end is None or at < force.end)


def _effective(norm: Norm, at: datetime, evidence: Mapping[Evidence, date]) -> bool:
    condition = norm.force.effective_when
    if condition is None:
        return True
    if condition.evidence not in evidence:
        raise EvidenceNeeded(condition.evidence, condition.citation)
    since = evidence[condition.evidence]
    if since > at.date():
        return False
    if condition.within_days is None:
        return True
    return at.date() - since <= timedelta(days=condition.within_days)


def _suspended(norm: Norm, suspension: Suspension) -> Grounds:
    return Grounds(
        Status.NO_TARIFF,
        "suspended_by_court",
        f"A norma está suspensa por decisão judicial ({suspension.by}); não há tarifa vigente.",
        norm.ref.label,
    )


def _nothing(at: datetime) -> Grounds:
    return Grounds(
        Status.NO_TARIFF,
        "no_norm_in_force",
        f"Nenhuma norma tarifária conhecida vigorava em {at:%d/%m/%Y %H:%M}.",
        "Constituição Federal, art. 5º, II",
    )

"""The page an authority reads before approving a draft: one file, no request to anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from zones.importing import limits
from zones.importing.draft import Draft
from zones.importing.finding import Finding, Severity
from zones.importing.notation import format_number
from zones.importing.picture import CREDIT, draw_svg
from zones.importing.placing import area_m2
from zones.importing.surroundings import Surroundings
from zones.perimeter import Perimeter

_VERDICTS = {Severity.ERROR: "Erro", Severity.WARNING: "Atenção", Severity.NOTE: "Informação"}
_ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
_TEMPLATES = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined)


@dataclass(frozen=True, slots=True)
class _Check:
    verdict: str
    finding: Finding
    marks: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The page and its picture, as texts."""

    html: str
    svg: str


def preview(draft: Draft, around: Surroundings, replaced: Sequence[Perimeter], zone: tzinfo) -> Preview:
    """``replaced`` are the perimeters that approval would end; ``zone`` is the municipality's time zone."""
    checks, marks = _numbered(draft.findings)
    svg = draw_svg(f"{draft.name} ({draft.municipality})", draft.area, around, draft.before_repair, marks)
    html = _TEMPLATES.get_template("preview.html").render(
        draft=draft,
        picture=Markup(svg),  # noqa: S704 - built by ElementTree, which escapes every text
        checks=checks,
        area=f"{format_number(area_m2(draft.area) / 1e6, 4)} km²",
        imported_at=f"{draft.imported_at.astimezone(zone):%d/%m/%Y %H:%M}",
        replaced=[f"{p.name}, desde {p.valid_from:%d/%m/%Y}" for p in replaced],
        credit=CREDIT,
    )
    return Preview(html, svg)


def _numbered(findings: Sequence[Finding]) -> tuple[list[_Check], list[tuple[float, float]]]:
    """Gravest first, with the numbers of their places on the picture."""
    checks: list[_Check] = []
    marks: list[tuple[float, float]] = []
    for finding in sorted(findings, key=lambda finding: _ORDER.index(finding.severity)):
        places = finding.places[: limits.MAX_LISTED]
        numbers = ", ".join(str(len(marks) + number) for number in range(1, len(places) + 1))
        marks += places
        checks.append(_Check(_VERDICTS[finding.severity], finding, numbers))
    return checks, marks

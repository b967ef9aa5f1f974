"""A draft becomes law only with a legal act and a date, and ends what it replaces from that day on."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
import shapely

from tests.zones.importing.conftest import GEODATA
from tests.zones.importing.files import SQUARE, polygon
from zones.drawn import perimeters
from zones.importing.draft import CannotApprove, Draft, enact
from zones.perimeter import Kind, Origin, Status

ACT = "Lei nº 1.234/2026"
DAY = date(2026, 12, 1)


@pytest.fixture
def draft(desk):
    examination = desk.examine("square.geojson", polygon(SQUARE))
    return Draft(
        municipality="ro-urupa",
        kind=Kind.URBAN,
        name="Perímetro urbano da sede",
        area=examination.area,
        source=examination.source,
        findings=examination.findings,
        imported_at=datetime(2026, 11, 30, 12, tzinfo=UTC),
        imported_by="servidor nº 1",
    )


def test_approval_ends_the_synthetic_rings_and_leaves_the_limit(draft):
    enactment = enact(draft, ACT, DAY, perimeters(GEODATA))
    new = enactment.perimeter
    assert (new.status, new.origin, new.legal_act, new.valid_from) == (Status.IN_FORCE, Origin.MUNICIPALITY, ACT, DAY)
    assert {former.kind for former in enactment.superseded} == {Kind.URBAN, Kind.UNDETERMINED}
    assert not new.in_force_on(date(2026, 11, 30))
    assert new.in_force_on(DAY)


def test_a_second_law_ends_the_first_and_a_district_is_left_alone(draft):
    first = enact(draft, ACT, DAY, ()).perimeter
    away = shapely.transform(draft.area, lambda xy: xy - (0.1, 0))
    district = enact(Draft(**{**_fields(draft), "area": away, "name": "Distrito"}), ACT, DAY, (first,))
    assert district.superseded == ()
    later = enact(draft, "Lei nº 2/2027", date(2027, 1, 1), (first, district.perimeter))
    assert later.superseded == (first,)


def _fields(draft):
    return {name: getattr(draft, name) for name in Draft.__slots__}


@pytest.mark.parametrize("act", ["", "   "])
def test_no_legal_act_no_perimeter(draft, act):
    with pytest.raises(CannotApprove, match="ato legal"):
        enact(draft, act, DAY, ())


def test_history_is_not_rewritten(draft):
    first = enact(draft, ACT, DAY, ()).perimeter
    with pytest.raises(CannotApprove, match="01/12/2026"):
        enact(draft, ACT, DAY, (first,))

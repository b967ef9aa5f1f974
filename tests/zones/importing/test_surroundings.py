"""What an import is compared with: the ground of its kind in force that day, and whether a law stands behind it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tests.zones.importing.conftest import GEODATA
from zones.drawn import perimeters
from zones.importing.surroundings import UNMEASURED_LIMIT_M, NoLimit, surroundings
from zones.perimeter import Kind, Status

DAY = date(2026, 12, 1)


def test_the_ground_of_the_kind_and_whether_it_is_law():
    known = perimeters(GEODATA)
    synthetic = surroundings("ro-urupa", Kind.URBAN, known, (), DAY)
    legal = [replace(p, status=Status.IN_FORCE) if p.kind is Kind.URBAN else p for p in known]
    assert synthetic.current is not None
    assert not synthetic.current_is_legal
    assert surroundings("ro-urupa", Kind.URBAN, legal, (), DAY).current_is_legal
    assert surroundings("ro-urupa", Kind.RURAL, known, (), DAY).current is None


def test_a_limit_nobody_measured_is_taken_as_rough_and_none_at_all_is_told():
    known = perimeters(GEODATA)
    unmeasured = [replace(p, precision_m=None) for p in known]
    assert surroundings("ro-urupa", Kind.URBAN, unmeasured, (), DAY).limit_precision_m == UNMEASURED_LIMIT_M
    with pytest.raises(NoLimit, match="limite"):
        surroundings("ro-urupa", Kind.URBAN, [p for p in known if p.kind is not Kind.LIMIT], (), DAY)

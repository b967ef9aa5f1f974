"""Which norm governs an instant, as people reported it going wrong, on towns written for each case."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fares.fare import Fare
from fares.tariffs import fare, open_lawbook
from fares.trip import Evidence, FactMissing, Item, Leg, Trip, Zone
from laws.loader import LawBook, load_municipality
from laws.norm import Status
from laws.timeline import InForce, in_force
from tests.laws.town import SLUG, write_town

CHAIN = load_municipality(Path(__file__).parents[1] / "norms" / "sp-sao-paulo")
"""Two norms, the second from the minute the first ends."""


def norm(
    name: str,
    start: str,
    amount: int,
    *,
    end: str | None = None,
    head: str = "",
    force: str = "",
    tariff: str | None = None,
) -> str:
    """A norm of one flat fare, in force from ``start``, with more keys of its head, its force and its tariff."""
    fixes = f"nature: exact\n  lines:\n    - {{code: fare, text: Corrida, fixed: {amount}, cite: art. 1º}}\n"
    return (
        f"norm:\n  id: {SLUG}/{name}\n  kind: decreto\n  date: 2020-01-01\n  title: Tarifa\n  label: {name}\n{head}"
        f"in_force:\n  from: {start}\n  basis: publicação\n  confirmed: true\n"
        + (f"  to: {end}\n" if end else "")
        + f"{force}service: mototaxi\ntariff:\n  {tariff or fixes}"
    )


def supersedes(name: str) -> str:
    return f"  supersedes: [{SLUG}/{name}]\n"


def book(laws: Path, **norms: str) -> LawBook:
    write_town(laws, **norms)
    (laws / SLUG / "norm.yaml").unlink()
    return open_lawbook(laws)


def ride(lawbook: LawBook, at: str | datetime, **evidence: date) -> Fare:
    zone = lawbook.municipality(SLUG).zone_info
    started_at = at if isinstance(at, datetime) else datetime.fromisoformat(at).replace(tzinfo=zone)
    facts = {Evidence(name): day for name, day in evidence.items()}
    return fare(lawbook, SLUG, Trip(started_at=started_at, legs=(Leg(Zone.URBAN, 1000),), evidence=facts))


def governing(lawbook: LawBook, at: str) -> str | None:
    found = ride(lawbook, at).norm
    return found.id.removeprefix(f"{SLUG}/") if found else None


@pytest.fixture
def two_versions(tmp_path):
    return book(tmp_path, v1=norm("v1", "2025-01-01", 700), v2=norm("v2", "2026-01-01", 900, head=supersedes("v1")))


def test_a_ride_keeps_the_norm_of_its_own_minute(two_versions):
    """F023: a ride at 23:50 of 31 December is audited in January under the norm of December."""
    audited = ride(two_versions, "2025-12-31T23:50")
    assert audited.total == 700
    assert audited.norm is not None
    assert (audited.norm.id, str(audited.norm.in_force_from)) == (f"{SLUG}/v1", "2025-01-01")
    assert audited.norm.version.startswith("sha256:")
    assert [line.citation for line in audited.lines] == ["v1, art. 1º"]
    assert ride(two_versions, "2026-01-01T00:00").total == 900


def test_force_begins_on_the_towns_own_clocks(two_versions):
    """F050: 03:59 UTC is still the last minute of the year in Rondônia."""
    assert ride(two_versions, datetime(2026, 1, 1, 3, 59, tzinfo=UTC)).total == 700
    assert ride(two_versions, datetime(2026, 1, 1, 4, 0, tzinfo=UTC)).total == 900


def test_force_may_begin_and_end_at_a_minute(tmp_path):
    lawbook = book(tmp_path, v1=norm("v1", "2024-03-01T12:30", 700, end="2024-03-02T08:00"))
    instants = ["2024-03-01T12:29", "2024-03-01T12:30", "2024-03-02T07:59", "2024-03-02T08:00"]
    assert [governing(lawbook, at) for at in instants] == [None, "v1", "v1", None]


def test_without_a_norm_there_is_no_tariff_and_so_nothing_to_punish(tmp_path):
    """F079: before the first table no charge is over it."""
    answer = ride(book(tmp_path, v1=norm("v1", "2024-03-01", 700)), "2024-02-29T12:00")
    assert (answer.status, answer.total, answer.norm) == (Status.NO_TARIFF, None, None)
    assert [reason.code for reason in answer.reasons] == ["no_norm_in_force"]


def suspended(restores: str | None) -> str:
    revives = f"{SLUG}/{restores}" if restores else "null"
    return f"  suspended:\n    - {{from: 2024-05-10, to: 2024-06-20, by: liminar, restores: {revives}}}\n"


def test_a_norm_suspended_by_a_court_gives_way_to_the_one_it_restores(tmp_path):
    """F080: v3 from 1 March, suspended 10 May to 20 June: v2 on 1 June, v3 on 25 June."""
    v3 = norm("v3", "2024-03-01", 900, head=supersedes("v2"), force=suspended("v2"))
    lawbook = book(tmp_path, v2=norm("v2", "2023-01-01", 700, end="2024-03-01"), v3=v3)
    instants = ["2024-02-29T23:59", "2024-03-01", "2024-05-09T23:59", "2024-05-10", "2024-06-01", "2024-06-19T23:59"]
    assert [governing(lawbook, at) for at in instants] == ["v2", "v3", "v3", "v2", "v2", "v2"]
    assert governing(lawbook, "2024-06-20") == "v3"
    assert governing(lawbook, "2024-06-25") == "v3"


def test_a_suspension_that_restores_nothing_leaves_no_tariff(tmp_path):
    """F080 and F079: suspended by a court, with nothing in its place, nothing is due under it."""
    v3 = norm("v3", "2024-03-01", 900, head=supersedes("v2"), force=suspended(None))
    answer = ride(book(tmp_path, v2=norm("v2", "2023-01-01", 700), v3=v3), "2024-06-01T12:00")
    assert (answer.status, answer.total) == (Status.NO_TARIFF, None)
    assert [reason.code for reason in answer.reasons] == ["suspended_by_court"]
    assert "liminar" in answer.reasons[0].detail


DECEMBER = f"""amends: {SLUG}/v1
  changes:
    set: {{fare: {{fixed: 800, cite: art. 9º}}}}
    add:
      - {{code: extra, text: Décimo terceiro, fixed: 50, cite: art. 10}}
"""


def test_an_override_lies_over_the_norm_it_amends_for_its_period(tmp_path):
    lawbook = book(
        tmp_path,
        v1=norm("v1", "2024-01-01", 700),
        december=norm("december", "2024-12-01", 0, end="2025-01-01", head="  override: true\n", tariff=DECEMBER),
    )
    instants = ["2024-11-30T23:59", "2024-12-01T00:00", "2024-12-31T23:59", "2025-01-01T00:00"]
    assert [ride(lawbook, at).total for at in instants] == [700, 850, 850, 700]
    cited = [line.citation for line in ride(lawbook, "2024-12-10T12:00").lines]
    assert cited == ["december, art. 9º", "december, art. 10"]


def test_an_override_prevails_over_a_later_base_norm(tmp_path):
    lawbook = book(
        tmp_path,
        v1=norm("v1", "2024-01-01", 700),
        december=norm("december", "2024-12-01", 0, end="2025-01-01", head="  override: true\n", tariff=DECEMBER),
        v2=norm("v2", "2024-12-15", 900, head=supersedes("v1")),
    )
    assert governing(lawbook, "2024-12-20T12:00") == "december"
    assert governing(lawbook, "2025-01-01T00:00") == "v2"


def test_a_suspended_override_leaves_the_norm_beneath(tmp_path):
    order = "  suspended:\n    - {from: 2024-12-10, to: null, by: liminar}\n"
    head = "  override: true\n"
    december = norm("december", "2024-12-01", 0, end="2025-01-01", head=head, force=order, tariff=DECEMBER)
    lawbook = book(tmp_path, v1=norm("v1", "2024-01-01", 700), december=december)
    assert governing(lawbook, "2024-12-09T23:59") == "december"
    assert governing(lawbook, "2024-12-10T00:00") == "v1"


def test_an_amendment_changes_version_when_what_it_amends_changes(tmp_path):
    def version(amount: int) -> str:
        laws = tmp_path / str(amount)
        head = "  override: true\n"
        lawbook = book(
            laws,
            v1=norm("v1", "2024-01-01", amount),
            december=norm("december", "2024-12-01", 0, end="2025-01-01", head=head, tariff=DECEMBER),
        )
        found = ride(lawbook, "2024-12-10T12:00").norm
        assert found is not None
        return found.version

    assert version(700) == version(700)
    assert version(700) != version(701)


METER = "  effective_when: {evidence: meter_verified_at, within_days: 30, cite: art. 2º}\n"


@pytest.fixture
def metered(tmp_path):
    """The new tariff binds a motorcycle whose meter was verified in the last 30 days; the old one binds the others."""
    return book(
        tmp_path,
        v1=norm("v1", "2024-01-01", 700),
        v2=norm("v2", "2024-06-01", 900, head=supersedes("v1"), force=METER),
    )


@pytest.mark.parametrize(
    ("verified", "expected"),
    [
        (date(2024, 7, 10), 900),
        (date(2024, 6, 10), 900),
        (date(2024, 6, 9), 700),
        (date(2024, 7, 11), 700),
    ],
)
def test_a_norm_may_bind_only_with_a_fresh_fact(metered, verified, expected):
    assert ride(metered, "2024-07-10T23:30", meter_verified_at=verified).total == expected


def test_the_age_of_the_fact_is_counted_in_the_towns_own_days(metered):
    late = datetime(2024, 7, 11, 3, 30, tzinfo=UTC)  # 23:30 of the 10th in Rondônia
    assert ride(metered, late, meter_verified_at=date(2024, 6, 10)).total == 900


def test_the_fact_that_force_depends_on_must_be_stated(metered):
    with pytest.raises(FactMissing) as missing:
        ride(metered, "2024-07-10T12:00")
    assert (missing.value.field, missing.value.citation) == ("meter_verified_at", "v2, art. 2º")


def test_the_fact_is_not_asked_for_before_it_matters(metered):
    assert ride(metered, "2024-05-31T12:00").total == 700


def test_a_norm_without_a_tariff_only_forbids(tmp_path):
    helmets = norm("helmets", "2024-06-01", 0)
    helmets = helmets[: helmets.index("tariff:")] + (
        "prohibitions:\n  - {status: prohibited, code: load, text: Nada de volume., cite: art. 3º, "
        "when: {items_other_than: [backpack]}}\n"
    )
    lawbook = book(tmp_path, v1=norm("v1", "2024-01-01", 700), helmets=helmets)
    assert ride(lawbook, "2024-07-01T12:00").total == 700
    zone = lawbook.municipality(SLUG).zone_info
    loaded = Trip(datetime(2024, 7, 1, 12, tzinfo=zone), (Leg(Zone.URBAN, 1000),), items=(Item("sofa"),))
    answer = fare(lawbook, SLUG, loaded)
    assert (answer.status, answer.reasons[0].citation) == (Status.PROHIBITED, "helmets, art. 3º")


def test_an_unconfirmed_date_is_told(tmp_path):
    unsure = norm("v1", "2024-01-01", 700).replace("confirmed: true", "confirmed: false")
    answer = ride(book(tmp_path, v1=unsure), "2024-07-01T12:00")
    assert [warning.code for warning in answer.warnings] == ["in_force_date_unconfirmed"]


@given(minutes=st.integers(-60 * 24 * 600, 60 * 24 * 600))
@settings(max_examples=200, deadline=None)
def test_versions_that_follow_each_other_leave_no_minute_without_a_norm(minutes):
    first, second = CHAIN.norms
    at = second.force.start + timedelta(minutes=minutes)
    found = in_force(CHAIN, at)
    if at < first.force.start:
        assert found.grounds is not None
    else:
        assert found == InForce(second if at >= second.force.start else first)

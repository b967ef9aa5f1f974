"""Perimeters in the real database: dated, versioned, never rewritten, and the map of any day or version read back."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from shapely import box
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, sessionmaker

from geodata.point import Point
from laws.norm import Zone
from store.database import make_engine, make_sessions
from tests.zones.maps import FIRST_DAY, TOWN, limit, rural, undetermined, urban
from zones import store
from zones.atlas import AtlasError
from zones.perimeter import BadPerimeter, Kind, Status

GEODATA = Path(__file__).parents[2] / "geodata"
TOWN_SLUG = "xx-teste"
TODAY = date(2026, 12, 1)
IN_TOWN = Point(-11.13, -62.35)
LATER = date(2027, 3, 1)
WIDER = box(-62.37, -11.15, -62.32, -11.11)


@pytest.fixture
def sessions(database_url: str) -> Iterator[sessionmaker[Session]]:
    engine = make_engine(database_url)
    yield make_sessions(engine)
    engine.dispose()


@pytest.fixture
def session(sessions: sessionmaker[Session]) -> Iterator[Session]:
    with sessions.begin() as session:
        yield session


@pytest.fixture
def town(session: Session) -> Session:
    """A municipality with a limit and an approximate ring in force."""
    for perimeter in (limit(), urban(name="anel", status=Status.APPROXIMATE)):
        store.enact(session, perimeter, [], "prefeitura")
    return session


@pytest.fixture
def geodata(tmp_path: Path) -> Path:
    """A copy of the committed files of one municipality, to change."""
    source = min(path.parent for path in GEODATA.glob("*/limit.geojson"))
    shutil.copytree(source, tmp_path / TOWN_SLUG)
    return tmp_path


def redraw(geodata: Path, name: str) -> None:
    """Shift the perimeter that the files call ``name`` by some metres."""
    path = geodata / TOWN_SLUG / "perimeters.geojson"
    document = json.loads(path.read_text())
    (feature,) = (f for f in document["features"] if f["properties"]["name"] == name)
    feature["geometry"]["coordinates"] = [
        [[round(x + 0.0001, 7), y] for x, y in ring] for ring in feature["geometry"]["coordinates"]
    ]
    path.write_text(json.dumps(document))


def test_every_municipality_is_seeded_once(session: Session):
    first = store.seed(session, GEODATA, TODAY)
    again = store.seed(session, GEODATA, TODAY)

    slugs = {path.parent.name for path in GEODATA.glob("*/limit.geojson")}
    assert {p.municipality for p in first} == slugs
    assert again == []
    for slug in slugs:
        map_ = store.atlas_in_force(session, slug, TODAY)
        assert store.atlas_of_version(session, map_.version) is map_


def test_workers_that_start_at_once_seed_once(sessions: sessionmaker[Session]):
    barrier, started = threading.Barrier(4), []

    def start() -> None:
        barrier.wait()
        with sessions.begin() as session:
            started.append(store.seed(session, GEODATA, TODAY))

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(started) == 4
    assert sum(bool(seeded) for seeded in started) == 1


def test_a_file_that_changed_follows_its_former_version_from_today(session: Session, geodata: Path):
    former = {p.name: p for p in store.seed(session, geodata, date(2026, 1, 1))}
    name = next(p.name for p in former.values() if p.kind is Kind.URBAN)
    redraw(geodata, name)

    (changed,) = store.seed(session, geodata, TODAY)

    def versions(day: date) -> set[str]:
        return {p.version for p in store.atlas_in_force(session, TOWN_SLUG, day).perimeters}

    assert former[name].version in versions(date(2026, 11, 30))
    assert changed.version in versions(TODAY)
    assert former[name].version not in versions(TODAY)
    assert store.seed(session, geodata, TODAY) == []


def test_files_never_overrule_an_approval(session: Session, geodata: Path):
    rings = [p for p in store.seed(session, geodata, date(2026, 1, 1)) if p.kind is not Kind.LIMIT]
    (core,) = (p for p in rings if p.kind is Kind.URBAN)
    law = urban(core.geometry, name="Perímetro da lei", legal_act="Lei nº 1/2026", valid_from=TODAY)
    store.enact(session, law, rings, "prefeitura")
    redraw(geodata, core.name)

    assert store.seed(session, geodata, LATER) == []
    assert store.atlas_in_force(session, TOWN_SLUG, LATER).perimeters == (law,)


def test_an_approval_ends_what_it_replaces_and_the_past_keeps_its_map(town: Session):
    (ring,) = store.atlas_in_force(town, TOWN_SLUG, TODAY).perimeters
    before = store.atlas_in_force(town, TOWN_SLUG, TODAY)
    law = urban(WIDER, name="lei", valid_from=LATER, legal_act="Lei nº 1/2027")

    after = store.enact(town, law, [ring], "prefeitura")

    assert after.perimeters == (law,)
    assert store.atlas_in_force(town, TOWN_SLUG, date(2027, 2, 28)).version == before.version
    assert store.atlas_in_force(town, TOWN_SLUG, LATER).version == after.version
    frozen = store.atlas_of_version(town, before.version)
    assert frozen.locate(Point(-11.13, -62.33)).zone is Zone.RURAL
    assert after.locate(Point(-11.13, -62.33)).zone is Zone.URBAN
    assert {p.name for p in store.perimeters_known(town, TOWN_SLUG)} == {"limit", "lei"}


def test_before_the_first_day_there_is_no_map(town: Session):
    with pytest.raises(store.NoMap, match="31/12/2023"):
        store.atlas_in_force(town, TOWN_SLUG, date(2023, 12, 31))
    assert store.atlas_in_force(town, TOWN_SLUG, FIRST_DAY).locate(IN_TOWN).zone is Zone.URBAN


@pytest.mark.parametrize("version", ["sha256:" + "0" * 64, "", "x" * 10_000])
def test_a_version_nobody_stored_has_no_map(session: Session, version: str):
    with pytest.raises(store.NoMap):
        store.atlas_of_version(session, version)


def test_a_second_perimeter_of_the_same_name_needs_the_first_to_end(town: Session):
    with pytest.raises(store.CannotEnact, match="já tem versão em vigor"):
        store.enact(town, urban(WIDER, name="anel", valid_from=LATER), [], "prefeitura")


def test_what_is_not_in_force_cannot_be_ended(town: Session):
    law = urban(WIDER, name="lei", valid_from=LATER)

    with pytest.raises(store.CannotEnact, match="não está em vigor"):
        store.enact(town, law, [undetermined()], "prefeitura")


def test_a_draft_is_kept_but_never_in_force(town: Session):
    draft = urban(WIDER, name="rascunho", status=Status.DRAFT)
    store.keep(town, [draft], "central")

    with pytest.raises(store.CannotEnact, match="rascunho"):
        store.enact(town, draft, [], "prefeitura")
    assert store.perimeter(town, draft.version) == draft
    assert draft not in store.atlas_in_force(town, TOWN_SLUG, TODAY).perimeters


def test_perimeters_that_make_no_map_do_not_come_into_force(sessions: sessionmaker[Session]):
    with sessions.begin() as session:
        store.enact(session, limit(), [], "prefeitura")
        before = store.enact(session, urban(), [], "prefeitura")

    with pytest.raises(AtlasError, match="mesma precedência"), sessions.begin() as session:
        store.enact(session, rural(TOWN, precedence=20, valid_from=LATER), [], "prefeitura")

    with sessions.begin() as session:
        assert store.atlas_in_force(session, TOWN_SLUG, LATER).version == before.version


def test_the_database_itself_refuses_two_at_once(town: Session):
    duplicate = text(
        "INSERT INTO perimeter_terms (version, municipality, kind, name, during, started_by) "
        "SELECT version, municipality, kind, name, daterange('2030-01-01', NULL), 'x' FROM perimeter_terms LIMIT 1"
    )

    with pytest.raises(IntegrityError, match="ex_perimeter_terms_one_at_a_time"), town.begin_nested():
        town.execute(duplicate)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE perimeters SET precedence = 99",
        "DELETE FROM perimeters",
        "UPDATE zone_maps SET perimeters = '{}'",
        "DELETE FROM perimeter_terms",
        "TRUNCATE perimeter_terms",
    ],
)
def test_the_database_itself_refuses_to_rewrite_the_past(town: Session, statement: str):
    with pytest.raises(IntegrityError, match="só aceita inclusão"), town.begin_nested():
        town.execute(text(statement))


def test_a_geometry_that_was_tampered_with_is_noticed(town: Session):
    town.execute(text("ALTER TABLE perimeters DISABLE TRIGGER only_grows"))
    town.execute(text("UPDATE perimeters SET precedence = 99 WHERE name = 'anel'"))
    (version,) = town.scalars(text("SELECT version FROM perimeters WHERE name = 'anel'"))
    town.expire_all()

    with pytest.raises(BadPerimeter, match="não confere"):
        store.perimeter(town, version)

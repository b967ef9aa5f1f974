"""Building road data: what is recorded, what is refused, and what a broken-off build leaves behind."""

from __future__ import annotations

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from geodata.point import Point
from zones.roads import build as building
from zones.roads.build import build_roads
from zones.roads.data import current_build, read_record, town_folder
from zones.roads.errors import BuildFailed

SEAT = Point(-5.1455, -38.098)
STREET = {"highway": "residential"}
NODES = {1: (-38.0, -5.0), 2: (-37.99, -5.0)}


def leftovers(town: Path) -> list[str]:
    return [path.name for path in town.iterdir() if path.name.startswith(".building")]


def test_a_build_records_what_it_was_made_of(tmp_path, extract):
    built = build_roads(tmp_path, "xx-vila", extract, seat=SEAT)

    record = built.record
    assert record.extract_sha256 == hashlib.sha256(extract.read_bytes()).hexdigest()
    assert record.attribution == "© OpenStreetMap contributors, ODbL 1.0"
    assert record.bbox == pytest.approx((-38.1195, -5.1905, -38.0736, -5.1372), abs=0.001)
    assert record.ways == 257
    assert record.seat_covered is True
    assert built.warnings == ()
    assert current_build(town_folder(tmp_path, "xx-vila")) == built.folder
    assert read_record(built.folder) == record
    assert leftovers(built.folder.parent) == []


@pytest.mark.slow
def test_an_extract_may_be_named_from_where_one_stands(tmp_path, extract, monkeypatch):
    monkeypatch.chdir(extract.parent)

    assert build_roads(tmp_path, "xx-vila", Path(extract.name), seat=None).fresh


@pytest.mark.slow
def test_the_same_extract_is_not_built_twice(tmp_path, extract):
    first = build_roads(tmp_path, "xx-vila", extract, seat=None)
    second = build_roads(tmp_path, "xx-vila", extract, seat=None)

    assert (first.fresh, second.fresh) == (True, False)
    assert first.folder == second.folder
    assert first.record == second.record


def test_an_extract_of_another_place_is_built_with_a_warning(tmp_path, extract):
    built = build_roads(tmp_path, "xx-vila", extract, seat=Point(-11.13, -62.37))

    assert built.record.seat_covered is False
    assert "confira se é o extrato deste município" in built.warnings[0]


@pytest.mark.slow
def test_an_extract_without_a_frame_gets_that_of_its_nodes(tmp_path, draw):
    built = build_roads(tmp_path, "xx-vila", draw(NODES, [(STREET, (1, 2))]), seat=None)

    assert built.record.bbox == (-38.0, -5.0, -37.99, -5.0)


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["empty", "garbage", "cut"])
def test_what_is_no_extract_is_refused_and_what_was_in_use_stays(tmp_path, extract, damage):
    good = build_roads(tmp_path, "xx-vila", extract, seat=None)
    bad = tmp_path / "bad.osm.pbf"
    whole = extract.read_bytes()
    bad.write_bytes({"empty": b"", "garbage": os.urandom(5000), "cut": whole[: len(whole) // 2]}[damage])

    with pytest.raises(BuildFailed, match=r"bad\.osm\.pbf não é um extrato .* íntegro|não tem nenhuma via"):
        build_roads(tmp_path, "xx-vila", bad, seat=None)

    assert current_build(good.folder.parent) == good.folder


def test_an_extract_without_roads_is_refused(tmp_path, draw):
    with pytest.raises(BuildFailed, match="não tem nenhuma via"):
        build_roads(tmp_path, "xx-vila", draw(NODES, [({"waterway": "river"}, (1, 2))]), seat=None)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(BuildFailed, match=r"nada\.osm\.pbf: No such file"):
        build_roads(tmp_path, "xx-vila", tmp_path / "nada.osm.pbf", seat=None)


@pytest.mark.parametrize("slug", ["../../etc", "xx", "XX-Vila", "xx-vila/..", "xx-", ""])
def test_a_slug_never_leaves_the_data_folder(tmp_path, extract, slug):
    with pytest.raises(BuildFailed, match="não é um código de município"):
        build_roads(tmp_path, slug, extract, seat=None)


@pytest.mark.slow
def test_a_build_that_takes_too_long_is_stopped_and_leaves_nothing(tmp_path, extract, draw):
    good = build_roads(tmp_path, "xx-vila", draw(NODES, [(STREET, (1, 2))]), seat=None)

    with pytest.raises(BuildFailed, match="foi parada"):
        build_roads(tmp_path, "xx-vila", extract, seat=None, timeout=0.001)

    assert current_build(good.folder.parent) == good.folder
    assert leftovers(good.folder.parent) == []


def test_two_builds_of_one_town_do_not_run_at_once(tmp_path, extract):
    town = town_folder(tmp_path, "xx-vila")
    town.mkdir(parents=True)
    with (town / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(BuildFailed, match="está em andamento"):
            build_roads(tmp_path, "xx-vila", extract, seat=None)


@pytest.mark.slow
def test_a_build_killed_in_the_middle_changes_nothing_and_the_next_one_cleans_up(tmp_path, extract, draw):
    good = build_roads(tmp_path, "xx-vila", draw(NODES, [(STREET, (1, 2))]), seat=None)
    town = good.folder.parent
    # A builder that tells us it was started and then waits: the kill lands in the middle of the work.
    stuck = tmp_path / "stuck"
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    stuck.write_text(f"#!/bin/sh\necho > {ready}\nexec tail -f /dev/null\n")
    stuck.chmod(0o755)
    script = (
        "from pathlib import Path; from zones.roads import build; "
        f"build.BUILDER = Path({str(stuck)!r}); "
        f"build.build_roads(Path({str(tmp_path)!r}), 'xx-vila', Path({str(extract)!r}), seat=None)"
    )
    running = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
    ready.read_text()
    assert len(leftovers(town)) == 1

    os.killpg(running.pid, signal.SIGKILL)
    running.wait()

    assert current_build(town) == good.folder
    assert build_roads(tmp_path, "xx-vila", extract, seat=None).fresh
    assert leftovers(town) == []


def test_a_pointer_to_nothing_is_no_data(tmp_path):
    town = town_folder(tmp_path, "xx-vila")
    town.mkdir(parents=True)
    for text in ("0123456789abcdef", "../../elsewhere", ""):
        (town / "current").write_text(text)
        assert current_build(town) is None


def test_the_builder_of_the_wheel_is_where_we_look():
    assert building.BUILDER.is_file()

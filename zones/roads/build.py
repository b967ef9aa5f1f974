"""From an OpenStreetMap extract to road data that the embedded engine can use.

Everything happens in a folder nobody reads; it takes its final name once it is whole, and the pointer to it is
replaced last. A build that is broken off at any moment leaves what was in use untouched.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import math
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import osmium
import valhalla

from geodata.point import Point
from zones.roads.data import RoadData, read_record, town_folder, write_record
from zones.roads.embedded import engine_config, open_engine
from zones.roads.errors import BuildFailed
from zones.roads.valhalla_json import COSTING

__all__ = ["Built", "build_roads"]

SEAT_METRES = 2_000
"""An extract whose nearest road is farther than this from the seat is of some other place."""

BUILDER = Path(valhalla.__file__).parent / "bin" / "valhalla_build_tiles"
"""The program itself: the wrapper script of the wheel finds it only with the right `PATH`."""


@dataclass(frozen=True, slots=True)
class Built:
    """A finished build, in use from now on. ``fresh`` is False if the same extract was there already."""

    folder: Path
    record: RoadData
    fresh: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Extract:
    path: Path
    sha256: str
    date: str | None
    bbox: tuple[float, float, float, float]
    ways: int


def build_roads(data: Path, slug: str, extract: Path, *, seat: Point | None, timeout: float = 3600) -> Built:
    """Build road data for a town from a ``.osm.pbf`` extract and put it in use.

    ``data`` is the data folder, ``seat`` where the town is (None: not checked), ``timeout`` the most seconds the
    tile builder may take. Raises ``BuildFailed``; what was in use stays in use.
    """
    town = town_folder(data, slug)
    source = _read_extract(extract.resolve())  # the builder runs in a folder of its own
    name = hashlib.sha256(f"{source.sha256} {valhalla.__version__}".encode()).hexdigest()[:16]
    try:
        town.mkdir(parents=True, exist_ok=True)
        with _only_builder(town):
            fresh = not _is_whole(town / name)
            if fresh:
                _build(town, slug, name, source, seat, timeout)
            record = read_record(town / name)
            _point_to(town, name)
    except OSError as why:
        raise BuildFailed(f"Não foi possível gravar a malha viária em {town}: {why.strerror or why}.") from None
    return Built(town / name, record, fresh, _warnings(record))


def _read_extract(path: Path) -> _Extract:
    try:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        with osmium.io.Reader(osmium.io.File(str(path), "pbf"), osmium.osm.NOTHING) as reader:
            header = reader.header()
        ways = osmium.FileProcessor(osmium.io.File(str(path), "pbf"), osmium.osm.WAY)
        count = sum(1 for _ in ways.with_filter(osmium.filter.KeyFilter("highway")))
        bbox = _bbox(path, header.box())
    except OSError as why:
        raise BuildFailed(f"Não foi possível ler o extrato {path}: {why.strerror or why}.") from None
    except RuntimeError as why:
        raise BuildFailed(
            f"{path} não é um extrato .osm.pbf íntegro ({why}). Baixe-o de novo ou confira se o arquivo é o certo."
        ) from None
    if count == 0:
        raise BuildFailed(f"{path} não tem nenhuma via (highway); use um extrato que inclua ruas e estradas.")
    date = header.get("osmosis_replication_timestamp", "")[:10] or None
    return _Extract(path, sha256, date, bbox, count)


def _bbox(path: Path, stated: osmium.osm.Box) -> tuple[float, float, float, float]:
    """The frame the extract states or, if it states none, the frame of its nodes."""
    if stated.valid():
        return (stated.bottom_left.lon, stated.bottom_left.lat, stated.top_right.lon, stated.top_right.lat)
    west = south = math.inf
    east = north = -math.inf
    for node in osmium.FileProcessor(osmium.io.File(str(path), "pbf"), osmium.osm.NODE):
        assert isinstance(node, osmium.osm.Node)
        if node.location.valid():
            west, east = min(west, node.lon), max(east, node.lon)
            south, north = min(south, node.lat), max(north, node.lat)
    if west > east:
        raise BuildFailed(f"{path} não tem nenhum ponto com coordenadas.")
    return (west, south, east, north)


@contextlib.contextmanager
def _only_builder(town: Path) -> Iterator[None]:
    """One build per town at a time; what an earlier one left broken off is swept away."""
    with (town / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BuildFailed(
                f"Outra construção da malha viária de {town.name} está em andamento; espere que termine."
            ) from None
        for leftover in town.glob(".building-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        yield


def _build(town: Path, slug: str, name: str, source: _Extract, seat: Point | None, timeout: float) -> None:
    """Make ``town/name`` whole, or not at all."""
    work = Path(tempfile.mkdtemp(prefix=".building-", dir=town))
    try:
        tiles = work / "tiles"
        tiles.mkdir()
        _run_builder(tiles, source.path, timeout)
        done = work / "done"
        done.mkdir()
        _pack(tiles, done / "tiles.tar")
        record = RoadData(
            slug=slug,
            extract=source.path.name,
            extract_sha256=source.sha256,
            extract_date=source.date,
            built_at=datetime.now(UTC).isoformat(timespec="seconds"),
            engine=f"valhalla {valhalla.__version__}",
            bbox=source.bbox,
            ways=source.ways,
            tiles_bytes=(done / "tiles.tar").stat().st_size,
            seat_covered=None if seat is None else _covers(done / "tiles.tar", seat),
        )
        write_record(done, record)
        for file in done.iterdir():
            _to_disk(file)
        shutil.rmtree(town / name, ignore_errors=True)  # a damaged one
        done.rename(town / name)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _is_whole(build: Path) -> bool:
    try:
        read_record(build)
    except (OSError, LookupError, ValueError, TypeError):
        return False
    return True


def _run_builder(tiles: Path, extract: Path, timeout: float) -> None:
    config = tiles.parent / "valhalla.json"
    config.write_text(json.dumps(engine_config(tile_dir=tiles)), encoding="utf-8")
    try:
        subprocess.run(  # noqa: S603 - a fixed program; the path is a file we have just read
            [BUILDER, "-c", config, extract],
            check=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            cwd=tiles.parent,  # it leaves its temporary files where it runs
        )
    except subprocess.TimeoutExpired:
        raise BuildFailed(
            f"A construção da malha viária passou de {timeout:.0f} s e foi parada; use um extrato menor "
            "(o município e uma margem) ou aumente o tempo."
        ) from None
    except subprocess.CalledProcessError as why:
        last = (why.stderr or why.stdout or "").strip().splitlines()[-1:] or [f"código {why.returncode}"]
        raise BuildFailed(f"O construtor da malha viária recusou {extract}: {last[0]}") from None


def _pack(tiles: Path, tar: Path) -> None:
    files = sorted(tiles.rglob("*.gph"))
    if not files:
        raise BuildFailed("O extrato não produziu nenhuma malha viária: nenhuma de suas vias é transitável.")
    with tarfile.open(tar, "w", format=tarfile.USTAR_FORMAT) as archive:
        for file in files:
            archive.add(file, arcname=str(file.relative_to(tiles)))


def _covers(tar: Path, seat: Point) -> bool:
    """Whether the built tiles have a road that a motorcycle may ride near the town's seat."""
    location = {"lat": seat.lat, "lon": seat.lon, "search_cutoff": SEAT_METRES}
    try:
        found = open_engine(tar).locate({"locations": [location], "costing": COSTING})
    except RuntimeError:
        return False
    return bool(found[0]["edges"])


def _warnings(record: RoadData) -> tuple[str, ...]:
    if record.seat_covered is not False:
        return ()
    return (
        f"O extrato não tem via a menos de {SEAT_METRES / 1000:.0f} km da sede de {record.slug}: "
        "confira se é o extrato deste município. As distâncias na cidade serão estimadas.",
    )


def _point_to(town: Path, name: str) -> None:
    draft = town / ".current"
    draft.write_text(name + "\n", encoding="ascii")
    _to_disk(draft)
    draft.replace(town / "current")
    _to_disk(town)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

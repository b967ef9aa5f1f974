"""Road data on disk: one folder per town, one folder per extract inside it, one pointer.

<data>/roads/<slug>/current              the name of the build in use
<data>/roads/<slug>/<content hash>/      tiles.tar, record.json; never changed once it is there
<data>/roads/<slug>/.building-*/         a build under way or broken off; nobody reads it
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from zones.roads.errors import BuildFailed

__all__ = ["ATTRIBUTION", "RoadData", "current_build", "read_record", "town_folder"]

ATTRIBUTION = "© OpenStreetMap contributors, ODbL 1.0"

SLUG = re.compile(r"[a-z]{2}(-[a-z0-9]+)+")
BUILD_NAME = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class RoadData:
    """What a build was made of. ``bbox`` is west, south, east, north in degrees.

    ``extract_date`` is the day the extract says it was current, None where it does not say;
    ``seat_covered`` is None where nobody said where the seat is.
    """

    slug: str
    extract: str
    extract_sha256: str
    extract_date: str | None
    built_at: str
    engine: str
    bbox: tuple[float, float, float, float]
    ways: int
    tiles_bytes: int
    seat_covered: bool | None
    attribution: str = ATTRIBUTION


def town_folder(data: Path, slug: str) -> Path:
    """The road data folder of a town. Raises ``BuildFailed`` for a slug that is not one."""
    if not SLUG.fullmatch(slug):
        raise BuildFailed(
            f"{slug!r} não é um código de município: use a sigla da UF e o nome, em minúsculas e com hifens."
        )
    return data / "roads" / slug


def current_build(folder: Path) -> Path | None:
    """The build in use in a town's folder, or None if there is none."""
    try:
        name = (folder / "current").read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    build = folder / name
    return build if BUILD_NAME.fullmatch(name) and (build / "tiles.tar").is_file() else None


def read_record(build: Path) -> RoadData:
    """The record of a whole build. Raises ``OSError``, ``LookupError``, ``ValueError`` or ``TypeError`` for damage."""
    fields = json.loads((build / "record.json").read_text(encoding="utf-8"))
    west, south, east, north = fields.pop("bbox")
    record = RoadData(bbox=(west, south, east, north), **fields)
    if (build / "tiles.tar").stat().st_size != record.tiles_bytes:
        raise ValueError("tiles.tar is not as long as it was built")
    return record


def write_record(build: Path, record: RoadData) -> None:
    """Keep the record of a build that is still being made."""
    text = json.dumps(asdict(record), ensure_ascii=False, indent=1)
    (build / "record.json").write_text(text + "\n", encoding="utf-8")

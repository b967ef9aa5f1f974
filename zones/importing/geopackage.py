"""GeoPackage: an SQLite file that says so in its first bytes, read by GDAL."""

from __future__ import annotations

from pathlib import Path

from zones.importing import gdal
from zones.importing.finding import Refused, error
from zones.importing.reading import Format, Options, Reading

_SQLITE = b"SQLite format 3\0"
_APPLICATION_ID = slice(68, 72)
_GEOPACKAGE_IDS = (b"GPKG", b"GP10", b"GP11")  # OGC 12-128r19, clause 1.1.1.1.1


def read(path: Path, options: Options) -> Reading:
    """Raises `Refused` for another kind of file under this name."""
    with path.open("rb") as stream:
        head = stream.read(72)
    if not head.startswith(_SQLITE) or head[_APPLICATION_ID] not in _GEOPACKAGE_IDS:
        raise Refused(
            error(
                "unreadable",
                "O arquivo não é um GeoPackage.",
                "A assinatura do formato não está no começo do arquivo.",
                "Exporte de novo como GeoPackage no QGIS.",
            )
        )
    return gdal.read(path, Format.GEOPACKAGE, options)

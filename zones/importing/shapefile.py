"""Zipped Shapefile: the .shp with its .shx, .dbf, .prj and .cpg, unpacked under names of our own."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePosixPath

from zones.importing import archives, gdal, limits
from zones.importing.archives import Entry
from zones.importing.finding import Refused, error
from zones.importing.notation import listed
from zones.importing.reading import Format, Options, Reading

_PARTS = frozenset({".shp", ".shx", ".dbf", ".prj", ".cpg"})
_FILE_CODE = (9994).to_bytes(4, "big")  # ESRI Shapefile Technical Description, July 1998


def read(path: Path, options: Options) -> Reading:
    """Raises `Refused` for an archive without one whole shapefile, or with several to choose from."""
    entries = archives.open_entries(path, _PARTS)
    shape = _choose([e for e in entries if e.path.suffix.lower() == ".shp"], options)
    stem = shape.path.with_suffix("")
    parts = [entry for entry in entries if _same(entry.path.with_suffix(""), stem)]
    if not shape.content.startswith(_FILE_CODE):
        raise Refused(
            error(
                "unreadable",
                f"“{shape.path.name}” não é um Shapefile.",
                "A assinatura do formato não está no começo do arquivo.",
                "Exporte de novo como Shapefile no QGIS e compacte todos os arquivos dele.",
            )
        )
    if not any(entry.path.suffix.lower() == ".shx" for entry in parts):
        raise Refused(
            error(
                "archive_incomplete",
                f"Falta o arquivo {stem.name}.shx no zip.",
                "Um Shapefile são vários arquivos com o mesmo nome: .shp, .shx, .dbf e .prj.",
                "Compacte todos eles juntos.",
            )
        )
    with tempfile.TemporaryDirectory() as folder:
        for entry in parts:
            suffix = entry.path.suffix.lower()
            (Path(folder) / f"shape{suffix}").write_bytes(entry.content)
        plain = Options(repair=options.repair)  # the layer was chosen above, by its name in the zip
        return gdal.read(Path(folder) / "shape.shp", Format.SHAPEFILE, plain)


def _choose(shapes: list[Entry], options: Options) -> Entry:
    names = listed([f"“{entry.path.stem}”" for entry in shapes], limits.MAX_LISTED)
    if not shapes:
        raise Refused(
            error(
                "archive_incomplete",
                "O zip não tem nenhum arquivo .shp.",
                "Um Shapefile são vários arquivos com o mesmo nome: .shp, .shx, .dbf e .prj.",
                "Compacte todos eles juntos; para KML ou GeoJSON envie o arquivo sem zip.",
            )
        )
    if options.layer is not None:
        shapes = [entry for entry in shapes if entry.path.stem == options.layer]
    if len(shapes) == 1:
        return shapes[0]
    raise Refused(
        error(
            "choose_layer",
            f"O zip tem os Shapefiles {names}.",
            "Qual deles é o perímetro é decisão de quem importa.",
            "Escolha com --layer NOME.",
        )
    )


def _same(one: PurePosixPath, other: PurePosixPath) -> bool:
    return str(one).lower() == str(other).lower()

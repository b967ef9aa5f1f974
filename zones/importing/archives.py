"""Zip archives opened without trusting them: names, sizes and ratios are checked before anything is unpacked.

Nothing is ever written under a name from the archive. See `zones.importing.limits` for the bounds.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from zones.importing import limits
from zones.importing.finding import Finding, Refused, error
from zones.importing.notation import format_number

_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of an archive, unpacked in memory."""

    path: PurePosixPath
    content: bytes


def open_entries(path: Path, suffixes: frozenset[str]) -> list[Entry]:
    """The entries of the archive whose suffix (".shp") is asked for.

    Raises `Refused` for a broken, encrypted or hostile archive, before anything of it is unpacked.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            _refuse_hostile(infos)
            wanted = [i for i in infos if PurePosixPath(i.filename).suffix.lower() in suffixes]
            budget = limits.MAX_UNPACKED_BYTES
            entries = []
            for info in wanted:
                content = _unpack(archive, info, budget)
                budget -= len(content)
                entries.append(Entry(PurePosixPath(info.filename), content))
            return entries
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as broken:
        raise Refused(_broken()) from broken


def _refuse_hostile(infos: list[zipfile.ZipInfo]) -> None:
    if len(infos) > limits.MAX_ARCHIVE_ENTRIES:
        raise Refused(_bomb(f"O zip tem {format_number(len(infos), 0)} arquivos dentro"))
    total = 0
    for info in infos:
        total += info.file_size
        if total > limits.MAX_UNPACKED_BYTES:
            raise Refused(_bomb(f"Descompactado, o zip passa de {limits.MAX_UNPACKED_BYTES // limits.MIB} MiB"))
        if _ratio(info) > limits.MAX_RATIO and info.file_size > limits.RATIO_FREE_BYTES:
            raise Refused(_bomb(f"“{_shown(info)}” cresce {_ratio(info):.0f} vezes ao ser descompactado"))
        if _escapes(info):
            raise Refused(
                error(
                    "archive_path",
                    f"O zip contém o caminho “{_shown(info)}”, que sai da própria pasta.",
                    "Um arquivo comum não tem “..”, caminho absoluto nem atalho; isso é tentativa de ataque.",
                    "Compacte de novo só os arquivos do perímetro.",
                )
            )
        if info.flag_bits & _ENCRYPTED:
            raise Refused(
                error(
                    "archive_encrypted",
                    "O zip está protegido por senha.",
                    "O importador não abre conteúdo cifrado.",
                    "Compacte de novo sem senha.",
                )
            )


def _ratio(info: zipfile.ZipInfo) -> float:
    return info.file_size / max(info.compress_size, 1)


def _escapes(info: zipfile.ZipInfo) -> bool:
    # `filename` was already cut at a NUL and `orig_filename` not: what hides behind it counts too.
    path = info.orig_filename.replace("\\", "/")
    symlink = stat.S_ISLNK(info.external_attr >> 16)
    return path.startswith("/") or ":" in path or "\0" in path or ".." in path.split("/") or symlink


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: int) -> bytes:
    with archive.open(info) as stream:
        content = stream.read(min(info.file_size, budget) + 1)
    if len(content) > budget:
        raise Refused(_bomb("O conteúdo do zip é maior do que ele declara"))
    return content


def _shown(info: zipfile.ZipInfo) -> str:
    return "".join(c if c.isprintable() else "?" for c in info.orig_filename[:60])


def _bomb(what: str) -> Finding:
    return error(
        "archive_too_big",
        f"{what}.",
        f"O limite é de {limits.MAX_ARCHIVE_ENTRIES} arquivos, {limits.MAX_UNPACKED_BYTES // limits.MIB} MiB e "
        f"{limits.MAX_RATIO} vezes o tamanho compactado; além disso o zip é tratado como ataque e não é aberto.",
        "Compacte só os arquivos do perímetro.",
    )


def _broken() -> Finding:
    return error(
        "archive_broken",
        "O arquivo não é um zip inteiro.",
        "Pode ter sido cortado no envio ou ter outro formato com a extensão trocada.",
        "Baixe ou exporte de novo.",
    )

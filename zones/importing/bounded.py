"""Examining a file in a process of its own, so that no file can take the memory or the time of the whole program.

The child has a ceiling of address space and of processor time (POSIX; where the system does not keep them, as macOS
does not for memory, the wall clock still holds). It talks JSON over its pipes and writes nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import orjson

from zones.importing import limits
from zones.importing.examination import Examination, examine
from zones.importing.finding import Finding, error
from zones.importing.packing import (
    pack_examination,
    pack_surroundings,
    unpack_examination,
    unpack_surroundings,
)
from zones.importing.reading import Datum, Options
from zones.importing.surroundings import Surroundings

_ROOT = Path(__file__).resolve().parents[2]
_ENVIRONMENT = {
    "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": ".none",  # GDAL opens nothing remote …
    "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",  # … and looks for no companions in the folder
    "OPENBLAS_NUM_THREADS": "1",  # each thread would reserve address space
    "PROJ_NETWORK": "OFF",
}
CEILINGS = {
    "CHILD_MEMORY_BYTES": limits.CHILD_MEMORY_BYTES,
    "CHILD_CPU_SECONDS": limits.CHILD_CPU_SECONDS,
}
"""What the child is held to, sent along with the request."""
_OUT_OF_MEMORY = 75  # any code Python itself does not use


def examine_bounded(path: Path, options: Options, around: Surroundings) -> Examination:
    """`examination.examine` under limits; running into one is a finding, like everything a file can do."""
    request = orjson.dumps(
        {
            "path": str(path.absolute()),
            "options": asdict(options),
            "around": pack_surroundings(around),
            "ceilings": CEILINGS,
        }
    )
    try:
        # The program is this module under the running interpreter; the request goes by pipe, not by shell.
        child = subprocess.run(
            [sys.executable, "-m", "zones.importing.bounded"],
            input=request,
            capture_output=True,
            cwd=_ROOT,
            env={**os.environ, **_ENVIRONMENT},
            timeout=limits.CHILD_WALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Examination((_too_long(),))
    if child.returncode == 0:
        return unpack_examination(orjson.loads(child.stdout))
    if child.returncode == _OUT_OF_MEMORY or b"MemoryError" in child.stderr or b"bad_alloc" in child.stderr:
        return Examination((_too_much_memory(),))
    if child.returncode in (-24, -9):  # SIGXCPU, then SIGKILL
        return Examination((_too_long(),))
    return Examination((_gave_up(),))


def main() -> None:
    """The child's side: one request on stdin, one examination on stdout."""
    request = orjson.loads(sys.stdin.buffer.read())
    _limit(request["ceilings"]["CHILD_CPU_SECONDS"], request["ceilings"]["CHILD_MEMORY_BYTES"])
    options = request["options"]
    datum = options.pop("datum")
    try:
        examination = examine(
            Path(request["path"]),
            Options(**options, datum=Datum(datum) if datum else None),
            unpack_surroundings(request["around"]),
        )
        answer = orjson.dumps(pack_examination(examination))
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)
    sys.stdout.buffer.write(answer)


def _limit(cpu: int, memory: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _too_long() -> Finding:
    return error(
        "too_slow",
        f"O exame do arquivo passou de {limits.CHILD_CPU_SECONDS} segundos de processamento e foi interrompido.",
        "Um contorno que se cruza milhares de vezes, ou um arquivo forjado, leva a isso.",
        "Simplifique ou corrija o contorno no QGIS antes de importar.",
    )


def _too_much_memory() -> Finding:
    return error(
        "too_much_memory",
        f"O exame do arquivo precisou de mais de {limits.CHILD_MEMORY_BYTES // limits.MIB} MiB e foi interrompido.",
        "Um contorno que se cruza milhares de vezes, ou um arquivo forjado, leva a isso.",
        "Simplifique ou corrija o contorno no QGIS antes de importar.",
    )


def _gave_up() -> Finding:
    return error(
        "reader_stopped",
        "A leitura do arquivo foi interrompida por um erro do programa de leitura.",
        f"O arquivo está estragado de um modo que ele não prevê, ou pediu mais de "
        f"{limits.CHILD_MEMORY_BYTES // limits.MIB} MiB de memória; nada foi gravado.",
        "Abra-o no QGIS, exporte de novo em GeoJSON e importe esse.",
    )


if __name__ == "__main__":
    main()

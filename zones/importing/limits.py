"""How much of a file the importer is willing to read, and why each bound stands where it does.

An urban perimeter in law has tens to a few hundred vertices; the finest public mesh of a whole municipality has some
thousands. Each bound leaves that two orders of magnitude, and keeps a hostile file from taking the machine.
"""

from __future__ import annotations

MIB = 1024 * 1024

MAX_FILE_BYTES = 64 * MIB
"""A file of `MAX_VERTICES` written at full precision takes about 8 MiB; the rest is attributes and other layers."""

MAX_VERTICES = 200_000
"""A circle of 200,000 vertices around a town of 5 km has one every 16 cm: finer than any survey."""

MAX_FEATURES = 1_000
"""A cadastre of lots is not a perimeter; `--union` of more than this is somebody's wrong file."""

MAX_ARCHIVE_ENTRIES = 1_000
"""A shapefile is 4 to 8 files, a KMZ one document and its icons."""

MAX_UNPACKED_BYTES = 128 * MIB
"""Counted while reading as well as from the directory: a directory can lie."""

MAX_RATIO = 100
"""Coordinates in text deflate 3 to 10 times; a bomb of one repeated byte reaches 1,000 times."""

RATIO_FREE_BYTES = MIB
"""Below this an entry may shrink as it likes: a small regular file is no danger."""

MAX_XML_DEPTH = 100
"""KML folders nest a few levels."""

MAX_ELEMENTS = 100_000
"""Of XML, or objects of JSON: `MAX_FEATURES` with a hundred attributes each. GDAL keeps them all in memory."""

MAX_LISTED = 10
"""Places or rows named one by one in a finding before "e mais N"."""

CHILD_MEMORY_BYTES = 1024 * MIB
"""Address space of the reading process: the libraries alone take about 260 MiB, the largest lawful file 350 more."""

CHILD_CPU_SECONDS = 40
"""Reading and checking `MAX_VERTICES` takes a few seconds; overlay of a hostile zigzag may take for ever."""

CHILD_WALL_SECONDS = 90
"""For a process that waits instead of computing, and for a machine with other work."""

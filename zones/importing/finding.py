"""What the importer has to say about a file: what is wrong, why it matters, how to mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """An error keeps the draft from being stored; a warning is shown to whoever approves; a note informs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check, in Portuguese. ``places`` are (lon, lat) pairs in degrees to mark on the picture."""

    severity: Severity
    code: str
    what: str
    why: str
    how: str = ""
    places: tuple[tuple[float, float], ...] = ()

    def __str__(self) -> str:
        return " ".join(part for part in (self.what, self.why, self.how) if part)


Places = Iterable[tuple[float, float]]


def error(code: str, what: str, why: str, how: str, places: Places = ()) -> Finding:
    return Finding(Severity.ERROR, code, what, why, how, tuple(places))


def warning(code: str, what: str, why: str, how: str, places: Places = ()) -> Finding:
    return Finding(Severity.WARNING, code, what, why, how, tuple(places))


def note(code: str, what: str, why: str = "", how: str = "") -> Finding:
    return Finding(Severity.NOTE, code, what, why, how)


class Refused(Exception):
    """The file cannot be read any further; ``findings`` say everything learnt so far."""

    def __init__(self, *findings: Finding) -> None:
        super().__init__("; ".join(str(finding) for finding in findings))
        self.findings = findings

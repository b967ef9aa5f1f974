"""What `make audit` runs: every locked package with its licence, whether there is a newer one, and known weaknesses.

Known weaknesses come from the package index, by pip-audit; newer versions by pip. What could not be asked is said, for
silence is not health. Exit code: 0 all was asked and nothing is known against it, 1 something is, 2 not all was asked.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import click

LOCK = Path(__file__).with_name("requirements.txt")
SECONDS_TO_ANSWER = 300
_PINNED = re.compile(r"(?m)^([A-Za-z0-9][A-Za-z0-9._-]*)==([^ ;\\]+)")


@dataclass(frozen=True, slots=True)
class Package:
    """One line of the report. ``weaknesses`` is None when nobody could be asked; ``newer`` None when there is none."""

    name: str
    version: str
    licence: str
    newer: str | None
    weaknesses: tuple[str, ...] | None


def main() -> int:
    """Print the report. The exit code."""
    pinned = _PINNED.findall(LOCK.read_text())
    found, newer = (
        weaknesses(_asked("pip_audit", *_AUDIT)),
        newest(_asked("pip", "list", "--outdated", "--format=json")),
    )
    packages = [
        Package(name, version, licence(name), (newer or {}).get(canonical(name)), (found or {}).get(canonical(name)))
        for name, version in pinned
    ]
    click.echo(report(packages, newer_asked=newer is not None))
    return exit_code(packages)


_AUDIT = ("-r", str(LOCK), "--require-hashes", "--disable-pip", "-s", "pypi", "-f", "json", "--progress-spinner=off")


def weaknesses(answer: str | None) -> dict[str, tuple[str, ...]] | None:
    """What pip-audit says of each package it could ask about; None when it could ask about none."""
    if answer is None:
        return None
    return {
        canonical(each["name"]): tuple(
            f"{one['id']} (corrigida em {', '.join(one['fix_versions']) or 'nenhuma versão'})" for one in each["vulns"]
        )
        for each in json.loads(answer)["dependencies"]
        if "vulns" in each
    }


def newest(answer: str | None) -> dict[str, str] | None:
    """The newest version of each package that has a newer one; None when pip could not ask."""
    if answer is None:
        return None
    return {canonical(each["name"]): each["latest_version"] for each in json.loads(answer)}


def licence(name: str) -> str:
    """The licence that the installed package states, in a word or two."""
    try:
        told = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return "não instalado nesta versão do Python"
    classes = [one.rpartition(" :: ")[2] for one in told.get_all("Classifier") or [] if one.startswith("License")]
    stated = [*(told.get_all("License-Expression") or []), ", ".join(classes), *(told.get_all("License") or [])]
    return next((one.splitlines()[0][:60] for one in stated if one), "não declarada")


def report(packages: Sequence[Package], *, newer_asked: bool) -> str:
    """The report as text: the verdict first, then one line a package."""
    width = max(len(f"{each.name} {each.version}") for each in packages)
    lines = [*_verdict(packages, newer_asked), ""]
    for each in packages:
        notes = [each.licence]
        notes += [f"há a {each.newer}"] if each.newer else []
        notes += ["não consultado"] if each.weaknesses is None else [*each.weaknesses]
        lines.append(f"{f'{each.name} {each.version}':<{width}}  {'; '.join(notes)}")
    return "\n".join(lines)


def exit_code(packages: Sequence[Package]) -> int:
    """0 clean, 1 known weaknesses, 2 not everything could be asked."""
    if any(each.weaknesses for each in packages):
        return 1
    return 2 if any(each.weaknesses is None for each in packages) else 0


def canonical(name: str) -> str:
    """A package's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _verdict(packages: Sequence[Package], newer_asked: bool) -> list[str]:
    weak = [each.name for each in packages if each.weaknesses]
    silent = [each.name for each in packages if each.weaknesses is None]
    lines = [f"{len(packages)} pacotes em {LOCK.name}."]
    if weak:
        lines.append(f"COM FALHAS CONHECIDAS: {', '.join(weak)}. Atualize com `make lock`.")
    if silent:
        lines.append(
            f"Não foi possível consultar falhas de {len(silent)} deles: o índice de pacotes não respondeu ou não as "
            "publica. Isto não quer dizer que não existam; repita onde https://pypi.org responda."
        )
    if not weak and not silent:
        lines.append("Nenhuma falha conhecida.")
    if not newer_asked:
        lines.append("Não foi possível perguntar se há versões mais novas.")
    return lines


def _asked(module: str, *arguments: str) -> str | None:
    """What a program of this environment answers as JSON; None when it could not."""
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-m", module, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS_TO_ANSWER,
        )
    except subprocess.TimeoutExpired:
        return None
    return (
        done.stdout if done.stdout.lstrip().startswith(("{", "[")) else None
    )  # it ends with 1 when it found something


if __name__ == "__main__":
    sys.exit(main())

"""The report on locked packages: what is known, what is not, and never the one for the other."""

from __future__ import annotations

import json

import pytest

from audit_lock import LOCK, Package, canonical, exit_code, licence, newest, report, weaknesses

CLEAN = Package("flask", "3.1.3", "BSD-3-Clause", None, ())
WEAK = Package("Old.Thing", "1.0", "MIT", "2.0", ("PYSEC-2026-1 (corrigida em 1.1)",))
SILENT = Package("quiet", "1.0", "MIT", None, None)


def test_what_pip_audit_says_is_read_and_what_it_skipped_is_not_health():
    answer = json.dumps(
        {
            "dependencies": [
                {"name": "flask", "version": "3.1.3", "vulns": []},
                {"name": "Old_Thing", "version": "1", "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["1.1"]}]},
                {"name": "lost", "version": "1", "vulns": [{"id": "PYSEC-2026-2", "fix_versions": []}]},
                {"name": "quiet", "skip_reason": "Dependency not found on PyPI"},
            ]
        }
    )
    assert weaknesses(answer) == {
        "flask": (),
        "old-thing": ("PYSEC-2026-1 (corrigida em 1.1)",),
        "lost": ("PYSEC-2026-2 (corrigida em nenhuma versão)",),
    }
    assert weaknesses(None) is None
    assert newest('[{"name": "Old.Thing", "latest_version": "2.0"}]') == {"old-thing": "2.0"}
    assert newest(None) is None


@pytest.mark.parametrize(
    ("packages", "code", "said", "unsaid"),
    [
        ([CLEAN], 0, "Nenhuma falha conhecida", "Não foi possível"),
        ([CLEAN, SILENT], 2, "Não foi possível consultar falhas de 1 deles", "Nenhuma falha"),
        ([CLEAN, SILENT, WEAK], 1, "COM FALHAS CONHECIDAS: Old.Thing", "Nenhuma falha"),
    ],
)
def test_the_verdict(packages: list[Package], code: int, said: str, unsaid: str):
    text = report(packages, newer_asked=True)
    assert exit_code(packages) == code
    assert said in text
    assert unsaid not in text
    assert len(text.splitlines()) >= len(packages) + 3


def test_each_package_has_its_line():
    text = report([CLEAN, WEAK, SILENT], newer_asked=False)
    assert "flask 3.1.3    BSD-3-Clause" in text
    assert "Old.Thing 1.0  MIT; há a 2.0; PYSEC-2026-1 (corrigida em 1.1)" in text
    assert "quiet 1.0      MIT; não consultado" in text
    assert "versões mais novas" in text


def test_every_installed_package_of_the_lock_states_a_licence():
    names = [line.partition("==")[0] for line in LOCK.read_text().splitlines() if "==" in line and line[0].isalnum()]
    assert len(names) > 50
    assert canonical("Flask_SQLAlchemy.x") == "flask-sqlalchemy-x"
    assert [name for name in names if licence(name) == "não declarada"] == []

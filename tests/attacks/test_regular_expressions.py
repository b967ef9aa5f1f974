"""No text makes a regular expression of ours run for ever.

By construction: none repeats without bound what itself repeats without bound, so none takes exponential time. And by
trial: every one is fed long texts of its own characters in a process that the system kills when it used up far more
processor time than all of them need.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from re import _constants as codes
from re import _parser as parser
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("accounts", "api", "fares", "geodata", "laws", "store", "zones", "dispatch", "registry", "inspection", "web")
UNBOUNDED = 50  # repetitions beyond which a repeat counts as without bound
LONG = 500
SECONDS_OF_PROCESSOR = 120  # all of them need a few
UNAMBIGUOUS = {r"[a-z]{2}(-[a-z0-9]+)+"}
"""Repeats in repeats that read any text in one way only: every round begins with a mark that no round contains."""
_REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT}


def _modules() -> list[Path]:
    files = [*ROOT.glob("*.py"), *(file for room in ROOMS for file in (ROOT / room).rglob("*.py"))]
    return [file for file in files if "migrations" not in file.parts and file.name != "serve.py"]


def _written(file: Path) -> Iterator[str]:
    """The patterns that stand as text in calls of `re`."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and node.func.attr != "escape":  # type: ignore[attr-defined]
                yield first.value


def _compiled(file: Path) -> Iterator[str]:
    """The patterns that a module made of other texts and keeps, in itself or in its classes."""
    module = importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    for value in list(vars(module).values()):
        inside = vars(value).values() if isinstance(value, type) else (value,)
        yield from (one.pattern for one in inside if isinstance(one, re.Pattern) and isinstance(one.pattern, str))


def patterns() -> list[str]:
    return sorted({pattern for file in _modules() for pattern in (*_written(file), *_compiled(file))})


PATTERNS = patterns()


def _repeats(parsed: Any, within: bool) -> Iterator[bool]:
    """For every repeat without bound, whether it is inside another one."""
    for code, argument in parsed:
        if code in _REPEATS:
            _, most, body = argument
            unbounded = most > UNBOUNDED
            if unbounded:
                yield within
            yield from _repeats(body, within or unbounded)
        elif code is codes.SUBPATTERN:
            yield from _repeats(argument[-1], within)
        elif code is codes.BRANCH:
            for branch in argument[1]:
                yield from _repeats(branch, within)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _repeats(argument[1], within)
        elif code is codes.ATOMIC_GROUP:
            yield from _repeats(argument, within)


def test_they_are_found():
    assert len(PATTERNS) > 60
    assert any("before" in pattern for pattern in PATTERNS), "patterns made of others are missing"


@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_unbounded_repeat_inside_another(pattern: str):
    assert not any(_repeats(parser.parse(pattern), within=False)) or pattern in UNAMBIGUOUS


def test_the_check_finds_one():
    for bad in (r"(a+)+", r"(?:a*b?)*c", r"((?:x|y+)z?)*", r"(?=(?:\d+)*)x"):
        assert any(_repeats(parser.parse(bad), within=False)), bad
    for good in (r"(?:\.\d{3})+", r"a+b+", r"(?:a|b){1,3}c*"):
        assert not any(_repeats(parser.parse(good), within=False)), good


UNITS = ["a", "0", " ", ".", "-", "(", "[", "é", "0,", "a ", "0 ", "1.000", "a."]
TRIAL = f"""
import json, re, sys
for pattern in json.load(sys.stdin):
    compiled = re.compile(pattern)
    for unit in {{*{UNITS}, *re.sub("[^a-zA-Z0-9]", "", pattern)}}:
        text = (unit * {LONG})[:{LONG}]
        for tried in (text, text + "\\0", "0" + text + "\\0", "a" + text + "!"):
            compiled.fullmatch(tried), compiled.match(tried), compiled.sub("", tried)
print("done")
"""


@pytest.mark.slow
def test_long_texts_are_done_with():
    ended = subprocess.run(
        [sys.executable, "-c", TRIAL],
        input=json.dumps(PATTERNS),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_OF_PROCESSOR, SECONDS_OF_PROCESSOR)),
    )
    assert ended.stdout == "done\n", ended.stderr[-2000:]

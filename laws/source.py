"""Reading YAML the strict way: duplicate keys refused, nothing guessed, every value's line remembered.

Only `true`, `false`, `null` and plain integers are converted; dates, hours and decimals stay text, for the schema to
read. (YAML 1.1 would turn 22:00 into 1320 and `no` into False.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

Place = tuple[str | int, ...]


class LawError(Exception):
    """A file of the law was refused. The text says file, line, what is wrong and what to do, in Portuguese."""

    def __init__(self, file: Path, line: int | None, what: str) -> None:
        where = f"{file}:{line}" if line else str(file)
        super().__init__(f"{where}: {what}")
        self.file = file
        self.line = line
        self.what = what


@dataclass(frozen=True)
class Document:
    """A parsed file: plain values, and the line on which each of them stands."""

    file: Path
    data: Any
    lines: dict[Place, int]
    text: str

    def line_of(self, place: Place) -> int | None:
        """The line of a value, or of the nearest thing that holds it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place)

    def refuse(self, place: Place, what: str) -> LawError:
        """The error to raise for the value at ``place``."""
        return LawError(self.file, self.line_of(place), what)


class _Loader(yaml.SafeLoader):
    """SafeLoader whose plain scalars are text unless they are null, a boolean or an integer."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own way to set them

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call] # PyYAML's parser has no types
        if event.anchor is not None:
            raise yaml.composer.ComposerError(None, None, "não use âncoras (&, *); escreva o valor", event.start_mark)
        return super().compose_node(parent, index)


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:null|~|)$"), ["n", "~", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^-?(?:0|[1-9][0-9]*)$"), list("-0123456789"))


def read_yaml(file: Path) -> Document:
    """Parse one file. Raises `LawError` for bad YAML, duplicate keys, anchors, or text that is not UTF-8."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise LawError(file, None, f"o arquivo não está em UTF-8 ({error.reason}); salve-o em UTF-8") from error
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise LawError(file, line, f"YAML inválido: {error.problem}") from error
    if node is None:
        raise LawError(file, 1, "arquivo vazio")
    lines: dict[Place, int] = {}
    data = _build(file, loader, node, (), lines)
    return Document(file, data, lines, text)


def _build(file: Path, loader: _Loader, node: yaml.Node, place: Place, lines: dict[Place, int]) -> Any:
    lines[place] = node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        return [_build(file, loader, item, (*place, i), lines) for i, item in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        mapping: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node)
            line = key_node.start_mark.line + 1
            if not isinstance(key, str | int):
                raise LawError(file, line, "a chave deve ser um texto ou número inteiro")
            if key in mapping:
                raise LawError(file, line, f"chave repetida: {key!r}; apague uma das duas")
            mapping[key] = _build(file, loader, value_node, (*place, key), lines)
            lines[(*place, key)] = line
        return mapping
    return loader.construct_object(node)

"""One tariff, read in every way its unclear clauses allow.

The tariff is kept as the checked YAML of its lines plus what each reading changes; a combination of readings is built
once, when first asked for. Lines that two combinations share are one object, so that the engine computes them once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from marshmallow import ValidationError

from laws import norm as n
from laws.schedule import Schedule
from laws.schemas import GroundsSchema, LineSchema

RawLine = tuple[str, dict[str, Any]]
"""The label of the norm that wrote the line, and the line as written."""


class BadChange(ValueError):
    """A change names something the tariff does not have, or clashes with another; Portuguese message."""


@dataclass(frozen=True)
class Draft:
    """A tariff before its lines are built: what readings and amending norms change."""

    lines: tuple[RawLine, ...]
    schedule: Schedule
    rules: n.Tariff
    """Everything but the lines (nature, rounding, order …)."""

    def changed(self, changes: Mapping[str, Any], label: str) -> Draft:
        """The draft after one set of changes made under the norm ``label``. Raises ``BadChange``."""
        lines = {raw["code"]: (owner, raw) for owner, raw in self.lines}
        for code, new in changes["set"].items():
            if code not in lines:
                raise BadChange(f"`set` cita a linha {code!r}, que não existe")
            owner, raw = lines[code]
            merged = {k: v for k, v in {**raw, **new}.items() if v is not None}
            lines[code] = (label if "cite" in new else owner, merged)
        for code in changes["drop"]:
            if code not in lines:
                raise BadChange(f"`drop` cita a linha {code!r}, que não existe")
        for code in changes["drop"]:
            del lines[code]
        for raw in changes["add"]:
            if raw.get("code") in lines:
                raise BadChange(f"`add` repete a linha {raw['code']!r}; use `set`")
            lines[raw.get("code")] = (label, raw)
        rules = self.rules
        if changes["treat"]:
            rules = replace(rules, treat={**rules.treat, **changes["treat"]})
        if changes["window_at"]:
            rules = replace(rules, window_at=changes["window_at"])
        if changes["refuses"]:
            rules = replace(rules, refuses=GroundsSchema(label).load(changes["refuses"]))
        return replace(self, lines=tuple(lines.values()), rules=rules)


class ReadVariants:
    """The variants of a draft under its clauses (see `laws.norm.Variants`)."""

    def __init__(self, draft: Draft, clauses: tuple[n.Clause, ...], label: str) -> None:
        self._draft = draft
        self._clauses = clauses
        self._label = label
        self._built: dict[tuple[tuple[str, str], ...], n.Tariff] = {}
        self._lines: dict[str, n.Line] = {}
        self._refuse_clashes()

    def under(self, choices: Mapping[str, str]) -> n.Tariff:
        key = tuple(sorted(choices.items()))
        tariff = self._built.get(key)
        if tariff is None:
            tariff = self._built[key] = self._build(choices)
        return tariff

    def _build(self, choices: Mapping[str, str]) -> n.Tariff:
        unknown = set(choices) - {clause.id for clause in self._clauses}
        if unknown:
            raise BadChange(f"leitura de cláusula desconhecida: {', '.join(sorted(unknown))}")
        draft = self._draft
        dropped: list[str] = []
        for clause in self._clauses:
            option = _option(clause, choices.get(clause.id, clause.adopted.id))
            dropped += option.changes["drop"]
            draft = draft.changed({**option.changes, "drop": []}, self._label)
        lines = tuple(self._line(*raw) for raw in draft.lines if raw[1]["code"] not in dropped)
        missing = set(dropped) - {raw[1]["code"] for raw in draft.lines}
        if missing:
            raise BadChange(f"`drop` cita linhas que não existem: {', '.join(sorted(missing))}")
        order = draft.rules.order.index
        tariff = replace(draft.rules, lines=tuple(sorted(lines, key=lambda line: order(line.stage))))
        check_names(tariff)
        return tariff

    def _line(self, label: str, raw: dict[str, Any]) -> n.Line:
        key = json.dumps([label, raw], sort_keys=True, default=str)
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = LineSchema(label).load(raw)
        return line

    def _refuse_clashes(self) -> None:
        """Two clauses may not set the same key of the same line: their combination would have no one meaning."""
        owners: dict[tuple[str, str], str] = {}
        for clause in self._clauses:
            for option in clause.options:
                changes: Mapping[str, Any] = option.changes
                for code, new in changes["set"].items():
                    for key in new:
                        other = owners.setdefault((code, key), clause.id)
                        if other != clause.id:
                            raise BadChange(
                                f"as cláusulas {other!r} e {clause.id!r} mudam `{key}` da linha {code!r}; "
                                "junte-as em uma cláusula só"
                            )


def _option(clause: n.Clause, wanted: str) -> n.Option:
    for option in clause.options:
        if option.id == wanted:
            return option
    raise BadChange(f"a cláusula {clause.id!r} não tem a opção {wanted!r}")


def check_names(tariff: n.Tariff) -> None:
    """Refuse a tariff that names a window, line or district it does not have. Raises ``ValidationError``."""
    windows = {w.id for w in tariff.schedule.windows}
    codes = {line.code for line in tariff.lines}
    districts = set(tariff.districts.values())
    for line in tariff.lines:
        check_guards(line.when, windows, districts, f"a linha {line.code!r}")
        match line.amount:
            case n.Add(on=on) | n.Times(on=on) | n.Bound(on=on):
                _known(on, codes | _optional_codes(tariff), f"a linha {line.code!r} incide sobre")
            case n.Matrix(cells=cells):
                for cell in cells:
                    _known(cell.windows, windows, f"a matriz {line.code!r} cita a faixa")
                    ends = {cell.origin, cell.destination} - {"same", "different", "any"}
                    _known(frozenset(ends), districts or ends, f"a matriz {line.code!r} cita a zona")
            case _:
                pass
        if isinstance(line.amount, n.PerKm | n.Steps | n.Tick):
            codes_over = line.amount.over.codes
            _known(codes_over, districts or codes_over, f"a linha {line.code!r} cita a zona")
    for gap, target in tariff.treat.items():
        _known(frozenset({gap, target}), windows, "`treat` cita a faixa")
    _check_exact(tariff)


def check_guards(guards: tuple[n.Guard, ...], windows: Set[str], districts: Set[str], what: str) -> None:
    """Refuse a condition that names a window or district the tariff does not have. Raises ``ValidationError``."""
    for guard in guards:
        _known(guard.windows, windows, f"{what} cita a faixa")
        for named in (guard.origin_code, guard.destination_code, guard.either_code):
            _known(named, districts or named, f"{what} cita a zona")


def _optional_codes(tariff: n.Tariff) -> set[str]:
    """Codes an `on` list may name although this reading dropped the line."""
    return {code for line in tariff.lines if isinstance(line.amount, n.Add | n.Times | n.Bound)
            for code in (line.amount.on or ())}  # fmt: skip


def _known(named: Set[str] | None, known: Set[str] | None, what: str) -> None:
    unknown = set(named or ()) - set(known or ())
    if unknown:
        raise ValidationError(f"{what} {', '.join(sorted(unknown))}, que não existe")


def _check_exact(tariff: n.Tariff) -> None:
    """The engine is exact for at most two factors on one line."""
    for line in tariff.lines:
        factors = sum(
            isinstance(other.amount, n.Times) and (other.amount.on is None or line.code in other.amount.on)
            for other in tariff.lines
        )
        if factors > 2:
            raise ValidationError(f"mais de dois fatores (`times`) sobre a linha {line.code!r}")

"""From the folders of YAML under `laws/` to a `LawBook`, refusing whatever is not understood.

A municipality is a folder with `municipality.yaml`, one file per norm and, optionally, `cases.yaml`. The folder `br`
holds federal norms, whose prohibitions hold everywhere. Every refusal is a `LawError` with file and line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from marshmallow import Schema, ValidationError

from laws import norm as n
from laws.calendar import Calendar
from laws.schedule import BadSchedule, Schedule, Window
from laws.schemas import (
    ClauseSchema,
    GroundsSchema,
    LineSchema,
    MunicipalitySchema,
    NormSchema,
    NoticeSchema,
    RuleSchema,
    WindowSchema,
)
from laws.source import Document, LawError, Place, read_yaml
from laws.timeline import InForce, in_force
from laws.variants import BadChange, Draft, ReadVariants, check_guards

FEDERAL = "br"
MUNICIPALITY_FILE = "municipality.yaml"
CASES_FILE = "cases.yaml"

Verify = Callable[[n.Municipality, Document], None]
"""Checks a municipality's worked cases; raises `LawError` for one that does not reproduce."""


class UnknownMunicipality(KeyError):
    """No municipality with that slug is loaded."""

    def __init__(self, slug: str) -> None:
        super().__init__(slug)
        self.slug = slug


@dataclass(frozen=True)
class LawBook:
    """Every municipality loaded, by slug."""

    municipalities: dict[str, n.Municipality]

    def municipality(self, slug: str) -> n.Municipality:
        """Raises ``UnknownMunicipality``."""
        try:
            return self.municipalities[slug]
        except KeyError:
            raise UnknownMunicipality(slug) from None

    def in_force(self, slug: str, at: datetime) -> InForce:
        """The norm that governs a municipality at a local instant (see `laws.timeline.in_force`)."""
        return in_force(self.municipality(slug), at)


def load_lawbook(folder: Path, verify: Verify | None = None) -> LawBook:
    """Load every municipality under ``folder``; ``verify`` checks the worked cases stored beside the norms.

    Raises `LawError` for the first thing refused.
    """
    if not folder.is_dir():
        raise LawError(folder, None, "a pasta das leis não existe")
    federal_folder = folder / FEDERAL
    federal = _federal(federal_folder) if federal_folder.is_dir() else ()
    municipalities = {}
    for town in sorted(p.parent for p in folder.glob(f"*/{MUNICIPALITY_FILE}")):
        municipality = load_municipality(town, federal)
        municipalities[municipality.slug] = municipality
        cases = town / CASES_FILE
        if verify is not None and cases.exists():
            verify(municipality, read_yaml(cases))
    return LawBook(municipalities)


def load_municipality(folder: Path, federal: tuple[n.Norm, ...] = ()) -> n.Municipality:
    """Load one municipality's folder. Raises `LawError`."""
    document = read_yaml(folder / MUNICIPALITY_FILE)
    data = _checked(MunicipalitySchema(), document)
    if data["slug"] != folder.name:
        raise document.refuse(("slug",), f"o slug deve ser o nome da pasta ({folder.name})")
    calendar = Calendar(data["uf"], tuple(data["calendar"]["municipal"]), tuple(data["calendar"]["optional"]))
    reader = _NormReader(folder.name, data["zone_info"], calendar)
    files = [f for f in sorted(folder.glob("*.yaml")) if f.name not in (MUNICIPALITY_FILE, CASES_FILE)]
    norms = reader.read_all([read_yaml(file) for file in files])
    return n.Municipality(
        slug=data["slug"],
        name=data["name"],
        uf=data["uf"],
        ibge_code=data["ibge_code"],
        zone_info=data["zone_info"],
        area_code=data["area_code"],
        calendar=calendar,
        norms=norms,
        federal=federal,
        forbidding=(*federal, *(norm for norm in norms if not norm.about_fares)),
    )


def _federal(folder: Path) -> tuple[n.Norm, ...]:
    reader = _NormReader(FEDERAL, ZoneInfo("America/Sao_Paulo"), Calendar("DF"))
    return reader.read_all([read_yaml(file) for file in sorted(folder.glob("*.yaml"))])


class _NormReader:
    """Builds the norms of one folder; amending norms after the ones they amend."""

    def __init__(self, folder: str, zone_info: ZoneInfo, calendar: Calendar) -> None:
        self._folder = folder
        self._zone_info = zone_info
        self._calendar = calendar
        self._drafts: dict[str, tuple[Draft, list[Any], str]] = {}

    def read_all(self, documents: list[Document]) -> tuple[n.Norm, ...]:
        checked = [(document, _checked(NormSchema(), document)) for document in documents]
        checked.sort(key=lambda pair: ("amends" in pair[1].get("tariff", {}), pair[1]["in_force"]["start"]))
        norms: dict[str, n.Norm] = {}
        for document, data in checked:
            norm = self._norm(document, data)
            if not norm.ref.id.startswith(f"{self._folder}/"):
                raise document.refuse(("norm", "id"), f"o id deve começar com o nome da pasta: {self._folder}/…")
            if norm.ref.id in norms:
                raise document.refuse(("norm", "id"), f"id repetido: {norm.ref.id}")
            norms[norm.ref.id] = norm
        by_start = sorted(norms.values(), key=lambda norm: norm.force.start)
        _check_timeline(by_start, {d["norm"]["id"]: doc for doc, d in checked})
        return tuple(by_start)

    def _norm(self, document: Document, data: dict[str, Any]) -> n.Norm:
        head, label = data["norm"], data["norm"]["label"]
        tariff = data.get("tariff")
        grounds = variants = None
        clauses: tuple[n.Clause, ...] = ()
        version = hashlib.sha256(document.text.encode())
        if tariff is not None and "none" in tariff:
            grounds = loaded(GroundsSchema(label), tariff["none"], document, ("tariff", "none"))
        elif tariff is not None:
            draft, raw_clauses, base_version = self._draft(document, tariff, label)
            version.update(base_version.encode())
            clauses = _clauses(raw_clauses, document, label)
            variants = _variants(draft, clauses, document, label)
            self._drafts[head["id"]] = (draft, raw_clauses, version.hexdigest())
        rules = _each(RuleSchema(label), data["prohibitions"], document, "prohibitions")
        notices = _each(NoticeSchema(label), data["notices"], document, "notices")
        _check_conditions(document, variants.under({}) if variants else None, clauses, rules, notices)
        force = self._force(data["in_force"], label)
        return n.Norm(
            ref=n.NormRef(
                id=head["id"],
                title=head["title"],
                label=label,
                in_force_from=force.start.date(),
                in_force_to=force.end.date() if force.end else None,
                confirmed=force.confirmed,
                version=f"sha256:{version.hexdigest()}",
            ),
            force=force,
            supersedes=tuple(head["supersedes"]),
            override=head["override"],
            service=data["service"],
            calendar=self._calendar,
            zone_info=self._zone_info,
            grounds=grounds,
            variants=variants,
            clauses=clauses,
            rules=rules,
            notices=notices,
            source=document.text,
        )

    def _draft(self, document: Document, tariff: dict[str, Any], label: str) -> tuple[Draft, list[Any], str]:
        if "amends" in tariff:
            base = self._drafts.get(tariff["amends"])
            if base is None:
                raise document.refuse(("tariff", "amends"), f"norma {tariff['amends']!r} não encontrada")
            draft, clauses, version = base
            try:
                return draft.changed(tariff["changes"], label), clauses, version
            except (BadChange, ValidationError) as error:
                raise document.refuse(("tariff", "changes"), str(error)) from error
        schedule = _schedule(tariff["schedule"], document)
        rules = n.Tariff(
            nature=tariff["nature"],
            lines=(),
            schedule=schedule,
            treat={},
            window_at=tariff["window_at"],
            rounding=tariff["rounding"],
            order=tuple(tariff["order"]),
            return_after_stop=tariff["return_after_stop"],
            districts=_districts(tariff["zones"], document),
        )
        lines = tuple((label, raw) for raw in tariff["lines"])
        codes = [raw.get("code") for raw in tariff["lines"]]
        for i, code in enumerate(codes):
            if code in codes[:i]:
                raise document.refuse(("tariff", "lines", i), f"código de linha repetido: {code}")
        return Draft(lines, schedule, rules), tariff["readings"], ""

    def _force(self, data: dict[str, Any], label: str) -> n.Force:
        def local(moment: datetime | None) -> datetime | None:
            return moment.replace(tzinfo=self._zone_info) if moment else None

        start = local(data["start"])
        assert start is not None
        condition = data["effective_when"]
        return n.Force(
            start=start,
            end=local(data["end"]),
            basis=data["basis"],
            confirmed=data["confirmed"],
            suspended=tuple(
                n.Suspension(local(s["start"]) or start, local(s["end"]), s["by"], s["restores"])
                for s in data["suspended"]
            ),
            effective_when=n.EffectiveWhen(
                condition["evidence"], condition["within_days"], f"{label}, {condition['cite']}"
            )
            if condition
            else None,
        )


def _variants(draft: Draft, clauses: tuple[n.Clause, ...], document: Document, label: str) -> ReadVariants:
    """Build the adopted tariff and every single reading, so that a bad one is refused now and not on a ride."""
    for i, (owner, raw) in enumerate(draft.lines):
        if owner == label:
            _refuse_bad_line(raw, document, label, ("tariff", "lines", i))
    try:
        variants = ReadVariants(draft, clauses, label)
        variants.under({})
    except (BadChange, ValidationError) as error:
        raise document.refuse(("tariff",), _flat(error)) from error
    for i, clause in enumerate(clauses):
        for j, option in enumerate(clause.options):
            try:
                variants.under({clause.id: option.id})
            except (BadChange, ValidationError) as error:
                place = ("tariff", "readings", i, "options", j)
                raise document.refuse(place, _flat(error)) from error
    return variants


def _check_conditions(
    document: Document,
    tariff: n.Tariff | None,
    clauses: tuple[n.Clause, ...],
    rules: tuple[n.Rule, ...],
    notices: tuple[n.Notice, ...],
) -> None:
    """Refuse a condition of a reading, prohibition or notice that names what the tariff does not have."""
    windows = {window.id for window in tariff.schedule.windows} if tariff else set()
    districts = set(tariff.districts.values()) if tariff else set()
    placed: list[tuple[Place, tuple[n.Guard, ...]]] = [(("prohibitions", i), rule.when) for i, rule in enumerate(rules)]
    placed += [(("notices", i), notice.when) for i, notice in enumerate(notices)]
    for i, clause in enumerate(clauses):
        placed.append((("tariff", "readings", i), clause.when))
        placed += [(("tariff", "readings", i, "options", j), option.when) for j, option in enumerate(clause.options)]
    for place, guards in placed:
        try:
            check_guards(guards, windows, districts, "a condição")
        except ValidationError as error:
            raise document.refuse((*place, "when"), _flat(error)) from error


def _refuse_bad_line(raw: dict[str, Any], document: Document, label: str, place: Place) -> None:
    loaded(LineSchema(label), raw, document, place)


def _clauses(raw: list[Any], document: Document, label: str) -> tuple[n.Clause, ...]:
    clauses = tuple(
        loaded(ClauseSchema(label), item, document, ("tariff", "readings", i)) for i, item in enumerate(raw)
    )
    ids = [clause.id for clause in clauses]
    for i, clause_id in enumerate(ids):
        if clause_id in ids[:i]:
            raise document.refuse(("tariff", "readings", i), f"cláusula repetida: {clause_id}")
    return clauses


def _schedule(raw: dict[str, Any], document: Document) -> Schedule:
    place: Place = ("tariff", "schedule")
    windows = []
    for window_id, block in raw.items():
        data = loaded(WindowSchema(), block, document, (*place, window_id))
        windows.append(Window(id=window_id, **{**data, "times": tuple(data["times"])}))
    names = {w.id for w in windows}
    for window in windows:
        if window.prevails_over - names:
            unknown = ", ".join(sorted(window.prevails_over - names))
            raise document.refuse((*place, window.id), f"prevails_over cita faixas que não existem: {unknown}")
    if sum(w.rest for w in windows) > 1:
        raise document.refuse(place, "só uma faixa pode ser `rest: true`")
    try:
        return Schedule(tuple(windows))
    except BadSchedule as error:
        raise document.refuse(place, str(error)) from error


def _districts(zones: dict[str, list[str]], document: Document) -> dict[str, str]:
    """Which zone each district name belongs to; a zone's own id belongs to itself."""
    districts: dict[str, str] = {}
    for zone, names in zones.items():
        for name in (zone, *names):
            other = districts.setdefault(n.district_key(name), zone)
            if other != zone:
                raise document.refuse(("tariff", "zones", zone), f"{name!r} está em duas zonas: {other} e {zone}")
    return districts


def _check_timeline(norms: list[n.Norm], documents: dict[str, Document]) -> None:
    """Two base norms of one service may overlap only if the later names the earlier in `supersedes`."""
    ids = {norm.ref.id for norm in norms}
    for i, later in enumerate(norms):
        document = documents[later.ref.id]
        for other in (
            *later.supersedes,
            *(s.restores for s in later.force.suspended if s.restores),
        ):
            if other not in ids:
                raise document.refuse(("norm",), f"cita a norma {other!r}, que não está nesta pasta")
        for earlier in norms[:i]:
            apart = earlier.force.end is not None and earlier.force.end <= later.force.start
            related = earlier.ref.id in later.supersedes
            rates = all(m.variants or m.grounds for m in (later, earlier))
            if rates and not (apart or related or later.override or earlier.override):
                raise document.refuse(
                    ("in_force", "from"),
                    f"vigora junto com {earlier.ref.id}; diga `supersedes`, ou marque `override`, ou feche a vigência",
                )


def _each(schema: Schema, items: list[Any], document: Document, key: str) -> tuple[Any, ...]:
    return tuple(loaded(schema, item, document, (key, i)) for i, item in enumerate(items))


def _checked(schema: Schema, document: Document) -> dict[str, Any]:
    if not isinstance(document.data, dict):
        raise document.refuse((), "o arquivo deve ser um bloco de chaves e valores")
    data: dict[str, Any] = loaded(schema, document.data, document, ())
    return data


def loaded(schema: Schema, value: Any, document: Document, place: Place) -> Any:
    """What ``schema`` makes of the value at ``place``. Raises `LawError` on the line of the first fault."""
    try:
        return schema.load(value)
    except ValidationError as error:
        below, message = next(_messages(error.messages))
        raise document.refuse((*place, *below), f"{'.'.join(map(str, below))}: {message}".lstrip(": ")) from error


def _messages(messages: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    if isinstance(messages, dict):
        for key, inner in messages.items():
            step: Place = () if key == "_schema" else (key,)
            yield from _messages(inner, (*place, *step))
    elif isinstance(messages, list):
        yield from ((place, str(message)) for message in messages if not isinstance(message, dict))
        for message in messages:
            if isinstance(message, dict):
                yield from _messages(message, place)
    else:
        yield place, str(messages)


def _flat(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, p))}: {m}".lstrip(": ") for p, m in _messages(error.messages))
    return str(error)

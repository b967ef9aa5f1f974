"""`flask zones import | preview | approve | export`: a perimeter's way from a file to the law, and back."""

from __future__ import annotations

from datetime import UTC, date, datetime, tzinfo
from pathlib import Path

import click
from flask import current_app
from flask.cli import with_appcontext
from rich.console import Console
from rich.text import Text

from geodata.features import read
from geodata.point import Point
from laws.loader import UnknownMunicipality
from laws.norm import Municipality
from laws.shelf import lawbook
from settings import Settings
from store.connections import Connections
from store.database import Session
from zones.atlas import AtlasError
from zones.importing import drafts
from zones.importing.bounded import examine_bounded
from zones.importing.datum import parse_datum
from zones.importing.draft import CannotApprove, Draft, replaces
from zones.importing.drafts import NoSuchDraft
from zones.importing.export import Target, export
from zones.importing.finding import Finding, Refused, Severity
from zones.importing.preview import preview
from zones.importing.reading import Datum, Options
from zones.importing.surroundings import NoLimit, Surroundings, surroundings
from zones.perimeter import BadPerimeter, Kind
from zones.store import CannotEnact, NoMap, atlas_in_force, perimeters_known, seed

__all__ = ["COMMANDS"]

_IMPORTED = [kind.value for kind in Kind if kind is not Kind.LIMIT]
_LABELS = {Severity.ERROR: ("Erro", "red"), Severity.WARNING: ("Atenção", "yellow"), Severity.NOTE: ("Nota", "blue")}
_ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


class BrazilianDate(click.ParamType[date]):
    """A day as 01/12/2026 or 2026-12-01."""

    name = "data"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> date:
        if isinstance(value, date):
            return value
        day, _, rest = str(value).partition("/")
        month, _, year = rest.partition("/")
        try:
            return date.fromisoformat(f"{year}-{month:0>2}-{day:0>2}" if rest else str(value))
        except ValueError:
            raise click.BadParameter(f"“{value}” não é uma data; escreva 01/12/2026", ctx, param) from None


class DatumName(click.ParamType[Datum]):
    """SIRGAS2000, SAD69 or WGS84."""

    name = "datum"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Datum:
        try:
            return value if isinstance(value, Datum) else parse_datum(str(value))
        except Refused as unknown:
            raise click.BadParameter(str(unknown), ctx, param) from None


_out = click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Pasta da prévia (padrão: previews/ nos dados)."
)


@click.command("import")
@click.argument("slug")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--kind", type=click.Choice(_IMPORTED), default="urban", show_default=True, help="O que ele cerca.")
@click.option("--name", default="Perímetro urbano", show_default=True, help="Nome do perímetro.")
@click.option("--layer", help="Camada do GeoPackage, KML ou zip.")
@click.option("--feature", type=click.IntRange(min=1), help="Só a feição deste número.")
@click.option("--union", is_flag=True, help="Une todas as feições.")
@click.option("--repair", is_flag=True, help="Repara a geometria; a prévia mostra antes e depois.")
@click.option("--swap", is_flag=True, help="Troca as duas coordenadas.")
@click.option("--crs", help="Sistema de referência do arquivo, como EPSG:31980.")
@click.option("--datum", type=DatumName(), help="Datum do memorial: SIRGAS2000, SAD69 ou WGS84.")
@click.option("--utm-zone", help="Fuso UTM do memorial: 20S ou 21S.")
@click.option("--precision-m", type=click.FloatRange(0, 99_999), help="Precisão do levantamento, em metros.")
@click.option("--by", default="linha de comando", show_default=True, help="Quem importa.")
@_out
@with_appcontext
def import_(
    slug: str, file: Path, kind: str, name: str, precision_m: float | None, by: str, out: Path | None, **asked: object
) -> None:
    """Confere um perímetro de arquivo e o guarda como rascunho; nada passa a valer."""
    town = _town(slug)
    with _store().sessions.begin() as session:
        around = _around(session, town, Kind(kind))
    examination = examine_bounded(file, Options(**asked), around)  # type: ignore[arg-type]  # click typed each one
    _tell(examination.findings)
    if examination.area is None or examination.source is None:
        raise click.ClickException(f"{file.name} foi recusado; nada foi gravado.")
    now = datetime.now(UTC)
    draft = Draft(
        town.slug, Kind(kind), name, examination.area, examination.source, examination.findings, now, by,
        precision_m, examination.before_repair,
    )  # fmt: skip
    with _store().sessions.begin() as session:
        number = drafts.add(session, draft)
        page = _write_preview(session, draft, number, town.zone_info, out)
    click.echo(f"Rascunho {number} guardado; nada mudou ainda. Prévia: {page}")
    click.echo(f'Para valer: flask zones approve {number} --legal-act "Lei nº …" --date … --by "…"')


@click.command("preview")
@click.argument("number", type=int)
@_out
@with_appcontext
def preview_(number: int, out: Path | None) -> None:
    """Escreve de novo a página e a imagem de um rascunho, contra o que vale hoje."""
    with _store().sessions.begin() as session:
        draft = _get(session, number)
        page = _write_preview(session, draft, number, _town(draft.municipality).zone_info, out)
    click.echo(f"Prévia: {page}")


@click.command("approve")
@click.argument("number", type=int)
@click.option("--legal-act", required=True, help="Lei ou decreto que fixa o perímetro.")
@click.option("--date", "valid_from", type=BrazilianDate(), required=True, help="Primeiro dia em que vale.")
@click.option("--by", required=True, help="Autoridade que aprova: nome e cargo.")
@with_appcontext
def approve(number: int, legal_act: str, valid_from: date, by: str) -> None:
    """Faz um rascunho valer a partir da data; o que ele substitui deixa de valer nela."""
    try:
        with _store().sessions.begin() as session:
            enactment = drafts.approve(session, number, legal_act, valid_from, by)
    except (NoSuchDraft, CannotApprove, CannotEnact, AtlasError, BadPerimeter) as why:
        raise click.ClickException(f"{why}; nada mudou.") from None
    perimeter = enactment.perimeter
    click.echo(f"“{perimeter.name}” vale desde {valid_from:%d/%m/%Y} ({perimeter.legal_act}).")
    click.echo(f"  versão {perimeter.version}")
    for former in enactment.superseded:
        click.echo(f"  deixa de valer nesse dia: “{former.name}”")


@click.command("export")
@click.argument("slug")
@click.option("--format", "target", type=click.Choice([t.value for t in Target]), default="geojson", show_default=True)
@click.option("--at", "day", type=BrazilianDate(), help="Os que valiam neste dia (padrão: hoje).")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Arquivo (padrão: a saída do comando).")
@with_appcontext
def export_(slug: str, target: str, day: date | None, out: Path | None) -> None:
    """Dá os perímetros em vigor, com 8 decimais de grau: importados de novo, são os mesmos."""
    town = _town(slug)
    day = day or _today(town)
    try:
        with _store().sessions.begin() as session:
            seed(session, _settings().geodata, _today(town))
            perimeters = atlas_in_force(session, slug, day).perimeters
    except NoMap as why:
        raise click.ClickException(str(why)) from None
    document = export(perimeters, Target(target))
    if out is None:
        click.echo(document, nl=False)
    else:
        out.write_bytes(document)


COMMANDS: tuple[click.Command, ...] = (import_, preview_, approve, export_)


def _settings() -> Settings:
    settings: Settings = current_app.extensions["settings"]
    return settings


def _store() -> Connections:
    store: Connections = current_app.extensions["store"]
    return store


def _town(slug: str) -> Municipality:
    try:
        return lawbook().municipality(slug)
    except UnknownMunicipality:
        raise click.ClickException(f"não há município “{slug[:80]}” em laws/") from None


def _today(town: Municipality) -> date:
    return datetime.now(town.zone_info).date()


def _get(session: Session, number: int) -> Draft:
    try:
        return drafts.get(session, number)
    except NoSuchDraft as why:
        raise click.ClickException(str(why)) from None


def _around(session: Session, town: Municipality, kind: Kind) -> Surroundings:
    """Today's limit, perimeters and seat; what the committed files hold is put in force first, if it never was."""
    geodata, today = _settings().geodata, _today(town)
    seed(session, geodata, today)
    seats = [
        Point(lat, lon)
        for feature in read(geodata / town.slug / "seats.geojson", ("Point",))
        if feature.properties.get("seat") is True
        for lon, lat in feature.geometry.coords
    ]
    try:
        return surroundings(town.slug, kind, perimeters_known(session, town.slug), seats, today)
    except NoLimit as why:
        raise click.ClickException(str(why)) from None


def _write_preview(session: Session, draft: Draft, number: int, zone: tzinfo, out: Path | None) -> Path:
    town = _town(draft.municipality)
    known = perimeters_known(session, draft.municipality)
    replaced = [p for p in known if replaces(draft.kind, draft.area, p)]
    pages = preview(draft, _around(session, town, draft.kind), replaced, zone)
    folder = out or _settings().data / "previews"
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{draft.municipality}-{number}"
    (folder / f"{stem}.svg").write_text(pages.svg, encoding="utf-8")
    page = folder / f"{stem}.html"
    page.write_text(pages.html, encoding="utf-8")
    return page


def _tell(findings: tuple[Finding, ...]) -> None:
    """Everything found, gravest first."""
    console = Console(soft_wrap=True)
    for finding in sorted(findings, key=lambda finding: _ORDER.index(finding.severity)):
        label, colour = _LABELS[finding.severity]
        console.print(Text.assemble((f"{label}: ", colour), str(finding)))

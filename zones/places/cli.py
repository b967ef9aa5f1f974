"""`flask zones places …`: how a central keeps its gazetteer."""

from __future__ import annotations

from pathlib import Path

import click
from flask.cli import with_appcontext
from rich.console import Console
from rich.table import Table
from rich.text import Text

from geodata.point import BadPoint, Point
from laws.loader import UnknownMunicipality
from laws.shelf import lawbook
from zones.places import osm, sheet
from zones.places.gazetteer import Changes, NoSuchPlace
from zones.places.place import BadPlace, Kind, Place, PositionQuality
from zones.places.views import finder

__all__ = ["places"]

_file = click.Path(exists=True, dir_okay=False, path_type=Path)
_by = click.option("--by", default="linha de comando", show_default=True, help="Quem faz a mudança.")
_kind = click.argument("kind", type=click.Choice([kind.value for kind in Kind]))
_detail = click.option("--detail", default="", help="O que distingue lugares de mesmo nome (bairro, endereço).")


@click.group("places")
def places() -> None:
    """Cadastro de lugares: ruas, referências, linhas e pontos."""


@places.command("import")
@click.argument("slug")
@click.argument("table", type=_file)
@click.option("--encoding", type=click.Choice(sheet.ENCODINGS), default="utf-8", show_default=True)
@_by
@with_appcontext
def import_table(slug: str, table: Path, encoding: str, by: str) -> None:
    """Inclui ou atualiza os lugares de uma tabela CSV; tudo ou nada."""
    _known(slug)
    try:
        found = sheet.read(table.read_bytes(), encoding)
    except sheet.BadSheet as why:
        raise click.ClickException(f"{table.name} foi recusado; nada foi gravado.\n{why}") from None
    _say(finder().gazetteer.put(slug, found, by=by, reason=f"importação de {table.name}"))


@places.command("import-osm")
@click.argument("slug")
@click.argument("extract", type=_file)
@_by
@with_appcontext
def import_osm(slug: str, extract: Path, by: str) -> None:
    """Inclui os nomes de um extrato do OpenStreetMap (.osm.pbf, .osm ou .geojson)."""
    _known(slug)
    try:
        found = osm.read(extract)
    except osm.BadExtract as why:
        raise click.ClickException(f"{why}; nada foi gravado.") from None
    for name in found.refused:
        click.echo(f"ignorado: {name}")
    _say(finder().gazetteer.put(slug, found.places, by=by, reason=f"importação de {extract.name}"))
    click.echo(f"Mostre o crédito: {osm.CREDIT}")


@places.command("add")
@click.argument("slug")
@_kind
@click.argument("name")
@click.option("--source", required=True, help="Quem afirma que o lugar existe e onde fica.")
@_detail
@click.option("--alias", "aliases", multiple=True, help="Outro nome; pode repetir.")
@click.option("--lat", type=float)
@click.option("--lon", type=float)
@click.option("--verified", is_flag=True, help="A posição foi conferida no local.")
@click.option("--reason", default="", help="Por que mudou.")
@_by
@with_appcontext
def add(
    slug: str,
    kind: str,
    name: str,
    source: str,
    detail: str,
    aliases: tuple[str, ...],
    lat: float | None,
    lon: float | None,
    verified: bool,
    reason: str,
    by: str,
) -> None:
    """Inclui um lugar, ou muda o que tem o mesmo tipo, nome e detalhe."""
    _known(slug)
    try:
        position, quality = _position(lat, lon, verified)
        place = Place(Kind(kind), name, source, detail, aliases, position, quality)
    except (BadPlace, BadPoint) as why:
        raise click.ClickException(str(why)) from None
    _say(finder().gazetteer.put(slug, [place], by=by, reason=reason))


@places.command("remove")
@click.argument("slug")
@_kind
@click.argument("name")
@click.option("--reason", required=True, help="Por que o lugar deixa o cadastro.")
@_detail
@_by
@with_appcontext
def remove(slug: str, kind: str, name: str, reason: str, detail: str, by: str) -> None:
    """Retira um lugar do cadastro; o histórico fica."""
    _known(slug)
    try:
        gone = finder().gazetteer.remove(slug, Kind(kind), name, detail, by=by, reason=reason)
    except (NoSuchPlace, BadPlace) as why:
        raise click.ClickException(str(why)) from None
    click.echo(f"Retirado: {gone.label}")


@places.command("list")
@click.argument("slug")
@click.option("--csv", "as_csv", is_flag=True, help="Como tabela que `import` lê de volta.")
@click.option("--history", is_flag=True, help="Todas as mudanças: quem, quando, por quê.")
@with_appcontext
def list_places(slug: str, as_csv: bool, history: bool) -> None:
    """Mostra os lugares do cadastro, em ordem natural."""
    _known(slug)
    gazetteer = finder().gazetteer
    if as_csv:
        click.echo(sheet.write(gazetteer.places(slug)), nl=False)
    elif history:
        rows = gazetteer.history(slug)
        _show(
            ("quando", "quem", "o quê", "lugar", "por quê"),
            [(f"{e.at:%Y-%m-%d %H:%M:%S}Z", e.by, _deed(e.removed), e.place.label, e.reason) for e in rows],
        )
    else:
        found = gazetteer.places(slug)
        _show(
            ("tipo", "lugar", "posição", "qualidade", "fonte"),
            [(p.kind.value, p.label, _degrees(p.position), p.position_quality.value, p.source) for p in found],
        )


def _known(slug: str) -> None:
    try:
        lawbook().municipality(slug)
    except UnknownMunicipality:
        raise click.ClickException(f"não há município {slug!r}; confira a pasta das leis") from None


def _position(lat: float | None, lon: float | None, verified: bool) -> tuple[Point | None, PositionQuality]:
    if lat is None and lon is None and not verified:
        return None, PositionQuality.NONE
    if lat is None or lon is None:
        raise BadPlace("informe --lat e --lon juntas; sem posição não há o que conferir")
    return Point(lat=lat, lon=lon), PositionQuality.VERIFIED if verified else PositionQuality.APPROXIMATE


def _say(changes: Changes) -> None:
    click.echo(f"{changes.added} incluídos, {changes.changed} mudados, {changes.unchanged} iguais.")


def _deed(removed: bool) -> str:
    return "retirado" if removed else "registrado"


def _degrees(position: Point | None) -> str:
    return f"{position.lat:.6f}, {position.lon:.6f}" if position else "—"


def _show(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    table = Table(*titles)
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)

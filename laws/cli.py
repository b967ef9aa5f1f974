"""`flask laws …`: check the files of the law, show what governs a day, and what changed between two days."""

from __future__ import annotations

from datetime import datetime

import click
from flask.cli import AppGroup, with_appcontext
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from api.instants import BadInstant, in_zone, parse_instant
from laws.loader import UnknownMunicipality
from laws.norm import Municipality
from laws.published import PublicLine, PublicTariff, public_tariff, status_of
from laws.shelf import lawbook
from laws.source import LawError
from laws.timeline import EvidenceNeeded
from laws.wording import STANDING_NAMES, STATUS_NAMES, figure_of

__all__ = ["instant_in", "laws", "municipality_of"]

laws = AppGroup("laws", help="As normas dos municípios, que são dados em arquivos.")


@laws.command("check")
@with_appcontext
def check() -> None:
    """Lê todas as normas e refaz os casos resolvidos; para no primeiro erro, com arquivo e linha."""
    try:
        book = lawbook()
    except LawError as why:
        raise click.ClickException(str(why)) from None
    table = Table("município", "norma", "vigência", "dá", "a confirmar")
    for municipality in book.municipalities.values():
        for norm in municipality.norms:
            unsigned = sum(clause.signed_by is None for clause in norm.clauses)
            doubts = [] if norm.force.confirmed else ["data de vigência"]
            doubts += [f"{unsigned} leituras sem assinatura"] if unsigned else []
            until = f" a {norm.force.end:%d/%m/%Y}" if norm.force.end else ""
            since = f"{norm.force.start:%d/%m/%Y}{until}"
            table.add_row(
                municipality.slug, escape(norm.ref.label), since, STATUS_NAMES[status_of(norm)], ", ".join(doubts)
            )
    console = Console()
    console.print(table)
    console.print(f"{len(book.municipalities)} municípios: normas lidas e casos resolvidos refeitos.")


@laws.command("show")
@click.argument("slug")
@click.option("--at", "at", help="Data, ou data e hora local (AAAA-MM-DDTHH:MM); sem ela, agora.")
@with_appcontext
def show(slug: str, at: str | None) -> None:
    """Mostra a tarifa em vigor num município: linhas, artigos e leituras."""
    municipality = municipality_of(slug)
    tariff = _tariff(municipality, instant_in(municipality, at))
    console = Console()
    console.print(f"[bold]{escape(municipality.name)}/{municipality.uf}[/bold]")
    if tariff.norm:
        console.print(f"{escape(tariff.norm.label)} – {escape(tariff.norm.title)}")
        console.print(f"Vigência: {escape(tariff.basis or '')}")
    for reason in tariff.reasons:
        console.print(f"{STATUS_NAMES[reason.status]}: {escape(reason.text)} ({escape(reason.citation)})")
    if tariff.lines:
        console.print(_lines_table(tariff.lines))
    for clause in tariff.readings:
        console.print(f"\n[bold]{escape(clause.question)}[/bold] ({escape(clause.citation)})")
        for option in clause.options:
            console.print(f"  [{STANDING_NAMES[option.standing]}] {option.id}: {escape(option.why)}", markup=False)
    for warning in tariff.warnings:
        console.print(f"Atenção: {escape(warning.detail)}")


@laws.command("diff")
@click.argument("slug")
@click.argument("before")
@click.argument("after")
@with_appcontext
def diff(slug: str, before: str, after: str) -> None:
    """Mostra o que mudou na tarifa entre duas datas: linhas que saíram (-), entraram (+) ou mudaram (~)."""
    municipality = municipality_of(slug)
    old, new = (_tariff(municipality, instant_in(municipality, day)) for day in (before, after))
    console = Console()
    for sign, tariff in (("-", old), ("+", new)):
        console.print(
            f"{sign} {tariff.norm.label if tariff.norm else 'nenhuma norma'}: {STATUS_NAMES[tariff.status]}",
            markup=False,
        )
    was, now = ({line.code: line for line in tariff.lines} for tariff in (old, new))
    for code in dict.fromkeys((*was, *now)):
        if was.get(code) != now.get(code):
            sign = "~" if code in was and code in now else "-" if code in was else "+"
            told = " -> ".join(figure_of(line) for line in (was.get(code), now.get(code)) if line)
            console.print(f"{sign} {code}: {told}", markup=False)
    if was == now:
        console.print("As linhas da tarifa são as mesmas.")


def _lines_table(lines: tuple[PublicLine, ...]) -> Table:
    table = Table("linha", "valor", "faixas", "zonas", "artigo")
    for line in lines:
        row = (line.text, figure_of(line), ", ".join(line.windows), ", ".join(line.zones), line.citation)
        table.add_row(*map(escape, row))
    return table


def municipality_of(slug: str) -> Municipality:
    """The municipality named on the command line. Raises ``click.ClickException``."""
    try:
        return lawbook().municipality(slug)
    except UnknownMunicipality:
        known = ", ".join(sorted(lawbook().municipalities))
        raise click.ClickException(f"município desconhecido: {slug}; há {known}") from None
    except LawError as why:
        raise click.ClickException(str(why)) from None


def instant_in(municipality: Municipality, text: str | None) -> datetime:
    """The instant named on the command line, local (None: now). Raises ``click.ClickException``."""
    if text is None:
        return datetime.now(municipality.zone_info)
    try:
        return in_zone(parse_instant(text if "T" in text else f"{text}T00:00"), municipality.zone_info)
    except BadInstant as why:
        raise click.ClickException(str(why)) from None


def _tariff(municipality: Municipality, at: datetime) -> PublicTariff:
    try:
        return public_tariff(municipality, at, {})
    except EvidenceNeeded as need:
        raise click.ClickException(f"a vigência depende de um fato do veículo: {need}") from None

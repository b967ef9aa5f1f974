"""`flask accounts purge`, `export`, `hold`, `release`, `accesses`: the duties of privacy at the command line."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime
from typing import Any

import click
import orjson
from flask import current_app
from flask.cli import with_appcontext
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from accounts.access_log import CaseNumberMissing, What, accesses_to, record
from accounts.cli import accounts
from accounts.identifiers import BadIdentifier, Cpf, Phone, parse_cpf, parse_phone
from accounts.privacy import holds
from accounts.privacy.purge import Purged, purge
from accounts.privacy.retention import Retention, load_retention
from accounts.privacy.subject import Dossier, Erased, erase, gather
from accounts.rights import Actor, Role
from laws.source import LawError
from store.connections import Connections
from store.migrations import all_tables

__all__: list[str] = []

_by = click.option("--by", default=getpass.getuser, show_default="quem está na máquina", help="Quem pede.")
_case = click.option("--case", "case_number", required=True, help="Número do processo ou da reclamação.")
_reason = click.option("--reason", required=True, help="Por quê, em poucas palavras.")


@accounts.command("purge")
@click.option("--dry-run", is_flag=True, help="Só conta; não apaga nada.")
@click.option("--json", "as_json", is_flag=True, help="O relatório em JSON.")
@with_appcontext
def purge_(dry_run: bool, as_json: bool) -> None:
    """Apaga o que passou do prazo de guarda e diz o que apagou, o que ficou e por quê."""
    report = purge(_connections().sessions, _retention(), dry_run=dry_run)
    if as_json:
        click.echo(orjson.dumps([_purged(each) for each in report], option=orjson.OPT_INDENT_2))
        return
    table = Table("dados", "prazo", "a apagar" if dry_run else "apagados", "no prazo", "retidos por processo")
    for each in report:
        parts = "".join(f" (+{count} {name})" for name, count in each.parts.items() if count)
        term = str(each.kept.keep or "sem prazo")
        row = (each.kept.title, term, f"{each.deleted}{parts}", str(each.within), str(each.held))
        table.add_row(*map(escape, row))
    Console(width=None if Console().is_terminal else 120).print(table)


@accounts.command("export")
@click.option("--cpf", help="CPF da pessoa.")
@click.option("--phone", help="Telefone da pessoa, com DDD.")
@click.option("--erase", "erasing", is_flag=True, help="Depois de exportar, apaga o que a lei não manda guardar.")
@click.option("--whole", is_flag=True, help="Também as partes, como cada posição dos trajetos; pode ser grande.")
@click.option("--case", "case_number", default="pedido do titular", show_default=True, help="Número do pedido.")
@_by
@with_appcontext
def export(cpf: str | None, phone: str | None, erasing: bool, whole: bool, case_number: str, by: str) -> None:
    """Escreve em JSON tudo o que se guarda sobre uma pessoa, e apaga se for pedido.

    A consulta fica no registro de consultas, com o número do pedido.
    """
    person = _person(cpf, phone)
    retention = _retention()
    with _connections().sessions.begin() as session:
        dossier = gather(session, retention, person, whole=whole)
        erased = erase(session, dossier) if erasing else []
        what = What("person", str(person))
        reason = "exportação e eliminação" if erasing else "exportação"
        try:
            record(session, _operator(by), what, case_number, reason=reason, at=datetime.now(UTC))
        except CaseNumberMissing as why:
            raise click.UsageError(str(why)) from None
    told = _told(person, dossier, erased if erasing else None)
    click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2))


@accounts.command("hold")
@click.argument("table")
@click.argument("row_id")
@_case
@_reason
@_by
@with_appcontext
def hold_(table: str, row_id: str, case_number: str, reason: str, by: str) -> None:
    """Impede que um registro seja apagado por prazo enquanto um processo precisar dele."""
    try:
        with _connections().sessions.begin() as session:
            holds.hold(session, _retention(), holds.Hold(table, row_id, case_number, by, reason))
    except holds.CannotHold as why:
        raise click.ClickException(str(why)) from None
    click.echo(f"Retido pelo processo {case_number} até flask accounts release {table} {row_id} --case {case_number}")


@accounts.command("release")
@click.argument("table")
@click.argument("row_id")
@_case
@_reason
@_by
@with_appcontext
def release_(table: str, row_id: str, case_number: str, reason: str, by: str) -> None:
    """Desfaz a retenção por um processo; o prazo volta a valer, se nenhum outro retém."""
    try:
        with _connections().sessions.begin() as session:
            holds.release(session, holds.Hold(table, row_id, case_number, by, reason))
            others = holds.holds_on(session, table, row_id)
    except holds.CannotHold as why:
        raise click.ClickException(str(why)) from None
    click.echo(f"Liberado. Ainda retêm: {', '.join(others)}" if others else "Liberado; nenhum processo o retém.")


@accounts.command("accesses")
@click.argument("table")
@click.argument("row_id")
@with_appcontext
def accesses(table: str, row_id: str) -> None:
    """Mostra quem consultou um registro, quando e por qual processo."""
    with _connections().sessions.begin() as session:
        found = list(accesses_to(session, What(table, row_id)))
    for each in found:
        click.echo(f"{each.at:%Y-%m-%dT%H:%M:%SZ} {each.who} ({each.name}), processo {each.case_number}: {each.reason}")
    if not found:
        click.echo("Ninguém consultou este registro no prazo em que as consultas são guardadas.")


def _person(cpf: str | None, phone: str | None) -> Cpf | Phone:
    if (cpf is None) == (phone is None):
        raise click.UsageError("dê --cpf ou --phone, um dos dois; são dois pedidos quando a pessoa informa os dois")
    try:
        return parse_cpf(cpf) if cpf is not None else parse_phone(phone or "", area_code=None)
    except BadIdentifier as why:
        raise click.UsageError(str(why)) from None


def _operator(by: str) -> Actor:
    """Whoever can run commands here can read the database: an admin, under the name given."""
    return Actor(Role.ADMIN, id="cli", name=by)


def _purged(each: Purged) -> dict[str, Any]:
    kept = each.kept
    return {
        "table": kept.table,
        "keep": kept.keep.interval if kept.keep else None,
        "deleted": each.deleted,
        "deleted_with_them": each.parts,
        "kept_within_period": each.within,
        "kept_for_a_case": each.held,
        "kept_because": kept.kept_because,
        "basis": kept.basis,
    }


def _told(person: Cpf | Phone, dossier: Dossier, erased: list[Erased] | None) -> dict[str, Any]:
    """What the person gets, as JSON."""
    return {
        "titular": str(person),
        "gerado_em": datetime.now(UTC).isoformat(timespec="seconds"),
        "dados": [
            {
                "tabela": found.kept.table,
                "titulo": found.kept.title,
                "finalidade": found.kept.purpose,
                "base_legal": found.kept.basis,
                "prazo": str(found.kept.keep or found.kept.kept_because),
                "registros": found.rows,
                "partes": found.parts if found.parts is not None else found.counted,
            }
            for found in dossier.found
        ],
        "sem_ligacao_com_este_numero": [
            {"titulo": kept.title, "o_que_ha": kept.what, "prazo": str(kept.keep or kept.kept_because)}
            for kept in dossier.unlinked
        ],
        "eliminacao": erased and [_became(each) for each in erased],
    }


def _became(each: Erased) -> dict[str, Any]:
    return {
        "tabela": each.kept.table,
        "apagados": each.deleted,
        "anonimizados": each.blanked,
        "mantidos": each.stayed,
        "retidos_pelos_processos": each.held_by,
        "explicacao": each.kept.erasure.because,
    }


def _retention() -> Retention:
    all_tables()
    try:
        return load_retention()
    except LawError as why:
        raise click.ClickException(str(why)) from None


def _connections() -> Connections:
    connections: Connections = current_app.extensions["store"]
    return connections

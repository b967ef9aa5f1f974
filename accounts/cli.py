"""`flask accounts …`: the first admin, tokens for scripts, and what to do when somebody is locked out.

Who can run this can read the database: no right is asked for. No secret is ever an argument, where others would see
it in the list of processes; secrets made here go to the standard output, once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import click
from flask.cli import AppGroup, with_appcontext
from marshmallow import ValidationError
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from sqlalchemy import select

from accounts import people, sessions
from accounts.current import reception
from accounts.models import Account
from accounts.people import Issued, LoginTaken, NewAccount
from accounts.rights import Role
from accounts.schemas import AccountIn, Creatable, shown
from laws.loader import UnknownMunicipality
from laws.shelf import lawbook
from store.database import Session

__all__ = ["accounts"]

accounts = AppGroup("accounts", help="Contas e acessos.")

_PEOPLE = [role.value for role in Role if role not in (Role.ANYONE, Role.SERVICE)]
_municipality = click.option("--municipality", help="Código do município; administrador não tem.")


@accounts.command("token")
@click.option("--role", type=click.Choice(_PEOPLE), required=True)
@_municipality
@click.option("--hours", type=click.IntRange(1, 720), default=24, show_default=True, help="Por quantas horas vale.")
@with_appcontext
def token(role: str, municipality: str | None, hours: int) -> None:
    """Escreve um token de acesso para programas, e nada mais, na saída do comando."""
    if (municipality is None) != (role == Role.ADMIN):
        raise click.UsageError("todos têm um município (--municipality), menos o administrador")
    _check_municipality(municipality)
    desk, now = reception(), reception().clock()
    with desk.sessions.begin() as session:
        account = people.of_script(session, Role(role), municipality, now)
        if account.disabled_at is not None:
            raise click.ClickException(f"a conta {account.id}, dos programas deste município, está desativada")
        access = sessions.open_for_script(session, account, timedelta(hours=hours), now)
    click.echo(access)
    click.echo(f"Vale por {hours} h; antes disso: flask accounts disable {account.id}", err=True)


@accounts.command("create")
@click.option("--role", type=click.Choice([role.value for role in Creatable]), required=True)
@_municipality
@click.option("--login", required=True, help="Para mototaxista, o número do alvará.")
@click.option("--name", required=True)
@click.option("--totp", is_flag=True, help="Pede também código de aplicativo autenticador.")
@with_appcontext
def create(role: str, municipality: str | None, login: str, name: str, totp: bool) -> None:
    """Cria uma conta e escreve, só desta vez, a primeira senha ou PIN."""
    told = {"role": role, "municipality": municipality, "login": login, "name": name, "totp": totp}
    try:
        order: NewAccount = AccountIn().load(told)
    except ValidationError as why:
        raise click.ClickException(
            "; ".join(f"{name}: {text}" for name, (text, *_) in why.messages_dict.items())
        ) from None
    _check_municipality(municipality)
    desk = reception()
    try:
        with desk.sessions.begin() as session:
            issued = people.create(session, order, desk.enrolment(), "cli", desk.clock())
    except LoginTaken:
        raise click.ClickException("já há uma conta com este login ou alvará neste município") from None
    _tell(issued)


@accounts.command("reset")
@click.argument("account_id")
@with_appcontext
def reset(account_id: str) -> None:
    """Dá nova senha ou PIN inicial, e novo segredo do autenticador, a quem perdeu os seus."""

    def work(session: Session, account: Account) -> Issued:
        if account.secret_hash is None:
            raise click.ClickException("esta conta não tem senha nem PIN")
        return people.reset(session, account, reception().enrolment(), reception().clock())

    _tell(_with_account(account_id, work))


@accounts.command("rebind")
@click.argument("account_id")
@with_appcontext
def rebind(account_id: str) -> None:
    """Libera outro aparelho para um mototaxista."""
    _with_account(account_id, lambda session, account: people.rebind(session, account, reception().clock()))
    click.echo("O próximo aparelho a entrar com o PIN fica vinculado.")


@accounts.command("disable")
@click.argument("account_id")
@with_appcontext
def disable(account_id: str) -> None:
    """Desativa uma conta; quem estava dentro sai na hora."""
    _with_account(account_id, lambda session, account: people.disable(session, account, reception().clock()))
    click.echo("Conta desativada; seus acessos acabaram.")


@accounts.command("enable")
@click.argument("account_id")
@with_appcontext
def enable(account_id: str) -> None:
    """Reabre uma conta desativada, com a senha ou o PIN que tinha."""
    _with_account(account_id, lambda session, account: people.enable(account))
    click.echo("Conta reaberta.")


@accounts.command("list")
@_municipality
@with_appcontext
def list_(municipality: str | None) -> None:
    """Lista as contas, de um município ou de todos."""
    query = select(Account).order_by(Account.municipality, Account.role, Account.login)
    with reception().sessions.begin() as session:
        found = session.scalars(query if municipality is None else query.where(Account.municipality == municipality))
        rows = [shown(account) for account in found]
    table = Table("conta", "papel", "município", "login", "nome", "situação")
    for row in rows:
        state = "desativada" if row.disabled_at else "ativa"
        table.add_row(row.id, row.role, row.municipality or "todos", escape(row.login), escape(row.name), state)
    Console(width=None if Console().is_terminal else 160).print(table)


def _with_account(account_id: str, work: Callable[[Session, Account], Any]) -> Any:
    with reception().sessions.begin() as session:
        account = session.get(Account, account_id, with_for_update=True)
        if account is None:
            raise click.ClickException("não há conta com este número; veja flask accounts list")
        return work(session, account)


def _check_municipality(slug: str | None) -> None:
    if slug is not None:
        try:
            lawbook().municipality(slug)
        except UnknownMunicipality as why:
            raise click.ClickException(str(why)) from None


def _tell(issued: Issued) -> None:
    click.echo(f"conta {issued.account.id}")
    click.echo(f"primeira senha ou PIN (só aparece agora): {issued.secret}")
    if issued.totp_uri:
        click.echo(f"aplicativo autenticador: {issued.totp_uri}")

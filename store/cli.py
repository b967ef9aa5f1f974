"""`flask store …`: is what we keep still what was kept?"""

from __future__ import annotations

import click
from flask import current_app
from flask.cli import AppGroup, with_appcontext

from store.connections import Connections
from store.hash_chain import chained_tables, verify
from store.migrations import all_tables

__all__ = ["store"]

store = AppGroup("store", help="O que está guardado.")


@store.command("verify")
@with_appcontext
def verify_chains() -> None:
    """Percorre as cadeias de registros e aponta o primeiro elo quebrado de cada uma."""
    connections: Connections = current_app.extensions["store"]
    all_tables()
    found = verify(connections.engine, list(chained_tables().values()))
    for each in found:
        if each.why is None:
            gone = f", {each.forgotten} eliminados por prazo" if each.forgotten else ""
            click.echo(f"{each.chain}: íntegra, {each.links} elos{gone}; último elo {each.head}")
        else:
            click.echo(f"{each.chain}: QUEBRADA no elo {each.broken_at}: {each.why}", err=True)
    if any(each.why is not None for each in found):
        raise click.ClickException("há cadeia quebrada: preserve o banco como está e apure com as cópias de segurança.")
    click.echo("Anote o último elo fora desta máquina: só ele mostra se os registros mais novos forem cortados.")

"""`flask fares …`: price a trip at the desk, and print the table that riders must carry."""

from __future__ import annotations

from pathlib import Path

import click
import orjson
from flask.cli import AppGroup, with_appcontext
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from api.fields import Kilometres
from api.reais import to_brazilian
from fares.fare import Fare
from fares.schemas import FareOut
from fares.sheet import tariff_sheet
from fares.tariffs import fare
from fares.trip import Direction, FactMissing, Leg, Trip, Zone
from laws.cli import instant_in, municipality_of
from laws.norm import Municipality
from laws.shelf import lawbook
from laws.wording import STANDING_NAMES, STATUS_NAMES, UNIT_NAMES

__all__ = ["fares"]

fares = AppGroup("fares", help="Quanto custa uma corrida, pela norma do dia.")


class Km(click.ParamType[int]):
    """Kilometres as people type them: `10`, `10.5` or `10,5`; integer metres."""

    name = "km"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            return Kilometres().read(str(value).replace(",", "."))
        except Exception:  # marshmallow's ValidationError, whose message speaks of JSON
            self.fail(f"{value!r} não é uma distância em km, como 10 ou 10,5", param, ctx)


KM = Km()


@fares.command("price")
@click.argument("slug")
@click.option("--urban-km", type=KM, default=0, help="Quilômetros de ida na cidade.")
@click.option("--rural-km", type=KM, default=0, help="Quilômetros de ida na zona rural.")
@click.option("--return-km", type=KM, help="Quilômetros rurais de volta, na mesma moto.")
@click.option("--urban-return-km", type=KM, help="Quilômetros de volta na cidade, na mesma moto.")
@click.option("--at", "at", help="Data e hora local, AAAA-MM-DDTHH:MM; sem ela, agora.")
@click.option("--passengers", type=click.IntRange(1, 20), default=1)
@click.option("--age", type=click.IntRange(0, 130), help="Idade do passageiro.")
@click.option("--waiting-minutes", type=click.IntRange(0, 1440), default=0)
@click.option("--json", "as_json", is_flag=True, help="A resposta da API, em JSON.")
@with_appcontext
def price(
    slug: str,
    urban_km: int,
    rural_km: int,
    return_km: int | None,
    urban_return_km: int | None,
    at: str | None,
    passengers: int,
    age: int | None,
    waiting_minutes: int,
    as_json: bool,
) -> None:
    """Calcula a tarifa de uma corrida, com cada leitura da lei."""
    municipality = municipality_of(slug)
    legs = _legs(urban_km, rural_km, return_km, urban_return_km)
    trip = Trip(
        started_at=instant_in(municipality, at),
        legs=legs,
        same_vehicle_return=any(leg.direction is Direction.RETURN for leg in legs),
        passengers=passengers,
        passenger_age=age,
        waiting_seconds=60 * waiting_minutes,
    )
    try:
        priced = fare(lawbook(), slug, trip)
    except FactMissing as need:
        raise click.ClickException(f"a norma precisa de um fato que aqui não se informa: {need}") from None
    if as_json:
        click.echo(orjson.dumps(FareOut().dump(priced), option=orjson.OPT_INDENT_2).decode())
    else:
        _tell(Console(), municipality, priced)


@fares.command("table")
@click.argument("slug")
@click.option("--pdf", type=click.Path(dir_okay=False, writable=True, path_type=Path), required=True)
@click.option("--at", "at", help="Data, AAAA-MM-DD; sem ela, hoje.")
@with_appcontext
def table(slug: str, pdf: Path, at: str | None) -> None:
    """Escreve a tabela de tarifas que o mototaxista deve portar, em PDF, com os artigos."""
    municipality = municipality_of(slug)
    pdf.write_bytes(tariff_sheet(municipality, instant_in(municipality, at)))
    click.echo(f"Tabela de {municipality.name}/{municipality.uf} escrita em {pdf}.")


def _legs(urban: int, rural: int, rural_back: int | None, urban_back: int | None) -> tuple[Leg, ...]:
    """The way out, and back if any of it was stated. A trip into the country starts in town."""
    out = [Leg(Zone.URBAN, urban)]
    out += [Leg(Zone.RURAL, rural)] if rural else []
    back = [Leg(Zone.RURAL, rural_back, Direction.RETURN)] if rural_back is not None else []
    if urban_back is not None or back:
        back.append(Leg(Zone.URBAN, urban if urban_back is None else urban_back, Direction.RETURN))
    return (*out, *back)


def _tell(console: Console, municipality: Municipality, priced: Fare) -> None:
    title = f"{municipality.name}/{municipality.uf}"
    if priced.norm:
        title += f" – {priced.norm.label}"
    lines = Table("linha", "quantidade", "valor", "artigo", title=escape(title))
    for line in priced.lines:
        amount = to_brazilian(line.amount)
        lines.add_row(
            escape(line.text),
            f"{line.quantity.replace('.', ',')} {UNIT_NAMES[line.unit]}",
            amount,
            escape(line.citation),
        )
    if priced.lines:
        console.print(lines)
    if priced.total is not None:
        console.print(f"[bold]Total: {to_brazilian(priced.total)}[/bold]")
    for reason in priced.reasons:
        console.print(
            f"[bold]{STATUS_NAMES[priced.status]}[/bold]: {escape(reason.detail)} ({escape(reason.citation)})"
        )
    if len(priced.readings) > 1:
        console.print(_readings(priced))
    for warning in priced.warnings:
        console.print(f"Atenção: {escape(warning.detail)}")


def _readings(priced: Fare) -> Table:
    table = Table("leitura", "situação", "total", "por quê", title="Leituras da norma")
    for reading in priced.readings:
        total = "sem preço" if reading.total is None else to_brazilian(reading.total)
        table.add_row(
            escape(reading.id.replace("+", " + ")), STANDING_NAMES[reading.standing], total, escape(reading.why)
        )
    return table

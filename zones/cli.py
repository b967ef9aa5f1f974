"""`flask zones …`: what the operator does with perimeters and roads."""

from __future__ import annotations

from pathlib import Path

import click
from flask import current_app
from flask.cli import AppGroup, with_appcontext

from geodata.features import BadFeature, read
from geodata.point import Point
from settings import Settings
from zones.importing.cli import COMMANDS
from zones.places.cli import places
from zones.roads.errors import BuildFailed

__all__ = ["zones"]

zones = AppGroup("zones", help="Perímetros, lugares e malha viária dos municípios.")
roads = AppGroup("roads", help="Malha viária para calcular distâncias por estrada.")
zones.add_command(roads)
zones.add_command(places)
for command in COMMANDS:
    zones.add_command(command)


@roads.command("build")
@click.argument("slug")
@click.argument("extract", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--minutes", default=60, show_default=True, type=click.IntRange(1, 1440), help="Tempo máximo.")
@with_appcontext
def build(slug: str, extract: Path, minutes: int) -> None:
    """Constrói a malha viária de um município a partir de um extrato .osm.pbf e a põe em uso."""
    try:
        from zones.roads.build import build_roads  # needs the routing library
    except ImportError:
        raise click.ClickException("não há biblioteca de rotas para este Python; use o 3.12 ou mais novo") from None
    settings = current_app.extensions["settings"]
    assert isinstance(settings, Settings)
    try:
        built = build_roads(settings.data, slug, extract, seat=_seat(settings, slug), timeout=minutes * 60)
    except (BuildFailed, BadFeature) as why:
        raise click.ClickException(str(why)) from None
    record = built.record
    west, south, east, north = record.bbox
    click.echo(f"{slug}: {'malha viária construída' if built.fresh else 'este extrato já estava construído'}; em uso.")
    click.echo(f"  {record.ways} vias de {record.extract} (sha256 {record.extract_sha256[:16]}…)")
    click.echo(f"  data do extrato: {record.extract_date or 'não informada no arquivo'}")
    click.echo(f"  de {south:.4f}, {west:.4f} a {north:.4f}, {east:.4f}")
    click.echo(f"  {record.attribution}")
    for warning in built.warnings:
        click.secho(f"  Atenção: {warning}", fg="yellow", err=True)


def _seat(settings: Settings, slug: str) -> Point | None:
    """Where the town is, if its geodata says so."""
    path = settings.geodata / slug / "seats.geojson"
    if not path.is_file():
        return None
    for feature in read(path, ("Point",)):
        if feature.properties.get("seat") is True:
            lon, lat = feature.geometry.coords[0]
            return Point(lat, lon)
    return None

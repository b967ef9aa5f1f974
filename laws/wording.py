"""The figures of a tariff in words, for tables that people read."""

from __future__ import annotations

from collections.abc import Mapping

from api.reais import to_brazilian
from laws.norm import Standing, Status
from laws.published import Entry, PublicLine

STATUS_NAMES = {
    Status.PRICED: "tarifada",
    Status.DELEGATED: "depende de decreto",
    Status.NO_TARIFF: "sem tarifa",
    Status.OUT_OF_SCOPE: "fora do alcance da norma",
    Status.PROHIBITED: "proibida",
    Status.NEGOTIATED: "preço combinado",
    Status.UNDEFINED_COMPONENT: "valor indefinido",
}
STANDING_NAMES = {
    Standing.ADOPTED: "adotada",
    Standing.REASONABLE: "razoável",
    Standing.REJECTED: "rejeitada",
}
UNIT_NAMES = {
    "trip": "viagem",
    "km": "km",
    "hour": "h",
    "item": "volume",
    "passenger": "passageiro",
    "tick": "fração",
    "percent": "%",
}
_UNITS = {
    "trip": "por viagem",
    "km": "por km",
    "hour": "por hora",
    "item": "por volume",
    "passenger": "por passageiro",
    "tick": "por fração do taxímetro",
    "percent": "fator",
}


def figure_of(line: PublicLine) -> str:
    """The figure of a line, such as "R$ 2,00 por km"."""
    if line.table:
        return "; ".join(_entry(entry) for entry in line.table)
    if line.factor is not None:
        return f"× {line.factor.replace('.', ',')}"
    if line.amount is None:
        return "valor não informado"
    return f"{to_brazilian(line.amount)} {_UNITS[line.unit]}{_stretch(line)}"


def _stretch(line: PublicLine) -> str:
    """From and to which kilometre a rate runs, where it does not run over all of them."""
    start = f" acima de {_km(line.from_metres)} km" if line.from_metres else ""
    return start + (f" até {_km(line.to_metres)} km" if line.to_metres else "")


def window_names(line: PublicLine, named: Mapping[str, str]) -> str:
    """The hour bands a line is limited to, by name; empty: any."""
    return ", ".join(named.get(window, window) for window in line.windows)


def _entry(entry: Entry) -> str:
    amount = "a combinar" if entry.amount is None else to_brazilian(entry.amount)
    if entry.origin:
        return f"{entry.origin} → {entry.destination}: {amount}"
    if entry.passengers:
        return f"{entry.passengers} passageiros: {amount}"
    return f"até {_km(entry.up_to_metres)} km: {amount}" if entry.up_to_metres else f"acima: {amount}"


def _km(metres: int) -> str:
    return f"{metres / 1000:g}".replace(".", ",")

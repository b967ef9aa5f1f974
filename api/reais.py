"""Amounts of money as text: what people type, what programs send, what we show. Inside, integer centavos.

Two ways of writing are kept apart on purpose, because `7.000` is seven thousand to a Brazilian and seven to a program:
`parse_typed` reads Portuguese only, `from_decimal` reads the public contract only, and each refuses the other's.
"""

from __future__ import annotations

import re

MOST = 10_000_000_00
"""No fare, fine or fee of a municipality comes near ten million reais: more is a slip or an attack."""

# ASCII digits spelt out: `\d` would also take Arabic-Indic and other digits.
_TYPED = re.compile(r"(?:R\$[ \u00a0]*)?((?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+))(?:,([0-9]{2}))?")
_DECIMAL = re.compile(r"(0|[1-9][0-9]{0,7})\.([0-9]{2})")

DECIMAL_PATTERN = r"^(0|[1-9][0-9]{0,7})\.[0-9]{2}$"
"""The public contract's amount, as a pattern for the OpenAPI."""


class BadAmount(ValueError):
    """The text is not an amount of money; the message says why and how to write it, in Portuguese."""


def parse_typed(text: str) -> int:
    """Centavos of an amount as people write it in Portuguese: `7`, `7,00`, `1.234,56`, `R$ 7,00`.

    Raises ``BadAmount`` for anything else, in particular `7.00` (which could be meant as 7 or as 700) and `7,5`.
    """
    written = text.strip(" \u00a0")
    match = _TYPED.fullmatch(written)
    if match is None:
        raise BadAmount(_why_not_typed(written))
    whole, cents = match.groups()
    if len(whole) > 13:
        raise BadAmount("valor grande demais: o máximo é R$ 10.000.000,00")
    return _bounded(int(whole.replace(".", "")) * 100 + int(cents or 0))


def from_decimal(text: str) -> int:
    """Centavos of an amount in the public contract: a decimal string with exactly two digits, `"7.00"`.

    Raises ``BadAmount`` for signs, exponents, commas, missing or further digits, leading zeros.
    """
    match = _DECIMAL.fullmatch(text)
    if match is None:
        raise BadAmount('valor em reais deve ser texto com ponto e dois algarismos, como "7.00"')
    return _bounded(int(match[1]) * 100 + int(match[2]))


def to_decimal(centavos: int) -> str:
    """`3200` -> `"32.00"`, as the public contract writes money."""
    if centavos < 0:
        return "-" + to_decimal(-centavos)
    digits = f"{centavos:03d}"
    return f"{digits[:-2]}.{digits[-2:]}"


def to_brazilian(centavos: int) -> str:
    """`123456` -> `"R$ 1.234,56"`, as people read money (the space does not break)."""
    sign = "-" if centavos < 0 else ""
    reais, cents = divmod(abs(centavos), 100)
    return f"{sign}R$\u00a0{reais:,}".replace(",", ".") + f",{cents:02d}"


def _bounded(centavos: int) -> int:
    if centavos > MOST:
        raise BadAmount("valor grande demais: o máximo é R$ 10.000.000,00")
    return centavos


def _why_not_typed(written: str) -> str:
    if not written:
        return "falta o valor; escreva, por exemplo, 7,00"
    if "-" in written or "\u2212" in written:
        return "o valor não pode ser negativo"
    if re.fullmatch(r"(?:R\$[ \u00a0]*)?[0-9]+\.[0-9]{1,2}", written):
        return f"use vírgula para os centavos: escreva {written.replace('.', ',')}, não {written}"
    if re.fullmatch(r"(?:R\$[ \u00a0]*)?[0-9.]+,[0-9]?", written):
        return "depois da vírgula vão sempre dois algarismos: 7,50, não 7,5"
    return "não é um valor em reais; escreva, por exemplo, 7,00 ou 1.234,56"

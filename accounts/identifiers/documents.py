"""CPF, CNPJ and CNH. Check digits are validate-docbr's; what it lets through and we must not is refused before it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from validate_docbr import CNH, CNPJ, CPF

from accounts.identifiers.typed import BadIdentifier, Unconfirmed, plain

_CPF = re.compile(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}|[0-9]{11}")
_CPF_WITHOUT_ZEROS = re.compile(r"[0-9]{9,10}")
_CNPJ = re.compile(
    r"[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/[0-9A-Z]{4}-[0-9]{2}|[0-9A-Z]{12}[0-9]{2}", re.ASCII | re.IGNORECASE
)
_CNPJ_WITHOUT_ZEROS = re.compile(r"[0-9]{12,13}")
_SEPARATORS = re.compile(r"[./\- ]")
_ONLY_DIGITS = re.compile(r"[0-9]{11}")


@dataclass(frozen=True, slots=True, repr=False)
class Cpf:
    """A person's tax number: eleven digits as text, leading zeros kept. Raises ``BadIdentifier``.

    ``str()`` is the masked form; whoever needs the number asks for ``digits``.
    """

    digits: str

    def __post_init__(self) -> None:
        # Eleven first: the library pads shorter numbers with zeros by itself.
        if _ONLY_DIGITS.fullmatch(self.digits) is None or not CPF().validate(self.digits):
            raise BadIdentifier("CPF inválido: os dígitos verificadores não conferem; confira cada número")

    @property
    def formatted(self) -> str:
        """`012.345.678-90`."""
        return str(CPF().mask(self.digits))

    @property
    def masked(self) -> str:
        """`***.345.678-**`, what public papers may show."""
        return f"***.{self.digits[3:6]}.{self.digits[6:9]}-**"

    def __str__(self) -> str:
        return self.masked

    def __repr__(self) -> str:
        return f"Cpf({self.masked})"


@dataclass(frozen=True, slots=True)
class Cnpj:
    """A company's tax number, fourteen characters; letters are possible since July 2026. Raises ``BadIdentifier``.

    Source: IN RFB 2.229/2024. It is public, so it is not masked.
    """

    text: str

    def __post_init__(self) -> None:
        if self.text != self.text.upper() or _CNPJ.fullmatch(self.text) is None or len(self.text) != 14:
            raise BadIdentifier("CNPJ inválido: são doze letras ou números e dois números")
        if not CNPJ().validate(self.text):
            raise BadIdentifier("CNPJ inválido: os dígitos verificadores não conferem; confira cada caractere")

    @property
    def formatted(self) -> str:
        """`12.ABC.345/01DE-35`."""
        return str(CNPJ().mask(self.text))

    def __str__(self) -> str:
        return self.formatted


@dataclass(frozen=True, slots=True, repr=False)
class Cnh:
    """A driving licence's number as text, and what is odd about it (None: nothing).

    True licences have been refused for their check digits: an odd number is a reason to look at the card, never to
    turn anyone away. Its validity and category matter more.
    """

    number: str
    warning: str | None

    @property
    def masked(self) -> str:
        return f"*********{self.number[-2:]}" if len(self.number) >= 11 else "***"

    def __str__(self) -> str:
        return self.masked

    def __repr__(self) -> str:
        return f"Cnh({self.masked})"


def parse_cpf(typed: str) -> Cpf:
    """Read `012.345.678-90` or `01234567890`.

    Raises ``Unconfirmed`` for a number that spreadsheets may have robbed of its leading zeros, and ``BadIdentifier``
    for what is no CPF, masked ones included.
    """
    text = plain(typed)
    if "*" in text:
        raise BadIdentifier("este CPF está mascarado; informe os onze números")
    if _CPF_WITHOUT_ZEROS.fullmatch(text) and CPF().validate(text):
        whole = Cpf(text.zfill(11))
        raise Unconfirmed(
            f"o CPF tem onze números; vieram {len(text)}. Se faltam zeros à esquerda, confirme informando "
            f"{whole.formatted}",
            whole.formatted,
        )
    if _CPF.fullmatch(text) is None:
        raise BadIdentifier("CPF são onze números, como 012.345.678-90")
    return Cpf(_SEPARATORS.sub("", text))


def parse_cnpj(typed: str) -> Cnpj:
    """Read `07.209.245/0001-72` or `12ABC34501DE35`, lower case too.

    Raises ``Unconfirmed`` for a number that may have lost its leading zeros, and ``BadIdentifier``.
    """
    text = plain(typed)
    if _CNPJ_WITHOUT_ZEROS.fullmatch(text) and CNPJ().validate(text.zfill(14)):
        whole = Cnpj(text.zfill(14))
        raise Unconfirmed(
            f"o CNPJ tem quatorze caracteres; vieram {len(text)}. Se faltam zeros à esquerda, confirme informando "
            f"{whole.formatted}",
            whole.formatted,
        )
    if _CNPJ.fullmatch(text) is None:
        raise BadIdentifier("CNPJ são doze letras ou números e dois números, como 12.ABC.345/01DE-35")
    return Cnpj(_SEPARATORS.sub("", text).upper())


def parse_cnh(typed: str) -> Cnh:
    """Read a licence's number, with a warning where it looks wrong.

    Raises ``BadIdentifier`` only where there is no number at all.
    """
    text = _SEPARATORS.sub("", plain(typed))
    if re.search(r"[0-9]", text) is None:
        raise BadIdentifier("informe o número de registro da CNH")
    if _ONLY_DIGITS.fullmatch(text) is None:
        return Cnh(text, "o registro da CNH costuma ter onze números; confira no documento")
    if not CNH().validate(text):
        return Cnh(text, "os dígitos verificadores desta CNH não conferem; confira número, validade e categoria")
    return Cnh(text, None)

"""A place of a municipality's gazetteer, and what the search says about one."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from geodata.point import Point
from zones.places.names import fold
from zones.places.rural import RuralAddress

__all__ = ["BadPlace", "Candidate", "Kind", "Place", "PositionQuality", "identity_of"]

LONGEST_TEXT = 120
MOST_ALIASES = 20


class Kind(StrEnum):
    """What sort of place it is (public contract: `kind`)."""

    STREET = "street"
    LANDMARK = "landmark"
    LINHA = "linha"
    PONTO = "ponto"
    DISTRICT = "district"


class PositionQuality(StrEnum):
    """How far a position may be trusted: seen on the spot, good for a map, or unknown."""

    VERIFIED = "verified"
    APPROXIMATE = "approximate"
    NONE = "none"


class BadPlace(ValueError):
    """The facts cannot make a place; the message, in Portuguese, says which and how to mend it."""


@dataclass(frozen=True, slots=True)
class Place:
    """One entry, checked when built; texts are kept in NFC with single spaces. Raises ``BadPlace``.

    ``detail`` tells places of one name apart (the bairro, the address); ``aliases`` are other names
    people use. ``axis`` is the line of a linha from its km 0 as (longitude, latitude) pairs.
    ``source`` says who knows it, ``credit`` what must be shown beside it (© OpenStreetMap
    contributors).
    """

    kind: Kind
    name: str
    source: str
    detail: str = ""
    aliases: tuple[str, ...] = ()
    position: Point | None = None
    position_quality: PositionQuality = PositionQuality.NONE
    axis: tuple[tuple[float, float], ...] = ()
    credit: str = ""

    def __post_init__(self) -> None:
        keep = object.__setattr__
        keep(self, "name", _tidy("nome", self.name, needed=True))
        keep(self, "source", _tidy("fonte", self.source, needed=True))
        keep(self, "detail", _tidy("detalhe", self.detail))
        keep(self, "credit", _tidy("crédito", self.credit))
        keep(self, "aliases", tuple(_tidy("outro nome", each, needed=True) for each in self.aliases))
        if len(self.aliases) > MOST_ALIASES:
            raise BadPlace(f"no máximo {MOST_ALIASES} outros nomes por lugar")
        if (self.position is None) != (self.position_quality is PositionQuality.NONE):
            raise BadPlace(
                "posição e qualidade não combinam: sem posição use 'none'; com posição, 'approximate' ou 'verified'"
            )
        if self.axis and self.kind is not Kind.LINHA:
            raise BadPlace("só uma linha tem eixo; troque o tipo para 'linha' ou deixe o eixo vazio")
        if self.axis and len(set(self.axis)) < 2:
            raise BadPlace("o eixo precisa de dois pontos diferentes ou mais, a partir do km 0 da linha")

    @property
    def identity(self) -> str:
        return identity_of(self.kind, self.name, self.detail)

    @property
    def label(self) -> str:
        return f"{self.name} ({self.detail})" if self.detail else self.name


@dataclass(frozen=True, slots=True)
class Candidate:
    """One answer of a search, to be confirmed by a person.

    ``score`` runs to 100, which only a name typed in full gets. ``unmatched`` are the words of the
    query found nowhere in the name (a house number, for one). ``note``, in Portuguese, says what
    the position rests on or why there is none.
    """

    place: Place
    label: str
    score: int
    position: Point | None
    position_quality: PositionQuality
    note: str | None = None
    unmatched: tuple[str, ...] = ()
    address: RuralAddress | None = None


def identity_of(kind: Kind, name: str, detail: str) -> str:
    """Equal for two entries of one place in one municipality: kind, name and detail, folded."""
    return "|".join((kind, fold(name), fold(detail)))


def _tidy(what: str, raw: str, *, needed: bool = False) -> str:
    text = " ".join(unicodedata.normalize("NFC", raw).split())
    if needed and not fold(text):
        raise BadPlace(f"{what}: escreva ao menos uma letra ou um número")
    if len(text) > LONGEST_TEXT:
        raise BadPlace(f"{what}: {len(text)} caracteres; use no máximo {LONGEST_TEXT}")
    if not text.isprintable():
        raise BadPlace(f"{what}: há caracteres de controle invisíveis; digite de novo")
    return text

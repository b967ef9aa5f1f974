"""Rural addresses as INCRA's settlements write them.

`Linha C-4, km 12, Lote 8, Gleba 2, Setor …, lado norte`. Source: INCRA's division of Rondônia into
linhas, glebas and lots (Decree 93.285/1986 uses the same words).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from zones.places.names import fold

__all__ = ["RuralAddress", "Side", "parse"]


class Side(StrEnum):
    """On which side of the linha (or of whoever leaves its km 0) the lot lies."""

    NORTH = "norte"
    SOUTH = "sul"
    EAST = "leste"
    WEST = "oeste"
    RIGHT = "direito"
    LEFT = "esquerdo"


@dataclass(frozen=True, slots=True)
class RuralAddress:
    """What a rural address states; every part may be missing. ``km`` counts from the linha's km 0.

    ``reference`` holds the words that name none of the other parts ("porteira azul").
    """

    linha: str | None = None
    km: Decimal | None = None
    side: Side | None = None
    lot: str | None = None
    gleba: str | None = None
    sector: str | None = None
    reference: str = ""

    @property
    def metres(self) -> int | None:
        """Whole metres from km 0, or None if the km is not stated."""
        return None if self.km is None else int(self.km * 1000)

    @property
    def searched(self) -> str:
        """The part that names a place in a gazetteer: the reference and the linha."""
        return " ".join(part for part in (self.reference, self.linha and f"Linha {self.linha}") if part)


_FIELD_OF = {
    "linha": "linha",
    "ln": "linha",
    "lh": "linha",
    "lin": "linha",
    "km": "km",
    "quilometro": "km",
    "lote": "lot",
    "lt": "lot",
    "gleba": "gleba",
    "gl": "gleba",
    "setor": "sector",
    "lado": "side",
}
_WORD = re.compile(r"\d+(?:[.,+]\d+)?|[^\W\d_]+|[,;]")
_KM = re.compile(r"(\d{1,4})(?:[.,](\d{1,3})|\+(\d{3}))?")
_NUMBER_SIGNS = ("n", "no", "num", "numero")


def parse(text: str) -> RuralAddress | None:
    """Read a rural address in one pass; None if ``text`` states no rural part at all.

    Never raises: what cannot be read as a part stays in ``reference``, and so does a part said twice.
    """
    said: dict[str, list[str]] = {"reference": []}
    current = "reference"
    for word in _WORD.findall(text):
        if word in ",;":
            current = "reference"
            continue
        if current in ("lot", "gleba") and not said[current] and fold(word) in _NUMBER_SIGNS:
            continue  # Lote nº 8
        field = _FIELD_OF.get(fold(word))
        if field is not None and field not in said:
            current, said[field] = field, []
        elif _belongs(word, current, said[current]):
            said[current].append(word)
        else:
            current = "reference"
            said[current].append(word)
    return _address(said)


def _belongs(word: str, field: str, said: list[str]) -> bool:
    """Whether ``word`` goes on the part ``field`` began: names go on to a comma, numbers do not."""
    if field == "km":
        return not said and _KM.fullmatch(word) is not None
    if field == "side":
        return not said and fold(word) in list(Side)
    if field in ("lot", "gleba"):
        if said and said[0].isdigit():
            return len(said) == 1 and len(word) == 1 and word.isalpha()  # Lote 8 A
        return word.isdigit() or field == "gleba" or (not said and len(word) == 1)
    return True


def _address(said: dict[str, list[str]]) -> RuralAddress | None:
    km = _KM.fullmatch(said["km"][0]) if said.get("km") else None
    linha = said.get("linha")
    address = RuralAddress(
        linha=_joined(linha) if linha else None,
        km=Decimal(f"{km[1]}.{km[2] or km[3] or 0}") if km else None,
        side=Side(fold(said["side"][0])) if said.get("side") else None,
        lot=_joined(said.get("lot", [])),
        gleba=_joined(said.get("gleba", [])),
        sector=" ".join(said.get("sector", [])) or None,
        reference=" ".join(said["reference"]),
    )
    return None if address == RuralAddress(reference=address.reference) else address


def _joined(parts: list[str]) -> str | None:
    """A code as maps print it: c 4 -> C-4, 8 a -> 8-A; a name as it was written."""
    if len(parts) == 2 and any(part.isdigit() for part in parts) and min(map(len, parts)) <= 2:
        return "-".join(part.upper() for part in parts)
    return " ".join(parts) or None

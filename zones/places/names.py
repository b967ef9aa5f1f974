"""How the name of a place is read: folding, abbreviations, words, and the order of a list.

Accents, case and the usual Brazilian abbreviations never decide whether two names are the same.
Source: NFKD of Unicode Annex 15; abbreviations as Brazilian street signs and registers write them.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["LINKING_WORDS", "STREET_TYPES", "fold", "natural_key", "spelled_otherwise", "words"]

# Read as a street type only where the name begins with it: "R. R. Silva" is Rua R. Silva.
_STREET_TYPES = {
    "rua": ("r", "rua"),
    "avenida": ("av", "ave", "avda", "avn", "avenida"),
    "linha": ("ln", "lh", "lin", "linha"),
    "travessa": ("tr", "tv", "trv", "trav", "travessa"),
    "praca": ("pc", "pca", "prc", "praca"),
    "alameda": ("al", "alam", "alameda"),
    "rodovia": ("rod", "rodov", "rodovia"),
    "estrada": ("est", "estr", "estrada"),
    "vicinal": ("vic", "vicinal"),
    "travessao": ("travessao",),
    "largo": ("lg", "lgo", "largo"),
    "beco": ("bc", "beco"),
}
# Read so wherever they stand.
_TITLES = {
    "doutor": ("dr",),
    "doutora": ("dra",),
    "senhor": ("sr",),
    "senhora": ("sra",),
    "santo": ("sto",),
    "santa": ("sta",),
    "nossa": ("nsa",),
    "padre": ("pe",),
    "frei": ("fr",),
    "conego": ("con",),
    "monsenhor": ("mons",),
    "professor": ("prof",),
    "professora": ("profa",),
    "presidente": ("pres",),
    "governador": ("gov",),
    "senador": ("sen",),
    "deputado": ("dep",),
    "vereador": ("ver",),
    "prefeito": ("pref",),
    "desembargador": ("des",),
    "engenheiro": ("eng",),
    "marechal": ("mal",),
    "general": ("gal", "gen"),
    "coronel": ("cel",),
    "capitao": ("cap",),
    "tenente": ("ten",),
    "sargento": ("sgt",),
    "francisco": ("fco",),
    "jardim": ("jd",),
    "conjunto": ("cj", "conj"),
    "hospital": ("hosp",),
    "igreja": ("igr",),
    "escola": ("esc",),
    "fazenda": ("faz",),
}
_TYPE_OF = {short: full for full, shorts in _STREET_TYPES.items() for short in shorts}
_TITLE_OF = {short: full for full, shorts in _TITLES.items() for short in shorts}

STREET_TYPES = frozenset(_STREET_TYPES)
LINKING_WORDS = frozenset({"de", "da", "do", "das", "dos", "e"})

_SPOKEN = {
    "1": "primeiro",
    "2": "dois",
    "3": "tres",
    "4": "quatro",
    "5": "cinco",
    "6": "seis",
    "7": "sete",
    "8": "oito",
    "9": "nove",
    "10": "dez",
    "11": "onze",
    "12": "doze",
    "13": "treze",
    "14": "catorze",
    "15": "quinze",
    "16": "dezesseis",
    "17": "dezessete",
    "18": "dezoito",
    "19": "dezenove",
    "20": "vinte",
    "30": "trinta",
}
_OTHER_FORM = _SPOKEN | {word: digits for digits, word in _SPOKEN.items()}

_ORDINAL = re.compile(r"(?<=[0-9])[ºª°]")
_NOT_A_WORD = re.compile(r"[\W_]+")
_NUMBER_OR_LETTERS = re.compile(r"\d+|\D+")


def fold(text: str) -> str:
    """``text`` without accents, case and punctuation, its words one space apart.

    Folding twice changes nothing.
    """
    text = _ORDINAL.sub("", text)
    for _ in range(2):  # casefolding may leave something new to decompose, and the reverse
        text = unicodedata.normalize("NFKD", text).casefold()
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return _NOT_A_WORD.sub(" ", bare).strip()


def words(text: str) -> tuple[str, ...]:
    """The words of a name in full: "Av. Dr. João, C4, nº 07" -> avenida, doutor, joao, c, 4, n, 7.

    Letters and digits that touch are two words, zeros before a number count for nothing.
    """
    parts = [part for word in fold(text).split() for part in _NUMBER_OR_LETTERS.findall(word)]
    full = [part.lstrip("0") or "0" if part.isdigit() else _TITLE_OF.get(part, part) for part in parts]
    if len(full) > 1:
        full[0] = _TYPE_OF.get(full[0], full[0])
    return tuple(full)


def spelled_otherwise(spelling: tuple[str, ...]) -> tuple[str, ...]:
    """The same words with numbers in letters and the reverse: 7 de setembro, sete de setembro."""
    return tuple(_OTHER_FORM.get(word, word) for word in spelling)


def natural_key(text: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """What to sort names by: Ana, Ávila, Eduardo, Érica; Linha 9, Linha 20, Linha C-4, Linha C-10.

    Numbers stand before letters and go by value; names equal but for accents, case or punctuation
    go by the original.
    """
    parts: list[tuple[int, int, str]] = []
    for part in (p for word in fold(text).split() for p in _NUMBER_OR_LETTERS.findall(word)):
        if part.isdigit():
            digits = part.lstrip("0")
            parts.append((0, len(digits), digits))  # by length, then text: no limit on the number of digits
        else:
            parts.append((1, 0, part))
    return tuple(parts), text

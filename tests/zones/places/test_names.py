"""How names are read and sorted (F068)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zones.places.names import fold, natural_key, spelled_otherwise, words


def test_accented_names_sort_where_a_reader_looks_for_them():
    """F068, with the report's own values."""
    assert sorted(["Zenaide", "Érica", "Ana", "Ávila", "Eduardo"], key=natural_key) == [
        "Ana",
        "Ávila",
        "Eduardo",
        "Érica",
        "Zenaide",
    ]


def test_numbers_in_names_sort_by_value():
    """F068: 'Linha 9' before 'Linha 20'."""
    names = ["Linha 20", "Linha C-10", "Linha 9", "Linha C-4", "Linha 0100"]
    assert sorted(names, key=natural_key) == ["Linha 9", "Linha 20", "Linha 0100", "Linha C-4", "Linha C-10"]


def test_names_equal_but_for_an_accent_keep_one_order():
    assert sorted(["Érica", "Erica"], key=natural_key) == sorted(["Erica", "Érica"], key=natural_key)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("r. Zenaide", "rua zenaide"),
        ("Av. Dr. João", "avenida doutor joao"),
        ("AVENIDA DOUTOR JOÃO", "avenida doutor joao"),
        ("ln C4", "linha c 4"),
        ("Linha C-04", "linha c 4"),
        ("trav. Sto. Antônio", "travessa santo antonio"),
        ("pç. N. Sra. Aparecida", "praca n senhora aparecida"),
        ("Rua 1º de Maio", "rua 1 de maio"),
        ("Rua R. Silva", "rua r silva"),
        ("Rua Joa\u0303o", "rua joao"),
        ("km 12,5", "km 12 5"),
        ("r", "r"),
    ],
)
def test_abbreviations_accents_and_case_never_decide(written, read):
    assert " ".join(words(written)) == read


def test_numbers_are_known_in_letters_too():
    assert spelled_otherwise(words("Rua 7 de Setembro")) == words("Rua Sete de Setembro")
    assert spelled_otherwise(words("Praça dos Três Poderes")) == words("Praça dos 3 Poderes")


@given(st.text())
def test_folding_twice_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_any_text_has_a_place_in_the_order(text):
    assert natural_key(text) == natural_key(text)
    assert natural_key(text)[1] == text


@given(st.lists(st.text(alphabet="aáÁbB019 -"), max_size=8), st.randoms())
def test_the_order_does_not_depend_on_where_one_begins(names, random):
    shuffled = list(names)
    random.shuffle(shuffled)
    assert sorted(shuffled, key=natural_key) == sorted(names, key=natural_key)


def test_a_number_of_thousands_of_digits_is_only_a_long_name():
    assert natural_key("Linha " + "9" * 5000) < natural_key("Linha " + "9" * 5001)
    assert words("0" * 6000) == ("0",)


@pytest.mark.parametrize(
    ("attack", "read"),
    [("-", 0), ("a1", 2), ("º", 1), ("1º", 1), ("\u0301", 0), (" \t", 0), ("_a ", 1)],
)
def test_a_text_made_to_exhaust_the_reader_is_read(attack, read):
    """Half a million characters: an expression that backtracks would not come to its end."""
    times = 500_000 // len(attack)
    assert len(words(attack * times)) in (read, read * times)

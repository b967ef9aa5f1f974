"""Rural addresses, written as INCRA and the people who live there write them."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zones.places.rural import RuralAddress, Side, parse


def test_an_incra_address_gives_each_of_its_parts():
    assert parse("Linha C-4, km 12, Lote 8, Gleba 2, Setor Rio Urupá, lado norte, porteira azul") == RuralAddress(
        linha="C-4",
        km=Decimal("12"),
        side=Side.NORTH,
        lot="8",
        gleba="2",
        sector="Rio Urupá",
        reference="porteira azul",
    )


@pytest.mark.parametrize(
    ("text", "linha", "metres"),
    [
        ("linha c4 km 12", "C-4", 12_000),
        ("LN C 4 KM12", "C-4", 12_000),
        ("km 12 linha 9", "9", 12_000),
        ("linha 9, quilômetro 3", "9", 3_000),
        ("linha 9 km 12,5", "9", 12_500),
        ("linha 9 km 12.5", "9", 12_500),
        ("linha 9 km 3+050", "9", 3_050),
        ("Linha da Serra, km 7", "da Serra", 7_000),
        ("Linha 94", "94", None),
    ],
)
def test_linha_and_km_are_read_however_they_are_written(text, linha, metres):
    address = parse(text)
    assert address is not None
    assert (address.linha, address.metres) == (linha, metres)


@pytest.mark.parametrize(
    ("text", "lot", "gleba"),
    [
        ("lote 8 gleba 2", "8", "2"),
        ("lt. nº 8-A gl. 2", "8-A", "2"),
        ("Lote 8 A, Gleba Rio Claro", "8-A", "Rio Claro"),
        ("gleba 02 lote 110", "110", "02"),
    ],
)
def test_lot_and_gleba_keep_the_code_on_the_document(text, lot, gleba):
    address = parse(text)
    assert address is not None
    assert (address.lot, address.gleba) == (lot, gleba)


@pytest.mark.parametrize("text", ["", "Rua Padre Vicente 12", "porteira azul", "norte", ",;,"])
def test_what_states_no_rural_part_is_no_rural_address(text):
    assert parse(text) is None


def test_what_cannot_be_read_stays_in_the_reference():
    address = parse("linha 9, km doze, lado de lá")
    assert address is not None
    assert (address.km, address.side) == (None, None)
    assert address.reference == "doze de lá"


def test_of_a_part_said_twice_the_first_counts():
    address = parse("linha 9, km 3, km 4")
    assert address is not None
    assert (address.km, address.reference) == (Decimal("3"), "km 4")


@given(st.text())
def test_no_text_makes_the_reader_fail(text):
    address = parse(text)
    assert address is None or address.metres is None or 0 <= address.metres < 10_000_000


@given(
    st.integers(1, 999),
    st.decimals(min_value=0, max_value=999, places=1),
    st.sampled_from(Side),
    st.permutations(["linha", "km", "lado", "lote"]),
)
def test_the_order_of_the_parts_does_not_matter(number, km, side, order):
    said = {"linha": f"linha {number}", "km": f"km {km}", "lado": f"lado {side.value}", "lote": f"lote {number}"}
    assert parse(", ".join(said[part] for part in order)) == RuralAddress(
        linha=str(number), km=km, side=side, lot=str(number)
    )

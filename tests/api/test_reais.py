"""Money as text: Portuguese where people type, the public contract's decimals where programs send."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.reais import MOST, BadAmount, from_decimal, parse_typed, to_brazilian, to_decimal

centavos = st.integers(0, MOST)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("7,00", 700),
        ("7", 700),
        ("0,05", 5),
        ("1.234,56", 123456),
        ("1234,56", 123456),
        ("R$ 7,00", 700),
        ("R$7,00", 700),
        ("R$\u00a07,00", 700),
        (" 7,00 ", 700),
        ("1.234", 123400),
        ("10.000.000,00", MOST),
    ],
)
def test_amounts_as_people_write_them(typed, expected):
    assert parse_typed(typed) == expected


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("7.00", "use vírgula"),
        ("7.5", "use vírgula"),
        ("R$ 7.00", "use vírgula"),
        ("7,5", "dois algarismos"),
        ("7,", "dois algarismos"),
        ("-7,00", "negativo"),
        ("R$ -7,00", "negativo"),
        ("", "falta o valor"),
        ("  ", "falta o valor"),
        ("7,000", "não é um valor"),
        ("1.23,00", "não é um valor"),
        ("12.34.567,00", "não é um valor"),
        ("1,234.56", "não é um valor"),
        ("1e9", "não é um valor"),
        ("+7,00", "não é um valor"),
        ("٧,٠٠", "não é um valor"),
        ("US$ 7,00", "não é um valor"),
        ("7,00\n", "não é um valor"),
        ("10.000.000,01", "grande demais"),
        ("9" * 5000, "grande demais"),
    ],
)
def test_anything_else_typed_is_refused_with_the_way_to_write_it(typed, says):
    with pytest.raises(BadAmount, match=says):
        parse_typed(typed)


@pytest.mark.parametrize(
    "sent",
    ["7", "7.0", "7.000", "7,00", "-7.00", "+7.00", "07.00", "1e9", "NaN", "Infinity", " 7.00", "7.00\n", "٧.٠٠", "",
     "99999999.99", "1_0.00"],
)  # fmt: skip
def test_a_program_may_send_money_in_one_form_only(sent):
    with pytest.raises(BadAmount):
        from_decimal(sent)


@given(centavos)
def test_decimals_come_back_as_the_same_centavos(amount):
    assert from_decimal(to_decimal(amount)) == amount


@given(centavos)
def test_what_we_show_is_what_we_would_read(amount):
    assert parse_typed(to_brazilian(amount)) == amount


def test_what_we_show():
    assert to_brazilian(123456) == "R$\u00a01.234,56"
    assert to_brazilian(-5) == "-R$\u00a00,05"
    assert to_decimal(-150) == "-1.50"

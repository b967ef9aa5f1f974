"""Documents, plates and telephones: the traps of the field, each with the values it was reported with."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from validate_docbr import CNPJ, CPF

from accounts.identifiers import (
    BadIdentifier,
    Cpf,
    Phone,
    Unconfirmed,
    parse_cnh,
    parse_cnpj,
    parse_cpf,
    parse_phone,
    parse_plate,
    phone_of_whatsapp,
    whatsapp_ids,
)

RONDONIA = "69"

nine_digits = st.text("0123456789", min_size=9, max_size=9)


@st.composite
def cpfs(draw):
    first = draw(nine_digits)
    assume(len(set(first)) > 1)
    maker = CPF()
    first += maker._generate_first_digit(list(first))
    return Cpf(first + maker._generate_second_digit(list(first)))


@st.composite
def cnpjs(draw):
    first = draw(st.text(string.digits + string.ascii_uppercase, min_size=12, max_size=12))
    assume(len(set(first)) > 1)
    maker = CNPJ()
    first += maker._generate_first_digit(first)
    return first + maker._generate_second_digit(first)


@st.composite
def mobiles(draw):
    area = draw(st.sampled_from(["11", "21", "28", "31", "55", "66", "69", "92"]))
    try:
        return Phone(f"+55{area}9{draw(st.integers(60_000_000, 99_999_999))}")
    except BadIdentifier:  # a range that the numbering plan does not use
        assume(False)


class TestCpf:
    def test_a_leading_zero_is_part_of_it(self):
        assert parse_cpf("012.345.678-90").digits == "01234567890"

    def test_a_number_robbed_of_its_zero_is_padded_only_after_confirmation(self):
        with pytest.raises(Unconfirmed, match="onze números") as asked:
            parse_cpf("1234567890")

        assert parse_cpf(asked.value.proposal).digits == "01234567890"

    @pytest.mark.parametrize("digit", string.digits)
    def test_repeated_digits_are_no_cpf(self, digit: str):
        with pytest.raises(BadIdentifier):
            parse_cpf(digit * 11)

    def test_repeated_digits_with_punctuation_are_no_cpf(self):
        with pytest.raises(BadIdentifier, match="não conferem"):
            parse_cpf("111.111.111-11")

    def test_full_width_digits_are_digits(self):
        assert parse_cpf("０１２.３４５.６７８－９０").digits == "01234567890"

    @pytest.mark.parametrize("typed", ["٠١٢٣٤٥٦٧٨٩٠", "०१२३४५६७८९०", "𝟎12345678901234", "", "012345678901", "cpf"])
    def test_nothing_else_is_a_digit(self, typed: str):
        with pytest.raises(BadIdentifier):
            parse_cpf(typed)

    def test_a_masked_number_says_that_it_is_masked(self):
        with pytest.raises(BadIdentifier, match="mascarado"):
            parse_cpf("***.982.247-**")

    @pytest.mark.parametrize("typed", ["01.2345678-90", "012-345-678.90", "012 345 678 90"])
    def test_punctuation_in_other_places_is_another_thing(self, typed: str):
        with pytest.raises(BadIdentifier):
            parse_cpf(typed)

    def test_it_is_shown_without_the_first_three_and_last_two(self):
        assert Cpf("52998224725").masked == "***.982.247-**"

    @given(cpfs())
    def test_what_is_written_reads_back(self, cpf: Cpf):
        assert parse_cpf(cpf.formatted) == parse_cpf(cpf.digits) == cpf

    @given(cpfs(), st.integers(9, 10), st.sampled_from(string.digits))
    def test_a_wrong_check_digit_is_noticed(self, cpf: Cpf, place: int, digit: str):
        assume(cpf.digits[place] != digit)
        with pytest.raises(BadIdentifier):
            parse_cpf(cpf.digits[:place] + digit + cpf.digits[place + 1 :])

    @given(cpfs())
    def test_no_way_of_printing_it_shows_more_than_the_mask(self, cpf: Cpf):
        for shown in (str(cpf), repr(cpf), f"{cpf}", repr([cpf])):
            assert cpf.masked in shown
            assert re.findall("[0-9]", shown) == list(cpf.digits[3:9])

    @given(st.text("0123456789", min_size=4, max_size=40))
    def test_an_error_never_repeats_what_was_typed(self, typed: str):
        assume(typed not in "01234567890")
        with pytest.raises(BadIdentifier) as refused:
            parse_cpf(f"x{typed}")
        assert typed not in re.sub("[.-]", "", str(refused.value))


class TestCnpj:
    @pytest.mark.parametrize(
        ("typed", "text"),
        [
            ("00.000.000/E08G-12", "00000000E08G12"),
            ("12.ABC.345/01DE-35", "12ABC34501DE35"),
            ("12.abc.345/01de-35", "12ABC34501DE35"),
            ("07.209.245/0001-72", "07209245000172"),
        ],
    )
    def test_letters_count_since_july_2026(self, typed: str, text: str):
        assert parse_cnpj(typed).text == text

    @pytest.mark.parametrize(
        "typed", ["12ABC34501DE36", "00000000000000", "11.111.111/1111-11", "12ABC34501DEA5", "12ABÇ34501DE35"]
    )
    def test_what_does_not_add_up_is_refused(self, typed: str):
        with pytest.raises(BadIdentifier):
            parse_cnpj(typed)

    def test_a_letter_that_only_upper_case_makes_plain_is_no_letter_of_a_cnpj(self):
        assert "ı".upper() == "I"
        with pytest.raises(BadIdentifier):
            parse_cnpj("12ABC34501Dı35")

    def test_lost_zeros_are_asked_for(self):
        with pytest.raises(Unconfirmed) as asked:
            parse_cnpj("7209245000172")
        assert asked.value.proposal == "07.209.245/0001-72"

    @given(cnpjs())
    def test_what_is_written_reads_back_in_either_case(self, text: str):
        cnpj = parse_cnpj(text)
        assert parse_cnpj(cnpj.formatted) == parse_cnpj(cnpj.formatted.lower()) == cnpj
        assert cnpj.text == text


class TestCnh:
    def test_the_rule_subtracts_two_and_adds_eleven_when_negative(self):
        assert parse_cnh("36043652707").warning is None

    @pytest.mark.parametrize("typed", ["36043652709", "11111111111", "123", "PGU 123.456"])
    def test_an_odd_number_warns_and_never_blocks(self, typed: str):
        assert parse_cnh(typed).warning

    @given(st.text("0123456789", min_size=1, max_size=20))
    def test_no_number_is_ever_refused(self, typed: str):
        assert parse_cnh(typed).number == typed

    @pytest.mark.parametrize("typed", ["", "não tenho"])
    def test_no_number_at_all_is_asked_for(self, typed: str):
        with pytest.raises(BadIdentifier, match="informe"):
            parse_cnh(typed)

    @given(st.text("0123456789", min_size=11, max_size=11))
    def test_it_is_never_printed_whole(self, typed: str):
        cnh = parse_cnh(typed)
        assert re.findall("[0-9]", f"{cnh}{cnh!r}") == list(typed[-2:]) * 2


class TestPlate:
    def test_the_old_plate_and_the_mercosul_one_are_one_vehicle(self):
        old, new = parse_plate("NDX-1234"), parse_plate("NDX1C34")

        assert old.key == new.key == "NDX1C34"
        assert (old.shown, new.shown) == ("NDX-1234", "NDX1C34")

    @pytest.mark.parametrize("typed", ["ndx-1c34", "ndx 1c34", " NDX1C34 ", "ＮＤＸ１Ｃ３４", "NDX–1C34"])
    def test_case_and_separators_do_not_matter(self, typed: str):
        assert parse_plate(typed).printed == "NDX1C34"

    def test_the_pattern_of_some_2018_texts_warns(self):
        plate = parse_plate("ABC12D3")
        assert (plate.key, plate.printed) == ("ABC12D3", "ABC12D3")
        assert "incomum" in (plate.warning or "")

    @pytest.mark.parametrize("typed", ["", "1234ABC", "ND-1234", "NDX12345", "NDXC134", "NDX 1 C34", "NDX-12C D"])
    def test_anything_else_is_refused(self, typed: str):
        with pytest.raises(BadIdentifier, match="três letras"):
            parse_plate(typed)

    @given(st.from_regex("[A-Z]{3}[0-9]{4}", fullmatch=True), st.sampled_from(["", "-", " ", "."]), st.booleans())
    @example("AAA0000", "-", True)
    @example("ZZZ9999", "", False)
    def test_both_spellings_share_one_key_and_no_third_does(self, old: str, separator: str, lower: bool):
        new = f"{old[:4]}{'ABCDEFGHIJ'[int(old[4])]}{old[5:]}"
        typed = old[:3] + separator + old[3:]
        plate = parse_plate(typed.lower() if lower else typed)

        assert plate.key == parse_plate(new).key == new
        assert plate.printed == old
        assert parse_plate(plate.shown) == plate

    @given(st.from_regex("[A-Z]{3}[0-9][A-Z][0-9]{2}", fullmatch=True))
    def test_a_mercosul_plate_is_its_own_key(self, new: str):
        assert parse_plate(new).key == new


class TestPhone:
    @pytest.mark.parametrize(
        ("typed", "e164"),
        [
            ("(69) 99284-1234", "+5569992841234"),
            ("69 99284-1234", "+5569992841234"),
            ("99284-1234", "+5569992841234"),
            ("3642-2234", "+556936422234"),
            ("+55 69 99284-1234", "+5569992841234"),
            ("5569992841234", "+5569992841234"),
            ("0055 69 99284 1234", "+5569992841234"),
            ("069 99284-1234", "+5569992841234"),
            ("0 15 69 99284-1234", "+5569992841234"),
            ("55 99284-1234", "+5555992841234"),
            ("0800 123 4567", "+558001234567"),
            ("800 123 4567", "+558001234567"),
            ("69\u00a099284\u20111234", "+5569992841234"),
            ("６９９９２８４１２３４", "+5569992841234"),
        ],
    )
    def test_as_people_write_it_in_a_town_of_area_69(self, typed: str, e164: str):
        assert parse_phone(typed, RONDONIA).e164 == e164

    def test_a_local_number_takes_the_area_code_of_its_town(self):
        assert parse_phone("3642-2234", "66").e164 == "+556636422234"
        with pytest.raises(BadIdentifier, match="DDD"):
            parse_phone("3642-2234", None)

    @pytest.mark.parametrize("typed", ["9284-1234", "(69) 9284-1234", "+556992841234", "0 69 9284 1234"])
    def test_the_ninth_digit_is_proposed_and_never_added_unasked(self, typed: str):
        with pytest.raises(Unconfirmed, match="nono dígito") as asked:
            parse_phone(typed, RONDONIA)

        assert parse_phone(asked.value.proposal, RONDONIA).e164 == "+5569992841234"

    @pytest.mark.parametrize("typed", ["190", "192", "193"])
    def test_emergency_services_are_nobodys_number(self, typed: str):
        with pytest.raises(BadIdentifier, match="emergência"):
            parse_phone(typed, RONDONIA)

    @pytest.mark.parametrize(
        "typed",
        ["0800 FLOWERS", "99284-1234;ext=5", "tel:+5569992841234", "٦٩٩٩٢٨٤١٢٣٤", "", "+", "()", "99284-1234\x00"],
    )
    def test_letters_and_extensions_are_not_turned_into_digits(self, typed: str):
        with pytest.raises(BadIdentifier):
            parse_phone(typed, RONDONIA)

    @pytest.mark.parametrize("typed", ["+59171234567", "0059171234567", "+1 202 555 0123"])
    def test_numbers_of_other_countries_are_said_to_be(self, typed: str):
        with pytest.raises(BadIdentifier, match=r"\+55"):
            parse_phone(typed, RONDONIA)

    @pytest.mark.parametrize("typed", ["10 99999-1234", "69 09284-1234", "0900 123 456", "0300 123 4567", "12345"])
    def test_numbers_that_nobody_answers_are_refused(self, typed: str):
        with pytest.raises(BadIdentifier, match="não existe"):
            parse_phone(typed, RONDONIA)

    def test_only_mobiles_receive_messages(self):
        assert Phone("+5569992841234").is_mobile
        assert not Phone("+556936422234").is_mobile
        assert not Phone("+558001234567").is_mobile

    @given(mobiles())
    def test_what_is_written_reads_back(self, phone: Phone):
        assert parse_phone(phone.e164, None) == parse_phone(phone.formatted, RONDONIA) == phone

    @given(mobiles())
    def test_no_way_of_printing_it_shows_more_than_the_last_four(self, phone: Phone):
        assert phone.masked == "+55******" + phone.e164[-4:]
        for shown in (str(phone), repr(phone), repr([phone])):
            assert re.findall("[0-9]", shown) == list("55" + phone.e164[-4:])

    def test_masks_have_one_length_for_landlines_and_mobiles(self):
        assert len(Phone("+556936422234").masked) == len(Phone("+5569992841234").masked)

    def test_a_value_cannot_be_built_wrong(self):
        for wrong in ("+556992841234", "69992841234", "+5569992841234 ", "+1202555012"):
            with pytest.raises(BadIdentifier):
                Phone(wrong)


class TestWhatsApp:
    @pytest.mark.parametrize(
        "wa_id",
        ["556992841234", "556992841234@s.whatsapp.net", "5569992841234@c.us", "556992841234:12@s.whatsapp.net"],
    )
    def test_an_id_with_or_without_the_ninth_digit_is_the_same_passenger(self, wa_id: str):
        assert phone_of_whatsapp(wa_id) == parse_phone("+55 69 99284-1234", None)

    def test_both_ids_are_known(self):
        assert whatsapp_ids(Phone("+5569992841234")) == ("5569992841234", "556992841234")

    def test_up_to_area_28_there_is_one_id(self):
        assert whatsapp_ids(Phone("+5511992841234")) == ("5511992841234",)
        with pytest.raises(BadIdentifier):
            phone_of_whatsapp("551192841234")

    def test_a_landline_has_one_id(self):
        assert whatsapp_ids(Phone("+556936422234")) == ("556936422234",)
        assert phone_of_whatsapp("556936422234").e164 == "+556936422234"

    @pytest.mark.parametrize("wa_id", ["120363000000000000@g.us", "12345678901234@lid", "59171234567@c.us", "", "55"])
    def test_groups_hidden_ids_and_other_countries_are_no_number(self, wa_id: str):
        with pytest.raises(BadIdentifier):
            phone_of_whatsapp(wa_id)

    @given(mobiles())
    def test_every_id_leads_back_to_its_number(self, phone: Phone):
        assert {phone_of_whatsapp(wa_id) for wa_id in whatsapp_ids(phone)} == {phone}

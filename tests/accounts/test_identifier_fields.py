"""The fields of documents, plates and telephones in a request and in an answer."""

from __future__ import annotations

import pytest
from marshmallow import ValidationError

from accounts import identifiers as ids
from accounts.fields import Cnh, Cnpj, Cpf, DialledPhone, Phone, Plate, dialled_in
from api.problem import Problem
from api.requests import Request


class EverythingIn(Request):
    cpf = Cpf()
    cnpj = Cnpj()
    cnh = Cnh()
    plate = Plate()
    phone = Phone()
    dialled = DialledPhone()


WRITTEN = {
    "cpf": "01234567890",
    "cnpj": "12abc34501de35",
    "cnh": "36043652707",
    "plate": "ndx-1234",
    "phone": "(69) 99284-1234",
    "dialled": "3642-2234",
}


def test_a_request_reads_into_values():
    read = EverythingIn().load(WRITTEN)

    assert read["cpf"] == ids.Cpf("01234567890")
    assert read["cnpj"].formatted == "12.ABC.345/01DE-35"
    assert read["cnh"].warning is None
    assert read["plate"].key == "NDX1C34"
    assert read["phone"].e164 == "+5569992841234"
    assert dialled_in("66", read["dialled"]).e164 == "+556636422234"


def test_an_answer_shows_persons_masked():
    read = EverythingIn().load(WRITTEN)

    assert EverythingIn().dump(read) == {
        "cpf": "***.345.678-**",
        "cnpj": "12.ABC.345/01DE-35",
        "cnh": "*********07",
        "plate": "NDX-1234",
        "phone": "+55******1234",
        "dialled": "3642-2234",
    }


@pytest.mark.parametrize(
    ("name", "wrong", "said"),
    [
        ("cpf", 1234567890, "entre aspas"),
        ("cpf", "1234567890", "confirme"),
        ("cnpj", "12ABC34501DE36", "não conferem"),
        ("cnh", "nenhuma", "informe"),
        ("plate", "1234ABC", "três letras"),
        ("phone", "3642-2234", "DDD"),
        ("phone", "(69) 9284-1234", "nono dígito"),
        ("dialled", "0800 FLOWERS", "só números"),
        ("dialled", "1" * 41, "só números"),
    ],
)
def test_what_is_wrong_is_said_in_portuguese_at_its_field(name: str, wrong: object, said: str):
    with pytest.raises(ValidationError) as refused:
        EverythingIn().load({name: wrong})

    assert said in refused.value.normalized_messages()[name][0]


def test_a_dialled_number_is_judged_in_its_town_and_named_by_its_field():
    with pytest.raises(Problem) as refused:
        dialled_in("69", "9284-1234", path="caller.phone")

    assert [(error.path, "(69) 99284-1234" in error.message) for error in refused.value.errors] == [
        ("caller.phone", True)
    ]

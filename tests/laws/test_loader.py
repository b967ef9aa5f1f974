"""What the loader refuses: each with the file, the line, what is wrong and how to mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fares.tariffs import open_lawbook
from laws.source import LawError
from tests.laws.town import CASES, MUNICIPALITY, NORM, SLUG, broken, line_of, write_town


def refusal(laws: Path, slug: str = SLUG, **files: str | bytes) -> LawError:
    write_town(laws, slug, **files)
    with pytest.raises(LawError) as refused:
        open_lawbook(laws)
    return refused.value


def test_the_town_is_good_before_it_is_broken(tmp_path):
    write_town(tmp_path, cases=CASES)
    assert list(open_lawbook(tmp_path).municipalities) == [SLUG]


DAY = 'from: "06:00", to: "22:00"'
AFTER_TWO = "changes: {set: {km: {from_km: 2}}}"
BROKEN_NORMS = {
    # what breaks: the text replaced, its replacement, the line blamed, what the message says
    "unknown key": ("basis: publicação", "basis: publicação\n  reason: x", "reason: x", "confira a grafia"),
    "unknown key of a line": ("fixed: 300", "fixd: 300", "fixd: 300", "confira a grafia"),
    "unknown key of a condition": ("when: {window: day}", "when: {windw: day}", "windw", "confira a grafia"),
    "unknown key in a reading": (AFTER_TWO, "changes: {set: {km: {fromkm: 2}}}", "id: after_two", "confira a grafia"),
    "duplicate key": ("fixed: 300", "fixed: 300\n      fixed: 400", "fixed: 400", "apague uma das duas"),
    "impossible date": ("from: 2020-01-01", "from: 2020-02-30", "from: 2020-02-30", "AAAA-MM-DD"),
    "date of another age": ("from: 2020-01-01", "from: 0220-01-01", "from: 0220", "fora de 1930..2200"),
    "date with an offset": ("from: 2020-01-01", "from: 2020-01-01T00:00-04:00", "-04:00", "sem fuso"),
    "force that ends before it begins": (
        "from: 2020-01-01",
        "from: 2020-01-01\n  to: 2019-01-01",
        "to: 2019",
        "termina antes de começar",
    ),
    "confirmed as text": ("confirmed: true", "confirmed: yes", "confirmed: yes", "true ou false"),
    "impossible window": (DAY, 'from: "06:00", to: "06:00"', 'to: "06:00"}', "não deixam minuto nenhum"),
    "impossible hour": (DAY, 'from: "06:00", to: "25:00"', "25:00", "HH:MM"),
    "unknown weekday": ('[mon, tue, wed, thu, fri, sat, sun], from: "06', '[mom], from: "06', "mom", "mon, tue"),
    "schedule with a gap": (DAY, 'from: "07:00", to: "22:00"', "schedule:", "06:00 não cabe em faixa nenhuma"),
    "schedule with an overlap": (DAY, 'from: "05:00", to: "22:00"', "schedule:", "prevails_over"),
    "window that prevails over no window": (
        "text: Dia",
        "text: Dia\n      prevails_over: [dusk]",
        "day:",
        "não existem: dusk",
    ),
    "window with times that takes the rest": ("text: Dia", "text: Dia\n      rest: true", "day:", "um dos dois"),
    "two primitives": ("fixed: 300", "fixed: 300\n      per_km: 20", "code: flag", "exatamente um de"),
    "no primitive": ("      fixed: 300\n", "", "code: flag", "exatamente um de"),
    "key of another primitive": (
        "fixed: 300",
        "fixed: 300\n      over: {zone: rural}",
        "over:",
        "não se usa com fixed",
    ),
    "money with decimals": ("fixed: 300", "fixed: 3.00", "fixed: 3.00", "número inteiro"),
    "negative money": ("fixed: 300", "fixed: -300", "fixed: -300", "fora de 0.."),
    "nothing cited": ("cite: art. 1º", 'cite: " "', 'cite: " "', "texto vazio"),
    "unknown window of a line": ("when: {window: day}", "when: {window: dusk}", "tariff:", "'km' cita a faixa dusk"),
    "unknown window of a clause": (
        "      question: Sobre quais",
        "      when: {window: dusk}\n      question: Sobre quais",
        "when: {window: dusk}",
        "cita a faixa dusk, que não existe",
    ),
    "unknown window of an option": (
        "          why: Depois",
        "          when: {window: dusk}\n          why: Depois",
        "when: {window: dusk}",
        "cita a faixa dusk, que não existe",
    ),
    "unknown window of a prohibition": (
        "when: {passengers_from: 2}",
        "when: {window: dusk}",
        "when: {window: dusk}",
        "cita a faixa dusk, que não existe",
    ),
    "empty condition": ("when: {window: day}", "when: {}", "when: {}", "apague `when`"),
    "two clauses on one key": (AFTER_TWO, "changes: {set: {km: {partial: completed}}}", "tariff:", "junte-as em uma"),
    "reading of a line that is not there": (AFTER_TWO, "changes: {drop: [kms]}", "id: after_two", "não existem: kms"),
    "reading that adds a line twice": (
        AFTER_TWO,
        "changes: {add: [{code: km, text: a, fixed: 1, cite: b}]}",
        "id: after_two",
        "use `set`",
    ),
    "reading that treats an unknown window": (
        AFTER_TWO,
        "changes: {treat: {day: dusk}}",
        "id: after_two",
        "dusk, que não existe",
    ),
    "two lines of one code": (
        "code: night_km",
        "code: km",
        "code: km\n      text: Por quilômetro à noite",
        "código de linha repetido",
    ),
    "two clauses of one id": (
        "id: km_counted",
        "id: part_of_km",
        "id: part_of_km\n      question: Sobre",
        "cláusula repetida",
    ),
    "two options of one id": ("id: after_two", "id: all", "options:\n        - id: all", "mesmo id"),
    "adopted option not first": (
        "standing: adopted\n          why: Todos.",
        "standing: reasonable\n          why: Todos.",
        "options:\n        - id: all",
        "a primeira opção, e só ela",
    ),
    "two adopted options": (
        "standing: reasonable\n          why: Depois",
        "standing: adopted\n          why: Depois",
        "options:\n        - id: all",
        "a primeira opção, e só ela",
    ),
    "anchor": ("fixed: 300", "fixed: &flag 300", "&flag", "escreva o valor"),
    "alias": ("fixed: 300", "fixed: *flag", "*flag", "escreva o valor"),
    "broken YAML": ("nature: exact", "nature: [exact", "schedule:", "YAML inválido"),
    "supersedes what is not there": (
        "label: Lei nº 1/2020",
        "label: Lei nº 1/2020\n  supersedes: [xx-vila-nova/lei-0]",
        "norm:",
        "não está nesta pasta",
    ),
    "amends what is not there": (
        "  nature: exact\n",
        "  amends: xx-vila-nova/lei-0\n  changes: {}\n",
        "amends:",
        "'xx-vila-nova/lei-0' não encontrada",
    ),
    "tariff of two kinds": (
        "nature: exact\n",
        "nature: exact\n  none: {status: delegated, code: a, text: b, cite: c}\n",
        "tariff:",
        "`none` (sem preço, com o artigo)",
    ),
    "order that leaves a stage out": ("nature: exact\n", "nature: exact\n  order: [base]\n", "order:", "cada etapa"),
    "three factors on one line": (
        "  readings:",
        "".join(f"    - {{code: f{i}, text: Fator, times: 1.5, on: [km], cite: a}}\n" for i in range(3))
        + "  readings:",
        "tariff:",
        "mais de dois fatores",
    ),
    "grounds that give a price": ("status: prohibited", "status: priced", "status: priced", "não pode ter status"),
    "code with capitals": ("code: one_passenger", "code: One", "code: One", "letras minúsculas"),
    "norm id of another folder": ("id: xx-vila-nova/lei-1", "id: xx-outra/lei-1", "id: xx-outra", "nome da pasta"),
}


@pytest.mark.parametrize("broken_how", BROKEN_NORMS)
def test_a_broken_norm_is_refused_with_file_line_and_mend(broken_how, tmp_path):
    old, new, blamed, message = BROKEN_NORMS[broken_how]
    norm = broken(NORM, old, new)
    error = refusal(tmp_path, norm=norm)
    line = line_of(norm, blamed)
    assert (error.file, error.line) == (tmp_path / SLUG / "norm.yaml", line)
    assert message in error.what
    assert str(error).startswith(f"{error.file}:{line}: ")


BROKEN_MUNICIPALITIES = {
    "slug of another folder": ("slug: xx-vila-nova", "slug: xx-outra", "slug:", "nome da pasta (xx-vila-nova)"),
    "unknown state": ("uf: RO", "uf: XX", "uf:", "RN, RO, RR"),
    "unknown time zone": ("America/Porto_Velho", "America/Vila_Nova", "time_zone:", "nome IANA"),
    "time zone that is a path": ("America/Porto_Velho", "../../etc/passwd", "time_zone:", "nome IANA"),
    "IBGE code of six digits": ('"1199999"', '"119999"', "ibge_code:", "sete algarismos"),
    "area code with a zero": ('"69"', '"069"', "area_code:", "dois algarismos"),
    "holiday on no day": ("03-15", "02-30", "02-30", "MM-DD"),
    "unknown key": ("name: Vila Nova", "name: Vila Nova\nmayor: A", "mayor:", "confira a grafia"),
}


@pytest.mark.parametrize("broken_how", BROKEN_MUNICIPALITIES)
def test_a_broken_municipality_is_refused_with_file_line_and_mend(broken_how, tmp_path):
    old, new, blamed, message = BROKEN_MUNICIPALITIES[broken_how]
    municipality = broken(MUNICIPALITY, old, new)
    error = refusal(tmp_path, municipality=municipality)
    assert (error.file.name, error.line) == ("municipality.yaml", line_of(municipality, blamed))
    assert message in error.what


def test_a_slug_that_is_no_slug_is_refused(tmp_path):
    error = refusal(tmp_path, slug="vilanova", municipality=broken(MUNICIPALITY, "xx-vila-nova", "vilanova"))
    assert error.line == 1
    assert "como ro-vila-nova" in error.what


TEN = 'adopted: "7.00"'
BROKEN_CASES = {
    "example that does not reproduce": (TEN, 'adopted: "7.01"', "dez da manhã", "esperado 7.01, calculado 7.00"),
    "reading that does not reproduce": (
        TEN,
        'adopted: "7.00"\n  readings: [{choices: {km_counted: after_two}, total: "7.00"}]',
        "dez da manhã",
        "esperado 7.00, calculado 5.00",
    ),
    "reading of no clause": (
        TEN,
        'adopted: "7.00"\n  readings: [{choices: {km_counted: none}, total: "7.00"}]',
        "dez da manhã",
        "não tem a opção 'none'",
    ),
    "price where none is expected": (TEN, "adopted: null", "dez da manhã", "esperado sem preço"),
    "unknown key": (TEN, 'adopted: "7.00"\n  remark: x', "remark", "confira a grafia"),
    "money that is a number": (TEN, "adopted: 7", "adopted: 7", "escreva como 7.00"),
    "leg of no zone": ("T10:00, legs: [urban 4]", "T10:00, legs: [urbano 4]", "T10:00", "'rural 10 back'"),
    "leg of negative length": ("T10:00, legs: [urban 4]", "T10:00, legs: [urban -4]", "T10:00", "não ser negativos"),
    "two cases of one name": (
        "meia-noite",
        "dez da manhã",
        "case: dez da manhã\n  cite: arts. 1º e 3º",
        "caso repetido",
    ),
}


@pytest.mark.parametrize("broken_how", BROKEN_CASES)
def test_a_broken_worked_case_is_refused_with_file_line_and_mend(broken_how, tmp_path):
    old, new, blamed, message = BROKEN_CASES[broken_how]
    cases = broken(CASES, old, new)
    error = refusal(tmp_path, cases=cases)
    assert (error.file.name, error.line) == ("cases.yaml", line_of(cases, blamed))
    assert message in error.what


LATER = broken(broken(NORM, "lei-1", "lei-2"), "from: 2020-01-01", "from: 2022-01-01")


def test_two_norms_of_one_id_are_refused(tmp_path):
    error = refusal(tmp_path, norm2=NORM)
    assert (error.file.name, error.line) == ("norm2.yaml", line_of(NORM, "id: xx-vila-nova/lei-1"))
    assert "id repetido" in error.what


def test_overlapping_norms_are_refused_unless_the_later_supersedes(tmp_path):
    error = refusal(tmp_path, norm2=LATER)
    assert (error.file.name, error.line) == ("norm2.yaml", line_of(LATER, "from: 2022-01-01"))
    assert "diga `supersedes`" in error.what
    superseding = broken(LATER, "  label:", "  supersedes: [xx-vila-nova/lei-1]\n  label:")
    write_town(tmp_path, norm2=superseding)
    assert [m.ref.id for m in open_lawbook(tmp_path).municipality(SLUG).norms] == [f"{SLUG}/lei-1", f"{SLUG}/lei-2"]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (NORM.encode("latin-1"), None, "salve-o em UTF-8"),
        (b"", 1, "arquivo vazio"),
        ("# só um comentário\n".encode(), 1, "arquivo vazio"),
        (b"- a list\n", 1, "bloco de chaves e valores"),
        (b"norm:\n\tid: 1\n", 2, "YAML inválido"),
        (b"norm: {}\n---\nnorm: {}\n", 2, "YAML inválido"),
    ],
)
def test_a_file_that_is_no_norm_at_all_is_refused(content, line, message, tmp_path):
    error = refusal(tmp_path, norm=content)
    assert (error.file.name, error.line) == ("norm.yaml", line)
    assert message in error.what


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(LawError, match="não existe"):
        open_lawbook(tmp_path / "laws")


def test_yaml_is_never_guessed(tmp_path):
    """22:00 is not 1320, `no` is not False, 069 is not octal: all stay text, for the schema to read."""
    norm = broken(NORM, 'from: "22:00", to: "06:00"', "from: 22:00, to: 06:00")
    write_town(tmp_path, norm=norm, cases=CASES)
    open_lawbook(tmp_path)

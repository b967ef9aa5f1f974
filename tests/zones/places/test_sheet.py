"""Tables of places: read strictly, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geodata.point import Point
from zones.places import sheet
from zones.places.place import Kind, Place, PositionQuality
from zones.places.sheet import COLUMNS, BadSheet, read, write

HEADER = "kind;name;lat;lon;position_quality;source\n"


def faults(content: bytes | str, encoding: str = "utf-8") -> str:
    with pytest.raises(BadSheet) as refusal:
        read(content.encode() if isinstance(content, str) else content, encoding)
    return str(refusal.value)


@pytest.mark.parametrize("delimiter", [";", ","])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_tables_as_spreadsheets_write_them_are_read(delimiter: str, mark: str, newline: str) -> None:
    rows = [
        "kind;name;source;aliases;lat;lon;position_quality",
        "landmark;Praça;lei;Pracinha|Largo;-11.5;-62.25;verified",
        ";;;;;;",
    ]
    content = mark + newline.join(rows).replace(";", delimiter) + newline
    assert read(content.encode()) == [
        Place(
            Kind.LANDMARK,
            "Praça",
            "lei",
            aliases=("Pracinha", "Largo"),
            position=Point(-11.5, -62.25),
            position_quality=PositionQuality.VERIFIED,
        )
    ]


def test_the_axis_of_a_linha_starts_at_its_km_0() -> None:
    (linha,) = read(b"kind;name;source;axis\nlinha;Linha 9;central;-62.3 -11.3, -62.3 -11.2\n")
    assert linha.axis == ((-62.3, -11.3), (-62.3, -11.2))


def test_latin_1_is_read_only_when_asked_for() -> None:
    content = "kind;name;source\nstreet;Rua João;lei\n".encode("latin-1")
    assert "--encoding latin-1" in faults(content)
    assert read(content, "latin-1")[0].name == "Rua João"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "faltam colunas: 'kind', 'name', 'source'"),
        ("kind;name;source;rua\n", "colunas desconhecidas: 'rua'"),
        ("kind;name;source;name\n", "colunas repetidas: 'name'"),
        (HEADER + "rua;Rua Um;;;;lei\n", "linha 2: kind: 'rua'; use um destes: street, "),
        (HEADER + "street;;;;;lei\n", "linha 2: nome: escreva"),
        (HEADER + "street;Rua Um;-11,5;-62;verified;lei\n", "linha 2: lat: '-11,5'; escreva graus"),
        (HEADER + "street;Rua Um;-11.5;;verified;lei\n", "linha 2: lon: ''; escreva graus"),
        (HEADER + "street;Rua Um;nan;-62;verified;lei\n", "linha 2: lat: 'nan'"),
        (HEADER + "street;Rua Um;-91;-62;verified;lei\n", "linha 2: latitude -91"),
        (HEADER + "street;Rua Um;-11;-62;;lei\n", "linha 2: posição e qualidade não combinam"),
        (HEADER + "street;Rua Um;;;certa;lei\n", "position_quality: 'certa'"),
        (HEADER + "street;Rua Um\n", "linha 2: 2 colunas, e o cabeçalho tem 6"),
        (HEADER + 'street;"Rua Um;;;;lei\n', "CSV malformado"),
        (HEADER + "street;Rua\0Um;;;;lei\n", "caracteres de controle"),
        (HEADER + "street;Rua Um;;;;lei\nstreet;RUA UM;;;;lei\n", "linha 3: RUA UM já está na linha 2"),
        ("kind;name;source;axis\nlinha;Linha 9;x;-62 -11\n", "dois pontos diferentes"),
        ("kind;name;source;axis\nlinha;Linha 9;x;-62, -11\n", "axis: escreva 'lon lat"),
        ("kind;name;source;axis\nstreet;Rua;x;-62 -11, -61 -11\n", "só uma linha tem eixo"),
    ],
)
def test_what_is_wrong_is_said_with_its_row(content: str, complaint: str) -> None:
    assert complaint in faults(content)


def test_every_bad_row_is_told_at_once_up_to_a_bound() -> None:
    said = faults(HEADER + "rua;x;;;;y\n" * 30).splitlines()
    assert len(said) == 21
    assert said[-1] == "… e mais 10 erros"


def test_too_many_bytes_or_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "o limite é" in faults(b"x" * 10_000_001)
    monkeypatch.setattr(sheet, "MOST_ROWS", 3)
    assert "mais de 3 lugares" in faults("kind;name;source\n" + "street;a;b\n" * 4)


TEXTS = st.text(alphabet="aá1 =+-@';,|\"\n", min_size=1, max_size=12).map(lambda t: t.replace("|", "/"))
NAMES = TEXTS.map(lambda text: text + "x")
DEGREES = st.integers(-80_0000000, 80_0000000).map(lambda n: n / 10**7)


@st.composite
def a_place(draw: st.DrawFn) -> Place:
    kind = draw(st.sampled_from(Kind))
    located = draw(st.booleans())
    axis = draw(st.lists(st.tuples(DEGREES, DEGREES), min_size=2, max_size=4, unique=True))
    return Place(
        kind,
        draw(NAMES),
        draw(NAMES),
        detail=draw(TEXTS),
        aliases=tuple(draw(st.lists(NAMES, max_size=3))),
        position=Point(draw(DEGREES), draw(DEGREES)) if located else None,
        position_quality=PositionQuality.VERIFIED if located else PositionQuality.NONE,
        axis=tuple(axis) if kind is Kind.LINHA and draw(st.booleans()) else (),
        credit=draw(TEXTS),
    )


@given(st.lists(a_place(), max_size=4, unique_by=lambda place: place.identity))
def test_a_table_written_is_read_back_the_same(places: list[Place]) -> None:
    assert sorted(read(write(places).encode()), key=repr) == sorted(places, key=repr)


@given(st.lists(a_place(), min_size=1, max_size=4))
def test_no_cell_written_is_a_formula(places: list[Place]) -> None:
    rows = list(csv.DictReader(io.StringIO(write(places)), delimiter=";"))
    assert len(rows) == len(places)
    for row in rows:
        for column in set(COLUMNS) - {"lat", "lon", "axis"}:  # these are numbers, and checked to be
            assert not row[column].startswith(("=", "+", "-", "@", "\t", "\r"))

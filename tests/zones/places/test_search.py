"""The search: what an operator or a passenger types, and what must come first."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geodata.geodesic import line_metres
from geodata.point import Point
from zones.places.axis import position_at
from zones.places.place import BadPlace, Candidate, Kind, Place, PositionQuality
from zones.places.search import LONGEST_QUERY, Index

FIGUEIREDO = "Av. João Batista Figueiredo"
NORTHWARDS = ((-62.30, -11.30), (-62.30, -11.20), (-62.30, -11.10))  # about 22 km along a meridian


def street(name: str, **more) -> Place:
    return Place(Kind.STREET, name, "teste", **more)


def linha(name: str, **more) -> Place:
    return Place(Kind.LINHA, name, "teste", **more)


@pytest.fixture(scope="module")
def town() -> Index:
    return Index(
        [
            street(FIGUEIREDO),
            street("Av. João Goulart"),
            street("Rua João Holanda Mendes"),
            street("Rua Batista de Freitas"),
            street("Rua Sete de Setembro"),
            street("Rua Padre Vicente"),
            street("Rua Pedro Gadelha"),
            street("Rua Principal", detail="Centro"),
            street("Rua Principal", detail="Núcleo"),
            Place(
                Kind.LANDMARK,
                "Hospital Municipal",
                "teste",
                aliases=("Pronto-Socorro",),
                position=Point(-11.12, -62.36),
                position_quality=PositionQuality.VERIFIED,
            ),
            Place(Kind.PONTO, "Ponto 01 Centro", "teste", detail=FIGUEIREDO),
            Place(Kind.LANDMARK, "Praça dos Três Poderes", "teste"),
            Place(Kind.LANDMARK, "Escola km 8", "teste"),
            linha("Linha 9"),
            linha("Linha 20"),
            linha("Linha 90"),
            linha("Linha C-4", axis=NORTHWARDS),
            linha("Linha C-10"),
        ]
    )


def first(town: Index, query: str) -> Candidate:
    found = town.search(query)
    assert found, f"nothing found for {query!r}"
    return found[0]


@pytest.mark.parametrize(
    "typed", ["r joao batista figueredo", "Av. João Batista Figueiredo", "avenida joão b figueiredo"]
)
def test_spelling_variants_of_a_street_find_the_same_entry_first(town, typed):
    """F067, with the report's own values."""
    assert first(town, typed).place.name == FIGUEIREDO


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("joaobatista figueiredo", FIGUEIREDO),
        ("figueiredo joao", FIGUEIREDO),
        ("av figu", FIGUEIREDO),
        ("pe vicente", "Rua Padre Vicente"),
        ("rua pe", "Rua Padre Vicente"),
        ("ped", "Rua Pedro Gadelha"),
        ("7 de setembro", "Rua Sete de Setembro"),
        ("pc 3 poderes", "Praça dos Três Poderes"),
        ("pronto socoro", "Hospital Municipal"),
        ("hosp mun", "Hospital Municipal"),
        ("ponto 1", "Ponto 01 Centro"),
        ("escola km 8", "Escola km 8"),
        ("LINHA 09", "Linha 9"),
        ("ln c 10", "Linha C-10"),
        ("linha c10", "Linha C-10"),
    ],
)
def test_what_people_type_finds_what_they_mean(town, typed, found):
    assert first(town, typed).place.name == found


def test_a_name_typed_in_full_is_first_and_alone_at_100(town):
    found = town.search("Linha 9")
    assert [(c.label, c.score) for c in found if c.score == 100] == [("Linha 9", 100)]


@pytest.mark.parametrize("typed", ["Rua 7 de Setembro", "r. sete de setembro", "RUA SETE DE SETEMBRO"])
def test_a_name_in_full_counts_as_such_however_it_is_written(town, typed):
    assert [(c.label, c.score) for c in town.search(typed)][:1] == [("Rua Sete de Setembro", 100)]


def test_a_word_left_out_is_no_name_in_full(town):
    assert first(town, "praça três poderes").score == 99


@pytest.mark.parametrize("typed", ["Rua Érica", "Rua Erica", "Rua Érika"])
def test_of_names_that_differ_in_an_accent_the_one_typed_comes_first(typed):
    town = Index(map(street, ["Rua Erica", "Rua Érica", "Rua Erika", "Rua Érika"]))
    assert first(town, typed).label == typed


def test_an_initial_in_the_name_stands_for_the_word_typed():
    town = Index(map(street, ["Av. João Figueiredo", "Av. João B. Figueiredo", "Av. João C. Figueiredo"]))
    assert first(town, "joao batista figueiredo").label == "Av. João B. Figueiredo"
    assert first(town, "figueiredo joao batista").label == "Av. João B. Figueiredo"


def test_short_words_and_numbers_are_not_corrected():
    town = Index([linha("Linha 1001"), street("Rua Rio")])
    assert town.search("linha 1000") == []
    assert town.search("rua ria") == []


def test_a_number_is_never_taken_for_another(town):
    assert [c.label for c in town.search("linha 8") if c.place.kind is Kind.LINHA] == []
    assert [c.label for c in town.search("linha 20 km 3")] == ["Linha 20, km 3"]


def test_equal_scores_come_in_natural_order(town):
    assert [c.label for c in town.search("linha")] == ["Linha 9", "Linha 20", "Linha 90", "Linha C-4", "Linha C-10"]


def test_places_of_one_name_are_told_apart_by_their_detail(town):
    assert [c.label for c in town.search("rua principal")][:2] == ["Rua Principal (Centro)", "Rua Principal (Núcleo)"]
    assert first(town, "rua principal nucleo").label == "Rua Principal (Núcleo)"


def test_a_house_number_is_said_to_be_unmatched(town):
    found = first(town, "av joao batista figueiredo 1446")
    assert (found.place.name, found.unmatched) == (FIGUEIREDO, ("1446",))


def test_a_km_on_a_linha_with_a_known_axis_gives_an_approximate_position(town):
    found = first(town, "linha c4 km 12")

    assert found.label == "Linha C-4, km 12"
    assert found.position_quality is PositionQuality.APPROXIMATE
    assert found.note == "Posição estimada pelo km ao longo do eixo da Linha C-4: confirme com o passageiro."
    assert found.position is not None
    back_to_start = line_metres((NORTHWARDS[0], found.position.lonlat))
    assert back_to_start == pytest.approx(12_000, abs=0.01)


def test_a_km_without_a_known_axis_has_no_position_and_says_so(town):
    found = first(town, "Linha C-10, km 3,5, Lote 8")
    assert (found.label, found.position, found.position_quality) == ("Linha C-10, km 3,5", None, PositionQuality.NONE)
    assert found.note == "O eixo da Linha C-10 não está cadastrado: o km não dá uma posição."
    assert found.address is not None
    assert found.address.lot == "8"


def test_a_km_beyond_the_end_of_the_axis_has_no_position_and_says_so(town):
    found = first(town, "linha c4 km 23")
    assert found.position is None
    assert found.note == "O eixo cadastrado da Linha C-4 tem 22,1 km: este km fica além dele."


def test_an_approximate_position_says_so_and_a_verified_one_needs_no_note():
    town = Index(
        [
            street("Rua Um", position=Point(-11, -62), position_quality=PositionQuality.APPROXIMATE),
            street("Rua Dois", position=Point(-11, -62), position_quality=PositionQuality.VERIFIED),
        ]
    )
    assert first(town, "rua um").note == "Posição aproximada: confirme com o passageiro."
    assert first(town, "rua dois").note is None


def test_the_limit_is_kept(town):
    assert len(town.search("rua", limit=2)) == 2


def test_an_empty_gazetteer_finds_nothing():
    assert Index([]).search("rua") == []


@pytest.mark.parametrize("query", ["", "   ", "!!!", "́", "\x00"])
def test_a_query_without_letters_finds_nothing(town, query):
    assert town.search(query) == []


@pytest.mark.parametrize("query", ["a " * 50_000, "9" * 100_000, "linha " * 20_000, "ﷺ" * 10_000, "km" * 50_000])
def test_a_very_long_query_is_read_up_to_its_bound(town, query):
    assert town.search(query) == town.search(query[:LONGEST_QUERY])


@given(st.text())
def test_no_text_makes_the_search_fail(town, query):
    found = town.search(query, limit=5)
    assert len(found) <= 5
    assert all(55 <= c.score <= 100 for c in found)
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)


NAMES = st.text(alphabet="aáàbcde oº1230-./", min_size=1, max_size=14).filter(lambda t: any(map(str.isalnum, t)))


@given(st.lists(NAMES, min_size=1, max_size=8, unique=True), st.data())
def test_the_exact_label_always_comes_first(names, data):
    places = [Place(Kind.STREET, name, "teste") for name in names]
    wanted = data.draw(st.sampled_from(places))
    best = Index(places).search(wanted.label)[0]
    assert (best.label, best.score) == (wanted.label, 100)


@given(st.permutations(["Rua Ana", "Rua Ávila", "Linha 9", "Linha 20", "Rua Anita", "Beco Ana"]), st.text("anrul 92"))
def test_the_order_of_the_entries_does_not_change_the_answer(names, query):
    def labels(entries):
        return [(c.label, c.score) for c in Index(map(street, entries)).search(query)]

    assert labels(names) == labels(sorted(names))


def test_every_street_of_a_real_town_is_found_with_one_letter_wrong(shared_streets):
    town = Index(map(street, shared_streets))
    for name in shared_streets:
        middle = len(name) * 2 // 3
        typed = name[:middle] + name[middle + 1 :]
        assert name in [c.label for c in town.search(typed, limit=3)], typed


@pytest.fixture(scope="module")
def shared_streets() -> list[str]:
    extract = Path(__file__).parents[2] / "geodata/ce-limoeiro-do-norte/streets.geojson"
    features = json.loads(extract.read_text())["features"]
    return sorted({f["properties"]["name"] for f in features if f["properties"]["name"]})


def test_a_position_along_an_axis_is_measured_on_the_ground():
    assert position_at(NORTHWARDS, 0) == Point(lat=-11.30, lon=-62.30)
    assert position_at(NORTHWARDS, -1) is None
    assert position_at(NORTHWARDS, line_metres(NORTHWARDS) + 1) is None


@pytest.mark.parametrize(
    ("facts", "complaint"),
    [
        ({"name": "  "}, "nome: escreva ao menos uma letra"),
        ({"name": "x" * 121}, "121 caracteres"),
        ({"source": ""}, "fonte: escreva"),
        ({"name": "Rua\u200b Um"}, "invisíveis"),
        ({"position": Point(0, 0)}, "não combinam"),
        ({"position_quality": PositionQuality.VERIFIED}, "não combinam"),
        ({"axis": NORTHWARDS}, "só uma linha tem eixo"),
        ({"kind": Kind.LINHA, "axis": (NORTHWARDS[0],) * 2}, "dois pontos diferentes"),
        ({"aliases": tuple(f"x{n}" for n in range(21))}, "no máximo 20"),
    ],
)
def test_facts_that_make_no_place_are_refused_with_the_reason(facts, complaint):
    with pytest.raises(BadPlace, match=complaint):
        Place(**{"kind": Kind.STREET, "name": "Rua Um", "source": "teste", **facts})


def test_the_texts_of_a_place_are_kept_in_one_form():
    place = Place(Kind.STREET, "  Rua   Joa\u0303o ", "teste")
    assert place.name == "Rua João"

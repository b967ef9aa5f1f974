"""The gazetteer in PostgreSQL: what is written is found at once, everywhere, and nothing is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import IntegrityError

from geodata.point import Point
from store.connections import Connections
from zones.places.gazetteer import Changes, Gazetteer, NoSuchPlace
from zones.places.place import Kind, Place, PositionQuality

TOWN, OTHER_TOWN = "xx-cidade", "xx-outra"
STREET = Place(Kind.STREET, "Rua Padre Vicente", "prefeitura")
LINHA = Place(Kind.LINHA, "Linha C-4", "central", axis=((-62.3, -11.3), (-62.3, -11.1)), aliases=("Linha do Sossego",))
SQUARE = Place(
    Kind.LANDMARK,
    "Praça da Matriz",
    "central",
    detail="Centro",
    position=Point(-11.12, -62.36),
    position_quality=PositionQuality.VERIFIED,
    credit="fulano",
)


@pytest.fixture
def store(database_url: str, tmp_path: Path) -> Iterator[Connections]:
    store = Connections(tmp_path, database_url)
    yield store
    store.engine.dispose()


@pytest.fixture
def gazetteer(store: Connections) -> Gazetteer:
    return Gazetteer(store)


def labels(gazetteer: Gazetteer, query: str, town: str = TOWN) -> list[str]:
    return [found.label for found in gazetteer.search(town, query, 10)]


def test_what_was_put_comes_back_whole(gazetteer: Gazetteer) -> None:
    assert gazetteer.put(TOWN, [STREET, LINHA, SQUARE], by="central") == Changes(3, 0, 0)
    assert gazetteer.places(TOWN) == [LINHA, SQUARE, STREET]


def test_putting_the_same_places_again_changes_nothing(gazetteer: Gazetteer) -> None:
    gazetteer.put(TOWN, [STREET, LINHA], by="central")

    assert gazetteer.put(TOWN, [STREET, LINHA], by="central") == Changes(0, 0, 2)
    assert len(gazetteer.history(TOWN)) == 2


def test_a_place_that_moved_is_found_where_it_is_now_and_its_history_says_where_it_was(gazetteer: Gazetteer) -> None:
    moved = replace(SQUARE, position=Point(-11.13, -62.37))
    gazetteer.put(TOWN, [SQUARE], by="ana", reason="primeira visita")

    assert gazetteer.put(TOWN, [moved], by="bia", reason="a praça mudou de lugar") == Changes(0, 1, 0)

    (found,) = gazetteer.search(TOWN, "praça da matriz", 10)
    assert found.position == moved.position
    assert [(e.place.position, e.by, e.reason) for e in gazetteer.history(TOWN)] == [
        (SQUARE.position, "ana", "primeira visita"),
        (moved.position, "bia", "a praça mudou de lugar"),
    ]


def test_a_removed_place_is_not_found_and_stays_in_history(gazetteer: Gazetteer) -> None:
    gazetteer.put(TOWN, [STREET, SQUARE], by="ana")

    gazetteer.remove(TOWN, Kind.STREET, "rua padre vicente", "", by="bia", reason="nome errado")

    assert labels(gazetteer, "padre vicente") == []
    last = gazetteer.history(TOWN)[-1]
    assert (last.place, last.removed, last.by, last.reason) == (STREET, True, "bia", "nome errado")
    assert last.at.utcoffset() is not None


def test_a_removed_place_may_come_back(gazetteer: Gazetteer) -> None:
    gazetteer.put(TOWN, [STREET], by="ana")
    gazetteer.remove(TOWN, Kind.STREET, STREET.name, "", by="ana", reason="engano")

    assert gazetteer.put(TOWN, [STREET], by="ana") == Changes(1, 0, 0)
    assert labels(gazetteer, "padre vicente") == [STREET.label]


def test_removing_what_is_not_there_says_what_to_do(gazetteer: Gazetteer) -> None:
    with pytest.raises(NoSuchPlace, match="flask zones places list"):
        gazetteer.remove(TOWN, Kind.STREET, "Rua Nenhuma", "", by="ana", reason="engano")


def test_each_municipality_has_a_gazetteer_of_its_own(gazetteer: Gazetteer) -> None:
    gazetteer.put(TOWN, [STREET], by="ana")
    gazetteer.put(OTHER_TOWN, [LINHA], by="ana")

    assert labels(gazetteer, "padre vicente", OTHER_TOWN) == []
    assert labels(gazetteer, "linha do sossego", OTHER_TOWN) == ["Linha C-4"]


def test_another_process_finds_a_new_place_at_once(gazetteer: Gazetteer, store: Connections) -> None:
    other = Gazetteer(store)
    assert labels(other, "padre vicente") == []

    gazetteer.put(TOWN, [STREET], by="ana")

    assert labels(other, "padre vicente") == [STREET.label]


def test_a_keystroke_costs_one_question_to_the_database(gazetteer: Gazetteer, store: Connections) -> None:
    gazetteer.put(TOWN, [STREET], by="ana")
    labels(gazetteer, "padre")
    asked: list[str] = []
    event.listen(store.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))

    labels(gazetteer, "padre vi")

    assert len(asked) == 1
    assert "max(place_records.id)" in asked[0]


def test_writers_at_once_lose_nothing_and_repeat_nothing(gazetteer: Gazetteer) -> None:
    writers = 4
    barrier = Barrier(writers)

    def write(number: int) -> None:
        own = replace(STREET, name=f"Rua {number}")
        barrier.wait()
        gazetteer.put(TOWN, [STREET, own], by=f"escrevente {number}")

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, range(1, writers + 1)))

    assert [place.name for place in gazetteer.places(TOWN)] == ["Rua 1", "Rua 2", "Rua 3", "Rua 4", STREET.name]
    assert len(gazetteer.history(TOWN)) == writers + 1


@pytest.mark.parametrize("change", ["UPDATE place_records SET name = 'x'", "DELETE FROM place_records"])
def test_the_history_cannot_be_rewritten(gazetteer: Gazetteer, store: Connections, change: str) -> None:
    gazetteer.put(TOWN, [STREET], by="ana")

    with store.engine.begin() as connection, pytest.raises(IntegrityError, match="só aceita inclusão"):
        connection.execute(text(change))

    assert gazetteer.places(TOWN) == [STREET]

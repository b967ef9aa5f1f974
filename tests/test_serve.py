"""`serve.py` as a user runs it: a real process with real servers, killed for real."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest

from store.servers import urls_of

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent.parent
PATIENCE = 180.0  # seconds after which a start or a stop counts as hanging


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class House:
    """One running `serve.py`, and everything it has said."""

    def __init__(self, data: Path, **settings: str) -> None:
        self.data = data
        self.port = settings.setdefault("PONTUAL_PORT", str(free_port()))
        self.said: list[str] = []
        self._settled = Event()  # on air, or gone
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PONTUAL_")}
        self.process = subprocess.Popen(
            [sys.executable, "serve.py"],
            cwd=HERE,
            env={**kept, "PONTUAL_DATA": str(data), **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            if line.lstrip().startswith("curl "):
                self._settled.set()
        self._settled.set()

    def on_air(self) -> House:
        assert self._settled.wait(PATIENCE), self.text
        assert "Experimente" in self.text, self.text
        return self

    def ended(self) -> int:
        """Wait until it and all who can still write to its terminal are gone; the exit code."""
        code = self.process.wait(PATIENCE)
        self._listener.join(PATIENCE)
        assert not self._listener.is_alive(), f"someone outlived it: {self.text}"
        return code

    @property
    def text(self) -> str:
        return "".join(self.said)

    def ask(self, path: str, body: str | None = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            data=None if body is None else body.encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def child(self, program: str) -> int:
        """The process number of the direct child that runs ``program``."""
        (found,) = (
            number
            for number in children(self.process.pid)
            if program in Path(f"/proc/{number}/cmdline").read_bytes().decode()
        )
        return found

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        urls = urls_of(self.data)
        assert urls is not None
        with psycopg.connect(urls.database.replace("+psycopg", "")) as connection:
            return connection.execute(statement).fetchall()


def children(parent: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # gone meanwhile
            state, its_parent = stat.read_text().rpartition(")")[2].split()[:2]
            if int(its_parent) == parent and state != "Z":
                found.append(int(stat.parent.name))
    return found


def who_holds(data: Path) -> set[str]:
    """Every process that still has the data folder's lock open."""
    holders = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):  # gone meanwhile, or not ours to look at
            if os.readlink(link) == str(data / "servers.lock"):
                holders.add(link.parts[2])
    return holders


@pytest.fixture
def start() -> Iterator[Any]:
    """Starts houses; stops whatever still runs when the test ends."""
    with ExitStack() as ends:

        def start(data: Path, **settings: str) -> House:
            house = House(data, **settings)
            ends.callback(house.process.kill)  # when it would not stop
            ends.callback(house.ended)
            ends.callback(house.process.terminate)
            return house

        yield start


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_starts_answers_stops_whole_and_starts_again(start: Any, data_folder: Path, how: signal.Signals) -> None:
    data = data_folder / "dados do município"
    house = start(data).on_air()

    assert house.ask("/health")["status"] == "ok"
    assert set(house.ask("/ready")["parts"].values()) == {"ok"}
    curl = re.search(r"curl -s (\S+) .* -d '(.*)'", house.text)
    assert curl is not None
    assert curl[1] == f"http://127.0.0.1:{house.port}/api/v1/fares"
    assert house.ask("/api/v1/fares", curl[2])["status"] == "priced"
    norms = house.query("SELECT id, version, municipality FROM published_norms ORDER BY 1, 2")
    assert {municipality for _, _, municipality in norms} >= {
        each["slug"] for each in house.ask("/api/v1/municipalities")["items"]
    }
    assert len(who_holds(data)) >= 3

    house.process.send_signal(how)
    assert house.ended() == 0
    assert who_holds(data) == set()
    assert house.said[-1] == "Pontual parado.\n"
    assert urls_of(data) is None

    again = start(data).on_air()
    assert again.query("SELECT id, version, municipality FROM published_norms ORDER BY 1, 2") == norms


def test_two_copies_run_side_by_side_but_not_on_one_folder_or_port(start: Any, data_folder: Path) -> None:
    one, other = start(data_folder / "one"), start(data_folder / "other")
    one.on_air()
    other.on_air()
    assert one.ask("/ready")["status"] == other.ask("/ready")["status"] == "ready"

    same_folder = start(data_folder / "one")
    assert same_folder.ended() == 1
    assert f"já está em uso por outro Pontual (processo {one.process.pid})" in same_folder.text

    same_port = start(data_folder / "third", PONTUAL_PORT=one.port)
    assert same_port.ended() == 1
    assert "a porta já está em uso" in same_port.text
    assert "PONTUAL_PORT" in same_port.text
    assert one.ask("/health")["status"] == "ok"


def test_after_any_death_everything_stops_and_starts_again(start: Any, data_folder: Path) -> None:
    port = str(free_port())
    names = {"valkey-server": "O Valkey", "postgres": "O PostgreSQL", "granian": "O servidor web"}
    for program, name in names.items():
        house = start(data_folder, PONTUAL_PORT=port).on_air()
        os.kill(house.child(program), signal.SIGKILL)

        assert house.ended() == 1
        assert f"{name} parou sem ser chamado" in house.text
        assert "Traceback" not in house.text
        assert who_holds(data_folder) == set()

    house = start(data_folder, PONTUAL_PORT=port).on_air()
    house.process.kill()
    assert start(data_folder, PONTUAL_PORT=port).on_air().ask("/ready")["status"] == "ready"


def test_a_worker_that_dies_is_replaced(start: Any, data_folder: Path) -> None:
    house = start(data_folder, PONTUAL_WORKERS="1").on_air()
    granian = house.child("granian")
    (before,) = children(granian)
    os.kill(before, signal.SIGKILL)

    answer = None
    while answer is None:
        assert house.process.poll() is None, house.text
        try:
            answer = house.ask("/health")
        except OSError:
            continue  # until the new one listens

    assert before not in children(granian)


def refused(start: Any, data: Path, **settings: str) -> str:
    house = start(data, **settings)
    assert house.ended() == 1
    assert "Traceback" not in house.text
    assert "Pontual no ar" not in house.text
    return str(house.text)


def test_a_folder_that_cannot_be_written_is_told(start: Any, data_folder: Path) -> None:
    (data_folder / "file").touch()

    said = refused(start, data_folder / "file" / "data")

    assert f"Não consigo gravar na pasta de dados {data_folder / 'file' / 'data'}" in said


def test_a_missing_secret_in_production_is_told(start: Any, data_folder: Path) -> None:
    assert "PONTUAL_SECRET não foi definida" in refused(start, data_folder, PONTUAL_ENV="production")
    assert not (data_folder / "secret").exists()


def test_a_bad_setting_is_told(start: Any, data_folder: Path) -> None:
    assert "PONTUAL_WORKERS='dois'" in refused(start, data_folder, PONTUAL_WORKERS="dois")


def test_an_address_of_another_machine_is_told(start: Any, data_folder: Path) -> None:
    assert "PONTUAL_HOST" in refused(start, data_folder, PONTUAL_HOST="192.0.2.1")


def test_a_law_that_does_not_load_is_told_with_its_line(start: Any, data_folder: Path) -> None:
    laws = shutil.copytree(HERE / "laws", data_folder / "laws")
    town = next(laws.glob("*/municipality.yaml"))
    lines = len(town.read_text().splitlines())
    town.write_text(town.read_text() + "slug: again\n")

    said = refused(start, data_folder / "data", PONTUAL_LAWS=str(laws))

    assert f"{town}:{lines + 1}: " in said


def test_servers_that_do_not_answer_are_told(start: Any, data_folder: Path) -> None:
    nobody = f"127.0.0.1:{free_port()}"

    assert "PONTUAL_REDIS_URL não responde" in refused(start, data_folder, PONTUAL_REDIS_URL=f"redis://{nobody}")
    assert "O PostgreSQL" in refused(start, data_folder, PONTUAL_DATABASE_URL=f"postgresql://{nobody}/pontual")


def test_given_servers_replace_the_embedded_ones(
    start: Any, data_folder: Path, database_url: str, redis_url: str
) -> None:
    house = start(data_folder, PONTUAL_DATABASE_URL=database_url, PONTUAL_REDIS_URL=redis_url).on_air()

    assert house.ask("/ready")["status"] == "ready"
    assert not (data_folder / "postgres").exists()
    assert not (data_folder / "valkey").exists()

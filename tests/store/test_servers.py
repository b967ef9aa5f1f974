"""The embedded servers keep what they acknowledged, have one owner, and say what is wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
import redis
from sqlalchemy import make_url

from store import servers
from store.child import Child
from store.servers import CannotStart, Urls, announced, own, postgres, socket_folder, unprivileged, urls_of, valkey


@contextmanager
def both(data: Path) -> Iterator[tuple[Child, Child, Urls]]:
    with ExitStack() as running:
        hold = running.enter_context(own(data))
        account = unprivileged(data)
        sockets = running.enter_context(socket_folder(account))
        database, database_url = running.enter_context(postgres(data, sockets, account, hold=hold))
        cache, redis_url = running.enter_context(valkey(data, sockets, account, hold=hold))
        yield database, cache, Urls(database_url, redis_url)


def connect(urls: Urls) -> psycopg.Connection:
    url = make_url(urls.database)
    return psycopg.connect(host=str(url.query["host"]), user=url.username, dbname=url.database, autocommit=True)


def client(urls: Urls) -> redis.Redis:
    return redis.Redis.from_url(urls.redis, decode_responses=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["plain", "com espaço, vírgula e 'aspas' \"duplas\" $HOME ação", "long-" + "x" * 180],
    ids=["plain", "odd", "long"],
)
def test_what_was_acknowledged_survives_a_restart_and_a_kill(data_folder: Path, name: str) -> None:
    data = data_folder / name
    with both(data) as (_, _, urls):
        connect(urls).execute("CREATE TABLE kept (what text)")
        client(urls).set("kept", "before")

    with both(data) as (database, cache, urls):
        connect(urls).execute("INSERT INTO kept VALUES ('after restart')")
        client(urls).append("kept", " and after restart")
        os.kill(database.pid, signal.SIGKILL)
        os.kill(cache.pid, signal.SIGKILL)
        assert database.wait() == cache.wait() == -signal.SIGKILL

    with both(data) as (_, _, urls):
        assert connect(urls).execute("SELECT what FROM kept").fetchall() == [("after restart",)]
        assert client(urls).get("kept") == "before and after restart"


@pytest.mark.slow
def test_the_servers_listen_on_no_network_and_sync_every_answer(data_folder: Path) -> None:
    with both(data_folder) as (_, _, urls):
        settings = {
            name: connect(urls).execute("SELECT current_setting(%s)", [name]).fetchone()
            for name in ("listen_addresses", "fsync", "synchronous_commit", "TimeZone")
        }
        answers = client(urls).config_get("port", "appendonly", "appendfsync", "maxmemory-policy")

        assert settings == {
            "listen_addresses": ("",),
            "fsync": ("on",),
            "synchronous_commit": ("on",),
            "TimeZone": ("UTC",),
        }
        assert answers == {
            "port": "0",
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory-policy": "noeviction",
        }


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another account")
def test_root_hands_the_servers_to_an_unprivileged_account(data_folder: Path) -> None:
    with both(data_folder) as (database, cache, _):
        owners = {os.stat(f"/proc/{child.pid}").st_uid for child in (database, cache)}

    assert len(owners) == 1
    assert 0 not in owners


def test_a_second_owner_is_told_who_the_first_is(data_folder: Path) -> None:
    with (
        own(data_folder),
        pytest.raises(CannotStart, match=rf"já está em uso.*processo {os.getpid()}\b"),
        own(data_folder),
    ):
        pytest.fail("two owners")

    with own(data_folder):
        pass  # the first is gone


HOLDER = """
import fcntl, os, subprocess, sys
from pathlib import Path
from store.servers import own
with own(Path(sys.argv[1])) as hold:
    left = subprocess.Popen(["sh", "-c", "read line"], stdin=int(sys.argv[2]), pass_fds=[hold])
    print("holding", flush=True)
    os.kill(os.getpid(), 9)
"""


def test_a_start_after_a_kill_waits_for_what_is_still_stopping(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leftover_reads, release = os.pipe()
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(data_folder), str(leftover_reads)],
        stdout=subprocess.PIPE,
        pass_fds=[leftover_reads],
    )
    os.close(leftover_reads)
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"holding\n"
    owner.wait()

    monkeypatch.setattr(servers, "SECONDS_FOR_LEFTOVERS", 0.0)
    with pytest.raises(CannotStart, match=r"Pontual anterior ainda usam.*fuser"), own(data_folder):
        pytest.fail("the leftover still holds the folder")

    monkeypatch.setattr(servers, "SECONDS_FOR_LEFTOVERS", 30.0)
    os.close(release)
    with own(data_folder):
        pass


def test_a_folder_that_cannot_be_written_is_refused(data_folder: Path) -> None:
    (data_folder / "file").touch()

    with pytest.raises(CannotStart, match=r"Não consigo gravar.*PONTUAL_DATA"), own(data_folder / "file" / "data"):
        pytest.fail("a file is no folder")


def test_a_disk_with_too_little_space_is_refused(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "LOWEST_FREE_MB", 10**9)

    with pytest.raises(CannotStart, match=r"está cheio: restam \d+ MB"), own(data_folder):
        pytest.fail("no disk has that much")


@pytest.fixture
def tiny_disk(data_folder: Path) -> Iterator[Path]:
    """A disk of 24 MB: less than PostgreSQL's own files."""
    disk = data_folder / "tiny"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m,mode=0755", "pontual-test", disk], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("this machine does not let a test mount a disk")
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.mark.slow
def test_a_disk_that_fills_while_the_database_is_made_is_told(tiny_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "LOWEST_FREE_MB", 0)

    with pytest.raises(CannotStart, match="está cheio"), both(tiny_disk):
        pytest.fail("24 MB are too few")


@pytest.mark.slow
def test_a_disk_that_fills_under_valkey_is_told(tiny_disk: Path) -> None:
    account = unprivileged(tiny_disk)
    with socket_folder(account) as sockets, valkey(tiny_disk, sockets, account) as (cache, url):
        with suppress(redis.RedisError), redis.Redis.from_url(url) as connection:
            for number in range(64):
                connection.set(f"key-{number}", b"x" * 1_000_000)
        assert cache.wait() != 0

        assert "disco está cheio" in str(cache.obituary())


def test_the_running_servers_are_announced_to_their_owner_alone(data_folder: Path) -> None:
    urls = Urls("postgresql+psycopg://…", "unix:///…")
    assert urls_of(data_folder) is None

    with announced(data_folder, urls):
        assert urls_of(data_folder) == urls
        assert (data_folder / "urls.json").stat().st_mode & 0o777 == 0o600

    assert urls_of(data_folder) is None

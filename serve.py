"""What `make run` runs: the servers, the laws and the web workers of one machine, started and stopped together.

Whatever keeps it from starting is said in Portuguese, without a traceback, and ends it with exit code 1. Ctrl-C and
SIGTERM stop the web workers, then Valkey, then PostgreSQL, and end it with exit code 0.
"""

from __future__ import annotations

import errno
import http.client
import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import date, datetime
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import FrameType

import click
import redis
from flask import Flask
from sqlalchemy.exc import DBAPIError

from api import intake
from fares.schemas import FareIn
from fares.tariffs import fare, open_lawbook
from fares.trip import FactMissing
from geodata.features import BadFeature
from laws.loader import LawBook
from laws.norm import Status
from laws.shelf import lawbook
from laws.source import LawError
from settings import BadSetting, Settings
from store.child import Child, says_disk_full
from store.connections import Connections
from store.migrations import migrate
from store.norms import NormText, publish
from store.servers import (
    CannotStart,
    Urls,
    announced,
    disk_is_full,
    own,
    plainly,
    postgres,
    socket_folder,
    unprivileged,
    until_ready,
    valkey,
)
from zones.perimeter import BadPerimeter
from zones.places import sheet
from zones.places.gazetteer import Gazetteer
from zones.regions import AtlasError
from zones.store import seed

HERE = Path(__file__).resolve().parent
WORKING_THREADS = 32  # per worker: requests served at once; the rest wait in the queue of connections
BLOCKING_THREADS = WORKING_THREADS + intake.SLOTS  # those that wait for slow bodies keep none from working
CONNECTIONS = 512  # per worker: open at once, idle ones included; more wait to be accepted
MILLISECONDS_FOR_HEADERS = 10_000  # also for the next request on an open connection
LARGEST_HEADERS = 32_768  # bytes, address included; and a hundred headers at most, which is the server's own bound
SECONDS_TO_FINISH_REQUESTS = 5
SECONDS_TO_STOP = 15.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """Someone asked us to stop."""


def main() -> int:
    """Run until told to stop. The exit code."""
    for each in STOP_SIGNALS:
        if signal.getsignal(each) is not signal.SIG_IGN or each is not signal.SIGHUP:  # nohup outlives its terminal
            signal.signal(each, _stop)
    try:
        run(Settings.from_env())
    except Stopped:
        _say("Pontual parado.")
        return 0
    except LawError as why:
        _say(f"Pontual não iniciou porque uma lei foi recusada. Corrija o arquivo e inicie de novo.\n  {why}")
    except (BadSetting, CannotStart) as why:
        _say(f"Pontual não está no ar. {why}")
    return 1


def run(settings: Settings) -> None:
    """Start everything, then wait. Raises ``Stopped``, or what kept it from going on."""
    with ExitStack() as running:
        hold = running.enter_context(own(settings.data))
        _refuse_taken_port(settings)
        laws = open_lawbook(settings.laws)
        with plainly(settings.data):
            settings.signing_key()
        children, urls = _servers(settings, hold, running)
        _prepare_database(urls.database, laws, settings)
        running.enter_context(announced(settings.data, urls))
        web = running.enter_context(_web(settings, urls, hold))
        if settings.exposed:
            _say(
                f"Atenção: quem chegar a {settings.host}:{settings.port} sem passar pelo proxy pode fingir o endereço "
                "de outro (X-Forwarded-For). Feche esta porta no firewall a todos menos ao proxy."
            )
        _say(_welcome(settings, laws))
        raise _first_to_die([web, *children]).obituary()


def web() -> Flask:
    """What each worker serves: the application, with the laws read before its first request."""
    from app import create_app  # here, for the parent process does without and starts a second sooner

    app = create_app()
    with app.app_context():
        lawbook()
    return app


def _servers(settings: Settings, hold: int, running: ExitStack) -> tuple[list[Child], Urls]:
    """Start the embedded servers that no setting replaces."""
    account = unprivileged(settings.data)
    sockets = running.enter_context(socket_folder(account))
    children = []
    database_url, redis_url = settings.database_url, settings.redis_url
    if database_url is None:
        child, database_url = running.enter_context(postgres(settings.data, sockets, account, hold=hold))
        children.append(child)
    if redis_url is None:
        child, redis_url = running.enter_context(valkey(settings.data, sockets, account, hold=hold))
        children.append(child)
    else:
        _ask_redis(redis_url)
    return children, Urls(database_url, redis_url)


def _ask_redis(url: str) -> None:
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=5) as client:
            client.ping()
    except redis.RedisError as why:
        raise CannotStart(f"O servidor de PONTUAL_REDIS_URL não responde ({why}). Confira o endereço.") from why


def _prepare_database(url: str, laws: LawBook, settings: Settings) -> None:
    """Bring the database to the newest shape; keep every norm loaded, and what the geodata files start with."""
    store = Connections(settings.data, url)
    try:
        migrate(store.engine)
        with store.sessions.begin() as session:
            publish(session, _texts(laws))
            seed(session, settings.geodata, date.today())  # noqa: DTZ011 - the day where this machine stands
        for table in settings.geodata.glob("*/places.csv"):
            Gazetteer(store).seed(table.parent.name, sheet.read(table.read_bytes()), by="geodata")
    except DBAPIError as why:
        if says_disk_full(str(why.orig)):
            raise disk_is_full(settings.data) from why
        raise CannotStart(f"O PostgreSQL recusou a preparação do banco de dados: {why.orig}") from why
    except (BadFeature, BadPerimeter, AtlasError, sheet.BadSheet) as why:
        raise CannotStart(f"Um arquivo de {settings.geodata} foi recusado: {why}") from why
    finally:
        store.engine.dispose()


def _texts(laws: LawBook) -> Iterator[NormText]:
    for town in laws.municipalities.values():
        for norm in (*town.norms, *town.federal):
            ref = norm.ref
            yield NormText(ref.id, ref.version, ref.id.split("/")[0], ref.label, ref.in_force_from, norm.source)


@contextmanager
def _web(settings: Settings, urls: Urls, hold: int) -> Iterator[Child]:
    """The web workers, answering."""
    metrics = settings.data / "metrics"
    with plainly(settings.data):
        shutil.rmtree(metrics, ignore_errors=True)  # counts of processes that are gone
        metrics.mkdir(mode=0o700)
    program = Path(sys.executable).parent
    options = {
        "--host": settings.host,
        "--port": settings.port,
        "--workers": settings.workers,
        "--http": 1,  # what proxies speak to us; HTTP/2 would take 16 MB of headers on each of 200 streams
        "--http1-header-read-timeout": MILLISECONDS_FOR_HEADERS,
        "--http1-buffer-size": LARGEST_HEADERS,
        "--backpressure": CONNECTIONS,
        "--blocking-threads": BLOCKING_THREADS,
        "--log-level": "error",
        "--workers-kill-timeout": SECONDS_TO_FINISH_REQUESTS,
    }
    environment = {
        **os.environ,
        "PATH": f"{program}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "PONTUAL_DATA": str(settings.data),
        "PONTUAL_LAWS": str(settings.laws),
        "PONTUAL_GEODATA": str(settings.geodata),
        "PONTUAL_DATABASE_URL": urls.database,
        "PONTUAL_REDIS_URL": urls.redis,
        "PROMETHEUS_MULTIPROC_DIR": str(metrics),
    }
    command: list[str | Path] = [program / "granian", "--interface", "wsgi", "--factory", "serve:web"]
    command += ["--respawn-failed-workers"]
    command += [str(word) for option in options.items() for word in option]
    child = Child("O servidor web", command, log=None, cwd=HERE, env=environment, hold=hold)
    try:
        try:
            until_ready(child, lambda: _ask_health(settings), (OSError, http.client.HTTPException))
        except BaseException:
            child.kill()  # it serves nobody yet
            raise
        yield child
    finally:
        child.stop(SECONDS_TO_STOP)


def _ask_health(settings: Settings) -> None:
    connection = http.client.HTTPConnection(_reachable(settings.host), settings.port, timeout=5)
    try:
        connection.request("GET", "/health")
        if connection.getresponse().status != 200:
            raise http.client.HTTPException("/health não respondeu 200")
    finally:
        connection.close()


def _refuse_taken_port(settings: Settings) -> None:
    """The web workers share their port among themselves, so they would share it with a stranger too."""
    where = f"{settings.host}:{settings.port}"
    try:
        family, kind, _, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except socket.gaierror as why:
        raise CannotStart(f"PONTUAL_HOST={settings.host!r} não é um endereço desta máquina ({why.strerror}).") from why
    except OSError as why:
        reasons = {
            errno.EADDRINUSE: "a porta já está em uso por outro programa. Pare-o, ou escolha outra com PONTUAL_PORT",
            errno.EACCES: "o sistema não permite esta porta a um usuário comum. Escolha uma acima de 1023",
            errno.EADDRNOTAVAIL: "o endereço não é desta máquina. Corrija PONTUAL_HOST",
        }
        raise CannotStart(f"Não posso escutar em {where}: {reasons.get(why.errno or 0, why.strerror)}.") from why


def _first_to_die(children: Sequence[Child]) -> Child:
    """Wait until one of them ends, or ``Stopped`` is raised by a signal."""
    ended: SimpleQueue[Child] = SimpleQueue()

    def watch(child: Child) -> None:
        child.wait()
        ended.put(child)

    for child in children:
        Thread(target=watch, args=[child], daemon=True).start()
    return ended.get()


def _welcome(settings: Settings, laws: LawBook) -> str:
    host = settings.host if ":" not in settings.host else f"[{settings.host}]"
    address = f"http://{host}:{settings.port}"
    lines = [f"Pontual no ar em {address} (dados em {settings.data}; Ctrl-C para parar)."]
    example = example_request(laws)
    if example is not None:
        lines += [
            "Experimente:",
            f"  curl -s {address}/api/v1/fares -H 'Content-Type: application/json' -d '{json.dumps(example)}'",
        ]
    return "\n".join(lines)


def example_request(laws: LawBook) -> dict[str, object] | None:
    """A trip out of town and back in the first municipality whose law prices it now; None where none does."""
    out = [{"zone": "urban", "km": "2"}, {"zone": "rural", "km": "10"}]
    back = [{**leg, "direction": "return"} for leg in reversed(out)]
    for slug, town in sorted(laws.municipalities.items()):
        example = {
            "municipality": slug,
            "started_at": f"{datetime.now(town.zone_info):%Y-%m-%dT%H:%M}",
            "legs": [*out, *back],
            "same_vehicle_return": True,
        }
        with suppress(FactMissing):
            if fare(laws, slug, FareIn().load(example).trip(town.zone_info)).status is Status.PRICED:
                return example
    return None


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104 - asked, not bound


def _stop(signum: int, frame: FrameType | None) -> None:
    for each in STOP_SIGNALS:
        signal.signal(each, signal.SIG_IGN)  # once is enough: stopping must not be cut short
    raise Stopped


def _say(text: str) -> None:
    with suppress(OSError):  # the terminal may be gone
        click.echo(text)


if __name__ == "__main__":
    sys.exit(main())

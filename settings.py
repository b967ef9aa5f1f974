"""Every setting, read once from the environment.

The fields of `Settings` are the only list: `python settings.py` renders them as the table in
docs/settings.md, and a test fails when that file is out of date.
"""
# ruff: noqa: RUF009 - every call in the class body returns a dataclass field

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

__all__ = ["BadSetting", "Environment", "Settings", "settings_table"]

SHORTEST_SECRET = 32
LEAST_VARIETY = 10
"""Different characters of a signing key: those made as advised have about thirty."""
MAKE_ONE = "gere uma com: python3 -c 'import secrets; print(secrets.token_urlsafe(48))'"

_HOST_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-:[]")

PAGE_HEAD = """\
# Settings

Read once from the environment at start. An empty variable counts as absent; a value that cannot
be used stops the start with a message naming the variable. This page is written by
`python settings.py > docs/settings.md`; change `settings.py`, not the page.

| variable | default | what it does |
|---|---|---|
"""


class BadSetting(ValueError):
    """A setting cannot be used; the message, in Portuguese, names the variable and the remedy."""


class Environment(StrEnum):
    """Where the program runs; production refuses what is only a convenience."""

    DEVELOPMENT = "development"
    PRODUCTION = "production"


def _text(name: str, raw: str) -> str:
    return raw


def _whole(lowest: int, highest: int) -> Callable[[str, str], int]:
    def parse(name: str, raw: str) -> int:
        if not (raw.isascii() and raw.isdigit()) or not lowest <= int(raw) <= highest:
            raise BadSetting(f"{name}={raw!r}: use um número inteiro de {lowest} a {highest}.")
        return int(raw)

    return parse


def _folder(name: str, raw: str) -> Path:
    if "\0" in raw:
        raise BadSetting(f"{name}={raw!r}: não é um caminho de pasta.")
    return Path(raw).expanduser().absolute()


def _url(*schemes: str) -> Callable[[str, str], str]:
    def parse(name: str, raw: str) -> str:
        try:
            scheme = urlsplit(raw).scheme
        except ValueError as why:
            raise BadSetting(f"{name}: endereço ilegível ({why}).") from None
        if scheme not in schemes:
            expected = ", ".join(f"{each}://" for each in schemes)
            raise BadSetting(f"{name}: o endereço deve começar com {expected}.")
        return raw

    return parse


def _one_of(*allowed: str) -> Callable[[str, str], str]:
    def parse(name: str, raw: str) -> str:
        if raw not in allowed:
            raise BadSetting(f"{name}={raw!r}: use um destes valores: {', '.join(allowed)}.")
        return raw

    return parse


def _environment(name: str, raw: str) -> Environment:
    return Environment(_one_of(*Environment)(name, raw))


def _encrypted_or_local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1", "::1")


def _secret(name: str, raw: str) -> str:
    if len(raw) < SHORTEST_SECRET:
        raise BadSetting(f"{name}: a chave de assinatura precisa de ao menos {SHORTEST_SECRET} caracteres; {MAKE_ONE}")
    if len(set(raw)) < LEAST_VARIETY:
        raise BadSetting(f"{name}: a chave de assinatura repete poucos caracteres e seria adivinhada; {MAKE_ONE}")
    return raw


def _origin(name: str, raw: str) -> str:
    """An address of only scheme, host and port, as browsers write it in `Origin`."""
    try:
        parts = urlsplit(raw)
        told = f"{parts.scheme}://{parts.netloc}"
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known, told = False, ""
    if not known or raw != told or "@" in told or not _HOST_CHARACTERS.issuperset(parts.netloc):
        raise BadSetting(
            f"{name}={raw!r}: escreva só o esquema e o servidor, em minúsculas, como https://pontual.exemplo.com.br."
        )
    return raw


def _origins(name: str, raw: str) -> tuple[str, ...]:
    return tuple(_origin(name, each.strip()) for each in raw.split(","))


def _setting(
    variable: str, default: str | None, parse: Callable[[str, str], Any], about: str, *, nothing: Any = None
) -> Any:
    """One documented setting; ``default`` is as in the environment, ``nothing`` the value when it is None."""
    return field(
        default_factory=lambda: nothing if default is None else parse(variable, default),
        metadata={"variable": variable, "default": default, "parse": parse, "about": about},
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """What this process was told: `Settings.from_env()`; tests pass a dict of variables."""

    env: Environment = _setting(
        "PONTUAL_ENV",
        "development",
        _environment,
        "`development` or `production`. Production demands `PONTUAL_SECRET`, `PONTUAL_PUBLIC_URL` and "
        "`PONTUAL_TRUSTED_PROXIES`, and refuses Flask's debug mode.",
    )
    host: str = _setting("PONTUAL_HOST", "127.0.0.1", _text, "Address the HTTP server listens on.")
    port: int = _setting("PONTUAL_PORT", "8000", _whole(1, 65535), "Port the HTTP server listens on.")
    public_url: str | None = _setting(
        "PONTUAL_PUBLIC_URL",
        None,
        _origin,
        "Address people reach the service by (`https://pontual.exemplo.com.br`): the one in QR codes. With https, "
        "answers also carry HSTS. Without it, the address is that of the request, if it is an IP address or localhost.",
    )
    trusted_proxies: int = _setting(
        "PONTUAL_TRUSTED_PROXIES",
        "0",
        _whole(0, 10),
        "How many proxies of yours a request passes; the client's address is then the last but that many in "
        "`X-Forwarded-For`. 0: that header is not believed.",
    )
    cors_origins: tuple[str, ...] = _setting(
        "PONTUAL_CORS_ORIGINS",
        None,
        _origins,
        "Origins of other sites whose pages may call the API, separated by commas "
        "(`https://app.exemplo.com.br,https://painel.exemplo.com.br`); never with cookies.",
        nothing=(),
    )
    limits_times: int = _setting(
        "PONTUAL_LIMITS_TIMES",
        "1",
        _whole(1, 1000),
        "Multiplies every limit of requests (`accounts/limits.py`), where many people share one address.",
    )
    workers: int = _setting("PONTUAL_WORKERS", "2", _whole(1, 128), "Worker processes of the HTTP server.")
    data: Path = _setting(
        "PONTUAL_DATA",
        "./data",
        _folder,
        "The one folder where all data lives; one running copy per folder.",
    )
    database_url: str | None = _setting(
        "PONTUAL_DATABASE_URL",
        None,
        _url("postgresql", "postgresql+psycopg"),
        "PostgreSQL to use instead of the embedded one.",
    )
    redis_url: str | None = _setting(
        "PONTUAL_REDIS_URL",
        None,
        _url("redis", "rediss", "unix"),
        "Redis or Valkey to use instead of the embedded one.",
    )
    laws: Path = _setting("PONTUAL_LAWS", "./laws", _folder, "Folder with one folder per town.")
    geodata: Path = _setting("PONTUAL_GEODATA", "./geodata", _folder, "Folder with one folder of GeoJSON per town.")
    roads: str = _setting(
        "PONTUAL_ROADS",
        "embedded",
        _one_of("embedded", "osrm", "valhalla", "estimate"),
        "Road distance: `embedded` (built by `flask zones roads build`), an `osrm` or `valhalla` "
        "server, or `estimate`. Where roads are not known the answer is an estimate and says so.",
    )
    roads_url: str | None = _setting(
        "PONTUAL_ROADS_URL",
        None,
        _url("http", "https"),
        "Base address of the server, when `PONTUAL_ROADS` is `osrm` or `valhalla`.",
    )
    geocoder: str = _setting(
        "PONTUAL_GEOCODER",
        "none",
        _one_of("none", "nominatim", "photon"),
        "Online address search, asked only when the local gazetteer was not enough: `none`, "
        "`nominatim` or `photon`. What passengers type then leaves this machine.",
    )
    geocoder_url: str | None = _setting(
        "PONTUAL_GEOCODER_URL",
        None,
        _url("http", "https"),
        "Base address of the geocoder; without it, the public server of the chosen kind.",
    )
    geocoder_user_agent: str | None = _setting(
        "PONTUAL_GEOCODER_USER_AGENT",
        None,
        _text,
        "How the geocoder's operator can reach you (`Central de Tal, contato@exemplo.com.br`); "
        "demanded when a geocoder is set.",
    )
    quote_minutes: int = _setting("PONTUAL_QUOTE_MINUTES", "10", _whole(1, 1440), "Minutes a quote stays valid.")
    access_minutes: int = _setting(
        "PONTUAL_ACCESS_MINUTES", "15", _whole(1, 60), "Minutes an access token is good for; then it is refreshed."
    )
    session_days: int = _setting(
        "PONTUAL_SESSION_DAYS",
        "30",
        _whole(1, 365),
        "Days after which passengers and riders sign in again, however often refreshed.",
    )
    staff_session_hours: int = _setting(
        "PONTUAL_STAFF_SESSION_HOURS",
        "12",
        _whole(1, 168),
        "Hours after which operators, inspectors, authorities and admins sign in again.",
    )
    totp_issuer: str = _setting(
        "PONTUAL_TOTP_ISSUER", "Pontual", _text, "Name that authenticator apps show beside the codes."
    )
    messenger_url: str | None = _setting(
        "PONTUAL_MESSENGER_URL",
        None,
        _url("http", "https"),
        "Where messages to phones are posted, as JSON `{phone, message}`. Without it they go to the file "
        "`messages.log` of the data folder in development, and nowhere in production: nobody signs in by phone.",
    )
    privacy_contact: str | None = _setting(
        "PONTUAL_PRIVACY_CONTACT",
        None,
        _text,
        "The data protection officer (LGPD art. 41) and how to reach them "
        "(`Nome, privacidade@exemplo.com.br`); shown on `/privacidade`, which says when it is missing.",
    )
    log_level: str = _setting(
        "PONTUAL_LOG_LEVEL",
        "INFO",
        _one_of("DEBUG", "INFO", "WARNING", "ERROR"),
        "Least severe log entry written: `DEBUG`, `INFO`, `WARNING` or `ERROR`.",
    )
    messenger_token: str | None = field(
        default=None,
        repr=False,
        metadata={
            "variable": "PONTUAL_MESSENGER_TOKEN",
            "default": None,
            "parse": _text,
            "about": "Sent to `PONTUAL_MESSENGER_URL` as a bearer token.",
        },
    )
    secret: str | None = field(
        default=None,
        repr=False,
        metadata={
            "variable": "PONTUAL_SECRET",
            "default": None,
            "parse": _secret,
            "about": "Key that signs tokens and codes, 32 characters or more. "
            "In development one is made in the data folder (`secret`, mode 0600) when absent.",
        },
    )

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """Read every setting; an empty variable counts as absent. Raises ``BadSetting``."""
        told: dict[str, Any] = {}
        for each in fields(cls):
            variable = each.metadata["variable"]
            raw = environ.get(variable, "").strip()
            if raw:
                told[each.name] = each.metadata["parse"](variable, raw)
        settings = cls(**told)
        if settings.env is Environment.PRODUCTION:
            settings._refuse_conveniences(environ)
        if settings.roads in ("osrm", "valhalla") and settings.roads_url is None:
            raise BadSetting(f"PONTUAL_ROADS={settings.roads} precisa do endereço do servidor em PONTUAL_ROADS_URL.")
        if settings.geocoder != "none" and settings.geocoder_user_agent is None:
            raise BadSetting(
                "PONTUAL_GEOCODER_USER_AGENT não foi definida; quem opera o geocodificador exige saber quem "
                "pergunta: informe o nome da central e um contato, ou use PONTUAL_GEOCODER=none."
            )
        return settings

    def _refuse_conveniences(self, environ: Mapping[str, str]) -> None:
        """What a developer may leave out and a town may not. Raises ``BadSetting``."""
        if self.secret is None:
            raise BadSetting(
                f"PONTUAL_SECRET não foi definida, e em produção (PONTUAL_ENV=production) ela é obrigatória; {MAKE_ONE}"
            )
        if self.public_url is None or not self.public_url.startswith("https://"):
            raise BadSetting(
                "PONTUAL_PUBLIC_URL deve ser, em produção, o endereço https:// pelo qual as pessoas chegam: "
                "senhas e posições não viajam abertas, e o QR de um recibo não pode levar a outro lugar."
            )
        if self.trusted_proxies == 0:
            raise BadSetting(
                "PONTUAL_TRUSTED_PROXIES deve dizer, em produção, por quantos proxies seus o pedido passa (quase "
                "sempre 1, o que cifra a conexão): sem isso todos parecem vir do proxy, e nenhum limite vale."
            )
        if self.messenger_url is not None and not _encrypted_or_local(self.messenger_url):
            raise BadSetting(
                "PONTUAL_MESSENGER_URL deve ser https:// em produção, ou desta máquina: leva códigos de acesso."
            )
        if environ.get("FLASK_DEBUG", "").lower() not in ("", "0", "false", "no"):
            raise BadSetting("FLASK_DEBUG está ligada; em produção ela mostraria o programa por dentro. Desligue-a.")

    @property
    def exposed(self) -> bool:
        """Whether requests can reach the server without passing the proxies it trusts."""
        return self.trusted_proxies > 0 and self.host not in ("127.0.0.1", "::1", "localhost")

    def signing_key(self) -> str:
        """The key that signs tokens: the one given or, in development, one in the data folder.

        Several processes asking at once get the same key. Raises ``OSError`` if it cannot be kept.
        """
        if self.secret is not None:
            return self.secret
        kept = self.data / "secret"
        if not kept.exists():
            self.data.mkdir(parents=True, exist_ok=True)
            draft = self.data / f".secret-{secrets.token_hex(8)}"
            draft.touch(mode=0o600, exist_ok=False)
            try:
                draft.write_text(secrets.token_urlsafe(48))
                os.link(draft, kept)  # refuses to replace: the first of two starters wins
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return kept.read_text()


def settings_table() -> str:
    """The text of docs/settings.md."""
    rows = [
        f"| `{each.metadata['variable']}` | {_shown(each.metadata['default'])} | {each.metadata['about']} |"
        for each in fields(Settings)
    ]
    return PAGE_HEAD + "".join(f"{row}\n" for row in rows)


def _shown(default: str | None) -> str:
    return "none" if default is None else f"`{default}`"


if __name__ == "__main__":
    sys.stdout.write(settings_table())

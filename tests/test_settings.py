"""Settings: read once, refused plainly, documented in one place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import pytest

from settings import BadSetting, Environment, Settings, settings_table

HERE = Path(__file__).parent.parent
SECRET = "0123456789abcdefghijklmnopqrstuvwxyz"
PRODUCTION = {
    "PONTUAL_ENV": "production",
    "PONTUAL_SECRET": SECRET,
    "PONTUAL_PUBLIC_URL": "https://pontual.example",
    "PONTUAL_TRUSTED_PROXIES": "1",
}


def test_without_any_variable_a_developers_machine_runs() -> None:
    settings = Settings.from_env({})

    assert settings.env is Environment.DEVELOPMENT
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8000, 2)
    assert settings.data == Path.cwd() / "data"
    assert settings.database_url is None
    assert settings.redis_url is None


def test_every_setting_comes_from_its_variable(tmp_path: Path) -> None:
    settings = Settings.from_env(
        {
            **PRODUCTION,
            "PONTUAL_PORT": " 9000 ",
            "PONTUAL_DATA": str(tmp_path),
            "PONTUAL_DATABASE_URL": "postgresql://db/pontual",
            "PONTUAL_REDIS_URL": "rediss://cache",
        }
    )

    assert settings.port == 9000
    assert settings.data == tmp_path
    assert settings.database_url == "postgresql://db/pontual"
    assert settings.redis_url == "rediss://cache"
    assert settings.signing_key() == SECRET


def test_an_empty_variable_counts_as_absent() -> None:
    assert Settings.from_env({"PONTUAL_PORT": "", "PONTUAL_DATABASE_URL": " "}) == Settings.from_env({})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PONTUAL_PORT", "80a"),
        ("PONTUAL_PORT", "0"),
        ("PONTUAL_PORT", "65536"),
        ("PONTUAL_PORT", "٨٠٨٠"),
        ("PONTUAL_WORKERS", "-1"),
        ("PONTUAL_ENV", "prod"),
        ("PONTUAL_LOG_LEVEL", "verbose"),
        ("PONTUAL_DATABASE_URL", "mysql://db"),
        ("PONTUAL_REDIS_URL", "http://cache"),
        ("PONTUAL_REDIS_URL", "redis://[oops"),
        ("PONTUAL_SECRET", "short"),
        ("PONTUAL_QUOTE_MINUTES", "1.5"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_name(variable: str, value: str) -> None:
    with pytest.raises(BadSetting, match=variable):
        Settings.from_env({variable: value})


def test_production_without_a_secret_is_refused() -> None:
    with pytest.raises(BadSetting, match=r"PONTUAL_SECRET não foi definida.*gere uma"):
        Settings.from_env({"PONTUAL_ENV": "production"})


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("PONTUAL_SECRET", "curta", "32 caracteres"),
        ("PONTUAL_SECRET", "a" * 64, "adivinhada"),
        ("PONTUAL_PUBLIC_URL", "", "PONTUAL_PUBLIC_URL"),
        ("PONTUAL_PUBLIC_URL", "http://pontual.example", "https://"),
        ("PONTUAL_PUBLIC_URL", "https://pontual.example/caminho", "só o esquema e o servidor"),
        ("PONTUAL_PUBLIC_URL", "https://eu@pontual.example", "só o esquema e o servidor"),
        ("PONTUAL_TRUSTED_PROXIES", "", "PONTUAL_TRUSTED_PROXIES"),
        ("PONTUAL_TRUSTED_PROXIES", "0", "PONTUAL_TRUSTED_PROXIES"),
        ("PONTUAL_MESSENGER_URL", "http://mensagens.example", "PONTUAL_MESSENGER_URL"),
        ("FLASK_DEBUG", "1", "FLASK_DEBUG"),
    ],
)
def test_production_refuses_what_is_only_convenient(variable: str, value: str, said: str) -> None:
    Settings.from_env(PRODUCTION)
    with pytest.raises(BadSetting, match=said):
        Settings.from_env({**PRODUCTION, variable: value})


@pytest.mark.parametrize(
    ("host", "proxies", "exposed"), [("0.0.0.0", "1", True), ("127.0.0.1", "1", False), ("::", "0", False)]
)
def test_a_port_open_beside_the_proxy_is_known(host: str, proxies: str, exposed: bool) -> None:
    assert Settings.from_env({"PONTUAL_HOST": host, "PONTUAL_TRUSTED_PROXIES": proxies}).exposed is exposed


def test_the_secret_is_not_shown() -> None:
    assert SECRET not in repr(Settings.from_env({"PONTUAL_SECRET": SECRET}))


def test_processes_that_start_at_once_share_one_signing_key(tmp_path: Path) -> None:
    settings = Settings.from_env({"PONTUAL_DATA": str(tmp_path / "new")})

    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: settings.signing_key(), range(8)))

    assert len(keys) == 1
    assert len(keys.pop()) >= 32
    kept = list((tmp_path / "new").iterdir())
    assert [file.name for file in kept] == ["secret"]
    assert kept[0].stat().st_mode & 0o777 == 0o600


def test_the_page_of_settings_is_current() -> None:
    assert (HERE / "docs" / "settings.md").read_text() == settings_table(), "run: python settings.py > docs/settings.md"


def test_every_setting_is_documented() -> None:
    for each in fields(Settings):
        assert f"| `{each.metadata['variable']}` |" in settings_table()
        assert each.metadata["about"]

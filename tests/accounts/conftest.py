"""The application with real servers and a clock that stands until it is told to go on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from settings import Settings
from tests.accounts.stage import Clock, Stage

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def variables(database_url: str, redis_url: str, tmp_path: Path) -> dict[str, str]:
    """The settings of ``app``; a test may change them before asking for it."""
    return {
        "PONTUAL_DATA": str(tmp_path / "data"),
        "PONTUAL_DATABASE_URL": database_url,
        "PONTUAL_REDIS_URL": redis_url,
        "PONTUAL_LAWS": str(ROOT / "laws"),
        "PONTUAL_GEODATA": str(ROOT / "geodata"),
        "PONTUAL_ROADS": "estimate",
        "PONTUAL_LOG_LEVEL": "ERROR",
        "PONTUAL_LIMITS_TIMES": "1000",
    }


@pytest.fixture
def app(variables: dict[str, str], clock: Clock) -> Iterator[Flask]:
    app = create_app(Settings.from_env(variables))
    app.extensions["reception"] = replace(app.extensions["reception"], clock=clock)
    yield app
    app.extensions["store"].engine.dispose()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def stage(app: Flask, clock: Clock) -> Stage:
    return Stage(app, clock)

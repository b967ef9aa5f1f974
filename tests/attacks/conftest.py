"""The whole application as a stranger meets it, with real servers behind it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from settings import Settings
from zones.store import seed

ROOT = Path(__file__).parents[2]


@pytest.fixture
def app(database_url: str, redis_url: str, tmp_path: Path) -> Iterator[Flask]:
    app = create_app(
        Settings.from_env(
            {
                "PONTUAL_DATA": str(tmp_path / "data"),
                "PONTUAL_DATABASE_URL": database_url,
                "PONTUAL_REDIS_URL": redis_url,
                "PONTUAL_LAWS": str(ROOT / "laws"),
                "PONTUAL_GEODATA": str(ROOT / "geodata"),
                "PONTUAL_ROADS": "estimate",
                "PONTUAL_LOG_LEVEL": "INFO",
                "PONTUAL_LIMITS_TIMES": "1000",
            }
        )
    )
    with app.extensions["store"].sessions.begin() as session:
        seed(session, ROOT / "geodata", date(2026, 11, 30))
    yield app
    app.extensions["store"].engine.dispose()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()

"""The address in QR codes: the settings', never a stranger's claim."""

from __future__ import annotations

import pytest
from werkzeug.test import EnvironBuilder

from api.addresses import public_address
from api.problem import Problem
from app import create_app
from settings import Settings


def address(host: str, **variables: str) -> str:
    app = create_app(Settings.from_env({"PONTUAL_DATA": "/nothing/here", "PONTUAL_LOG_LEVEL": "ERROR", **variables}))
    environ = EnvironBuilder(path="/").get_environ() | {"HTTP_HOST": host}
    with app.request_context(environ):
        return public_address("/verify/abc")


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "pontual.example@evil.example", "a,b", "", "\r\nX: y"]
)
def test_the_settings_address_stands_whatever_the_request_claims(host: str):
    assert address(host, PONTUAL_PUBLIC_URL="https://pontual.example") == "https://pontual.example/verify/abc"


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "localhost", "192.168.1.5:8000", "[::1]:8000"])
def test_without_it_a_machine_is_believed(host: str):
    assert address(host) == f"http://{host}/verify/abc"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1@evil.example",
        "evil.example:127.0.0.1",
        "127.0.0.1/evil",
        "127.0.0.1,evil.example",
        "127.0.0.1:99999",
        "127.0.0.1\r\nX: y",
        "",
    ],
)
def test_without_it_no_name_is_believed(host: str):
    with pytest.raises(Problem) as refused:
        address(host)
    assert (refused.value.status, refused.value.code) == (400, "unknown_host")

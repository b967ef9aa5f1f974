"""Passengers sign in with a code sent to the phone, through a real messenger: a file, or a provider over HTTP."""

from __future__ import annotations

import json
import threading
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from sqlalchemy import func, select

from accounts.models import SentCode
from app import create_app
from settings import Settings
from tests.accounts.stage import OTHER_TOWN, PHONE, Clock, Stage, told


def test_a_code_makes_a_passenger_of_a_phone_and_is_good_once(stage: Stage) -> None:
    assert stage.ask_code().status_code == 202
    (code,) = stage.codes_sent()

    answer = stage.by_phone(code)

    assert answer.status_code == 201
    assert answer.json["account"]["login"] == "+55******1234"
    assert stage.by_phone(code).status_code == 401
    with stage.reception.sessions.begin() as session:
        assert session.scalar(select(func.count()).select_from(SentCode)) == 0


def test_a_second_sign_in_by_phone_is_the_same_passenger(stage: Stage, clock: Clock) -> None:
    ids = []
    for _ in range(2):
        stage.ask_code()
        ids.append(stage.by_phone(stage.codes_sent()[-1]).json["account"]["id"])
        clock.forward(hours=2)

    assert ids[0] == ids[1]


def test_a_code_is_good_for_five_minutes_in_its_town(stage: Stage, clock: Clock) -> None:
    stage.ask_code()
    (code,) = stage.codes_sent()

    assert stage.by_phone(code, OTHER_TOWN).status_code == 401
    clock.forward(minutes=5)
    assert stage.by_phone(code).status_code == 401


def test_after_five_wrong_tries_the_right_code_is_wrong_too(stage: Stage, clock: Clock) -> None:
    stage.ask_code()
    (code,) = stage.codes_sent()
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"

    for _ in range(5):
        clock.forward(seconds=31)
        assert stage.by_phone(wrong).status_code == 401
    clock.forward(seconds=31)

    assert stage.by_phone(code).status_code == 401


def test_known_and_unknown_phones_are_told_the_same(stage: Stage, clock: Clock) -> None:
    first = told(stage.ask_code())
    stage.by_phone(stage.codes_sent()[-1])
    clock.forward(minutes=2)

    assert told(stage.ask_code()) == first
    assert first[1] == {"detail": "O código foi enviado a +55******1234."}


def test_codes_to_one_phone_are_spaced_wherever_they_are_asked_from(stage: Stage, clock: Clock) -> None:
    assert stage.ask_code().status_code == 202
    clock.forward(seconds=61)
    assert stage.ask_code(address="10.0.0.3").status_code == 202

    again = stage.ask_code(town=OTHER_TOWN, address="10.0.0.4")

    assert (again.status_code, again.headers["Retry-After"]) == (429, "120")
    assert len(stage.codes_sent()) == 2


@pytest.mark.parametrize("phone", ["+556934612234", "190", "+5569992841234\r\nX: y", "99284-1234"])
def test_what_cannot_get_a_message_is_refused(stage: Stage, phone: str) -> None:
    answer = stage.ask_code(phone)

    assert (answer.status_code, answer.json["errors"][0]["path"]) == (422, "phone")


def test_codes_are_kept_neither_plain_nor_by_a_bare_hash(stage: Stage) -> None:
    stage.ask_code()
    (code,) = stage.codes_sent()
    with stage.reception.sessions.begin() as session:
        kept = session.scalars(select(SentCode)).one().code_hmac

    assert code.encode() not in kept
    assert kept != sha256(code.encode()).digest()
    mode = (stage.app.extensions["settings"].data / "messages.log").stat().st_mode & 0o777
    assert mode == 0o600


class Provider(BaseHTTPRequestHandler):
    """A message provider; the path says how it answers."""

    got: list[tuple[str | None, dict[str, str]]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got.append((self.headers["Authorization"], json.loads(body)))
        self.send_response(int(self.path.strip("/")))
        if self.path == "/302":
            self.send_header("Location", "/200")
        self.end_headers()

    def do_GET(self) -> None:
        """Where a redirect leads: nobody is to come here."""
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


@pytest.mark.parametrize(("answers", "status"), [(200, 202), (302, 503), (500, 503)])
def test_messages_go_to_the_provider_of_the_setting(
    variables: dict[str, str], clock: Clock, answers: int, status: int
) -> None:
    handler = type("Handler", (Provider,), {"got": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    variables |= {
        "PONTUAL_MESSENGER_URL": f"http://127.0.0.1:{server.server_port}/{answers}",
        "PONTUAL_MESSENGER_TOKEN": "segredo do provedor",
    }
    app = create_app(Settings.from_env(variables))
    try:
        answer = Stage(app, clock).ask_code()
    finally:
        server.shutdown()
        server.server_close()
        app.extensions["store"].engine.dispose()

    assert answer.status_code == status
    ((authorization, message),) = handler.got  # type: ignore[attr-defined]  # the subclass has its own
    assert authorization == "Bearer segredo do provedor"
    assert message["phone"] == PHONE
    assert "segredo" not in answer.text

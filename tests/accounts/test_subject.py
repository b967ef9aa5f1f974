"""What a person gets of his data, what is erased on request, and what stays and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from flask import Flask
from sqlalchemy import Column, Engine, ForeignKey, Integer, LargeBinary, Table, Text, select
from sqlalchemy.orm import Session, sessionmaker

from accounts.access_log import What, accesses_to
from accounts.identifiers import Cpf, Phone
from accounts.models import Account, SentCode, SignIn
from accounts.privacy.holds import Hold, hold
from accounts.privacy.retention import Erase, Erasure, Retained, Retention, Through, load_retention
from accounts.privacy.subject import erase, gather
from fares.track_models import Track, TrackFix
from store.database import Base, make_engine, make_sessions
from store.migrations import all_tables

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)
MINE, ANOTHERS = Phone("+5569992841234"), Phone("+5569992840001")
MY_CPF = Cpf("01234567890")


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    all_tables()
    engine = make_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def sessions(engine: Engine) -> sessionmaker[Session]:
    return make_sessions(engine)


def account(session: Session, name: str, login: str, role: str = "passenger", means: str = "phone") -> None:
    session.add(
        Account(
            id=name,
            role=role,
            municipality="xx-cidade",
            means=means,
            login=login,
            name=f"Demo {name}",
            secret_hash="$argon2id$nobody-sees-this",
            created_by="x",
            created_at=NOW,
        )
    )
    session.flush()
    times = {"access_until": NOW, "opened_at": NOW, "until": NOW}
    session.add(SignIn(id=f"entrada-{name}", account_id=name, access_sha256=name.encode(), **times))


@pytest.fixture
def passengers(sessions: sessionmaker[Session]) -> sessionmaker[Session]:
    """Two passengers with a sign-in and a code each."""
    with sessions.begin() as session:
        for name, phone in (("eu", MINE), ("outro", ANOTHERS)):
            account(session, name, phone.e164)
            session.add(SentCode(municipality="xx-cidade", phone=phone.e164, code_hmac=b"c", until=NOW, tries=0))
    return sessions


def test_a_telephone_leads_to_its_own_rows_and_to_what_hangs_on_them(passengers: sessionmaker[Session]):
    with passengers() as session:
        dossier = gather(session, load_retention(), MINE)

    assert {found.kept.table: [dict(row) for row in found.rows] for found in dossier.found}.keys() == {
        "accounts",
        "sign_ins",
        "sent_codes",
    }
    text = repr(dossier.found)
    assert "Demo eu" in text
    assert "entrada-eu" in text
    assert "outro" not in text
    assert ANOTHERS.e164 not in text


def test_secrets_are_given_to_nobody(passengers: sessionmaker[Session]):
    with passengers() as session:
        dossier = gather(session, load_retention(), MINE)

    (mine,) = next(found.rows for found in dossier.found if found.kept.table == "accounts")
    assert mine["secret_hash"].startswith("(segredo")
    assert mine["device_sha256"] is None


def test_what_cannot_be_tied_to_a_person_is_said(passengers: sessionmaker[Session]):
    with passengers() as session:
        dossier = gather(session, load_retention(), MINE)

    assert {"quotes", "access_log"} <= {kept.table for kept in dossier.unlinked}


def test_erasure_removes_the_telephone_and_the_name_and_shuts_the_account(passengers: sessionmaker[Session]):
    retention = load_retention()
    with passengers.begin() as session:
        became = {each.kept.table: each for each in erase(session, gather(session, retention, MINE))}

    assert (became["accounts"].blanked, became["sent_codes"].deleted, became["sign_ins"].stayed) == (1, 1, 1)
    with passengers() as session:
        mine, other = session.get_one(Account, "eu"), session.get_one(Account, "outro")
        assert (mine.login, mine.name, mine.secret_hash) == ("eliminado:eu", "(eliminado a pedido)", None)
        assert mine.disabled_at is not None
        assert (other.login, other.disabled_at) == (ANOTHERS.e164, None)
        assert list(session.scalars(select(SentCode.phone))) == [ANOTHERS.e164]
        assert gather(session, retention, MINE).found == ()


def test_erasing_twice_changes_nothing_more(passengers: sessionmaker[Session]):
    with passengers.begin() as session:
        erase(session, gather(session, load_retention(), MINE))
    with passengers.begin() as session:
        assert erase(session, gather(session, load_retention(), MINE)) == []


def test_two_passengers_may_both_be_erased_in_one_town(passengers: sessionmaker[Session]):
    with passengers.begin() as session:
        for phone in (MINE, ANOTHERS):
            erase(session, gather(session, load_retention(), phone))

    with passengers() as session:
        assert set(session.scalars(select(Account.login))) == {"eliminado:eu", "eliminado:outro"}


def test_a_riders_tracks_are_given_with_their_positions_when_all_is_asked(sessions: sessionmaker[Session]):
    with sessions.begin() as session:
        account(session, "eu", MINE.e164)
        for name, owner in (("meu", "eu"), ("alheio", None)):
            track = Track(id=name, municipality="xx-cidade", fixes=1, opened_by=owner, facts={}, answer=b'{"total":1}')
            session.add(track)
            session.flush()
            session.add(TrackFix(track_id=name, t=1.0, lat=-11.0, lon=-62.0, mock=False))

    with sessions() as session:
        retention = load_retention()
        brief, whole = (
            next(found for found in gather(session, retention, MINE, whole=each).found if found.kept.table == "tracks")
            for each in (False, True)
        )

    assert [(row["id"], row["answer"]) for row in brief.rows] == [("meu", {"total": 1})]
    assert (brief.counted, brief.parts) == ({"track_fixes": 1}, None)
    assert whole.parts is not None
    assert [(row["track_id"], row["lat"]) for row in whole.parts["track_fixes"]] == [("meu", -11.0)]


class TestWithOtherRooms:
    """The mechanism on tables as later rooms will add them: CPF, several ways, cases, and a chain of three."""

    @pytest.fixture
    def tables(self, engine: Engine) -> Iterator[None]:
        people = Table("test_people", Base.metadata, Column("id", Integer, primary_key=True), Column("cpf", Text))
        cards = Table(
            "test_cards",
            Base.metadata,
            Column("id", Integer, primary_key=True),
            Column("person_id", ForeignKey("test_people.id")),
            Column("phone", Text),
            Column("photo", LargeBinary),
        )
        Base.metadata.create_all(engine, [people, cards])
        with engine.begin() as connection:
            connection.execute(people.insert(), [{"id": 1, "cpf": MY_CPF.digits}, {"id": 2, "cpf": "52998224725"}])
            connection.execute(
                cards.insert(),
                [
                    {"id": 10, "person_id": 1, "phone": MINE.e164, "photo": b"\x00\xff"},
                    {"id": 20, "person_id": 2, "phone": MINE.e164, "photo": None},
                ],
            )
        yield
        for table in (cards, people):
            Base.metadata.remove(table)

    @pytest.fixture
    def retention(self) -> Retention:
        base = load_retention()
        people = replace(
            base.of("place_records"),
            table="test_people",
            subject={"cpf": "cpf"},
            erasure=Erasure(Erase.DELETE, "nada obriga", {}, {}),
        )
        cards: Retained = replace(
            people,
            table="test_cards",
            subject={"phone": "phone"},
            through=Through("test_people", "person_id"),
            held_by_cases=True,
        )
        return replace(base, kept=(people, cards))

    def test_a_cpf_leads_through_the_person_to_his_things(
        self, tables: None, retention: Retention, sessions: sessionmaker[Session]
    ):
        with sessions() as session:
            people, cards = gather(session, retention, MY_CPF).found

        assert people.rows == ({"id": 1, "cpf": MY_CPF.digits},)
        assert cards.rows == ({"id": 10, "person_id": 1, "phone": MINE.e164, "photo": "AP8="},)

    def test_a_shared_telephone_does_not_open_one_persons_cpf_to_the_other(
        self, tables: None, retention: Retention, sessions: sessionmaker[Session]
    ):
        with sessions() as session:
            (cards,) = gather(session, retention, MINE).found

        assert [row["id"] for row in cards.rows] == [10, 20]

    def test_a_case_keeps_what_would_be_erased(
        self, tables: None, retention: Retention, sessions: sessionmaker[Session]
    ):
        with sessions.begin() as session:
            hold(session, retention, Hold("test_cards", "10", "12/2026", "Fiscal nº 1", "r"))
            (cards,) = erase(session, gather(session, retention, MINE))

        assert (cards.deleted, cards.stayed, cards.held_by) == (1, 1, ("12/2026",))

    def test_what_hangs_on_a_row_goes_before_it(
        self, tables: None, retention: Retention, sessions: sessionmaker[Session]
    ):
        with sessions.begin() as session:
            became = erase(session, gather(session, retention, MY_CPF))

        assert [(each.kept.table, each.deleted) for each in became] == [("test_cards", 1), ("test_people", 1)]


class TestCommand:
    @pytest.fixture
    def app_with_me(self, app: Flask) -> Flask:
        with app.extensions["store"].sessions.begin() as session:
            account(session, "eu", MINE.e164)
            account(session, "alvara", "17", role="rider", means="permit")
        return app

    def run(self, app: Flask, *args: str):
        return app.test_cli_runner().invoke(args=["accounts", "export", *args])

    def test_all_of_it_comes_out_as_json_with_its_bases(self, app_with_me: Flask):
        result = self.run(app_with_me, "--phone", "(69) 99284-1234")

        told = json.loads(result.stdout)
        assert result.exit_code == 0
        assert told["titular"] == "+55******1234"
        assert [each["tabela"] for each in told["dados"]] == ["accounts", "sign_ins"]
        assert all(each["base_legal"] and each["prazo"] for each in told["dados"])
        assert told["eliminacao"] is None
        assert "argon2" not in result.stdout

    def test_the_look_itself_is_written_down(self, app_with_me: Flask):
        self.run(app_with_me, "--phone", "(69) 99284-1234", "--case", "LGPD 3/2026", "--by", "Encarregado nº 1")

        with app_with_me.extensions["store"].sessions() as session:
            (look,) = accesses_to(session, What("person", "+55******1234"))
        assert (look.name, look.case_number, look.reason) == ("Encarregado nº 1", "LGPD 3/2026", "exportação")

    def test_erasure_comes_with_what_stays_and_why(self, app_with_me: Flask):
        told = json.loads(self.run(app_with_me, "--phone", "69 99284-1234", "--erase").stdout)

        became = {each["tabela"]: each for each in told["eliminacao"]}
        assert became["accounts"]["anonimizados"] == 1
        assert became["sign_ins"]["mantidos"] == 1
        assert "Marco Civil" in became["sign_ins"]["explicacao"]
        assert json.loads(self.run(app_with_me, "--phone", "69 99284-1234").stdout)["dados"] == []

    def test_a_cpf_that_nobody_keeps_gives_an_empty_answer(self, app_with_me: Flask):
        told = json.loads(self.run(app_with_me, "--cpf", "012.345.678-90").stdout)

        assert (told["titular"], told["dados"]) == ("***.345.678-**", [])

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            ((), "um dos dois"),
            (("--cpf", "012.345.678-90", "--phone", "69 99284-1234"), "um dos dois"),
            (("--cpf", "111.111.111-11"), "não conferem"),
            (("--phone", "9284-1234"), "DDD"),
            (("--phone", "69 99284-1234", "--case", " "), "número do processo"),
        ],
    )
    def test_what_is_asked_wrongly_is_said(self, app_with_me: Flask, args: tuple[str, ...], said: str):
        result = self.run(app_with_me, *args)

        assert (result.exit_code, said in result.output) == (2, True)

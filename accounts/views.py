"""Signing in and out, oneself, the accounts one looks after, and integrators' keys.

No `Idempotency-Key` here: an answer with a secret in it is kept nowhere. Repeating is harmless all the same: logins
and names of keys are unique, and the other steps do nothing the second time.
"""

from __future__ import annotations

from flask import Response, request

from accounts import keys, people, sessions
from accounts.current import current_actor, must_reach, must_work_in, reception, requires
from accounts.gate import GateDown, MustWait
from accounts.messenger import NotSent
from accounts.models import Account, ServiceKey
from accounts.passwords import WeakSecret
from accounts.reception import NotLetIn, Order, Superseded
from accounts.schemas import (
    AccountIn,
    AccountOut,
    AccountPageOut,
    CodeOrder,
    CodeOrderIn,
    IssuedOut,
    KeyIn,
    KeyPageOut,
    MadeKeyOut,
    Me,
    MeOut,
    SecretChange,
    SecretChangeIn,
    SessionOut,
    ShownAccount,
    ShownIssue,
    ShownSession,
    SignInOrder,
    me,
    shown,
    shown_issue,
    shown_session,
)
from api import pages, problem
from api.openapi import Blueprint
from api.problem import Problem
from laws.loader import UnknownMunicipality
from laws.shelf import lawbook
from store.database import Session

signing_in = Blueprint("sessions", __name__, url_prefix="/api/v1/sessions", description="Entrar e sair")
oneself = Blueprint("me", __name__, url_prefix="/api/v1/me", description="Quem sou")
staff = Blueprint("accounts", __name__, url_prefix="/api/v1/accounts", description="Contas de quem trabalha no serviço")
integrators = Blueprint("keys", __name__, url_prefix="/api/v1/service-keys", description="Chaves de sistemas")

BLUEPRINTS = (signing_in, oneself, staff, integrators)


@signing_in.post("")
@signing_in.arguments(SignInOrder())
@signing_in.response(201, SessionOut())
def sign_in(order: Order) -> ShownSession:
    """Entra com senha, com alvará e PIN, com o código recebido no celular, ou renova uma entrada."""
    return shown_session(reception().sign_in(order, request.remote_addr))


@signing_in.post("/codes")
@signing_in.arguments(CodeOrderIn())
@signing_in.response(202)
def ask_code(order: CodeOrder) -> dict[str, str]:
    """Manda um código de seis algarismos ao celular; vale cinco minutos."""
    lawbook().municipality(order.municipality)
    reception().send_code(order.municipality, order.phone.e164, request.remote_addr)
    return {"detail": f"O código foi enviado a {order.phone.masked}."}


@signing_in.delete("/current")
@signing_in.response(204)
@requires("sessions:end")
def sign_out() -> Response:
    """Sai, neste aparelho."""
    desk = reception()
    with desk.sessions.begin() as session:
        sessions.end(session, current_actor().session or "", desk.clock())
    return Response(status=204)


@signing_in.delete("")
@signing_in.response(204)
@requires("sessions:end")
def sign_out_everywhere() -> Response:
    """Sai em todos os aparelhos."""
    desk = reception()
    with desk.sessions.begin() as session:
        sessions.end_all(session, current_actor().id or "", desk.clock(), "signed_out_everywhere")
    return Response(status=204)


@oneself.get("")
@oneself.response(200, MeOut())
@requires("me:read")
def who_am_i() -> Me:
    """Quem é quem pergunta, de que município, e o que pode fazer."""
    return me(current_actor())


@oneself.post("/secret")
@oneself.arguments(SecretChangeIn())
@oneself.response(204)
@requires("me:change_secret")
def change_secret(change: SecretChange) -> Response:
    """Troca a própria senha ou PIN; os outros aparelhos saem."""
    desk, actor = reception(), current_actor()
    if not desk.confirm(actor, change.present, request.remote_addr):
        raise Problem(403, "A senha ou o PIN de agora não confere.", "wrong_secret")
    with desk.sessions.begin() as session:
        account = session.get_one(Account, actor.id, with_for_update=True)
        people.change_secret(session, account, change.new, desk.clock(), kept=actor.session)
    return Response(status=204)


@staff.get("")
@staff.arguments(pages.WindowIn(), location="query")
@staff.response(200, AccountPageOut())
@requires("accounts:read")
def accounts(window: pages.Window) -> pages.Page[ShownAccount]:
    """As contas de que se cuida."""
    with reception().sessions.begin() as session:
        page = people.visible(session, current_actor(), "accounts:read", window)
    return pages.Page([shown(account) for account in page.items], page.next_cursor)


@staff.post("")
@staff.arguments(AccountIn())
@staff.response(201, IssuedOut())
@requires("accounts:create")
def create_account(order: people.NewAccount) -> ShownIssue:
    """Cria uma conta, com uma primeira senha ou PIN que só aparece nesta resposta."""
    desk, actor = reception(), current_actor()
    must_work_in(order.municipality)
    if not actor.manages(order.role):
        raise Problem(403, "Seu acesso não permite criar contas deste tipo.", "role_not_managed")
    if order.municipality is not None:
        lawbook().municipality(order.municipality)
    with desk.sessions.begin() as session:
        return shown_issue(people.create(session, order, desk.enrolment(), actor.caller, desk.clock()))


@staff.get("/<account_id>")
@staff.response(200, AccountOut())
@staff.alt_response(404, "NOT_FOUND")
@requires("accounts:read")
def account(account_id: str) -> ShownAccount:
    """Uma conta de que se cuida."""
    with reception().sessions.begin() as session:
        return shown(_his(session, account_id))


@staff.post("/<account_id>/disable")
@staff.response(200, AccountOut())
@staff.alt_response(404, "NOT_FOUND")
@requires("accounts:disable")
def disable_account(account_id: str) -> ShownAccount:
    """Desativa uma conta; quem estava dentro sai na hora."""
    if account_id == current_actor().id:
        raise Problem(409, "Ninguém desativa a própria conta; peça a outra pessoa.", "own_account")
    with reception().sessions.begin() as session:
        found = _his(session, account_id)
        people.disable(session, found, reception().clock())
        return shown(found)


@staff.post("/<account_id>/enable")
@staff.response(200, AccountOut())
@staff.alt_response(404, "NOT_FOUND")
@requires("accounts:disable")
def enable_account(account_id: str) -> ShownAccount:
    """Reabre uma conta desativada, com a senha ou o PIN que tinha."""
    with reception().sessions.begin() as session:
        found = _his(session, account_id)
        people.enable(found)
        return shown(found)


@staff.post("/<account_id>/reset")
@staff.response(200, IssuedOut())
@staff.alt_response(404, "NOT_FOUND")
@requires("accounts:reset")
def reset_secret(account_id: str) -> ShownIssue:
    """Dá uma nova senha ou PIN inicial (e novo segredo do autenticador); quem estava dentro sai."""
    desk = reception()
    with desk.sessions.begin() as session:
        found = _his(session, account_id)
        if found.secret_hash is None:
            raise Problem(409, "Esta conta não tem senha nem PIN.", "no_secret")
        return shown_issue(people.reset(session, found, desk.enrolment(), desk.clock()))


@staff.post("/<account_id>/rebind")
@staff.response(200, AccountOut())
@staff.alt_response(404, "NOT_FOUND")
@requires("accounts:rebind")
def rebind_device(account_id: str) -> ShownAccount:
    """Libera outro aparelho para um mototaxista: o próximo a entrar com o PIN fica vinculado."""
    with reception().sessions.begin() as session:
        found = _his(session, account_id)
        people.rebind(session, found, reception().clock())
        return shown(found)


@integrators.get("")
@integrators.arguments(pages.WindowIn(), location="query")
@integrators.response(200, KeyPageOut())
@requires("keys:read")
def service_keys(window: pages.Window) -> pages.Page[ServiceKey]:
    """As chaves em uso."""
    with reception().sessions.begin() as session:
        return keys.visible(session, current_actor(), "keys:read", window)


@integrators.post("")
@integrators.arguments(KeyIn())
@integrators.response(201, MadeKeyOut())
@requires("keys:create")
def create_key(order: keys.KeyOrder) -> keys.MadeKey:
    """Cria uma chave, que só aparece nesta resposta."""
    must_work_in(order.municipality)
    if order.municipality is not None:
        lawbook().municipality(order.municipality)
    with reception().sessions.begin() as session:
        return keys.create(session, order, current_actor(), reception().clock())


@integrators.delete("/<key_id>")
@integrators.response(204)
@integrators.alt_response(404, "NOT_FOUND")
@requires("keys:revoke")
def revoke_key(key_id: str) -> Response:
    """Revoga uma chave, na hora."""
    with reception().sessions.begin() as session:
        key = session.get(ServiceKey, key_id, with_for_update=True)
        if key is None:
            raise Problem(404, NOTHING)
        must_reach(key.municipality)
        key.revoked_at = key.revoked_at or reception().clock()
    return Response(status=204)


NOTHING = "Não há nada seu com este número."


def _his(session: Session, account_id: str) -> Account:
    """The account, locked, if it is one the actor looks after. Raises `Problem` 404, the same for all that are not."""
    found = session.get(Account, account_id, with_for_update=True)
    if found is None or not current_actor().manages(found.kind):
        raise Problem(404, NOTHING)
    must_reach(found.municipality)
    return found


def not_let_in(error: NotLetIn) -> Response:
    detail = (
        "Os dados de acesso não conferem. Confira cada um deles, também o código do autenticador, se o seu acesso o "
        "usa; se trocou de aparelho, peça à central ou à prefeitura que libere o novo."
    )
    return Problem(401, detail, "not_let_in", headers={"WWW-Authenticate": 'Bearer realm="pontual"'}).response()


def superseded(error: Superseded) -> Response:
    detail = "Outra aba ou outro pedido acabou de renovar este acesso; use o token que ele recebeu."
    return Problem(409, detail, "superseded").response()


def must_wait(error: MustWait) -> Response:
    detail = f"Tentativas demais. Espere {error.seconds} segundos antes da próxima."
    return Problem(429, detail, "must_wait", headers={"Retry-After": str(error.seconds)}).response()


def gate_down(error: GateDown) -> Response:
    detail = "Não é possível entrar agora. Quem já entrou continua; tente de novo em instantes."
    return Problem(503, detail, "sign_in_unavailable", headers={"Retry-After": "5"}).response()


def not_sent(error: NotSent) -> Response:
    return Problem(503, f"O código não foi enviado: {error}.", "code_not_sent").response()


def weak_secret(error: WeakSecret) -> Response:
    return problem.invalid({"new": [str(error)]}, "weak_secret").response()


def login_taken(error: people.LoginTaken) -> Response:
    return Problem(409, "Já há uma conta com este login ou alvará neste município.", "login_taken").response()


def name_taken(error: keys.NameTaken) -> Response:
    return Problem(409, "Já há uma chave em uso com este nome.", "name_taken").response()


def not_his_to_give(error: keys.NotHisToGive) -> Response:
    return Problem(403, f"Uma chave não pode mais que quem a cria: {error}.", "scope_not_yours").response()


def unknown_municipality(error: UnknownMunicipality) -> Response:
    message = "município desconhecido; veja a lista em /api/v1/municipalities"
    return problem.invalid({"municipality": [message]}, "unknown_municipality").response()


for _blueprint in BLUEPRINTS:
    _blueprint.register_error_handler(NotLetIn, not_let_in)
    _blueprint.register_error_handler(Superseded, superseded)
    _blueprint.register_error_handler(MustWait, must_wait)
    _blueprint.register_error_handler(GateDown, gate_down)
    _blueprint.register_error_handler(NotSent, not_sent)
    _blueprint.register_error_handler(WeakSecret, weak_secret)
    _blueprint.register_error_handler(people.LoginTaken, login_taken)
    _blueprint.register_error_handler(keys.NameTaken, name_taken)
    _blueprint.register_error_handler(keys.NotHisToGive, not_his_to_give)
    _blueprint.register_error_handler(UnknownMunicipality, unknown_municipality)

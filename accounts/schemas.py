"""The public contract of who is asking: sign-ins, accounts, keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from marshmallow import ValidationError, fields

from accounts import passwords
from accounts.fields import Phone
from accounts.identifiers import Phone as Telephone
from accounts.keys import KeyOrder
from accounts.models import Account, Means
from accounts.people import Issued, NewAccount
from accounts.reception import ByPassword, ByPermit, ByPhone, ByRefresh, Order
from accounts.rights import KEY_SCOPES, Actor, Role
from accounts.sessions import Opened
from api.answers import Answer
from api.fields import Choice, Flag, Instant, Slug, Word, _Text
from api.requests import Request

MOST_SCOPES = len(KEY_SCOPES)


class _Pattern(_Text):
    """A text of one form."""

    pattern: ClassVar[str]
    wrong: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.described = {"type": "string", "pattern": cls.pattern}
        cls._form = re.compile(cls.pattern[1:-1])

    _form: ClassVar[re.Pattern[str]]

    def read(self, text: str) -> str:
        if self._form.fullmatch(text) is None:
            raise ValidationError(self.wrong)
        return text


class Login(_Pattern):
    """Plain lower-case letters, so that no two logins look alike."""

    pattern = r"^[a-z0-9][a-z0-9._-]{2,39}$"
    wrong = "de 3 a 40 letras minúsculas sem acento, algarismos, ponto, hífen ou sublinhado"


class PermitNumber(_Pattern):
    pattern = r"^[0-9A-Z][0-9A-Z./-]{0,19}$"
    wrong = "de 1 a 20 algarismos, letras maiúsculas, ponto, barra ou hífen, como está no alvará"


class Digits(_Pattern):
    pattern = r"^[0-9]{6}$"
    wrong = "deve ter exatamente seis algarismos"


class DeviceSecret(_Pattern):
    pattern = r"^[A-Za-z0-9_-]{43,64}$"
    wrong = "de 43 a 64 letras, algarismos, hífen ou sublinhado (256 bits ao acaso)"


class Token(_Pattern):
    pattern = r"^[A-Za-z0-9_.-]{1,200}$"
    wrong = "não tem a forma de um token"


class Secret(_Text):
    """A password as typed: any characters; its length is bounded before anything is done with it."""

    described: ClassVar[dict[str, Any]] = {
        "type": "string",
        "minLength": 1,
        "maxLength": passwords.LONGEST,
        "format": "password",
    }

    def read(self, text: str) -> str:
        if not 1 <= len(text) <= passwords.LONGEST:
            raise ValidationError(f"deve ter de 1 a {passwords.LONGEST} caracteres")
        return text


class By(StrEnum):
    """How one proves who one is."""

    PASSWORD = "password"  # noqa: S105 - the word, not a secret
    PERMIT = "permit"
    PHONE = "phone"
    REFRESH = "refresh"


class SignInOrder(Request):
    """Quem entra, e como prova: `by` diz quais dos outros campos valem.

    `password`: login, senha, município (exceto administrador) e, se houver, o código do aplicativo autenticador.
    `permit`: município, alvará, PIN e o segredo do aparelho. `phone`: município, telefone e o código recebido.
    `refresh`: o token de renovação.
    """

    by = Choice(By, required=True)
    municipality = Slug(load_default=None)
    login = Login(load_default=None)
    password = Secret(load_default=None)
    totp = Digits(load_default=None)
    permit = PermitNumber(load_default=None)
    pin = Digits(load_default=None)
    device = DeviceSecret(load_default=None)
    phone = Phone(load_default=None)
    code = Digits(load_default=None)
    refresh_token = Token(load_default=None)

    def build(self, data: dict[str, Any]) -> Order:
        by = data.pop("by")
        given = {name: value for name, value in data.items() if value is not None}
        return _WAYS[by](_only(given, *_MEMBERS[by]))


# For each way, what it must have and what it may have.
_MEMBERS: dict[StrEnum, tuple[set[str], set[str]]] = {
    By.PASSWORD: ({"login", "password"}, {"municipality", "totp"}),
    By.PERMIT: ({"municipality", "permit", "pin"}, {"device"}),
    By.PHONE: ({"municipality", "phone", "code"}, set()),
    By.REFRESH: ({"refresh_token"}, set()),
}
_WAYS: dict[StrEnum, Callable[[dict[str, Any]], Order]] = {
    By.PASSWORD: lambda told: ByPassword(told.get("municipality"), told["login"], told["password"], told.get("totp")),
    By.PERMIT: lambda told: ByPermit(told["municipality"], told["permit"], told["pin"], told.get("device")),
    By.PHONE: lambda told: ByPhone(told["municipality"], told["phone"].e164, told["code"]),
    By.REFRESH: lambda told: ByRefresh(told["refresh_token"]),
}


def _only(given: dict[str, Any], must: set[str], may: set[str]) -> dict[str, Any]:
    wrong = {name: ["campo obrigatório"] for name in must - given.keys()}
    wrong |= {name: ["não se usa nesta forma de entrar; retire-o"] for name in given.keys() - must - may}
    if wrong:
        raise ValidationError(wrong)
    return given


@dataclass(frozen=True, slots=True)
class CodeOrder:
    municipality: str
    phone: Telephone


class CodeOrderIn(Request):
    """Para que celular mandar o código."""

    municipality = Slug(required=True)
    phone = Phone(required=True)

    def build(self, data: dict[str, Any]) -> CodeOrder:
        order = CodeOrder(**data)
        if not order.phone.is_mobile:
            raise ValidationError({"phone": ["deve ser um celular: o código vai por mensagem"]})
        return order


class AccountOut(Answer):
    """Uma conta. O telefone do passageiro aparece mascarado."""

    id = fields.String(required=True)
    role = fields.String(required=True)
    municipality = fields.String(required=True, allow_none=True)
    login = fields.String(required=True)
    name = fields.String(required=True)
    totp = Flag(required=True, metadata={"description": "Pede código do aplicativo autenticador"})
    device = Flag(required=True, metadata={"description": "Tem um aparelho vinculado"})
    created_at = Instant(required=True)
    disabled_at = Instant(required=True, allow_none=True)


@dataclass(frozen=True, slots=True)
class ShownAccount:
    id: str
    role: str
    municipality: str | None
    login: str
    name: str
    totp: bool
    device: bool
    created_at: datetime
    disabled_at: datetime | None


def shown(account: Account) -> ShownAccount:
    """What others see of an account."""
    return ShownAccount(
        id=account.id,
        role=account.role,
        municipality=account.municipality,
        login=Telephone(account.login).masked if account.means == Means.PHONE else account.login,
        name=account.name,
        totp=account.totp_generation is not None,
        device=account.device_sha256 is not None,
        created_at=account.created_at,
        disabled_at=account.disabled_at,
    )


class SessionOut(Answer):
    """Os tokens de uma entrada. `device` só quando o aparelho acaba de ser vinculado: guarde-o."""

    token_type = fields.String(required=True, metadata={"enum": ["Bearer"]})
    access_token = fields.String(required=True)
    expires_at = Instant(required=True, metadata={"description": "Até quando vale o token de acesso"})
    refresh_token = fields.String(required=True)
    refresh_expires_at = Instant(required=True, metadata={"description": "Até quando se pode renovar"})
    device = fields.String(required=True, allow_none=True)
    account = fields.Nested(AccountOut(), required=True)


@dataclass(frozen=True, slots=True)
class ShownSession:
    token_type: str
    access_token: str
    expires_at: datetime
    refresh_token: str
    refresh_expires_at: datetime
    device: str | None
    account: ShownAccount


def shown_session(opened: Opened) -> ShownSession:
    """What is answered to who was let in."""
    return ShownSession(
        "Bearer",
        opened.access,
        opened.access_until,
        opened.refresh,
        opened.until,
        opened.device,
        shown(opened.account),
    )


class MeOut(Answer):
    """Quem é quem pergunta, e o que pode."""

    id = fields.String(required=True)
    role = Choice(Role, required=True)
    municipality = fields.String(required=True, allow_none=True)
    name = fields.String(required=True)
    actions = fields.List(fields.String(), required=True)


@dataclass(frozen=True, slots=True)
class Me:
    id: str
    role: Role
    municipality: str | None
    name: str
    actions: list[str]


def me(actor: Actor) -> Me:
    """What somebody is told of himself."""
    return Me(actor.id or "", actor.role, actor.municipality, actor.name, actor.actions())


@dataclass(frozen=True, slots=True)
class SecretChange:
    present: str
    new: str


class SecretChangeIn(Request):
    """A senha (ou o PIN) de agora e o novo."""

    present = Secret(required=True)
    new = Secret(required=True)

    def build(self, data: dict[str, Any]) -> SecretChange:
        return SecretChange(**data)


class Creatable(StrEnum):
    """Roles whose accounts are made by somebody. A passenger makes his own with his telephone."""

    RIDER = "rider"
    OPERATOR = "operator"
    INSPECTOR = "inspector"
    AUTHORITY = "authority"
    ADMIN = "admin"


class AccountIn(Request):
    """Uma conta nova. Para mototaxista, `login` é o número do alvará; administrador não tem município."""

    role = Choice(Creatable, required=True)
    municipality = Slug(load_default=None, allow_none=True)
    login = Word(required=True)
    name = Word(required=True)
    totp = Flag(load_default=False, metadata={"description": "Pedir também código de aplicativo autenticador"})

    def build(self, data: dict[str, Any]) -> NewAccount:
        order = NewAccount(**{**data, "role": Role(data["role"])})
        if (order.municipality is None) != (order.role is Role.ADMIN):
            raise ValidationError({"municipality": ["todos têm um município, menos o administrador"]})
        if order.totp and order.role is Role.RIDER:
            raise ValidationError({"totp": ["mototaxista entra com PIN e aparelho, sem este código"]})
        form = PermitNumber() if order.role is Role.RIDER else Login()
        try:
            form.read(order.login)
        except ValidationError as why:
            raise ValidationError({"login": why.messages}) from None
        return order


class IssuedOut(Answer):
    """A conta e seu primeiro segredo, mostrado só agora: a pessoa deve trocá-lo."""

    account = fields.Nested(AccountOut(), required=True)
    secret = fields.String(required=True, metadata={"description": "Senha ou PIN inicial"})
    totp_uri = fields.String(required=True, allow_none=True, metadata={"description": "Para o aplicativo autenticador"})


@dataclass(frozen=True, slots=True)
class ShownIssue:
    account: ShownAccount
    secret: str
    totp_uri: str | None


def shown_issue(issued: Issued) -> ShownIssue:
    return ShownIssue(shown(issued.account), issued.secret, issued.totp_uri)


class AccountPageOut(Answer):
    items = fields.List(fields.Nested(AccountOut()), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class Scopes(fields.List[Any]):
    """What a key may do, each action once."""

    def __init__(self, **kwargs: Any) -> None:
        described = {"minItems": 1, "maxItems": MOST_SCOPES, "uniqueItems": True}
        super().__init__(Word(metadata={"enum": sorted(KEY_SCOPES)}), metadata=described, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        if not 1 <= len(value) <= MOST_SCOPES:
            raise ValidationError(f"deve ter de 1 a {MOST_SCOPES} itens")
        scopes = super()._deserialize(value, attr, data, **kwargs)
        if len(set(scopes)) != len(scopes):
            raise ValidationError("item repetido")
        unknown = set(scopes) - KEY_SCOPES
        if unknown:
            raise ValidationError(f"deve ser um destes: {', '.join(sorted(KEY_SCOPES))}")
        return scopes


class KeyIn(Request):
    """Uma chave para um sistema: seu nome e o que poderá fazer. Sem município, vale em todos (só administrador)."""

    name = Word(required=True)
    municipality = Slug(load_default=None, allow_none=True)
    scopes = Scopes(required=True)

    def build(self, data: dict[str, Any]) -> KeyOrder:
        return KeyOrder(data["municipality"], data["name"], frozenset(data["scopes"]))


class KeyOut(Answer):
    id = fields.String(required=True)
    name = fields.String(required=True)
    municipality = fields.String(required=True, allow_none=True)
    scopes = fields.List(fields.String(), required=True)
    created_at = Instant(required=True)


class MadeKeyOut(Answer):
    """A chave, mostrada só agora."""

    key = fields.Nested(KeyOut(), required=True)
    secret = fields.String(required=True)


class KeyPageOut(Answer):
    items = fields.List(fields.Nested(KeyOut()), required=True)
    next_cursor = fields.String(required=True, allow_none=True)

"""Errors as RFC 9457 `application/problem+json`: stable code, Portuguese detail, each invalid field named.

Every error of the house leaves through here. A room raises its own exceptions and says in its views, with Flask's
``blueprint.register_error_handler``, which `Problem` each one is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import orjson
import structlog
from flask import Flask, Response, g, request
from flask.typing import ResponseReturnValue
from marshmallow import ValidationError
from werkzeug.exceptions import HTTPException, MethodNotAllowed

CONTENT_TYPE = "application/problem+json"
_MOST_ERRORS = 20
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class FieldError:
    """One invalid field: ``path`` as `legs.0.km` (empty for the whole body), ``message`` in Portuguese."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Kind:
    """What is fixed for an HTTP status: the code, the title and the detail said when nothing better is known."""

    code: str
    title: str
    detail: str


KINDS: Mapping[int, Kind] = {
    400: Kind("malformed", "Pedido malformado", "O pedido não pôde ser lido. Confira o formato e envie de novo."),
    401: Kind("unauthenticated", "Identificação necessária", "Entre com seu acesso para usar este recurso."),
    403: Kind("forbidden", "Sem permissão", "Seu acesso não permite esta operação."),
    404: Kind("not_found", "Não encontrado", "Não há nada neste endereço. Confira o caminho em /api/docs."),
    405: Kind("method_not_allowed", "Método não permitido", "Este endereço não aceita este método."),
    409: Kind("conflict", "Conflito", "O estado atual não permite esta operação."),
    413: Kind("too_large", "Pedido grande demais", "O corpo do pedido passa do limite de 1 MB."),
    414: Kind("address_too_long", "Endereço longo demais", "O endereço pedido é longo demais. Envie menos parâmetros."),
    415: Kind("unsupported_media_type", "Tipo não aceito", 'Envie JSON em UTF-8 com "Content-Type: application/json".'),
    422: Kind("invalid", "Dados inválidos", "Há dados inválidos no pedido."),
    429: Kind("too_many_requests", "Muitos pedidos", "Aguarde um pouco antes de tentar de novo."),
    500: Kind("internal_error", "Erro interno", "Algo falhou aqui dentro e foi registrado."),
    503: Kind("unavailable", "Indisponível", "O serviço não está pronto. Tente de novo em instantes."),
}


@dataclass(eq=False)
class Problem(Exception):
    """An answer that is an error.

    ``status`` chooses code, title and detail unless given. ``citation`` is the article behind a refusal; ``extra``
    adds members of the problem's own (the current state, for instance); ``headers`` go out with it.
    """

    status: int
    detail: str | None = None
    code: str | None = None
    title: str | None = None
    errors: Sequence[FieldError] = ()
    citation: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def response(self) -> Response:
        kind = KINDS.get(self.status) or _unforeseen(self.status)
        code = self.code or kind.code
        members: dict[str, Any] = {
            "type": f"https://pontual.example/errors/{code.replace('_', '-')}",
            "title": self.title or kind.title,
            "status": self.status,
            "code": code,
            "detail": self.detail or kind.detail,
            "instance": f"/requests/{g.get('request_id', 'unknown')}",
        }
        if self.errors:
            members["errors"] = [{"path": error.path, "message": error.message} for error in self.errors]
        if self.citation:
            members["citation"] = self.citation
        body = orjson.dumps(members | dict(self.extra))
        return Response(body, self.status, self.headers, content_type=CONTENT_TYPE)


def invalid(messages: Any, code: str | None = None, citation: str | None = None) -> Problem:
    """The 422 for invalid fields. ``messages`` is marshmallow's nest of them (``ValidationError.messages``)."""
    found = sorted(_flatten(messages, ()), key=lambda error: error.path)
    shown = found[:_MOST_ERRORS]
    names = ", ".join(dict.fromkeys(error.path or "o corpo do pedido" for error in shown[:5]))
    more = f" (ao todo, {len(found)} erros; só os primeiros são listados)" if len(found) > len(shown) else ""
    detail = f"Corrija e envie de novo: {names}{more}. " + "; ".join(
        f"{error.path}: {error.message}" if error.path else error.message for error in shown[:3]
    )
    return Problem(422, detail.rstrip(".") + ".", code, errors=shown, citation=citation)


def install(app: Flask) -> None:
    """Make every error of the application a problem, HTTP errors and unforeseen exceptions included."""
    app.register_error_handler(Problem, Problem.response)
    app.register_error_handler(ValidationError, lambda error: invalid(error.messages).response())
    app.register_error_handler(HTTPException, from_http)
    app.register_error_handler(Exception, _from_bug)


def from_http(error: HTTPException) -> ResponseReturnValue:
    """The problem for an error that Flask or werkzeug raised."""
    status = error.code or 500
    if error.response is not None or status < 400:  # redirects and 304 are not errors
        return error.get_response()
    headers: dict[str, str] = {}
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return Problem(status, headers=headers).response()


def _from_bug(error: Exception) -> Response:
    structlog.get_logger().error("unforeseen_error", path=str(request.url_rule), exc_info=error)
    detail = f"Algo falhou aqui dentro e foi registrado. Se persistir, informe o número {g.get('request_id', '?')}."
    return Problem(500, detail).response()


def _unforeseen(status: int) -> Kind:
    try:
        name = HTTPStatus(status).name.lower()
    except ValueError:
        name = "error"
    return Kind(name, "Pedido recusado", "O pedido não pôde ser atendido.")


def _flatten(messages: Any, path: tuple[str, ...]) -> Iterator[FieldError]:
    if isinstance(messages, Mapping):
        for name, inner in messages.items():
            yield from _flatten(inner, path if name == "_schema" else (*path, _shorten(str(name))))
    elif isinstance(messages, str):
        yield FieldError(".".join(path), messages)
    else:
        for message in messages:
            yield from _flatten(message, path)


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"

"""The OpenAPI 3.1 description, its page from local files, and the blueprint whose arguments are read strictly."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, TypeVar, cast

import flask_smorest
import flask_swagger_ui
import orjson
from flask import Flask, Response, abort, current_app, request, send_from_directory
from flask.typing import ResponseReturnValue
from flask_smorest.utils import set_status_and_headers_in_response, unpack_tuple_response
from marshmallow import RAISE, Schema, ValidationError, fields
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from api import problem, strict_json

_View = TypeVar("_View", bound=Callable[..., Any])


class _Decorator(Protocol):
    def __call__(self, view: _View, /) -> _View: ...


SWAGGER_FILES = Path(flask_swagger_ui.__file__).parent / "dist"
OUR_FILES = Path(__file__).parent / "docs"
_SWAGGER_NAMES = frozenset({"swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"})
_OUR_NAMES = frozenset({"start.js"})
# Swagger UI sets style attributes and shows a few icons as data: URLs; nothing comes from elsewhere.
_PAGE_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


class _StrictParser(FlaskParser):
    """Reads arguments as the public contract says: strict JSON, no unknown or repeated query parameter."""

    DEFAULT_UNKNOWN_BY_LOCATION: ClassVar[dict[str, str | None]] = {  # type: ignore[misc] # the library's is mutable too
        **FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION,
        "query": RAISE,
    }

    def load_json(self, req: Any, schema: Schema) -> Any:
        return strict_json.read(req)

    def load_querystring(self, req: Any, schema: Schema) -> Any:
        repeated = {name: "parâmetro repetido; envie só um" for name, values in req.args.lists() if len(values) > 1}
        if repeated:
            raise problem.invalid(repeated)
        return super().load_querystring(req, schema)

    def handle_error(self, error: ValidationError, *args: Any, **kwargs: Any) -> NoReturn:
        (messages,) = error.messages_dict.values()  # webargs nests them under the location
        raise problem.invalid(messages) from None


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc] # flask-smorest has no types
    """The blueprint of a room: documented in the OpenAPI, strict in what it reads.

    The library documents each view; a JSON body is then read, and an answer written, directly, without the general
    machinery for every location and framework that the library goes through for them (a sixth of a short request).
    """

    ARGUMENTS_PARSER = _StrictParser()

    if TYPE_CHECKING:  # the library has no types, and an untyped decorator would untype every view

        def get(self, rule: str, **options: Any) -> _Decorator: ...
        def post(self, rule: str, **options: Any) -> _Decorator: ...
        def delete(self, rule: str, **options: Any) -> _Decorator: ...
        def alt_response(self, status_code: int, response: str | None = None, **kwargs: Any) -> _Decorator: ...

    def arguments(self, schema: Schema, *, location: str = "json", **kwargs: Any) -> _Decorator:
        described: _Decorator = super().arguments(schema, location=location, **kwargs)
        if location != "json":
            return described

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(described(view))
            def reading(*args: Any, **kwargs: Any) -> Any:
                return view(*args, schema.load(strict_json.read(request)), **kwargs)

            return reading

        return cast(_Decorator, decorate)

    def response(self, status_code: int, schema: Schema | None = None, **kwargs: Any) -> _Decorator:
        described: _Decorator = super().response(status_code, schema, **kwargs)

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(described(view))
            def answering(*args: Any, **kwargs: Any) -> Any:
                result, status, headers = unpack_tuple_response(view(*args, **kwargs))
                if not isinstance(result, BaseResponse):
                    result = current_app.json.response(result if schema is None else schema.dump(result))
                    status = status or status_code
                set_status_and_headers_in_response(result, status, headers)
                return result

            return answering

        return cast(_Decorator, decorate)


class FieldErrorOut(Schema):
    path = fields.String(required=True, metadata={"description": "Campo, como `legs.0.km`; vazio: o corpo todo"})
    message = fields.String(required=True)


class ProblemOut(Schema):
    """RFC 9457. Only describes the errors; `api.problem` writes them."""

    type = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    code = fields.String(required=True, metadata={"description": "Código estável, para programas"})
    detail = fields.String(required=True, metadata={"description": "O que houve e como resolver"})
    instance = fields.String(required=True, metadata={"description": "Número do pedido"})
    errors = fields.List(fields.Nested(FieldErrorOut))
    citation = fields.String()


class Api(flask_smorest.Api):  # type: ignore[misc] # flask-smorest has no types
    """flask-smorest, with problem+json for errors, in what is said and in what is documented."""

    ERROR_SCHEMA = ProblemOut

    def handle_http_exception(self, error: HTTPException) -> ResponseReturnValue:
        return problem.from_http(error)

    def _register_responses(self) -> None:
        # The library documents errors with the content type of successes.
        self.DEFAULT_RESPONSE_CONTENT_TYPE = problem.CONTENT_TYPE
        super()._register_responses()
        del self.DEFAULT_RESPONSE_CONTENT_TYPE

    def _openapi_json(self) -> Response:
        return Response(orjson.dumps(self.spec.to_dict()), mimetype="application/json")


def install(app: Flask) -> Api:
    """Serve `/api/openapi.json` and `/api/docs`; the rooms' blueprints are then registered on the answer."""
    app.config.update(
        API_TITLE="Pontual",
        API_VERSION="v1",
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/api",
        OPENAPI_JSON_PATH="openapi.json",
        API_SPEC_OPTIONS={
            "info": {
                "description": "Tarifa legal de mototáxi por município, com o artigo de cada valor.",
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            }
        },
    )
    app.add_url_rule("/api/docs", "api_docs", _page)
    app.add_url_rule("/api/docs/<name>", "api_docs_file", _file)
    return Api(app)


def _page() -> Response:
    page = send_from_directory(OUR_FILES, "index.html")
    page.headers["Content-Security-Policy"] = _PAGE_POLICY
    return page


def _file(name: str) -> Response:
    if name in _SWAGGER_NAMES:
        return send_from_directory(SWAGGER_FILES, name)
    if name not in _OUR_NAMES:
        abort(404)
    return send_from_directory(OUR_FILES, name)

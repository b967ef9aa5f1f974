"""JSON without surprises: what the standard calls unpredictable is refused, and the refusal says what and where.

Python's reader would take `NaN`, keep the last of two equal keys and let half a character through; a fare computed
from such a body would be a fare nobody asked for. Source: RFC 8259 sections 4, 8.1, 8.2.
"""

from __future__ import annotations

import json
from typing import Any

import orjson
from flask import Request, Response
from flask.json.provider import JSONProvider

from api.problem import FieldError, Problem

_BOMS = ((b"\xef\xbb\xbf", "UTF-8 com BOM"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


def read(request: Request) -> Any:
    """The JSON body of ``request``. Raises `Problem` 400 or 415 when it is not plain JSON in UTF-8."""
    stated = request.environ.get("CONTENT_TYPE", "")
    if stated != "application/json" and not _is_json_in_utf8(request):
        raise Problem(415)
    if request.environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise Problem(415, "O corpo deve vir sem compressão (sem Content-Encoding).")
    return parse(request.get_data())


def parse(body: bytes) -> Any:
    """The value written in ``body``. Raises `Problem` 400."""
    text = _decode(body)
    try:
        value = _DECODER.decode(text)
        if "\\u" in text:
            _refuse_half_characters(value)
    except json.JSONDecodeError as error:
        raise Problem(
            400, f"O corpo não é JSON válido: erro na linha {error.lineno}, coluna {error.colno}.", "invalid_json"
        ) from None
    except RecursionError:
        raise Problem(400, "O JSON tem níveis demais, um dentro do outro.", "too_deep") from None
    except ValueError:  # Python refuses to convert integers of thousands of digits
        raise Problem(400, "O JSON contém um número com algarismos demais.", "number_too_long") from None
    return value


class StrictJSON(JSONProvider):
    """Flask's JSON: orjson to write, the strict reader to read."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        option = orjson.OPT_INDENT_2 if kwargs.get("indent") else 0
        return orjson.dumps(obj, option=option | orjson.OPT_NON_STR_KEYS).decode()

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        return parse(s.encode() if isinstance(s, str) else s)

    def response(self, *args: Any, **kwargs: Any) -> Response:
        body = orjson.dumps(self._prepare_response_obj(args, kwargs))
        return Response(body, content_type="application/json")


def _is_json_in_utf8(request: Request) -> bool:
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    return request.mimetype == "application/json" and charset in ("utf-8", "utf8")


def _decode(body: bytes) -> str:
    if not body:
        raise Problem(400, "O corpo do pedido está vazio; envie um objeto JSON.", "empty_body")
    for mark, name in _BOMS:
        if body.startswith(mark):
            raise Problem(400, f"O corpo está em {name}; envie JSON em UTF-8, sem BOM.", "wrong_encoding")
    if b"\x00" in body:
        raise Problem(
            400, "O corpo contém bytes nulos (parece UTF-16 ou UTF-32); envie JSON em UTF-8.", "wrong_encoding"
        )
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem(
            400, f"O corpo não está em UTF-8 (byte {error.start + 1}); converta-o e envie de novo.", "wrong_encoding"
        ) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        name = twice[:60].encode(errors="replace").decode()
        raise Problem(
            400,
            f'O JSON traz a chave "{name}" mais de uma vez no mesmo objeto; deixe só uma.',
            "duplicate_key",
            errors=[FieldError(name, "chave repetida")],
        )
    return value


def _constant(name: str) -> Any:
    raise Problem(400, f"O JSON contém {name}, que não é um número; use um valor finito.", "invalid_json")


def _refuse_half_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Problem(
            400, "O JSON contém meio caractere (surrogate sem o seu par); corrija o texto.", "wrong_encoding"
        ) from None


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)

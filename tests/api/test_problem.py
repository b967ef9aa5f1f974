"""Every error is problem+json with a code, a Portuguese detail, and the invalid fields by path."""

from __future__ import annotations

import pytest


def post(client, body, content_type="application/json", **headers):
    return client.post("/sample/trips", data=body, content_type=content_type, headers=headers)


def test_a_good_request_passes(client):
    answer = post(client, '{"legs": [{"km": "10.5"}, {"km": "1"}]}')

    assert (answer.status_code, answer.json) == (200, {"metres": 11500})


def test_the_shape_of_a_problem(client):
    answer = post(client, '{"legs": [{"km": "1"}, {"km": 2}], "passengers": 0, "motorista": 1}')

    assert answer.status_code == 422
    assert answer.content_type == "application/problem+json"
    problem = answer.json
    assert problem["code"] == "invalid"
    assert problem["type"] == "https://pontual.example/errors/invalid"
    assert problem["status"] == 422
    assert problem["title"] == "Dados inválidos"
    assert problem["instance"] == f"/requests/{answer.headers['X-Request-ID']}"
    assert [error["path"] for error in problem["errors"]] == ["legs.1.km", "motorista", "passengers"]
    assert "legs.1.km" in problem["detail"]


@pytest.mark.parametrize(
    ("body", "content_type", "status", "code"),
    [
        ("", "application/json", 400, "empty_body"),
        ("{", "application/json", 400, "invalid_json"),
        ("{}", "text/plain", 415, "unsupported_media_type"),
        ("{}", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        ("{}", "application/json; charset=latin-1", 415, "unsupported_media_type"),
        ("{}", None, 415, "unsupported_media_type"),
        ("[]", "application/json", 422, "invalid"),
        ("null", "application/json", 422, "invalid"),
        ('"x"', "application/json", 422, "invalid"),
        ("{}", "application/json; charset=UTF-8", 422, "invalid"),
        (b'{"legs": "' + b"x" * 1_000_000 + b'"}', "application/json", 413, "too_large"),
    ],
)
def test_a_bad_body_is_told_apart(client, body, content_type, status, code):
    answer = post(client, body, content_type)

    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert answer.content_type == "application/problem+json"


def test_a_compressed_body_is_refused_as_such(client):
    assert post(client, b"\x1f\x8b", **{"Content-Encoding": "gzip"}).status_code == 415


def test_a_body_that_is_not_an_object_says_so(client):
    assert post(client, "[]").json["errors"] == [{"path": "", "message": "deve ser um objeto JSON"}]


def test_thousands_of_errors_are_not_all_listed(client):
    body = "{" + ",".join(f'"k{n}": 1' for n in range(5000)) + "}"
    answer = post(client, body)

    assert len(answer.json["errors"]) == 20
    assert "ao todo, 5001 erros" in answer.json["detail"]


def test_a_very_long_key_is_cut(client):
    answer = post(client, '{"' + "k" * 500_000 + '": 1}')

    assert answer.status_code == 422
    assert len(answer.data) < 2000


@pytest.mark.parametrize(("path", "status"), [("/nada", 404), ("/sample/nada", 404), ("/sample/things/%00%ff", 200)])
def test_addresses_that_do_not_exist(client, path, status):
    assert client.get(path).status_code == status


def test_a_wrong_method_says_which_are_right(client):
    answer = client.delete("/sample/trips")

    assert (answer.status_code, answer.json["code"]) == (405, "method_not_allowed")
    assert set(answer.headers["Allow"].split(", ")) == {"OPTIONS", "POST"}


@pytest.mark.parametrize("status", [400, 401, 403, 404, 406, 409, 410, 413, 415, 418, 429, 500, 503])
def test_every_error_of_http_is_a_problem_in_portuguese(client, status):
    answer = client.get(f"/sample/abort/{status}")

    assert answer.status_code == answer.json["status"] == status
    assert answer.content_type == "application/problem+json"
    assert answer.json["code"] == answer.json["code"].lower()


def test_a_bug_answers_500_and_keeps_its_insides(client, capfd):
    answer = client.get("/sample/bug")

    assert (answer.status_code, answer.json["code"]) == (500, "internal_error")
    assert "segredo" not in answer.text
    assert "RuntimeError" not in answer.text
    assert answer.headers["X-Request-ID"] in answer.json["detail"]
    assert "segredo interno" in capfd.readouterr().err


def test_a_rooms_own_problem_says_more(client):
    answer = client.get("/sample/conflict")

    assert answer.json["code"] == "wrong_state"
    assert answer.json["type"].endswith("/errors/wrong-state")
    assert (answer.json["state"], answer.json["citation"]) == ("finished", "art. 1º")


@pytest.mark.parametrize(
    ("query", "path"),
    [("limit=0", "limit"), ("limit=201", "limit"), ("limit=x", "limit"), ("limite=1", "limite"),
     ("limit=1&limit=2", "limit"), ("cursor=%00", "cursor"), ("limit=%D9%A1", "limit")],
)  # fmt: skip
def test_a_bad_query_names_its_parameter(client, query, path):
    answer = client.get(f"/sample/things/x?{query}")

    assert answer.status_code == 422
    assert [error["path"] for error in answer.json["errors"]] == [path]


def test_a_list_in_pages(client):
    first = client.get("/sample/things/x?limit=2").json
    assert first == {"items": ["a", "b"], "next_cursor": "b"}
    assert client.get("/sample/things/x?limit=2&cursor=b").json == {"items": ["c"], "next_cursor": None}


def test_a_kept_answer_is_not_sent_again(client):
    first = client.get("/sample/things/x")
    assert first.headers["Cache-Control"] == "public, max-age=60"

    again = client.get("/sample/things/x", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    other = client.get("/sample/things/x?limit=1", headers={"If-None-Match": first.headers["ETag"]})
    assert other.status_code == 200

"""The headers of every answer, errors and pages included, and the pages that need more than nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask

from app import create_app
from settings import Settings

ROOT = Path(__file__).parents[2]
NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


@pytest.fixture(scope="module")
def app() -> Flask:
    return create_app(Settings.from_env({"PONTUAL_DATA": "/nothing/here", "PONTUAL_LOG_LEVEL": "ERROR"}))


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/health"),
        ("GET", "/nada"),
        ("GET", "/ready"),  # 503
        ("POST", "/api/v1/fares"),  # 415
        ("DELETE", "/health"),  # 405
        ("OPTIONS", "/health"),
        ("GET", "/api/v1/municipalities"),
        ("GET", "/api/docs"),
        ("GET", "/verify/static/proof.css"),
        ("GET", "/" + "x" * 5000),  # 414
    ],
)
def test_every_answer_has_them(app: Flask, method: str, path: str):
    headers = app.test_client().open(path, method=method).headers

    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "microphone=()" in headers["Permissions-Policy"]
    assert headers["Cache-Control"]
    (policy,) = headers.getlist("Content-Security-Policy")
    assert "default-src" in policy
    assert "frame-ancestors 'none'" in policy
    assert "Strict-Transport-Security" not in headers


def test_what_is_no_page_may_load_nothing_and_is_kept_nowhere(app: Flask):
    headers = app.test_client().get("/health").headers
    assert headers["Content-Security-Policy"] == NOTHING
    assert headers["Cache-Control"] == "no-store"


def test_what_may_be_kept_says_so_itself(app: Flask):
    assert "max-age" in app.test_client().get("/api/v1/municipalities").headers["Cache-Control"]


def test_browsers_are_bound_to_https_only_where_there_is_https():
    variables = {"PONTUAL_DATA": "/nothing/here", "PONTUAL_LOG_LEVEL": "ERROR"}
    for address, expected in [("https://pontual.example", True), ("http://pontual.example", False)]:
        app = create_app(Settings.from_env({**variables, "PONTUAL_PUBLIC_URL": address}))
        found = app.test_client().get("/health").headers.get("Strict-Transport-Security")
        assert (found == "max-age=31536000") is expected


def test_no_page_holds_script_style_or_handlers_inline():
    pages = [*ROOT.glob("[!.]*/**/templates/*.html"), ROOT / "api" / "docs" / "index.html"]
    assert len(pages) >= 2
    for page in pages:
        text = page.read_text()
        assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>", text), page
        assert not re.search(r"<style\b|\sstyle=|\son[a-z]+=|javascript:", text), page
        assert "|safe" not in text.replace(" ", ""), page


def test_no_policy_lets_inline_script_run(app: Flask):
    client = app.test_client()
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and not rule.arguments:
            policy = client.get(rule.rule).headers["Content-Security-Policy"]
            scripts = re.search(r"script-src[^;]*", policy) or re.search(r"default-src[^;]*", policy)
            assert scripts is not None
            assert "unsafe" not in scripts[0], rule.rule


def test_no_answer_sets_a_cookie_so_that_no_foreign_page_can_use_one(app: Flask):
    """Whoever brings the first cookie also brings SameSite and tokens in forms: docs/security.md."""
    client = app.test_client()
    for rule in app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - {"OPTIONS"}):
            path = re.sub("<[^>]*>", "x", rule.rule)
            assert "Set-Cookie" not in client.open(path, method=method).headers, path
    assert app.secret_key is None

"""The privacy page says what the purge does, to anybody, under the strictest policy, and nothing it does not know."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from flask import Flask
from flask.testing import FlaskClient

from accounts.privacy.retention import load_retention
from app import create_app
from settings import Settings

RETENTION = load_retention()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", html)).strip()


@pytest.mark.parametrize("kept", RETENTION.kept, ids=lambda kept: kept.table)
def test_every_kind_of_data_is_there_with_its_period_basis_and_rule(client: FlaskClient, kept):
    html = client.get("/privacidade").text
    section = words(html[html.index(f'<section id="{kept.table}">') :].split("</section>")[0])

    for told in (kept.title, kept.what, kept.purpose, kept.basis, kept.source, kept.erasure.because):
        assert words(told) in section
    assert str(kept.keep or kept.kept_because) in section
    assert ("enquanto um processo" in section) is kept.held_by_cases


def test_it_is_open_and_allows_nothing_but_its_own_style(client: FlaskClient):
    answer = client.get("/privacidade")

    assert (answer.status_code, answer.content_type) == (200, "text/html; charset=utf-8")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script|\son\w+=|style=|https?://", answer.text)
    (style,) = re.findall(r'<link rel="stylesheet" href="([^"]+)"', answer.text)
    assert client.get(style).content_type.startswith("text/css")


def test_it_is_portuguese_and_has_one_heading_of_each_rank_in_order(client: FlaskClient):
    html = client.get("/privacidade").text
    ranks = [int(rank) for rank in re.findall(r"<h([1-6])>", html)]

    assert '<html lang="pt-BR">' in html
    assert ranks.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(ranks))


def test_every_link_leads_to_its_section(client: FlaskClient):
    html = client.get("/privacidade").text

    assert set(re.findall(r'href="#([^"]+)"', html)) == set(re.findall(r'<section id="([^"]+)"', html))


def test_the_officer_is_named_or_missed_aloud(client: FlaskClient, variables: dict[str, str]):
    assert "ainda não informou o encarregado" in words(client.get("/privacidade").text)

    named = create_app(Settings.from_env({**variables, "PONTUAL_PRIVACY_CONTACT": "Demo <b>nº 1</b>, dpo@exemplo"}))
    html = named.test_client().get("/privacidade").text
    assert "Demo &lt;b&gt;nº 1&lt;/b&gt;, dpo@exemplo" in html
    assert "ainda não informou" not in html


def test_the_deadlines_of_the_law_are_told(client: FlaskClient):
    text = words(client.get("/privacidade").text)

    assert "em até 15 dias" in text
    assert "três dias úteis" in text
    assert "cinco anos" in text

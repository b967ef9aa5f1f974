"""The application: the one place that wires the rooms together. `flask` finds it by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

import accounts.cli
import accounts.current
import accounts.privacy.cli
import accounts.privacy.views
import accounts.views
import fares.cli
import fares.proof_pages
import fares.quote_views
import fares.track_views
import fares.views
import laws.cli
import laws.views
import zones.cli
import zones.places.views
import zones.views
from accounts import limiter
from api import cors, headers, health, intake, metrics, openapi, outages, problem, request_log
from api.strict_json import StrictJSON
from fares.tariffs import open_lawbook
from laws import shelf
from settings import Settings
from store import cli as store_cli
from store.connections import Connections


class Pontual(Flask):
    """Flask without the search for coroutines among our views: there are none, and it costs every request."""

    json_provider_class = StrictJSON

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func


def create_app(settings: Settings | None = None) -> Flask:
    """The application under ``settings`` (None: those of the environment).

    Nothing is opened yet: laws are read and servers are reached when first needed.
    """
    settings = settings or Settings.from_env()
    app = Pontual("pontual", root_path=".", static_folder=None)
    app.url_map.merge_slashes = False  # that redirects to whatever host the request claims
    request_log.configure(settings.log_level)
    request_log.install(app)
    problem.install(app)
    outages.install(app)
    metrics.install(app)
    headers.install(app, tls=(settings.public_url or "").startswith("https://"))
    if settings.trusted_proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign] # Flask's documented way
            app.wsgi_app, x_for=settings.trusted_proxies, x_proto=settings.trusted_proxies, x_host=0
        )
    app.extensions["settings"] = settings
    app.extensions["store"] = store = Connections(settings.data, settings.database_url, settings.redis_url)
    limiter.install(app, settings, store)
    cors.install(app, settings.cors_origins)
    intake.install(app)
    book = shelf.install(app, lambda: open_lawbook(settings.laws))
    zones.places.views.install(app, settings, store)

    api = openapi.install(app)
    accounts.current.install(app, api, settings, store)
    limiter.install_callers(app, lambda: accounts.current.current_actor().caller)
    checks = {
        "database": store.check_database,
        "migrations": store.check_migrations,
        "redis": store.check_redis,
        "laws": book.lawbook,
    }
    api.register_blueprint(health.blueprint(checks))
    api.register_blueprint(laws.views.blueprint)
    api.register_blueprint(fares.views.blueprint)
    api.register_blueprint(fares.quote_views.blueprint)
    api.register_blueprint(fares.track_views.blueprint)
    api.register_blueprint(zones.places.views.blueprint)
    api.register_blueprint(zones.views.blueprint)
    for blueprint in accounts.views.BLUEPRINTS:
        api.register_blueprint(blueprint)
    app.register_blueprint(fares.proof_pages.blueprint)
    app.register_blueprint(accounts.privacy.views.blueprint)
    for group in (laws.cli.laws, fares.cli.fares, zones.cli.zones, accounts.cli.accounts, store_cli.store):
        app.cli.add_command(group)
    return app

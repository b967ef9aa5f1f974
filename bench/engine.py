"""`price()` with every reading, against one case of OpenFisca's country template (goal: 10 times its rate), and as a
share of the `POST /fares` request that asks for it (goal: at most 25 %).

One case of OpenFisca is what its web API does for one household: build the situation from JSON, compute a variable;
here the template's headline, disposable income of one person in one month.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from statistics import median
from typing import Any

from app import create_app
from bench.http_fares import body
from bench.turns import ratio, seconds_each
from fares.engine import price
from fares.schemas import FareIn
from laws.shelf import lawbook
from laws.timeline import in_force, norms_beside
from settings import Settings

CALLS, ROUNDS = 50, 40
SITUATION = {
    "persons": {"ana": {"salary": {"2017-01": 2000}, "birth": {"ETERNITY": "1980-01-01"}}},
    "households": {"casa": {"adults": ["ana"]}},
}


def openfisca_case() -> Callable[[], object]:
    """One case of the country template, as its web API computes it."""
    try:
        from openfisca_core.simulation_builder import SimulationBuilder
        from openfisca_country_template import CountryTaxBenefitSystem
    except ImportError as why:
        sys.exit(f"Falta o par de comparação ({why.name}): use `make bench`, que o instala.")
    system = CountryTaxBenefitSystem()

    def case() -> object:
        return SimulationBuilder().build_from_entities(system, SITUATION).calculate("disposable_income", "2017-01")

    return case


def in_process_request(app: Any, sent: bytes) -> Callable[[], bytes]:
    """`POST /fares` as the server hands it to the application, without server or socket."""
    environment = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/api/v1/fares",
        "SCRIPT_NAME": "",
        "QUERY_STRING": "",
        "REMOTE_ADDR": "127.0.0.1",  # this machine's own requests are not limited
        "SERVER_NAME": "bench",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(sent)),
        "wsgi.url_scheme": "http",
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
    }

    def start(status: str, *told: object) -> None:
        if not status.startswith("200"):
            sys.exit(f"Resposta inesperada: {status}")

    def request() -> bytes:
        return b"".join(app.wsgi_app({**environment, "wsgi.input": io.BytesIO(sent)}, start))

    return request


def main() -> None:
    """Print both ratios."""
    case = openfisca_case()
    # Without its log line the request is a little cheaper, and the share a little larger, than when served.
    app = create_app(Settings.from_env({"PONTUAL_LOG_LEVEL": "ERROR"}))
    sent = body()
    request = in_process_request(app, sent)
    assert json.loads(request())["status"] == "priced"
    with app.app_context():
        laws = lawbook()
    order = FareIn().load(json.loads(sent))
    trip = order.trip(laws.municipality(order.municipality).zone_info)

    municipality = laws.municipality(order.municipality)
    norm = in_force(municipality, trip.started_at).norm
    assert norm is not None
    beside = norms_beside(municipality, trip.started_at, norm.service)

    def priced_once() -> object:
        return price(norm, trip, beside)

    case()  # the first case computes what the system then keeps
    priced, asked, compared = seconds_each([priced_once, request, case], CALLS, ROUNDS)
    readings = len(price(norm, trip, beside).readings)
    print(
        f"price() with {readings} readings: {1 / median(priced):.0f}/s, OpenFisca country template, one case: "
        f"{1 / median(compared):.0f}/s, ratio {ratio(compared, priced):.1f} (goal >= 10)"
    )
    print(f"price() as a share of the POST /fares request, in process: {ratio(priced, asked):.0%} (goal <= 25 %)")


if __name__ == "__main__":
    main()

"""Rides measured by their phone's fixes, like a taximeter: all at once, storing nothing, or batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from statistics import median_low
from zoneinfo import ZoneInfo

import orjson
from flask import Response, current_app

from accounts.access_log import CaseNumberMissing, What, record
from accounts.current import current_actor, must_reach, must_work_in, requires
from api import problem
from api.idempotency import idempotent, unit_of_work
from api.openapi import Blueprint
from fares import tracks
from fares.meter import Way, measure
from fares.meter.state import TrackFull
from fares.metered import Metered, TrackOrder, meter, priced
from fares.metered import local as local_time
from fares.quote_views import OSM_CREDIT, no_map, store
from fares.track_models import Track
from fares.track_schemas import (
    BatchIn,
    Kept,
    KeptOut,
    Look,
    LookIn,
    Opened,
    OpenedOut,
    Opening,
    OpeningIn,
    StatedFix,
    StatedTrack,
    ToldTrack,
    TrackDetails,
    TrackDetailsOut,
    TrackIn,
    TrackOut,
    TrackShownOut,
    TrackState,
    in_seconds,
    told,
)
from fares.tracks import TrackClosed
from fares.trip import FactMissing
from fares.views import fact_missing, unknown_municipality
from laws.loader import UnknownMunicipality
from laws.shelf import lawbook
from settings import Settings
from zones.atlas import Atlas
from zones.roads.chain import matcher_for, roads_for
from zones.store import NoMap, atlas_in_force

blueprint = Blueprint("tracks", __name__, url_prefix="/api/v1", description="Medição de corridas por GPS")

_track_out, _details_out = TrackOut(), TrackDetailsOut()


@blueprint.post("/tracks/measure")
@blueprint.arguments(TrackIn())
@blueprint.response(200, TrackOut())
@requires("tracks:measure")
def measure_track(stated: StatedTrack) -> ToldTrack:
    """Mede a corrida pelas posições do aparelho: distância por zona, tempo parado, grau, lacunas e tarifa."""
    book, settings = lawbook(), _settings()
    zone = book.municipality(stated.municipality).zone_info
    must_work_in(stated.municipality)
    order = stated.order(zone)
    with store().sessions.begin() as session:
        atlas = atlas_in_force(session, order.municipality, _day(order, zone))
    roads = roads_for(order.municipality, settings)
    metered = meter(order, book, atlas, matcher_for(order.municipality, settings), roads)
    return told(metered, order.municipality, zone, _credits(atlas, metered))


@blueprint.post("/tracks")
@idempotent
@blueprint.arguments(OpeningIn())
@blueprint.response(201, OpenedOut())
@requires("tracks:open")
def open_track(opening: Opening) -> Opened:
    """Abre uma medição: o aparelho manda as posições em lotes durante a corrida e a encerra no fim."""
    zone = lawbook().municipality(opening.municipality).zone_info
    must_work_in(opening.municipality)
    begins = opening.begins(zone, datetime.now(UTC))
    owner = current_actor().id
    return Opened(tracks.open_track(unit_of_work(), opening.municipality, begins, opened_by=owner, facts=opening.facts))


@blueprint.post("/tracks/<track_id>/fixes")
@idempotent
@blueprint.arguments(BatchIn())
@blueprint.response(200, KeptOut())
@blueprint.alt_response(404, "NOT_FOUND")
@blueprint.alt_response(409, "CONFLICT")
@requires("tracks:collect")
def take_fixes(batch: Sequence[StatedFix], track_id: str) -> Kept:
    """Guarda um lote de posições, em qualquer ordem; o mesmo lote de novo não muda nada."""
    session = unit_of_work()
    track = _reached(tracks.find(session, track_id, lock=True))
    zone = lawbook().municipality(track.municipality).zone_info
    taken = tracks.append(session, track_id, in_seconds(batch, zone))
    return Kept(track.fixes, taken.new, taken.before_ride)


@blueprint.post("/tracks/<track_id>/close")
@idempotent
@blueprint.response(200, TrackOut())
@blueprint.alt_response(404, "NOT_FOUND")
@blueprint.alt_response(409, "CONFLICT")
@requires("tracks:collect")
def close_track(track_id: str) -> Response:
    """Encerra a medição: mede e calcula com o que chegou. Encerrar de novo dá a mesma resposta, byte a byte."""
    track = _reached(tracks.find(unit_of_work(), track_id, lock=True))
    if track.answer is None:
        track.answer = orjson.dumps(_track_out.dump(_closed(track)))
    return Response(track.answer, content_type="application/json")


@blueprint.get("/tracks/<track_id>")
@blueprint.arguments(LookIn(), location="query")
@blueprint.response(200, TrackShownOut())
@blueprint.alt_response(404, "NOT_FOUND")
@requires("tracks:read")
def track(look: Look, track_id: str) -> Response:
    """Em que pé está a medição, e o resultado se encerrada. O fiscal informa o processo; fica registrado."""
    actor = current_actor()
    with store().sessions.begin() as session:
        found = _reached(tracks.find(session, track_id))
        if found.opened_by != actor.id:
            what = What(Track.__tablename__, track_id)
            record(session, actor, what, look.case_number, reason=look.reason, at=datetime.now(UTC))
        result = None if found.answer is None else orjson.Fragment(found.answer)
        body = orjson.dumps({**_details_out.dump(_details(found)), "result": result})
    return Response(body, content_type="application/json")


def _reached(found: Track | None) -> Track:
    """The track, if the right in use reaches it. Raises `Problem` 404, the same for another's and for none."""
    if found is None:
        must_reach(None)
        raise problem.Problem(404)  # to a right that reaches everything
    must_reach(found.municipality, found.opened_by)
    return found


def _closed(track: Track) -> ToldTrack:
    """Measure and price a track once and for all. Raises ``TrackClosed`` and what `priced` raises."""
    book, settings, session = lawbook(), _settings(), unit_of_work()
    order = tracks.order_of(session, track)
    zone = book.municipality(track.municipality).zone_info
    day = _day(order, zone) if order.fixes else track.opened_at.astimezone(zone).date()
    atlas = atlas_in_force(session, track.municipality, day)
    matcher, roads = matcher_for(track.municipality, settings), roads_for(track.municipality, settings)
    found = tracks.close(session, track.id, lambda fixes: measure(fixes, matcher=matcher, roads=roads))
    metered = priced(order, found, book, atlas)
    return told(metered, track.municipality, zone, _credits(atlas, metered))


def _details(track: Track) -> TrackDetails:
    zone = lawbook().municipality(track.municipality).zone_info
    closed_at = track.closed_at and track.closed_at.astimezone(zone)
    state = TrackState.OPEN if closed_at is None else TrackState.CLOSED
    return TrackDetails(track.id, track.municipality, state, track.opened_at.astimezone(zone), closed_at, track.fixes)


def _day(order: TrackOrder, zone: ZoneInfo) -> date:
    """The day of the ride, whatever a few wrong clocks say."""
    return local_time(median_low(fix.t for fix in order.fixes), zone).date()


def _credits(atlas: Atlas, metered: Metered) -> tuple[str, ...]:
    """Whose data the answer shows: the perimeters' and, where roads were used, the map's."""
    perimeters = [atlas.limit.credit, *(perimeter.credit for perimeter in atlas.perimeters)]
    by_road = any(stretch.way in (Way.ROAD, Way.GAP_ROAD) for stretch in metered.measurement.stretches)
    return tuple(dict.fromkeys(credit for credit in (*perimeters, OSM_CREDIT if by_road else "") if credit))


def _settings() -> Settings:
    settings: Settings = current_app.extensions["settings"]
    return settings


def track_closed(error: TrackClosed) -> Response:
    return problem.Problem(409, _sentence(error), "track_closed").response()


def track_full(error: TrackFull) -> Response:
    return problem.Problem(409, _sentence(error), "track_full").response()


def case_number_missing(error: CaseNumberMissing) -> Response:
    return problem.invalid({"case_number": [str(error)]}, "case_number_missing").response()


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[0].upper()}{text[1:]}."


blueprint.register_error_handler(UnknownMunicipality, unknown_municipality)
blueprint.register_error_handler(FactMissing, fact_missing)
blueprint.register_error_handler(NoMap, no_map)
blueprint.register_error_handler(TrackClosed, track_closed)
blueprint.register_error_handler(TrackFull, track_full)
blueprint.register_error_handler(CaseNumberMissing, case_number_missing)

"""The peer of `bench.http_fares`: what anyone would write to check the body of `POST /fares` and send it back."""

from __future__ import annotations

from flask import Flask, jsonify, request
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate


class LegSchema(Schema):
    zone = fields.String(required=True, validate=validate.OneOf(["urban", "rural", "undetermined", "outside"]))
    km = fields.Decimal(required=True, as_string=True)
    direction = fields.String(validate=validate.OneOf(["outbound", "return"]))


class ItemSchema(Schema):
    item_class = fields.String(required=True, data_key="class")
    count = fields.Integer()


class TripSchema(Schema):
    municipality = fields.String(required=True)
    started_at = fields.NaiveDateTime(required=True)
    legs = fields.List(fields.Nested(LegSchema()), required=True)
    same_vehicle_return = fields.Boolean()
    passengers = fields.Integer(validate=validate.Range(1, 20))
    waiting_minutes = fields.Integer(validate=validate.Range(0, 1440))
    items = fields.List(fields.Nested(ItemSchema()))
    passenger_age = fields.Integer(validate=validate.Range(0, 130))


def create_app() -> Flask:
    app = Flask(__name__)
    schema = TripSchema()

    @app.post("/api/v1/fares")
    def echo() -> ResponseReturnValue:
        return jsonify(schema.dump(schema.load(request.get_json())))

    return app

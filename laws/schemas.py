"""What a municipality's files may say: marshmallow schemas that turn checked YAML into the values of `laws.norm`.

Unknown keys are refused everywhere. Messages are Portuguese: whoever keeps the law's files reads them.
"""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from marshmallow import (
    RAISE,
    Schema,
    ValidationError,
    fields,
    post_load,
    validate,
    validates_schema,
)

from api.portuguese import speak_portuguese
from laws import norm as n
from laws import schedule as s
from laws.calendar import NAMED_DAYS, MunicipalHoliday, OptionalDay

speak_portuguese()

SERVICES = ("mototaxi", "taxi")
KINDS = ("constituicao", "lei", "decreto", "portaria", "resolucao", "tabela", "reportagem")


class Strict(Schema):
    """Base of every schema here: unknown keys are errors."""

    class Meta:
        unknown = RAISE

    error_messages = {  # noqa: RUF012 - marshmallow's own way to set them
        "unknown": "chave desconhecida; confira a grafia",
        "type": "esperava-se um bloco de chaves e valores",
    }


class Text(fields.String):
    """Non-empty text."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs)).strip()
        if not text:
            raise ValidationError("texto vazio")
        return text


class Whole(fields.Field[int]):
    """A plain YAML integer, within bounds."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.low, self.high = low, high

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValidationError(f"esperava-se um número inteiro, não {value!r}")
        if not self.low <= value <= self.high:
            raise ValidationError(f"{value} fora de {self.low}..{self.high}")
        return value


class Flag(fields.Field[bool]):
    """`true` or `false`, and nothing that merely looks like one of them."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError(f"escreva true ou false, não {value!r}")
        return value


def centavos(**kwargs: Any) -> Whole:
    """Money in whole centavos, up to R$ 1.000.000,00."""
    return Whole(0, 100_000_000, **kwargs)


class Km(fields.Field[int]):
    """Kilometres, as an integer or a decimal text of at most three places; becomes metres."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        try:
            metres = Decimal(str(value)) * 1000
        except InvalidOperation as error:
            raise ValidationError(f"quilômetros inválidos: {value!r}") from error
        if not metres.is_finite() or metres < 0 or metres != int(metres):
            raise ValidationError(f"quilômetros devem ter até três casas e não ser negativos: {value!r}")
        return int(metres)


class Factor(fields.Field[int]):
    """A multiplier with at most four decimal places; becomes ten-thousandths."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        try:
            scaled = Decimal(str(value)) * 10_000
        except InvalidOperation as error:
            raise ValidationError(f"fator inválido: {value!r}") from error
        if not scaled.is_finite() or not 0 < scaled <= 1_000_000 or scaled != int(scaled):
            raise ValidationError(f"fator deve ter até quatro casas, entre 0 e 100: {value!r}")
        return int(scaled)


class Clock(fields.Field[int]):
    """An hour HH:MM, 24:00 included; becomes minutes from midnight."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        text = str(value)
        if text == "24:00":
            return s.MINUTES_A_DAY
        try:
            parsed = time.fromisoformat(text) if len(text) == 5 else None
        except ValueError:
            parsed = None
        if parsed is None:
            raise ValidationError(f"hora inválida: {value!r}; escreva HH:MM, de 00:00 a 24:00")
        return parsed.hour * 60 + parsed.minute


class Moment(fields.Field[datetime]):
    """A date (its first minute) or a local date and time without offset."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        try:
            moment = datetime.fromisoformat(str(value))
        except ValueError as error:
            raise ValidationError(f"data inválida: {value!r}; escreva AAAA-MM-DD ou AAAA-MM-DDTHH:MM") from error
        if moment.tzinfo is not None:
            raise ValidationError("escreva a hora local do município, sem fuso")
        _check_year(moment.year)
        return moment


class Day(fields.Field[date]):
    """A calendar date."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> date:
        try:
            day = date.fromisoformat(str(value))
        except ValueError as error:
            raise ValidationError(f"data inválida: {value!r}; escreva AAAA-MM-DD") from error
        _check_year(day.year)
        return day


def _check_year(year: int) -> None:
    if not 1930 <= year <= 2200:
        raise ValidationError(f"ano {year} fora de 1930..2200")


class MonthDay(fields.Field[tuple[int, int]]):
    """A day of every year, MM-DD."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[int, int]:
        try:
            day = date.fromisoformat(f"2000-{value}")
        except ValueError as error:
            raise ValidationError(f"dia inválido: {value!r}; escreva MM-DD") from error
        return (day.month, day.day)


class WeekMinute(fields.Field[tuple[int, int]]):
    """A weekday and hour, such as "sat 13:00"."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[int, int]:
        weekday, _, clock = str(value).partition(" ")
        if weekday not in s.WEEKDAYS:
            raise ValidationError(f"escreva o dia e a hora, por exemplo 'sat 13:00', não {value!r}")
        return (s.WEEKDAYS.index(weekday), Clock()._deserialize(clock, attr, data))


CODE = validate.Regexp(r"^[a-z][a-z0-9_]*$", error="use letras minúsculas sem acento, algarismos e _")
SLUG = validate.Regexp(r"^[a-z]{2}(-[a-z0-9]+)+$", error="escreva UF e nome em minúsculas, como ro-vila-nova")
NORM_ID = validate.Regexp(
    r"^[a-z]{2}(-[a-z0-9]+)*/[a-z0-9.-]+$",
    error="escreva a pasta e a norma em minúsculas, como ro-vila-nova/lei-1-2020",
)
IBGE_CODE = validate.Regexp(r"^[0-9]{7}$", error="escreva os sete algarismos do IBGE, entre aspas")
AREA_CODE = validate.Regexp(r"^[1-9][0-9]$", error="escreva os dois algarismos do DDD, entre aspas")


def choice(options: type[Any], **kwargs: Any) -> fields.Enum[Any]:
    """A field for one of an enum's values."""
    return fields.Enum(options, by_value=True, **kwargs)


class ListOf(fields.Field[Any]):
    """One value or a list of values, as a frozenset."""

    def __init__(self, inner: fields.Field[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.inner = inner

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> frozenset[Any]:
        values = value if isinstance(value, list) else [value]
        if not values:
            raise ValidationError("lista vazia")
        return frozenset(self.inner.deserialize(v) for v in values)


class GuardSchema(Strict):
    window = ListOf(Text(), attribute="windows")
    touches = ListOf(choice(n.Zone))
    origin = ListOf(choice(n.Zone))
    destination = ListOf(choice(n.Zone))
    stop_in = ListOf(choice(n.Zone))
    surface = choice(n.Surface)
    origin_code = ListOf(Text())
    destination_code = ListOf(Text())
    either_code = ListOf(Text())
    category = ListOf(Text())
    same_vehicle_return = Flag()
    boarded = Flag(allow_none=True)
    parcel_only = Flag()
    moved = Flag()
    partial_km = Flag()
    crosses_again = Flag()
    waited = Flag()
    ended = Flag()
    km_above = Km()
    km_up_to = Km()
    passengers_from = Whole(1, 100)
    passengers_to = Whole(1, 100)
    age_below = Whole(1, 130)
    carries = ListOf(Text())
    items_other_than = ListOf(Text())

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> n.Guard:
        return n.Guard(**data)


class Guards(fields.Field[Any]):
    """One condition or a list of alternatives; None or absent is no condition."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[n.Guard, ...]:
        if value is None:
            return ()
        alternatives = value if isinstance(value, list) else [value]
        if not alternatives or {} in alternatives:
            raise ValidationError("condição vazia; escreva-a ou apague `when`")
        return tuple(GuardSchema().load(alternative) for alternative in alternatives)


class ScopeSchema(Strict):
    zone = ListOf(choice(n.Zone), attribute="zones")
    direction = choice(n.Direction)
    surface = choice(n.Surface)
    zone_code = ListOf(Text(), attribute="codes")
    after_town = Flag()

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> n.Scope:
        return n.Scope(**data)


class StepSchema(Strict):
    up_to_km = Km(load_default=None)
    amount = centavos(load_default=None)
    negotiated = Flag(load_default=False)

    @validates_schema
    def one_value(self, data: dict[str, Any], **kwargs: Any) -> None:
        if (data["amount"] is None) != data["negotiated"]:
            raise ValidationError("cada faixa tem `amount` ou `negotiated: true`, um dos dois")


class CellSchema(Strict):
    origin = Text(required=True, data_key="from")
    destination = Text(required=True, data_key="to")
    amount = centavos(required=True)
    windows = ListOf(Text(), data_key="window", load_default=None)
    symmetric = Flag(load_default=False)

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> n.Cell:
        return n.Cell(**data)


class TickSchema(Strict):
    amount = centavos(required=True)
    metres = Whole(1, 100_000, load_default=None)
    seconds = Whole(1, 86_400, load_default=None)

    @validates_schema
    def one_measure(self, data: dict[str, Any], **kwargs: Any) -> None:
        if (data["metres"] is None) == (data["seconds"] is None):
            raise ValidationError("um passo conta `metres` ou `seconds`, um dos dois")


PRIMITIVES = (
    "fixed", "missing", "per_km", "steps", "matrix", "per_passenger", "tick", "waiting", "item",
    "add", "times", "at_least", "at_most",
)  # fmt: skip
_STAGES = {
    "waiting": n.Stage.EXTRAS,
    "item": n.Stage.EXTRAS,
    "add": n.Stage.ADJUST,
    "times": n.Stage.ADJUST,
    "at_least": n.Stage.BOUNDS,
    "at_most": n.Stage.BOUNDS,
}
_BELONGS = {
    "over": ("per_km", "steps", "tick"),
    "from_km": ("per_km",),
    "to_km": ("per_km",),
    "partial_km": ("per_km",),
    "edge": ("steps",),
    "radius": ("steps",),
    "free_minutes": ("waiting",),
    "slow_below_kmh": ("waiting",),
    "item_class": ("item",),
    "free": ("item",),
    "on": ("add", "times", "at_least", "at_most"),
}


class LineSchema(Strict):
    """A line of the tariff; ``label`` is the norm's short name, put before each citation."""

    code = fields.String(required=True, validate=CODE)
    text = Text(required=True)
    cite = Text(required=True)
    when = Guards(load_default=())
    stage = choice(n.Stage, load_default=None)
    one_of = Text(load_default=None)
    optional = Flag(load_default=False)
    side = choice(n.Side, load_default=n.Side.BOTH)

    fixed = centavos()
    missing = Flag(validate=validate.Equal(True))
    per_km = centavos()
    steps = fields.List(fields.Nested(StepSchema), validate=validate.Length(min=1))
    matrix = fields.List(fields.Nested(CellSchema), validate=validate.Length(min=1))
    per_passenger = fields.Dict(keys=Whole(1, 20), values=centavos())
    tick = fields.Nested(TickSchema)
    waiting = centavos()
    item = centavos()
    add = centavos()
    times = Factor()
    at_least = centavos()
    at_most = centavos()

    over = fields.Nested(ScopeSchema)
    from_km = Km()
    to_km = Km(allow_none=True)
    partial_km = choice(n.PartialKm, data_key="partial")
    edge = choice(n.Edge)
    radius = Flag()
    free_minutes = Whole(0, 1440)
    slow_below_kmh = Whole(1, 100)
    item_class = Text(data_key="class")
    free = Whole(0, 1000)
    on = ListOf(Text(), allow_none=True)

    def __init__(self, label: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.label = label

    @validates_schema
    def one_primitive(self, data: dict[str, Any], **kwargs: Any) -> None:
        used = [p for p in PRIMITIVES if p in data]
        if len(used) != 1:
            raise ValidationError(f"a linha precisa de exatamente um de: {', '.join(PRIMITIVES)}")
        for key, primitives in _BELONGS.items():
            if key in data and used[0] not in primitives:
                raise ValidationError(f"não se usa com {used[0]}", field_name=key)
        if used[0] == "item" and "item_class" not in data:
            raise ValidationError("diga a que classe de volume se aplica", field_name="class")

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> n.Line:
        primitive = next(p for p in PRIMITIVES if p in data)
        return n.Line(
            code=data["code"],
            text=data["text"],
            citation=f"{self.label}, {data['cite']}",
            amount=_amount(primitive, data),
            when=data["when"] or (n.Guard(),),
            stage=data["stage"] or _STAGES.get(primitive, n.Stage.BASE),
            one_of=data["one_of"],
            optional=data["optional"],
            side=data["side"],
        )


def _amount(primitive: str, data: dict[str, Any]) -> n.Amount:
    value = data[primitive]
    over = data.get("over") or n.Scope()
    match primitive:
        case "fixed":
            return n.Fixed(value)
        case "missing":
            return n.Fixed(None)
        case "per_km":
            partial = data.get("partial_km", n.PartialKm.PRORATE)
            return n.PerKm(value, over, data.get("from_km", 0), data.get("to_km"), partial)
        case "steps":
            bands = tuple((step["up_to_km"], step["amount"]) for step in value)
            return n.Steps(_rising(bands), data.get("edge", n.Edge.LOWER), over, data.get("radius", False))
        case "matrix":
            return n.Matrix(tuple(value))
        case "per_passenger":
            return n.PerPassenger(value)
        case "tick":
            return n.Tick(value["amount"], value["metres"], value["seconds"], over)
        case "waiting":
            slow = data.get("slow_below_kmh")
            return n.Waiting(value, 60 * data.get("free_minutes", 0), slow is not None, slow)
        case "item":
            return n.PerItem(value, data["item_class"], data.get("free", 0))
        case "add":
            return n.Add(value, data.get("on"))
        case "times":
            return n.Times(value, data.get("on"))
        case _:
            return n.Bound(value, data.get("on"), upper=primitive == "at_most")


def _rising(
    bands: tuple[tuple[int | None, int | None], ...],
) -> tuple[tuple[int | None, int | None], ...]:
    limits = [limit for limit, _ in bands]
    if None in limits[:-1]:
        raise ValidationError("só a última faixa pode não ter limite", field_name="steps")
    known = [limit for limit in limits if limit is not None]
    if known != sorted(set(known)):
        raise ValidationError("os limites das faixas devem crescer", field_name="steps")
    return bands


IMPOSSIBLE = "janela impossível: começo e fim não deixam minuto nenhum"


class HolidayTimesSchema(Strict):
    start = Clock(data_key="from", load_default=0)
    end = Clock(data_key="to", load_default=s.MINUTES_A_DAY)
    eve_from = Clock(load_default=None)
    until_next = Clock(load_default=None)

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> s.Holiday:
        if data["start"] >= data["end"]:
            raise ValidationError(IMPOSSIBLE)
        return s.Holiday(**data)


class TimesSchema(Strict):
    """One stretch of a window: by weekday and clock, across the week, on holidays, in a season, or on a named day."""

    days = fields.List(fields.String(validate=validate.OneOf(s.WEEKDAYS)), validate=validate.Length(min=1))
    start = Clock(data_key="from")
    end = Clock(data_key="to")
    span_from = WeekMinute()
    span_to = WeekMinute()
    holiday = fields.Nested(HolidayTimesSchema)
    first_day = MonthDay()
    last_day = MonthDay()
    named_day = fields.String(validate=validate.OneOf(tuple(NAMED_DAYS)))

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> s.Times:
        match sorted(data):
            case ["days", "end", "start"]:
                days = frozenset(s.WEEKDAYS.index(d) for d in data["days"])
                if data["start"] == data["end"] or data["start"] == s.MINUTES_A_DAY:
                    raise ValidationError(IMPOSSIBLE)
                return s.Daily(days, data["start"], data["end"])
            case ["span_from", "span_to"]:
                if data["span_from"] == data["span_to"]:
                    raise ValidationError(IMPOSSIBLE)
                return s.Weekly(*data["span_from"], *data["span_to"])
            case ["holiday"]:
                holiday: s.Holiday = data["holiday"]
                return holiday
            case ["first_day", "last_day"]:
                return s.Season(data["first_day"], data["last_day"])
            case ["named_day"]:
                return s.Named(data["named_day"])
        raise ValidationError(
            "use {days, from, to}, {span_from, span_to}, {holiday: {…}}, {first_day, last_day} ou {named_day}"
        )


class WindowSchema(Strict):
    text = Text(required=True)
    times = fields.List(fields.Nested(TimesSchema), load_default=list)
    prevails_over = ListOf(Text(), load_default=frozenset())
    rest = Flag(load_default=False)
    gap = Flag(load_default=False)

    @validates_schema
    def times_or_rest(self, data: dict[str, Any], **kwargs: Any) -> None:
        if bool(data["times"]) == data["rest"]:
            raise ValidationError("a faixa tem `times` ou `rest: true`, um dos dois")


class RoundingSchema(Strict):
    mode = fields.String(validate=validate.OneOf(("truncate", "half_up")), load_default="truncate")
    to_centavos = Whole(1, 1000, load_default=1)
    at = fields.String(validate=validate.OneOf(("end", "line")), load_default="end")

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> n.Rounding:
        return n.Rounding(data["mode"] == "half_up", data["to_centavos"], data["at"] == "line")


class GroundsSchema(Strict):
    status = choice(n.Status, required=True)
    code = fields.String(required=True, validate=CODE)
    text = Text(required=True)
    cite = Text(required=True)

    def __init__(self, label: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.label = label

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> n.Grounds:
        if data["status"] is n.Status.PRICED:
            raise ValidationError("um fundamento não pode ter status `priced`", field_name="status")
        return n.Grounds(data["status"], data["code"], data["text"], f"{self.label}, {data['cite']}")


class RuleSchema(GroundsSchema):
    when = Guards(required=True)

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> n.Rule:
        return n.Rule(super().build(data), data["when"])


class NoticeSchema(Strict):
    code = fields.String(required=True, validate=CODE)
    text = Text(required=True)
    cite = Text(load_default=None)
    when = Guards(load_default=())

    def __init__(self, label: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.label = label

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> n.Notice:
        citation = f"{self.label}, {data['cite']}" if data["cite"] else None
        return n.Notice(data["code"], data["text"], citation, data["when"] or (n.Guard(boarded=None),))


class ChangesSchema(Strict):
    """What a reading (or an amending norm) changes in the tariff."""

    set = fields.Dict(keys=Text(), values=fields.Dict(keys=Text()), load_default=dict)
    drop = fields.List(Text(), load_default=list)
    add = fields.List(fields.Dict(keys=Text()), load_default=list)
    treat = fields.Dict(keys=Text(), values=Text(), load_default=dict)
    window_at = choice(n.WindowAt, load_default=None)
    refuses = fields.Dict(keys=Text(), load_default=None)


class OptionSchema(Strict):
    id = fields.String(required=True, validate=CODE)
    standing = choice(n.Standing, required=True)
    why = Text(required=True)
    when = Guards(load_default=())
    changes = fields.Nested(ChangesSchema, load_default=None)

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> n.Option:
        changes = data["changes"] or ChangesSchema().load({})
        return n.Option(
            data["id"],
            data["standing"],
            data["why"],
            data["when"] or (n.Guard(boarded=None),),
            changes,
        )


class ClauseSchema(Strict):
    id = fields.String(required=True, validate=CODE)
    question = Text(required=True)
    cite = Text(required=True)
    when = Guards(load_default=())
    options = fields.List(fields.Nested(OptionSchema), validate=validate.Length(min=2), required=True)
    signed_by = Text(load_default=None, allow_none=True)
    signed_on = Day(load_default=None, allow_none=True)

    def __init__(self, label: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.label = label

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> n.Clause:
        options: tuple[n.Option, ...] = tuple(data["options"])
        adopted = [o for o in options if o.standing is n.Standing.ADOPTED]
        if adopted != [options[0]]:
            raise ValidationError("a primeira opção, e só ela, tem standing `adopted`", field_name="options")
        if len({o.id for o in options}) != len(options):
            raise ValidationError("duas opções com o mesmo id", field_name="options")
        if (data["signed_by"] is None) != (data["signed_on"] is None):
            raise ValidationError("assinatura precisa de quem e quando (signed_by e signed_on)")
        return n.Clause(
            id=data["id"],
            question=data["question"],
            citation=f"{self.label}, {data['cite']}",
            when=data["when"] or (n.Guard(boarded=None),),
            options=options,
            signed_by=data["signed_by"],
            signed_on=data["signed_on"],
        )


class SuspensionSchema(Strict):
    start = Moment(required=True, data_key="from")
    end = Moment(required=True, data_key="to", allow_none=True)
    by = Text(required=True)
    restores = Text(load_default=None, allow_none=True)


class EffectiveWhenSchema(Strict):
    evidence = choice(n.Evidence, required=True)
    within_days = Whole(1, 3650, load_default=None)
    cite = Text(required=True)


class ForceSchema(Strict):
    start = Moment(required=True, data_key="from")
    end = Moment(load_default=None, data_key="to", allow_none=True)
    basis = Text(required=True)
    confirmed = Flag(required=True)
    suspended = fields.List(fields.Nested(SuspensionSchema), load_default=list)
    effective_when = fields.Nested(EffectiveWhenSchema, load_default=None)

    @validates_schema
    def forward(self, data: dict[str, Any], **kwargs: Any) -> None:
        if data["end"] is not None and data["end"] <= data["start"]:
            raise ValidationError("a vigência termina antes de começar", field_name="to")


class HeadSchema(Strict):
    id = fields.String(required=True, validate=NORM_ID)
    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    number = Text(load_default=None, allow_none=True)
    date = Text(required=True)
    title = Text(required=True)
    label = Text(required=True)
    url = Text(load_default=None, allow_none=True)
    supersedes = fields.List(Text(), load_default=list)
    override = Flag(load_default=False)


class TariffSchema(Strict):
    """The tariff block; lines, readings and windows are checked one by one afterwards, with their own places."""

    nature = choice(n.Nature)
    none = fields.Dict(keys=Text())
    amends = Text()
    changes = fields.Nested(ChangesSchema)
    window_at = choice(n.WindowAt, load_default=n.WindowAt.START)
    rounding = fields.Nested(RoundingSchema, load_default=lambda: n.Rounding(False, 1, False))
    order = fields.List(choice(n.Stage), load_default=lambda: list(n.Stage))
    return_after_stop = ListOf(choice(n.Zone), load_default=frozenset())
    zones = fields.Dict(keys=Text(), values=fields.List(Text()), load_default=dict)
    schedule = fields.Dict(keys=Text(), values=fields.Dict(), load_default=dict)
    lines = fields.List(fields.Dict(), load_default=list)
    readings = fields.List(fields.Dict(), load_default=list)

    @validates_schema
    def one_kind(self, data: dict[str, Any], **kwargs: Any) -> None:
        if sum(key in data for key in ("nature", "none", "amends")) != 1:
            raise ValidationError("a tarifa tem `nature` (com lines), `none` (sem preço, com o artigo) ou `amends`")
        if "nature" in data and not data["lines"]:
            raise ValidationError("tarifa sem linhas; use `none` se a norma não fixa preço", field_name="lines")
        if ("amends" in data) != ("changes" in data):
            raise ValidationError("`amends` e `changes` andam juntos", field_name="changes")
        if sorted(data["order"]) != sorted(n.Stage):
            raise ValidationError(f"liste cada etapa uma vez: {', '.join(n.Stage)}", field_name="order")


class NormSchema(Strict):
    norm = fields.Nested(HeadSchema, required=True)
    in_force = fields.Nested(ForceSchema, required=True)
    service = fields.String(required=True, validate=validate.OneOf(SERVICES))
    tariff = fields.Nested(TariffSchema)
    prohibitions = fields.List(fields.Dict(), load_default=list)
    notices = fields.List(fields.Dict(), load_default=list)


class MunicipalHolidaySchema(Strict):
    day = MonthDay(required=True)
    name = Text(required=True)
    act = Text(required=True)

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> MunicipalHoliday:
        month, day = data["day"]
        return MunicipalHoliday(month, day, data["name"], data["act"])


class OptionalDaySchema(Strict):
    on = Day(required=True)
    name = Text(required=True)
    act = Text(required=True)

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> OptionalDay:
        return OptionalDay(**data)


class ZoneName(fields.Field[ZoneInfo]):
    """An IANA time zone."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> ZoneInfo:
        try:
            return ZoneInfo(str(value))
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValidationError(
                f"fuso desconhecido: {value!r}; use um nome IANA, como America/Porto_Velho"
            ) from error


UFS = (
    "AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO", "MA", "MG", "MS", "MT", "PA",
    "PB", "PE", "PI", "PR", "RJ", "RN", "RO", "RR", "RS", "SC", "SE", "SP", "TO",
)  # fmt: skip


class PopulationSchema(Strict):
    on = Day(required=True)
    inhabitants = Whole(1, 100_000_000, required=True)
    source = Text(required=True)


class CalendarSchema(Strict):
    municipal = fields.List(fields.Nested(MunicipalHolidaySchema), load_default=list)
    optional = fields.List(fields.Nested(OptionalDaySchema), load_default=list)


class MunicipalitySchema(Strict):
    slug = fields.String(required=True, validate=SLUG)
    name = Text(required=True)
    uf = fields.String(required=True, validate=validate.OneOf(UFS))
    ibge_code = fields.String(required=True, validate=IBGE_CODE)
    zone_info = ZoneName(required=True, data_key="time_zone")
    area_code = fields.String(required=True, validate=AREA_CODE)
    calendar = fields.Nested(CalendarSchema, load_default=lambda: {"municipal": [], "optional": []})

"""Instants as text, and what a local time without an offset means in a municipality.

Source: RFC 3339 section 5.6 (seconds may be left out, as the public contract does).
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

FIRST_YEAR = 1988
"""Municipalities regulate local transport since the Constitution of 1988 (art. 30, V): no tariff of theirs is older."""
LAST_YEAR = 2100

PATTERN = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]"
    r"(:[0-5][0-9](\.[0-9]{1,6})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?$"
)
DATE_PATTERN = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"

_INSTANT = re.compile(PATTERN)
_DATE = re.compile(DATE_PATTERN)


class BadInstant(ValueError):
    """The text or the local time is not one instant; the message says why and what to send, in Portuguese."""


def parse_instant(text: str) -> datetime:
    """The instant written in ``text``; without an offset in it, a datetime without a time zone (see `in_zone`).

    Raises ``BadInstant`` for another format, a day that does not exist, a year before 1988 or after 2100.
    """
    if _INSTANT.match(text) is None or text.endswith("\n"):
        raise BadInstant('data e hora devem vir como "2026-12-01T10:00" (ou com fuso: "2026-12-01T10:00:00-04:00")')
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInstant(f"o dia {text[:10]} não existe no calendário") from None
    _check_year(moment.year)
    return moment


def parse_date(text: str) -> date:
    """The day written as `2026-12-01`. Raises ``BadInstant`` as `parse_instant` does."""
    if _DATE.match(text) is None or text.endswith("\n"):
        raise BadInstant('data deve vir como "2026-12-01" (ano-mês-dia)')
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise BadInstant(f"o dia {text} não existe no calendário") from None
    _check_year(day.year)
    return day


def in_zone(moment: datetime, zone: ZoneInfo) -> datetime:
    """``moment`` in the municipality's time zone; without an offset it is the municipality's local time.

    Raises ``BadInstant`` where the clock change made a local time happen twice or never: nothing is guessed.
    """
    if moment.tzinfo is not None:
        return moment.astimezone(zone)
    first, second = moment.replace(tzinfo=zone, fold=0), moment.replace(tzinfo=zone, fold=1)
    if first.utcoffset() == second.utcoffset():
        return first
    written = moment.strftime("%d/%m/%Y %H:%M")
    if first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != moment:
        raise BadInstant(
            f"{written} não existiu em {zone.key}: os relógios foram adiantados (horário de verão). "
            "Confira a hora ou informe o fuso"
        )
    raise BadInstant(
        f"{written} ocorreu duas vezes em {zone.key}: os relógios foram atrasados (fim do horário de verão). "
        f"Informe o fuso: {first.isoformat('T', 'seconds')} ou {second.isoformat('T', 'seconds')}"
    )


def _check_year(year: int) -> None:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise BadInstant(f"ano {year} fora do intervalo {FIRST_YEAR} a {LAST_YEAR}; confira a data")

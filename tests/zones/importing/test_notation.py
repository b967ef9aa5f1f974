"""Numbers and angles in Portuguese notation, against themselves and against PROJ."""

from __future__ import annotations

import pyproj
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zones.importing.datum import UTM_ZONES, code_of, operation
from zones.importing.notation import (
    Axis,
    BadNotation,
    DecimalMark,
    decimal_mark,
    format_dms,
    format_number,
    parse_angle,
    parse_number,
)
from zones.importing.reading import Datum

WEST = 62 + 21 / 60 + 45.3 / 3600


@pytest.mark.parametrize(
    "text",
    [
        "62°21'45,3\" O", "62º21’45,3” W", "62°21′45,3″ oeste", "62 21 45.3 OESTE", "O 62°21'45,3\"", "-62 21 45,3",
        "−62°21'45,3\"", "-62°21'45,3\" O", "62°21.755' O", "62o21'45,3\"O", "62° 21' 45,3'' w", "62:21:45.3 O",
    ],
)  # fmt: skip
def test_the_ways_to_write_one_longitude(text):
    assert parse_angle(text).degrees == pytest.approx(-WEST, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "axis"), [("11° S", Axis.LAT), ("11 sul", Axis.LAT), ("62 O", Axis.LON), ("62", None)]
)
def test_the_hemisphere_tells_the_axis(text, axis):
    assert parse_angle(text).axis is axis


@pytest.mark.parametrize(
    "text",
    [
        "", "abc", "NaN", "inf", "1e5", "--62", "62°61' O", "62°21'60\" O", "62,5°21' O", "-62° L", "-11° N", "S 62° O",
        "62° O S", "1 2 3 4", "62°21'45,3\" X", "٦٢", "6" * 100,
    ],
)  # fmt: skip
def test_what_is_no_angle(text):
    with pytest.raises(BadNotation):
        parse_angle(text)


@given(st.floats(-180, 180), st.sampled_from(Axis), st.integers(0, 6))
def test_an_angle_survives_being_written(degrees, axis, decimals):
    read = parse_angle(format_dms(degrees, axis, decimals))
    assert read.axis is axis
    assert read.degrees == pytest.approx(degrees, abs=0.51 * 10**-decimals / 3600 + 1e-12)


@given(st.floats(-12, -11), st.floats(-63, -62), st.sampled_from(Datum), st.sampled_from(UTM_ZONES))
def test_utm_written_in_portuguese_reads_back_to_the_place_proj_says(lat, lon, datum, zone):
    if abs(lon - (6 * zone - 183)) > 10:
        zone = 20
    code = code_of(datum, zone)
    crs = pyproj.CRS(code)
    east, north = pyproj.Transformer.from_crs(crs.geodetic_crs, crs, always_xy=True).transform(lon, lat)
    texts = [format_number(value, 4) for value in (east, north)]
    mark = decimal_mark(texts)
    assert mark is DecimalMark.COMMA
    read = [parse_number(text, mark) for text in texts]
    back = pyproj.Transformer.from_crs(crs, crs.geodetic_crs, always_xy=True).transform(read[0], read[1])
    assert back == pytest.approx((lon, lat), abs=2e-9)
    assert operation(code).system.utm_zone == f"{zone}S"


@given(st.floats(-1e8, 1e8), st.integers(0, 6))
def test_a_number_survives_being_written(value, decimals):
    assert parse_number(format_number(value, decimals), DecimalMark.COMMA) == pytest.approx(value, abs=10**-decimals)


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["512345,12"], DecimalMark.COMMA),
        (["8.765.432"], DecimalMark.COMMA),
        (["512345.12"], DecimalMark.POINT),
        (["8,765,432.10"], DecimalMark.POINT),
        (["512345"], DecimalMark.POINT),
    ],
)
def test_the_decimal_mark_of_a_file(texts, mark):
    assert decimal_mark(texts) is mark


@pytest.mark.parametrize("text", ["1.2.3", "1,2,3", "12.34,5", "1e5", "NaN", "0x10", "", "5 5", "½"])
def test_what_is_no_number(text):
    with pytest.raises(BadNotation):
        parse_number(text, DecimalMark.COMMA)

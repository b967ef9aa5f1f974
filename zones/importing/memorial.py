"""Memorial descritivo: the vertices of a perimeter as a table, the way surveyors annex it to a law.

A header names the columns; lines before it that begin with "#" may state `datum:` and `fuso:`. Nothing is guessed: a
memorial that does not say its datum, or its zone when in UTM, is refused until the person says it.

    # datum: SAD69
    # fuso: 20S
    vertice;E;N;azimute;distancia
    M-01;568.912,40;8.769.010,15;90°12'30";412,07
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from zones.importing import limits
from zones.importing.closure import Side, check_closure
from zones.importing.datum import code_of, parse_datum, parse_utm_zone
from zones.importing.finding import Finding, Refused, error, note
from zones.importing.notation import (
    Axis,
    BadNotation,
    DecimalMark,
    decimal_mark,
    listed,
    parse_angle,
    parse_number,
)
from zones.importing.reading import (
    Coordinates,
    Feature,
    Format,
    Options,
    RawPolygon,
    Reading,
    too_many_vertices,
)

EXAMPLE = "vertice;E;N  ou  vertice;latitude;longitude"


class Column(StrEnum):
    """The columns the importer understands, by the name shown to people."""

    VERTEX = "vértice"
    EAST = "E"
    NORTH = "N"
    LAT = "latitude"
    LON = "longitude"
    AZIMUTH = "azimute"
    DISTANCE = "distância"


_NAMES = {
    Column.VERTEX: {"vertice", "vertices", "ponto", "marco", "estacao", "de", "id", "nome", "v", "pt", "p"},
    Column.EAST: {"e", "este", "leste", "x", "coorde", "coordenadae", "utme", "easting", "coordx"},
    Column.NORTH: {"n", "norte", "y", "coordn", "coordenadan", "utmn", "northing", "coordy"},
    Column.LAT: {"lat", "latitude"},
    Column.LON: {"lon", "long", "lng", "longitude"},
    Column.AZIMUTH: {"azimute", "az", "azimuth"},
    Column.DISTANCE: {"distancia", "dist", "distance", "comprimento", "lado"},
}
_DELIMITERS = (";", "\t", "|", ",")
_STATEMENT = re.compile(r"^#?\s*(datum|fuso|zona|sistema)\s*[:=]\s*(.+)$", re.IGNORECASE)
_MAX_PROBLEMS = 2_000
_TEXT = {Column.EAST: "coordenada E", Column.NORTH: "coordenada N", Column.DISTANCE: "distância"}


@dataclass(frozen=True, slots=True)
class _Table:
    """The cells of the file; ``rows`` pair the line number with its cells in the order of ``columns``."""

    columns: dict[Column, int]
    ignored: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    statements: dict[str, str]

    def cells(self, column: Column) -> list[str]:
        place = self.columns[column]
        return [cells[place] for _, cells in self.rows]


def read(path: Path, options: Options) -> Reading:
    """One polygon from one table. Raises `Refused` with every line that cannot be read."""
    text, findings = _decode(path.read_bytes())
    table = _split(text)
    in_utm = Column.EAST in table.columns
    crs, xy, said = _located(table, options, in_utm)
    findings += said
    if table.ignored:
        findings.append(
            note("columns_ignored", f"Colunas não usadas: {listed(list(table.ignored), limits.MAX_LISTED)}.")
        )
    ring, closing = _close(xy)
    findings += closing
    sides = _sides(table)
    if sides:
        findings += check_closure(ring, sides, crs)
    feature = Feature(path.stem[:60], (RawPolygon((ring,)),))
    return Reading(Format.MEMORIAL, (feature,), crs, findings=tuple(findings))


def _located(table: _Table, options: Options, in_utm: bool) -> tuple[str, Coordinates, list[Finding]]:
    """The system and the vertices in it; what is wrong with either is said together."""
    try:
        xy, marks = _vertices(table, in_utm)
    except Refused as unreadable:
        try:
            _system(table, options, in_utm)
        except Refused as unsaid:
            raise Refused(*unsaid.findings, *unreadable.findings) from unreadable
        raise
    crs, stated = _system(table, options, in_utm)
    return crs, xy, [stated, *marks]


def _decode(data: bytes) -> tuple[str, list[Finding]]:
    if b"\0" in data:
        raise Refused(_not_table("o arquivo é binário"))
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        said = note("encoding", "O texto não está em UTF-8; foi lido como Windows-1252.")
        return data.decode("cp1252", errors="replace"), [said]


def _split(text: str) -> _Table:
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > limits.MAX_VERTICES + 1_000:
        raise Refused(too_many_vertices(len(lines)))
    statements: dict[str, str] = {}
    while lines and ((match := _STATEMENT.match(lines[0][1])) or lines[0][1].startswith("#")):
        if match:
            statements[match[1].lower().replace("zona", "fuso")] = match[2].strip()
        lines.pop(0)
    if not lines:
        raise Refused(_not_table("não há nenhuma linha de dados"))
    header = lines.pop(0)[1]
    delimiter = next((mark for mark in _DELIMITERS if mark in header), None)
    columns, ignored, width = _columns(header.split(delimiter))
    rows, ragged = [], []
    for number, line in lines:
        cells = tuple(cell.strip() for cell in line.split(delimiter))
        if len(cells) != width:
            ragged.append(str(number))
        rows.append((number, cells))
    if ragged:
        raise Refused(_ragged(ragged, width, delimiter))
    return _Table(columns, ignored, tuple(rows), statements)


def _columns(names: list[str]) -> tuple[dict[Column, int], tuple[str, ...], int]:
    columns: dict[Column, int] = {}
    ignored = []
    for place, name in enumerate(names):
        column = next((column for column, known in _NAMES.items() if _plain(name) in known), None)
        if column is None:
            ignored.append(name.strip()[:40])
        elif column in columns:
            raise Refused(_not_table(f"a coluna {column.value} aparece duas vezes"))
        else:
            columns[column] = place
    utm = {Column.EAST, Column.NORTH} <= columns.keys()
    degrees = {Column.LAT, Column.LON} <= columns.keys()
    if utm == degrees:
        both = (
            "há E/N e latitude/longitude ao mesmo tempo" if utm else "falta o cabeçalho com as colunas de coordenadas"
        )
        raise Refused(_not_table(both))
    return columns, tuple(ignored), len(names)


def _plain(name: str) -> str:
    """A column name without accents, units and punctuation: "Distância (m)" is "distancia"."""
    name = re.sub(r"\(.*?\)|\[.*?\]", "", name)
    letters = unicodedata.normalize("NFKD", name.lower())
    return re.sub(r"[^a-z]", "", letters)


def _system(table: _Table, options: Options, in_utm: bool) -> tuple[str, Finding]:
    """The EPSG code from the file or the options; they may not contradict each other."""
    said_datum, said_zone = table.statements.get("datum"), table.statements.get("fuso")
    datum = parse_datum(said_datum) if said_datum else options.datum
    zone = said_zone or options.utm_zone
    problems = []
    if datum is None:
        problems.append(_unsaid("datum", "--datum SIRGAS2000, SAD69 ou WGS84", "# datum: SIRGAS2000"))
    if in_utm and zone is None:
        problems.append(_unsaid("fuso UTM", "--utm-zone 20S ou 21S", "# fuso: 20S"))
    if said_datum and options.datum not in (None, datum):
        problems.append(_contradiction("datum", said_datum, str(options.datum)))
    if said_zone and options.utm_zone and parse_utm_zone(said_zone) != parse_utm_zone(options.utm_zone):
        problems.append(_contradiction("fuso", said_zone, options.utm_zone))
    if problems or datum is None:
        raise Refused(*problems)
    source = "escrito no arquivo" if said_datum else "informado por quem importa"
    finding = note("datum_stated", f"Datum {datum.value}, {source}.")
    return code_of(datum, parse_utm_zone(zone) if in_utm and zone else None), finding


def _vertices(table: _Table, in_utm: bool) -> tuple[Coordinates, list[Finding]]:
    if len(table.rows) < 3:
        raise Refused(_not_table(f"há {len(table.rows)} vértice(s); um perímetro tem pelo menos 3"))
    if not in_utm:
        return _angles(table), []
    mark = _mark(table)
    x, y = _numbers(table, Column.EAST, mark), _numbers(table, Column.NORTH, mark)
    separator = "vírgula" if mark is DecimalMark.COMMA else "ponto"
    return np.column_stack([x, y]), [note("decimal_mark", f"Separador decimal lido: {separator}.")]


def _mark(table: _Table) -> DecimalMark:
    columns = [c for c in (Column.EAST, Column.NORTH, Column.DISTANCE) if c in table.columns]
    return decimal_mark([cell for column in columns for cell in table.cells(column)])


def _numbers(table: _Table, column: Column, mark: DecimalMark) -> list[float]:
    values, problems = [], []
    for (line, _), cell in zip(table.rows, table.cells(column), strict=True):
        try:
            values.append(parse_number(cell, mark))
        except BadNotation as bad:
            problems.append(f"linha {line}, {_TEXT[column]}: {bad}")
            if len(problems) > _MAX_PROBLEMS:
                break
    if problems:
        raise Refused(_bad_cells(problems))
    return values


def _angles(table: _Table) -> Coordinates:
    pairs: dict[Column, list[float]] = {Column.LAT: [], Column.LON: []}
    problems: list[str] = []
    for column, axis in ((Column.LON, Axis.LON), (Column.LAT, Axis.LAT)):
        for (line, _), cell in zip(table.rows, table.cells(column), strict=True):
            try:
                angle = parse_angle(cell)
            except BadNotation as bad:
                problems.append(f"linha {line}, {column.value}: {bad}")
                continue
            if angle.axis not in (None, axis):
                problems.append(f"linha {line}: “{cell}” é {angle.axis} na coluna {column.value}")
            pairs[column].append(angle.degrees)
    if problems:
        raise Refused(_bad_cells(problems))
    return np.column_stack([pairs[Column.LON], pairs[Column.LAT]])


def _close(xy: Coordinates) -> tuple[Coordinates, list[Finding]]:
    if np.array_equal(xy[0], xy[-1]):
        return xy, []
    said = note(
        "memorial_closed",
        "O último vértice foi ligado ao primeiro.",
        "É como o memorial se lê: o perímetro termina no vértice inicial.",
    )
    return np.vstack([xy, xy[:1]]), [said]


def _sides(table: _Table) -> list[Side]:
    """The azimuth and distance written beside each vertex, towards the next one."""
    if Column.AZIMUTH not in table.columns and Column.DISTANCE not in table.columns:
        return []
    mark = _mark(table)
    sides, problems = [], []
    for line, cells in table.rows:
        label = cells[table.columns[Column.VERTEX]] if Column.VERTEX in table.columns else f"linha {line}"
        azimuth = _optional(cells, table.columns.get(Column.AZIMUTH))
        distance = _optional(cells, table.columns.get(Column.DISTANCE))
        try:
            sides.append(
                Side(
                    label[:40],
                    parse_angle(azimuth).degrees if azimuth else None,
                    parse_number(distance, mark) if distance else None,
                )
            )
        except BadNotation as bad:
            problems.append(f"linha {line}: {bad}")
    if problems:
        raise Refused(_bad_cells(problems))
    return sides


def _optional(cells: tuple[str, ...], place: int | None) -> str | None:
    value = cells[place] if place is not None else ""
    return value if value not in ("", "-", "—") else None


def _bad_cells(problems: list[str]) -> Finding:
    return error(
        "coordinate_not_number",
        f"Há valores que não se leem: {listed(problems, limits.MAX_LISTED)}.",
        "Pular uma linha mudaria o perímetro.",
        "Corrija esses valores no arquivo.",
    )


def _ragged(lines: list[str], width: int, delimiter: str | None) -> Finding:
    comma = " A vírgula não pode ser separador de colunas e de decimais ao mesmo tempo." if delimiter == "," else ""
    return error(
        "ragged_table",
        f"O cabeçalho tem {width} colunas, mas estas linhas não: {listed(lines, limits.MAX_LISTED)}.{comma}",
        "Não se sabe qual número é qual coordenada.",
        "Use ponto e vírgula entre as colunas, com o mesmo número delas em toda linha.",
    )


def _unsaid(what: str, option: str, line: str) -> Finding:
    return error(
        "not_stated",
        f"O memorial não diz o {what}.",
        "Supor um deles pode deslocar o perímetro de dezenas de metros a centenas de quilômetros.",
        f"Informe com {option}, ou escreva “{line}” antes do cabeçalho. A lei ou a ART do levantamento o diz.",
    )


def _contradiction(what: str, said: str, asked: str) -> Finding:
    return error(
        "contradiction",
        f"O arquivo diz {what} {said[:40]}, mas foi pedido {asked[:40]}.",
        "Só um deles é verdadeiro.",
        "Confira o memorial e retire a opção, ou corrija o arquivo.",
    )


def _not_table(detail: str) -> Finding:
    return error(
        "not_memorial",
        f"O arquivo não é uma tabela de vértices: {detail}.",
        "A primeira linha precisa dar nome às colunas, para não trocar uma coordenada pela outra.",
        f"Comece o arquivo por um cabeçalho como: {EXAMPLE}.",
    )

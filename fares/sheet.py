"""The tariff table on paper: what the rider carries and the passenger may ask to see, with the articles."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import fontpkg_noto_sans
from fpdf import FPDF
from fpdf.enums import XPos, YPos

from laws.norm import Municipality, Status
from laws.published import PublicTariff, public_tariff
from laws.wording import figure_of, window_names

_FONT = Path(fontpkg_noto_sans.ROOT, "files", "NotoSans[wdth,wght].ttf")
_MARGIN = 18
_WIDTHS = (78, 42, 54)


def tariff_sheet(municipality: Municipality, at: datetime) -> bytes:
    """A PDF of one or more A4 pages with the tariff in force at a local instant.

    Where the law gives no figure the sheet says so, with the article. Raises `laws.timeline.EvidenceNeeded`.
    """
    tariff = public_tariff(municipality, at, {})
    sheet = _Sheet(municipality, at)
    sheet.add_page()
    _head(sheet, municipality, tariff, at)
    if tariff.status is Status.PRICED:
        _lines(sheet, tariff)
    for reason in tariff.reasons:
        sheet.paragraph(f"{reason.text} ({reason.citation})")
    _prohibitions(sheet, tariff)
    _doubts(sheet, tariff)
    return bytes(sheet.output())


class _Sheet(FPDF):
    """A page in an embedded font: the core fonts of PDF lack half of Portuguese punctuation."""

    def __init__(self, municipality: Municipality, at: datetime) -> None:
        super().__init__(format="A4")
        self.set_margin(_MARGIN)
        self.set_auto_page_break(True, margin=_MARGIN)
        for style, weight in (("", 400.0), ("B", 700.0)):
            self.add_font("Noto", style, _FONT, variations={"wght": weight})
        self.set_font("Noto", size=10)
        self.set_lang("pt-BR")
        self.set_title(f"Tabela de tarifas de moto-táxi – {municipality.name}/{municipality.uf}")
        self.set_creation_date(at)
        self._foot = f"{municipality.name}/{municipality.uf} – tabela de {at:%d/%m/%Y}"

    def footer(self) -> None:
        self.set_y(-14)
        self.set_font("Noto", size=8)
        self.cell(0, 5, f"{self._foot} – página {self.page_no()}", align="C")
        self.set_font("Noto", size=10)

    def paragraph(self, text: str, *, bold: bool = False, size: float = 10) -> None:
        self.set_font("Noto", "B" if bold else "", size)
        self.multi_cell(0, size * 0.5, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(1.5)
        self.set_font("Noto", size=10)


def _head(sheet: _Sheet, municipality: Municipality, tariff: PublicTariff, at: datetime) -> None:
    sheet.paragraph("Tabela de tarifas de moto-táxi", bold=True, size=18)
    sheet.paragraph(f"{municipality.name}/{municipality.uf} – em {at:%d/%m/%Y}", bold=True, size=13)
    if tariff.norm:
        sheet.paragraph(f"{tariff.norm.label}: {tariff.norm.title}.")
        note = "" if tariff.norm.confirmed else " (data a confirmar pelo Município)"
        sheet.paragraph(f"Em vigor desde {tariff.norm.in_force_from:%d/%m/%Y}{note}.")


def _lines(sheet: _Sheet, tariff: PublicTariff) -> None:
    named = {window.id: window.text for window in tariff.windows}
    with sheet.table(col_widths=_WIDTHS, text_align=("LEFT", "RIGHT", "LEFT"), line_height=6) as table:
        table.row(("Serviço", "Valor", "Artigo"))
        for line in tariff.lines:
            when = window_names(line, named)
            table.row((f"{line.text} ({when})" if when else line.text, figure_of(line), line.citation))
    sheet.ln(3)
    for window in tariff.windows:
        sheet.paragraph(f"{window.id}: {window.text}.", size=9)


def _prohibitions(sheet: _Sheet, tariff: PublicTariff) -> None:
    if tariff.prohibitions:
        sheet.paragraph("O que a lei não permite", bold=True, size=12)
    for rule in tariff.prohibitions:
        sheet.paragraph(f"• {rule.grounds.text} ({rule.grounds.citation})")


def _doubts(sheet: _Sheet, tariff: PublicTariff) -> None:
    if tariff.readings:
        sheet.paragraph("Cláusulas que admitem mais de uma leitura, e a adotada", bold=True, size=12)
    for clause in tariff.readings:
        signed = f"assinada por {clause.signed_by}" if clause.signed_by else "ainda não assinada pelo Município"
        sheet.paragraph(f"• {clause.question} ({clause.citation}; leitura {signed}). {clause.adopted.why}", size=9)

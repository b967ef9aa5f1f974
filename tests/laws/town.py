"""A small town whose law is good; tests break it one way at a time."""

from __future__ import annotations

from pathlib import Path

SLUG = "xx-vila-nova"

MUNICIPALITY = """\
slug: xx-vila-nova
name: Vila Nova
uf: RO
ibge_code: "1199999"
time_zone: America/Porto_Velho
area_code: "69"
calendar:
  municipal:
    - {day: 03-15, name: Aniversário, act: Lei nº 1/1990}
  optional:
    - {on: 2024-03-18, name: Ponto facultativo, act: Decreto nº 2/2024}
"""

NORM = """\
norm:
  id: xx-vila-nova/lei-1
  kind: lei
  number: 1/2020
  date: 2020-01-01
  title: Lei da tarifa
  label: Lei nº 1/2020
in_force:
  from: 2020-01-01
  basis: publicação
  confirmed: true
service: mototaxi
tariff:
  nature: exact
  schedule:
    day:
      text: Dia
      times:
        - {days: [mon, tue, wed, thu, fri, sat, sun], from: "06:00", to: "22:00"}
    night:
      text: Noite
      times:
        - {days: [mon, tue, wed, thu, fri, sat, sun], from: "22:00", to: "06:00"}
  lines:
    - code: flag
      text: Bandeirada
      fixed: 300
      cite: art. 1º
    - code: km
      text: Por quilômetro
      per_km: 100
      when: {window: day}
      cite: art. 2º
    - code: night_km
      text: Por quilômetro à noite
      per_km: 150
      when: {window: night}
      cite: art. 3º
  readings:
    - id: part_of_km
      question: Como conta a fração?
      cite: art. 2º
      options:
        - id: prorated
          standing: adopted
          why: Por igual.
        - id: started
          standing: reasonable
          why: Começado.
          changes: {set: {km: {partial: started}}}
    - id: km_counted
      question: Sobre quais quilômetros?
      cite: art. 2º
      options:
        - id: all
          standing: adopted
          why: Todos.
        - id: after_two
          standing: reasonable
          why: Depois do segundo.
          changes: {set: {km: {from_km: 2}}}
prohibitions:
  - status: prohibited
    code: one_passenger
    text: Um passageiro por vez.
    cite: art. 9º
    when: {passengers_from: 2}
"""

CASES = """\
- case: dez da manhã
  cite: arts. 1º e 2º
  facts: {at: 2024-01-02T10:00, legs: [urban 4]}
  adopted: "7.00"
- case: meia-noite
  cite: arts. 1º e 3º
  facts: {at: 2024-01-02T00:00, legs: [urban 4]}
  adopted: "9.00"
"""


def write_town(laws: Path, slug: str = SLUG, **files: str | bytes) -> Path:
    """Write the town's folder under ``laws`` and give its path; keyword ``norm`` is the file norm.yaml."""
    folder = laws / slug
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {"municipality": MUNICIPALITY, "norm": NORM, **files}.items():
        data = text if isinstance(text, bytes) else text.encode()
        (folder / f"{name}.yaml").write_bytes(data)
    return folder


def broken(text: str, old: str, new: str) -> str:
    """The text with its one ``old`` replaced."""
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    return text.replace(old, new)


def line_of(text: str, fragment: str) -> int:
    """The number of the line where ``fragment`` begins."""
    return text[: text.index(fragment)].count("\n") + 1

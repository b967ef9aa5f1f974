"""KML and KMZ: looked through for entity attacks, links and text posing as numbers, then read by GDAL.

The look-through is a streaming parse: it keeps no tree, so a large document costs no memory.
"""

from __future__ import annotations

import math
import tempfile
from io import BytesIO
from pathlib import Path
from xml.sax import SAXException
from xml.sax.handler import ContentHandler

import defusedxml
import defusedxml.sax

from zones.importing import archives, gdal, limits
from zones.importing.finding import Finding, Refused, error
from zones.importing.reading import Format, Options, Reading, too_many_features, too_many_vertices


def read_kml(path: Path, options: Options) -> Reading:
    """Raises `Refused`, also for a document type declaration of any kind: KML needs none."""
    return _read(path.read_bytes(), Format.KML, options)


def read_kmz(path: Path, options: Options) -> Reading:
    """A KMZ is a zip whose document is the only (or the outermost) .kml inside."""
    documents = archives.open_entries(path, frozenset({".kml"}))
    if not documents:
        raise Refused(
            error(
                "archive_incomplete",
                "O KMZ não tem nenhum documento KML dentro.",
                "O desenho fica nesse documento.",
                "No Google Earth use “Salvar lugar como…” e escolha KMZ ou KML.",
            )
        )
    depth = min(len(entry.path.parts) for entry in documents)
    outermost = [entry for entry in documents if len(entry.path.parts) == depth]
    if len(outermost) > 1:
        raise Refused(
            error(
                "choose_document",
                f"O KMZ tem {len(outermost)} documentos KML.",
                "Qual deles é o perímetro é decisão de quem importa.",
                "Extraia o documento certo e importe-o como KML.",
            )
        )
    return _read(outermost[0].content, Format.KMZ, options)


def _read(content: bytes, format_: Format, options: Options) -> Reading:
    scan = _look_through(content)
    if scan.links:
        raise Refused(
            error(
                "network_link",
                "O KML aponta para outro arquivo (NetworkLink).",
                "O importador não busca nada na rede, e o que há lá pode mudar depois de aprovado.",
                "Abra o endereço no Google Earth e salve o polígono num KML próprio.",
            )
        )
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "document.kml"
        copy.write_bytes(content)
        return gdal.read(copy, format_, options)


class _Scan(ContentHandler):
    """Counts vertices and refuses coordinates that are not finite numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.links = 0
        self._elements = 0
        self._vertices = 0
        self._depth = 0
        self._text: list[str] | None = None
        self._root: str | None = None

    def startElement(self, name: str, attrs: object) -> None:
        tag = name.rpartition(":")[2]
        self._root = self._root or tag
        self._depth += 1
        self._elements += 1
        if self._elements > limits.MAX_ELEMENTS:
            raise Refused(too_many_features(limits.MAX_ELEMENTS))
        if self._depth > limits.MAX_XML_DEPTH:
            raise Refused(_too_deep())
        if self._root != "kml":
            raise Refused(_broken(f"o elemento principal é “{tag[:40]}”, não “kml”"))
        self.links += tag == "NetworkLink"
        self._text = [] if tag == "coordinates" else None

    def characters(self, content: str) -> None:
        if self._text is not None:
            self._text.append(content)

    def endElement(self, name: str) -> None:
        self._depth -= 1
        if self._text is not None:
            self._check("".join(self._text).split())
            self._text = None

    def _check(self, vertices: list[str]) -> None:
        self._vertices += len(vertices)
        if self._vertices > limits.MAX_VERTICES:
            raise Refused(too_many_vertices(None))
        for vertex in vertices:
            parts = vertex.split(",")
            if not 2 <= len(parts) <= 3 or not all(_finite(part) for part in parts):
                raise Refused(_not_number(vertex))


def _finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _look_through(content: bytes) -> _Scan:
    scan = _Scan()
    try:
        defusedxml.sax.parse(BytesIO(content), scan, forbid_dtd=True)
    except defusedxml.DefusedXmlException as attack:
        raise Refused(
            error(
                "xml_entities",
                "O KML declara DTD ou entidades XML.",
                "KML não precisa delas; elas servem para esgotar a memória ou ler outros arquivos.",
                "Exporte de novo do Google Earth ou QGIS.",
            )
        ) from attack
    except (SAXException, ValueError) as broken:
        detail = str(broken).rpartition(":")[2].strip()
        raise Refused(_broken(f"o XML não fecha ({detail})")) from broken
    return scan


def _broken(detail: str) -> Finding:
    return error(
        "not_kml",
        f"O arquivo não é KML: {detail}.",
        "Uma leitura parcial poderia perder pedaço do perímetro.",
        "Exporte de novo do Google Earth ou QGIS.",
    )


def _too_deep() -> Finding:
    return error(
        "xml_too_deep",
        f"O KML aninha mais de {limits.MAX_XML_DEPTH} elementos.",
        "Nenhum desenho precisa disso; é sinal de arquivo forjado.",
        "Exporte de novo do Google Earth ou QGIS.",
    )


def _not_number(vertex: str) -> Finding:
    return error(
        "coordinate_not_number",
        f"A coordenada “{vertex[:60]}” não é longitude,latitude[,altitude] em números finitos.",
        "Adivinhar o número poderia mover o perímetro.",
        "No KML cada vértice é escrito -62.3626,-11.1452 (ponto decimal, sem espaço).",
    )

"""Why a way could not be found: the messages are Portuguese, for the person who asked."""

from __future__ import annotations

from geodata.point import Point

__all__ = ["BuildFailed", "EngineDown", "NoRoadNearby", "NoWay", "RoadError", "TrackTooLong"]


class RoadError(Exception):
    """A way could not be found, or road data could not be built; the message says why."""


class NoRoadNearby(RoadError):
    """A stop lies farther from every known road than the snapping limit.

    ``point`` is that stop, or None where the engine does not say which one; ``metres`` is the
    distance to the nearest known road, None if there is none within the search; ``limit`` is the
    snapping limit in metres.
    """

    def __init__(self, point: Point | None, metres: float | None, limit: float) -> None:
        where = "Um dos pontos" if point is None else f"O ponto {point.lat:.6f}, {point.lon:.6f}"
        far = "não tem via conhecida por perto"
        if metres is not None:
            far = f"está a {metres:.0f} m da via conhecida mais próxima"
        super().__init__(
            f"{where} {far} (limite: {limit:.0f} m). "
            "Marque um ponto sobre uma rua ou estrada, ou peça à central que informe a distância."
        )
        self.point = point
        self.metres = metres
        self.limit = limit


class NoWay(RoadError):
    """Every stop is on a road, but no road that a motorcycle may ride joins them."""

    def __init__(self) -> None:
        super().__init__(
            "Não há caminho conhecido para motocicleta entre os pontos: as vias não se ligam no "
            "mapa ou a mão de direção não permite. Confira os pontos ou informe a distância."
        )


class EngineDown(RoadError):
    """The engine did not give a usable answer: off, slow, without data, or incoherent.

    ``engine`` names it, ``why`` is a Portuguese phrase without a final stop.
    """

    def __init__(self, engine: str, why: str) -> None:
        super().__init__(f"O cálculo de distância por estrada ({engine}) não respondeu: {why}.")
        self.engine = engine
        self.why = why


class TrackTooLong(RoadError):
    """A track beyond what map matching takes at once; cut it and ask again."""

    def __init__(self, what: str, limit: str) -> None:
        super().__init__(
            f"O percurso tem {what}, acima do limite de {limit} por vez para o ajuste ao mapa; divida-o em partes."
        )


class BuildFailed(RoadError):
    """Road data could not be built from the extract; what was in use stays in use."""

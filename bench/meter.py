"""How near the truth is the meter, what is each grade worth, and how fast is it? `python -m bench.meter [rides]`

Accuracy on simulated rides over the streets of Limoeiro do Norte (© OpenStreetMap contributors), with seeds that no
setting was chosen on. Throughput as a ratio to what the geodesic length of the raw track alone costs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench.rides import Noise, Ride, lying_phone, ride, street_corners
from fares.meter import Grade, Measurement, measure
from fares.meter.fixes import Fix
from geodata.geodesic import WGS84, line_metres
from zones.roads.build import build_roads
from zones.roads.data import town_folder
from zones.roads.embedded import EmbeddedRoads

TOWN = "ce-limoeiro-do-norte"
EXTRACT = Path(__file__).parent.parent / "tests" / "geodata" / "limoeiro_do_norte_ce.osm.pbf"

FIRST_SEED = 500_000
"""Settings were chosen on rides 0 to 999 and 100 000 to 100 299; the bench rides others."""

RIDES = 600
PHONES = 100

NOISES = {
    "precisão declarada de 5 a 15 m (raio de 68 %)": Noise(5, 15),
    "pior: desvio de 5 a 15 m em cada eixo": Noise(5 * 1.515, 15 * 1.515),
}


def main(rides: int = RIDES) -> None:
    """Print every table."""
    with street_engine() as roads:
        corners = street_corners(EXTRACT)
        for name, noise in NOISES.items():
            simulated = [ride(FIRST_SEED + i, corners, roads, noise) for i in range(rides)]
            accuracy(name, simulated, roads)
        throughput(simulated, roads)
    standing_still()


@contextmanager
def street_engine() -> Iterator[EmbeddedRoads]:
    """The routing engine over the town's extract, built for the occasion."""
    with tempfile.TemporaryDirectory() as folder:
        build_roads(Path(folder), TOWN, EXTRACT, seat=None)
        yield EmbeddedRoads(town_folder(Path(folder), TOWN))


def accuracy(name: str, rides: Sequence[Ride], roads: EmbeddedRoads) -> None:
    """Errors by grade with roads and without, and of the raw sum."""
    print(f"\n{len(rides)} corridas simuladas, {name}")
    truth = np.array([each.metres for each in rides])
    line("soma das posições brutas", np.array([raw_metres(each.fixes) for each in rides]), truth)
    for title, engine in (("com vias", roads), ("sem vias", None)):
        measured = [measure(each.fixes, matcher=engine, roads=engine) for each in rides]
        by_grade(title, measured, truth)
    waited = [abs(m.waiting_seconds - each.waited) for m, each in zip(measured, rides, strict=True) if not m.gaps]
    print(
        f"  tempo parado (sem lacunas): erro mediano {np.median(waited):.0f} s, p95 {np.percentile(waited, 95):.0f} s"
    )


def by_grade(title: str, measured: Sequence[Measurement], truth: np.ndarray) -> None:
    metres = np.array([each.metres for each in measured])
    line(f"{title}: todas", metres, truth)
    for grade in Grade:
        chosen = np.array([each.grade is grade for each in measured])
        if chosen.any():
            line(f"{title}: grau {grade} ({chosen.mean():.0%} das corridas)", metres[chosen], truth[chosen])


def line(title: str, metres: np.ndarray, truth: np.ndarray) -> None:
    error = metres / truth - 1
    size = np.abs(error)
    print(
        f"  {title:<42} erro mediano {np.median(size):7.2%}  p95 {np.percentile(size, 95):7.2%}  "
        f"viés {np.mean(error):+7.2%}  dentro de 2 %: {(size <= 0.02).mean():4.0%}  (n={len(size)})"
    )


def raw_metres(fixes: Sequence[Fix]) -> float:
    return line_metres([(fix.lon, fix.lat) for fix in fixes])


def throughput(rides: Sequence[Ride], roads: EmbeddedRoads) -> None:
    """Fixes per second beside the bare geodesic length of the same fixes."""
    count = sum(len(each.fixes) for each in rides)
    arrays = [np.array([(fix.lon, fix.lat) for fix in each.fixes]).T for each in rides]
    bare = fastest(lambda: [WGS84.line_length(*each) for each in arrays])
    print(f"\nRitmo ({count} posições); comprimento geodésico puro: {count / bare:,.0f} posições/s")
    for title, engine in (("com vias", roads), ("sem vias", None)):
        took = fastest(lambda engine=engine: [measure(each.fixes, matcher=engine, roads=engine) for each in rides])
        print(f"  medição {title}: {count / took:,.0f} posições/s, {bare / took:.4f} do ritmo puro")


def fastest(work, times: int = 3) -> float:
    """Seconds of the fastest of a few runs."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def standing_still() -> None:
    """What 30 minutes on a table add."""
    print(f"\n{PHONES} aparelhos parados por 30 min")
    for name, noise in NOISES.items():
        for speeds in (True, False):
            phones = [lying_phone(FIRST_SEED + i, noise, speeds=speeds) for i in range(PHONES)]
            metres = np.array([measure(each).metres for each in phones])
            raw = np.median([raw_metres(each) for each in phones])
            print(
                f"  {name}, {'com' if speeds else 'sem'} velocidades: mediana {np.median(metres):.1f} m, "
                f"menos de 10 m: {(metres < 10).mean():.0%}, pior {metres.max():.0f} m (soma bruta: {raw:,.0f} m)"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

"""Simulated motorcycle rides over a real street network, with the noise of phones in pockets.

A ride follows a way that the routing engine gives between random street corners, at a speed with corners, stops and
waits; its truth is the geodesic length of that way. The phone samples it at 1 to 10 s. Its error is an AR(1) process
per axis, plus white noise, plus bursts of reflections that jump 20 to 80 m for 4 to 20 s (of which the phone admits
only some), and in three of ten rides it is silent once or twice for 1 to 3 minutes.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import osmium

from fares.meter.fixes import Fix
from geodata.geodesic import WGS84
from geodata.point import Point
from zones.roads.errors import RoadError
from zones.route import Roads

START = 1_796_130_000.0  # 2026-12-01, some morning
SHORTEST = 800.0  # metres
SPEED_ERROR = 0.4  # m/s, one standard error of a receiver's Doppler speed
AXIS_SHARE = 1.515  # the radius holding 68 % of a round normal error, in standard errors of one axis
DRIVABLE = frozenset({"primary", "secondary", "tertiary", "residential", "unclassified", "living_street"})


@dataclass(frozen=True, slots=True)
class Noise:
    """The phone's error: bounds of its 68 % radius in metres, drawn per ride."""

    least: float = 5.0
    most: float = 15.0


@dataclass(frozen=True, slots=True)
class Ride:
    """A simulated ride: what the phone reported and what is true."""

    fixes: tuple[Fix, ...]
    metres: float
    waited: float
    silences: int


def street_corners(extract: Path) -> list[Point]:
    """The nodes of every street of an OSM extract."""
    corners: list[Point] = []
    for way in osmium.FileProcessor(str(extract)).with_locations():
        if isinstance(way, osmium.osm.Way) and way.tags.get("highway") in DRIVABLE:
            corners.extend(Point(node.lat, node.lon) for node in way.nodes if node.location.valid())
    return corners


def ride(seed: int, corners: Sequence[Point], roads: Roads, noise: Noise) -> Ride:
    """The ride of this number: always the same one."""
    dice, normal = random.Random(seed), np.random.default_rng(seed)
    line = _way(dice, corners, roads)
    lons, lats = np.array(line).T
    _, _, lengths = WGS84.inv(lons[:-1], lats[:-1], lons[1:], lats[1:])
    mile = np.concatenate([[0.0], np.cumsum(lengths)])
    clock, along, waited = _ridden(dice, line, mile)
    before, after = dice.uniform(3, 40), dice.uniform(3, 40)
    period = dice.choice([1, 1, 2, 3, 5, 5, 10])
    t = np.arange(-before, clock[-1] + after, period, dtype=float)
    if period > 1:
        t += normal.uniform(-0.3, 0.3, len(t))
    true = np.interp(t, clock, along)
    east, north, radius = _errors(dice, normal, t, noise)
    seen_lon, seen_lat, _ = WGS84.fwd(
        np.interp(true, mile, lons),
        np.interp(true, mile, lats),
        np.degrees(np.arctan2(east, north)),
        np.hypot(east, north),
    )
    speeds = (np.interp(t + 0.25, clock, along) - np.interp(t - 0.25, clock, along)) / 0.5
    speeds = np.maximum(0, speeds + normal.normal(0, SPEED_ERROR, len(t))) if dice.random() < 0.7 else None
    heard, silences = _heard(dice, t)
    return Ride(
        fixes=tuple(
            Fix(
                START + float(t[i]),
                float(seen_lat[i]),
                float(seen_lon[i]),
                float(radius[i]),
                None if speeds is None else float(speeds[i]),
            )
            for i in np.flatnonzero(heard)
        ),
        metres=float(mile[-1]),
        waited=waited + before + after,
        silences=silences,
    )


def lying_phone(seed: int, noise: Noise, seconds: int = 1800, *, speeds: bool = False) -> tuple[Fix, ...]:
    """What a phone that does not move reports, once a second; with ``speeds`` those of its receiver too."""
    dice, normal = random.Random(seed), np.random.default_rng(seed)
    t = np.arange(seconds, dtype=float)
    east, north, radius = _errors(dice, normal, t, noise)
    azimuth, distance = np.degrees(np.arctan2(east, north)), np.hypot(east, north)
    lon, lat, _ = WGS84.fwd(np.full(len(t), -62.36), np.full(len(t), -11.127), azimuth, distance)
    told = [max(0.0, speed) for speed in normal.normal(0, SPEED_ERROR, len(t))] if speeds else [None] * len(t)
    return tuple(
        Fix(START + float(t[i]), float(lat[i]), float(lon[i]), float(radius[i]), told[i]) for i in range(len(t))
    )


def _way(dice: random.Random, corners: Sequence[Point], roads: Roads) -> tuple[tuple[float, float], ...]:
    while True:
        stops = dice.sample(corners, dice.choice([2, 2, 3, 4]))
        try:
            route = roads.route(stops)
        except RoadError:
            continue
        if route.metres > SHORTEST:
            return route.line


def _ridden(
    dice: random.Random, line: Sequence[tuple[float, float]], mile: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """When the rider is how far along the way, and how long he waited: slower at corners, some stops."""
    marks = np.linspace(0, mile[-1], int(mile[-1]) + 2)
    step = marks[1]
    limit = np.full(len(marks), dice.uniform(5.5, 13))
    dwell = np.zeros(len(marks))
    lons, lats = np.array(line).T
    azimuth, _, _ = WGS84.inv(lons[:-1], lats[:-1], lons[1:], lats[1:])
    turns = np.abs((np.diff(azimuth) + 180) % 360 - 180)
    for i, turn in enumerate(turns):
        k = int(mile[i + 1] / step)
        if turn > 40:
            limit[k] = min(limit[k], dice.uniform(2, 5) if turn > 120 else dice.uniform(3, 7))
        if dice.random() < (0.25 if turn > 40 else 0.03):
            limit[k], dwell[k] = 0.05, dice.uniform(2, 40)
    limit[0] = limit[-1] = 0.3
    for i in range(1, len(marks)):
        limit[i] = min(limit[i], math.sqrt(limit[i - 1] ** 2 + 2 * 1.5 * step))
    for i in range(len(marks) - 2, -1, -1):
        limit[i] = min(limit[i], math.sqrt(limit[i + 1] ** 2 + 2 * 2.0 * step))
    riding = np.concatenate([[0], np.cumsum(2 * step / np.maximum(limit[:-1] + limit[1:], 0.2))])
    stood = np.cumsum(dwell)
    arrive, leave = riding + stood - dwell, riding + stood
    clock, along = np.stack([arrive, leave], 1).ravel(), np.repeat(marks, 2)
    return clock, along, float(stood[-1])


def _errors(
    dice: random.Random, normal: np.random.Generator, t: np.ndarray, noise: Noise
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Error east and north in metres, and the accuracy that the phone states."""
    radius, memory, white = dice.uniform(noise.least, noise.most), dice.uniform(10, 60), dice.uniform(0.3, 1.5)
    sigma = radius / AXIS_SHARE
    axes = np.empty((len(t), 2))
    axes[0] = normal.normal(0, sigma, 2)
    for i in range(1, len(t)):
        kept = math.exp(-(t[i] - t[i - 1]) / memory)
        axes[i] = kept * axes[i - 1] + sigma * math.sqrt(1 - kept * kept) * normal.normal(size=2)
    axes += normal.normal(0, white, axes.shape)
    stated = radius * np.exp(normal.normal(0, 0.25, len(t)))
    for _ in range(normal.poisson((t[-1] - t[0]) / 240)):
        begin = dice.uniform(t[0], t[-1])
        burst = (t >= begin) & (t < begin + dice.uniform(4, 20))
        far, way = dice.uniform(20, 80), dice.uniform(0, 2 * math.pi)
        axes[burst] += np.array([far * math.cos(way), far * math.sin(way)]) + normal.normal(0, 4, (burst.sum(), 2))
        if dice.random() < 0.6:
            stated[burst] = np.maximum(stated[burst], far * dice.uniform(0.5, 1.2))
    return axes[:, 0], axes[:, 1], stated


def _heard(dice: random.Random, t: np.ndarray) -> tuple[np.ndarray, int]:
    """Which fixes arrive; the first and the last always do."""
    heard = np.ones(len(t), dtype=bool)
    silences = dice.choice([1, 1, 2]) if dice.random() < 0.3 else 0
    for _ in range(silences):
        length = dice.uniform(60, 180)
        begin = dice.uniform(t[0] + 10, max(t[0] + 11, t[-1] - length - 10))
        heard &= ~((t > begin) & (t < min(begin + length, t[-1] - 1)))
    heard[[0, -1]] = True
    return heard, silences

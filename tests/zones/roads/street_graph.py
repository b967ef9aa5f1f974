"""An oracle of its own for the tests: the street network read with osmium, and shortest lengths by Dijkstra."""

from __future__ import annotations

import heapq
import itertools
from collections import defaultdict
from pathlib import Path

import osmium
from pyproj import Geod

WGS84 = Geod(ellps="WGS84")
RIDDEN = {
    "motorway", "trunk", "primary", "secondary", "tertiary", "unclassified", "residential", "living_street",
    "service", "track", "road", "motorway_link", "trunk_link", "primary_link", "secondary_link", "tertiary_link",
}  # fmt: skip
STREETS = {"primary", "secondary", "tertiary", "unclassified", "residential"}


Node = tuple[float, float]


class StreetGraph:
    """Nodes as (lon, lat); ``arcs[node]`` are (metres, node) that may be ridden from it."""

    def __init__(self, extract: Path) -> None:
        self.arcs: dict[Node, list[tuple[float, Node]]] = defaultdict(list)
        self.streets: set[Node] = set()
        ways = osmium.FileProcessor(str(extract)).with_locations().with_filter(osmium.filter.KeyFilter("highway"))
        for way in ways:
            if isinstance(way, osmium.osm.Way) and way.tags["highway"] in RIDDEN:
                self._add(way)

    def _add(self, way: osmium.osm.Way) -> None:
        line = [(node.lon, node.lat) for node in way.nodes if node.location.valid()]
        round_ = way.tags.get("junction") in ("roundabout", "circular")
        direction = way.tags.get("oneway", "yes" if round_ else "no")
        if way.tags["highway"] in STREETS:
            self.streets.update(line)
        for a, b in itertools.pairwise(line):
            metres = WGS84.inv(*a, *b)[2]
            if direction != "-1":
                self.arcs[a].append((metres, b))
            if direction not in ("yes", "true", "1"):
                self.arcs[b].append((metres, a))

    def shortest(self, start: Node, end: Node) -> float | None:
        """Metres of the shortest way, or None if there is none."""
        done: set[Node] = set()
        queue = [(0.0, start)]
        while queue:
            metres, node = heapq.heappop(queue)
            if node == end:
                return metres
            if node in done:
                continue
            done.add(node)
            for step, after in self.arcs[node]:
                if after not in done:
                    heapq.heappush(queue, (metres + step, after))
        return None

"""Where things are: GeoJSON per municipality (limits, perimeters, pontos), with provenance."""

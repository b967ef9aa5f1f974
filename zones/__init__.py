"""Which zone, how far: perimeters, point classification, splitting of routes and tracks, road distance."""

"""Address search: a gazetteer per municipality, kept by its central, and optional online help."""

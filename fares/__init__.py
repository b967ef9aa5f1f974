"""How much: a municipality's tariff and the facts of a trip become an itemised, cited fare."""

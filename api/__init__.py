"""How the house speaks: the HTTP plumbing that every room's views and schemas share. It knows no tariff and no law."""

"""Figures as Brazilian readers write them."""

from __future__ import annotations

__all__ = ["km", "percent"]


def km(metres: float) -> str:
    """Metres as "6,0 km", or "360 m" below a kilometre."""
    if metres < 1000:
        return f"{metres:.0f} m"
    return f"{metres / 1000:.1f} km".replace(".", ",")


def percent(share: float) -> str:
    """A share of 1 as "2,5 %"."""
    return f"{100 * share:.1f} %".replace(".", ",")

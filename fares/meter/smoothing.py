"""The path of the vehicle under the noise of its fixes.

Adding up raw fixes overstates the distance, because every error lengthens the path; averaging them cuts corners. A
Kalman filter run forwards and a Rauch-Tung-Striebel pass backwards weigh each fix by its accuracy against how a
vehicle can move (nearly constant velocity). Fixes that the result contradicts weigh less in the next round, so that
a burst of reflections does not bend the path. Sources: Rauch, Tung, Striebel, "Maximum likelihood estimates of linear
dynamic systems", AIAA Journal 3 (1965); Huber, "Robust Statistics" (1981).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

ROUNDS = 3
"""Passes of the smoother: a first one, and two with weights drawn from the one before."""

DOUBT_FROM = 1.5
"""Residuals beyond this many standard errors lose weight (Huber's tuning constant)."""


def smooth(t: Array, xy: Array, sigma: Array, acceleration: float) -> Array:
    """Positions (n, 2) in metres, from measured ones with standard error ``sigma`` per axis at times ``t``.

    Times must increase strictly. ``acceleration`` is the spectral density of the vehicle's acceleration (m²/s³).
    """
    if len(t) < 3:
        return xy.copy()
    believed = sigma
    smoothed = xy
    for _ in range(ROUNDS):
        smoothed = _rts(t, xy, believed, acceleration)
        residual = np.hypot(*(xy - smoothed).T)
        doubt = np.maximum(1.0, residual / (DOUBT_FROM * sigma))
        believed = sigma * doubt
    return smoothed


def _rts(t: Array, xy: Array, sigma: Array, q: float) -> Array:
    """One forward and one backward pass; both axes share their covariance, so scalars suffice.

    Plain floats: for steps of this size they beat small matrices by an order of magnitude.
    """
    n = len(t)
    steps = np.diff(t, prepend=t[0]).tolist()
    variances = (sigma**2).tolist()
    xs, ys = xy[:, 0].tolist(), xy[:, 1].tolist()
    # state: position x, y; velocity u, v; covariance [[a, b], [b, c]] of (position, velocity)
    x, y, u, v = xs[0], ys[0], 0.0, 0.0
    a, b, c = 1e8, 0.0, 1e6  # nothing is assumed of the start, so that the ride reversed gives the same path
    filtered: list[tuple[float, ...]] = []
    predicted: list[tuple[float, ...]] = []
    for i in range(n):
        dt = steps[i]
        x += u * dt
        y += v * dt
        a += dt * (2 * b + dt * (c + q * dt / 3))
        b += dt * (c + q * dt / 2)
        c += q * dt
        predicted.append((x, y, u, v, a, b, c))
        s = a + variances[i]
        gain_position, gain_velocity = a / s, b / s
        dx, dy = xs[i] - x, ys[i] - y
        x += gain_position * dx
        y += gain_position * dy
        u += gain_velocity * dx
        v += gain_velocity * dy
        c -= gain_velocity * b
        b -= gain_position * b
        a -= gain_position * a
        filtered.append((x, y, u, v, a, b, c))
    out = np.empty((n, 2))
    out[-1] = x, y
    for i in range(n - 2, -1, -1):
        fx, fy, fu, fv, fa, fb, fc = filtered[i]
        px, py, pu, pv, pa, pb, pc = predicted[i + 1]
        dt = steps[i + 1]
        det = pa * pc - pb * pb
        k00, k01, k10, k11 = fa + dt * fb, fb, fb + dt * fc, fc
        g00, g01 = (k00 * pc - k01 * pb) / det, (k01 * pa - k00 * pb) / det
        g10, g11 = (k10 * pc - k11 * pb) / det, (k11 * pa - k10 * pb) / det
        ex, ey, eu, ev = x - px, y - py, u - pu, v - pv
        x, y = fx + g00 * ex + g01 * eu, fy + g00 * ey + g01 * ev
        u, v = fu + g10 * ex + g11 * eu, fv + g10 * ey + g11 * ev
        out[i] = x, y
    return out

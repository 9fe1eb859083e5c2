"""Models of the ring current's part of Dst: what drives it and how it decays, hour by hour.

Dst* is Dst without the currents at the magnetopause. Both models are `d Dst* / dt = Q(VBs) - Dst* / tau(VBs)`.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Model = Literal["obrien_mcpherron", "burton"]
MODELS: tuple[Model, ...] = get_args(Model)
PRESSURE_TERMS: dict[str, tuple[float, float]] = {"obrien_mcpherron": (7.26, 11.0), "burton": (15.8, 20.0)}
"""b in nT / nPa^(1/2) and c in nT of Dst* = Dst - b sqrt(P) + c."""
_BURTON_H = 1 / (3.6e-5 * 3600)


def hourly_step(model: Model, driver_mv_m: Floats) -> tuple[Floats, Floats, Floats]:
    """What an hour of driving makes of Dst*: `factor Dst* + growth`.

    O'Brien and McPherron fitted differences from hour to hour, so theirs is `Dst* + Q - Dst* / tau`; Burton's is the
    solution of the equation over an hour of constant driving.

    Parameters
    ----------
    model
        Whose constants.
    driver_mv_m
        V Bs in mV/m, Bs the southward field, 0 northward; shape (hour,).

    Returns
    -------
    tuple
        Shape (hour,) each: the factor; the growth in nT; and the Dst* in nT at which it would stay, Q tau.

    Notes
    -----
    Burton et al. (1975), doi:10.1029/JA080i031p04204: a = 3.6e-5 s^-1, d = -1.5e-3 nT / (mV/m s), E_c = 0.5 mV/m.
    O'Brien and McPherron (2000), doi:10.1029/1998JA000437.
    """
    if model == "burton":
        steady = np.where(driver_mv_m > 0.5, -5.4 * (driver_mv_m - 0.5), 0.0 * driver_mv_m) * _BURTON_H
        factor = np.exp(-1 / _BURTON_H) + 0.0 * driver_mv_m
        return factor, steady * (1 - factor), steady
    decay_h = 2.40 * np.exp(9.74 / (4.69 + driver_mv_m))
    growth = np.where(driver_mv_m > 0.49, -4.4 * (driver_mv_m - 0.49), 0.0 * driver_mv_m)
    return 1 - 1 / decay_h, growth, growth * decay_h


def run_for(steps: tuple[Floats, Floats], begun: Floats, measured: Floats, last: NDArray[np.int64], hours: int) -> Floats:
    """Dst* at some hours, each from a run of its own over the hours before it.

    Parameters
    ----------
    steps
        Factor and growth of each hour, NaN where its driving is not known; shape (hour,).
    begun
        Dst* in nT with which a run begins at each hour, NaN where it cannot; shape (hour,).
    measured
        Dst* in nT with which a run that has stopped because the driving is not known continues, shape (hour,); not at its last
        hour, which would be a measurement.
    last
        Indices of the hours to compute, none below `hours`; shape (wanted,).
    hours
        How long each run is.

    Returns
    -------
    float64, nT, shape (wanted,)
    """
    factor, growth = steps
    state = np.where(np.isnan(begun[last - hours]), measured[last - hours], begun[last - hours])
    for place in range(hours, 0, -1):
        hour = last - place
        state = factor[hour] * state + growth[hour]
        if place > 1:
            state = np.where(np.isnan(state), measured[hour + 1], state)
    return state


def bridged(values: Floats, longest: int) -> Floats:
    """Hourly values, shape (hour,), with gaps of at most `longest` hours (NaN) interpolated linearly; gaps at an end stay."""
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return values
    at = np.arange(len(values))
    later = np.minimum(np.searchsorted(known, at), len(known) - 1)
    after, before = known[later], known[np.maximum(later - 1, 0)]
    is_short = np.isnan(values) & (before < at) & (at < after) & (after - before <= longest + 1)
    share = (at - before) / np.maximum(after - before, 1)
    return np.where(is_short, values[before] + (values[after] - values[before]) * share, values)

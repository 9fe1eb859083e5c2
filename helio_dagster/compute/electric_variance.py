"""Normal of a moving boundary by the maximum variance of the electric field, in the frame of the minimum Faraday residue.

Source: Sonnerup and Scheible 1998, ISSI SR-001, chapter 8, section 8.4; Khrabrov and Sonnerup 1998, doi:10.1029/98GL51784.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


_LEAST_CHANGE = 1e-20
"""Of the squared field: less than that is rounding."""


@dataclass(frozen=True)
class ElectricFrame:
    """Axes in rows (maximum, intermediate, minimum), variances along them, and the speed along the first in km/s."""

    axes: Floats
    variances: Floats
    speed: float


def electric_frame(electric: Floats, field: Floats, *, is_moving: bool) -> ElectricFrame | None:
    """Axes of the variance of the electric field in the frame of a boundary that moves along its normal.

    Parameters
    ----------
    electric, field
        In mV/m and nT, finite, shape (record, 3) each.
    is_moving
        Whether the frame moves so that the tangential electric field varies least, by Faraday's law; else it is that of the
        data.

    Returns
    -------
    ElectricFrame or None
        None where the speed is not known, because the magnetic field does not vary.

    Notes
    -----
    With deviations e, b from the means and P = <e x b>: n is the axis of the least eigenvalue of <e^2> delta_ij - <e_i e_j> -
    P_i P_j / <b^2>, u = P n / <b^2>; the variance is that of E + u n x B.
    """
    if not is_moving:
        axes, variances = _electric_axes(electric)
        return ElectricFrame(axes, variances, 0.0)
    e, b = electric - np.mean(electric, axis=0), field - np.mean(field, axis=0)
    squares = float(np.mean(np.sum(b * b, axis=1)))
    if not squares > _LEAST_CHANGE * float(np.mean(np.sum(field * field, axis=1))):
        return None
    flux = np.mean(np.cross(e, b), axis=0)
    residue = np.mean(np.sum(e * e, axis=1)) * np.eye(3) - e.T @ e / len(e) - np.outer(flux, flux) / squares
    moving = np.linalg.eigh(residue)[1][:, 0]
    speed = float(flux @ moving) / squares
    axes, variances = _electric_axes(electric + speed * np.cross(moving, field))
    return ElectricFrame(axes, variances, 1e3 * speed * (1.0 if axes[0] @ moving > 0 else -1.0))


def _electric_axes(electric: Floats) -> tuple[Floats, Floats]:
    """Axes in rows, of which the first has x >= 0, the last z >= 0, the second is last x first; and the variances."""
    apart = electric - np.mean(electric, axis=0)
    variances, vectors = np.linalg.eigh(apart.T @ apart / len(electric))
    first, last = _leading(vectors[:, 2], 0), _leading(vectors[:, 0], 2)
    return np.array([first, np.cross(last, first), last]), np.maximum(variances[::-1], 0.0)


def _leading(axis: Floats, place: int) -> Floats:
    """The axis with a component that is not below zero; where that is zero, with its first other above."""
    order = [place, *(each for each in range(3) if each != place)]
    deciding = next((axis[each] for each in order if axis[each] != 0), 1.0)
    return np.asarray((axis if deciding > 0 else -axis) + 0.0)

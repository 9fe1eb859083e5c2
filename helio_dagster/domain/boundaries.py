"""Model boundaries of Earth's magnetosphere: distances from Earth's centre in R_E, symmetric about the line to the Sun.

The axis of both models is that of the solar wind's flow; here it is X of GSE or GSM, without the aberration of about 4 degrees.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def magnetopause_re(theta: Floats | float, pressure_npa: Floats | float, bz_nt: Floats | float) -> Floats:
    """Distance of the magnetopause.

    Parameters
    ----------
    theta
        Scalar, or float64 of any shape: angles from the direction to the Sun in rad, below pi.
    pressure_npa, bz_nt
        Dynamic pressure of the solar wind in nPa, above 0, and Bz of its field in GSM, in nT; scalars, or arrays whose shapes
        broadcast with that of `theta`.

    Returns
    -------
    ndarray
        float64, distance from Earth's centre in R_E, of the shape to which they broadcast; NaN where one of them is.

    Notes
    -----
    Shue et al. (1998), J. Geophys. Res. 103, 17691, doi:10.1029/98JA01103, equations 1, 10 and 11.
    """
    nose = (10.22 + 1.29 * np.tanh(0.184 * (bz_nt + 8.14))) * np.power(pressure_npa, -1 / 6.6)
    flaring = (0.58 - 0.007 * bz_nt) * (1 + 0.024 * np.log(pressure_npa))
    return np.asarray(nose * (2 / (1 + np.cos(theta))) ** flaring)


def bow_shock_re(theta: Floats | float, pressure_npa: Floats | float) -> Floats:
    """Distance of the bow shock, a paraboloid: at the nose 15.02 R_E for 1 nPa.

    Parameters
    ----------
    theta
        Scalar, or float64 of any shape: angles from the direction to the Sun in rad, below pi.
    pressure_npa
        Dynamic pressure of the solar wind in nPa, above 0; a scalar, or an array whose shape broadcasts with that of `theta`.

    Returns
    -------
    ndarray
        float64, distance from Earth's centre in R_E, of the shape to which they broadcast; NaN where one of them is.

    Notes
    -----
    Jelínek et al. (2012), J. Geophys. Res. 117, A05208, doi:10.1029/2011JA017252: with nose R and flaring
    λ = 1.17 the surface is x = R - λ² ρ² / (4 R), here as a distance over the angle.
    """
    nose = 15.02 * np.power(pressure_npa, -1 / 6.55)
    flaring = 1.17
    return np.asarray(2 * nose / (np.cos(theta) + np.sqrt(np.cos(theta) ** 2 + (flaring * np.sin(theta)) ** 2)))


def bow_shock_nose_re(magnetopause_nose_re: Floats | float, mach: Floats | float, adiabatic_index: float = 5 / 3) -> Floats:
    """Distance of the bow shock's nose, in the unit of the obstacle's.

    Parameters
    ----------
    magnetopause_nose_re
        Scalar, or float64 of any shape: distance of the nose of the obstacle, usually in R_E.
    mach
        Magnetosonic Mach number of the solar wind, above 1: at 1 the shock is infinitely far. A scalar, or an array whose shape
        broadcasts with that of the distance.
    adiabatic_index
        Ratio of specific heats.

    Returns
    -------
    ndarray
        float64, in the unit of the obstacle's distance, of the shape to which they broadcast; NaN where one of them is.

    Notes
    -----
    Farris and Russell (1994), J. Geophys. Res. 99, 17681, doi:10.1029/94JA01020: with their M^2 - 1 in place of the M^2 of
    gas dynamics (Spreiter et al. 1966, doi:10.1016/0032-0633(66)90124-3) it holds at low Mach numbers too.
    """
    squared = np.multiply(mach, mach)
    compression = ((adiabatic_index - 1) * squared + 2) / ((adiabatic_index + 1) * (squared - 1))
    return np.asarray(magnetopause_nose_re * (1 + 1.1 * compression))

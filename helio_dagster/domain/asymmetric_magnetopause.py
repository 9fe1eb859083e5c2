"""The magnetopause of Lin et al. (2010): not round, dented at the cusps, and turned by the tilt of the dipole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SIZE, _POWER, _SIZE_BZ = 12.544, -0.194, (0.305, 0.0573, 2.178)
_BLUNT = 0.0571
_FLARING, _FLARING_BZ = -0.999, (16.473, 0.00152, 0.382)
_DUSK, _NORTH, _NORTH_TILT, _POLES = 0.0431, -0.00763, -0.210, 0.0405
_DEPTH, _DEPTH_POWER, _WIDTH = -4.430, -0.636, (-2.600, 0.832, -5.328)
_CUSP, _CUSP_TILT, _SHARPNESS = 1.103, -0.907, 1.450


def lin_magnetopause_re(
    theta: Floats | float, azimuth: Floats | float, pressure_npa: Floats | float, bz_nt: Floats | float, tilt: Floats | float
) -> Floats:
    """Distance of the magnetopause from Earth's centre in R_E; arguments are scalars, or arrays whose shapes broadcast.

    Parameters
    ----------
    theta
        Scalar or any shape: angle from X of GSM in rad, 0 to below pi.
    azimuth
        As `theta`: angle about X from +Y of GSM, towards +Z, in rad.
    pressure_npa
        As `theta`: dynamic and magnetic pressure of the solar wind together in nPa, above 0.
    bz_nt
        As `theta`: Bz of its field in GSM, in nT.
    tilt
        As `theta`: dipole tilt in rad, positive where the northern pole leans to the Sun.

    Returns
    -------
    ndarray
        float64, R_E, of the shape to which they broadcast; NaN where one of them is.

    Notes
    -----
    Lin et al. (2010), J. Geophys. Res. 115, A04207, doi:10.1029/2009JA014235, equations 19 to 21 and table 9. The X axis is
    that of the solar wind's flow; here it is X of GSM, without the aberration of about 4 degrees.
    """
    nose = _SIZE * np.power(pressure_npa, _POWER) * (1 + _saturating(bz_nt, *_SIZE_BZ))
    across, upward = np.cos(azimuth), np.sin(azimuth)
    exponent = _FLARING + _saturating(bz_nt, *_FLARING_BZ)
    exponent = exponent + _DUSK * across + (_NORTH + _NORTH_TILT * tilt) * upward + _POLES * upward * upward
    shape = np.power(np.cos(theta / 2) + _BLUNT * np.sin(2 * theta) * (1 - np.exp(-theta)), exponent)
    depth = _DEPTH * np.power(pressure_npa, _DEPTH_POWER)
    north = _dent(theta, upward, np.asarray(tilt, dtype=np.float64))
    south = _dent(theta, -upward, -np.asarray(tilt, dtype=np.float64))
    return np.asarray(nose * shape + depth * (north + south))


def _saturating(bz_nt: Floats | float, size: float, slow: float, fast: float) -> Floats:
    return np.asarray(size * (np.exp(slow * bz_nt) - 1) / (np.exp(fast * bz_nt) + 1))


def _dent(theta: Floats | float, towards: Floats | float, tilt: Floats) -> Floats:
    """How deep a place is in a cusp's dent, 1 in its middle; `towards` is the cosine of the azimuth from that cusp's."""
    cusp = _CUSP + _CUSP_TILT * tilt
    cosine = np.cos(theta) * np.cos(cusp) + np.sin(theta) * np.sin(cusp) * towards
    away = np.arccos(np.clip(cosine, -1.0, 1.0))
    return np.asarray(np.exp((_WIDTH[0] + _WIDTH[1] * tilt + _WIDTH[2] * tilt * tilt) * np.power(away, _SHARPNESS)))

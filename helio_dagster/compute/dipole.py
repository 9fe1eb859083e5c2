"""Direction of Earth's magnetic dipole, from the coefficients of IGRF-14. Higher terms of the field do not belong here.

Source: IAGA 2024, doi:10.5281/zenodo.14218973; linear between its epochs, held before 1900 and carried on after 2030 at the
rate of 2025.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_IGRF_YEARS = np.arange(1900.0, 2031.0, 5.0)
_IGRF_G10_NT = np.array(
    (
        *(-31543, -31464, -31354, -31212, -31060, -30926, -30805, -30715, -30654, -30594, -30554, -30500, -30421, -30334),
        *(-30220, -30100, -29992, -29873, -29775, -29692, -29619.4, -29554.63, -29496.57, -29441.46, -29403.41),
        *(-29350.0, -29350.0 + 5 * 12.6),
    )
)
_IGRF_G11_NT = np.array(
    (
        *(-2298, -2298, -2297, -2306, -2317, -2318, -2316, -2306, -2292, -2285, -2250, -2215, -2169, -2119),
        *(-2068, -2013, -1956, -1905, -1848, -1784, -1728.2, -1669.05, -1586.42, -1501.77, -1451.37),
        *(-1410.3, -1410.3 + 5 * 10.0),
    )
)
_IGRF_H11_NT = np.array(
    (
        *(5922, 5909, 5898, 5875, 5845, 5817, 5808, 5812, 5821, 5810, 5815, 5820, 5791, 5776),
        *(5737, 5675, 5604, 5500, 5406, 5306, 5186.1, 5077.99, 4944.26, 4795.99, 4653.35),
        *(4545.5, 4545.5 - 5 * 21.5),
    )
)


def dipole_axis_in_geo(at_ns: NDArray[np.int64]) -> NDArray[np.float64]:
    """The northern end of the dipole's axis in GEO: unit vectors, shape (axis, time)."""
    time = at_ns.astype("datetime64[ns]")
    new_year = time.astype("datetime64[Y]")
    length = (new_year + 1).astype("datetime64[s]") - new_year.astype("datetime64[s]")
    year = 1970.0 + new_year.astype(np.int64) + (time - new_year) / length
    g10, g11, h11 = (np.interp(year, _IGRF_YEARS, values) for values in (_IGRF_G10_NT, _IGRF_G11_NT, _IGRF_H11_NT))
    late = np.maximum(year - _IGRF_YEARS[-1], 0.0)
    g10, g11, h11 = g10 + 12.6 * late, g11 + 10.0 * late, h11 - 21.5 * late
    moment = np.sqrt(g10 * g10 + g11 * g11 + h11 * h11)
    return np.stack([-g11 / moment, -h11 / moment, -g10 / moment])

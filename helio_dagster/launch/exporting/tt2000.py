"""UTC to TT2000, the time of CDF files: nanoseconds of Terrestrial Time since J2000, leap seconds counted."""

from __future__ import annotations

import numpy as np
from cdflib.epochs import CDFepoch
from numpy.typing import NDArray

from helio_dagster.domain.table import Times

FILL = np.iinfo(np.int64).min
"""Where there is no time."""
_DAY_NS = 86_400_000_000_000
_J2000_NS = 946_728_000_000_000_000
_TT_MINUS_TAI_NS = 32_184_000_000
_MJD_OF_1970 = 40_587.5
"""As the tables of NASA's library count: Julian day numbers less 2400000.5."""
_DRIFTING = 14
"""Lines of the table before 1972, when UTC drifted against TAI."""


def utc_to_tt2000(times: Times) -> NDArray[np.int64]:
    """Times in TT2000, shape as given; the fill value where there is none.

    The offsets are those of the table of leap seconds that cdflib brings, NASA's `CDFLeapSeconds.txt`.
    """
    utc_ns = times.astype("datetime64[ns]").astype(np.int64)
    table = np.array(CDFepoch.LTS, dtype=np.float64)
    starts = np.array([f"{int(year):04}-{int(month):02}-01" for year, month in table[:, :2]], dtype="datetime64[D]").astype(
        np.int64
    )
    days = utc_ns // _DAY_NS
    line = np.searchsorted(starts, days, side="right") - 1
    seconds = table[line, 3]
    drift = (days + _MJD_OF_1970 - table[line, 4]) * table[line, 5]
    seconds = np.where(line < _DRIFTING, seconds + drift, seconds)
    offset_ns = (np.where(line < 0, 0.0, seconds) * 1e9).astype(np.int64)
    found: NDArray[np.int64] = np.where(np.isnat(times), FILL, utc_ns - _J2000_NS + _TT_MINUS_TAI_NS + offset_ns)
    return found

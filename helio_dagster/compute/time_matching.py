"""Which sample of one time base is nearest to each sample of another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def nearest(
    wanted: NDArray[np.datetime64], offered: NDArray[np.datetime64], *, tolerance_ns: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Nearest offered sample of each wanted time; of two equally near ones the earlier.

    Parameters
    ----------
    wanted, offered
        `datetime64[ns]`, strictly increasing; `offered` holds at least one.
    tolerance_ns
        Largest distance that counts as near, included.

    Returns
    -------
    tuple
        Index into `offered`, and whether that sample is within the tolerance; both of shape (wanted,).
    """
    if len(wanted) == len(offered) and np.array_equal(wanted, offered):
        return np.arange(len(wanted)), np.ones(len(wanted), dtype=np.bool_)
    at = wanted.astype("datetime64[ns]").astype(np.int64)
    known = offered.astype("datetime64[ns]").astype(np.int64)
    after = np.minimum(np.searchsorted(known, at), len(known) - 1)
    before = np.maximum(after - 1, 0)
    index = np.where(np.abs(known[after] - at) < np.abs(at - known[before]), after, before)
    return index, np.abs(known[index] - at) <= tolerance_ns

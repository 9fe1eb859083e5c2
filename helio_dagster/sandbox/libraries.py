"""The libraries that a step's code may use, loaded once and warm. Only the worker imports this."""

from __future__ import annotations

import gc

import numpy as np
import pandas as pd
import pyarrow as pa

from helio_dagster.sandbox.distributions import over_axes

NAMES: dict[str, object] = {"np": np, "pd": pd, "over_axes": over_axes}
"""What code finds without importing it; `load_scipy` adds to it."""


def load_scipy() -> None:
    """Load SciPy and PyWavelets, which takes longer than all the rest."""
    import pywt
    import scipy
    import scipy.constants
    import scipy.fft
    import scipy.integrate
    import scipy.interpolate
    import scipy.linalg
    import scipy.ndimage
    import scipy.optimize
    import scipy.signal
    import scipy.spatial
    import scipy.special
    import scipy.stats

    NAMES.update(scipy=scipy, pywt=pywt)
    scipy.signal.butter(2, 0.1)
    scipy.signal.welch(np.arange(64.0), nperseg=32)
    pywt.wavedec(np.arange(64.0), "db4", level=2)
    pywt.cwt(np.arange(64.0), [2.0], "morl")


def warm_up() -> None:
    """Load what libraries load on first use, so that each call's process has it, and keep it out of the collector's way."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    time = pd.date_range("2020-01-01", periods=64, freq="min", tz="UTC", name="time")
    table = pd.DataFrame({"a": np.arange(64.0), "b": np.arange(64.0) ** 2}, index=time)
    hours = np.arange(64) // 8
    repr(table)
    table.rolling("5min").mean()
    table.rolling(3, center=True).median()
    table.resample("5min").mean()
    table.interpolate(method="time")
    table.groupby(hours).mean()
    table.ewm(span=3).mean()
    table.describe()
    np.random.default_rng(0).normal()
    gc.collect()
    gc.freeze()

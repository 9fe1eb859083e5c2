"""Inputs such as a code step gets: magnetic field, plasma and events of one day. Made up, and always the same."""

from __future__ import annotations

import numpy as np
import pandas as pd


def magnetic_field(records: int = 1440) -> pd.DataFrame:
    """Three components in nT, a record a minute, with waves, a discontinuity, noise and a gap."""
    rng = np.random.default_rng(20031029)
    seconds = 60.0 * np.arange(records)
    wave = np.sin(2 * np.pi * seconds[:, np.newaxis] / np.array([600.0, 900.0, 1800.0]))
    values = np.array([3.0, -2.0, 1.0]) + wave + 0.2 * rng.normal(size=(records, 3))
    values[records // 2 :, 1] += 6.0
    values[200:215] = np.nan
    return _frame(values, ["bx", "by", "bz"], seconds, units="nT", frame="GSE")


def plasma(records: int = 1350) -> pd.DataFrame:
    """Density in cm-3, speed in km/s and temperature in K, a record every 64 s."""
    rng = np.random.default_rng(19970902)
    seconds = 64.0 * np.arange(records)
    values = np.column_stack(
        [5 + rng.random(records), 400 + 20 * np.sin(seconds / 9000), 1e5 * (1 + 0.1 * rng.random(records))]
    )
    return _frame(values, ["n", "v", "t"], seconds, units="", frame=None)


def labels() -> pd.DataFrame:
    """Three events with names."""
    time = pd.to_datetime(["2003-10-29T02:00", "2003-10-29T06:11", "2003-10-29T19:00"], utc=True)
    return pd.DataFrame({"name": ["sheath", "shock", "cloud"]}, index=pd.DatetimeIndex(time, name="time"))


def _frame(values: np.ndarray, names: list[str], seconds: np.ndarray, *, units: str, frame: str | None) -> pd.DataFrame:
    time = pd.Timestamp("2003-10-29", tz="UTC") + pd.to_timedelta(seconds, unit="s")
    table = pd.DataFrame(values, columns=names, index=pd.DatetimeIndex(time, name="time").as_unit("ns"))
    table.attrs.update({"unit": units, "units": dict.fromkeys(names, units), "frame": frame, "label": names[0]})
    return table


INPUTS = {"b": magnetic_field, "p": plasma, "events": labels}
"""Names under which snippets know them."""

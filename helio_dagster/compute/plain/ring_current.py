"""Dst from the solar wind, and phases of storms in it. Speeds come in km/s, fields in nT, pressures in nPa."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.tables import at_ns, columns, middles, nanoseconds, only, stamps, strength
from helio_dagster.compute.storm_spans import StormLimits, storm_phases_of


def dst_model(
    speed: pd.DataFrame,
    bz: pd.DataFrame,
    pressure: pd.DataFrame,
    dst: pd.DataFrame | None = None,
    *,
    model: str,
    result: str,
    memory: str,
    max_gap: str,
) -> pd.DataFrame:
    """Dst of O'Brien and McPherron (2000) or Burton et al. (1975) in nT, hourly; each hour from a run over `memory`."""
    given = {"v": hourly(speed), "bz": hourly(bz), "p": hourly(pressure)}
    given["dst"] = hourly(dst) if dst is not None else pd.Series(dtype="float64")
    hours = pd.RangeIndex(
        min(min(each.index) for each in given.values() if len(each)), max(speed_hours := given["v"].index) + 1
    )
    wind = pd.DataFrame(given).reindex(hours)
    southward = wind.v * np.maximum(-wind.bz, 0) / 1e3
    driver = without_short_gaps(southward, pd.Timedelta(max_gap) // pd.Timedelta("1h"))
    b, c = {"obrien_mcpherron": (7.26, 11.0), "burton": (15.8, 20.0)}[model]
    magnetopause = b * np.sqrt(wind.p.where(wind.p >= 0)) - c
    measured, length = wind.dst - magnetopause, pd.Timedelta(memory) // pd.Timedelta("1h")
    found = []
    for hour in speed_hours:
        state = np.nan
        for each in range(hour - length, hour + 1):
            if each > hour - length:
                state = one_hour_later(state, driver.get(each - 1, np.nan), model)
            elif np.isnan(measured.get(each, np.nan)):
                state = steady_state(driver.get(each, np.nan), model)
            state = measured.get(each, np.nan) if np.isnan(state) and each < hour else state
        found.append(state if result == "dst_star" else state + magnetopause[hour])
    return at_ns(speed_hours.to_numpy() * 3_600_000_000_000, dst=np.array(found))


def hourly(table: pd.DataFrame) -> pd.Series:
    """Means of hours, by hours since 1970; the length of a vector."""
    hour = np.minimum(stamps(table), middles(table)) // 3_600_000_000_000
    values = strength(columns(table)) if len(table.columns) > 1 else columns(table)[0]
    return pd.Series(values, index=hour).groupby(level=0).mean()


def without_short_gaps(values: pd.Series, longest: int) -> pd.Series:
    """Hourly values with gaps of up to so many hours filled along the straight line."""
    is_gap = values.isna()
    lengths = is_gap.groupby((~is_gap).cumsum()).transform("sum")
    return values.where(~is_gap | (lengths > longest), values.interpolate(limit_area="inside"))


def decay_and_growth(driver: float, model: str) -> tuple[float, float]:
    """Decay time in h and injection in nT/h of V Bs in mV/m."""
    if model == "burton":
        return 1 / (3.6e-5 * 3600), -5.4 * max(driver - 0.5, 0.0) if driver == driver else np.nan
    return 2.40 * np.exp(9.74 / (4.69 + driver)), -4.4 * max(driver - 0.49, 0.0) if driver == driver else np.nan


def steady_state(driver: float, model: str) -> float:
    """Where decay and growth are even."""
    decay_h, growth = decay_and_growth(driver, model)
    return decay_h * growth


def one_hour_later(state: float, driver: float, model: str) -> float:
    """Dst* after an hour: exact for Burton et al., a difference for O'Brien and McPherron."""
    decay_h, growth = decay_and_growth(driver, model)
    if model == "burton":
        return growth * decay_h + (state - growth * decay_h) * np.exp(-1 / decay_h)
    return state + growth - state / decay_h


def storm_phases(
    series: pd.DataFrame,
    *,
    below: float,
    fall: float,
    quiet: float,
    positive: float,
    apart: str,
    longest_initial: str,
    longest_main: str,
    longest_recovery: str,
    quiet_up_to: str | None = None,
) -> pd.DataFrame:
    """Initial (1), main (2) and recovery (3) phases of storms, and quiet times after them (0), from Dst or SYM-H in nT."""
    valid = series[np.isfinite(only(series))]
    at, values = stamps(valid), only(valid)
    limits = StormLimits(
        below,
        fall,
        quiet,
        positive,
        apart_ns=nanoseconds(apart),
        initial_ns=nanoseconds(longest_initial),
        main_ns=nanoseconds(longest_main),
        recovery_ns=nanoseconds(longest_recovery),
        quiet_ns=0 if quiet_up_to is None else nanoseconds(quiet_up_to),
    )
    found = sorted(storm_phases_of(at, values, limits), key=lambda each: (at[each.first], at[each.last]))
    parts = [values[each.first : each.last + 1] for each in found]
    lows = [values[each.minimum] for each in found]
    return at_ns(
        [at[each.first] for each in found],
        stop=np.array([at[each.last] for each in found], dtype="int64").astype("datetime64[ns]"),
        duration=np.array([at[each.last] - at[each.first] for each in found]) / 3.6e12,
        phase=[each.code for each in found],
        minimum=lows,
        storm_class=[sum(low <= edge for edge in (-30, -50, -100, -200, -350)) for low in lows],
        extreme=[part.max() if each.code == 1 else part.min() for each, part in zip(found, parts, strict=True)],
        longest_gap=[np.diff(at[each.first : each.last + 1]).max() / 3.6e12 for each in found],
        is_cut=[float(each.is_cut) for each in found],
    )

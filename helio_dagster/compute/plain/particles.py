"""Onsets of events of energetic particles, and their dispersion. Energies of curves come in their own unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from helio_dagster.compute.constants import ELECTRON_MASS_KG, ELEMENTARY_CHARGE_C, PROTON_MASS_KG, SPEED_OF_LIGHT_M_PER_S
from helio_dagster.compute.cusum import CusumLimits, cusum_onset
from helio_dagster.compute.plain.tables import at_ns, columns, curve, nanoseconds, row, stamps
from helio_dagster.compute.straight_lines import least_squares
from helio_dagster.domain.lengths import AU_KM


def particle_onsets(
    flux: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    shift: float,
    threshold: float,
    consecutive: int,
    energies: list[float] | None,
    result: str,
    background: str | None = None,
) -> pd.DataFrame:
    """Onset in each channel by a cumulative sum of Poisson counts (Huttunen-Heikinmaa et al. 2005)."""
    until = start.value + ((stop.value - start.value) // 4 if background is None else nanoseconds(background))
    limits, rows = CusumLimits(shift, threshold, consecutive), []
    for values in columns(flux):
        is_valid = np.isfinite(values)
        at, known = stamps(flux)[is_valid], values[is_valid]
        first = int((at < until).sum())
        alarm = cusum_onset(known[:first], known[first:], limits)
        if alarm is None:
            rows.append((np.nan,) * 4)
        elif alarm.place < 0:
            rows.append((np.nan, np.nan, alarm.mean, alarm.deviation))
        else:
            place = first + alarm.place
            after_s = (at[place] - start.value) / 1e9
            rows.append((after_s, (at[place] - at[place - 1]) / 1e9, alarm.mean, alarm.deviation))
    onset, spread, mean, deviation = np.array(rows).T
    if result == "events":
        return _onset_events(start, (onset, spread, mean, deviation), energies)
    if energies is None:
        known = np.isfinite(onset[0])
        moment = np.datetime64(start.value + round(onset[0] * 1e9), "ns") if known else np.datetime64("NaT", "ns")
        numbers = {"onset_uncertainty": spread[0], "background_mean": mean[0], "background_deviation": deviation[0]}
        found: dict[str, Any] = {"onset": moment, **numbers}
        return row(start, stop, found)
    centers = np.array(energies, dtype="float64")
    order = pd.Series(centers).dropna().sort_values(kind="stable").drop_duplicates().index.to_numpy()
    about = {"background_mean": mean[order], "background_deviation": deviation[order]}
    return curve(start, energy=centers[order], onset=onset[order], onset_uncertainty=spread[order], **about)


def _onset_events(start: pd.Timestamp, found: tuple[np.ndarray, ...], energies: list[float] | None) -> pd.DataFrame:
    """A moment for each channel with an onset, in order of time."""
    centers = np.full(len(found[0]), np.inf) if energies is None else np.array(energies, dtype="float64")
    order = np.argsort(found[0], kind="stable")
    order = order[np.isfinite(found[0][order]) & ~np.isnan(centers[order])]
    onset, spread, mean, deviation = (each[order] for each in found)
    at = start.value + np.rint(onset * 1e9).astype("int64")
    energy = {} if energies is None else {"energy": centers[order]}
    return at_ns(at, **energy, onset_uncertainty=spread, background_mean=mean, background_deviation=deviation)


def velocity_dispersion(
    onsets: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    species: str,
    unit_ev: float,
    lowest: float | None = None,
    highest: float | None = None,
) -> pd.DataFrame:
    """Path length and release time from a line through onsets against 1 / beta."""
    energy, onset = onsets[onsets.attrs["axis"]].to_numpy("float64"), onsets["onset"].to_numpy("float64")
    taken = np.isfinite(onset) & (energy > 0) & (energy >= (lowest or 0)) & (energy <= (highest or np.inf))
    mass_kg = ELECTRON_MASS_KG if species == "electron" else PROTON_MASS_KG
    moving, rest = energy[taken] * (unit_ev * ELEMENTARY_CHARGE_C), mass_kg * SPEED_OF_LIGHT_M_PER_S**2
    line = least_squares((moving + rest) / np.sqrt(moving * (moving + 2 * rest)), onset[taken])
    names = ["path_length", "path_length_uncertainty", "release_time", "release_uncertainty", "r"]
    found: dict[str, Any] = dict.fromkeys(names, np.nan)
    found |= {"release_time": np.datetime64("NaT", "ns"), "channels": taken.sum()}
    if line.slope > 0:
        au_s = AU_KM * 1e3 / SPEED_OF_LIGHT_M_PER_S
        found |= {"path_length": line.slope / au_s, "path_length_uncertainty": line.slope_uncertainty / au_s}
        found["release_time"] = np.datetime64(int(stamps(onsets)[0]) + round(line.intercept * 1e9), "ns")
        found |= {"release_uncertainty": line.intercept_uncertainty / 60, "r": line.correlation}
    return row(start, stop, found)

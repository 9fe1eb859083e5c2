"""Shocks found in field and plasma, and parameters of each of a list. Units as in `shocks`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.shocks import averages, of_pairs, shock_parameters
from helio_dagster.compute.plain.tables import at_ns, nanoseconds, stamps
from helio_dagster.compute.shock_normals import METHODS

_EDGES = ("upstream_start", "upstream_stop", "downstream_start", "downstream_stop")


def shock_parameters_of_events(
    events: pd.DataFrame,
    field: pd.DataFrame,
    velocity: pd.DataFrame,
    density: pd.DataFrame,
    temperature: pd.DataFrame | None = None,
    *,
    clear: str,
    longest: str,
    windows: int,
    upstream: str,
    sides: str,
    method: str,
    adiabatic_index: float,
    electron_temperature_k: float,
    helium: float,
) -> pd.DataFrame:
    """Each shock of a list by itself, with its own upstream side where the list says what kind it is."""
    inputs = [field, velocity, density, *([] if temperature is None else [temperature])]
    options: dict[str, Any] = {"method": method, "adiabatic_index": adiabatic_index, "helium": helium}
    options["electron_temperature_k"] = electron_temperature_k
    whole = pd.Timedelta(nanoseconds(clear) + nanoseconds(longest))
    found = []
    for at, (_, event) in zip(events.index, events.iterrows(), strict=True):
        if sides == "columns":
            edges = [event[name] for name in _EDGES]
            near = [min(max(pd.Timestamp(each).value, (at - whole).value), (at + whole).value) for each in edges]
            up, down = (averages(inputs, [(near[place], near[place + 1])]) for place in (0, 2))
            found.append(of_pairs(at, at, up, down, **options))
            continue
        kind, which = event.get("type", np.nan), upstream
        if upstream == "auto" and (kind > 0 or kind < 0):
            which = "before" if kind > 0 else "after"
        lengths: dict[str, Any] = {"clear": clear, "longest": longest, "windows": windows, "upstream": which}
        found.append(shock_parameters(field, velocity, density, temperature, start=at, stop=at, **lengths, **options))
    names = [f"normal_{axis}" for axis in "xyz"] + ["normal_uncertainty"]
    for name in ("theta_bn", "shock_speed", "alfven_mach", "sonic_mach", "magnetosonic_mach", "density_ratio", "field_ratio"):
        names += [name, f"{name}_uncertainty"]
    names += [*(f"theta_bn_{each}" for each in METHODS), "pairs"]
    table = pd.DataFrame([each.iloc[0] for each in found]).reindex(columns=names).set_index(events.index).astype("float64")
    return events.join(table.drop(columns=[each for each in ("density_ratio", "field_ratio") if each in events.columns]))


def find_shocks(
    field: pd.DataFrame,
    velocity: pd.DataFrame,
    density: pd.DataFrame,
    temperature: pd.DataFrame | None = None,
    *,
    field_ratio: float,
    density_ratio: float,
    temperature_ratio: float,
    speed_jump: float,
    length: str,
    clear_upstream: str,
    clear_downstream: str,
    apart: str,
    min_samples: int,
    kind: str,
) -> pd.DataFrame:
    """Moments at which field, density, temperature and speed change as across a fast shock (Kilpua et al. 2015)."""
    tables = {"field": field, "velocity": velocity, "density": density}
    tables |= {} if temperature is None else {"temperature": temperature}
    known = {name: _known(table) for name, table in tables.items()}
    whole, near, far = (nanoseconds(each) for each in (length, clear_upstream, clear_downstream))
    (at, strengths), rows = known["field"], []
    sharpness = {sign: _sharpness(at, strengths, whole // 4, sign) for sign in (1, -1)}
    for place, moment in enumerate(at):
        for sign in (1, -1):
            sharp, near_by = sharpness[sign][place], np.abs(at - moment) <= whole // 4
            if not sharp >= np.nanmax(sharpness[sign][near_by], initial=0) or sharp in sharpness[sign][near_by & (at < moment)]:
                continue
            up = (moment - near - whole, moment - near) if sign > 0 else (moment + near, moment + near + whole)
            down = (moment + far, moment + far + whole) if sign > 0 else (moment - far - whole, moment - far)
            means = {name: [_mean_in(*each, *span, min_samples) for span in (up, down)] for name, each in known.items()}
            jump = sign * (means["velocity"][1] - means["velocity"][0])
            ratios = {name: np.divide(behind, ahead) for name, (ahead, behind) in means.items() if name != "velocity"}
            least = {"field": field_ratio, "density": density_ratio}
            is_met = jump >= speed_jump and sharp >= field_ratio and all(ratios[name] >= each for name, each in least.items())
            if is_met and ratios.get("temperature", np.inf) > temperature_ratio:
                changes = {f"{name}_ratio": each for name, each in ratios.items()}
                stamped = {name: np.datetime64(int(each), "ns") for name, each in zip(_EDGES, up + down, strict=True)}
                rows.append({"at": moment, "sharp": sharp, "type": float(sign), **changes, "speed_jump": jump, **stamped})
    kept = [each for each in rows if _is_sharpest(each, rows, nanoseconds(apart))]
    wanted = {"both": (1.0, -1.0), "forward": (1.0,), "reverse": (-1.0,)}[kind]
    table = pd.DataFrame([each for each in kept if each["type"] in wanted], columns=list(rows[0]) if rows else ["at", "sharp"])
    return at_ns(table["at"], **{name: table[name].to_numpy() for name in table.columns if name not in ("at", "sharp")})


def _sharpness(at: np.ndarray, strengths: np.ndarray, near_ns: int, sign: int) -> np.ndarray:
    """Ratio of the means right after and right before each sample; of a reverse shock its inverse."""
    before = np.array([_mean_in(at, strengths, each - near_ns, each - 1, 1) for each in at])
    after = np.array([_mean_in(at, strengths, each, each + near_ns - 1, 1) for each in at])
    return after / before if sign > 0 else before / after


def _is_sharpest(row_: dict[str, Any], rows: Sequence[dict[str, Any]], reach_ns: int) -> bool:
    """Whether no other moment around is sharper; of equal ones the first counts."""
    near = [each for each in rows if abs(each["at"] - row_["at"]) <= reach_ns]
    sharpest = max(each["sharp"] for each in near)
    return row_["sharp"] == sharpest and not any(each["sharp"] == sharpest and each["at"] < row_["at"] for each in near)


def _known(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Times and sizes of the valid records."""
    values = table.to_numpy(dtype="float64")
    sizes = np.abs(values[:, 0]) if values.shape[1] == 1 else np.sqrt(np.sum(values * values, axis=1))
    return stamps(table)[np.isfinite(sizes)], sizes[np.isfinite(sizes)]


def _mean_in(at: np.ndarray, values: np.ndarray, first_ns: int, last_ns: int, least: int) -> float:
    """Mean from one time up to, and with, another; NaN of too few."""
    inside = values[np.searchsorted(at, first_ns) : np.searchsorted(at, last_ns, side="right")]
    return float(np.mean(inside)) if len(inside) >= least else float("nan")

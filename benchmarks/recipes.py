"""Operations beside independent implementations of the same formula: `python -m benchmarks.recipes`.

CPU seconds of this process, the median of the repetitions of both in turn: five, or fewer where they take seconds. Most recipes
of the field have none that installs beside helio: these are those that do.
"""

from __future__ import annotations

import importlib
import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import astropy.units as u
import numpy as np
import ppigrf
from scipy import signal
from scipy.integrate import solve_ivp

from benchmarks.tables import print_table, ratio
from helio_dagster.compute.frame_axes import tilt_of_dipole
from helio_dagster.compute.frame_change import rotate_between
from helio_dagster.compute.igrf import igrf_geo_nt
from helio_dagster.compute.operation import get_operation
from helio_dagster.compute.tsyganenko import t89_field_nt
from helio_dagster.domain.lengths import EARTH_RADIUS_KM
from helio_dagster.domain.table import ColumnMeta, Kind, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

_REPETITIONS = 5
_ENOUGH_S = 3.0
"""After this much CPU time a case is not repeated."""
_NOWHERE = "http://127.0.0.1:9"
"""plasmapy asks a web service when it is imported; here nobody answers."""
_START = datetime(2015, 3, 17, tzinfo=UTC)
_DAY = TimeRange(_START, _START + timedelta(days=1))
_FEET = 20
Case = tuple[str, str, Callable[[], object], Callable[[], object]]
"""Operation, what it stands beside, and both as functions."""


def main() -> None:
    """Print both times and their ratio for each operation."""
    os.environ["https_proxy"] = _NOWHERE
    rows = []
    for name, other, ours, theirs in _cases():
        own, others = [], []
        for _ in range(_REPETITIONS):
            others.append(_cpu_s(theirs))
            own.append(_cpu_s(ours))
            if sum(own) + sum(others) > _ENOUGH_S:
                break
        rows.append((name, other, f"{median(own):.4f}", f"{median(others):.4f}", ratio(median(own), median(others))))
    print_table("CPU s", ("operation", "beside", "ours", "theirs", "ratio"), rows)


def _cases() -> Iterator[Case]:
    with redirect_stdout(io.StringIO()):  # says that it reached nobody
        formulary = importlib.import_module("plasmapy.formulary")
    draw = np.random.default_rng(1)
    field, density, temperature = 5 + draw.random(86_400), 5 + draw.random(86_400), 1e5 * (1 + draw.random(86_400))
    b, n, t = _table({"b": field}, "nT", 1.0), _table({"n": density}, "cm^-3", 1.0), _table({"t": temperature}, "K", 1.0)
    tesla, per_m3, kelvin = field * u.nT, density / u.cm**3, temperature * u.K
    plasmapy = "plasmapy, a day of seconds"
    yield (
        *("alfven_speed", plasmapy),
        lambda: _run("alfven_speed", {"field": b, "density": n}),
        lambda: formulary.Alfven_speed(tesla, per_m3, ion="p+").to(u.km / u.s),
    )
    yield (
        *("plasma_beta", plasmapy),
        lambda: _run("plasma_beta", {"density": n, "temperature": t, "field": b}),
        lambda: formulary.beta(kelvin, per_m3, tesla),
    )
    yield (
        *("gyrofrequency", plasmapy),
        lambda: _run("gyrofrequency", {"field": b}),
        lambda: formulary.gyrofrequency(tesla, particle="p+", to_hz=True),
    )
    wave = draw.normal(size=86_400)
    series, other = _table({"w": wave}, "nT", 1.0), _table({"v": wave + draw.normal(size=86_400)}, "nT", 1.0)
    yield (
        *("power_spectrum", "scipy's welch, a day of seconds"),
        lambda: _run("power_spectrum", {"series": series}, segment="PT4096S", cadence="PT1S"),
        lambda: signal.welch(wave, 1.0, nperseg=4096),
    )
    yield (
        *("coherence", "scipy's, a day of seconds"),
        lambda: _run("coherence", {"a": series, "b": other}, segments=21, cadence="PT1S"),
        lambda: signal.coherence(wave, other.columns["v"], 1.0, nperseg=4096),
    )
    place = {axis: 4e4 * (0.3 + draw.random(1_440)) for axis in "xyz"}
    geo = _table(place, "km", 60.0, kind="vector", frame="GEO")
    r = np.sqrt(sum(each**2 for each in place.values()))
    theta, phi = np.degrees(np.arccos(place["z"] / r)), np.degrees(np.arctan2(place["y"], place["x"]))
    yield (
        *("igrf_field", "ppigrf at one time, a day of minutes"),
        lambda: _run("igrf_field", {"position": geo}),
        lambda: ppigrf.igrf_gc(r, theta, phi, _START.replace(tzinfo=None)),
    )
    start = {
        axis: values[:_FEET] for axis, values in {"x": -3e4 - place["x"], "y": place["y"] / 3, "z": place["z"] / 9}.items()
    }
    gsm = _table(start, "km", 60.0, kind="vector", frame="GSM")
    yield (
        *("foot_points", f"scipy's integrator over the same field, {_FEET} lines"),
        lambda: _run("foot_points", {"position": gsm}, fixed_kp=2),
        lambda: [_foot(gsm, line) for line in range(_FEET)],
    )


def _foot(table: Table, line: int) -> object:
    """A line followed to 100 km by scipy, with an error like ours."""
    at = table.time[line : line + 1].astype("datetime64[ns]").astype(np.int64)
    tilt = tilt_of_dipole(at)
    turned = np.array([rotate_between(tuple(each[:, None]), at, "GSM", "GEO") for each in np.eye(3)])[:, :, 0]

    def along(_: float, place: Any) -> Any:
        geo = EARTH_RADIUS_KM * (place @ turned)
        inner = turned @ np.stack(igrf_geo_nt((geo[:1], geo[1:2], geo[2:]), at))[:, 0]
        outer = np.stack(t89_field_nt((place[:1], place[1:2], place[2:]), tilt, (np.full(1, 2.0),)))[:, 0]
        field = inner + np.nan_to_num(outer)
        return field / np.linalg.norm(field)

    def edge(_: float, place: Any) -> float:
        size = float(np.linalg.norm(place))
        return (size - 1 - 100 / EARTH_RADIUS_KM) * (size - 69)

    edge.terminal = True  # type: ignore[attr-defined]
    begin = np.array([values[line] for values in table.columns.values()]) / EARTH_RADIUS_KM
    return solve_ivp(along, (0, 200), begin, rtol=1e-7, atol=1e-6, events=edge)


def _table(columns: dict[str, Any], unit: str, step_s: float, *, kind: Kind = "series", frame: str | None = None) -> Table:
    count = len(next(iter(columns.values())))
    time_ns = np.datetime64(_START.replace(tzinfo=None), "ns") + (np.arange(count) * int(step_s * 1e9)).astype(
        "timedelta64[ns]"
    )
    meta = TableMeta(kind=kind, columns=tuple(ColumnMeta(name=name, unit=unit) for name in columns), unit=unit, frame=frame)
    return Table(time_ns, columns, meta)


def _run(name: str, inputs: dict[str, Table], **options: Any) -> Table:
    operation = get_operation(name)
    return operation.apply(inputs, operation.read_options(options), _DAY, "out")


def _cpu_s(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()

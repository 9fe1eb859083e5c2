"""Shocks looked for in field and plasma, and the parameters of each, against a published list and MHD shocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply
from tests.unit.compute.operations.made_up_shock import shock_tables

AT_S = np.arange(0, 3600, 20.0)
SHOCK_S = 1800.0


@dataclass(frozen=True)
class Listed:
    """An entry of the Database of Heliospheric Shock Waves: means of both sides in GSE, and (number, its error)."""

    name: str
    kind: int
    field_nt: tuple[tuple[float, float, float], tuple[float, float, float]]
    velocity_km_s: tuple[tuple[float, float, float], tuple[float, float, float]]
    density: tuple[float, float]
    temperature_1e4_k: tuple[float, float]
    ratio: tuple[float, float]
    jump_km_s: tuple[float, float]
    normal: tuple[float, float, float]
    theta_bn: tuple[float, float]
    speed_km_s: tuple[float, float]
    alfven_mach: tuple[float, float]


LISTED = (
    Listed(
        "DSCOVR 2019-07-08",
        1,
        ((0.3933, -3.9422, 0.6844), (0.2489, -8.3267, 0.3522)),
        ((-302.6778, 0.7778, -6.7556), (-352.9444, -2.9222, -38.8667)),
        (7.8289, 18.4789),
        (1.1728, 2.5818),
        (2.0732, 0.4230),
        (52.7889, 14.4492),
        (-0.8440, 0.0681, -0.5320),
        (76.1176, 6.0883),
        (361.9208, 44.4283),
        (3.2505, 0.9289),
    ),
    Listed(
        "DSCOVR 2019-11-22",
        -1,
        ((-1.9575, 2.9162, -0.9150), (-2.1288, 4.7775, 3.2888)),
        ((-595.5750, 39.9125, 19.5250), (-560.9375, 61.7875, 10.0250)),
        (3.5350, 5.0800),
        (25.3141, 30.6232),
        (1.6801, 0.1700),
        (32.7250, 4.3791),
        (0.8229, 0.5311, -0.2016),
        (88.0661, 19.6474),
        (334.6405, 135.5535),
        (2.8322, 1.1203),
    ),
    Listed(
        "DSCOVR 2021-11-03",
        1,
        ((-2.3363, 0.8550, -0.7362), (-1.7638, 10.0200, 1.0275)),
        ((-465.4200, 6.0800, 10.7000), (-686.9250, -43.1125, -99.2625)),
        (1.8020, 7.0862),
        (6.6013, 88.1086),
        (3.7857, 0.6539),
        (230.2650, 14.7054),
        (-0.9085, 0.1330, -0.3962),
        (13.0097, 17.3400),
        (738.9016, 27.2067),
        (6.6056, 1.3588),
    ),
    Listed(
        "DSCOVR 2022-03-28",
        -1,
        ((-4.3887, -0.4275, -1.6150), (-5.0557, 2.1243, -3.2329)),
        ((-519.8000, 27.7571, -11.1000), (-493.0833, 43.7833, -15.6000)),
        (4.0700, 6.1717),
        (14.9283, 18.6227),
        (1.3491, 0.0497),
        (25.3405, 3.5062),
        (0.9639, 0.2653, 0.0211),
        (21.2088, 10.1868),
        (406.0914, 27.9850),
        (1.7035, 0.2871),
    ),
)
"""Four entries with the means that their numbers were made of (ipshocks.helsinki.fi, doi:10.1002/2015JA021138)."""


def _step(shock: Listed, sides: Any, *, at_s: Any = AT_S) -> Any:
    """Upstream before a forward shock, or after a reverse one, else downstream; shape (record, component)."""
    upstream, downstream = np.atleast_1d(sides[0]), np.atleast_1d(sides[1])
    is_upstream = (at_s < SHOCK_S) == (shock.kind > 0)
    return np.where(is_upstream[:, None], upstream, downstream).astype(float)


def _tables(make_table: TableMaker, shock: Listed, *, plasma_s: Any = AT_S[::3]) -> dict[str, Table]:
    """Field every 20 s, plasma every minute."""
    field, flow = _step(shock, shock.field_nt), _step(shock, shock.velocity_km_s, at_s=plasma_s)
    density = _step(shock, shock.density, at_s=plasma_s)[:, 0]
    heat = _step(shock, shock.temperature_1e4_k, at_s=plasma_s)[:, 0] * 1e4
    named: Any = {"kind": "vector", "frame": "GSE"}
    return {
        "field": make_table(dict(zip(("bx", "by", "bz"), field.T, strict=True)), unit="nT", at_s=AT_S, **named),
        "velocity": make_table(dict(zip(("vx", "vy", "vz"), flow.T, strict=True)), unit="km/s", at_s=plasma_s, **named),
        "density": make_table({"n": density}, at_s=plasma_s, unit="cm^-3"),
        "temperature": make_table({"t": heat}, at_s=plasma_s, unit="K"),
    }


def _seconds(table: Table) -> list[float]:
    start = np.datetime64("2023-01-02", "ns")
    return [float(each) for each in (table.time - start) / np.timedelta64(1, "s")]


@pytest.mark.parametrize("shock", LISTED, ids=[each.name for each in LISTED])
def test_listed_shocks_are_found(make_table: TableMaker, apply: Apply, shock: Listed) -> None:
    """One event each, at the step, of the listed type, with the listed ratio and jump within their errors."""
    found = apply("find_shocks", _tables(make_table, shock))
    assert _seconds(found) == [SHOCK_S]
    assert found.columns["type"].tolist() == [shock.kind]
    assert found.columns["field_ratio"][0] == pytest.approx(shock.ratio[0], abs=shock.ratio[1])
    assert found.columns["density_ratio"][0] == pytest.approx(shock.density[1] / shock.density[0])
    assert found.columns["speed_jump"][0] == pytest.approx(shock.jump_km_s[0], abs=shock.jump_km_s[1])
    edges = {name: (found.columns[name][0] - found.time[0]) / np.timedelta64(1, "s") for name in found.columns if "st" in name}
    before, after = {"start": -540, "stop": -60}, {"start": 120, "stop": 600}
    expected = {f"upstream_{each}": shock.kind * value for each, value in before.items()}
    expected |= {f"downstream_{each}": shock.kind * value for each, value in after.items()}
    if shock.kind < 0:  # seen backward in time a start is a stop
        swapped = {"start": "stop", "stop": "start"}
        expected = {f"{side}_{swapped[each]}": value for name, value in expected.items() for side, each in [name.split("_")]}
    assert edges == expected


@pytest.mark.parametrize("sides", ["lengths", "columns"])
@pytest.mark.parametrize("shock", LISTED, ids=[each.name for each in LISTED])
def test_parameters_of_listed_shocks_are_those_listed(make_table: TableMaker, apply: Apply, shock: Listed, sides: str) -> None:
    """Normal, theta_Bn, speed and Mach number: the list has the same formulas, mixed mode 3 and the flux of mass."""
    tables = _tables(make_table, shock)
    events = apply("find_shocks", tables)
    found = apply("shock_parameters_of_events", {"events": events, **tables}, sides=sides)
    facts = {name: values[0] for name, values in found.columns.items()}
    normal = np.array([facts[f"normal_{axis}"] for axis in "xyz"])
    listed = -np.array(shock.normal) if np.dot(normal, shock.normal) < 0 else np.array(shock.normal)
    np.testing.assert_allclose(normal, listed, atol=2e-3)
    assert facts["theta_bn"] == pytest.approx(shock.theta_bn[0], abs=0.2)
    assert abs(facts["shock_speed"]) == pytest.approx(shock.speed_km_s[0], rel=5e-3)
    assert facts["alfven_mach"] == pytest.approx(shock.alfven_mach[0], abs=shock.alfven_mach[1])
    assert facts["type"] == shock.kind
    assert facts["field_ratio"] == events.columns["field_ratio"][0]
    assert facts["pairs"] == (25 if sides == "lengths" else 1)


@pytest.mark.parametrize(("theta_deg", "mach"), [(30.0, 2.5), (60.0, 4.0), (80.0, 3.0)])
def test_a_shock_of_mhd_with_noise_is_found_once(make_table: TableMaker, apply: Apply, theta_deg: float, mach: float) -> None:
    """It passes at 600 s: the first sample behind it is there; its ratios are those of the Rankine-Hugoniot relations."""
    tables, _, shock = shock_tables(make_table, theta_deg, mach, noise=0.2, flow_noise=3.0)
    found = apply("find_shocks", tables, temperature_ratio=0.5)
    assert _seconds(found) == [600.0]
    assert found.columns["type"].tolist() == [1]
    assert found.columns["density_ratio"][0] == pytest.approx(shock["down"][0] / shock["up"][0], rel=0.02)


def test_limits_are_those_of_the_list(make_table: TableMaker, apply: Apply) -> None:
    """Each of the four criteria alone refuses a step that fulfils the others."""
    passing: dict[str, Any] = {
        "field": (5.0, 6.01),
        "velocity": (400.0, 420.1),
        "density": (5.0, 6.01),
        "temperature": (1e5, 8.4e4),
    }
    failing = {"field": (5.0, 5.99), "velocity": (400.0, 419.9), "density": (5.0, 5.99), "temperature": (1e5, 8.3e4)}
    units = {"field": "nT", "velocity": "km/s", "density": "cm^-3", "temperature": "K"}

    def count(steps: dict[str, Any]) -> int:
        tables = {
            name: make_table({name[0]: np.where(AT_S < SHOCK_S, *sides)}, at_s=AT_S, unit=units[name])
            for name, sides in steps.items()
        }
        return len(apply("find_shocks", tables))

    assert count(passing) == 1
    assert {name: count({**passing, name: sides}) for name, sides in failing.items()} == dict.fromkeys(failing, 0)
    assert count({name: sides for name, sides in passing.items() if name != "temperature"}) == 1
    assert count({**passing, "velocity": (420.1, 400.0)}) == 0


def test_a_slow_rise_is_no_shock(make_table: TableMaker, apply: Apply) -> None:
    """The edge of a stream compresses as much, but over half an hour."""
    share = np.clip((AT_S - 900) / 1800, 0, 1)
    units = {
        "field": ("nT", 4, 12),
        "velocity": ("km/s", 350, 520),
        "density": ("cm^-3", 5, 20),
        "temperature": ("K", 5e4, 3e5),
    }
    tables = {
        name: make_table({name[0]: low + (high - low) * share}, at_s=AT_S, unit=unit)
        for name, (unit, low, high) in units.items()
    }
    assert len(apply("find_shocks", tables)) == 0


@pytest.mark.parametrize("lacking", ["field", "velocity", "density", "temperature"])
def test_in_a_gap_there_is_no_shock(make_table: TableMaker, apply: Apply, lacking: str) -> None:
    """A side with two samples of any quantity, or a field that is missing just where the shock passes, gives no event."""
    shock = LISTED[0]
    tables = _tables(make_table, shock)
    table = tables[lacking]
    seconds = np.array(_seconds(table))
    is_kept = (seconds < SHOCK_S - 600) | (seconds >= SHOCK_S - 180) if lacking != "field" else np.abs(seconds - SHOCK_S) > 150
    for values in table.columns.values():
        values[~is_kept] = np.nan
    found = apply("find_shocks", tables, min_samples=4)
    assert len(found) == 0
    assert set(found.columns) >= {"type", "field_ratio", "upstream_start", "downstream_stop"}


def test_of_shocks_nearby_the_sharpest_counts(make_table: TableMaker, apply: Apply) -> None:
    """Two steps 20 minutes apart are one event within half an hour, and two within ten minutes."""
    steps = {"field": ("nT", 4, 6, 12), "velocity": ("km/s", 350, 420, 520), "density": ("cm^-3", 5, 8, 18)}
    tables = {
        name: make_table({name[0]: np.select([AT_S < 1200, AT_S < 2400], [a, b], c)}, at_s=AT_S, unit=unit)
        for name, (unit, a, b, c) in steps.items()
    }
    assert _seconds(apply("find_shocks", tables)) == [2400]
    assert _seconds(apply("find_shocks", tables, apart="PT10M")) == [1200, 2400]
    assert _seconds(apply("find_shocks", tables, apart="PT10M", kind="reverse")) == []


@pytest.mark.parametrize(
    ("columns", "options", "problem"),
    [
        ({"type": [1.0]}, {"sides": "columns"}, "the list has no column 'upstream_start'"),
        ({"theta_bn": [1.0]}, {}, "already have the column 'theta_bn'"),
    ],
)
def test_lists_that_do_not_fit_are_refused(make_table: TableMaker, columns: Any, options: Any, problem: str) -> None:
    """Before anything runs, with what to do."""
    events = make_table(columns, at_s=[SHOCK_S], kind="events")
    metas = {name: each.meta for name, each in {"events": events, **_tables(make_table, LISTED[0])}.items()}
    operation = get_operation("shock_parameters_of_events")
    with pytest.raises(ComputeError, match=problem) as caught:
        operation.result_meta(metas, operation.read_options(options))
    assert caught.value.hint


@pytest.mark.parametrize("apart_s", [240.0, 360.0, 3600.0])
def test_an_empty_list_of_sparse_data_says_what_was_too_sparse(apply: Apply, make_table: TableMaker, apart_s: float) -> None:
    """A density that never has three samples in eight minutes; with as many as are needed nothing is said."""
    tables = {
        "field": make_table({"b": np.full(len(AT_S), 5.0)}, at_s=AT_S, unit="nT"),
        "velocity": make_table({"v": np.full(len(AT_S), 400.0)}, at_s=AT_S, unit="km/s"),
        "density": make_table({"n": np.full(10, 4.0)}, at_s=np.arange(10) * apart_s, unit="cm^-3"),
    }
    found = apply("find_shocks", tables)
    assert len(found) == 0
    said = found.meta.attributes.get(WARNINGS, [])
    assert [each for each in said if "3 valid samples of the density within 8 min" in each] == said
    assert bool(said) == (apart_s > 240)


def test_events_in_no_data_are_told_and_no_events_are_not(apply: Apply, make_table: TableMaker) -> None:
    """An empty list of shocks needs no data; a shock without them has no parameters, and it is said why."""
    tables, _, _ = shock_tables(make_table, 45, 3)
    one_sample = {name: table.clip_ns(table.time[0], table.time[1]) for name, table in tables.items()}
    for times in (np.array([600.0]), np.zeros(0)):
        events = make_table({"type": np.ones(len(times))}, at_s=times, kind="events")
        found = apply("shock_parameters_of_events", {"events": events, **one_sample})
        said = found.meta.attributes.get(WARNINGS, [])
        needed = [f"2 valid samples of the {name} within 10 min" for name in ("field", "velocity", "density")]
        assert len(said) == (len(needed) if len(times) else 0)
        assert all(words in text for words, text in zip(needed, said, strict=False))

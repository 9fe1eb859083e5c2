"""Modelled Dst against closed solutions, an integrator of scipy, and what the papers say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from helio_dagster.compute.operation import get_operation
from helio_dagster.compute.ring_current import hourly_step
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from tests.unit.compute.conftest import DAY, TableMaker
from tests.unit.compute.operations.conftest import Apply

Wind = Callable[..., dict[str, Table]]


@pytest.fixture
def wind(make_table: TableMaker) -> Wind:
    """Hourly solar wind with V Bs in mV/m, 2 nPa, and a Dst where it is given."""

    def make(driver: Any, pressure: Any = 2.0, dst: Any = None, hours: Any = None) -> dict[str, Table]:
        driver = np.asarray(driver, dtype=float)
        at_s = (np.arange(len(driver)) if hours is None else np.asarray(hours)) * 3600.0
        made = {
            "speed": make_table({"v": np.full(len(driver), 500.0)}, unit="km/s", at_s=at_s),
            "bz": make_table({"bz": -2 * driver}, unit="nT", frame="GSM", at_s=at_s),
            "pressure": make_table({"p": np.broadcast_to(pressure, driver.shape).astype(float)}, unit="nPa", at_s=at_s),
        }
        if dst is not None:
            made["dst"] = make_table({"d": np.asarray(dst, dtype=float)}, unit="nT", at_s=at_s)
        return made

    return make


def test_the_constants_are_those_of_the_papers() -> None:
    """O'Brien and McPherron: 19.1 h at rest, 4.7 h at 10 mV/m; Burton: 7.7 h, -5.4 nT/h per mV/m."""
    driver = np.array([0.0, 0.49, 10.0, 1e9])
    factor, growth, steady = hourly_step("obrien_mcpherron", driver)
    np.testing.assert_allclose(1 / (1 - factor)[[0, 2, 3]], [19.15, 4.657, 2.40], rtol=1e-3)
    np.testing.assert_allclose(growth[:3], [0, 0, -41.844], atol=1e-12)
    assert steady[2] == pytest.approx(-41.844 * 4.657, rel=1e-3)
    factor, growth, steady = hourly_step("burton", np.array([0.5, 1.5]))
    np.testing.assert_allclose(-1 / np.log(factor), 7.716, rtol=1e-4)
    np.testing.assert_allclose(steady, [0, -5.4 * 7.716], rtol=1e-4)
    pressure_nt = 0.20 * np.sqrt(1e-9 / 1.602176634e-13)  # 0.20 nT per root of 1 eV cm^-3
    assert pressure_nt == pytest.approx(15.8, rel=1e-3)


def test_burton_is_the_solution_of_the_equation(wind: Wind, apply: Apply) -> None:
    """A storm of 40 h, of steps of driving, against an integrator of scipy that begins in the same state."""
    driver = np.concatenate([np.full(12, 0.2), np.linspace(1, 14, 10), np.full(6, 9.0), np.zeros(30)])
    found = apply("dst_model", wind(driver), model="burton", memory="PT50H", result="dst_star").columns["out"]

    def slope(hour: float, state: Any) -> Any:
        return -5.4 * np.maximum(driver[int(hour)] - 0.5, 0) - 3.6e-5 * 3600 * state

    state = np.zeros(1)
    for hour in range(7, 57):
        state = solve_ivp(slope, (hour + 1e-9, hour + 1 - 1e-9), state, rtol=1e-10, atol=1e-10).y[:, -1]
    assert found[57] == pytest.approx(state[0], rel=1e-6)
    assert np.isnan(found[:50]).all()
    assert np.isfinite(found[50:]).all()


def test_obrien_and_mcpherron_go_from_hour_to_hour(wind: Wind, apply: Apply) -> None:
    """Their difference equation, in full: with pressure, from quiet."""
    draw = np.random.default_rng(2)
    driver, pressure = np.abs(draw.normal(scale=4, size=60)), draw.uniform(1, 15, 60)
    driver[:5] = 0
    found = apply("dst_model", wind(driver, pressure), memory="PT48H").columns["out"]
    for hour in range(48, 60):
        state = 0.0
        begin = hour - 48
        injection = -4.4 * (driver[begin] - 0.49) if driver[begin] > 0.49 else 0.0
        state = injection * 2.40 * np.exp(9.74 / (4.69 + driver[begin]))
        for each in range(begin, hour):
            injection = -4.4 * (driver[each] - 0.49) if driver[each] > 0.49 else 0.0
            state = state + injection - state / (2.40 * np.exp(9.74 / (4.69 + driver[each])))
        assert found[hour] == pytest.approx(state + 7.26 * np.sqrt(pressure[hour]) - 11, rel=1e-12)


def test_what_a_run_begins_with_fades(wind: Wind, apply: Apply) -> None:
    """After 5 d of quiet a start that is wrong by 400 nT is 0.6 nT, as the option says."""
    quiet = np.zeros(121)
    dst = np.full(121, np.nan)
    dst[0] = -400 + 7.26 * np.sqrt(2) - 11
    found = apply("dst_model", wind(quiet, dst=dst), result="dst_star").columns["out"]
    assert found[120] == pytest.approx(-400 / 620, rel=0.01)
    burton = apply("dst_model", wind(quiet, dst=dst + 60), result="dst_star", model="burton").columns["out"]
    assert abs(burton[120]) < 400 / 5.6e6


def test_a_northward_field_drives_nothing(wind: Wind, apply: Apply) -> None:
    """Dst is that of the magnetopause alone."""
    found = apply("dst_model", wind(np.full(30, -5.0), 9.0), memory="PT20H").columns["out"]
    np.testing.assert_allclose(found[20:], 7.26 * 3 - 11, rtol=1e-12)


def test_short_gaps_are_bridged_and_long_ones_stop_it(wind: Wind, apply: Apply) -> None:
    """Three missing hours lie on a line; a fourth makes NaN as long as a run would cross it."""
    driver = np.linspace(2.0, 6.0, 60)
    whole = apply("dst_model", wind(driver), memory="PT10H", result="dst_star").columns["out"]
    for missing in (3, 4):
        gap = driver.copy()
        gap[20 : 20 + missing] = np.nan
        found = apply("dst_model", wind(gap), memory="PT10H", result="dst_star").columns["out"]
        if missing == 3:
            np.testing.assert_allclose(found, whole, rtol=1e-12)
            continue
        is_known = np.isfinite(found)
        assert np.flatnonzero(~is_known).tolist() == [*range(10), *range(21, 34)]
        np.testing.assert_array_equal(found[is_known], whole[is_known])


def test_a_measured_dst_starts_it_again(wind: Wind, apply: Apply) -> None:
    """An hour after the gap and after a value; in the gap nothing is known, since nothing is modelled."""
    driver = np.full(40, 4.0)
    driver[20:26] = np.nan
    dst = np.full(40, -50.0)
    dst[26] = np.nan
    inputs = wind(driver, dst=dst)
    found = apply("dst_model", inputs, memory="PT10H", result="dst_star").columns["out"]
    assert np.flatnonzero(np.isnan(found)).tolist() == [0, *range(21, 28)]
    star = -50 - 7.26 * np.sqrt(2) + 11
    growth = -4.4 * 3.51
    assert found[28] == pytest.approx(star + growth - star / (2.40 * np.exp(9.74 / 8.69)), rel=1e-12)


def test_pressure_is_needed_for_dst_alone(wind: Wind, apply: Apply) -> None:
    """Missing, or below zero, it makes its own hour NaN."""
    pressure = np.full(30, 2.0)
    pressure[[22, 25]] = np.nan, -1.0
    assert np.flatnonzero(
        np.isnan(apply("dst_model", wind(np.full(30, 2.0), pressure), memory="PT20H").columns["out"][20:])
    ).tolist() == [2, 5]
    star = apply("dst_model", wind(np.full(30, 2.0), pressure), memory="PT20H", result="dst_star").columns["out"]
    assert np.isfinite(star[20:]).all()


def test_minutes_count_by_their_hourly_means(wind: Wind, apply: Apply, make_table: TableMaker) -> None:
    """Inputs of other cadences, a velocity for the speed."""
    draw = np.random.default_rng(5)
    minutes = np.arange(0, 30 * 60) * 60.0
    velocity = draw.normal(size=(3, len(minutes))) * 10 + np.array([[-400], [0], [0]])
    bz, pressure = draw.normal(-5, 3, len(minutes)), draw.uniform(1, 4, len(minutes) // 5)
    inputs = {
        "speed": make_table(dict(zip("xyz", velocity, strict=True)), kind="vector", unit="km/s", frame="GSE", at_s=minutes),
        "bz": make_table({"bz": bz}, unit="nT", frame="GSM", at_s=minutes),
        "pressure": make_table({"p": pressure}, unit="nPa", at_s=minutes[::5]),
    }
    found = apply("dst_model", inputs, memory="PT20H")
    speed = np.linalg.norm(velocity, axis=0).reshape(30, 60).mean(axis=1)
    driver = speed * np.maximum(-bz.reshape(30, 60).mean(axis=1), 0) * 1e-3
    expected = apply("dst_model", wind(driver, pressure.reshape(30, 12).mean(axis=1)), memory="PT20H")
    np.testing.assert_allclose(found.columns["out"], expected.columns["out"], rtol=1e-12)
    np.testing.assert_array_equal(found.time, expected.time)


def test_the_halo_is_enough(wind: Wind) -> None:
    """A partition with its halo has the bytes of the whole series, at the edges of gaps too."""
    draw = np.random.default_rng(8)
    driver = np.abs(draw.normal(scale=5, size=400))
    driver[draw.random(400) < 0.1] = np.nan
    inputs, operation = wind(driver), get_operation("dst_model")
    options = operation.read_options({"memory": "P2D", "max_gap": "PT5H"})
    whole = operation.apply(inputs, options, TimeRange(DAY.start, DAY.start + timedelta(hours=400)), "out")
    before, after = operation.halo(options)
    for start in range(60, 380, 7):
        window = TimeRange(DAY.start + timedelta(hours=start), DAY.start + timedelta(hours=start + 7))
        around = TimeRange(window.start - before, window.stop + after)
        part = operation.apply({name: table.clip(around) for name, table in inputs.items()}, options, window, "out")
        assert part.columns["out"].tobytes() == whole.columns["out"][start : start + 7].tobytes()


def test_what_cannot_be_is_refused(wind: Wind, apply: Apply, make_table: TableMaker) -> None:
    """A field of another frame, a memory shorter than an hour."""
    with pytest.raises(ComputeError, match="GSM"):
        apply("dst_model", wind([1.0]) | {"bz": make_table({"bz": [1.0]}, unit="nT", frame="GSE")})
    with pytest.raises(InputError, match="PT1H to P31D"):
        apply("dst_model", wind([1.0]), memory="PT30M")

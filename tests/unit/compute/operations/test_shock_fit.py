"""rankine_hugoniot against made-up shocks that fulfil the relations of MHD, energy included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.tiers import TIER
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.made_up_shock import K_B, M_P, MU_0, shock_tables

Make = Callable[..., Table]
AT = {"time": "2023-01-02T00:10:00Z"}
OPEN = ("normal_x", "normal_uncertainty", "theta_bn", "shock_speed", "alfven_mach", "reduced_chi_squared")


def _facts(apply: Make, tables: dict[str, Table], **options: Any) -> Any:
    found = apply("rankine_hugoniot", tables, **{**AT, **options})
    return {name: values[0] for name, values in found.columns.items()}


def _angle_deg(found: dict[str, float], normal: Any) -> float:
    own = np.array([found[f"normal_{component}"] for component in "xyz"])
    return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(own, normal)), own @ normal)))


def _warm(make_table: TableMaker, shock: Any) -> dict[str, Table]:
    """Temperatures of protons and electrons that make up the pressure of each side."""
    at = np.arange(0, 1200, 6.0)
    total = [shock[side][4] / shock[side][0] / K_B for side in ("up", "down")]
    values = np.where(at < 600, *total)
    return {
        name: make_table({"t": share * values}, at_s=at, unit="K")
        for name, share in (("temperature", 0.4), ("electron_temperature", 0.6))
    }


@pytest.mark.parametrize("has_pressure", [False, True])
@pytest.mark.parametrize(
    ("theta_deg", "mach"), [(0.0, 8.0), (0.2, 8.0), (30.0, 6.0), (45.0, 2.5), (65.0, 4.0), (89.9, 8.0), (90, 5)]
)
def test_a_shock_is_found_exactly(
    make_table: TableMaker, apply: Make, theta_deg: float, mach: float, has_pressure: bool
) -> None:
    """Normal, angle, speed and Mach numbers, also where coplanarity fails: along and across the field."""
    tables, normal, shock = shock_tables(make_table, theta_deg, mach)
    if has_pressure:
        tables |= _warm(make_table, shock)
    found = _facts(apply, tables)
    assert _angle_deg(found, normal) < 1e-5
    assert found["theta_bn"] == pytest.approx(theta_deg, abs=1e-5)
    assert found["shock_speed"] == pytest.approx(550, rel=1e-7)
    assert found["alfven_mach"] == pytest.approx(mach, rel=1e-7)
    sound = np.sqrt(5 / 3 * K_B * 2e5 / M_P)
    assert found["sonic_mach"] == pytest.approx(shock["up"][1] / sound, rel=1e-7)
    alfven = np.sqrt(shock["normal"] ** 2 + shock["up"][3] ** 2) / np.sqrt(MU_0 * M_P * shock["up"][0])
    assert found["magnetosonic_mach"] == pytest.approx(shock["up"][1] / np.hypot(sound, alfven), rel=1e-7)
    assert found["reduced_chi_squared"] < 1e-12
    assert found["normal_uncertainty"] < 3


@pytest.mark.parametrize("backward", [False, True])
def test_upstream_is_the_less_dense_side(make_table: TableMaker, apply: Make, backward: bool) -> None:
    """Or the side that is named; named wrongly, there is no shock."""
    tables, normal, _ = shock_tables(make_table, 50.0, 5.0, backward=backward)
    sides = ("after", "before") if backward else ("before", "after")
    assert _facts(apply, tables) == pytest.approx(_facts(apply, tables, upstream=sides[0]), nan_ok=True)
    assert _angle_deg(_facts(apply, tables), normal) < 1e-5
    assert np.isnan(_facts(apply, tables, upstream=sides[1])["normal_x"])


@pytest.mark.slow
def test_uncertainties_are_those_of_repeated_measurements(make_table: TableMaker, apply: Make) -> None:
    """Over shocks that differ in their noise alone, errors over uncertainties are of size 1, and so is reduced chi squared."""
    speeds, angles, turned, chi = [], [], [], []
    for seed in range(40 if TIER == "nightly" else 16):
        tables, normal, _ = shock_tables(make_table, 55.0, 4.0, noise=1.0, flow_noise=10.0, seed=seed)
        found = _facts(apply, tables)
        speeds.append((found["shock_speed"] - 550) / found["shock_speed_uncertainty"])
        angles.append((found["theta_bn"] - 55) / found["theta_bn_uncertainty"])
        turned.append(_angle_deg(found, normal) / found["normal_uncertainty"])
        chi.append(found["reduced_chi_squared"])
    for each in (speeds, angles, turned):
        assert 0.7 < np.sqrt(np.mean(np.square(each))) < 1.3
    assert 0.7 < np.mean(chi) < 1.4


def test_samples_that_follow_each_other_count_for_less(make_table: TableMaker, apply: Make) -> None:
    """Each sample four times over is no more known: the uncertainty stays about that of every fourth."""
    tables, _, _ = shock_tables(make_table, 55.0, 4.0, noise=1.0, flow_noise=10.0)
    spreads = []
    for keep in (np.arange(200) // 4 * 4, np.arange(0, 200, 4)):
        thinned = {
            name: make_table(
                {key: values[keep] for key, values in table.columns.items()},
                kind=table.meta.kind,
                unit=table.meta.unit,
                frame=table.meta.frame,
                at_s=6.0 * (np.arange(200) if len(keep) == 200 else keep),
            )
            for name, table in tables.items()
        }
        spreads.append(_facts(apply, thinned)["normal_uncertainty"])
    assert spreads[0] == pytest.approx(spreads[1], rel=0.35)


def _even(make_table: TableMaker, table: Table, values: Any) -> Table:
    named = dict(zip(table.columns, values, strict=True))
    return make_table(named, kind=table.meta.kind, unit=table.meta.unit, frame=table.meta.frame, at_s=np.arange(0, 1200, 6.0))


def test_no_shock_gives_no_number(make_table: TableMaker, apply: Make) -> None:
    """Nothing changes; the density hardly does; the flow does not; a side has two samples; noise covers it all."""
    tables, _, _ = shock_tables(make_table, 50.0, 5.0)
    still = {
        name: _even(make_table, table, [np.full(200, values[0]) for values in table.columns.values()])
        for name, table in tables.items()
    }
    draw = np.random.default_rng(4)
    loud = {name: _even(make_table, tables[name], draw.normal(size=(3, 200)) * 100) for name in ("field", "velocity")}
    for given in (
        still,
        {**tables, "density": still["density"]},
        {**tables, "velocity": still["velocity"]},
        {**tables, **loud},
    ):
        found = _facts(apply, given)
        assert all(np.isnan(found[name]) for name in OPEN)
        assert found["upstream_samples"] > 3
    late = _facts(apply, tables, clear="PT9M45S", length="PT10S")
    assert np.isnan(late["normal_x"])
    assert late["upstream_samples"] == 2


def test_the_pressure_makes_the_speed_more_certain(make_table: TableMaker, apply: Make) -> None:
    """The momentum along the normal is a seventh relation."""
    tables, _, shock = shock_tables(make_table, 55.0, 4.0, noise=1.0, flow_noise=10.0)
    cold, warm = (_facts(apply, {**tables, **more}) for more in ({}, _warm(make_table, shock)))
    assert warm["shock_speed_uncertainty"] < cold["shock_speed_uncertainty"]
    assert warm["shock_speed"] == pytest.approx(550, abs=4 * warm["shock_speed_uncertainty"])


def test_frames_must_agree(make_table: TableMaker, apply: Make) -> None:
    """The relations mix both vectors."""
    tables, _, _ = shock_tables(make_table, 50.0, 5.0)
    moved = make_table(dict(tables["velocity"].columns), kind="vector", unit="km/s", frame="RTN", at_s=np.arange(0, 1200, 6.0))
    with pytest.raises(ComputeError, match="in the frame GSE, velocity in RTN") as caught:
        _facts(apply, {**tables, "velocity": moved})
    assert "transform_frame" in caught.value.hint

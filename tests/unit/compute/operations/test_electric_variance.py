"""Maximum variance of the electric field across made-up layers whose normal and speed are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]
AT = np.arange(60) * 1.0
NORMAL = np.array([0.8, -0.48, 0.36])
FIRST = np.cross(NORMAL, [0, 0, 1]) / np.linalg.norm(np.cross(NORMAL, [0, 0, 1]))
SECOND = np.cross(NORMAL, FIRST)


def _tables(make_table: TableMaker, electric: Any, field: Any, **more: Any) -> dict[str, Table]:
    return {
        name: make_table(
            dict(zip("xyz", np.asarray(rows, dtype=float).T, strict=True)),
            **{"kind": "vector", "unit": unit, "at_s": AT, "frame": "GSE", **more},
        )
        for name, unit, rows in (("electric", "mV/m", electric), ("field", "nT", field))
    }


def _layer(speed: float, *, noise: float = 0.0, seed: int = 0, turn: float = np.pi) -> tuple[Any, Any]:
    """A rotational discontinuity with a constant field along its normal: none but the convection field of its frame."""
    angle = turn / 2 * np.tanh((AT - 30) / 6)
    field = 6 * NORMAL + 25 * np.cos(angle)[:, None] * FIRST + 25 * np.sin(angle)[:, None] * SECOND
    electric = -1e-3 * np.cross(speed * NORMAL + 180 * FIRST - 90 * SECOND, field)
    return electric + noise * np.random.default_rng(seed).normal(size=(60, 3)), field


def _facts(apply: Make, tables: dict[str, Table], **options: Any) -> dict[str, Any]:
    return {name: each[0] for name, each in apply("maximum_variance_electric", tables, **options).columns.items()}


def _normal(found: dict[str, Any]) -> Any:
    return np.array([found[f"normal_{axis}"] for axis in "xyz"])


@pytest.mark.parametrize("speed", [0.0, 35.0, -120.0])
def test_normal_and_speed_of_a_moving_layer(make_table: TableMaker, apply: Make, speed: float) -> None:
    """In the frame of the layer only the field along the normal varies; in that of the spacecraft it is another."""
    tables = _tables(make_table, *_layer(speed))
    found = _facts(apply, tables)
    np.testing.assert_allclose(_normal(found), NORMAL, atol=1e-4)
    assert found["speed"] == pytest.approx(speed, abs=0.02)
    assert found["intermediate_variance"] < 1e-6 * found["maximum_variance"]
    as_measured = np.degrees(np.arccos(abs(_normal(_facts(apply, tables, is_moving=False)) @ NORMAL)))
    assert (as_measured > 5) == (abs(speed) > 0)


def test_errors_are_those_of_repeated_measurements(make_table: TableMaker, apply: Make) -> None:
    """Over layers at rest that differ in their noise alone; where the frame is sought too, it adds about as much again."""
    turned = []
    for seed in range(60):
        found = _facts(apply, _tables(make_table, *_layer(0.0, noise=0.3, seed=seed)), is_moving=False)
        error = np.hypot(found["normal_error_intermediate"], found["normal_error_minimum"])
        turned.append(np.degrees(np.arccos(min(abs(_normal(found) @ NORMAL), 1))) / error)
    assert 0.6 < np.sqrt(np.mean(np.square(turned))) < 1.6


def test_as_measured_the_axes_are_those_of_a_covariance(make_table: TableMaker, apply: Make) -> None:
    """By numpy's own covariance of the field as it is, with other units and a cadence of its own."""
    electric, field = _layer(-70.0, noise=0.2)
    tables = _tables(make_table, electric, field)
    found = _facts(apply, tables, is_moving=False)
    variances, vectors = np.linalg.eigh(np.cov(electric.T, bias=True))
    assert abs(_normal(found) @ vectors[:, 2]) == pytest.approx(1)
    assert found["maximum_variance"] == pytest.approx(variances[2])
    assert found["ratio"] == pytest.approx(variances[2] / variances[1])
    volts = _tables(make_table, electric * 1e-3, field, unit="V/m")["electric"]
    assert _facts(apply, {**tables, "electric": volts}, is_moving=False) == pytest.approx(found, nan_ok=True)


def test_what_is_not_known_is_no_number(make_table: TableMaker, apply: Make) -> None:
    """A magnetic field that does not vary has no speed; too few samples; nothing that varies has no ratio or error."""
    electric, field = _layer(35.0)
    line = np.tile(NORMAL, (60, 1))
    alone = _facts(apply, _tables(make_table, electric, line))
    assert np.isnan([*_normal(alone), alone["speed"], alone["ratio"]]).all()
    assert alone["samples"] == 60
    few = _facts(apply, _tables(make_table, electric, field), min_samples=61)
    assert np.isnan(few["normal_x"])
    still = _facts(apply, _tables(make_table, np.ones((60, 3)), field), is_moving=False)
    assert np.isnan([still["ratio"], still["normal_error_minimum"]]).all()


def test_frames_must_agree(make_table: TableMaker, apply: Make) -> None:
    """E x B needs one."""
    tables = _tables(make_table, *_layer(35.0))
    other = _tables(make_table, *_layer(35.0), frame="GSM")
    with pytest.raises(ComputeError, match="electric is in the frame GSE, field in GSM"):
        _facts(apply, {**tables, "field": other["field"]})

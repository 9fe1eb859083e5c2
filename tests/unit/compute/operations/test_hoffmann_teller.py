"""dehoffmann_teller and walen against a rotational discontinuity, least squares of numpy, and many draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]
FRAME = np.array([-320.0, 45.0, 80.0])
"""km/s."""


def _tables(make_table: TableMaker, *, noise: float = 0.0, sign: float = 1.0, seed: int = 1, count: int = 120) -> Any:
    """A field that turns by 140 deg with a normal component, and a flow at `sign` Alfven velocities in the moving frame."""
    angle = np.radians(np.linspace(-70, 70, count))
    field = np.stack([np.full(count, 3.0), 9 * np.sin(angle), 9 * np.cos(angle)], axis=1)
    density = 8.0
    alfven = field * 1e-12 / np.sqrt(1.25663706127e-6 * 1.67262192595e-27 * density * 1e6)
    flow = FRAME + sign * alfven + noise * np.random.default_rng(seed).normal(size=(count, 3))
    at: dict[str, Any] = {"at_s": np.arange(count) * 4.0}
    return {
        "velocity": make_table(
            dict(zip(("vx", "vy", "vz"), flow.T, strict=True)), kind="vector", unit="km/s", frame="GSE", **at
        ),
        "field": make_table(dict(zip(("bx", "by", "bz"), field.T, strict=True)), kind="vector", unit="nT", frame="GSE", **at),
        "density": make_table({"n": np.full(count, density)}, unit="cm^-3", **at),
    }


def _facts(apply: Make, tables: dict[str, Table], **options: Any) -> Any:
    return {name: values[0] for name, values in apply("dehoffmann_teller", tables, **options).columns.items()}


def _velocity(found: dict[str, float]) -> Any:
    return np.array([found[f"frame_{component}"] for component in "xyz"])


@pytest.mark.parametrize("sign", [1.0, -0.8])
def test_a_rotational_discontinuity_is_alfvenic_in_its_frame(make_table: TableMaker, apply: Make, sign: float) -> None:
    """Its velocity, the electric field that vanishes in it, and the Walen slope."""
    found = _facts(apply, _tables(make_table, sign=sign))
    np.testing.assert_allclose(_velocity(found), FRAME, rtol=1e-9)
    assert found["electric_field_left"] == pytest.approx(0, abs=1e-12)
    assert (found["electric_slope"], found["electric_r"]) == pytest.approx((1, 1))
    assert (found["walen_slope"], found["walen_r"]) == pytest.approx((sign, np.sign(sign)))
    assert found["samples"] == 120


def test_uncertainties_are_the_scatter_of_many_draws(make_table: TableMaker, apply: Make) -> None:
    """Of the velocity of the frame, with 20 km/s of noise in each component of the flow, within a quarter."""
    draws = [_facts(apply, _tables(make_table, noise=20.0, seed=seed)) for seed in range(150)]
    scatter = np.std([_velocity(each) for each in draws], axis=0)
    stated = np.mean([[each[f"frame_{component}_uncertainty"] for component in "xyz"] for each in draws], axis=0)
    np.testing.assert_allclose(stated, scatter, rtol=0.25)


def test_fields_along_one_line_leave_the_frame_open(make_table: TableMaker, apply: Make) -> None:
    """A flow along the field has no electric field, so no number is given; nor with too few samples."""
    tables = _tables(make_table)
    strengths = np.linspace(2, 9, 120)
    parallel = make_table(
        {"bx": strengths, "by": 2 * strengths, "bz": -strengths}, kind="vector", frame="GSE", at_s=np.arange(120) * 4.0
    )
    for given, options in (({**tables, "field": parallel}, {}), (tables, {"min_samples": 121})):
        found = _facts(apply, given, **options)
        assert np.isnan([*_velocity(found), found["walen_slope"], found["electric_r"]]).all()
        assert found["samples"] == 120
        assert np.isnan(apply("walen", given, **options).columns["y"]).all()


def test_without_density_there_is_no_walen_slope(make_table: TableMaker, apply: Make) -> None:
    """Where it is not given, and where it is 0; the frame is known."""
    tables = _tables(make_table)
    nothing = make_table({"n": np.zeros(120)}, unit="cm^-3", at_s=np.arange(120) * 4.0)
    for given in ({name: tables[name] for name in ("velocity", "field")}, {**tables, "density": nothing}):
        found = _facts(apply, given)
        np.testing.assert_allclose(_velocity(found), FRAME, rtol=1e-9)
        assert np.isnan(found["walen_slope"])


@pytest.mark.parametrize("component", ["x", "y", "z"])
def test_points_and_their_line_say_the_same(make_table: TableMaker, apply: Make, component: str) -> None:
    """The points of one component lie on the Walen line; x does not change, so it has no slope."""
    points = apply("walen", _tables(make_table), component=component)
    np.testing.assert_allclose(points.columns["y"], points.columns["x"], rtol=1e-6, atol=1e-6)
    assert points.meta.unit == "km/s"
    if component != "x":
        assert apply("fit_line", {"points": points}).columns["slope"][0] == pytest.approx(1)


def test_frames_must_agree(make_table: TableMaker, apply: Make) -> None:
    """The cross product needs one frame."""
    tables = _tables(make_table)
    other = make_table(dict(tables["field"].columns), kind="vector", frame="RTN", at_s=np.arange(120) * 4.0)
    with pytest.raises(ComputeError, match="RTN"):
        _facts(apply, {**tables, "field": other})


def test_the_frame_is_that_of_pyrfu(make_table: TableMaker, apply: Make) -> None:
    """Vht of pyrfu 2.4.21 (irfu-python), from the electric field -v x B, for a flow that no one frame explains."""
    k = np.arange(12.0)
    field = {"bx": 10 * np.cos(k / 4), "by": 8 * np.sin(k / 4), "bz": 3 + 0.5 * k}
    flow = {"vx": -200 + 20 * np.cos(k / 2), "vy": 50 + 5 * k, "vz": 30 - 3 * k}
    tables = {
        "velocity": make_table(flow, kind="vector", unit="km/s", frame="GSE"),
        "field": make_table(field, kind="vector", unit="nT", frame="GSE"),
    }
    found = apply("dehoffmann_teller", tables).columns
    for name, expected in (("x", -206.06495036091016), ("y", 80.0550058393022), ("z", 12.47534074309787)):
        assert found[f"frame_{name}"][0] == pytest.approx(expected, rel=1e-9)

"""minimum_variance_frame and hodogram against an analytic current sheet, numpy and many draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.table import Table

Make = Callable[..., Table]


def _rotation(seed: int) -> Any:
    """Columns: L, M, N as a right-handed frame."""
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return q if np.linalg.det(q) > 0 else -q


def _sheet(frame: Any, noise: Any, count: int = 400) -> Any:
    """A Harris-like sheet that turns by 180 degrees at constant strength: B_n = 1.5 nT, noise in nT; shape (3, count)."""
    angle = np.pi * (1 + np.tanh(np.linspace(-3, 3, count))) / 2
    field = np.array([10 * np.cos(angle), 10 * np.sin(angle), np.full(count, 1.5)])
    return frame @ (field + noise)


def _facts(apply: Make, make_table: Make, field: Any) -> Any:
    table = make_table(dict(zip(("bx", "by", "bz"), field, strict=True)), kind="vector", frame="GSE")
    return {name: values[0] for name, values in apply("minimum_variance_frame", {"vector": table}).columns.items()}


def test_the_frame_of_an_analytic_sheet_is_found(make_table: Make, apply: Make) -> None:
    """Without noise exactly, up to the sign convention; the mean along the normal is B_n."""
    frame = _rotation(3)
    found = _facts(apply, make_table, _sheet(frame, 0.0))
    for name, axis in (("normal", frame[:, 2]), ("maximum", frame[:, 0])):
        got = np.array([found[f"{name}_{component}"] for component in "xyz"])
        assert abs(got @ axis) == pytest.approx(1, abs=1e-3 if name == "maximum" else 1e-12)
    assert found["normal_x"] >= 0
    assert found["maximum_z"] >= 0
    assert abs(found["normal_mean"]) == pytest.approx(1.5)
    assert found["minimum_variance"] == pytest.approx(0, abs=1e-12)
    m = np.array([found[f"intermediate_{component}"] for component in "xyz"])
    axes = [np.array([found[f"{name}_{component}"] for component in "xyz"]) for name in ("normal", "maximum")]
    np.testing.assert_allclose(m, np.cross(axes[0], axes[1]), atol=1e-12)


def test_variances_are_those_of_numpy(make_table: Make, apply: Make) -> None:
    """Eigenvalues of its covariance matrix; records with a fill do not count."""
    field = np.random.default_rng(4).normal(size=(3, 60)) * np.array([[1], [4], [2]]) + 30
    field[1, 7] = np.nan
    found = _facts(apply, make_table, field)
    values = np.linalg.eigvalsh(np.cov(np.delete(field, 7, axis=1), bias=True))
    names = ("minimum_variance", "intermediate_variance", "maximum_variance")
    np.testing.assert_allclose([found[name] for name in names], values, rtol=1e-12)
    assert found["ratio"] == pytest.approx(values[1] / values[0])
    assert found["samples"] == 59


def test_stated_errors_are_the_scatter_of_many_draws(make_table: Make, apply: Make) -> None:
    """White noise on the sheet, 300 times: the angles towards both axes, and the mean along the normal."""
    frame, draw = np.eye(3)[:, [2, 1, 0]] * np.array([1, -1, 1]), np.random.default_rng(5)
    truth = _facts(apply, make_table, _sheet(frame, 0.0))
    axes = {name: np.array([truth[f"{name}_{each}"] for each in "xyz"]) for name in ("normal", "intermediate", "maximum")}
    found = [_facts(apply, make_table, _sheet(frame, draw.normal(0, 1, (3, 100)), 100)) for _ in range(300)]
    normals = np.array([[each[f"normal_{component}"] for component in "xyz"] for each in found])
    for name in ("intermediate", "maximum"):
        stated = np.mean([each[f"normal_error_{name}"] for each in found])
        assert np.degrees(np.std(np.arcsin(normals @ axes[name]))) == pytest.approx(stated, rel=0.25)
    scatter = np.std([each["normal_mean"] for each in found])
    assert scatter == pytest.approx(np.mean([each["normal_mean_uncertainty"] for each in found]), rel=0.25)


def test_a_hodogram_is_the_field_in_the_frame(make_table: Make, apply: Make) -> None:
    """Its length stays; the three coordinates are not correlated; two axes may be chosen."""
    field = _sheet(_rotation(6), np.random.default_rng(6).normal(0, 0.3, (3, 400)))
    field[0, 5] = np.nan
    table = make_table(dict(zip(("bx", "by", "bz"), field, strict=True)), kind="vector", frame="GSE")
    found = apply("hodogram", {"vector": table}, plane="LMN")
    turned = np.array(list(found.columns.values()))
    np.testing.assert_allclose(np.linalg.norm(turned, axis=0), np.linalg.norm(field, axis=0))
    covariance = np.cov(np.delete(turned, 5, axis=1))
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-9)
    assert (np.diff(np.diag(covariance)) < 0).all()
    assert np.isnan(turned[:, 5]).all()
    assert (found.meta.kind, found.meta.frame, list(apply("hodogram", {"vector": table}, plane="MN").columns)) == (
        "points",
        "LMN",
        ["m", "n"],
    )


def test_too_few_samples_give_no_frame(make_table: Make, apply: Make) -> None:
    """NaN in every fact but their number."""
    found = _facts(apply, make_table, np.random.default_rng(7).normal(size=(3, 7)))
    assert np.isnan([value for name, value in found.items() if name not in ("stop", "samples")]).all()
    assert found["samples"] == 7

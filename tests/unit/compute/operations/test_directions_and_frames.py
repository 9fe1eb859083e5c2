"""Angles, rotations and minimum variance, against scipy and cases done by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply


def _random_vector(make_table: TableMaker, count: Any = 50, **changes: Any) -> Any:
    rows = np.random.default_rng(3).normal(size=(count, 3))
    return _vector_of(make_table, rows, **changes), rows


def _vector_of(make_table: TableMaker, rows: Any, **changes: Any) -> Any:
    columns = {name: np.ascontiguousarray(rows[:, place]) for place, name in enumerate(("bx", "by", "bz"))}
    return make_table(columns, kind="vector", **changes)


def _stacked(table: Table) -> Any:
    return np.column_stack(list(table.columns.values()))


def test_the_angle_between_vectors_is_the_arc_cosine(make_table: TableMaker, apply: Apply) -> None:
    """Far from 0 and 180 degrees, where the arc cosine is exact."""
    (a, left), (b, _) = _random_vector(make_table), _random_vector(make_table)
    rolled = np.roll(left, 7, axis=0)
    b = make_table({name: rolled[:, place] for place, name in enumerate(b.columns)}, kind="vector", unit="km/s")
    expected = np.degrees(np.arccos((left * rolled).sum(1) / np.linalg.norm(left, axis=1) / np.linalg.norm(rolled, axis=1)))
    np.testing.assert_allclose(apply("angle_between", {"a": a, "b": b}).columns["out"], expected, rtol=1e-9)


def test_a_tiny_angle_keeps_its_digits(make_table: TableMaker, apply: Apply) -> None:
    """An arc cosine of 1 - 5e-17 would be zero."""
    a = make_table({"x": [1.0], "y": [0.0], "z": [0.0]}, kind="vector")
    b = make_table({"x": [1.0], "y": [1e-8], "z": [0.0]}, kind="vector")
    np.testing.assert_allclose(apply("angle_between", {"a": a, "b": b}).columns["out"], np.degrees(1e-8), rtol=1e-12)


def test_directions_are_those_of_spherical_coordinates(make_table: TableMaker, apply: Apply) -> None:
    """Latitude and longitude put together give the unit vector again; clock and cone angle do, about x."""
    vector, rows = _random_vector(make_table)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    latitude, longitude, clock, cone = (
        np.radians(apply("direction", {"vector": vector}, angle=angle).columns["out"])
        for angle in ("latitude", "longitude", "clock", "cone")
    )
    about_z = [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    about_x = [np.cos(cone), np.sin(cone) * np.sin(clock), np.sin(cone) * np.cos(clock)]
    np.testing.assert_allclose(np.column_stack(about_z), unit, atol=1e-12)
    np.testing.assert_allclose(np.column_stack(about_x), unit, atol=1e-12)


def test_a_full_circle_is_the_same_angle(make_table: TableMaker, apply: Apply) -> None:
    """From 0 to 360 instead of from -180 to 180."""
    vector, _ = _random_vector(make_table)
    half, full = (
        apply("direction", {"vector": vector}, angle="longitude", full_circle=full).columns["out"] for full in (False, True)
    )
    assert half.min() < 0 <= full.min()
    np.testing.assert_allclose(half % 360, full, atol=1e-12)


def test_a_missing_component_makes_every_angle_nan(make_table: TableMaker, apply: Apply) -> None:
    """Also the one that the angle does not look at."""
    vector = make_table({"bx": [1.0, np.nan], "by": [1.0, 1.0], "bz": [np.nan, 1.0]}, kind="vector")
    for angle in ("latitude", "longitude", "clock", "cone"):
        assert np.isnan(apply("direction", {"vector": vector}, angle=angle).columns["out"]).all(), angle


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_turned_axes_are_those_of_scipy(make_table: TableMaker, apply: Apply, axis: str) -> None:
    """Axes turned one way are vectors turned the other way."""
    vector, rows = _random_vector(make_table)
    found = apply("rotate", {"vector": vector}, axis=axis, angle_deg=33.0, frame="turned")
    np.testing.assert_allclose(_stacked(found), Rotation.from_euler(axis, -33.0, degrees=True).apply(rows), atol=1e-12)
    assert found.meta.frame == "turned"


def test_a_matrix_of_axes_gives_components_along_them(make_table: TableMaker, apply: Apply) -> None:
    """And keeps the length; the columns of LMN are l, m and n."""
    matrix = Rotation.from_euler("xyz", [20, 50, -70], degrees=True).as_matrix()
    vector, rows = _random_vector(make_table)
    found = apply("rotate", {"vector": vector}, matrix=matrix.tolist(), frame="LMN")
    np.testing.assert_allclose(_stacked(found), rows @ matrix.T, atol=1e-12)
    assert tuple(found.columns) == ("l", "m", "n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"axis": "x"}, "either matrix"),
        ({"axis": "x", "angle_deg": 3, "matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "either matrix"),
        ({"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}, "length 1"),
        ({"matrix": [[1, 0, 0], [0, 1, 0], [0, 1, 0]]}, "right angles"),
        ({"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}, "right-handed"),
    ],
)
def test_what_is_no_rotation_is_refused(apply: Apply, options: dict[str, Any], said: str) -> None:
    """Named by what is wrong with it."""
    with pytest.raises(InputError, match=said) as caught:
        apply("rotate", {}, **options)
    assert caught.value.hint


def test_axes_that_were_computed_are_those_of_numpy(make_table: TableMaker, apply: Apply) -> None:
    """Components along the eigenvectors of the covariance, of an event as of any window; the columns are l, m and n."""
    draw = np.random.default_rng(9)
    rows = draw.normal(0, (9.0, 4.0, 1.0), (80, 3)) @ Rotation.from_euler("xyz", [10, 25, 40], degrees=True).as_matrix()
    vector = _vector_of(make_table, rows)
    found = apply("rotate", {"vector": vector, "axes": apply("minimum_variance_frame", {"vector": vector})})
    assert (tuple(found.columns), found.meta.frame) == (("l", "m", "n"), "LMN")
    along = np.abs((rows - rows.mean(axis=0)) @ np.linalg.eigh(np.cov(rows.T))[1][:, ::-1])
    np.testing.assert_allclose(np.abs(_stacked(found) - _stacked(found).mean(axis=0)), along, atol=1e-9)


def test_axes_that_are_not_known_give_no_vector(make_table: TableMaker, apply: Apply) -> None:
    """With too few samples; each record has the latest axes, and what is before the first has none."""
    vector, _ = _random_vector(make_table)
    few = apply("minimum_variance_frame", {"vector": vector}, min_samples=10_000)
    assert np.isnan(_stacked(apply("rotate", {"vector": vector, "axes": few}))).all()
    axes = apply("minimum_variance_frame", {"vector": vector})
    late = Table(vector.time[5:6], axes.columns, axes.meta)
    known = np.isfinite(_stacked(apply("rotate", {"vector": vector, "axes": late}))).all(axis=1)
    assert not known[:5].any()
    assert known[5:].all()


def test_axes_from_two_places_none_or_something_else_are_refused(make_table: TableMaker, apply: Apply) -> None:
    """Each with what to do."""
    vector, _ = _random_vector(make_table, frame="GSE")
    axes = apply("minimum_variance_frame", {"vector": vector})
    numbers = apply("facts_of", {"series": apply("magnitude", {"vector": vector})})
    for inputs, options, said in (
        ({}, {}, "does not know the new axes"),
        ({"axes": axes}, {"axis": "x", "angle_deg": 3}, "twice"),
        ({"axes": numbers}, {}, "no fact maximum_x"),
        ({"axes": replace(axes, meta=axes.meta.model_copy(update={"frame": "GSM"}))}, {}, "in the frame"),
    ):
        with pytest.raises(ComputeError, match=said) as caught:
            apply("rotate", {"vector": vector, **inputs}, **options)
        assert caught.value.hint


def test_minimum_variance_finds_the_normal_of_a_sheet(make_table: TableMaker, apply: Apply) -> None:
    """A sheet of known axes with noise a hundredth of its jump; the oracle of the variances is numpy's covariance."""
    draw = np.random.default_rng(8)
    axes = Rotation.from_euler("xyz", [10, 25, 40], degrees=True).as_matrix()
    along = np.column_stack([30 * np.tanh(np.linspace(-3, 3, 60)), 8 * np.cos(np.linspace(-3, 3, 60)), np.full(60, 2.0)])
    rows = (along + draw.normal(0, 0.2, along.shape)) @ axes
    vector = make_table({name: rows[:, place] for place, name in enumerate(("x", "y", "z"))}, kind="vector", frame="GSE")
    found = {
        result: _stacked(apply("minimum_variance", {"vector": vector}, bin="PT1H", result=result))[0]
        for result in ("maximum", "intermediate", "minimum", "eigenvalues")
    }
    assert abs(found["minimum"] @ axes[2]) > np.cos(np.radians(2))
    assert abs(found["maximum"] @ axes[0]) > np.cos(np.radians(2))
    assert found["minimum"][0] >= 0
    assert found["maximum"][2] >= 0
    np.testing.assert_allclose(np.cross(found["minimum"], found["maximum"]), found["intermediate"], atol=1e-12)
    expected = np.linalg.eigvalsh(np.cov(rows.T, bias=True))[::-1]
    np.testing.assert_allclose(found["eigenvalues"], expected, rtol=1e-9)


def test_minimum_variance_needs_samples(make_table: TableMaker, apply: Apply) -> None:
    """Records with a missing component do not count; a bin with too few is NaN, not missing."""
    vector, _ = _random_vector(make_table, count=30)
    vector.columns["by"][10:15] = np.nan
    found = apply("minimum_variance", {"vector": vector}, bin="PT10M", min_samples=8)
    assert np.isfinite(_stacked(found)).all(axis=1).tolist() == [True, False, True]

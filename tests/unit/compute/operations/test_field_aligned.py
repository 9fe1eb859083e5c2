"""Vectors along and across the averaged field, against loops of numpy and cases whose axes are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply

AT_S = np.arange(0, 3600, 20.0)


def _vector(make_table: TableMaker, rows: Any, *, at_s: Any = AT_S, frame: str = "GSE", unit: str = "nT") -> Table:
    columns = {name: np.ascontiguousarray(rows[:, place]) for place, name in enumerate(("bx", "by", "bz"))}
    return make_table(columns, kind="vector", frame=frame, unit=unit, at_s=at_s)


def _field(seed: int = 4, at_s: Any = AT_S) -> Any:
    draw = np.random.default_rng(seed)
    turning = 2e-4 * np.pi * at_s
    mean = np.column_stack([4 * np.cos(turning), 4 * np.sin(turning), 3 + 0 * turning])
    return mean + 0.3 * draw.normal(size=mean.shape)


def _rows(table: Table) -> Any:
    return np.column_stack(list(table.columns.values()))


def _by_hand(vector: Any, at_s: Any, field: Any, field_s: Any, half_s: float, towards: Any, *, is_second: bool = False) -> Any:
    """Each record by itself: mean field within half a window, axes by Gram and Schmidt."""
    found = []
    for value, at, direction in zip(vector, at_s, towards, strict=True):
        third = field[np.abs(field_s - at) <= half_s].mean(axis=0)
        third /= np.linalg.norm(third)
        own = direction - (direction @ third) * third
        own /= np.linalg.norm(own)
        axes = [np.cross(own, third), own, third] if is_second else [own, np.cross(third, own), third]
        assert np.linalg.det(axes) == pytest.approx(1)
        found.append(np.array(axes) @ value)
    return np.array(found)


@pytest.mark.parametrize(("axis", "name"), [(0, "x"), (1, "y"), (2, "z")])
def test_axes_across_the_field_follow_an_axis_of_the_frame(make_table: TableMaker, apply: Apply, axis: int, name: str) -> None:
    """The first is that axis less its part along the field, the second completes them to the right."""
    rows = _field()
    found = apply("transform_frame", {"vector": _vector(make_table, rows)}, to="MFA", average="PT10M", perpendicular=name)
    towards = np.tile(np.eye(3)[axis], (len(rows), 1))
    np.testing.assert_allclose(_rows(found), _by_hand(rows, AT_S, rows, AT_S, 300, towards), rtol=1e-9, atol=1e-9)
    assert found.meta.frame == "MFA"
    assert tuple(found.columns) == ("perpendicular_1", "perpendicular_2", "parallel")


@pytest.mark.parametrize("which", ["radial", "azimuthal"])
def test_axes_across_the_field_follow_the_position(make_table: TableMaker, apply: Apply, which: str) -> None:
    """In SM, whose z is the dipole's axis: away from the Earth, and eastward round the dipole."""
    rows = _field()
    around = np.linspace(0.3, 1.2, len(AT_S))
    place = 4e4 * np.column_stack([np.cos(around), np.sin(around), 0.3 * around])
    tables = {"vector": _vector(make_table, rows, frame="SM"), "position": _vector(make_table, place, frame="SM", unit="km")}
    found = apply("transform_frame", tables, to="MFA", average="PT5M", perpendicular=which, position_gap="PT1M")
    east = np.column_stack([-place[:, 1], place[:, 0], 0 * around])
    is_second = which == "azimuthal"
    expected = _by_hand(rows, AT_S, rows, AT_S, 150, east if is_second else place, is_second=is_second)
    np.testing.assert_allclose(_rows(found), expected, rtol=1e-6, atol=1e-6)
    assert tuple(found.columns) == ("radial", "azimuthal", "parallel")


def test_in_a_dipole_at_the_equator_the_axes_are_the_usual_ones(make_table: TableMaker, apply: Apply) -> None:
    """Outward, eastward and northward, whichever of the two ways is taken: the field of a dipole points north there."""
    around = np.linspace(0, 6, len(AT_S))
    outward = np.column_stack([np.cos(around), np.sin(around), 0 * around])
    east = np.column_stack([-np.sin(around), np.cos(around), 0 * around])
    tables = {
        "vector": _vector(make_table, 2 * outward + 3 * east + [0, 0, 100], frame="SM"),
        "position": _vector(make_table, 6 * 6371.2 * outward, frame="SM", unit="km"),
        "field": _vector(make_table, np.tile([0.0, 0.0, 100.0], (len(AT_S), 1)), frame="SM"),
    }
    for which in ("radial", "azimuthal"):
        found = apply("transform_frame", tables, to="MFA", average="PT5M", perpendicular=which, position_gap="PT1M")
        np.testing.assert_allclose(_rows(found), np.tile([2.0, 3.0, 100.0], (len(AT_S), 1)), rtol=1e-6)


@pytest.mark.parametrize(
    ("frame", "which", "theirs"),
    [
        ("GSE", "x", [[-0.52484, -0.11112, 5.14127], [-0.06733, 0.38680, 5.04496], [-0.44050, 0.25397, 5.05661]]),
        ("GSM", "y", [[-0.52629, -0.10405, 5.14127], [-0.04502, 0.39002, 5.04496], [-0.50838, 0.00932, 5.05661]]),
        ("GSE", "radial", [[-0.08290, 0.53003, 5.14127], [0.28299, -0.27215, 5.04496], [0.50800, 0.02180, 5.05661]]),
        ("GSE", "azimuthal", [[0.14513, 0.51647, 5.14127], [0.38702, -0.06605, 5.04496], [0.45228, 0.23235, 5.05661]]),
    ],
)
def test_pyspedas_finds_the_same(make_table: TableMaker, apply: Apply, frame: str, which: str, theirs: Any) -> None:
    """Its fac_matrix_make (2.2.1) gives these for the same means: Xgse, Ygsm, Rgeo and Phism, the position in GEI.

    Ygsm has its second axis along y and y among ours is the first, so that the two across the field are a quarter turn apart.
    Its frames are rounder than ours, by 1e-5 rad.
    """
    rows, around = _field(), np.linspace(0.3, 1.2, len(AT_S))
    tables, options = {"vector": _vector(make_table, rows, frame=frame)}, {}
    if which in ("radial", "azimuthal"):
        place = 4e4 * np.column_stack([np.cos(around), np.sin(around), 0.3 * around])
        tables["position"], options = _vector(make_table, place, frame="GEI", unit="km"), {"position_gap": "PT1M"}
    found = _rows(apply("transform_frame", tables, to="MFA", average="PT5M", perpendicular=which, **options))[[0, 120, 179]]
    if which == "y":
        found = np.column_stack([-found[:, 1], found[:, 0], found[:, 2]])
    np.testing.assert_allclose(found, theirs, atol=5e-5)


def test_in_rtn_radial_and_azimuthal_are_its_own_axes(make_table: TableMaker, apply: Apply) -> None:
    """R and T are the directions that the position would give."""
    vector = _vector(make_table, _field(), frame="RTN")
    for which, axis in (("radial", "x"), ("azimuthal", "y")):
        found = apply("transform_frame", {"vector": vector}, to="MFA", average="PT5M", perpendicular=which)
        towards = np.tile(np.eye(3)["xy".index(axis)], (len(AT_S), 1))
        expected = _by_hand(_field(), AT_S, _field(), AT_S, 150, towards, is_second=which == "azimuthal")
        np.testing.assert_allclose(_rows(found), expected, rtol=1e-9, atol=1e-9)


def test_a_velocity_is_turned_by_a_field_of_other_times(make_table: TableMaker, apply: Apply) -> None:
    """The mean field stands on the line between the field's own times."""
    field_s = np.arange(5, 3600, 10.0)
    field = _field(at_s=field_s)
    flow = np.random.default_rng(7).normal(size=(len(AT_S), 3)) * 100
    tables = {"vector": _vector(make_table, flow, unit="km/s"), "field": _vector(make_table, field, at_s=field_s)}
    found = apply("transform_frame", tables, to="MFA", average="PT10M")
    means = np.array([field[np.abs(field_s - at) <= 300].mean(axis=0) for at in field_s])
    at_flow = np.column_stack([np.interp(AT_S, field_s, each) for each in means.T])
    unit = at_flow / np.linalg.norm(at_flow, axis=1, keepdims=True)
    np.testing.assert_allclose(_rows(found)[1:-1, 2], np.sum(flow * unit, axis=1)[1:-1], rtol=1e-9)
    lengths = np.linalg.norm(_rows(found), axis=1)
    np.testing.assert_allclose(lengths[1:-1], np.linalg.norm(flow, axis=1)[1:-1], rtol=1e-9)
    assert found.meta.unit == "km/s"


def test_no_axes_no_number(make_table: TableMaker, apply: Apply) -> None:
    """Along the axis that the others follow, within a degree; without field; with one sample of it; without position."""
    near, far = np.radians(0.9), np.radians(1.1)
    rows = np.array([[5, 0, 0], [-5, 0, 0], [np.cos(near), np.sin(near), 0], [np.cos(far), np.sin(far), 0], [0, 0, 0]])
    at_s = np.array([0, 1000, 2000, 3000, 4000.0])
    pairs, times = np.repeat(rows, 2, axis=0), np.sort(np.concatenate([at_s, at_s + 1]))
    vector = _vector(make_table, pairs.astype(float), at_s=times)
    found = apply("transform_frame", {"vector": vector}, to="MFA", average="PT10S")
    assert np.isfinite(_rows(found)).all(axis=1).tolist() == [False] * 6 + [True] * 2 + [False] * 2
    alone = _vector(make_table, _field()[:5], at_s=at_s)
    assert np.isnan(_rows(apply("transform_frame", {"vector": alone}, to="MFA", average="PT10S"))).all()
    tables = {"vector": _vector(make_table, _field()), "position": _vector(make_table, np.zeros((0, 3)), at_s=[], unit="km")}
    options = {"to": "MFA", "average": "PT5M", "perpendicular": "radial", "position_gap": "PT1M"}
    assert np.isnan(_rows(apply("transform_frame", tables, **options))).all()


@pytest.mark.parametrize(
    ("given", "options", "problem"),
    [
        ({}, {"to": "MFA"}, "needs the option average"),
        ({}, {"to": "GSM", "average": "PT5M"}, "to GSM does not take average"),
        ({"field": "GSE"}, {"to": "GSM"}, "to GSM does not take the input field"),
        ({}, {"to": "MFA", "average": "PT5M", "perpendicular": "radial"}, "needs a position from GSE to MFA"),
        ({"position": "GSE"}, {"to": "MFA", "average": "PT5M"}, "takes no position from GSE to MFA"),
        ({"field": "GSM"}, {"to": "MFA", "average": "PT5M"}, "the vector is in the frame GSE, the field in GSM"),
        ({}, {"to": "MFA", "average": "PT5M", "quantity": "velocity"}, "does not bring a velocity"),
        ({"vector": "SC"}, {"to": "MFA", "average": "PT5M", "perpendicular": "azimuthal"}, "azimuthal is not known in SC"),
        ({"vector": "MFA"}, {"to": "GSE"}, "cannot rotate from MFA to GSE"),
    ],
)
def test_what_cannot_be_is_refused(make_table: TableMaker, given: dict[str, str], options: Any, problem: str) -> None:
    """By its metadata, before anything runs, with what to do."""
    frames = {"vector": "GSE", **given}
    units = {"position": "km"}
    metas = {
        name: _vector(make_table, _field(), frame=frame, unit=units.get(name, "nT")).meta for name, frame in frames.items()
    }
    operation = get_operation("transform_frame")
    with pytest.raises(ComputeError, match=problem) as caught:
        operation.result_meta(metas, operation.read_options(options))
    assert caught.value.hint


def test_a_velocity_needs_the_field(make_table: TableMaker) -> None:
    """It does not tell where the field points."""
    operation = get_operation("transform_frame")
    flow = _vector(make_table, _field(), unit="km/s").meta
    with pytest.raises(ComputeError, match="is not the field that MFA follows"):
        operation.result_meta({"vector": flow}, operation.read_options({"to": "MFA", "average": "PT5M"}))

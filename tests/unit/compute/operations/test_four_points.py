"""Derivatives from four spacecraft against linear fields, geometry, and pyrfu's functions of the same methods."""

from __future__ import annotations

import numpy as np
import pytest

from helio_dagster.compute.constants import VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply

PER_KM = 1e-3 / VACUUM_PERMEABILITY_H_PER_M
PLACES = [
    [[7010, -1020, 305], [7020, -1010, 300], [7030, -1000, 295]],
    [[7130, -1000, 290], [7141, -992, 284], [7152, -984, 278]],
    [[7050, -890, 310], [7061, -879, 306], [7072, -868, 302]],
    [[7040, -980, 420], [7052, -969, 417], [7064, -958, 414]],
]
FIELDS = [
    [[10, -5, 20], [11, -4, 21], [9, -3, 19]],
    [[13, -2, 18], [12, -1, 20], [13, 0, 17]],
    [[8, -9, 25], [9, -7, 23], [8, -6, 24]],
    [[10, -4, 31], [14, -3, 30], [12, -4, 28]],
]
REGULAR = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float) * 50


def four(make_table: TableMaker, name: str, rows: object, unit: str, **more: object) -> dict[str, Table]:
    """Four tables of vectors, shape (spacecraft, record, axis)."""
    columns = [dict(zip("xyz", np.asarray(each, dtype=float).T, strict=True)) for each in np.asarray(rows)]
    given = {"kind": "vector", "unit": unit, "frame": "GSE", **more}
    return {f"{name}{point}": make_table(each, **given) for point, each in enumerate(columns, start=1)}


def rows_of(table: Table) -> np.ndarray:
    """Shape (record, column)."""
    return np.stack([table.columns[name] for name in table.meta.data_names], axis=1)


def test_current_and_divergence_are_those_of_pyrfu(make_table: TableMaker, apply: Apply) -> None:
    """c_4_j of pyrfu 2.4.21 for the same twelve positions and fields; it gives div B / mu_0."""
    inputs = {**four(make_table, "field", FIELDS, "nT"), **four(make_table, "position", PLACES, "km")}
    expected_j = [
        [1.959864863457e-08, 1.064589316363e-08, 4.627136571120e-08],
        [3.438364855278e-10, 2.338400680212e-08, 4.189535940933e-08],
        [3.472303865833e-08, 2.695817051770e-08, 3.894903954913e-08],
    ]
    expected_div = [5.793778022385e-08, 4.365874938511e-08, 5.795400366916e-08]
    np.testing.assert_allclose(rows_of(apply("curlometer", inputs)) * 1e-9, expected_j, rtol=1e-8, atol=1e-18)
    divergence = apply("curlometer", inputs, result="divergence").columns["out"]
    np.testing.assert_allclose(divergence * PER_KM * 1e-9, expected_div, rtol=1e-8)
    quality = apply("curlometer", inputs, result="quality").columns["out"]
    length = np.linalg.norm(np.array(expected_j), axis=1)
    np.testing.assert_allclose(quality, np.array(expected_div) / length, rtol=1e-8)


def test_gradient_is_that_of_pyrfu(make_table: TableMaker, apply: Apply) -> None:
    """c_4_grad of pyrfu 2.4.21: rows are components, columns axes."""
    inputs = {**four(make_table, "value", FIELDS, "nT"), **four(make_table, "position", PLACES, "km")}
    found = apply("gradient", inputs)
    assert found.meta.data_names == tuple(f"d{component}_d{axis}" for component in "xyz" for axis in "xyz")
    expected = [
        [0.02917516759, -0.024395220052, 0.000874380647],
        [0.033751092976, -0.041707956864, 0.014398134655],
        [-0.012503643253, 0.03902652288, 0.085339551151],
    ]
    np.testing.assert_allclose(rows_of(found)[0].reshape(3, 3), expected, atol=1e-11)
    assert (found.meta.unit, found.meta.frame) == ("nT/km", "GSE")


@pytest.mark.parametrize("seed", range(5))
def test_a_linear_field_gives_its_own_derivatives(make_table: TableMaker, apply: Apply, seed: int) -> None:
    """Whatever the tetrahedron, as long as it is not flat: exact, with a quality that follows from the trace."""
    draw = np.random.default_rng(seed)
    places = REGULAR[:, None] + draw.normal(scale=15, size=(4, 20, 3)) + draw.normal(scale=1e4, size=(1, 20, 3))
    slopes, offset = draw.normal(scale=0.05, size=(3, 3)), draw.normal(scale=20, size=3)
    inputs = four(make_table, "position", places, "km")
    fields = places @ slopes.T + offset
    found = rows_of(apply("gradient", {**four(make_table, "value", fields, "nT"), **inputs}))
    np.testing.assert_allclose(found, np.tile(slopes.ravel(), (20, 1)), atol=1e-9)
    curl = np.array([slopes[2, 1] - slopes[1, 2], slopes[0, 2] - slopes[2, 0], slopes[1, 0] - slopes[0, 1]])
    current = {**four(make_table, "field", fields, "nT"), **inputs}
    np.testing.assert_allclose(rows_of(apply("curlometer", current)), np.tile(curl * PER_KM, (20, 1)), atol=1e-5)
    quality = apply("curlometer", current, result="quality").columns["out"]
    np.testing.assert_allclose(quality, abs(np.trace(slopes)) / np.linalg.norm(curl), rtol=1e-6)
    for result, expected in (("mean_field", fields.mean(axis=0)), ("barycentre", places.mean(axis=0))):
        np.testing.assert_allclose(rows_of(apply("curlometer", current, result=result)), expected, rtol=1e-9)


def test_a_dipole_has_no_current(make_table: TableMaker, apply: Apply) -> None:
    """Of a field that is not linear the curlometer finds a current that falls with the size of the tetrahedron."""
    found = []
    for size in (1.0, 0.1, 0.01):
        places = (np.array([4e4, 1e4, 2e4]) + REGULAR * 40 * size)[:, None]
        distance = np.linalg.norm(places, axis=2, keepdims=True)
        moment = np.array([0, 0, -8e15])
        field = 3 * places * (places @ moment)[..., None] / distance**5 - moment / distance**3
        inputs = {**four(make_table, "field", field, "nT"), **four(make_table, "position", places, "km")}
        found.append(np.linalg.norm(rows_of(apply("curlometer", inputs))))
    assert found[1] == pytest.approx(found[0] / 10, rel=0.2)
    assert found[2] == pytest.approx(found[1] / 10, rel=0.02)


def test_the_shape_is_that_of_known_tetrahedra(make_table: TableMaker, apply: Apply) -> None:
    """A regular one is neither long nor flat, a square is flat, a line is long; stretched along z, 1 - 1 / 4."""
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float) * 100
    line = np.outer(np.arange(4.0), [3, 4, 12])
    places = np.stack([REGULAR, square, line, REGULAR * [1, 1, 4], REGULAR * [1, 4, 4]], axis=1)
    inputs = {**four(make_table, "field", places * 0.1, "nT"), **four(make_table, "position", places, "km")}
    shape = rows_of(apply("curlometer", inputs, result="shape"))
    np.testing.assert_allclose(shape[[0, 1, 3, 4]], np.array([[0, 0], [0, 1], [0.75, 0], [0, 0.75]]), atol=1e-12)
    assert shape[2, 0] == pytest.approx(1)
    is_known = np.isfinite(rows_of(apply("curlometer", inputs))).all(axis=1)
    assert is_known.tolist() == [True, False, False, True, True]
    stricter = apply("curlometer", inputs, result="divergence", most_elongation=0.7, most_planarity=0.7).columns["out"]
    assert np.isfinite(stricter).tolist() == [True, False, False, False, False]


def test_the_error_is_the_scatter_of_currents_of_noisy_fields(make_table: TableMaker, apply: Apply) -> None:
    """Root mean square over 20,000 draws of independent errors of 0.3 nT."""
    noise = np.random.default_rng(4).normal(scale=0.3, size=(4, 20_000, 3))
    places = np.repeat(np.asarray(PLACES, dtype=float)[:, :1], 20_000, axis=1)
    inputs = {**four(make_table, "field", noise, "nT"), **four(make_table, "position", places, "km")}
    scatter = np.sqrt(np.mean(np.sum(rows_of(apply("curlometer", inputs)) ** 2, axis=1)))
    error = apply("curlometer", inputs, result="error", field_error_nt=0.3).columns["out"]
    assert error[0] == pytest.approx(scatter, rel=0.02)


def test_other_cadences_meet_on_the_straight_line(make_table: TableMaker, apply: Apply) -> None:
    """Positions each minute, fields of others half a second late: a field that is linear in time and space is exact."""
    slope, at = np.array([[0, 0.04, 0], [0.01, 0, 0], [0, 0.02, 0]]), {1: np.arange(0.0, 120.0, 4.0)}
    at |= {n: at[1] + 0.5 * n for n in (2, 3, 4)}
    inputs: dict[str, Table] = {}
    for n in range(1, 5):
        ends = REGULAR[n - 1] + np.outer([0.0, 60.0, 120.0], [3.0, 1.0, 0.5])
        inputs |= {
            f"position{n}": make_table(
                dict(zip("xyz", ends.T, strict=True)), kind="vector", unit="km", frame="GSE", at_s=[0.0, 60.0, 120.0]
            )
        }
        field = (REGULAR[n - 1] + np.outer(at[n], [3.0, 1.0, 0.5])) @ slope.T
        inputs |= {
            f"field{n}": make_table(dict(zip("xyz", field.T, strict=True)), kind="vector", unit="nT", frame="GSE", at_s=at[n])
        }
    inputs = {name: inputs[name] for name in sorted(inputs)}
    found = rows_of(apply("curlometer", inputs, max_gap="PT5S", position_gap="PT1M"))
    expected = np.array([0.02, 0, 0.01 - 0.04]) * PER_KM
    np.testing.assert_allclose(found[1:], np.tile(expected, (29, 1)), atol=1e-8)
    assert np.isnan(found[0]).all()
    assert np.isnan(rows_of(apply("curlometer", inputs, position_gap="PT59S"))[[1, 14, 16]]).all()


def test_what_does_not_go_together_is_refused(make_table: TableMaker, apply: Apply) -> None:
    """Frames, kinds, units, and the curl of a scalar, each with what to do."""
    places = four(make_table, "position", PLACES, "km")
    fields = four(make_table, "field", FIELDS, "nT")
    gsm = four(make_table, "field", FIELDS, "nT", frame="GSM")
    with pytest.raises(ComputeError, match="field1 is in the frame GSE, field3 in GSM") as caught:
        apply("curlometer", {**fields, "field3": gsm["field3"], **places})
    assert "transform_frame" in caught.value.hint
    scalar = {f"value{n}": make_table({"p": [1.0, 2.0, 3.0]}, unit="nPa") for n in range(1, 5)}
    with pytest.raises(ComputeError, match="a series has no curl"):
        apply("gradient", {**scalar, **places}, result="curl")
    with pytest.raises(ComputeError, match="one unit, not nPa, Pa") as caught:
        apply("gradient", {**scalar, "value2": make_table({"p": [1.0, 2.0, 3.0]}, unit="Pa"), **places})
    assert "convert_unit" in caught.value.hint
    with pytest.raises(ComputeError, match="four series or four vectors"):
        apply("gradient", {**scalar, "value4": fields["field4"], **places})
    with pytest.raises(InputError, match="most_planarity"):
        apply("curlometer", {**fields, **places}, most_planarity=1.5)

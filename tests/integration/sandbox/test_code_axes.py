"""Data over axes that a step's code returns: what becomes of them, and what is refused."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from helio_dagster.compute.code_step import run_code_for_results
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.errors import CodeError, CodeRefused
from helio_dagster.domain.named_tables import unpack_table
from helio_dagster.domain.pipeline import Result
from helio_dagster.sandbox import Sandbox
from helio_dagster.sandbox.determinism import check_determinism
from tests.integration.sandbox.test_code_step import DAY, HALO, run, table

CUBE = """
values = np.arange(len(b) * 6.0).reshape(len(b), 2, 3)
values[3, 0, 0] = np.nan
widths = np.full((len(b), 3), 5.0)
axes = {
    "look": {"labels": ["sunward", "dusk"]},
    "energy": {"centers": [10, 20, np.nan], "widths": widths, "unit": "keV", "scale": "log", "label": "E"},
}
return over_axes(values, b.index, axes)
"""


def test_axes_may_be_made_up(sandbox: Sandbox) -> None:
    """Of labels, of centers that are the same for all records and of widths that vary; clipped to the partition."""
    found = run(sandbox, CUBE, unit="counts", frame="GSE")
    expected_axes = (
        RecordAxis(name="look", label="look", size=2, values=(1.0, 2.0), labels=("sunward", "dusk")),
        RecordAxis(
            name="energy", label="E", unit="keV", scale="log", size=3, values=(10.0, 20.0, np.nan), width_column="energy_width"
        ),
    )
    assert repr(found.meta.axes) == repr(expected_axes)  # NaN is not equal to itself
    assert (found.meta.kind, found.meta.unit, found.meta.frame) == ("nd", "counts", "GSE")
    expected = np.arange(28 * 6.0).reshape(28, 2, 3)
    expected[3, 0, 0] = np.nan
    np.testing.assert_array_equal(found.columns["b_rms"], expected[2:26])
    np.testing.assert_array_equal(found.columns["energy_width"], np.full((24, 3), 5.0))


def test_one_axis_is_a_spectrogram_with_bins_of_its_own(sandbox: Sandbox) -> None:
    """As a dynamic spectrum is."""
    axes = "{'frequency': {'centers': f, 'unit': 'Hz'}}"
    body = f"f = np.fft.rfftfreq(8, 3600)[1:]\nreturn over_axes(np.outer(b['b_mag'], f), b.index, {axes})"
    found = run(sandbox, body)
    frequencies = np.arange(1, 5) / 8 / 3600
    assert found.meta.kind == "spectrogram"
    assert found.meta.bins is not None
    assert (found.meta.bins.unit, found.meta.bins.label) == ("Hz", "frequency")
    assert found.meta.bins.centers == pytest.approx(frequencies)
    np.testing.assert_allclose(np.stack(list(found.columns.values()), 1), np.outer(np.arange(2.0, 26), frequencies))


def test_of_several_results_one_may_have_axes(sandbox: Sandbox) -> None:
    """Beside one of another kind."""
    body = CUBE.replace(
        "return over_axes(values, b.index, axes)", "return {'cube': over_axes(values, b.index, axes), 'n': {'n': 3}}"
    )
    results = {"cube": Result(unit="counts"), "n": Result(kind="facts")}
    inputs = {"b": table(np.arange(28.0))}
    found = run_code_for_results(sandbox, body, inputs, results, window=DAY, lookback=HALO, lookahead=HALO, name="both")
    packed = found.table
    assert unpack_table(packed, "cube").columns["cube"].shape == (24, 2, 3)
    assert unpack_table(packed, "n").columns["n"].tolist() == [3.0]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return over_axes(np.ones((28, 2)), b.index, {'e': [1, 2, 3]})", "centers of the axis 'e' have the shape"),
        ("return over_axes(np.ones((28, 2)), b.index, {})", "values have the shape"),
        ("return over_axes(np.ones((27, 2)), b.index, {'e': [1, 2]})", "with 28 records"),
        ("return over_axes(np.ones((28, 2)), b.index, {'e': {'unit': 'eV'}})", "neither centers nor labels"),
        ("return over_axes(np.ones((28, 2)), b.index, {'e': {'labels': ['a']}})", "2 bins and 1 labels"),
        ("return over_axes(np.ones((28, 2)), b.index, {'e': {'centres': [1, 2]}})", "no 'centres'"),
        ("return over_axes(np.ones((28, 2)) * 1j, b.index, {'e': [1, 2]})", "not real numbers"),
        ("return over_axes(np.ones((28, 2)), b.index, {'e': [1, np.inf]})", "bins at infinity"),
        (
            "return over_axes(np.ones((28, 2)), b.index, {'e': {'centers': [1, 2], 'scale': 'ln'}})",
            "scale of the axis 'e' is 'ln'",
        ),
        ("return over_axes(np.ones((28, 2)), b.index, {'a/b': [1, 2]})", "an axis of the result is named 'a/b'"),
        ("return over_axes(np.ones((28, 2)), b.index, {'b_rms': [1, 2]})", "the name of the axis 'b_rms' is taken"),
        ("return over_axes(np.ones((28, 2)), b.index, {'e\\n': [1, 2]})", "an axis of the result is named"),
        ("return over_axes(np.ones((28, 2)), b.index[::-1], {'e': [1, 2]})", "times are not in order"),
        (
            "return over_axes(1 / (np.ones((28, 2)) * (b['b_mag'].to_numpy()[:, None] - 4)), b.index, {'e': [1, 2]})",
            "are infinite",
        ),
        (
            "f = over_axes(np.ones((28, 2)), b.index, {'e': [1, 2]})\nf.values = f.values[1:]\nreturn f",
            "28 records over axes of 2",
        ),
        ("return over_axes(np.ones((28, 2)), range(28), {'e': [1, 2]})", "times of the result are outside"),
    ],
)
def test_what_does_not_fit_together_is_refused(sandbox: Sandbox, body: str, said: str) -> None:
    """With what to do."""
    with pytest.raises(CodeError, match=said):
        run(sandbox, body)


def test_a_kind_that_has_no_axes_is_not_given_any(sandbox: Sandbox) -> None:
    """The step declares facts, the code returns a cube."""
    with pytest.raises(CodeError, match="declares another kind"):
        run(sandbox, CUBE, kind="facts", lookback=timedelta(0))


def test_a_difference_between_two_runs_is_found(sandbox: Sandbox) -> None:
    """In a single value of a record."""
    from helio_dagster.compute.dataframes import table_to_dataframe

    axes = "{'x': [1, 2], 'y': [3, 4]}"
    body = f"v = np.zeros((len(b), 2, 2))\nv[5, 1, 0] = np.random.normal()\nreturn over_axes(v, b.index, {axes})"
    with pytest.raises(CodeRefused, match="1 of 28 values of place 2 of a record"):
        check_determinism(body, {"b": table_to_dataframe(table(np.arange(28.0)))})

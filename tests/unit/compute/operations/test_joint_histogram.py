"""histogram_2d against numpy's, its matching in time against scatter's, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import Table
from helio_dagster.storage.data_version import data_version
from helio_dagster.storage.tables import TableStore

Make = Callable[..., Table]
EDGES = ((-1.0, 0.0, 0.5, 4.0), (0.1, 1.0, 3.0))


def _given(make_table: Make) -> tuple[dict[str, Table], Any, Any]:
    """Two series on time bases of their own with values that are not valid, and the pairs that meet within ten seconds."""
    draw = np.random.default_rng(4)
    x, y = draw.normal(1, 1, 900), draw.lognormal(0, 1, 700)
    x[::13], y[::7], y[3] = np.nan, np.nan, np.inf
    x_s, y_s = np.arange(900) * 60.0, np.sort(draw.uniform(0, 54_000, 700))
    nearest = np.argmin(np.abs(x_s[:, None] - y_s[None, :]), axis=1)
    is_near = np.abs(y_s[nearest] - x_s) <= 10
    pairs = x[is_near], y[nearest[is_near]]
    is_valid = np.isfinite(pairs[0]) & np.isfinite(pairs[1])
    tables = {"x": make_table({"a": x}, at_s=x_s), "y": make_table({"b": y}, at_s=y_s, unit="km/s")}
    return tables, pairs[0][is_valid], pairs[1][is_valid]


@pytest.mark.parametrize(
    ("options", "scales"),
    [
        ({"x_bins": 7, "y_bins": 5}, ("linear", "linear")),
        ({"x_edges": EDGES[0], "y_edges": EDGES[1]}, ("linear", "linear")),
        ({"x_range": (-0.5, 2.0), "x_bins": 4, "y_range": (0.01, 10.0), "y_scale": "log", "y_bins": 9}, ("linear", "log")),
    ],
)
def test_cells_are_those_of_numpy(make_table: Make, apply: Make, options: dict[str, Any], scales: tuple[str, str]) -> None:
    """Counts, densities and shares of each column, with the edges of the bins, over the pairs that meet in time."""
    given, x, y = _given(make_table)
    found = apply("histogram_2d", given, tolerance="PT10S", **options)
    assert [column.unit for column in found.meta.columns] == ["nT"] * 3 + ["km/s"] * 3 + [""]
    assert (found.meta.first_axis.scale, found.meta.bins.scale) == scales
    count, x_edges, y_edges = np.histogram2d(
        x, y, [_bins(options, axis) for axis in "xy"], [_range(options, axis) for axis in "xy"]
    )
    np.testing.assert_array_equal(found.columns["count"].reshape(count.shape), count)
    np.testing.assert_allclose(found.columns["x_lower"].reshape(count.shape)[:, 0], x_edges[:-1])
    np.testing.assert_allclose(found.columns["y_upper"].reshape(count.shape)[0], y_edges[1:])
    density = apply("histogram_2d", given, tolerance="PT10S", result="density", **options)
    area = np.diff(x_edges)[:, None] * np.diff(y_edges)[None, :]
    np.testing.assert_allclose(density.columns["density"].reshape(count.shape), count / count.sum() / area)
    assert density.meta.unit == "s km^-1 nT^-1"
    assert [column.role for column in density.meta.columns][-2:] == ["data", "count"]
    share = apply("histogram_2d", given, tolerance="PT10S", result="share", **options).columns["share"].reshape(count.shape)
    np.testing.assert_allclose(share[count.sum(axis=1) > 0].sum(axis=1), 1)


def _bins(options: dict[str, Any], axis: str) -> Any:
    """As numpy takes them: edges, a number, or the edges of equal ratio."""
    if f"{axis}_edges" in options:
        return options[f"{axis}_edges"]
    if options.get(f"{axis}_scale") == "log":
        low, high = np.log10(options[f"{axis}_range"])
        return np.logspace(low, high, options[f"{axis}_bins"] + 1)
    return options[f"{axis}_bins"]


def _range(options: dict[str, Any], axis: str) -> Any:
    return options.get(f"{axis}_range")


def test_what_is_paired_is_what_scatter_pairs(make_table: Make, apply: Make) -> None:
    """All its points are counted, and no more; of values that do not vary too."""
    given, x, _ = _given(make_table)
    points = apply("scatter", given, tolerance="PT10S").columns
    assert np.isfinite(points["x"]).sum() - np.isinf(points["y"]).sum() == len(x)
    assert apply("histogram_2d", given, tolerance="PT10S").columns["count"].sum() == len(x)
    constant = {"x": make_table({"a": [3.0, 3.0]}), "y": make_table({"b": [0.0, 0.0]})}
    assert apply("histogram_2d", constant, x_scale="log", x_bins=3).columns["count"].sum() == 2
    assert not len(apply("histogram_2d", constant, y_scale="log"))  # no y above zero


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"x_edges": (0.0, 1.0), "x_bins": 3}, "x_edges says all of x_bins"),
        ({"y_range": (2.0, 1.0)}, "ascend"),
        ({"y_range": (0.0, 1.0), "y_scale": "log"}, "cannot begin at 0"),
        ({"x_bins": 501}, "less than or equal to 500"),
    ],
)
def test_options_that_cannot_be_are_refused(apply: Make, options: dict[str, Any], said: str) -> None:
    """With one message."""
    with pytest.raises(InputError, match=said):
        apply("histogram_2d", {}, **options)


def test_a_map_is_kept_as_it_is(make_table: Make, apply: Make, tmp_path: Any) -> None:
    """Written and read: the same axes, dtypes and version. Other kinds say nothing of a second axis: their versions stay."""
    found = apply("histogram_2d", _given(make_table)[0], x_bins=3, y_bins=2, y_scale="log", result="share")
    store = TableStore(tmp_path)
    store.write("p/map", "2023-01-02", found, {})
    read = store.read("p/map", "2023-01-02")
    assert read.meta == found.meta
    assert {name: values.dtype for name, values in read.columns.items()} == {n: v.dtype for n, v in found.columns.items()}
    assert data_version(read) == data_version(found)
    assert "first_axis" not in make_table({"v": [1.0]}).meta.model_dump(mode="json")

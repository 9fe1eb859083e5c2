"""Data with several axes in files: read by xarray, by NASA's library through cdflib, and by our own reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cdflib
import numpy as np
import pytest
import xarray as xr

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import Table
from helio_dagster.launch.exporting.csv_file import write_csv

Make = Callable[[str], Table]
Write = Callable[..., Path]


def test_xarray_finds_the_axes(as_netcdf: Write, make_kind: Make) -> None:
    """Fixed bins are coordinate variables, those that vary a coordinate over time; half widths stand beside."""
    table = make_kind("distribution")
    with xr.open_dataset(as_netcdf(table), engine="h5netcdf") as dataset:
        found = dataset["out"]
        assert found.dims == ("time", "azimuth", "polar_angle", "energy_number")
        np.testing.assert_array_equal(found.values, table.columns["out"])
        assert found.dtype == np.float32
        assert found.sel(azimuth=200, method="nearest").coords["azimuth"] == 225
        assert found.coords["energy"].dims == ("time", "energy_number")
        np.testing.assert_array_equal(found.coords["energy"], table.columns["energy"])
        np.testing.assert_array_equal(dataset["energy_delta"], table.columns["energy_width"] / 2)
        assert dataset["polar_angle_delta"].values.tolist() == [30, 30, 30]
        assert (found.attrs["units"], found.coords["energy"].attrs["units"]) == ("s3 cm-6", "eV")


def test_cdf_keeps_the_axes(as_cdf: Write, make_kind: Make) -> None:
    """As ISTP says: DEPEND_1 to DEPEND_3, deltas of the bins."""
    table, file = make_kind("distribution"), cdflib.CDF(as_cdf(make_kind("distribution")))
    about = file.varattsget("out")
    assert [about[f"DEPEND_{place}"] for place in range(4)] == ["Epoch", "azimuth", "polar_angle", "energy"]
    values = file.varget("out")
    np.testing.assert_array_equal(np.where(values < -1e30, np.nan, values), table.columns["out"])
    np.testing.assert_array_equal(file.varget("energy"), table.columns["energy"])
    assert file.varattsget("energy")["DELTA_PLUS_VAR"] == "energy_delta"


def test_our_reader_gives_the_same_table_back(as_cdf: Write, make_kind: Make) -> None:
    """Values, axes and widths, bit for bit."""
    table = make_kind("distribution")
    with CdfReader(workers=1) as reader:
        again = reader.read(as_cdf(table), "out")
    assert again.meta.shape == table.meta.shape
    for axis, other in zip(table.meta.axes, again.meta.axes, strict=True):
        assert (other.values, other.widths, other.unit, other.scale) == (axis.values, axis.widths, axis.unit, axis.scale)
        assert other.name == axis.name.replace(" ", "_")
    for values, others in zip(table.columns.values(), again.columns.values(), strict=True):
        assert others.tobytes() == values.tobytes()


def test_csv_says_what_to_do_instead(tmp_path: Path, make_kind: Make) -> None:
    """And leaves no file."""
    with pytest.raises(InputError, match="several axes beside time: azimuth, polar angle, energy") as caught:
        write_csv(tmp_path / "out.csv", [make_kind("distribution")])
    assert all(each in caught.value.hint for each in ("slice", "reduce", "netCDF"))
    assert list(tmp_path.iterdir()) == []

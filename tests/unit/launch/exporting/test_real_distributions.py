"""A day of a real instrument out and back: Van Allen Probes HOPE, all its spectra and distributions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cdflib
import numpy as np
import pycdfpp
import pytest
import xarray as xr

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.domain.table import Table

Write = Callable[..., Path]
HOPE = "cdf/rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf"
DISTRIBUTIONS = ("FEDU", "FPDU", "Counts_E", "Counts_P")


@pytest.fixture(scope="module")
def read() -> Iterator[Callable[[Path, str], Table]]:
    """The product's own reader."""
    with CdfReader(workers=1) as reader:
        yield reader.read


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_cdf_is_what_was_read(name: str, read: Callable[[Path, str], Table], shared_data: Path, as_cdf: Write) -> None:
    """Values, bins and times of the archive's file, by cdflib, CDFpp and our own reader, in our file and in the archive's."""
    table = read(shared_data / HOPE, name)
    path = as_cdf(table)
    archive, exported = cdflib.CDF(shared_data / HOPE), cdflib.CDF(path)
    values, given = np.asarray(exported.varget("out")), np.asarray(archive.varget(name))
    limits = archive.varattsget(name)
    valid = (given != limits["FILLVAL"]) & (given >= limits["VALIDMIN"]) & (given <= limits["VALIDMAX"])
    np.testing.assert_array_equal(values[valid], given[valid])
    assert (values[~valid] == np.float32(-1e31)).all()
    np.testing.assert_array_equal(np.asarray(pycdfpp.load(str(path))["out"].values), values)
    np.testing.assert_array_equal(cdflib.cdfepoch.to_datetime(exported.varget("Epoch")), table.time)
    again = read(path, "out")
    assert [axis.unit for axis in again.meta.axes] == [axis.unit for axis in table.meta.axes]
    for column, other in zip(table.columns.values(), again.columns.values(), strict=True):
        assert other.tobytes() == column.tobytes()


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_netcdf_is_what_was_read(name: str, read: Callable[[Path, str], Table], shared_data: Path, as_netcdf: Write) -> None:
    """Values, times, and the bins of each axis, as xarray finds them."""
    table = read(shared_data / HOPE, name)
    with xr.open_dataset(as_netcdf(table), engine="h5netcdf") as dataset:
        found = dataset["out"]
        np.testing.assert_array_equal(found.values, table.columns[table.meta.data_names[0]])
        np.testing.assert_array_equal(found["time"].values, table.time)
        assert found.dims[0] == "time"
        assert found.shape[1:] == table.meta.shape
        for axis in table.meta.axes:
            bins = found.coords[axis.name].values
            np.testing.assert_array_equal(bins, table.columns[axis.column] if axis.column else axis.values)

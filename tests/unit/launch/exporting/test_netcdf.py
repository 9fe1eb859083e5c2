"""netCDF files: read by the netCDF C library, by xarray as CF says, and their units by UDUNITS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cf_units
import netCDF4
import numpy as np
import pytest
import xarray as xr

from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.launch.exporting.plain_text import udunits
from tests.unit.launch.exporting.conftest import Write

Make = Callable[[str], Table]


def test_the_c_library_reads_the_values_of_the_table(as_netcdf: Write, make_kind: Make) -> None:
    """A vector: float32 stays so, missing values are masked, the names of the components are kept letter for letter."""
    table = make_kind("vector")
    with netCDF4.Dataset(as_netcdf(table)) as file:
        expected = np.stack(list(table.columns.values()), axis=1)
        assert file["out"].dtype == np.float32
        assert np.array_equal(file["out"][:].filled(np.nan), expected, equal_nan=True)
        assert file["out_labels"][:].tolist() == ["Bx GSE", "By GSE", "Bz β"]
        assert file["time"][:].tolist() == table.time.astype("datetime64[us]").astype(np.int64).tolist()
        assert (file.Conventions, file["out"].units, file["out"].frame) == ("CF-1.11", "nT", "GSE")


def test_xarray_decodes_every_kind(as_netcdf: Write, make_kind: Make, kind: str) -> None:
    """Times to the nanosecond, and each column's values where the variable of its name is."""
    table = make_kind(kind)
    with xr.open_dataset(as_netcdf(table), engine="h5netcdf", decode_timedelta=False) as dataset:
        starts = np.unique(table.time) if table.meta.kind in ("curve", "map") else table.time
        assert np.array_equal(dataset["time"].values, starts)
        assert dataset.sizes[dataset["time"].dims[0]] == len(starts)
        named = [column.name for column in table.meta.value_columns if column.name in dataset]
        assert named or "out" in dataset
        for name in named if kind != "ragged" else ():
            found, expected = dataset[name].values.ravel(), table.columns[name].ravel()
            is_text = expected.dtype.kind in "OU"
            assert np.array_equal(found, expected) if is_text else np.array_equal(found, expected, equal_nan=True)


def test_events_are_records_of_their_own(as_netcdf: Write, make_kind: Make) -> None:
    """Events may begin together, so their times cannot be a coordinate variable; a stop that is not known is not a time."""
    table = make_kind("events")
    with xr.open_dataset(as_netcdf(table), engine="h5netcdf", decode_timedelta=False) as dataset:
        assert dataset["time"].dims == ("event",)
        assert np.array_equal(dataset["stop"].values, table.columns["stop"], equal_nan=True)
        assert dataset["title"].values.tolist() == list(table.columns["title"])
        assert set(dataset["dst"].coords) == {"time"}


def test_bins_are_coordinates_with_their_edges(as_netcdf: Write, make_kind: Make) -> None:
    """Fixed ones are coordinate variables, varying ones auxiliary; edges are bounds; counts and uncertainties stand beside."""
    with xr.open_dataset(as_netcdf(make_kind("spectrogram")), engine="h5netcdf") as dataset:
        assert dataset["out"].dims == ("time", "out_bins")
        assert dataset["out_bins"].values.tolist() == [50, 100, 200, 400]
        assert dataset["out_bins"].attrs["units"] == "keV"
    with xr.open_dataset(as_netcdf(make_kind("varying")), engine="h5netcdf") as dataset:
        assert dataset["out_bins"].dims == dataset["out"].dims
        assert "out_bins" in dataset["out"].coords
    with netCDF4.Dataset(as_netcdf(make_kind("map"))) as file:
        assert file["v"].bounds == "v_bnds"
        assert file["v_bnds"][:].tolist() == [[300, 400], [400, 500], [500, 600]]
        assert file["count"].dimensions == ("time", "v", "n")
    with netCDF4.Dataset(as_netcdf(make_kind("curve"))) as file:
        assert file["power"].ancillary_variables == "power_uncertainty count"


def test_facts_say_their_interval(as_netcdf: Write, make_kind: Make) -> None:
    """As the bounds of the time, which begin at the time and end at the stop."""
    table = make_kind("facts")
    with netCDF4.Dataset(as_netcdf(table)) as file:
        assert file["time"].bounds == "time_bnds"
        starts, stops = file["time_bnds"][:].T.tolist()
        assert starts == table.time.astype("datetime64[us]").astype(np.int64).tolist()
        assert stops == table.columns["stop"].astype("datetime64[us]").astype(np.int64).tolist()


def test_cftime_reads_times_of_whole_microseconds(as_netcdf: Write, make_kind: Make) -> None:
    """So that programs over it, which know no nanoseconds, read all but times that need them."""
    table = make_kind("vector")
    with netCDF4.Dataset(as_netcdf(table)) as file:
        time = file["time"]
        found = netCDF4.num2date(time[:], time.units, time.calendar, only_use_cftime_datetimes=False)
        assert found.tolist() == table.time.astype("datetime64[us]").tolist()
    finer = replace(table, time=table.time + np.timedelta64(1, "ns"))
    with netCDF4.Dataset(as_netcdf(finer)) as file:
        assert file["time"].units.startswith("nanoseconds since 1970-01-01")
        assert file["time"][:].tolist() == finer.time.astype(np.int64).tolist()


def test_extents_are_the_bounds_of_the_time(as_netcdf: Write, make_kind: Make) -> None:
    """Times as xarray decodes them, not a time where the extent is unknown; without extents there are none."""
    for kind in ("bins", "changing bins", "bins of events", "bins of curves"):
        table = make_kind(kind)
        first = np.unique(table.time, return_index=True)[1] if table.meta.kind == "curve" else np.arange(len(table))
        extents = table.extents
        assert extents is not None
        start = (table.time - extents.before_ns.astype("timedelta64[ns]"))[first]
        stop = (table.time + extents.after_ns.astype("timedelta64[ns]"))[first]
        start[~extents.is_known[first]] = stop[~extents.is_known[first]] = np.datetime64("NaT")
        with xr.open_dataset(as_netcdf(table), engine="h5netcdf", decode_timedelta=False) as dataset:
            bounds = dataset["time_bnds"]
            assert bounds.dims == (*dataset["time"].dims, "bound")
            assert np.array_equal(bounds.values, np.stack([start, stop], axis=-1), equal_nan=True)
            assert not [name for name in dataset.variables if "delta" in str(name) or "extent" in str(name)]
        with netCDF4.Dataset(as_netcdf(table)) as file:
            assert file["time"].bounds == "time_bnds"
            assert not hasattr(file["time_bnds"], "units")
    with netCDF4.Dataset(as_netcdf(make_kind("vector"))) as file:
        assert "time_bnds" not in file.variables
        assert not hasattr(file["time"], "bounds")


def test_cell_methods_are_said_where_they_are_known(as_netcdf: Write, make_kind: Make) -> None:
    """Of data that have bounds; an extent alone does not say that the data are a mean."""
    for kind, method, expected in (("bins", "mean", "time: mean"), ("bins", "", None), ("vector", "mean", None)):
        with netCDF4.Dataset(as_netcdf(make_kind(kind), cell_method=method)) as file:
            assert getattr(file["out"], "cell_methods", None) == expected


def test_a_column_may_be_called_as_the_bounds_are(as_netcdf: Write) -> None:
    """It gets a number; the bounds keep their name."""
    meta = TableMeta.model_validate({"kind": "series", "columns": [{"name": "time_bnds"}], "extent": {"after_ns": 5}})
    times = np.arange("2003-01-01", "2003-01-04", dtype="datetime64[D]").astype("datetime64[ns]")
    with netCDF4.Dataset(as_netcdf(Table(times, {"time_bnds": np.arange(3.0)}, meta))) as file:
        assert file["time_bnds_2"][:].tolist() == [0, 1, 2]
        assert (file["time_bnds"][:, 1] - file["time_bnds"][:, 0]).tolist() == [5, 5, 5]


def test_what_is_filled_up_is_missing(as_netcdf: Write, make_kind: Make) -> None:
    """A curve that is shorter than another, and the counts that it has not."""
    with netCDF4.Dataset(as_netcdf(make_kind("ragged"))) as file:
        for name in ("power", "count"):
            assert np.ma.getmaskarray(file[name][:]).tolist() == [[False] * 6, [False] * 4 + [True] * 2]


def test_nothing_is_a_file_too(as_netcdf: Write) -> None:
    """A range without records says what would be in it."""
    meta = TableMeta.model_validate({"kind": "series", "columns": [{"name": "v", "unit": "nT"}]})
    with netCDF4.Dataset(as_netcdf(Table.empty(meta))) as file:
        assert (file["v"].shape, file["v"].units) == ((0,), "nT")


@pytest.mark.parametrize(
    "unit",
    [
        "nT",
        "km/s",
        "cm^-3",
        "cm^-2 keV^-1 s^-1 sr^-1",
        "nT^2 Hz^-1",
        "mV/m",
        "deg",
        "AU",
        "%",
        "h",
        "0.1 nT",
        "eV",
        "degC",
        "counts",
    ],
)
def test_udunits_reads_units(unit: str) -> None:
    """Each as the unit that it is."""
    read = cf_units.Unit(udunits(unit))
    known = {
        "nT": (1e-9, "tesla"),
        "km/s": (1e3, "m s-1"),
        "cm^-3": (1e6, "m-3"),
        "deg": (np.pi / 180, "radian"),
        "h": (3600, "s"),
    }
    assert not read.is_unknown()
    if unit in known:
        factor, other = known[unit]
        assert read.convert(1.0, cf_units.Unit(other)) == pytest.approx(factor, rel=1e-12)


def test_the_same_table_gives_the_same_bytes(as_netcdf: Write, make_kind: Make, kind: str) -> None:
    """Whenever and under whatever name it is written."""
    assert as_netcdf(make_kind(kind)).read_bytes() == as_netcdf(make_kind(kind), "other.nc").read_bytes()

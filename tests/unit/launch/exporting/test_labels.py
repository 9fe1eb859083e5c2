"""Names of channels and of places along axes in files: read by xarray, the netCDF library, cdflib, pycdfpp and our reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cdflib
import netCDF4
import pycdfpp
import pytest
import xarray as xr

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.domain.table import ColumnMeta, Table

Make = Callable[[str], Table]
Write = Callable[..., Path]
CHANNELS = ["E1 38-53 keV", "E2 53-103 keV", "E3 103-175 keV", "E′4 β"]
LOOKS = ["sunward", "dusk", "south pole"]


def test_xarray_has_the_names_as_coordinates(as_netcdf: Write, make_kind: Make) -> None:
    """Along the axis that they name, beside its numbers, letter for letter."""
    with xr.open_dataset(as_netcdf(make_kind("channels")), engine="h5netcdf") as dataset:
        assert dataset["out"].coords["out_labels"].dims == ("out_bins",)
        assert dataset["out"].coords["out_labels"].values.tolist() == CHANNELS
        assert dataset["out"].coords["out_bins"].values.tolist() == [1, 2, 3, 4]
    with xr.open_dataset(as_netcdf(make_kind("labelled")), engine="h5netcdf") as dataset:
        found = dataset["out"]
        assert (found.dims, found.coords["look_labels"].dims) == (("time", "energy", "look"), ("look",))
        dusk = found.isel(look=found.coords["look_labels"].values.tolist().index("dusk"))
        assert dusk.values.tolist() == make_kind("labelled").columns["out"][:, :, 1].tolist()
        assert "energy_labels" not in dataset.variables


def test_the_c_library_finds_them_by_the_coordinates_attribute(as_netcdf: Write, make_kind: Make) -> None:
    """As CF says of labels."""
    with netCDF4.Dataset(as_netcdf(make_kind("labelled"))) as file:
        assert file["out"].coordinates.split() == ["look_labels"]
        assert file["look_labels"].long_name == "direction"
        assert file["look_labels"][:].tolist() == LOOKS


@pytest.mark.parametrize(("kind", "place"), [("channels", 1), ("labelled", 2)])
def test_cdf_points_to_them(as_cdf: Write, make_kind: Make, kind: str, place: int) -> None:
    """LABL_PTR_i beside DEPEND_i and the label of the whole, in ASCII, as two libraries read them."""
    expected = [*CHANNELS[:3], "E?4 beta"] if kind == "channels" else LOOKS
    path = as_cdf(make_kind(kind))
    file, other = cdflib.CDF(path), pycdfpp.load(str(path))
    about = file.varattsget("out")
    name = about[f"LABL_PTR_{place}"]
    assert [key for key in about if key.startswith("LABL")] == ["LABLAXIS", f"LABL_PTR_{place}"]
    assert [str(text).rstrip() for text in file.varget(name).ravel()] == expected
    assert [bytes(text).decode().rstrip(" ") for text in other[name].values[0]] == expected
    assert f"DEPEND_{place}" in other["out"].attributes


def test_our_reader_gives_them_back(as_cdf: Write, make_kind: Make) -> None:
    """As the axis's labels, and as those of the columns of a spectrogram."""
    with CdfReader(workers=1) as reader:
        labelled = reader.read(as_cdf(make_kind("labelled"), "labelled.cdf"), "out")
        channels = reader.read(as_cdf(make_kind("channels"), "channels.cdf"), "out")
    assert labelled.meta.axes == make_kind("labelled").meta.axes
    assert [column.label for column in channels.meta.columns][:3] == CHANNELS[:3]
    assert channels.meta.bins == make_kind("channels").meta.bins


@pytest.mark.parametrize("names", [["flux 1", "flux 2", "flux 3", "flux 4"], ["f0", "f1", "f2", "f3"], ["flux"] * 4])
def test_numbers_of_channels_are_not_names(as_cdf: Write, make_kind: Make, names: list[str]) -> None:
    """They say no more than the bins do; nor do names that are all the same."""
    table = make_kind("channels")
    columns = tuple(ColumnMeta(name=f"c{place}", label=name) for place, name in enumerate(names))
    arrays = dict(zip([column.name for column in columns], table.columns.values(), strict=True))
    plain = replace(table, columns=arrays, meta=table.meta.model_copy(update={"columns": columns}))
    assert not [key for key in cdflib.CDF(as_cdf(plain)).varattsget("out") if key.startswith("LABL_PTR")]

"""A parameter of a file as a table: layout, labels, units, bins, refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio_dagster.archives.cdf.decode import decode
from helio_dagster.archives.cdf.fast_file import PycdfppFile
from helio_dagster.archives.cdf.second_opinion import CdflibFile
from helio_dagster.domain.errors import InputError, UnknownDataset
from helio_dagster.domain.table import Table

WriteCdf = Callable[..., Path]
Store = Callable[..., Any]
TIMES = np.array(["2023-01-01T00:00:00", "2023-01-01T00:00:01", "2023-01-01T00:00:02"], dtype="datetime64[ns]")
LABELS = np.array(["Bx ", "By ", "Bz "])
ENERGIES = np.array([[10.0, 20.0, 40.0, 80.0, 160.0]], dtype="float32")


def table_of(path: Path, parameter: str) -> Table:
    """Decode with both readers, who must agree."""
    table = decode(PycdfppFile(path), parameter)
    second = decode(CdflibFile(path), parameter)
    assert second.meta == table.meta
    np.testing.assert_array_equal(second.time, table.time)
    for name, values in table.columns.items():
        np.testing.assert_array_equal(second.columns[name], values)
    return table


def test_a_scalar_is_a_series_under_its_own_name(write_cdf: WriteCdf, stored: Store) -> None:
    """Column by the parameter, label by LABLAXIS, unit normalized."""
    table = table_of(write_cdf(Np=stored(np.ones(3), {"LABLAXIS": "density", "UNITS": "#/cc"})), "Np")
    assert (table.meta.kind, tuple(table.columns), table.meta.label, table.meta.unit) == ("series", ("Np",), "density", "cm^-3")


def test_axes_of_length_one_do_not_count(write_cdf: WriteCdf, stored: Store) -> None:
    """(n, 1) is a scalar, (n, 1, 3) a vector with the labels of its second axis."""
    path = write_cdf(
        a=stored(np.ones((3, 1))), b=stored(np.ones((3, 1, 3)), {"LABL_PTR_2": "l"}), l=stored(LABELS, is_constant=True)
    )
    assert tuple(table_of(path, "a").columns) == ("a",)
    assert tuple(table_of(path, "b").columns) == ("Bx", "By", "Bz")


def test_a_vector_has_the_archives_labels(write_cdf: WriteCdf, stored: Store) -> None:
    """LABL_PTR_1 names the columns, white space collapsed."""
    path = write_cdf(
        B=stored(np.arange(9.0).reshape(3, 3), {"LABL_PTR_1": "labels", "UNITS": "nT", "COORDINATE_SYSTEM": "GSE"}),
        labels=stored(LABELS, is_constant=True),
    )
    table = table_of(path, "B")
    assert (table.meta.kind, table.meta.frame, table.meta.data_names) == ("vector", "GSE", ("Bx", "By", "Bz"))
    np.testing.assert_array_equal(table.columns["By"], [1.0, 4.0, 7.0])


def test_labels_that_repeat_are_numbered(write_cdf: WriteCdf, stored: Store) -> None:
    """Column names are unique, and never `time`."""
    labels = stored(np.array(["B", "B", "time"]), is_constant=True)
    table = table_of(write_cdf(X=stored(np.ones((3, 3)), {"LABL_PTR_1": "labels"}), labels=labels), "X")
    assert tuple(table.columns) == ("B", "B_2", "time_2")


def test_a_vector_without_labels_is_numbered(write_cdf: WriteCdf, stored: Store) -> None:
    """The parameter's name and the place, counted from 1; LABLAXIS is for print."""
    table = table_of(write_cdf(V=stored(np.ones((3, 2)), {"LABLAXIS": "velocity"})), "V")
    assert [(column.name, column.label) for column in table.meta.columns] == [("V_1", "velocity 1"), ("V_2", "velocity 2")]


def test_a_dangling_label_pointer_costs_no_data(write_cdf: WriteCdf, stored: Store) -> None:
    """Words are not worth a failure."""
    assert len(table_of(write_cdf(V=stored(np.ones((3, 2)), {"LABL_PTR_1": "gone"})), "V")) == 3


def test_bins_that_are_not_there_count_channels(write_cdf: WriteCdf, stored: Store) -> None:
    """A dangling DEPEND_1 costs the axis, not the data."""
    table = table_of(write_cdf(F=stored(np.ones((3, 2)), {"DEPEND_1": "gone", "DISPLAY_TYPE": "spectrogram"})), "F")
    assert table.meta.bins is not None
    assert (table.meta.bins.label, table.meta.bins.centers) == ("channel", (1.0, 2.0))


def test_units_may_differ_by_component(write_cdf: WriteCdf, stored: Store) -> None:
    """UNIT_PTR gives each column its own; the table then has none."""
    path = write_cdf(
        P=stored(np.ones((3, 3)), {"UNIT_PTR": "units"}), units=stored(np.array(["km ", "deg", "deg"]), is_constant=True)
    )
    table = table_of(path, "P")
    assert [column.unit for column in table.meta.columns] == ["km", "deg", "deg"]
    assert table.meta.unit == ""


def test_a_spectrogram_with_fixed_bins(write_cdf: WriteCdf, stored: Store) -> None:
    """A numeric DEPEND_1 of five or more values makes one, without DISPLAY_TYPE; its values are the centers."""
    energy = stored(ENERGIES[0], {"UNITS": "eV", "SCALETYP": "log", "LABLAXIS": "Energy"}, is_constant=True)
    table = table_of(write_cdf(F=stored(np.ones((3, 5)), {"DEPEND_1": "E", "SCALETYP": "log"}), E=energy), "F")
    assert table.meta.kind == "spectrogram"
    assert table.meta.scale == "log"
    assert table.meta.bins is not None
    assert table.meta.bins.centers == (10.0, 20.0, 40.0, 80.0, 160.0)
    assert (table.meta.bins.label, table.meta.bins.unit, table.meta.bins.scale) == ("Energy", "eV", "log")


def test_a_channel_whose_center_is_fill_has_no_column(write_cdf: WriteCdf, stored: Store) -> None:
    """It has no place on the axis."""
    energy = stored(np.array([10.0, 20.0, -1e31, 80.0, 160.0]), is_constant=True)
    table = table_of(write_cdf(F=stored(np.ones((3, 5)), {"DEPEND_1": "E"}), E=energy), "F")
    assert table.meta.data_names == ("F_1", "F_2", "F_4", "F_5")
    assert table.meta.bins is not None
    assert table.meta.bins.centers == (10.0, 20.0, 80.0, 160.0)


def test_a_spectrogram_with_bins_that_vary(write_cdf: WriteCdf, stored: Store) -> None:
    """The bins of each record are companion columns, in the same order of records."""
    times = np.array(["2023-01-01T00:00:02", "2023-01-01T00:00:01", "2023-01-01T00:00:01"], dtype="datetime64[ns]")
    bins = np.repeat(ENERGIES, 3, axis=0) * np.array([[3.0], [2.0], [1.0]], dtype="float32")
    path = write_cdf(
        Epoch=stored(times),
        F=stored(np.arange(15.0).reshape(3, 5), {"DEPEND_1": "E", "DISPLAY_TYPE": "spectrogram>x=1"}),
        E=stored(bins),
    )
    table = table_of(path, "F")
    assert table.meta.bin_names == ("E_1", "E_2", "E_3", "E_4", "E_5")
    assert table.meta.bins is not None
    assert not table.meta.bins.is_fixed
    np.testing.assert_array_equal(table.columns["F_1"], [5.0, 0.0])
    np.testing.assert_array_equal(table.columns["E_1"], [20.0, 30.0])


def test_display_type_beats_the_shape(write_cdf: WriteCdf, stored: Store) -> None:
    """A stack plot of five energies is a vector."""
    energy = stored(ENERGIES[0], is_constant=True)
    path = write_cdf(F=stored(np.ones((3, 5)), {"DEPEND_1": "E", "DISPLAY_TYPE": "stack_plot"}), E=energy)
    assert table_of(path, "F").meta.kind == "vector"


def test_more_axes_without_numbers_are_flattened(write_cdf: WriteCdf, stored: Store) -> None:
    """The last axis runs fastest; labels say where on each axis."""
    path = write_cdf(
        F=stored(np.arange(12.0).reshape(2, 2, 3)[[0, 1, 1]], {"LABL_PTR_1": "pitch", "DISPLAY_TYPE": "spectrogram"}),
        pitch=stored(np.array(["18", "90"]), is_constant=True),
    )
    table = table_of(path, "F")
    assert table.meta.kind == "vector"
    assert table.meta.data_names == ("F_1_1", "F_1_2", "F_1_3", "F_2_1", "F_2_2", "F_2_3")
    assert table.meta.columns[4].label == "F 90, 2"
    assert table.columns["F_2_2"][0] == 4.0


def test_an_alternate_view_is_its_component(write_cdf: WriteCdf, stored: Store) -> None:
    """Values of the component, description of its own."""
    path = write_cdf(
        eflux=stored(np.arange(3.0), {"UNITS": "eV"}),
        movie=stored(np.empty(0), {"VIRTUAL": "true", "FUNCT": "alternate_view", "COMPONENT_0": "eflux", "LABLAXIS": "movie"}),
    )
    table = table_of(path, "movie")
    np.testing.assert_array_equal(table.columns["movie"], [0.0, 1.0, 2.0])
    assert (table.meta.label, table.meta.unit) == ("movie", "eV")


def test_a_slice_is_one_bin_of_its_component(write_cdf: WriteCdf, stored: Store) -> None:
    """As a parameter, and as the axis of another; as in the masters of FAST ESA, dimension 1 of (angle, energy) goes."""
    angles = np.arange(24.0).reshape(3, 2, 4)
    virtual = {"VIRTUAL": "true", "FUNCT": "arr_slice", "UNITS": "deg", "VAR_TYPE": "data", "COMPONENT_0": "angle"}
    path = write_cdf(
        angle=stored(angles),
        median=stored(np.empty((0, 2)), {**virtual, "ARR_DIM": [1], "ARR_INDEX": [3]}),
        first=stored(np.empty((0, 4)), {**virtual, "ARR_DIM": "0", "ARR_INDEX": "0"}),
        beyond=stored(np.empty((0, 2)), {**virtual, "ARR_DIM": [1], "ARR_INDEX": [4]}),
        eflux=stored(np.ones((3, 2, 4)), {"DEPEND_1": "median", "DEPEND_2": "first"}),
    )
    table = table_of(path, "median")
    np.testing.assert_array_equal(np.stack(list(table.columns.values()), axis=1), angles[:, :, 3])
    flux = table_of(path, "eflux")
    assert [(axis.name, axis.unit, axis.is_fixed) for axis in flux.meta.axes] == [
        ("median", "deg", False),
        ("first", "deg", False),
    ]
    np.testing.assert_array_equal(flux.columns["median"], angles[:, :, 3])
    np.testing.assert_array_equal(flux.columns["first"], angles[:, 0, :])
    with pytest.raises(InputError, match="arr_slice"):
        decode(PycdfppFile(path), "beyond")


def test_what_the_archive_computes_is_named(write_cdf: WriteCdf, stored: Store) -> None:
    """Function and sources stand in the message."""
    attributes = {"VIRTUAL": "true", "FUNCT": "crop_image", "COMPONENT_0": "mag"}
    path = write_cdf(mag=stored(np.ones((3, 3))), h=stored(np.empty(0), attributes))
    with pytest.raises(InputError, match="crop_image") as caught:
        decode(PycdfppFile(path), "h")
    assert "mag" in caught.value.hint


def test_an_unknown_parameter_gets_near_names(write_cdf: WriteCdf, stored: Store) -> None:
    """Did you mean, and the list of data parameters."""
    path = write_cdf(BGSEc=stored(np.ones(3), {"VAR_TYPE": "data"}), Q=stored(np.ones(3), {"VAR_TYPE": "support_data"}))
    with pytest.raises(UnknownDataset, match="'BGSE'") as caught:
        decode(PycdfppFile(path), "BGSE")
    assert "Did you mean BGSEc?" in caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("parameter", "reason"), [("Epoch", "times"), ("words", "text"), ("fixed", "constant"), ("wide", "4096")]
)
def test_what_is_no_series_of_numbers_is_refused(parameter: str, reason: str, write_cdf: WriteCdf, stored: Store) -> None:
    """Each with its reason."""
    path = write_cdf(
        words=stored(np.array(["a", "b", "c"])), fixed=stored(np.ones(4), is_constant=True), wide=stored(np.ones((3, 65, 64)))
    )
    with pytest.raises(InputError, match=reason):
        decode(PycdfppFile(path), parameter)


def test_a_file_without_records_gives_the_same_columns(write_cdf: WriteCdf, stored: Store) -> None:
    """Empty, typed, complete: layout never depends on values."""
    attributes = {"LABL_PTR_1": "labels", "FILLVAL": np.array([-9], dtype="int16")}
    labels = stored(LABELS, is_constant=True)
    full = table_of(write_cdf("full.cdf", B=stored(np.ones((3, 3), dtype="int16"), attributes), labels=labels), "B")
    none = table_of(
        write_cdf(
            "none.cdf",
            Epoch=stored(np.empty(0, dtype="datetime64[ns]")),
            B=stored(np.empty((0, 3), dtype="int16"), attributes),
            labels=labels,
        ),
        "B",
    )
    assert none.status == "empty"
    assert none.meta == full.meta
    assert [values.dtype for values in none.columns.values()] == [values.dtype for values in full.columns.values()]


def test_each_parameter_follows_its_own_epoch(write_cdf: WriteCdf, stored: Store) -> None:
    """Several DEPEND_0 in a file."""
    late = np.array(["2023-06-01"], dtype="datetime64[ns]")
    path = write_cdf(Other=stored(late), a=stored(np.ones(3)), b=stored(np.ones(1), {"DEPEND_0": "Other"}))
    assert len(table_of(path, "a")) == 3
    np.testing.assert_array_equal(table_of(path, "b").time, late)


def test_records_beyond_the_times_are_a_fault_of_the_file(write_cdf: WriteCdf, stored: Store) -> None:
    """No record is invented a time."""
    with pytest.raises(ValueError, match="4 records but only 3 times"):
        decode(PycdfppFile(write_cdf(B=stored(np.ones(4)))), "B")


def test_times_beyond_the_records_are_no_records(write_cdf: WriteCdf, stored: Store) -> None:
    """A variable not written to the end has the records it has."""
    assert len(table_of(write_cdf(B=stored(np.ones(2))), "B")) == 2


def test_attributes_are_kept_as_json_can_hold_them(write_cdf: WriteCdf, stored: Store) -> None:
    """As given, one number by itself, NaN by name."""
    attributes = {
        "CATDESC": "a field ",
        "FILLVAL": np.array([np.nan]),
        "SCALEMIN": np.array([1.5]),
        "VALIDMAX": np.array([1.0, 2.0]),
    }
    kept = table_of(write_cdf(B=stored(np.ones(3), attributes)), "B").meta.attributes
    assert (kept["CATDESC"], kept["FILLVAL"], kept["SCALEMIN"], kept["VALIDMAX"]) == ("a field", "nan", 1.5, [1.0, 2.0])


def test_generated_data_are_marked(write_cdf: WriteCdf, stored: Store) -> None:
    """The demo archive's tables say so."""
    assert decode(PycdfppFile(write_cdf(B=stored(np.ones(3)))), "B", synthetic=True).meta.synthetic


def test_records_reach_as_far_as_the_deltas_of_their_epoch_say(write_cdf: WriteCdf, stored: Store) -> None:
    """One delta for the file, or one a record; a fill value makes its record's extent unknown."""
    deltas = {"DELTA_MINUS_VAR": "minus", "DELTA_PLUS_VAR": "plus"}
    minus = stored(np.array([0.0]), {"UNITS": "s"}, is_constant=True)
    for plus, expected in (
        (stored(np.array([2.5]), {"UNITS": "s"}, is_constant=True), [2.5] * 3),
        (stored(np.array([2500, 2500, 2500]), {"UNITS": "msec"}), [2.5] * 3),
        (stored(np.array([2.5, 3.0, -1e31]), {"UNITS": " ", "SI_CONVERSION": "1.0>s", "FILLVAL": -1e31}), [2.5, 3.0, np.nan]),
    ):
        path = write_cdf(Epoch=stored(TIMES, deltas), B=stored(np.arange(3.0)), minus=minus, plus=plus)
        found = table_of(path, "B")
        assert found.extents is not None
        np.testing.assert_array_equal(found.extents.seconds[1], expected)
        assert (found.meta.extent is not None) == (len(set(expected)) == 1)
        np.testing.assert_array_equal(found.columns["B"], np.arange(3.0))


@pytest.mark.parametrize(
    "attributes",
    [
        {"DELTA_PLUS_VAR": "plus"},
        {"DELTA_PLUS_VAR": "plus", "DELTA_MINUS_VAR": "gone"},
        {"DELTA_PLUS_VAR": "plus", "DELTA_MINUS_VAR": "metres"},
        {"DELTA_PLUS_VAR": "none", "DELTA_MINUS_VAR": "none"},
    ],
)
def test_what_the_deltas_do_not_say_is_not_made_up(write_cdf: WriteCdf, stored: Store, attributes: dict[str, str]) -> None:
    """One side, a side that is not there or is no time, and no length at all: there is no extent."""
    sides = {
        "plus": stored(np.array([1.0]), {"UNITS": "s"}, is_constant=True),
        "metres": stored(np.array([1.0]), {"UNITS": "m"}, is_constant=True),
        "none": stored(np.array([0.0]), {"UNITS": "s"}, is_constant=True),
    }
    assert table_of(write_cdf(Epoch=stored(TIMES, attributes), B=stored(np.arange(3.0)), **sides), "B").extents is None


@pytest.mark.parametrize(
    ("file", "parameter", "maturity"),
    [
        ("ac_k2_mfi_20220101_v03.cdf", "BGSEc", "quicklook"),
        ("ge_k0_cpi_19921231_v02.cdf", "SW_V", "quicklook"),
        ("ac_h0_mfi_20230102_v07.cdf", "BGSEc", ""),
        ("omni_coho1hr_merged_mag_plasma_20240901_v01.cdf", "V", ""),
    ],
)
def test_a_file_may_say_that_its_data_are_not_definitive(shared_data: Path, file: str, parameter: str, maturity: str) -> None:
    """By its global attribute Data_type, whatever its name."""
    assert table_of(shared_data / "cdf" / file, parameter).meta.maturity == maturity

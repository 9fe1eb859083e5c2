"""A variable whose records have several axes: what numbers stand along them, and how wide bins are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio_dagster.archives.cdf.decode import decode
from helio_dagster.archives.cdf.fast_file import PycdfppFile
from helio_dagster.archives.cdf.second_opinion import CdflibFile
from helio_dagster.compute.datasets import table_to_dataset
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.records import axis_centers, axis_widths, record_values
from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange
from tests.nd_files import DISTRIBUTION, make_distribution, write_distribution

WIDE = TimeRange(EARLIEST, LATEST)
WriteCdf = Callable[..., Path]
Store = Callable[..., Any]
PITCH = np.array([[4.5, 90.0, 175.5]], dtype="f4")
ENERGY = np.array([[10.0, 100.0]])


def table_of(path: Path, parameter: str) -> Table:
    """Decode with both readers, who must agree."""
    table, second = (decode(reader(path), parameter) for reader in (PycdfppFile, CdflibFile))
    assert second.meta.model_dump_json() == table.meta.model_dump_json()
    for name, values in table.columns.items():
        np.testing.assert_array_equal(second.columns[name], values)
    return table


def test_exchanged_axes_are_put_right_where_their_lengths_prove_it(tmp_path: Path) -> None:
    """The values and axes are those of a file that is right, and what was wrong is kept with them."""
    made = make_distribution(4, azimuths=6, colatitudes=3, energies=5)
    right = table_of(write_distribution(tmp_path / "right.cdf", made), DISTRIBUTION)
    wrong = write_distribution(tmp_path / "wrong.cdf", made, depends=("mx1_theta", "mx1_energy", "mx1_phi"))
    table = table_of(wrong, DISTRIBUTION)
    assert table.meta.axes == right.meta.axes
    for name, values in right.columns.items():
        np.testing.assert_array_equal(table.columns[name], values)
    assert WARNINGS not in right.meta.attributes
    assert table.meta.attributes[WARNINGS] == [
        "DEPEND_1 and DEPEND_2 and DEPEND_3 of mx1_dis_dist_fast are exchanged: they name mx1_theta with 3, mx1_energy with 5, "
        "mx1_phi with 6 values for records of 6 x 3 x 5; each is read along its own"
    ]


def test_axes_whose_lengths_prove_nothing_are_numbered_and_said(tmp_path: Path) -> None:
    """One name twice fits in no order; two axes of one length may stand either way, and stay as the file has them."""
    made = make_distribution(4, azimuths=6, colatitudes=3, energies=5)
    twice = write_distribution(tmp_path / "twice.cdf", made, depends=("mx1_phi", "mx1_energy", "mx1_energy"))
    table = table_of(twice, DISTRIBUTION)
    assert [axis.name for axis in table.meta.axes] == ["mx1_phi", "axis_2", "mx1_energy"]
    assert table.meta.attributes[WARNINGS] == [
        "DEPEND_2 names mx1_energy, which has 5 values for 3 along that axis of mx1_dis_dist_fast: "
        "its places are numbered instead"
    ]
    even = make_distribution(4, azimuths=4, colatitudes=4, energies=5)
    either = write_distribution(tmp_path / "either.cdf", even, depends=("mx1_theta", "mx1_phi", "mx1_energy"))
    assert WARNINGS not in table_of(either, DISTRIBUTION).meta.attributes


@pytest.mark.parametrize("is_by_columns", [False, True])
def test_a_distribution_keeps_its_axes(tmp_path: Path, is_by_columns: bool) -> None:
    """Values as single reals, fills NaN; fixed bins in the metadata, those that vary and their widths in columns."""
    made = make_distribution(4, azimuths=6, colatitudes=3, energies=5)
    path = write_distribution(tmp_path / "made.cdf", made, is_by_columns=is_by_columns)
    table = table_of(path, DISTRIBUTION)
    expected = made.f.copy()
    expected.reshape(-1)[::50] = np.nan
    assert (table.meta.kind, table.meta.shape, table.meta.unit) == ("nd", (6, 3, 5), "s^3 cm^-6")
    assert record_values(table).dtype == np.dtype("f4")
    np.testing.assert_array_equal(record_values(table), expected)
    azimuth, colatitude, energy = table.meta.axes
    assert [(axis.name, axis.unit, axis.is_fixed) for axis in table.meta.axes] == [
        ("mx1_phi", "deg", False),
        ("mx1_theta", "deg", True),
        ("mx1_energy", "eV", False),
    ]
    np.testing.assert_array_equal(axis_centers(table, azimuth), made.azimuth)
    np.testing.assert_array_equal(axis_centers(table, colatitude), made.colatitude[None])
    assert (energy.scale, energy.width_column) == ("log", "mx1_energy_width")
    np.testing.assert_array_equal(axis_widths(table, energy), made.energy / np.float32(10) * 2)
    np.testing.assert_allclose(axis_widths(table, colatitude), [[60.0, 60.0, 60.0]])


def test_one_axis_of_numbers_is_enough(write_cdf: WriteCdf, stored: Store) -> None:
    """The other, which has labels, counts from 1; whole numbers become reals that hold them."""
    counts = np.arange(18, dtype="i2").reshape(3, 3, 2)
    path = write_cdf(
        C=stored(counts, {"DEPEND_1": "P", "LABL_PTR_2": "l", "UNITS": "counts"}),
        P=stored(PITCH, {"UNITS": "deg", "LABLAXIS": "pitch angle"}, is_constant=True),
        l=stored(np.array(["up", "dn"]), is_constant=True),
    )
    table = table_of(path, "C")
    assert (table.meta.kind, table.meta.data_names, record_values(table).dtype.name) == ("nd", ("C",), "float32")
    np.testing.assert_array_equal(record_values(table), counts)
    assert [(axis.name, axis.label, axis.values) for axis in table.meta.axes] == [
        ("P", "pitch angle", (4.5, 90.0, 175.5)),
        ("axis_2", "channel", (1.0, 2.0)),
    ]
    assert [axis.labels for axis in table.meta.axes] == [(), ("up", "dn")]
    reduce = get_operation("reduce")
    left = reduce.apply({"distribution": table}, reduce.read_options({"axis": "P"}), WIDE, "left")
    assert (left.meta.kind, [column.label for column in left.meta.columns]) == ("vector", ["up", "dn"])
    np.testing.assert_allclose(np.stack(list(left.columns.values()), axis=1), counts.mean(axis=1))
    cut = get_operation("slice")
    kept = cut.apply({"distribution": table}, cut.read_options({"axis": "axis_2", "first": 1, "stop": 2}), WIDE, "kept")
    assert kept.meta.axes[1].labels == ("dn",)
    assert table_to_dataset(table)["axis_2_label"].values.tolist() == ["up", "dn"]


@pytest.mark.parametrize(("dtype", "kept"), [("u2", "float32"), ("i4", "float64"), ("f4", "float32"), ("f8", "float64")])
def test_reals_hold_what_the_file_has(write_cdf: WriteCdf, stored: Store, dtype: str, kept: str) -> None:
    """Of integers up to 32 bits not one is rounded; limits and fills of the file count."""
    largest = np.iinfo(dtype).max if dtype[0] != "f" else 1e6
    values = np.array([[[largest, 1], [2, 3], [4, 5]]] * 3, dtype=dtype)
    attributes = {"DEPEND_1": "P", "FILLVAL": [float(values[0, 1, 0])], "VALIDMAX": [float(largest) - 1], "VALIDMIN": [0.0]}
    path = write_cdf(C=stored(values, attributes), P=stored(PITCH, is_constant=True))
    found = record_values(table_of(path, "C"))
    assert found.dtype.name == kept
    assert np.isnan(found[0]).tolist() == [[dtype != "f4", False], [True, False], [False, False]] or dtype == "f4"
    np.testing.assert_array_equal(found[:, 2], values[:, 2])


def test_an_axis_of_fills_counts_channels(write_cdf: WriteCdf, stored: Store) -> None:
    """Without a single number there is no axis of numbers; one fill among them is a bin without a place."""
    path = write_cdf(
        C=stored(np.ones((3, 3, 2)), {"DEPEND_1": "P", "DEPEND_2": "E"}),
        P=stored(np.where(PITCH == 90, -1e31, PITCH).astype("f4"), is_constant=True),
        E=stored(np.full((1, 2), -1e31), is_constant=True),
    )
    pitch, energy = table_of(path, "C").meta.axes
    np.testing.assert_array_equal(pitch.values, [4.5, np.nan, 175.5])
    assert (energy.label, energy.values) == ("channel", (1.0, 2.0))


def test_records_in_disorder_are_sorted_with_their_bins(write_cdf: WriteCdf, stored: Store) -> None:
    """Bins that vary follow their records."""
    times = np.array(["2023-01-01T00:00:02", "2023-01-01T00:00:00", "2023-01-01T00:00:01"], dtype="datetime64[ns]")
    energies = np.array([[3.0, 30.0], [1.0, 10.0], [2.0, 20.0]])
    values = np.arange(18.0).reshape(3, 3, 2)
    path = write_cdf(
        Epoch=stored(times),
        C=stored(values, {"DEPEND_1": "P", "DEPEND_2": "E"}),
        P=stored(PITCH, is_constant=True),
        E=stored(energies),
    )
    table = table_of(path, "C")
    np.testing.assert_array_equal(record_values(table), values[[1, 2, 0]])
    np.testing.assert_array_equal(table.columns["E"], energies[[1, 2, 0]])


def test_widths_in_another_unit_do_not_count(write_cdf: WriteCdf, stored: Store) -> None:
    """Then edges lie between the centers."""
    path = write_cdf(
        C=stored(np.ones((3, 3, 2)), {"DEPEND_1": "P", "DEPEND_2": "E"}),
        P=stored(PITCH, is_constant=True),
        E=stored(ENERGY, {"UNITS": "eV", "DELTA_PLUS_VAR": "D", "DELTA_MINUS_VAR": "D", "SCALETYP": "log"}, is_constant=True),
        D=stored(np.ones((1, 2)), {"UNITS": "%"}, is_constant=True),
    )
    table = table_of(path, "C")
    energy = table.meta.axes[1]
    assert energy.widths == ()
    np.testing.assert_allclose(axis_widths(table, energy), [np.diff([10**0.5, 10**1.5, 10**2.5])])


def test_bins_of_fewer_records_are_a_fault_of_the_file(write_cdf: WriteCdf, stored: Store) -> None:
    """No record's energies are guessed."""
    path = write_cdf(
        C=stored(np.ones((3, 3, 2)), {"DEPEND_1": "P", "DEPEND_2": "E"}),
        P=stored(PITCH, is_constant=True),
        E=stored(np.ones((2, 2))),
    )
    with pytest.raises(ValueError, match="E have 2 records for 3"):
        decode(PycdfppFile(path), "C")


def test_records_larger_than_any_should_be_are_refused(write_cdf: WriteCdf, stored: Store) -> None:
    """Along one axis as many bins as a table has columns at most."""
    path = write_cdf(C=stored(np.ones((3, 2, 5000), dtype="f4"), {"DEPEND_1": "E"}), E=stored(ENERGY, is_constant=True))
    with pytest.raises(InputError, match="2 x 5000 = 10000 values a record"):
        decode(PycdfppFile(path), "C")


def test_a_file_without_records_has_the_same_columns(write_cdf: WriteCdf, stored: Store) -> None:
    """Metadata do not depend on whether there are records."""

    def made(records: int, name: str) -> Table:
        times = np.array(["2023-01-01T00:00:00"] * records, dtype="datetime64[ns]")
        path = write_cdf(
            name,
            Epoch=stored(times),
            C=stored(np.ones((records, 3, 2)), {"DEPEND_1": "P", "DEPEND_2": "E"}),
            P=stored(PITCH, is_constant=True),
            E=stored(np.ones((records, 2))),
        )
        return decode(PycdfppFile(path), "C")

    empty, full = made(0, "empty.cdf"), made(1, "full.cdf")
    assert empty.meta == full.meta
    assert {name: values.dtype for name, values in empty.columns.items()} == {
        name: values.dtype for name, values in full.columns.items()
    }

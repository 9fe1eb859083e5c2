"""What the archive's functions make of the variables of a file, each beside what its definition says by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio_dagster.archives.cdf.checked import open_checked
from helio_dagster.archives.cdf.decode import decode, decode_in_pieces
from helio_dagster.archives.cdf.fast_file import PycdfppFile
from helio_dagster.archives.cdf.functions import COMPUTED_BY
from helio_dagster.archives.cdf.second_opinion import CdflibFile
from helio_dagster.domain.errors import InputError

WriteCdf = Callable[..., Path]
Store = Callable[..., Any]
FILL = -1e31


def virtual(function: str, *components: str, **attributes: Any) -> dict[str, Any]:
    """The attributes of a variable that is to be computed."""
    parts = {f"COMPONENT_{number}": name for number, name in enumerate(components)}
    return {"VIRTUAL": "true", "FUNCT": function, "VAR_TYPE": "data", "FILLVAL": [FILL], **parts, **attributes}


def column(path: Path, parameter: str) -> Any:
    """The only column of a series, by both readers."""
    first = decode(PycdfppFile(path), parameter)
    np.testing.assert_array_equal(first.columns[parameter], decode(CdflibFile(path), parameter).columns[parameter])
    return first.columns[parameter]


@pytest.mark.parametrize(
    ("function", "flags", "attributes", "good"),
    [
        ("apply_esa_qflag", [0, 1, 255, -1, 0], {}, [1, 0, 1, 1, 1]),  # 255 is the flag's fill, which says nothing
        ("APPLY_GMOM_QFLAG", [0, 3, 0, 0, 4], {}, [1, 0, 1, 1, 0]),
        ("apply_fgm_qflag", [0, 1, 0, 0, 0], {}, [1, 0, 1, 1, 1]),
        ("apply_rtn_qflag", [222, 223, 221, 0, 224], {}, [1, 1, 0, 0, 0]),
        ("region_filt", [1, 2, 3, 1, 0], {}, [1, 0, 0, 1, 0]),
        ("apply_filter_flag", [0, 1, 0, 2, 0], {}, [1, 0, 1, 0, 1]),
        ("apply_filter_flag", [0, 1, 0, 2, 0], {"COMPARE_VAL": [1]}, [0, 1, 0, 0, 0]),
        ("apply_filter_flag", [0, 1, 0, 2, 0], {"COMPARE_VAL": "1", "COMPARE_OPERATOR": "ge"}, [0, 1, 0, 1, 0]),
    ],
)
def test_records_that_a_flag_calls_bad_are_missing(
    function: str, flags: list[int], attributes: dict[str, Any], good: list[int], write_cdf: WriteCdf, stored: Store
) -> None:
    """Values of bad records are NaN, those of good ones as stored, and a fill stays missing; units are those of the data."""
    values = np.array([[1.0, 2.0], [3.0, FILL], [5.0, 6.0], [FILL, 8.0], [9.0, 10.0]], "f4")
    times = np.datetime64("2023-01-01", "ns") + np.arange(5) * np.timedelta64(1, "s")
    path = write_cdf(
        Epoch=stored(times),
        B=stored(values, {"UNITS": "nT", "FILLVAL": [FILL], "LABL_PTR_1": "labels"}),
        labels=stored(np.array(["x", "y"]), is_constant=True),
        flag=stored(np.array(flags, "i4"), {"FILLVAL": [255]}),
        Bq=stored(np.empty((0, 2), "f4"), virtual(function, "B", "flag", **attributes)),
    )
    table = decode(PycdfppFile(path), "Bq")
    expected = np.where(np.array(good, bool)[:, None], np.where(values == np.float32(FILL), np.nan, values), np.nan)
    np.testing.assert_array_equal(np.stack([table.columns["x"], table.columns["y"]], axis=1), expected)
    assert (table.meta.unit, table.meta.kind, table.columns["x"].dtype) == ("nT", "vector", np.dtype("f4"))
    assert table.meta.attributes[COMPUTED_BY] == f"{function.casefold()} of B, flag"


def test_whole_numbers_with_bad_records_become_reals(write_cdf: WriteCdf, stored: Store) -> None:
    """A missing count is NaN, also where no number stands for it."""
    path = write_cdf(
        counts=stored(np.array([7, 8, 9], "i4")),
        flag=stored(np.array([0, 1, 0], "i4")),
        good=stored(np.empty(0, "i4"), virtual("apply_esa_qflag", "counts", "flag", FILLVAL=[-1])),
    )
    np.testing.assert_array_equal(column(path, "good"), [7.0, np.nan, 9.0])


def test_a_part_of_a_vector_counts_from_0(write_cdf: WriteCdf, stored: Store) -> None:
    """As in masters of ground magnetometers; of several axes the numbered ones go; without words all is taken."""
    vector, cube = np.arange(9.0).reshape(3, 3), np.arange(36.0).reshape(3, 3, 4)
    path = write_cdf(
        mag=stored(vector, {"UNITS": "nT"}),
        h=stored(np.empty(0), virtual("make_stack_array", "mag", DISPLAY_TYPE="time_series>y=h(0,*)")),
        z=stored(np.empty(0), virtual("make_stack_array", "mag", DISPLAY_TYPE="time_series>y=other(2,*)")),
        flux=stored(cube),
        second=stored(np.empty((0, 3)), virtual("make_stack_array", "flux", DISPLAY_TYPE="stack_plot>y=SECOND(*,1)")),
        one=stored(np.empty(0), virtual("make_stack_array", "flux", DISPLAY_TYPE="time_series>y=one(2, 3, *)")),
        all=stored(np.empty(0), virtual("make_stack_array", "mag", DISPLAY_TYPE="stack_plot")),
    )
    np.testing.assert_array_equal(column(path, "h"), vector[:, 0])
    np.testing.assert_array_equal(column(path, "z"), vector[:, 2])
    np.testing.assert_array_equal(column(path, "one"), cube[:, 2, 3])
    second = decode(PycdfppFile(path), "second")
    np.testing.assert_array_equal(np.stack(list(second.columns.values()), axis=1), cube[:, :, 1])
    assert len(decode(PycdfppFile(path), "all").columns) == 3
    assert decode(PycdfppFile(path), "h").meta.unit == "nT"


def test_numbers_of_several_variables(write_cdf: WriteCdf, stored: Store) -> None:
    """Sum, length, dynamic pressure, and functions of each number; what lacks one number is missing."""
    vector = np.array([[-400.0, 10.0, 0.0], [-500.0, FILL, 3.0], [FILL, 0.0, 4.0]])
    path = write_cdf(
        V=stored(vector, {"FILLVAL": [FILL]}),
        n=stored(np.array([5.0, 6.0, 7.0], "f4")),
        u=stored(np.array([1.0, FILL, 3.0]), {"FILLVAL": [FILL]}),
        w=stored(np.array([10.0, 20.0, 30.0])),
        P=stored(np.empty(0), virtual("calc_p", "V", "n", UNITS="nPa")),
        speed=stored(np.empty(0), virtual("compute_magnitude", "V")),
        total=stored(np.empty(0), virtual("sum_values", "u", "w", "w")),
        density=stored(np.empty(0), virtual("convert_ni", "u")),
        energy=stored(np.empty(0), virtual("convert_toev", "fast")),
        fast=stored(np.array([0.593098e8, 2 * 0.593098e8, 0.0])),
    )
    np.testing.assert_allclose(column(path, "P"), [1.6726e-6 * 5 * 400**2, 1.6726e-6 * 6 * 500**2, np.nan])
    np.testing.assert_allclose(column(path, "speed"), [np.hypot(400, 10), np.nan, np.nan])
    np.testing.assert_array_equal(column(path, "total"), [21.0, np.nan, 63.0])
    np.testing.assert_allclose(column(path, "density"), [10.0, np.nan, 1000.0])
    np.testing.assert_allclose(column(path, "energy"), [1.0, 4.0, 0.0])
    assert decode(PycdfppFile(path), "P").meta.unit == "nPa"


def test_a_flag_for_each_ion(write_cdf: WriteCdf, stored: Store) -> None:
    """`apply_qflag` of Polar TIMAS: the column of the ion, bad from 4 on."""
    flags = np.array([[4, 0, 0, 0], [0, 5, 0, 3], [3, 0, 9, 0]], "i4")
    path = write_cdf(
        Flux_H=stored(np.arange(1.0, 4.0)),
        Sigma_He_1=stored(np.arange(1.0, 4.0)),
        Quality=stored(flags),
        HQ=stored(np.empty(0), virtual("apply_qflag", "Flux_H", "Quality")),
        HeQ=stored(np.empty(0), virtual("apply_qflag", "Sigma_He_1", "Quality")),
    )
    np.testing.assert_array_equal(column(path, "HQ"), [np.nan, 2.0, 3.0])
    np.testing.assert_array_equal(column(path, "HeQ"), [1.0, 2.0, np.nan])


def test_what_is_computed_of_what_is_computed(write_cdf: WriteCdf, stored: Store) -> None:
    """One bin of values that a flag allows, of another view; a circle is refused."""
    path = write_cdf(
        B=stored(np.arange(6.0).reshape(3, 2)),
        flag=stored(np.array([0, 1, 0], "i4")),
        view=stored(np.empty((0, 2)), virtual("alternate_view", "B")),
        good=stored(np.empty((0, 2)), virtual("apply_esa_qflag", "view", "flag")),
        bin=stored(np.empty(0), virtual("arr_slice", "good", ARR_DIM=[0], ARR_INDEX=[1])),
        egg=stored(np.empty(0), virtual("convert_ni", "hen")),
        hen=stored(np.empty(0), virtual("convert_ni", "egg")),
    )
    np.testing.assert_array_equal(column(path, "bin"), [1.0, np.nan, 5.0])
    with pytest.raises(InputError, match="here it cannot be"):
        decode(PycdfppFile(path), "egg")


@pytest.mark.parametrize(
    ("function", "components", "attributes", "reason"),
    [
        ("apply_esa_qflag", ["B"], {}, "names no flag"),
        ("apply_esa_qflag", ["B", "gone"], {}, "no numbers gone"),
        ("apply_esa_qflag", ["B", "short"], {}, "short has 2 records for 3 of B"),
        ("apply_esa_qflag", ["B", "B"], {}, "more than one number"),
        ("apply_filter_flag", ["B", "flag"], {"COMPARE_OPERATOR": "like"}, "'like' is not known"),
        ("apply_filter_flag", ["B", "flag"], {"COMPARE_VAL": " "}, "is no number"),
        ("make_stack_array", ["B"], {"DISPLAY_TYPE": "stack_plot>y=B(0,*),y=B(1,*)"}, "joins several parts"),
        ("make_stack_array", ["B"], {"DISPLAY_TYPE": "stack_plot>y=B(2,*)"}, "place 2 of 2"),
        ("make_stack_array", ["B"], {"DISPLAY_TYPE": "stack_plot>y=B(x,*)"}, "does not say which places"),
        ("arr_slice", ["B"], {}, "which bin of which dimension"),
        ("sum_values", ["B", "flag"], {}, "flag has other records"),
        ("calc_p", ["B", "flag"], {}, "velocity vector and a density"),
        ("compute_magnitude", ["flag"], {}, "flag is not a vector"),
        ("apply_qflag", ["B", "flag"], {}, "each of four ions"),
        ("crop_image", ["B"], {}, r"FUNCT crop_image\)\n"),
    ],
)
def test_what_cannot_be_computed_says_why(
    function: str, components: list[str], attributes: dict[str, Any], reason: str, write_cdf: WriteCdf, stored: Store
) -> None:
    """The function and the reason; the hint names what to fetch instead."""
    path = write_cdf(
        B=stored(np.ones((3, 2))),
        flag=stored(np.zeros(3, "i4")),
        short=stored(np.zeros(2, "i4")),
        made=stored(np.empty(0), virtual(function, *components, **attributes)),
    )
    with pytest.raises(InputError, match=reason) as caught:
        decode(PycdfppFile(path), "made")
    assert function in caught.value.problem
    assert components[0] in caught.value.hint


def test_a_large_variable_is_computed_in_pieces(write_cdf: WriteCdf, stored: Store) -> None:
    """A distribution whose records a flag chooses, some at a time, is the one that is read at once."""
    values = np.random.default_rng(2).random((90, 8, 16)).astype("f4")
    times = np.datetime64("2023-01-01", "ns") + np.arange(90) * np.timedelta64(1, "s")
    path = write_cdf(
        Epoch=stored(times),
        f=stored(values, {"DEPEND_1": "angle", "DEPEND_2": "energy"}),
        angle=stored(np.arange(8.0), {"UNITS": "deg"}, is_constant=True),
        energy=stored(np.geomspace(1, 100, 16), {"UNITS": "eV"}, is_constant=True),
        parity=stored(np.arange(90, dtype="i4") % 2),
        even=stored(
            np.empty((0, 8, 16), "f4"),
            virtual("apply_filter_flag", "f", "parity", DEPEND_1="angle", DEPEND_2="energy"),
        ),
    )
    whole = decode(PycdfppFile(path), "even")
    found = decode_in_pieces(open_checked(path, PycdfppFile, lambda _: None), "even", most_held=1)
    np.testing.assert_array_equal(whole.columns["even"], np.where((np.arange(90) % 2 == 0)[:, None, None], values, np.nan))
    assert found.values is not None
    np.testing.assert_array_equal(np.concatenate(list(found.values)), whole.columns["even"])
    assert [axis.name for axis in whole.meta.axes] == ["angle", "energy"]

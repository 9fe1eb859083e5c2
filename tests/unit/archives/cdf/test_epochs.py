"""Times of records: three CDF types, virtual epochs, order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cdflib
import cdflib.cdfwrite
import numpy as np
import pycdfpp
import pytest
from numpy.typing import NDArray

from helio_dagster.archives.cdf.epochs import find_epoch, read_times
from helio_dagster.archives.cdf.fast_file import PycdfppFile
from helio_dagster.archives.files.record_order import sorted_unique
from helio_dagster.domain.errors import InputError

WriteCdf = Callable[..., Path]
NS = "datetime64[ns]"
STAMPS = np.array(["2016-12-31T23:59:59.500", "2023-01-02T03:04:05.678"], dtype=NS)


def times_of(path: Path, name: str) -> Any:
    """Times of a number variable's records."""
    file = PycdfppFile(path)
    variable = file.variable(name)
    return read_times(file, find_epoch(file, variable), variable)


def write_tt2000(path: Path, raw: NDArray[np.int64]) -> Path:
    """A file whose epoch holds these very numbers; only cdflib writes them unchanged."""
    cdf = cdflib.cdfwrite.CDF(str(path))
    spec = {"Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": []}
    cdf.write_var({"Variable": "Epoch", "Data_Type": 33, **spec}, {}, raw)
    cdf.write_var({"Variable": "B", "Data_Type": 45, **spec}, {"DEPEND_0": "Epoch"}, np.ones(len(raw)))
    cdf.close()
    return path


@pytest.mark.parametrize("kind", ["CDF_EPOCH", "CDF_EPOCH16", "CDF_TIME_TT2000"])
def test_all_three_time_types_are_read(kind: str, write_cdf: WriteCdf, stored: Callable[..., Any]) -> None:
    """The instant written is the instant read."""
    path = write_cdf(Epoch=stored(STAMPS, type=getattr(pycdfpp.DataType, kind)), B=stored(np.ones(2)))
    np.testing.assert_array_equal(times_of(path, "B"), STAMPS)


def test_special_values_are_no_times(tmp_path: Path) -> None:
    """Fill and pad values of TT2000 are NaT."""
    raw = np.array([-(2**63), -(2**63) + 1, 534546122217229211], dtype="int64")
    times = times_of(write_tt2000(tmp_path / "special.cdf", raw), "B")
    assert np.isnat(times[:2]).all()
    assert times[2] == np.datetime64(cdflib.cdfepoch.encode_tt2000(raw[2]), "ns")


def test_a_leap_second_falls_onto_the_next_second(tmp_path: Path) -> None:
    """23:59:60 has no name in UTC without leap seconds; the record is kept once, as the first of the two."""
    midnight = cdflib.cdfepoch.compute_tt2000([2017, 1, 1, 0, 0, 0, 0, 0, 0])
    raw = np.array([midnight - 1_000_000_000, midnight], dtype="int64")
    times = times_of(write_tt2000(tmp_path / "leap.cdf", raw), "B")
    np.testing.assert_array_equal(times[sorted_unique(times)], np.array(["2017-01-01"], dtype=NS))


def test_a_themis_epoch_is_base_plus_seconds(write_cdf: WriteCdf, stored: Callable[..., Any]) -> None:
    """`comp_themis_epoch` is evaluated; what is not a number of seconds is NaT."""
    path = write_cdf(
        Epoch=stored(
            np.empty(0, dtype=NS),
            {"VIRTUAL": "TRUE", "FUNCT": "comp_themis_epoch", "COMPONENT_0": "base", "COMPONENT_1": "seconds"},
            type=pycdfpp.DataType.CDF_EPOCH,
        ),
        base=stored(np.array(["1970-01-01"], dtype=NS), is_constant=True, type=pycdfpp.DataType.CDF_EPOCH),
        seconds=stored(np.array([1172275200.25, np.nan])),
        B=stored(np.ones(2)),
    )
    times = times_of(path, "B")
    assert times[0] == np.datetime64("2007-02-24T00:00:00.25", "ns")
    assert np.isnat(times[1])


def test_an_unknown_epoch_function_is_named(write_cdf: WriteCdf, stored: Callable[..., Any]) -> None:
    """No guess at times."""
    epoch = stored(np.empty(0, dtype=NS), {"VIRTUAL": "true", "FUNCT": "compute_magic"})
    with pytest.raises(InputError, match="compute_magic"):
        times_of(write_cdf(Epoch=epoch, B=stored(np.ones(2))), "B")


def test_a_parameter_without_times_is_refused(write_cdf: WriteCdf, stored: Callable[..., Any]) -> None:
    """No DEPEND_0, no time series."""
    with pytest.raises(InputError, match="DEPEND_0"):
        times_of(write_cdf(B=stored(np.ones(3), {"DEPEND_0": None})), "B")


def test_a_dangling_epoch_is_a_fault_of_the_file(write_cdf: WriteCdf, stored: Callable[..., Any]) -> None:
    """The file contradicts itself: not the user's mistake."""
    with pytest.raises(ValueError, match="Nowhere"):
        times_of(write_cdf(B=stored(np.ones(3), {"DEPEND_0": "Nowhere"})), "B")


def test_archives_are_loose_about_case(write_cdf: WriteCdf, stored: Callable[..., Any]) -> None:
    """DEPEND_0 `epoch ` finds `Epoch`."""
    assert len(times_of(write_cdf(B=stored(np.ones(3), {"DEPEND_0": "epoch "})), "B")) == 3


def test_records_in_order_are_taken_as_they_are() -> None:
    """The common case copies nothing."""
    assert sorted_unique(STAMPS) == slice(None)


def test_records_are_sorted_and_each_time_is_kept_once() -> None:
    """The first in the file stays; NaT and the years beyond 1900 to 2200 go."""
    times = np.array(["2020-01-02", "NaT", "2020-01-01", "2020-01-02", "1800-01-01", "2250-01-01"], dtype=NS)
    np.testing.assert_array_equal(sorted_unique(times), [2, 0])


def test_times_that_the_archive_moves(write_cdf: WriteCdf, stored: Callable[..., Any]) -> None:
    """`add_1800` and `add_51s` are the component's times so many seconds later."""
    path = write_cdf(
        hour=stored(np.empty(0, dtype=NS), {"FUNCT": "ADD_1800", "COMPONENT_0": "Epoch"}, type=pycdfpp.DataType.CDF_EPOCH),
        image=stored(np.empty(0, dtype=NS), {"FUNCT": "add_51s", "COMPONENT_0": "Epoch"}, type=pycdfpp.DataType.CDF_EPOCH),
        B=stored(np.ones(3), {"DEPEND_0": "hour"}),
        I=stored(np.ones(3), {"DEPEND_0": "image"}),
    )
    start = np.datetime64("2023-01-01T00:00:00", "ns")
    assert times_of(path, "B")[0] == start + np.timedelta64(1800, "s")
    assert times_of(path, "I")[2] == start + np.timedelta64(53, "s")

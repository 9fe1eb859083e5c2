"""CDF files: read by cdflib, by NASA's library through spacepy and by our own reader; held against the ISTP guidelines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import cdflib
import netCDF4
import numpy as np
import pytest

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.domain.extent import Extent
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.launch.exporting.cdf_records import BLOCK_BYTES
from helio_dagster.launch.exporting.records import survey_blocks, table_block
from helio_dagster.launch.exporting.tt2000 import FILL, utc_to_tt2000
from helio_dagster.launch.exporting.variables import lay_out
from tests.unit.launch.exporting.conftest import Write

Make = Callable[[str], Table]


@pytest.fixture(scope="session")
def pycdf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """NASA's CDF library, through spacepy, which keeps its settings in a folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPACEPY", str(tmp_path_factory.mktemp("spacepy")))
        yield pytest.importorskip("spacepy.pycdf", reason="spacepy is not installed")


def test_spacepy_finds_nothing_against_the_istp_guidelines(
    pycdf: ModuleType, as_cdf: Write, make_kind: Make, kind: str
) -> None:
    """All its checks but those that are wrong about us.

    It wants spectrograms of vectors and maps, files of one day, takes the fill value of a stop for a time, and wants how far a
    record reaches as a date, as its type would make it.
    """
    from spacepy.pycdf import istp

    with pycdf.CDF(str(as_cdf(make_kind(kind)))) as file:
        faults = istp.FileChecks.all(file)
    ours = (
        "Multi dim variable with time_series display type",
        "Multi dim variable with image display type",
        "multiple days",
        "doesn't match file",
        "stop: Nonmonotonic",
        "peak_time: Nonmonotonic",
        "VAR type CDF_INT8 does not match variable type CDF_TIME_TT2000",
    )
    assert [fault for fault in faults if not any(each in fault for each in ours)] == []


def test_cdflib_finds_nothing_against_the_istp_guidelines(
    as_cdf: Write, make_kind: Make, kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Through xarray and back, where it says what ISTP does not allow: only that a vector has no DEPEND_1 beside its labels."""
    from cdflib.xarray import cdf_to_xarray, xarray_to_cdf

    table = make_kind(kind)
    if table.meta.kind == "events":  # two of them begin together, which ISTP has no word for
        table = table.clip_ns(np.datetime64("2003-11-01"), np.datetime64("2004-01-01"))
    dataset = cdf_to_xarray(str(as_cdf(table)), to_datetime=False, fillval_to_nan=False)
    caplog.clear()
    xarray_to_cdf(dataset, str(tmp_path / "again.cdf"), istp=True)
    faults = [record.getMessage() for record in caplog.records if "ISTP" in record.getMessage()]
    assert [fault for fault in faults if table.meta.kind != "vector" or "contains a dimension dim0" not in fault] == []


def test_values_are_those_of_the_table(pycdf: ModuleType, as_cdf: Write, make_kind: Make) -> None:
    """NASA's library reads each column's values, missing ones as the fill value, and times to the nanosecond."""
    table = make_kind("vector")
    with pycdf.CDF(str(as_cdf(table))) as file:
        expected = np.stack(list(table.columns.values()), axis=1)
        found = file["out"][...]
        assert found.dtype == np.float32
        assert np.array_equal(np.where(found < -1e30, np.nan, found), expected, equal_nan=True)
        assert [text.rstrip() for text in file["out_labels"][...]] == ["Bx GSE", "By GSE", "Bz beta"]
        assert file.raw_var("Epoch")[...].tolist() == [
            int(cdflib.cdfepoch.parse(text)) for text in np.datetime_as_string(table.time, unit="ns")
        ]


def test_our_reader_gives_the_same_table_back(as_cdf: Write, make_kind: Make) -> None:
    """Values, times, unit, frame, bins and kind of what can be fetched from a CDF file."""
    with CdfReader(workers=1) as reader:
        for kind in ("vector", "spectrogram", "varying"):
            table = make_kind(kind)
            again = reader.read(as_cdf(table, f"{kind}.cdf"), "out")
            assert (again.meta.kind, again.meta.unit, again.meta.frame) == (table.meta.kind, table.meta.unit, table.meta.frame)
            assert np.array_equal(again.time, table.time)
            for name, other in zip(table.columns, again.columns, strict=True):
                assert np.array_equal(again.columns[other], table.columns[name], equal_nan=True)
            if kind == "spectrogram":
                assert (again.meta.bins, again.meta.scale) == (table.meta.bins, "log")
        series = make_kind("series")
        speed = reader.read(as_cdf(series, "series.cdf"), "v")
        assert np.array_equal(speed.columns["v"], series.columns["v"], equal_nan=True)


def test_our_reader_gives_the_extents_back(as_cdf: Write, make_kind: Make) -> None:
    """One for all records, or one for each with unknown ones, to the nanosecond."""
    with CdfReader(workers=1) as reader:
        for kind in ("bins", "changing bins", "bins of spectra"):
            table, again = make_kind(kind), reader.read(as_cdf(make_kind(kind), f"{kind}.cdf"), "out")
            assert again.meta.extent == table.meta.extent
            assert (again.extents is None, table.extents is None) == (False, False)
            if again.extents is not None and table.extents is not None:
                assert again.extents.is_known.tolist() == table.extents.is_known.tolist()
                assert again.extents.before_ns.tolist() == table.extents.before_ns.tolist()
                assert again.extents.after_ns.tolist() == table.extents.after_ns.tolist()


def test_long_bins_come_back_to_the_nanosecond(as_cdf: Write) -> None:
    """Of 27 days and of the longest that there may be: more nanoseconds than a double counts."""
    meta = TableMeta.model_validate({"kind": "series", "columns": [{"name": "v"}]})
    times = np.arange("2003-01-01", "2003-01-04", dtype="datetime64[D]").astype("datetime64[ns]")
    with CdfReader(workers=1) as reader:
        for days in (27, 4_000):
            extent = Extent(after_ns=days * 86_400 * 10**9)
            table = Table(times, {"v": np.arange(3.0)}, meta.model_copy(update={"extent": extent}))
            assert reader.read(as_cdf(table, f"{days}.cdf"), "v").meta.extent == extent


def test_extents_are_the_deltas_of_the_epoch(as_cdf: Write, make_kind: Make) -> None:
    """One value for the file where all records reach as far, else one a record with the fill value for an unknown one."""
    file = cdflib.CDF(as_cdf(make_kind("bins")))
    deltas = [file.varattsget("Epoch")[f"DELTA_{side}_VAR"] for side in ("MINUS", "PLUS")]
    assert [np.asarray(file.varget(name)).ravel().tolist() for name in deltas] == [[20_000_000_000], [40_000_000_001]]
    for name in deltas:
        said, about = file.varattsget(name), file.varinq(name)
        assert (said["UNITS"], said["VAR_TYPE"], said["VALIDMIN"]) == ("ns", "support_data", 0)
        assert (about.Data_Type_Description, about.Rec_Vary) == ("CDF_INT8", False)
        assert "DEPEND_0" not in said
    changing = cdflib.CDF(as_cdf(make_kind("changing bins"), "changing.cdf"))
    before, after = changing.varget(deltas[0]), changing.varget(deltas[1])
    assert before[:4].tolist() == [0, 1_000_000_000, FILL, 3_000_000_000]
    assert after[:4].tolist() == [7, 7, FILL, 7]
    assert changing.varattsget(deltas[0])["DEPEND_0"] == "Epoch"
    assert not {"extent_before", "extent_after"} & set(changing.cdf_info().zVariables)


def test_without_extents_nothing_is_said_of_them(as_cdf: Write, make_kind: Make) -> None:
    """Not even that a record reaches nowhere."""
    file = cdflib.CDF(as_cdf(make_kind("vector")))
    assert not [name for name in file.varattsget("Epoch") if name.startswith("DELTA")]
    assert not [name for name in file.cdf_info().zVariables if "delta" in name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "parameter"),
    [
        ("ac_h0_mfi_20230102_v07.cdf", "BGSEc"),
        ("mms1_fgm_brst_l2_20161209090054_v5.87.0.cdf", "mms1_fgm_b_gse_brst_l2"),
        ("omni_coho1hr_merged_mag_plasma_20240901_v01.cdf", "V"),
        ("rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf", "FEDO"),
    ],
)
def test_archives_files_come_back_as_they_were(
    pycdf: ModuleType, as_cdf: Write, shared_data: Path, file: str, parameter: str
) -> None:
    """What an archive's file holds, written by us and read again, is the same; and spacepy finds nothing new."""
    from spacepy.pycdf import istp

    with CdfReader(workers=1) as reader:
        table = reader.read(shared_data / "cdf" / file, parameter)
        path = as_cdf(table)
        with pycdf.CDF(str(path)) as written:
            name = next(each for each in written if written[each].attrs["VAR_TYPE"] == "data")
            assert istp.VariableChecks.validrange(written[name]) == []
        again = reader.read(path, name)
    assert (again.meta.kind, again.meta.unit, again.meta.frame) == (table.meta.kind, table.meta.unit, table.meta.frame)
    assert np.array_equal(again.time, table.time)
    assert again.meta.extent == table.meta.extent
    assert (again.extents is None) == (table.extents is None)
    for one, other in zip(again.columns.values(), table.columns.values(), strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other, equal_nan=True)


def test_events_and_facts_are_said_whole(as_cdf: Write, make_kind: Make) -> None:
    """Times that are not there, texts in ASCII, whole numbers."""
    file = cdflib.CDF(as_cdf(make_kind("events")))
    table = make_kind("events")
    assert file.varget("Epoch").tolist() == utc_to_tt2000(table.time).tolist()
    assert file.varget("stop")[1] == FILL
    assert [str(text).strip() for text in file.varget("title")] == ["Halloween", "e, with a comma", ""]
    assert file.varattsget("title")["VAR_TYPE"] == "metadata"
    facts = cdflib.CDF(as_cdf(make_kind("facts"), "facts.cdf"))
    assert facts.varget("count").tolist() == [100, 0]
    assert facts.varattsget("slope")["DELTA_PLUS_VAR"] == "slope_uncertainty"
    assert facts.varget("peak_time")[1] == FILL


def test_curves_and_maps_have_a_record_for_each_interval(as_cdf: Write, make_kind: Make) -> None:
    """Over an axis that is the same in all records, or that varies and is filled up; a map over two."""
    curve = cdflib.CDF(as_cdf(make_kind("curve")))
    assert (curve.varget("power").shape, curve.varget("frequency").shape) == ((2, 6), (6,))
    assert curve.varattsget("power")["DEPEND_1"] == "frequency"
    ragged = cdflib.CDF(as_cdf(make_kind("ragged"), "ragged.cdf"))
    assert ragged.varget("frequency").shape == (2, 6)
    assert (ragged.varget("power")[1, 4:] < -1e30).all()
    table = make_kind("map")
    joint = cdflib.CDF(as_cdf(table, "map.cdf"))
    assert np.array_equal(joint.varget("count").ravel(), table.columns["count"])
    assert joint.varget("v").tolist() == [350, 450, 550]
    assert joint.varget("n_upper").tolist() == [10, 100]
    assert [joint.varattsget("count")[f"DEPEND_{place}"] for place in (1, 2)] == ["v", "n"]


@pytest.mark.slow
def test_many_blocks_are_one_variable(pycdf: ModuleType, as_cdf: Write) -> None:
    """Values that do not compress and that fill more blocks than one index record lists, cut where no block ends."""
    count = BLOCK_BYTES // 8 * 9 + 12_345
    values = np.random.default_rng(3).normal(size=count)
    meta = TableMeta.model_validate({"kind": "series", "columns": [{"name": "v"}]})
    table = Table(np.datetime64("2003-01-01", "ns") + np.arange(count) * np.timedelta64(1, "s"), {"v": values}, meta)
    path = as_cdf(table)
    with pycdf.CDF(str(path)) as file:
        assert np.array_equal(file["v"][...], values)
        assert file["v"][count - 5] == values[count - 5]
    with CdfReader(workers=1) as reader:
        assert np.array_equal(reader.read(path, "v").columns["v"], values)


def test_components_of_different_units_are_variables_of_their_own(pycdf: ModuleType, as_cdf: Write) -> None:
    """As of a position in R_E, degrees and degrees: one variable has one unit."""
    units = {"r": "R_E", "lat": "deg", "lon": "deg"}
    columns = [{"name": name, "unit": unit} for name, unit in units.items()]
    meta = TableMeta.model_validate({"kind": "vector", "columns": columns})
    times = np.arange("2003-01-01", "2003-01-04", dtype="datetime64[D]").astype("datetime64[ns]")
    with pycdf.CDF(str(as_cdf(Table(times, {name: np.arange(3.0) for name in units}, meta)))) as file:
        assert {name: file[name].attrs["UNITS"] for name in units} == units
        assert "SI_CONVERSION" not in file["r"].attrs
        factor, unit = file["lat"].attrs["SI_CONVERSION"].split(">")
        assert float(factor) == pytest.approx(np.pi / 180)
        assert unit == "rad"


def test_nothing_is_a_file_too(pycdf: ModuleType, as_cdf: Write) -> None:
    """A range without records says what would be in it."""
    meta = TableMeta.model_validate({"kind": "series", "columns": [{"name": "v", "unit": "nT"}]})
    with pycdf.CDF(str(as_cdf(Table.empty(meta)))) as file:
        assert (len(file["v"]), file["v"].attrs["UNITS"]) == (0, "nT")


@pytest.mark.parametrize("start", ["1965-06-30T23:59:59", "1971-12-31T23:59:59.5", "2016-12-31T23:59:58", "2040-01-01"])
def test_times_are_those_of_cdflib(start: str) -> None:
    """Before 1972, when UTC drifted, around leap seconds, and where no leap second is announced."""
    times = np.datetime64(start, "ns") + np.arange(5) * np.timedelta64(1_100_000_001, "ns")
    texts = [str(text) for text in np.datetime_as_string(times, unit="ns")]
    assert utc_to_tt2000(times).tolist() == [int(cdflib.cdfepoch.parse(text)) for text in texts]


def test_names_are_such_as_every_format_takes() -> None:
    """Letters, digits and underscores, each once, whatever the columns are called; the time's own name is left to it."""
    names = ["|B|", "B", "1 AU", "Epoch", "µ"]
    meta = TableMeta.model_validate({"kind": "series", "columns": [{"name": name} for name in names]})
    arrays: dict[str, Any] = dict.fromkeys(names, np.zeros(1))
    block = table_block(Table(np.zeros(1, "datetime64[ns]"), arrays, meta))
    found = [variable.name for variable in lay_out(survey_blocks(meta, [block]), "out")]
    assert found == ["B", "B_2", "v_1_AU", "Epoch_2", "value"]


def test_the_same_table_gives_the_same_bytes(as_cdf: Write, make_kind: Make, kind: str) -> None:
    """Whenever it is written, to whatever folder."""
    first = as_cdf(make_kind(kind)).read_bytes()
    assert as_cdf(make_kind(kind)).read_bytes() == first


def test_data_that_are_not_definitive_say_so(as_cdf: Write, as_netcdf: Write, make_kind: Make) -> None:
    """In the attributes of the file, from which our reader has it back."""
    table = make_kind("vector")
    marked = replace(table, meta=table.meta.model_copy(update={"maturity": "preliminary"}))
    with CdfReader(workers=1) as reader:
        assert reader.read(as_cdf(marked), "out").meta.maturity == "preliminary"
        assert reader.read(as_cdf(table, "plain.cdf"), "out").meta.maturity == ""
    with netCDF4.Dataset(as_netcdf(marked)) as file:
        assert file.maturity == "preliminary"

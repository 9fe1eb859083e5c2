"""Mission files through the whole way, from the server to the stored table, compared with what cdflib reads."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cdflib
import numpy as np
import pandas as pd
import pytest

from helio_dagster.archives.cdas.faults import Fault, FaultKind
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.compute.dataframes import record_array
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.running.reading import read_dataframe, read_table
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import MakeSpan, Site


@pytest.fixture(scope="module")
def served(shared_data: Path) -> Iterator[CdasServer]:
    """The real files, served."""
    with CdasServer(FileIndex(shared_data / "cdf"), retry_after_s=0) as server:
        yield server


@pytest.fixture
def real_site(served: CdasServer, tmp_path: Path, fresh_instance: Path, site_class: type[Site]) -> Any:
    """A home over the real files."""
    served.requests.clear()
    served.faults.clear()
    home = tmp_path / "home"
    shutil.copytree(fresh_instance, home / "dagster")
    return site_class(Settings(home, home / "pipelines", served.url))


def fetching(dataset: str, *parameters: str) -> str:
    """A pipeline that fetches parameters of a dataset: as steps p0, p1 and so on."""
    steps = [
        f"  - id: p{number}\n    fetch: {{archive: cdaweb, dataset: {dataset}, parameter: {parameter}}}\n"
        for number, parameter in enumerate(parameters)
    ]
    return "version: 1\nname: basic\npartitions: daily\nstart: 1990-01-01\nsteps:\n" + "".join(steps)


def reader_of(shared_data: Path) -> Callable[[str], cdflib.CDF]:
    """Opens a file of the folder with cdflib."""
    return lambda name: cdflib.CDF(shared_data / "cdf" / name)


def stored(site: Site, step: str, span: TimeRange) -> pd.DataFrame:
    """What a step stored over a range."""
    pipeline, graph = site.open()
    return read_dataframe(site.workbench().store, graph.of_pipeline(pipeline)[step], span)


def times_in(table: pd.DataFrame) -> np.ndarray:
    """The times of a stored table."""
    return pd.DatetimeIndex(table.index).tz_localize(None).to_numpy()


def times_of(cdf: cdflib.CDF, epoch: str) -> np.ndarray:
    """The times of an epoch variable, as cdflib converts them."""
    return np.asarray(cdflib.cdfepoch.to_datetime(np.atleast_1d(cdf.varget(epoch)).ravel()), dtype="datetime64[ns]")


def masked(cdf: cdflib.CDF, name: str) -> np.ndarray:
    """A variable's values with NaN where its attributes say fill or invalid, record by record."""
    values = np.asarray(cdf.varget(name), dtype="float64")
    about = cdf.varattsget(name)
    values[np.asarray(cdf.varget(name)) == about["FILLVAL"]] = np.nan
    low, high = (
        np.broadcast_to(np.asarray(about[bound], dtype="float64").ravel(), values.shape[1:] or (1,))
        for bound in ("VALIDMIN", "VALIDMAX")
    )
    with np.errstate(invalid="ignore"):
        return np.where((values < low) | (values > high), np.nan, values)


def test_ace_field_of_a_day(real_site: Any, shared_data: Path, make_span: MakeSpan) -> None:
    """5,400 records of vector and magnitude, values, times, labels, unit and frame as in the file."""
    span = make_span("2023-01-02")
    real_site.save(fetching("AC_H0_MFI", "BGSEc", "Magnitude"))
    report = real_site.run(span)
    cdf = reader_of(shared_data)("ac_h0_mfi_20230102_v07.cdf")
    vector, magnitude = stored(real_site, "p0", span), stored(real_site, "p1", span)
    assert (report.status, report.steps["p0"].computed) == ("success", 1)
    assert (len(vector), len(magnitude)) == (5400, 5400)
    np.testing.assert_array_equal(times_in(vector), times_of(cdf, "Epoch"))
    np.testing.assert_array_equal(vector.to_numpy(), masked(cdf, "BGSEc"))
    np.testing.assert_array_equal(magnitude["Magnitude"], masked(cdf, "Magnitude"))
    labels = [" ".join(str(label).split()) for label in np.ravel(cdf.varget(cdf.varattsget("BGSEc")["LABL_PTR_1"]))]
    assert list(vector.columns) == labels
    assert (vector.attrs["unit"], vector.attrs["frame"], magnitude.attrs["unit"]) == ("nT", "GSE", "nT")


def test_magnetospheric_multiscale_bursts(real_site: Any, shared_data: Path, make_span: MakeSpan) -> None:
    """16,640 records at their own epoch, four components with the archive's labels."""
    span = make_span("2016-12-09")
    real_site.save(fetching("MMS1_FGM_BRST_L2", "mms1_fgm_b_gse_brst_l2"))
    real_site.run(span)
    cdf = reader_of(shared_data)("mms1_fgm_brst_l2_20161209090054_v5.87.0.cdf")
    found = stored(real_site, "p0", span)
    assert len(found) == 16640
    np.testing.assert_array_equal(times_in(found), times_of(cdf, "Epoch"))
    np.testing.assert_array_equal(found.to_numpy(), masked(cdf, "mms1_fgm_b_gse_brst_l2"))
    assert (found.attrs["unit"], found.attrs["frame"]) == ("nT", "GSE")


def test_a_month_of_omni_in_one_download(real_site: Any, served: CdasServer, shared_data: Path, make_span: MakeSpan) -> None:
    """Thirty daily partitions of 24 values each from the one monthly file, downloaded once."""
    span = make_span("2024-09-01", 30)
    real_site.save(fetching("OMNI_COHO1HR_MERGED_MAG_PLASMA", "BR"))
    report = real_site.run(span)
    cdf = reader_of(shared_data)("omni_coho1hr_merged_mag_plasma_20240901_v01.cdf")
    found = stored(real_site, "p0", span)
    assert report.steps["p0"].computed == 30
    assert len(found) == 720
    np.testing.assert_array_equal(found["BR"], masked(cdf, "BR"))
    assert found.attrs["unit"] == "nT"
    assert served.count(".cdf") == 1


def test_a_spectrogram_whose_energies_vary(real_site: Any, shared_data: Path, make_span: MakeSpan) -> None:
    """Van Allen Probes HOPE FPDO: one column per energy and its companion, the bins' unit, and fluxes as cdflib reads them."""
    span = make_span("2012-12-01")
    real_site.save(fetching("RBSPA_REL04_ECT-HOPE-PA-L3", "FPDO"))
    real_site.run(span)
    cdf = reader_of(shared_data)("rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf")
    found = stored(real_site, "p0", span)
    about = cdf.varattsget("FPDO")
    width = cdf.varinq("FPDO").Dim_Sizes[0]
    assert found.attrs["kind"] == "spectrogram"
    assert found.shape == (100, 2 * width)
    np.testing.assert_array_equal(found.iloc[:, :width].to_numpy(), masked(cdf, "FPDO"))
    np.testing.assert_array_equal(found.iloc[:, width:].to_numpy(), masked(cdf, about["DEPEND_1"]))
    np.testing.assert_array_equal(times_in(found), times_of(cdf, about["DEPEND_0"]))
    assert found.attrs["helio"]["bins"]["unit"] == "eV"


def test_pitch_angles_and_energies_whatever_the_partitions(real_site: Any, shared_data: Path, make_span: MakeSpan) -> None:
    """HOPE FPDU as cdflib reads it, axes and all; hours put together are the day."""
    span = make_span("2012-12-01")
    text = fetching("RBSPA_REL04_ECT-HOPE-PA-L3", "FPDU")
    cdf = reader_of(shared_data)("rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf")
    found = []
    for grain in ("daily", "hourly"):
        real_site.save(text.replace("daily", grain))
        assert real_site.run(span).status == "success"
        pipeline, graph = real_site.open()
        found.append(read_table(real_site.workbench().store, graph.of_pipeline(pipeline)["p0"], span))
    day, hours = found
    assert (day.meta.kind, day.meta.shape, len(day)) == ("nd", (11, 72), 100)
    np.testing.assert_array_equal(day.columns["FPDU"], masked(cdf, "FPDU"))
    np.testing.assert_array_equal(day.columns["HOPE_ENERGY_Ion"], masked(cdf, "HOPE_ENERGY_Ion"))
    np.testing.assert_array_equal(day.time, times_of(cdf, "Epoch_Ion"))
    assert day.meta == hours.meta
    assert [values.tobytes() for values in day.columns.values()] == [values.tobytes() for values in hours.columns.values()]
    frame = stored(real_site, "p0", span)
    np.testing.assert_array_equal(record_array(frame["FPDU"], (11, 72)), day.columns["FPDU"])


def test_parker_field_has_its_own_epoch(real_site: Any, shared_data: Path, make_span: MakeSpan) -> None:
    """The file's flags have an epoch too; the field's records are at the field's times."""
    span = make_span("2020-01-04")
    real_site.save(fetching("PSP_FLD_L2_MAG_RTN_1MIN", "psp_fld_l2_mag_RTN_1min"))
    real_site.run(span)
    cdf = reader_of(shared_data)("psp_fld_l2_mag_rtn_1min_20200104_v02.cdf")
    found = stored(real_site, "p0", span)
    epoch = cdf.varattsget("psp_fld_l2_mag_RTN_1min")["DEPEND_0"]
    np.testing.assert_array_equal(times_in(found), times_of(cdf, epoch))
    np.testing.assert_array_equal(found.to_numpy(), masked(cdf, "psp_fld_l2_mag_RTN_1min"))
    assert (found.attrs["unit"], found.attrs["frame"]) == ("nT", "RTN")


def test_an_old_file_of_geotail(real_site: Any, shared_data: Path, make_span: MakeSpan) -> None:
    """CDF 2.4 with r-variables: the solar wind speed in km/s."""
    cdf = reader_of(shared_data)("ge_k0_cpi_19921231_v02.cdf")
    times = times_of(cdf, cdf.varattsget("SW_V").get("DEPEND_0", "Epoch"))
    first = str(times.min().astype("datetime64[D]"))
    span = make_span(first, int((times.max() - np.datetime64(first)) / np.timedelta64(1, "D")) + 1)
    real_site.save(fetching("GE_K0_CPI", "SW_V"))
    real_site.run(span)
    found = stored(real_site, "p0", span)
    order = np.unique(times, return_index=True)[1]
    np.testing.assert_array_equal(times_in(found), times[order])
    np.testing.assert_array_equal(found.to_numpy(), masked(cdf, "SW_V").reshape(len(times), -1)[order])
    assert found.attrs["unit"] == "km/s"


def test_a_file_without_records_is_empty(real_site: Any, make_span: MakeSpan) -> None:
    """The Solar Orbiter file of zero records: `empty`, not failed, and success."""
    span = make_span("2020-07-06")
    real_site.save(fetching("SOLO_L1_SWA-PAS-MOM", "density"))
    report = real_site.run(span)
    assert (report.status, report.exit_code, report.steps["p0"].empty) == ("success", 0, 1)
    assert real_site.states(span) == {"p0": {"2020-07-06": "empty"}}


def test_a_date_the_archive_has_not_is_empty(real_site: Any, make_span: MakeSpan) -> None:
    """No file there: `empty`, exit 0."""
    span = make_span("1999-01-01")
    real_site.save(fetching("AC_H0_MFI", "BGSEc"))
    report = real_site.run(span)
    assert (report.status, report.exit_code, report.steps["p0"].empty) == ("success", 0, 1)


def test_a_dataset_the_archive_has_not_is_wrong_input(real_site: Any, make_span: MakeSpan) -> None:
    """Exit 2, and near names are offered."""
    real_site.save(fetching("AC_H0_MFX", "BGSEc"))
    report = real_site.run(make_span("2023-01-02"))
    assert (report.status, report.exit_code, report.is_wrong_input) == ("failed", 2, True)
    assert "AC_H0_MFX" in report.failures[0].error
    assert "AC_H0_MFI" in report.failures[0].hint


@pytest.mark.alike(2)
@pytest.mark.parametrize("kind", ["truncate", "length", "429", "503", "html", "reset"])
def test_a_fault_of_the_server_is_survived(real_site: Any, served: CdasServer, make_span: MakeSpan, kind: FaultKind) -> None:
    """Shown once for the listing and once for the file: the run succeeds with all records."""
    span = make_span("2022-01-01")
    served.faults.add(Fault(kind, "listing", 1))
    served.faults.add(Fault(kind, "file", 1))
    real_site.save(fetching("AC_K2_MFI", "Magnitude"))
    report = real_site.run(span)
    assert (report.status, report.failures) == ("success", [])
    assert len(stored(real_site, "p0", span)) == 24


def test_a_server_that_stays_broken_fails_with_its_cause(real_site: Any, served: CdasServer, make_span: MakeSpan) -> None:
    """After all tries: failed, with cause and hint, no table; the next run, once the server is well, completes."""
    span = make_span("2022-01-01")
    served.faults.add(Fault("503", "file"))
    real_site.save(fetching("AC_K2_MFI", "Magnitude"))
    report = real_site.run(span)
    assert (report.status, report.exit_code) == ("failed", 1)
    assert report.failures[0].error
    assert report.failures[0].hint
    assert real_site.files() == {}
    assert real_site.states(span) == {"p0": {"2022-01-01": "failed"}}
    served.faults.clear()
    assert real_site.run(span).status == "success"
    assert real_site.states(span) == {"p0": {"2022-01-01": "fresh"}}

"""`helio script --standalone`: what a reviewer runs where there is no helio_dagster gives the numbers that are stored."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import helio_dagster
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.hapi.answers import HapiAnswers
from helio_dagster.archives.hapi.served import ServedFiles
from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.storage.tables import TableStore
from tests.scenario.processes import PATIENCE_S, ROOT, helio
from tests.tiers import by_day


@pytest.fixture(autouse=True)
def _in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python interface finds the pipelines of the working folder."""
    monkeypatch.chdir(tmp_path)


WITHOUT_US = """\
import runpy, sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "helio_dagster":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Nothing())
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
EVERYTHING = """\
version: 1
name: everything
title: "It's '''all''' \\\\ \\"\\"\\" of it"
partitions: daily
start: 2003-10-01
assumptions: ["one\\nimport os"]
steps:
  - id: b
    intent: "Field\\nimport os"
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: list
    fetch: {archive: demo, dataset: WI_H0_MFI, parameter: BGSE}
  - id: ions
    fetch: {archive: demo, dataset: WI_PLSP_3DP, parameter: FLUX}
  - id: np
    compute: {operation: component, inputs: {vector: b}, options: {component: z}}
  - id: magnitude
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: wind_mag
    compute: {operation: magnitude, inputs: {vector: list}}
  - id: smooth
    compute: {operation: rolling_mean, inputs: {series: magnitude}, options: {window: PT30M}}
  - id: minutes
    compute: {operation: resample, inputs: {series: magnitude}, options: {cadence: PT5M}}
  - id: apart
    compute: {operation: difference, inputs: {a: minutes, b: wind_mag}}
  - id: rms
    compute:
      inputs: {m: magnitude, s: smooth}
      lookback: PT5M
      lookahead: PT5M
      unit: nT
      code: |
        d = m["magnitude"] - s["smooth"]
        return (d ** 2).rolling("10min", center=True).mean() ** 0.5
  - id: loudest
    over: range
    compute:
      inputs: {r: rms}
      kind: facts
      code: |
        return {"loudest": r["rms"].max(), "quietest": r["rms"].min()}
  - id: daily
    compute: {operation: facts_of, inputs: {series: magnitude}, options: {above: 10}}
  - id: lagged
    over: range
    compute: {operation: cross_correlation, inputs: {a: magnitude, b: wind_mag}, options: {longest_lag: PT1H, cadence: PT1M}}
  - id: lag
    over: range
    compute: {operation: peak_of, inputs: {curve: lagged}}
  - id: spectrum
    over: range
    compute: {operation: power_spectrum, inputs: {series: magnitude}, options: {segment: PT4H, cadence: PT16S, max_gap: PT10M}}
  - id: slope
    over: range
    compute: {operation: spectral_slope, inputs: {curve: spectrum}, options: {lowest: 0.001}}
  - id: south
    compute: {operation: intervals_where, inputs: {series: np}, options: {below: -5, at_least: PT10M, gaps: PT5M}}
  - id: storms
    table: {csv: "start,stop\\n2003-10-29T06:11Z,2003-10-29T12:00Z", source: "by hand"}
  - id: within
    compute: {operation: intersection_of, inputs: {a: south, b: storms}}
  - id: quiet
    exclude: storms
    fetch: {archive: demo, dataset: WI_H0_MFI, parameter: BGSM}
  - id: quiet_mean
    compute: {operation: resample, inputs: {series: quiet}, options: {cadence: PT25M}}
  - id: calm
    exclude: south
    compute: {operation: resample, inputs: {series: magnitude}, options: {cadence: PT7M}}
  - id: joint
    over: range
    compute: {operation: histogram_2d, inputs: {x: magnitude, y: wind_mag}, options: {x_bins: 5, y_bins: 4}}
  - id: normal
    over: range
    compute: {operation: minimum_variance_frame, inputs: {vector: b}}
  - id: gsm
    compute: {operation: transform_frame, inputs: {vector: b}, options: {to: GSM}}
"""
FIGURE = "  - id: overview\n    figure:\n      panels:\n        - traces: [{data: magnitude}]\n"


def written(folder: Path, name: str, *times: str, environment: Mapping[str, str] | None = None) -> Path:
    """The standalone script of a pipeline that has been run."""
    ran = helio(folder, "run", name, *times, environment=environment)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    made = helio(folder, "script", name, *times, "--standalone", environment=environment)
    assert made.returncode == 0, made.stderr
    return folder / f"{name}_standalone.py"


def run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script in an isolated interpreter that has no helio_dagster."""
    command = [sys.executable, "-I", "-c", WITHOUT_US, str(script), *arguments]
    return subprocess.run(command, cwd=script.parent, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def assert_as_stored(folder: Path, script: Path, name: str, times: tuple[str, str], *, tables: int) -> None:
    """Every number of every step that the script wrote is the stored one, to a part in 10^9 of the largest."""
    done = run(script, "results")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    found = {path.stem.rstrip("_"): path for path in (folder / "results").glob("*.csv")}
    assert len(found) == tables
    for step, path in found.items():
        asset = step.replace("demo_WI_H0_MFI_BGSM", "demo/WI_H0_MFI/BGSM")
        wanted = helio_dagster.read(asset, *times, pipeline=name if asset == step else None, home=folder / ".helio")
        assert isinstance(wanted, pd.DataFrame)
        given = pd.read_csv(path)
        stamps = pd.to_datetime(given.pop("time"), format="ISO8601", utc=True)
        assert stamps.tolist() == wanted.index.tolist(), step
        assert list(given.columns) == list(wanted.columns)
        for column in wanted.columns:
            if wanted[column].dtype.kind == "M":
                assert pd.to_datetime(given[column]).tolist() == wanted[column].tolist()
                continue
            numbers = wanted[column].to_numpy(dtype="float64")
            allowed = 1e-9 * float(np.nanmax(np.abs(numbers), initial=0.0))
            np.testing.assert_allclose(given[column].to_numpy(dtype="float64"), numbers, rtol=1e-9, atol=allowed, err_msg=step)


TABLES = {"ace_bfield_overview": 3, "ace_wind_compare": 7}


@pytest.mark.parametrize("name", by_day(TABLES, "ace_wind_compare"))
def test_the_pipelines_of_the_repository(tmp_path: Path, name: str) -> None:
    """On the demo archive's files, which the command puts beside the script."""
    (tmp_path / "pipelines").mkdir()
    text = (ROOT / "pipelines" / f"{name}.yaml").read_text()
    (tmp_path / "pipelines" / f"{name}.yaml").write_text(text.replace("archive: cdaweb", "archive: demo"))
    times = ("2003-10-29", "2003-10-31")
    script = written(tmp_path, name, *times)
    assert_as_stored(tmp_path, script, name, times, tables=TABLES[name])


def test_every_kind_of_step(tmp_path: Path) -> None:
    """Spectrograms, code, tables, events, facts and curves over a range, step ids that hide modules, hostile texts."""
    (tmp_path / "pipelines").mkdir()
    (tmp_path / "pipelines" / "everything.yaml").write_text(EVERYTHING + FIGURE)
    times = ("2003-10-29", "2003-10-31")
    script = written(tmp_path, "everything", *times)
    assert not [line for line in script.read_text().splitlines() if line.startswith("import os")]
    assert_as_stored(tmp_path, script, "everything", times, tables=25)
    files = tmp_path / "everything_standalone_files"
    one = sorted(files.iterdir())[0]
    one.write_bytes(one.read_bytes()[:-1] + b"x")
    changed = run(script)
    assert changed.returncode == 1
    assert f"{one.name} is not the file that was used" in changed.stderr
    one.unlink()
    assert f"{one.name} is missing" in run(script).stderr


def test_what_has_no_plain_form_is_named_before_anything_is_written(tmp_path: Path) -> None:
    """All of it at once, by step and operation; what was not run, and a wrong option, say so too."""
    (tmp_path / "pipelines").mkdir()
    steps = "  - id: read\n    compute: {inputs: {m: magnitude}, code: \"return m * len(m.attrs['unit'])\"}\n"
    (tmp_path / "pipelines" / "everything.yaml").write_text(EVERYTHING + steps)
    done = helio(tmp_path, "script", "everything", "2003-10-29", "--standalone")
    assert done.returncode == 2
    assert "read: its code has no plain form for what it reads in attrs" in done.stderr
    (tmp_path / "pipelines" / "everything.yaml").write_text(EVERYTHING)
    done = helio(tmp_path, "script", "everything", "2003-10-29", "--standalone")
    assert done.returncode == 2
    assert "helio run" in done.stderr
    assert helio(tmp_path, "script", "everything", "2003-10-29", "--files").returncode == 2
    assert not list(tmp_path.glob("*.py"))
    assert not list(tmp_path.glob("*_files"))


RESULTS = """\
version: 1
name: results
partitions: daily
start: 2003-10-01
steps:
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: magnitude
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: calm
    table: {csv: "start,stop\\n2003-10-29T03:00Z,2003-10-29T04:00Z", source: "by hand"}
  - id: every
    exclude: calm
    compute:
      inputs: {start: magnitude}
      lookback: PT1H
      lookahead: PT1H
      results:
        amounts: {kind: facts, units: {largest: nT}}
        counts: {kind: curve, units: {edge: nT}}
        smooth: {unit: nT}
        high: {kind: events, unit: nT}
        pairs: {kind: points, unit: nT}
      code: |
        m = start["magnitude"]
        own = m[m.index.floor("1D") == m.index[len(m) // 2].floor("1D")]
        high = own[own > own.quantile(0.999)].iloc[::7]
        return {
            "amounts": {"count": len(own), "largest": own.max(), "largest_uncertainty": 0.5},
            "counts": pd.DataFrame({"edge": np.arange(4.0), "count": np.histogram(own.dropna(), bins=4)[0]}),
            "smooth": m.rolling("10min", center=True).mean(),
            "high": pd.DataFrame({"stop": high.index + pd.Timedelta("1234567ns"), "size": high}, index=high.index),
            "pairs": pd.DataFrame({"x": own, "y": own ** 2}, index=own.index),
        }
  - id: doubled
    compute: {operation: scale, inputs: {series: smooth}, options: {factor: 2}}
  - id: whole
    over: range
    compute:
      inputs: {m: magnitude}
      results: {most: {kind: facts, unit: nT}, sums: {kind: curve, unit: nT}}
      code: |
        hours = m["magnitude"].resample("6h").mean()
        return {"most": {"most": hours.max()}, "sums": pd.DataFrame({"hour": np.arange(float(len(hours))), "mean": hours})}
  - id: cells
    compute:
      inputs: {b: b}
      kind: map
      units: {hour: h, component: "1", field: nT}
      code: |
        means = b.groupby(b.index.hour).mean()
        means.columns = pd.Index([0.0, 1.0, 2.0], name="component")
        means.index = pd.Index(means.index.astype(float), name="hour")
        return means.stack().rename("field").reset_index()
  - id: over_limit
    compute: {operation: excess@1, inputs: {field: magnitude}, options: {start: 10, window: PT20M}}
  - id: over_less
    compute: {operation: excess@1, inputs: {field: magnitude}, options: {start: 5, window: PT5M}}
"""
EXCESS = """\
id: excess
version: 1
summary: Mean field above a limit
when: To see how far the field exceeds a limit.
inputs:
  field: {meaning: a field strength, unit: T, columns: 1}
options:
  start: {meaning: the limit, unit: nT}
  window: {meaning: length of the mean, type: duration}
output: {meaning: a series at the times of the input, unit: nT}
lookback: window / 2
lookahead: window / 2
reference: the mean of max(B - limit, 0)
examples:
  - inputs:
      field: {unit: nT, seconds: [0, 3600], columns: {b: [12, 8]}}
    options: {start: 10, window: PT1M}
    expected: {result: [2, 0]}
    unit: nT
    source: by hand
code: |
  above = (field.iloc[:, 0] * 1e9 - start).clip(lower=0)
  return above.rolling(pd.Timedelta(window), center=True).mean()
"""
STORMS = """\
version: 1
name: storms
partitions: {events: listed, before: PT6H, after: PT3H30M}
steps:
  - id: listed
    table:
      csv: "start,stop\\n2003-10-24T15:00Z,\\n2003-10-29T06:11Z,2003-10-29T12:00Z\\n2003-10-29T09:00Z,2003-10-30T01:00Z"
      source: by hand
  - id: noise
    table: {csv: "start,stop\\n2003-10-29T03:00Z,2003-10-29T04:00Z", source: "by hand"}
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: quiet
    exclude: noise
    fetch: {archive: demo, dataset: WI_H0_MFI, parameter: BGSE}
  - id: magnitude
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: smooth
    compute: {operation: rolling_mean, inputs: {series: magnitude}, options: {window: PT30M}}
  - id: smoother
    exclude: noise
    compute: {operation: magnitude, inputs: {vector: quiet}}
  - id: numbers
    compute: {operation: facts_of, inputs: {series: smooth}, options: {above: 10}}
  - id: inside
    compute:
      inputs: {m: magnitude, own: listed}
      results: {length: {kind: facts, units: {hours: h, events: "1"}}, rest: {unit: nT}}
      code: |
        m = m["magnitude"]
        hours = (m.index[-1] - m.index[0]) / pd.Timedelta("1h")
        return {"length": {"hours": hours, "events": len(own)}, "rest": m - m.mean()}
  - id: overall
    over: range
    compute:
      inputs: {n: numbers, own: listed}
      kind: facts
      units: {greatest: nT, events: "1"}
      code: |
        return {"greatest": n["maximum"].max(), "events": len(own)}
"""


@pytest.mark.nightly  # by day `test_every_kind_of_step`
def test_several_results_maps_and_saved_operations(tmp_path: Path) -> None:
    """Each named result like a step, a map of code, and an operation of the home's own with its units, options and reach."""
    (tmp_path / "pipelines").mkdir()
    (tmp_path / "pipelines" / "results.yaml").write_text(RESULTS)
    (tmp_path / "excess.yaml").write_text(EXCESS)
    saved = helio(tmp_path, "operations", "save", "excess.yaml")
    assert saved.returncode == 0, saved.stderr
    times = ("2003-10-28", "2003-10-31")
    script = written(tmp_path, "results", *times)
    assert script.read_text().count("def excess_1(") == 1
    assert_as_stored(tmp_path, script, "results", times, tables=13)


@pytest.mark.nightly  # by day `test_every_kind_of_step`
def test_events_as_partitions(tmp_path: Path) -> None:
    """Each event in its own window, overlapping and far apart, with its own row of the list; fetches keep their days."""
    (tmp_path / "pipelines").mkdir()
    (tmp_path / "pipelines" / "storms.yaml").write_text(STORMS)
    script = written(tmp_path, "storms", "2003-10-01", "2003-11-01")
    done = run(script, "results")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    found = {path.stem.rstrip("_"): path for path in (tmp_path / "results").glob("*.csv")}
    store = TableStore(tmp_path / ".helio" / "data")
    for step in ("quiet", "magnitude", "smooth", "smoother", "numbers", "length", "rest"):
        asset = f"storms/{step}"
        wanted = pd.concat([table_to_dataframe(store.read(asset, key)) for key in sorted(store.partitions(asset))])
        assert len(store.partitions(asset)) == 3
        given = pd.read_csv(found[step])
        assert pd.to_datetime(given.pop("time"), format="ISO8601", utc=True).tolist() == wanted.index.tolist(), step
        assert list(given.columns) == list(wanted.columns)
        for column in (each for each in wanted.columns if wanted[each].dtype.kind != "M"):
            np.testing.assert_allclose(given[column], wanted[column], rtol=1e-9, atol=1e-9, err_msg=step)
    overall = pd.read_csv(found["overall"])
    greatest = max(store.read("storms/numbers", key).columns["maximum"][0] for key in store.partitions("storms/numbers"))
    assert overall["events"].tolist() == [3.0]
    np.testing.assert_allclose(overall["greatest"], [greatest], rtol=1e-9)
    assert pd.read_csv(found["length"])["events"].tolist() == [1.0, 1.0, 1.0]


@pytest.fixture(scope="module")
def real(shared_data: Path) -> Iterator[CdasServer]:
    """Mission files, served as CDAWeb and as a HAPI server do."""
    index = FileIndex(shared_data / "cdf")
    with CdfReader() as reader, CdasServer(index, retry_after_s=0, extra=[HapiAnswers(ServedFiles(index, reader))]) as server:
        yield server


REAL = {
    "AC_H0_MFI": ("BGSEc", "2023-01-02", "2023-01-03"),
    "MMS1_FGM_BRST_L2": ("mms1_fgm_b_gse_brst_l2", "2016-12-09", "2016-12-10"),
    "PSP_FLD_L2_MAG_RTN_1MIN": ("psp_fld_l2_mag_RTN_1min", "2020-01-04", "2020-01-05"),
    "OMNI_COHO1HR_MERGED_MAG_PLASMA": ("ABS_B", "2024-09-01", "2024-09-08"),
    "GE_K0_CPI": ("SW_V", "1992-12-31", "1993-01-01"),
}


@pytest.mark.nightly  # by day files of the demo archive are read
@pytest.mark.parametrize("dataset", REAL)
@pytest.mark.parametrize("way", ["cdaweb", "hapi"])
def test_real_files_are_read_alike(tmp_path: Path, real: CdasServer, way: str, dataset: str) -> None:
    """CDF files of missions, downloaded by the script itself; and the answers of a HAPI server to the same questions."""
    (tmp_path / "pipelines").mkdir()
    archive = "cdaweb" if way == "cdaweb" else f"hapi:http://{real.address}/hapi"
    parameter, start, stop = REAL[dataset]
    text = "version: 1\nname: real\npartitions: daily\nstart: 1990-01-01\nsteps:\n"
    text += f"  - id: data\n    fetch: {{archive: '{archive}', dataset: {dataset}, parameter: {parameter}}}\n"
    (tmp_path / "pipelines" / "real.yaml").write_text(text)
    script = written(tmp_path, "real", start, stop, environment={"HELIO_CDAWEB_URL": real.url})
    assert not (tmp_path / "real_standalone_files").exists()
    assert_as_stored(tmp_path, script, "real", (start, stop), tables=1)
    assert list((tmp_path / "real_standalone_files").iterdir())

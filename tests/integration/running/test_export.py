"""`helio export` of every kind in every format: what is in the files, the same bytes, what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import cdflib
import netCDF4
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from helio_dagster.domain.event_table import list_text, read_events
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.exporting.header import newest_date
from helio_dagster.launch.exporting.targets import FORMATS
from helio_dagster.launch.running.reading import find_asset, read_table
from tests.integration.running.conftest import MakeSite, Prepare, Shell, Site
from tests.tiers import by_day

KINDS = """
version: 1
name: basic
title: Every kind
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    intent: Magnitude of the field
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: power
    compute: {operation: spectrogram, inputs: {series: mag}, options: {window: PT8H, cadence: PT30M}}
  - id: quarters
    compute: {operation: resample, inputs: {series: mag}, options: {cadence: PT15M}}
  - id: most
    compute: {operation: resample, inputs: {series: mag}, options: {cadence: PT15M, method: max}}
  - id: strong
    compute: {operation: intervals_where, inputs: {series: mag}, options: {above: 8}}
  - id: pairs
    compute: {operation: scatter, inputs: {x: mag, y: mag}}
  - id: spectrum
    over: range
    compute: {operation: power_spectrum, inputs: {series: mag}}
  - id: slope
    over: range
    compute: {operation: spectral_slope, inputs: {curve: spectrum}}
  - id: joint
    over: range
    compute: {operation: histogram_2d, inputs: {x: mag, y: mag}}
  - id: storms
    table: {csv: "onset,stop,name\\n2023-01-03T06:11Z,2023-01-03T09:00Z,\\"a, b\\"", source: "Someone 2023"}
  - id: overview
    figure: {panels: [{traces: [{data: mag}]}]}
"""
DAYS = ("2023-01-02", "2023-01-05")
ASSETS = {
    "vector": "cdaweb/TS_H0_MFI/BGSE",
    **{kind: f"basic/{step}" for kind, step in {"series": "mag", "spectrogram": "power", "events": "strong"}.items()},
    **{
        kind: f"basic/{step}"
        for kind, step in {"points": "pairs", "curve": "spectrum", "facts": "slope", "map": "joint"}.items()
    },
    "table": "basic/storms",
    "bins": "basic/quarters",
    "most": "basic/most",
}


@pytest.fixture
def site(make_site: MakeSite, span: TimeRange, prepare: Prepare) -> Site:
    """A home in which results of every kind are stored."""

    def run(site: Site) -> None:
        report = site.run(span)
        assert report.status == "success", report.failures

    return prepare("every kind", make_site("home", KINDS), run)


def test_of_several_results_all_are_written_or_none(site: Site, shell: Shell, tmp_path: Path) -> None:
    """One of them is damaged: exit code 1, and nothing of the others, whether or not the folder was there."""
    damaged = site.settings.data / "basic" / "most" / "2023-01-03.parquet"
    damaged.write_bytes(damaged.read_bytes()[:100])
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "notes.txt").write_text("mine")
    for name, left in (("old", ["notes.txt"]), ("new", None)):
        done = shell(site, "export", "basic", *DAYS, "--format", "csv", "-o", str(tmp_path / name))
        assert done.returncode != 0
        assert "most/2023-01-03" in done.stderr
        found = sorted(path.name for path in (tmp_path / name).iterdir()) if (tmp_path / name).exists() else None
        assert found == left


@pytest.mark.alike(2)
@pytest.mark.parametrize("form", FORMATS)
def test_a_pipeline_is_exported_whole_in_every_format(site: Site, shell: Shell, tmp_path: Path, form: str) -> None:
    """A file for each result that has a table, of every kind, what it fetches included.

    Each holds as many records as the table has rows, or intervals.
    """
    folder = tmp_path / "all"
    done = shell(site, "export", "basic", *DAYS, "--format", form, "-o", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    found = {each["asset"]: each for each in json.loads(done.stdout)["files"]}
    assert set(found) == set(ASSETS.values())
    assert sorted(folder.iterdir()) == sorted(Path(each["file"]) for each in found.values())
    assert Path(found["basic/storms"]["file"]).stem == "basic_storms"  # a table has no partitions
    for kind, asset in ASSETS.items():
        facts = found[asset]
        path, records = Path(facts["file"]), facts["rows"] if kind not in ("curve", "map") else 1
        assert (facts["format"], facts["rows"] > 0) == (form, True), kind
        if form == "csv":
            assert len(pd.read_csv(path, comment="#")) == facts["rows"], kind
        elif form == "parquet":
            assert pq.read_metadata(path).num_rows == facts["rows"], kind
        elif form == "cdf":
            assert cdflib.CDF(path).varinq("Epoch").Last_Rec + 1 == records, kind
        else:
            with netCDF4.Dataset(path) as file:
                assert file["time"].shape == (records,), kind


@pytest.mark.parametrize("kinds", by_day([("vector", "map"), ("events", "bins")], ("vector", "map")))
def test_two_processes_write_the_same_bytes(site: Site, tmp_path: Path, package_root: Path, kinds: tuple[str, ...]) -> None:
    """From Python, in each format, with other hash seeds; that every kind repeats in one process is shown elsewhere."""
    assets = [ASSETS[kind] for kind in kinds]
    code = (
        "import sys\nfrom helio_dagster import export\n"
        f"for asset in {assets!r}:\n for form in {list(FORMATS)!r}:\n"
        f"  export(asset, *{DAYS!r}, output=sys.argv[1], file_format=form)"
    )
    settings = site.settings
    shared = {**os.environ, "HELIO_HOME": str(settings.home), "HELIO_PIPELINES": str(settings.pipelines)}
    written: list[dict[str, bytes]] = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {**shared, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, str(folder)], check=True, cwd=package_root, env=environment)
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert len(written[0]) == len(assets) * len(FORMATS)
    assert written[0] == written[1]


def test_exported_events_are_read_as_a_list(site: Site, shell: Shell, tmp_path: Path, span: TimeRange) -> None:
    """The same starts, stops, names and numbers, from the CSV file alone; its comments are passed over."""
    for kind in ("events", "table"):
        path = tmp_path / f"{kind}.csv"
        assert shell(site, "export", ASSETS[kind], *DAYS, "-o", str(path)).returncode == 0
        again = read_events(list_text(path.read_text(), path.name))
        table = read_table(site.workbench().store, find_asset(site.open()[1], ASSETS[kind]), span)
        assert np.array_equal(again.time, table.time)
        assert list(again.columns) == list(table.columns)
        for name, values in table.columns.items():
            assert again.columns[name].tolist() == values.tolist()


def test_a_file_says_where_it_comes_from(site: Site, shell: Shell, tmp_path: Path) -> None:
    """The archive's files, the formula, the data versions: in the CDF, in the netCDF and above the CSV."""
    for suffix in ("cdf", "nc", "csv"):
        assert shell(site, "export", "basic/mag", *DAYS, "-o", str(tmp_path / f"m.{suffix}")).returncode == 0
    names = [f"ts_h0_mfi_202301{day:02d}_v01.cdf" for day in (2, 3, 4)]
    said = cdflib.CDF(tmp_path / "m.cdf").globalattsget()
    assert said["Parents"] == names
    assert said["Logical_file_id"] == ["m"]
    assert list(json.loads(said["Provenance"][0])["partitions"]) == ["2023-01-02", "2023-01-03", "2023-01-04"]
    with netCDF4.Dataset(tmp_path / "m.nc") as file:
        assert file.parents.split() == names
        assert file.formula.startswith("|v| = sqrt")
        assert (file.time_coverage_start, file.time_coverage_end) == ("2023-01-02", "2023-01-05")
    lines = (tmp_path / "m.csv").read_text().splitlines()
    assert f"# made from: {' '.join(names)}" in lines
    assert "# column mag [nT]: |B|" in lines


def test_a_fetch_goes_by_its_step_too(site: Site, shell: Shell, tmp_path: Path) -> None:
    """As other steps do; a step that the pipeline does not have is named with those near it."""
    by_step, by_asset = tmp_path / "step.csv", tmp_path / "asset.csv"
    assert shell(site, "export", "basic/b", *DAYS, "-o", str(by_step)).returncode == 0
    assert shell(site, "export", ASSETS["vector"], *DAYS, "-o", str(by_asset)).returncode == 0
    assert by_step.read_text() == by_asset.read_text()
    missing = shell(site, "export", "basic/magg", *DAYS)
    assert (missing.returncode, missing.stderr) == (2, "pipeline basic has no step 'magg'\n  Did you mean mag?\n")


def test_a_file_is_dated_by_files_that_have_a_date() -> None:
    """A master's and an own file's state is a hash, which is no date and is not greater than one."""
    assert (
        newest_date(["2023-01-02T00:00:00Z", "fa" * 32, "content 0a1b", "2023-01-04T00:00:00Z", ""]) == "2023-01-04T00:00:00Z"
    )
    assert newest_date(["content 0a1b"]) == ""


def test_bins_say_what_they_cover(site: Site, shell: Shell, tmp_path: Path) -> None:
    """A quarter of an hour from its start on: in every format, and what was taken of it where CF has a word for that."""
    for suffix in ("cdf", "nc", "csv", "parquet"):
        assert shell(site, "export", "basic/quarters", *DAYS, "-o", str(tmp_path / f"q.{suffix}")).returncode == 0
    length_ns = 15 * 60 * 10**9
    cdf = cdflib.CDF(tmp_path / "q.cdf")
    deltas = [cdf.varget(cdf.varattsget("Epoch")[f"DELTA_{side}_VAR"]) for side in ("MINUS", "PLUS")]
    assert [int(np.asarray(each).item()) for each in deltas] == [0, length_ns]
    with netCDF4.Dataset(tmp_path / "q.nc") as file:
        assert set((file["time_bnds"][:] - file["time"][:][:, np.newaxis]).ravel().tolist()) == {0, length_ns // 1000}
        assert file["quarters"].cell_methods == "time: mean"
    assert "# each record covers 15 min, stamped at its start" in (tmp_path / "q.csv").read_text().splitlines()
    said = json.loads(pq.read_schema(tmp_path / "q.parquet").metadata[b"helio"])
    assert said["meta"]["extent"] == {"before_ns": 0, "after_ns": length_ns}
    assert shell(site, "export", "basic/most", *DAYS, "-o", str(tmp_path / "most.nc")).returncode == 0
    with netCDF4.Dataset(tmp_path / "most.nc") as file:
        assert file["most"].cell_methods == "time: maximum"


def test_without_a_stored_partition_nothing_of_a_pipeline_is_written(site: Site, shell: Shell, tmp_path: Path) -> None:
    """The command to run is said."""
    missing = shell(site, "export", "basic", "2023-02-01", "--format", "cdf", "-o", str(tmp_path / "none"))
    assert (missing.returncode, "helio run basic 2023-02-01" in missing.stderr) == (2, True), missing.stderr
    assert not (tmp_path / "none").exists()


def test_without_its_library_netcdf_says_what_to_install(site: Site, tmp_path: Path, package_root: Path) -> None:
    """And the other formats work."""
    code = (
        "import sys\nsys.modules['h5netcdf'] = None\nfrom helio_dagster import export\n"
        f"export('basic/mag', *{DAYS!r}, output={str(tmp_path / 'm.cdf')!r})\n"
        f"export('basic/mag', *{DAYS!r}, output={str(tmp_path / 'm.nc')!r})"
    )
    settings = site.settings
    environment = {**os.environ, "HELIO_HOME": str(settings.home), "HELIO_PIPELINES": str(settings.pipelines)}
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, cwd=package_root, env=environment, capture_output=True, text=True
    )
    assert "pip install 'helio-dagster[netcdf]'" in done.stderr
    assert [path.name for path in tmp_path.glob("m.*")] == ["m.cdf"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["basic/overview", "--format", "cdf"], "is a figure and has no table"),
        (["basic/mag"], "no format given"),
        (["basic/mag", "-o", "b.xls"], "cannot export to b.xls"),
        (["basic/mag", "--format", "xls"], "there is no format 'xls'"),
        (["basic/mag", "--format", "cdf", "-o", "b.csv"], "the name of a CDF file must end in .cdf"),
        (["basic", "--format", "cdf", "-o", "b.cdf"], "basic has several results"),
    ],
)
def test_what_cannot_be_exported_is_said(site: Site, shell: Shell, arguments: list[str], said: str) -> None:
    """One message, and what to do."""
    done = shell(site, "export", arguments[0], *DAYS, *arguments[1:])
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert len(done.stderr.splitlines()) == 2


@pytest.mark.alike(2)
@pytest.mark.parametrize("form", FORMATS)
def test_a_damaged_partition_leaves_the_earlier_file(site: Site, shell: Shell, tmp_path: Path, form: str) -> None:
    """Nothing is half-written: neither a part of a new file, nor over the one that was there."""
    stored = site.workbench().store.path("basic/mag", "2023-01-04")
    stored.write_bytes(stored.read_bytes()[:-200])
    path = tmp_path / "out" / "m.cdf"
    path.parent.mkdir()
    path.write_text("as before")
    done = shell(site, "export", "basic/mag", *DAYS, "--format", form, "-o", str(path))
    assert done.returncode != 0
    assert "damaged" in done.stderr
    assert [each.read_text() for each in path.parent.iterdir()] == ["as before"]

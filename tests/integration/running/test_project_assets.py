"""Steps that read assets of the Dagster project around them, in a code location as Dagster loads and runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import dagster as dg
import numpy as np
import pandas as pd
import pytest
from dagster._core.definitions.asset_daemon_cursor import AssetDaemonCursor
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.definitions.reconstruct import ReconstructableJob, ReconstructableRepository
from dagster._core.loader import LoadingContextForTest

from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.domain.table import concatenate
from helio_dagster.storage.table_stores import tables_at
from tests.prepared import prepared

DEFINITIONS = """
import json
from pathlib import Path

import dagster as dg
import pandas as pd

from helio_dagster.assets.mounting import Mounting
from helio_dagster.definitions import library_definitions
from helio_dagster.storage.settings import CDAWEB_URL, Settings

ROOT = Path(__file__).parent


def minutes(window, seed):
    index = pd.date_range(window.start, window.end, freq="10min", inclusive="left")
    return pd.DataFrame({"bx": [seed + each.hour + each.minute / 60 for each in index]}, index=index)


def seeds():
    return json.loads((ROOT / "seeds.json").read_text())


@dg.asset(key=["ground", "station"], partitions_def=dg.DailyPartitionsDefinition("2023-01-01"))
def station(context):
    seed = seeds().get(context.partition_key, 0)
    return dg.Output(minutes(context.partition_time_window, seed), data_version=dg.DataVersion(f"seed {seed}"))


@dg.asset(key=["ground", "months"], partitions_def=dg.MonthlyPartitionsDefinition("2023-01-01"))
def months(context):
    found = minutes(context.partition_time_window, 100).reset_index(names="moment")
    return found.assign(moment=found["moment"].dt.tz_localize(None))


@dg.asset(key=["ground", "hours"], partitions_def=dg.HourlyPartitionsDefinition("2023-01-01-00:00"))
def hours(context):
    return minutes(context.partition_time_window, 200)


@dg.asset(key=["ground", "places"], partitions_def=dg.StaticPartitionsDefinition(["north", "south"]))
def places(context):
    index = pd.DatetimeIndex(["2023-01-02T06:00Z" if context.partition_key == "north" else "2023-01-02T18:00Z"])
    return pd.DataFrame({"bx": [1.0 if context.partition_key == "north" else 2.0]}, index=index)


@dg.asset(key=["ground", "steps"])
def steps():
    return pd.Series([1.0, 2.0], index=pd.DatetimeIndex(["2022-06-01", "2023-01-02T12:00"]), name="offset")


@dg.asset(key=["ground", "wrong"])
def wrong():
    return ["not", "a", "table"]


@dg.asset(key=["ground", "timeless"])
def timeless():
    return pd.DataFrame({"bx": [1.0]})


own = [station, months, hours, places, steps, wrong, timeless]
settings = Settings(ROOT / "home", ROOT / "pipelines", CDAWEB_URL)
defs = dg.Definitions.merge(
    library_definitions(settings, Mounting("field"), is_strict=True, is_guest=True),
    dg.Definitions(
        assets=own if json.loads((ROOT / "is_whole.json").read_text()) else [],
        executor=dg.in_process_executor,
        resources={"io_manager": dg.FilesystemIOManager(base_dir=str(ROOT / "theirs"))},
    ),
)
"""
PIPELINE = """
version: 1
name: mags
start: 2023-01-01
steps:
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: {asset: ground/station, unit: nT}}, options: {window: PT2H}}
  - id: twice
    compute: {inputs: {mean: mean}, unit: nT, code: 'return 2 * mean["mean"]'}
"""
OTHERS = """
version: 1
name: others
start: 2023-01-01
steps:
  - id: of_months
    compute:
      inputs: {m: {asset: ground/months, time: moment, units: {bx: nT}}}
      code: return m
  - id: of_hours
    compute:
      inputs: {h: {asset: ground/hours, allow_missing: true}}
      code: return h
  - id: of_places
    compute:
      inputs: {p: {asset: ground/places}}
      code: return p
  - id: offset
    compute:
      inputs: {b: {asset: ground/station}, steps: {asset: ground/steps}}
      code: return b["bx"] - steps["offset"].reindex(b.index, method="ffill")
"""
FAULTY = """
version: 1
name: of_KEY
start: 2022-12-01
steps:
  - id: a
    compute: {inputs: {x: {asset: ground/KEY}}, code: return x}
"""
RECORD = """
telemetry: {enabled: false}
event_log_storage:
  module: dagster._core.storage.event_log
  class: ConsolidatedSqliteEventLogStorage
  config: {base_dir: FOLDER}
"""
"""One database for all runs: Dagster's usual record makes one for each run, which takes longer than the run."""


class Asked(NamedTuple):
    """What conditions ask for, as (last part of the asset, partition), and where they go on from."""

    cursor: AssetDaemonCursor
    asked: set[tuple[str, str]]


class Project:
    """A code location in a folder, and an instance."""

    def __init__(self, root: Path, instance: dg.DagsterInstance) -> None:
        self.root, self.instance = root, instance
        (root / "pipelines").mkdir()
        (root / "lab_definitions.py").write_text(DEFINITIONS)
        (root / "is_whole.json").write_text("true")
        self.seeds({})
        self.pipeline(PIPELINE)

    def seeds(self, seeds: dict[str, int]) -> None:
        """What the station measures from now on."""
        (self.root / "seeds.json").write_text(json.dumps(seeds))

    def pipeline(self, text: str) -> None:
        """Write a pipeline."""
        name = text.split("name: ")[1].split()[0]
        (self.root / "pipelines" / f"{name}.yaml").write_text(text)

    @property
    def repository(self) -> ReconstructableRepository:
        """The code location."""
        return ReconstructableRepository.for_file(
            str(self.root / "lab_definitions.py"), "defs", working_directory=str(self.root)
        )

    def run(self, *names: str, first: str | None = None, last: str | None = None) -> list[str]:
        """Materialize assets over partitions; returns what failed steps say."""
        tags: dict[str, str] = {} if first is None else {"dagster/partition": first}
        if first is not None and last is not None:
            tags = {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}
        job = ReconstructableJob(self.repository, "__ASSET_JOB")
        keys = [dg.AssetKey(name.split("/")) for name in names]
        with dg.execute_job(job, self.instance, asset_selection=keys, tags=tags, raise_on_error=False) as result:
            failed = [event for event in result.all_events if event.is_step_failure]
        return [event.step_failure_data.error.message for event in failed if event.step_failure_data.error is not None]

    def upstream(self, name: str, *keys: str) -> None:
        """Materialize an asset of the project."""
        for key in keys:
            assert self.run(name, first=key) == []

    def made(self, name: str) -> int:
        """How often partitions of an asset were materialized."""
        return len(self.instance.fetch_materializations(dg.AssetKey(name.split("/")), limit=1000).records)

    def files(self) -> dict[str, bytes]:
        """The tables of the home."""
        data = self.root / "home/data"
        return {str(path.relative_to(data)): path.read_bytes() for path in sorted(data.rglob("*.parquet"))}

    def frame(self, name: str, *keys: str) -> pd.DataFrame:
        """The stored records of partitions."""
        store = tables_at(self.root / "home", self.root / "home/data", None)
        return table_to_dataframe(concatenate([store.read(name, key) for key in keys]))

    def stale(self, name: str, *keys: str) -> dict[str, bool]:
        """Partition to whether Dagster calls it stale."""
        graph = self.repository.get_definition().asset_graph
        resolver = CachingStaleStatusResolver(self.instance, graph, LoadingContextForTest(self.instance))
        return {key: resolver.get_status(dg.AssetKey(name.split("/")), key) is StaleStatus.STALE for key in keys}

    def asked(self, now: datetime, cursor: AssetDaemonCursor | None) -> Asked:
        """What the conditions ask for at some time."""
        definitions = self.repository.get_definition()
        result = dg.evaluate_automation_conditions(
            [each for each in definitions.asset_graph.assets_defs if not each.is_external or each.partitions_def],
            instance=self.instance,
            evaluation_time=now,
            cursor=cursor,
        )
        return Asked(
            result.cursor,
            {
                (evaluated.key.path[-1], partition)
                for evaluated in result.results
                for partition in evaluated.true_subset.expensively_compute_partition_keys()
            },
        )

    def check(self, name: str) -> tuple[bool, str]:
        """What the check `up_to_date` says of an asset."""
        repository = self.repository.get_definition()
        sensor = repository.get_sensor_def("up_to_date_field")
        context = dg.build_sensor_context(self.instance, repository_def=repository)
        for event in sensor.evaluate_tick(context).asset_events:
            self.instance.report_runless_asset_event(event)
        key = dg.AssetCheckKey(dg.AssetKey(name.split("/")), "up_to_date")
        (record,) = self.instance.event_log_storage.get_latest_asset_check_execution_by_key([key]).values()
        assert record.event is not None
        assert record.event.dagster_event is not None
        found = record.event.dagster_event.asset_check_evaluation_data
        return found.passed, found.description or ""


@contextmanager
def _open_project(folder: Path) -> Iterator[Project]:
    """A code location with pipelines that read its own assets, and a new record."""
    record = folder / "instance"
    record.mkdir()
    (record / "dagster.yaml").write_text(RECORD.replace("FOLDER", str(record / "history")))
    with dg.DagsterInstance.from_config(str(record)) as instance:
        (folder / "lab").mkdir()
        yield Project(folder / "lab", instance)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """One of the test's own."""
    with _open_project(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """One whose pipelines read what cannot be read; nothing is ever stored in it."""
    with _open_project(tmp_path_factory.mktemp("faulty")) as opened:
        for key in ("station", "wrong", "timeless", "nowhere"):
            opened.pipeline(FAULTY.replace("KEY", key))
        assert opened.run("ground/wrong", "ground/timeless") == []
        yield opened


DAYS = ("2023-01-01", "2023-01-02", "2023-01-03", "2023-01-04")


def test_a_run_reads_it_and_follows_its_data_versions(project: Project) -> None:
    """The values are pandas' own over all days; nothing is made twice; a new version remakes what reads it, halo included."""
    project.upstream("ground/station", *DAYS, "2023-01-05")
    assert project.run("mags/mean", "mags/twice", first=DAYS[0], last=DAYS[3]) == []
    hours = np.arange(5 * 144) % 144 / 6
    series = pd.Series(hours, index=pd.date_range("2023-01-01", periods=5 * 144, freq="10min", tz="UTC"))
    expected = series.rolling("2h", center=True, closed="both").mean()[: 4 * 144]
    found = project.frame("mags/mean", *DAYS)
    np.testing.assert_allclose(found["mean"], expected, rtol=1e-12)
    assert found.attrs["units"] == {"mean": "nT"}
    np.testing.assert_allclose(project.frame("mags/twice", *DAYS).iloc[:, 0], 2 * expected, rtol=1e-12)

    before, files = project.made("mags/mean"), project.files()
    assert project.run("mags/mean", "mags/twice", first=DAYS[0], last=DAYS[3]) == []
    assert (project.made("mags/mean"), project.files()) == (before, files)
    assert not any(project.stale("mags/mean", *DAYS).values())
    project.upstream("ground/station", DAYS[1])  # the same data version once more
    assert not any(project.stale("mags/mean", *DAYS).values())
    assert project.check("mags/mean") == (True, "All 4 partitions ever made are up to date.")

    project.seeds({DAYS[1]: 5})
    project.upstream("ground/station", DAYS[1])
    assert project.stale("mags/mean", DAYS[1], DAYS[3]) == {DAYS[1]: True, DAYS[3]: False}
    passed, text = project.check("mags/mean")
    assert not passed
    assert text.startswith("3 of 4 partitions are not up to date: 2023-01-01: its inputs changed (ground/station)")
    assert project.run("mags/mean", "mags/twice", first=DAYS[0], last=DAYS[3]) == []
    assert project.made("mags/mean") == before + 3
    assert not any(project.stale("mags/mean", *DAYS).values())
    assert project.check("mags/twice")[0]


def test_more_partitions_open_no_more_databases(project: Project) -> None:
    """Reading a partition makes no Dagster instance of its own, which would be a database in memory."""
    project.upstream("ground/station", *DAYS, "2023-01-05")
    opened, is_counting = list[object](), True
    sys.addaudithook(lambda event, given: opened.append(given[0]) if is_counting and event == "sqlite3.connect" else None)
    dg.build_input_context()
    assert opened, "an instance in memory is seen"
    assert all("mode=memory" in str(each) for each in opened)
    counts = []
    for first, last in ((DAYS[0], DAYS[0]), (DAYS[1], DAYS[3])):
        opened.clear()
        assert project.run("mags/mean", first=first, last=last) == []
        counts.append(sum("mode=memory" in str(each) for each in opened))
    is_counting = False  # a hook cannot be taken back
    assert counts[0] == counts[1], counts


def test_the_bytes_do_not_depend_on_how_the_range_was_cut(project: Project) -> None:
    """One run of three days, and a run for each of them in another order."""
    project.upstream("ground/station", *DAYS, "2023-01-05")
    assert project.run("mags/twice", first=DAYS[0], last=DAYS[2]) == []  # its input is made on the way
    whole = project.files()
    for path in whole:
        (project.root / "home/data" / path).unlink()
    for day in (DAYS[2], DAYS[0], DAYS[1]):
        assert project.run("mags/twice", first=day) == []
    assert len(whole) == 6
    assert project.files() == whole


def test_other_partitions_are_mapped_by_time_and_what_has_none_is_read_whole(project: Project) -> None:
    """Months and hours give the records of a day; static partitions are joined; what has no partitions is whole."""
    project.pipeline(OTHERS)
    project.upstream("ground/station", DAYS[1])
    project.upstream("ground/months", "2023-01-01")
    project.upstream("ground/hours", f"{DAYS[1]}-05:00", f"{DAYS[1]}-07:00")
    project.upstream("ground/places", "north", "south")
    assert project.run("ground/steps") == []
    names = [f"others/{step}" for step in ("of_months", "of_hours", "of_places", "offset")]
    assert project.run(*names, first=DAYS[1]) == []
    hours = np.arange(144) / 6
    index = pd.date_range(DAYS[1], periods=144, freq="10min", tz="UTC")
    is_made = (hours // 1 == 5) | (hours // 1 == 7)
    for name, seed, kept in ((names[0], 100, np.full(144, True)), (names[1], 200, is_made)):
        found = project.frame(name, DAYS[1])
        assert list(found.index) == list(index[kept])
        np.testing.assert_allclose(found.iloc[:, 0], (seed + hours)[kept], rtol=1e-12)
    assert list(project.frame(names[2], DAYS[1]).iloc[:, 0]) == [1.0, 2.0]
    np.testing.assert_allclose(project.frame(names[3], DAYS[1]).iloc[:, 0], hours - np.where(hours < 12, 1, 2), rtol=1e-12)


@pytest.mark.parametrize(
    ("key", "day", "words"),
    [
        ("station", DAYS[0], "the asset ground/station 2023-01-01 was never materialized"),
        ("station", "2022-12-31", "the asset ground/station has no partition for 2022-12-31"),
        ("wrong", DAYS[0], "the asset ground/wrong is of type list, not a DataFrame"),
        ("timeless", DAYS[0], "the asset ground/timeless has no times: its index is int64, its columns are bx"),
        ("nowhere", DAYS[0], "this code location does not define the asset ground/nowhere"),
    ],
)
def test_what_cannot_be_read_is_one_message(faulty: Project, key: str, day: str, words: str) -> None:
    """Missing, outside its partitions, of a wrong type, without times, not defined: it fails and nothing is stored."""
    (text,) = faulty.run(f"of_{key}/a", first=day)
    assert text.count(words) == 1
    assert ("allow_missing: true" in text) == ("never materialized" in words)
    assert "Traceback" not in text
    assert faulty.files() == {}


def test_missing_partitions_are_left_out_where_the_step_says_so(project: Project) -> None:
    """The day is made without its neighbours, and is no longer up to date when one of them is there."""
    project.pipeline(PIPELINE.replace("unit: nT}}, opt", "unit: nT, allow_missing: true}}, opt"))
    project.upstream("ground/station", DAYS[1])
    assert project.run("mags/mean", first=DAYS[1]) == []
    assert len(project.frame("mags/mean", DAYS[1])) == 144
    assert project.check("mags/mean")[0]
    project.upstream("ground/station", DAYS[2])
    assert not project.check("mags/mean")[0]


def test_on_change_asks_for_what_a_new_version_touches(project: Project) -> None:
    """Made up to date it asks for nothing; after another version of one day, within the hour, for it and its neighbours."""
    project.pipeline(PIPELINE.replace("start: 2023-01-01", "start: 2023-01-01\nschedule: on_change\nlag: PT0S\nrecheck: 3"))
    project.upstream("ground/station", *DAYS, "2023-01-05")
    assert project.run("mags/mean", "mags/twice", first=DAYS[0], last=DAYS[3]) == []
    first = project.asked(datetime(2023, 1, 6, 6, 30, tzinfo=UTC), None)
    assert not {day for _, day in first.asked} & {*DAYS}
    project.seeds({DAYS[1]: 5})
    project.upstream("ground/station", DAYS[1])
    second = project.asked(datetime(2023, 1, 6, 7, 0, 30, tzinfo=UTC), first.cursor)
    assert {("mean", day) for day in DAYS[:3]} <= second.asked
    assert ("mean", DAYS[3]) not in second.asked


def test_an_asset_of_another_code_location_is_not_read(project: Project) -> None:
    """Dagster shows it as an asset of unknown origin; the message says that this location does not define it."""
    (project.root / "is_whole.json").write_text("false")
    (text,) = project.run("mags/mean", first=DAYS[0])
    assert "this code location does not define the asset ground/station" in text


def test_helio_itself_says_where_to_run_it(project: Project) -> None:
    """`helio run` refuses with exit code 2 and one message; `helio status` says why it cannot tell; `helio check` passes."""
    environment = {**os.environ, "HELIO_HOME": str(project.root / "home"), "HELIO_PIPELINES": str(project.root / "pipelines")}

    def helio(*arguments: str) -> subprocess.CompletedProcess[str]:
        return prepared().run(arguments, env=environment, cwd=project.root)

    done = helio("run", "mags", DAYS[0])
    assert done.returncode == 2
    assert "the step mags/mean reads the asset ground/station of a Dagster project" in done.stderr
    assert "dg launch" in done.stderr
    assert helio("check").returncode == 0
    status = json.loads(helio("status", "mags", DAYS[0], "--json").stdout)
    (mean, _) = status["assets"]
    assert mean["partitions"][0]["state"] == "missing"
    assert "is an asset of a Dagster project" in mean["partitions"][0]["why"][0]


def test_dagsters_own_command_line_runs_it(project: Project) -> None:
    """In processes of its own, as the page and the daemon start runs."""
    environment = {**os.environ, "DAGSTER_HOME": str(project.root.parent / "instance")}
    command = [sys.executable, "-m", "dagster", "asset", "materialize", "-f", "lab_definitions.py", "--partition", DAYS[0]]
    project.pipeline(PIPELINE.replace("PT2H", "PT10M"))
    project.upstream("ground/station", DAYS[1])
    done = subprocess.run(
        [*command, "--select", "ground/station,mags/mean"],
        cwd=project.root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(project.frame("mags/mean", DAYS[0])["mean"]) == pytest.approx(list(np.arange(144) / 6))

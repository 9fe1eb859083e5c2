"""The record as it is read without Dagster is the record that Dagster reads; what finds nothing to do loads no Dagster."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions import data_version

from helio_dagster.assets.recorded_runs import RunsCursor, RunsPage
from helio_dagster.assets.recording import DagsterLedger
from helio_dagster.assets.run_record import RunRecord
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.history import list_runs, open_history, page_of_runs
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.resources.record_tags import CODE_VERSION_TAG, DATA_VERSION_TAG
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import Mission, Site

ASSETS = ("cdaweb/TS_H0_MFI/BGSE", "basic/mag", "basic/mean", "basic/no_such_step")
DAYS = [f"2023-01-{day:02d}" for day in range(1, 8)]
NARROW, WIDE = DAYS[:4], [*DAYS, *(f"{year}-06-01" for year in range(1000, 1600))]


@pytest.mark.parametrize("asked", [NARROW, WIDE], ids=["few", "many"])
def test_it_is_what_dagster_reads(ran_site: Site, mission: Mission, span: TimeRange, asked: list[str]) -> None:
    """Records, revisions and partitions, after a run, a revision by the archive and a second run."""
    mission.publish("2023-01-03", seed=1)
    ran_site.drift(span)
    ran_site.run(span)
    with open_history(ran_site.settings) as history, open_instance(ran_site.settings) as instance:
        assert isinstance(history, RunRecord)
        ledger = DagsterLedger(instance)
        for asset in ASSETS:
            ours = {
                key: (found.data_version, found.code_version, found.inputs)
                for key, found in history.latest(asset, asked).items()
            }
            theirs = {
                key: (found.data_version, found.code_version, found.inputs)
                for key, found in ledger.latest(asset, asked).items()
            }
            assert ours == theirs
            assert history.partitions(asset) == ledger.partitions(asset)
            assert history.has_any(asset) == ledger.has_any(asset)
        assert len(history.latest("basic/mag", asked)) >= 3
        files = next(node.files for node in ran_site.open()[1].nodes.values() if node.files)
        assert history.observed(files, asked) == ledger.observed(files, asked) != {}


def test_tags_are_named_as_dagster_names_them() -> None:
    """The record is written and read by these names."""
    assert (data_version.DATA_VERSION_TAG, data_version.CODE_VERSION_TAG) == (DATA_VERSION_TAG, CODE_VERSION_TAG)


def test_a_home_without_a_record_has_an_empty_one_and_gets_none_by_being_read(tmp_path: Path) -> None:
    """Nothing is created."""
    with open_history(Settings(tmp_path / "home", tmp_path / "pipelines")) as history:
        assert history.latest("basic/mag", DAYS) == {}
        assert history.partitions("basic/mag") == set()
    assert list(tmp_path.iterdir()) == []


MEANS = """
version: 1
name: means
partitions: daily
steps:
  - {id: b, fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}}
  - {id: mag, compute: {operation: magnitude, inputs: {vector: b}}}
  - {id: mean, compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT2H}}}
"""
WATCH = """
import sys
from helio_dagster.cli import main
try:
    main()
finally:
    loaded = [name for name in ("dagster", "plotly", "pandas", "scipy", "httpx", "pydantic_ai") if name in sys.modules]
    print("loaded", loaded, file=sys.stderr)
"""


@pytest.mark.parametrize("command", [["status", "basic", "2023-01-02"], ["run", "basic", "2023-01-02"]], ids=["status", "run"])
def test_what_finds_nothing_to_do_loads_neither_dagster_nor_pandas(
    ran_site: Site, package_root: Path, command: list[str]
) -> None:
    """Start-up is what a person feels most."""
    assert loaded_by(ran_site, package_root, *command) == "loaded []"


def test_a_run_of_shipped_operations_does_without_pandas(ran_site: Site, package_root: Path) -> None:
    """Loading it takes a fifth of the time that one new event takes. Arrow imports it, too, if it is handed numpy's arrays."""
    ran_site.save(MEANS)
    assert loaded_by(ran_site, package_root, "run", "means", "2023-01-02") == "loaded ['dagster']"


def loaded_by(site: Site, root: Path, *command: str) -> str:
    """What a command says last: which of some large libraries it has loaded."""
    environment = {
        **os.environ,
        "HELIO_HOME": str(site.settings.home),
        "HELIO_PIPELINES": str(site.settings.pipelines),
        "HELIO_CDAWEB_URL": site.settings.cdaweb_url,
    }
    found = subprocess.run(
        [sys.executable, "-c", WATCH, *command],
        cwd=root, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    return found.stderr.splitlines()[-1]


def test_runs_are_those_that_dagster_lists(ran_site: Site, span: TimeRange) -> None:
    """Newest first and bounded, with pipeline, partitions, state and seconds; a home without a record has none."""
    ran_site.run(span, force=True)
    with open_instance(ran_site.settings) as instance:
        theirs = instance.get_run_records()
    ours = list_runs(ran_site.settings, 50)
    assert len(ours) == len(theirs) >= 2
    for run, record in zip(ours, theirs, strict=True):
        found = record.dagster_run
        assert (run.id, run.pipeline) == (found.run_id, "basic")
        ends = [found.tags[f"dagster/asset_partition_range_{each}"] for each in ("start", "end")]
        assert [run.first, run.last] == ends
        assert abs((run.begun - record.create_timestamp).total_seconds()) < 1
        assert (run.state, found.status.value) == ("success", "SUCCESS")
        assert record.start_time is not None
        assert record.end_time is not None
        assert run.seconds == pytest.approx(record.end_time - record.start_time, abs=0.001)
    assert {run.begun_by for run in ours} == {"Python"}
    assert list_runs(ran_site.settings, 1) == ours[:1]
    assert page_of_runs(ran_site.settings, "basic", 50) == RunsPage(ours, None)
    assert page_of_runs(ran_site.settings, "basi", 50) == page_of_runs(ran_site.settings, "asic", 50) == RunsPage([], None)
    assert list_runs(replace(ran_site.settings, home=ran_site.settings.home / "none"), 5) == []


def pages_of(settings: Settings, most: int) -> list[list[str]]:
    """The ids of all pages of the runs of `old`, by their cursors as a person's address has them."""
    pages, below = [], RunsCursor()
    while True:
        page = page_of_runs(settings, "old", most, below)
        pages.append([each.id for each in page.runs])
        if page.older is None:
            return pages
        assert page.older != below
        below = RunsCursor.parse(str(page.older))


def fill(settings: Settings) -> tuple[list[str], list[str]]:
    """Thousands of runs in a record: those begun for the pipeline `old`, and those begun in Dagster that made a step of it."""
    kept: tuple[list[str], list[str]] = ([], [])
    with open_instance(settings) as instance:
        for place in range(4_500):
            is_own, is_by_hand = place in (3, 5, 4_400), place in (2, 2_300, 2_301, 4_450)
            step = dg.AssetKey(["old" if is_own or is_by_hand else "other", "mean"])
            run = dg.DagsterRun("all", asset_selection=frozenset([step]), tags={"helio/pipeline": "old"} if is_own else {})
            instance.run_storage.add_run(run)
            for kind, ids in zip((is_own, is_by_hand), kept, strict=True):
                ids += [run.run_id] if kind else []
    return kept


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_pipelines_runs_are_found_however_old(tmp_path: Path, kind: str, request: pytest.FixtureRequest) -> None:
    """Those begun for it at once, those of Dagster's own pages as one goes back; each once, whatever the size of a page."""
    settings = Settings(tmp_path / "home", tmp_path / "pipelines")
    if kind == "postgres":
        settings = replace(settings, postgres=request.getfixturevalue("postgres"))
    own, by_hand = fill(settings)
    first = pages_of(settings, 20)[0]
    assert set(own) < set(first)
    for most in (1, 2, 20):
        found = [run_id for page in pages_of(settings, most) for run_id in page]
        assert sorted(found) == sorted([*own, *by_hand])
        assert [each for each in found if each in own] == own[::-1]
        assert [each for each in found if each in by_hand] == by_hand[::-1]
    with pytest.raises(InputError, match="not a place"):
        RunsCursor.parse("1-2 OR 1=1")

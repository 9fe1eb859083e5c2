"""`helio prune`: what no pipeline of the home has is listed, and deleted when somebody says so; nothing else ever is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import run
from helio_dagster.launch.upkeep.orphans import find_orphans, owned
from helio_dagster.launch.upkeep.prune import delete_orphans, report_orphans
from helio_dagster.storage.home_lock import occupied
from tests.integration.running.conftest import MakeSpan, Mission, Shell, Site

TWO, THREE, FOUR = "2023-01-02", "2023-01-03", "2023-01-04"
OTHER = """
version: 1
name: other
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: f
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}
  - id: twice
    compute: {operation: scale, inputs: {series: f}, options: {factor: 2}}
  - id: plot
    figure:
      panels:
        - traces: [{data: twice}]
"""
BASIC_NAMES = {"cdaweb/TS_H0_MFI/BGSE", "basic/mag", "basic/mean"}


@pytest.fixture
def two(make_site: Callable, make_span: MakeSpan) -> Any:
    """A home with `basic` and `other`, which share a fetch, both run over three days."""
    site = make_site()
    site.save(OTHER)
    site.run(make_span(TWO, 3))
    site.run(make_span(TWO, 3), name="other")
    return site


def orphans(site: Site, *, with_downloads: bool = False) -> dict[str, int]:
    """Name to how many files, as `helio prune` lists them."""
    _, report = report_orphans(Home(site.settings), with_downloads=with_downloads)
    return {orphan.name: orphan.files for orphan in report.orphans}


def prune(site: Site, *, with_downloads: bool = False) -> None:
    """What `helio prune --yes` does."""
    listed, _ = report_orphans(Home(site.settings), with_downloads=with_downloads)
    delete_orphans(Home(site.settings), listed, with_downloads=with_downloads)


def rename_step(site: Site, old: str, new: str) -> None:
    """Give a step of `basic` another id wherever it stands."""
    path = site.settings.pipelines / "basic.yaml"
    path.write_text(path.read_text().replace(f"id: {old}\n", f"id: {new}\n").replace(f"{{vector: {old}", f"{{vector: {new}"))


def test_a_home_in_order_has_none(two: Any) -> None:
    """Tables, fetches, figures and downloads of pipelines that are there."""
    assert orphans(two, with_downloads=True) == {}


def test_what_a_deleted_pipeline_leaves_is_pruned_and_what_it_shared_is_kept(two: Any, make_span: MakeSpan) -> None:
    """Its own steps, its own fetch and its figures go; the shared fetch, the other pipeline and its freshness stay."""
    (two.settings.pipelines / "other.yaml").unlink()
    assert set(orphans(two)) == {"cdaweb/TS_H0_MFI/F", "other/twice", "other/plot"}
    kept = {path: content for path, content in two.files().items() if not path.startswith(("other", "cdaweb/TS_H0_MFI/F"))}
    prune(two)
    assert two.files() == kept
    assert list(two.settings.figures.glob("other*")) == []
    assert not (two.settings.data / "other").exists()
    assert set(two.states(make_span(TWO, 3))["mean"].values()) == {"fresh"}
    assert two.run(make_span(TWO, 3)).run_id is None


def test_a_step_renamed_back_finds_its_data(ran_site: Site, span: TimeRange) -> None:
    """Not pruned: fresh at once. Pruned: made again to the same bytes, though Dagster remembers a record of it."""
    before = ran_site.files()
    rename_step(ran_site, "mean", "average")
    assert set(orphans(ran_site)) == {"basic/mean"}
    assert set(ran_site.states(span)["average"].values()) == {"missing"}
    rename_step(ran_site, "average", "mean")
    assert orphans(ran_site) == {}
    assert ran_site.run(span).run_id is None
    rename_step(ran_site, "mean", "average")
    prune(ran_site)
    rename_step(ran_site, "average", "mean")
    assert set(ran_site.states(span)["mean"].values()) == {"stale"}
    assert ran_site.run(span).status == "success"
    assert ran_site.files() == before


def test_a_pipeline_that_cannot_be_read_loses_nothing(two: Any) -> None:
    """Neither its own data and figures nor any fetch, for it may have them; what surely is nobody's is still listed."""
    (two.settings.pipelines / "other.yaml").write_text("version: 1\nname: [broken")
    (two.settings.pipelines / "basic.yaml").unlink()
    assert set(orphans(two)) == {"basic/mag", "basic/mean"}
    _, report = report_orphans(Home(two.settings), with_downloads=False)
    assert report.kept == ["other"]


def test_a_pipeline_that_is_wrong_loses_nothing(two: Any) -> None:
    """One that can be read and not run: its steps are known, and theirs is kept."""
    path = two.settings.pipelines / "other.yaml"
    path.write_text(path.read_text().replace("operation: scale", "operation: no_such_operation"))
    assert orphans(two) == {}


def test_downloads_that_nothing_was_made_from_are_pruned(ran_site: Site, mission: Mission, span: TimeRange) -> None:
    """The older file of a republished day and a file put aside as corrupt; never one that a stored table names."""
    mission.publish(THREE, seed=1)
    ran_site.run(span, refresh=True)
    aside = next(ran_site.settings.cache.rglob("*20230104*.cdf")).with_suffix(".cdf.corrupt")
    aside.write_bytes(b"rotten")
    assert orphans(ran_site) == {}
    (count,) = orphans(ran_site, with_downloads=True).values()
    assert count == 3  # the older file, what is recorded of it, the corrupt one
    prune(ran_site, with_downloads=True)
    assert len(list(ran_site.settings.cache.rglob("*.cdf"))) == 3
    assert not aside.exists()
    mission.server.close()
    assert ran_site.run(span).run_id is None


def test_data_of_ones_own_assets_are_not_ours_to_prune(ran_site: Site) -> None:
    """What the IO manager stored for another Dagster project's asset carries no code version, and stays."""
    store = ran_site.workbench().store
    store.write("southward", TWO, store.read("basic/mag", TWO), {})
    assert orphans(ran_site) == {}


def test_nothing_is_deleted_while_a_run_writes(site: Site, make_span: MakeSpan) -> None:
    """StorageError; the run goes on, and afterwards it works."""
    site.run(make_span(TWO))
    rename_step(site, "mean", "average")
    before = site.files()
    with occupied(site.settings.home), pytest.raises(StorageError, match="a run is writing"):
        prune(site)
    assert site.files() == before
    prune(site)
    assert site.files() != before


def test_a_run_holds_the_home_while_it_writes(site: Site, make_span: MakeSpan) -> None:
    """Asked at each settled partition of a run: nobody else can be alone in the home; after it anybody can."""
    pipeline, graph = site.open()
    workbench, refused = site.workbench(), []

    def listen(asset: str, partition: str | None, outcome: object) -> None:
        with pytest.raises(StorageError), occupied(site.settings.home, alone=True):
            pass
        refused.append(asset)

    run(RunRequest(graph, pipeline, make_span(TWO)), workbench, listener=listen)
    workbench.close()
    assert set(refused) >= BASIC_NAMES
    with occupied(site.settings.home, alone=True):
        pass


def test_a_pipeline_saved_after_the_listing_keeps_its_data(two: Any) -> None:
    """What was listed is looked at again before it is deleted."""
    text = (two.settings.pipelines / "other.yaml").read_text()
    (two.settings.pipelines / "other.yaml").unlink()
    listed, _ = report_orphans(Home(two.settings), with_downloads=False)
    assert listed
    two.save(text)
    before = two.files()
    delete_orphans(Home(two.settings), listed, with_downloads=False)
    assert two.files() == before


def test_the_command_asks_before_it_deletes(two: Any, shell: Shell, make_span: MakeSpan) -> None:
    """Without a terminal and without --yes: exit 3, listed, nothing deleted, also with --json; `helio status` mentions them."""
    (two.settings.pipelines / "other.yaml").unlink()
    before = two.files()
    said = shell(two, "status").stdout
    assert "helio prune" in said.splitlines()[-1]
    assert "helio prune" not in shell(two, "status", "basic").stdout
    done = shell(two, "prune")
    assert (done.returncode, two.files()) == (3, before)
    assert "other/twice" in done.stdout
    assert "--yes" in done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    done = shell(two, "prune", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["deleted"], two.files()) == (3, False, before)
    assert {each["name"]: each["kind"] for each in found["orphans"]} == {
        "cdaweb/TS_H0_MFI/F": "asset",
        "other/twice": "asset",
        "other/plot": "figures",
    }
    done = shell(two, "prune", "--cache", "--yes")
    assert done.returncode == 0, done.stderr
    assert orphans(two) == {}
    assert "Nothing to delete" in shell(two, "prune").stdout


def test_of_a_changed_grain_the_old_partitions_are_orphans(site: Site, make_span: MakeSpan) -> None:
    """Daily keys that are no weekly ones; what the file system shares with the new grain is not."""
    site.run(make_span(TWO, 7))
    path = site.settings.pipelines / "basic.yaml"
    path.write_text(path.read_text().replace("partitions: daily", "partitions: weekly"))
    found = {each.name: each for each in find_orphans(Home(site.settings), owned(Home(site.settings)))}
    assert found["basic/mag"].kind == "partitions"
    assert {path.stem for path in found["basic/mag"].paths}.isdisjoint({TWO, "2023-01-09"})
    assert {path.stem for path in found["basic/mean"].paths} == {f"2023-01-{day:02d}" for day in range(3, 9)}

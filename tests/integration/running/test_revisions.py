"""Archive revisions: noticed by name, size and date; told, marked in Dagster, and redone just where they are."""

from __future__ import annotations

import os
from collections.abc import Callable

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest

from helio_dagster.definitions import library_definitions
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance
from tests.integration.running.conftest import MakeSpan, Mission, Site

ONE, TWO, THREE, FOUR, FIVE = [f"2023-01-0{number}" for number in range(1, 6)]
FETCH, FILES = "cdaweb/TS_H0_MFI/BGSE", "cdaweb/TS_H0_MFI/files"
SCALAR = """
version: 1
name: scalar
partitions: daily
start: 2023-01-01
steps:
  - id: f
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}
  - id: vector
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
"""
WEEKS = """
version: 1
name: weeks
partitions: weekly
start: 2023-01-02
steps:
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: basic/mag}, options: {window: PT2H}}
"""


def key(asset: str) -> dg.AssetKey:
    """Dagster's key of an asset."""
    return dg.AssetKey(asset.split("/"))


def unsynced(site: Site, asset: str) -> set[str]:
    """Materialized partitions of an asset that Dagster's own resolver, whom the page asks, calls stale."""
    graph = library_definitions(site.settings).resolve_asset_graph()
    with open_instance(site.settings) as instance:
        resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
        made = instance.get_materialized_partitions(key(asset))
        return {each for each in made if resolver.get_status(key(asset), each) is StaleStatus.STALE}


def observed(site: Site) -> list[str | None]:
    """Partitions of the files for which an observation was recorded, oldest first."""
    with open_instance(site.settings) as instance:
        records = instance.fetch_observations(key(FILES), limit=1000, ascending=True).records
        return [record.partition_key for record in records]


def changed(site: Site, span: TimeRange | None = None, *, name: str = "basic") -> dict[str, list[str]]:
    """Partition of the field to what `helio drift` says became of its files."""
    report = site.drift(span, name=name)
    asset = next(asset for asset in report.assets if asset.asset == FETCH)
    return {each.key: [change.change for change in each.changes] for each in asset.partitions}


def test_an_unchanged_archive_leaves_everything_as_it_is(ran_site: Site, mission: Mission, span: TimeRange) -> None:
    """`--refresh` asks for the listing and for nothing else; no table is written, nothing is recorded."""
    ran_site.made()
    mission.server.requests.clear()
    report = ran_site.run(span, refresh=True)
    assert (ran_site.made(), observed(ran_site)) == (set(), [])
    assert report.steps["b"].reused == 3
    assert mission.server.requests
    assert mission.server.count(".cdf") == 0
    assert changed(ran_site) == {}
    assert unsynced(ran_site, FETCH) == set()


def test_a_drift_is_told_marked_and_redone_only_where_it_is(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """One republished day of five: named by `drift`, stale by `status` and in Dagster, redone by a plain run, then fresh."""
    mission.publish(FIVE)
    span = make_span(TWO, 4)
    site.run(span)
    before = site.files()
    mission.publish(THREE, seed=1)
    assert changed(site) == {THREE: ["republished"]}
    assert site.files() == before
    assert observed(site) == [THREE]
    assert site.states(span)["b"] == {TWO: "fresh", THREE: "stale", FOUR: "fresh", FIVE: "fresh"}
    assert site.why("b", THREE) == ["the archive's files changed"]
    assert site.why("mean", FOUR) == ["mag will change"]
    assert unsynced(site, FETCH) == {THREE}
    site.made()
    site.run(span)
    assert site.made() == {("BGSE", THREE), ("mag", THREE), ("mean", TWO), ("mean", THREE), ("mean", FOUR)}
    assert set(site.states(span)["mean"].values()) == {"fresh"}
    assert unsynced(site, FETCH) == unsynced(site, "basic/mag") == unsynced(site, "basic/mean") == set()
    assert (changed(site), observed(site)) == ({}, [THREE])


def test_a_file_of_the_same_date_and_another_size_is_noticed(ran_site: Site, mission: Mission, span: TimeRange) -> None:
    """The archive's date alone is not trusted."""
    path = mission.folder / "ts_h0_mfi_20230103_v01.cdf"
    date = path.stat().st_mtime
    mission.publish(THREE, seed=1, records=24)
    os.utime(path, (date, date))
    report = ran_site.drift(span)
    (found,) = [each for asset in report.assets for each in asset.partitions]
    assert (found.key, [change.change for change in found.changes]) == (THREE, ["republished"])
    assert "bytes" in found.changes[0].text
    ran_site.made()
    ran_site.run(span)
    assert ("BGSE", THREE) in ran_site.made()
    assert ran_site.drift(span).changed == 0


def test_every_kind_of_change_is_called_by_its_name(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """A new version, a file that is gone, a day that had none: after the run the tables are those of a new home."""
    span = make_span(TWO, 5)
    site.run(span)
    mission.publish(TWO, seed=2, version=2)
    mission.withdraw(THREE)
    mission.publish("2023-01-06", seed=3)
    assert changed(site, span) == {TWO: ["new version"], THREE: ["gone"], "2023-01-06": ["new"]}
    site.run(span)
    assert site.states(span)["b"] == {TWO: "fresh", THREE: "empty", FOUR: "fresh", FIVE: "empty", "2023-01-06": "fresh"}
    assert changed(site, span) == {}


def test_what_was_refreshed_is_what_a_new_home_makes(
    site: Site, make_site: Callable, mission: Mission, span: TimeRange
) -> None:
    """After the archive changed in several ways, `--refresh` gives the bytes of a home that never knew the old files."""
    site.run(span)
    mission.publish(TWO, seed=2, version=2)
    mission.publish(FOUR, seed=3)
    site.run(span, refresh=True)
    other = make_site("other")
    other.run(span)
    assert site.files() == other.files()


def test_refresh_reaches_the_halo_and_other_pipelines(make_site: Callable, mission: Mission, make_span: MakeSpan) -> None:
    """A week's mean over another pipeline's days: a day in its halo, before the week, has changed."""
    for day in ("2023-01-08", "2023-01-09", "2023-01-10"):
        mission.publish(day)
    site = make_site("home", make_site("basic_only").settings.pipelines.joinpath("basic.yaml").read_text(), WEEKS)
    week = make_span("2023-01-09", 7)
    site.run(week, name="weeks")
    mission.publish("2023-01-08", seed=5)
    site.made()
    report = site.run(week, name="weeks", refresh=True)
    assert report.status == "success"
    assert site.made() == {("BGSE", "2023-01-08"), ("mag", "2023-01-08"), ("mean", "2023-01-09")}


def test_an_archive_that_cannot_be_asked_changes_nothing(ran_site: Site, mission: Mission, span: TimeRange) -> None:
    """The run with `--refresh` fails and says so; what was made stays, and is still fresh."""
    before = ran_site.files()
    mission.server.close()
    report = ran_site.run(span, refresh=True)
    assert (report.status, report.exit_code) == ("failed", 1)
    assert report.failures[0].hint
    found = ran_site.drift(span)
    assert (found.unknown, found.changed, found.exit_code) == (5, 0, 1)
    assert ran_site.files() == before
    assert {state for states in ran_site.states(span).values() for state in states.values()} == {"fresh"}
    assert ran_site.run(span).run_id is None


def test_a_listing_that_comes_back_is_fresh_again(site: Site, mission: Mission, span: TimeRange) -> None:
    """Another version was seen and withdrawn before it was fetched: what was made is the archive's again."""
    site.run(span, refresh=True)
    mission.publish(THREE, seed=9, version=2)
    assert changed(site) == {THREE: ["new version"]}
    assert site.states(span)["b"][THREE] == "stale"
    mission.withdraw(THREE, version=2)
    assert changed(site) == {}
    assert site.states(span)["b"][THREE] == "fresh"
    assert unsynced(site, FETCH) == set()
    site.made()
    assert site.run(span).run_id is None
    assert site.made() == set()


def test_a_listing_that_comes_back_is_synced_for_every_parameter(
    make_site: Callable, mission: Mission, span: TimeRange
) -> None:
    """Dagster's page agrees for both parameters of a dataset, also where the second is asked about later than the first."""
    site = make_site("home", SCALAR)
    site.run(span, name="scalar")
    mission.publish(THREE, seed=9, version=2)
    site.drift(span, name="scalar")
    assert unsynced(site, FETCH) == unsynced(site, "cdaweb/TS_H0_MFI/F") == {THREE}
    mission.withdraw(THREE, version=2)
    assert observe(site).success
    assert unsynced(site, FETCH) == unsynced(site, "cdaweb/TS_H0_MFI/F") == set()


def test_one_listing_serves_all_parameters_of_a_dataset(make_site: Callable, mission: Mission, span: TimeRange) -> None:
    """Two parameters, one question; and both are marked."""
    site = make_site("home", SCALAR)
    site.run(span, name="scalar")
    mission.publish(THREE, seed=1)
    mission.server.requests.clear()
    report = site.drift(span, name="scalar")
    assert {asset.asset: [each.key for each in asset.partitions] for asset in report.assets} == {
        "cdaweb/TS_H0_MFI/F": [THREE],
        FETCH: [THREE],
    }
    assert sum(number for path, number in mission.server.requests.items() if "orig_data" in path) == 1
    states = site.states(span, name="scalar")
    assert (states["f"][THREE], states["vector"][THREE]) == ("stale", "stale")


def test_observing_in_dagster_marks_just_what_changed(ran_site: Site, mission: Mission, span: TimeRange) -> None:
    """The files' asset, observed over all that is stored and over a range: an event for the changed day, no event else."""
    assert observe(ran_site).success
    assert observed(ran_site) == []
    mission.publish(THREE, seed=1)
    assert observe(ran_site, TWO, TWO).success
    assert observed(ran_site) == []
    assert observe(ran_site, TWO, FOUR).success
    assert observe(ran_site).success
    assert observed(ran_site) == [THREE]
    assert ran_site.states(span)["b"] == {TWO: "fresh", THREE: "stale", FOUR: "fresh"}
    assert unsynced(ran_site, FETCH) == {THREE}


def test_an_observation_that_cannot_be_made_fails_in_dagster(ran_site: Site, mission: Mission) -> None:
    """An archive that is down is not a unchanged archive."""
    mission.server.close()
    assert not observe(ran_site).success
    assert observed(ran_site) == []


def observe(site: Site, first: str = "", last: str = "") -> dg.ExecuteInProcessResult:
    """Observe the files as Dagster's page does: over a range, or without one."""
    job = library_definitions(site.settings).resolve_implicit_global_asset_job_def()
    tags = {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last} if first else {}
    with open_instance(site.settings) as instance:
        return job.execute_in_process(instance=instance, asset_selection=[key(FILES)], tags=tags, raise_on_error=False)


@pytest.mark.parametrize("damage", ["as it was", "damaged"])
def test_a_cached_file_of_the_same_revision_is_trusted_by_its_hash(
    ran_site: Site, mission: Mission, span: TimeRange, damage: str
) -> None:
    """`--force` reads the cache and not the network, unless a cached file is not what was downloaded."""
    before = ran_site.files()
    if damage == "damaged":
        (cached,) = ran_site.settings.cache.rglob("ts_h0_mfi_20230103*.cdf")
        cached.write_bytes(cached.read_bytes()[:-7] + b"rubbish")
    mission.server.requests.clear()
    ran_site.run(span, force=True)
    assert mission.server.count(".cdf") == (1 if damage == "damaged" else 0)
    assert ran_site.files() == before

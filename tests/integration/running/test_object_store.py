"""A home whose tables are in an object store: the bytes and data versions of a folder, and every command over it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.exporting.export import export
from helio_dagster.launch.exporting.targets import find_target
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.history import open_history
from helio_dagster.launch.running.reading import read_dataframe
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.upkeep.prune import delete_orphans, report_orphans
from helio_dagster.launch.upkeep.reindex import reindex
from helio_dagster.launch.upkeep.verify import verify
from tests.integration.running.conftest import MakeSite, Mission, Site
from tests.object_store import ObjectService, contents

TWO, THREE, FOUR = "2023-01-02", "2023-01-03", "2023-01-04"
STORY = """
version: 1
name: story
title: Story
partitions: daily
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT2H}}
  - id: high
    compute: {operation: intervals_where, inputs: {series: mag}, options: {above: 5}}
  - id: storms
    table: {csv: "onset,name\\n2023-01-03T06:11Z,Made up", source: "made up"}
  - id: whole
    over: range
    compute: {operation: facts_of, inputs: {series: mean}}
  - id: view
    figure: {panels: [{traces: [{data: mag}, {data: mean}]}], events: storms}
"""
"""A fetch, series, events, a table, a result of the range, and a figure."""
ASSETS = ("cdaweb/TS_H0_MFI/BGSE", "story/mag", "story/mean", "story/high", "story/view")


@pytest.fixture
def remote(objects: ObjectService, make_site: MakeSite) -> Site:
    """A home whose tables are in a bucket of its own."""
    site = make_site("remote", STORY)
    site.settings = replace(site.settings, tables=objects.new_bucket())
    objects.gate.requests.clear()
    return site


def tables(site: Site) -> dict[str, bytes]:
    """Path to the bytes of each table, as a folder would have them."""
    assert site.settings.tables is not None
    stored = {key.removeprefix("data/"): content for key, content in contents(site.settings.tables).items()}
    return {f"{key.partition('@')[0]}.parquet": content for key, content in stored.items() if key.endswith(".parquet")}


def versions(site: Site) -> dict[str, dict[str | None, str]]:
    """Asset to partition to data version, as the record has them."""
    with open_history(site.settings) as history:
        found = {each: history.latest(each, [TWO, THREE, FOUR]) for each in ASSETS}
    return {each: {key: record.data_version for key, record in keys.items()} for each, keys in found.items()}


def request(site: Site, span: TimeRange) -> RunRequest:
    """The story over a range."""
    pipeline, graph = site.open("story")
    return RunRequest(graph, pipeline, span, asked=span)


def test_the_bytes_of_a_folder(objects: ObjectService, remote: Site, make_site: MakeSite, span: TimeRange) -> None:
    """Tables, data versions, report and states are those of a folder; the home has none; a second run makes nothing."""
    folder = make_site("folder", STORY)
    expected, report = folder.run(span, name="story"), remote.run(span, name="story")
    assert report.status == expected.status == "success", report
    assert tables(remote) == folder.files() != {}
    assert not remote.settings.data.exists()
    assert versions(remote) == versions(folder)
    assert remote.states(span, name="story") == folder.states(span, name="story")
    objects.gate.requests.clear()
    again = remote.run(span, name="story")
    assert {name: step.computed for name, step in again.steps.items()} == dict.fromkeys(again.steps, 0)
    assert objects.gate.count("PUT") == 0


def test_only_what_changed_is_made_again(objects: ObjectService, remote: Site, mission: Mission, span: TimeRange) -> None:
    """A day that the archive replaced is replaced in the bucket, which then holds nothing of the earlier one."""
    remote.run(span, name="story")
    before = tables(remote)
    mission.publish(THREE, seed=9)
    remote.run(span, name="story", refresh=True)
    after = tables(remote)
    assert {key for key in before if before[key] != after[key]} >= {f"story/mag/{THREE}.parquet", f"story/mean/{THREE}.parquet"}
    assert before.keys() == after.keys()
    assert before[f"story/mag/{TWO}.parquet"] == after[f"story/mag/{TWO}.parquet"]
    keys = contents(remote.settings.tables or "")
    assert len(keys) == len(after)


def test_reading_exporting_verifying(remote: Site, make_site: MakeSite, span: TimeRange, tmp_path: Path) -> None:
    """What is read and exported is what a folder gives, and verifying finds the same bytes."""
    folder = make_site("folder", STORY)
    for site in (remote, folder):
        site.run(span, name="story")
    frames, files = [], []
    for number, site in enumerate((remote, folder)):
        graph = site.open("story")[1]
        bench, node = site.workbench(), graph["story/mag"]
        frames.append(read_dataframe(bench.store, node, span))
        target = find_target(node.name, span, tmp_path / f"{number}.csv", None)
        export(graph, node, span, target, bench)
        files.append(target.path.read_bytes())
    assert frames[0].equals(frames[1])
    assert len(frames[0]) > 0
    assert files[0] == files[1]
    report = verify(request(remote, span), remote.workbench())
    assert report.status == "same"
    assert {each.verdict for step in report.steps for each in step.partitions} == {"same"}


def test_pruning(remote: Site, span: TimeRange) -> None:
    """What no pipeline has any more is listed and deleted in the bucket, and nothing else."""
    remote.run(span, name="story")
    before = tables(remote)
    remote.save(
        STORY.replace(
            "  - id: high\n    compute: {operation: intervals_where, inputs: {series: mag}, options: {above: 5}}\n", ""
        )
    )
    listed, report = report_orphans(Home(remote.settings), with_downloads=False)
    assert [(each.name, each.files) for each in report.orphans] == [("story/high", 3)]
    assert report.bytes == sum(len(content) for key, content in before.items() if key.startswith("story/high/"))
    delete_orphans(Home(remote.settings), listed, with_downloads=False)
    assert tables(remote) == {key: content for key, content in before.items() if not key.startswith("story/high/")}


def test_a_lost_record_is_made_from_the_bucket(remote: Site, make_site: MakeSite, span: TimeRange) -> None:
    """`helio reindex` records what is stored, after which a run makes nothing."""
    remote.run(span, name="story")
    known = versions(remote)
    fresh = make_site("fresh", STORY)
    fresh.settings = replace(fresh.settings, tables=remote.settings.tables)
    (fresh.settings.home / ".identity").write_bytes((remote.settings.home / ".identity").read_bytes())
    bench = fresh.workbench()
    reindex(fresh.open("story")[1], bench)
    tabular = {name: keys for name, keys in known.items() if name != "story/view"}
    assert {name: keys for name, keys in versions(fresh).items() if name != "story/view"} == tabular
    assert fresh.run(span, name="story").steps["mean"].computed == 0


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (403, "AccessDenied", "refuses to write objects"),
        pytest.param(400, "ExpiredToken", "have expired", marks=pytest.mark.nightly),
        pytest.param(403, "RequestTimeTooSkewed", "clock is wrong", marks=pytest.mark.nightly),
    ],
)
def test_a_bucket_that_fails_in_a_run(
    objects: ObjectService, remote: Site, make_site: MakeSite, span: TimeRange, status: int, code: str, said: str
) -> None:
    """One message ends a run whose bucket refuses; the same command then goes on, to the bytes of a folder."""
    folder = make_site("folder", STORY)
    folder.run(span, name="story")

    def refuse(method: str, path: str) -> tuple[int, str] | None:
        return (status, code) if method == "PUT" and "mean" in path else None

    objects.gate.answers = refuse
    with pytest.raises(StorageError, match=said):
        remote.run(span, name="story")
    objects.gate.answers = lambda _method, _path: None
    kept = tables(remote)
    assert f"story/mag/{TWO}.parquet" in kept
    objects.gate.requests.clear()
    assert remote.run(span, name="story").status == "success"
    assert not any(method == "PUT" and "/mag/" in path for method, path in objects.gate.requests)
    assert tables(remote) == folder.files()


@pytest.mark.nightly
def test_a_bucket_that_is_busy_and_slow(objects: ObjectService, remote: Site, make_site: MakeSite, span: TimeRange) -> None:
    """Every third request is refused by 503, and each takes a moment: nobody notices, and each table is written once."""
    folder = make_site("folder", STORY)
    folder.run(span, name="story")
    written = list[str]()

    def answer(method: str, path: str) -> tuple[int, str] | None:
        time.sleep(0.05)
        if len(objects.gate.requests) % 3 == 0:
            return 503, "SlowDown"
        if method == "PUT" and ".parquet" in path:
            written.append(path)
        return None

    objects.gate.answers = answer
    assert remote.run(span, name="story").status == "success"
    objects.gate.answers = lambda _method, _path: None
    assert tables(remote) == folder.files() != {}
    assert sorted(written) == sorted(set(written))

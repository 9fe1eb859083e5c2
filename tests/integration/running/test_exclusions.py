"""Exclusions: samples inside listed intervals do not count, and a changed list redoes just what it touches."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime

import dagster as dg
import numpy as np
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest

from helio_dagster.definitions import library_definitions
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.check_results import judge
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run_plan import plan_run
from helio_dagster.launch.running.run_side import HomeSide
from helio_dagster.launch.upkeep.orphans import find_orphans, owned
from tests.integration.running.conftest import MakeSite, Mission, Prepare, Shell, Site

BAD = "start,stop\n2023-01-02T06:00Z,2023-01-02T09:00Z\n2023-01-03T23:00Z,2023-01-04T01:15Z\n"
CLEAN = """
version: 1
name: basic
start: 2023-01-01
steps:
  - id: bad
    events: {file: lists/bad.csv}
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
    exclude: bad
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT2H}}
  - id: stormy
    compute:
      operation: intervals_where
      inputs: {series: mag}
      options: {above: 9, longest: PT6H}
  - id: quiet
    exclude: [stormy, bad]
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT1H}}
"""


def write_list(site: Site, text: str) -> None:
    """Put the list beside the pipelines, or change it."""
    path = site.settings.pipelines / "lists" / "bad.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    """A home whose fetch leaves out two intervals."""
    site = make_site("home", CLEAN)
    write_list(site, BAD)
    return site


@pytest.fixture
def ran_site(site: Site, prepare: Prepare, span: TimeRange) -> Site:
    """The same after a run over the three days."""
    return prepare("excluded", site, lambda new: new.run(span))


def test_samples_inside_are_missing_and_all_others_as_fetched(site: Site, span: TimeRange) -> None:
    """By comparing with the shared fetch, which stays whole."""
    assert site.run(span).status == "success"
    store = site.workbench().store
    lost = 0
    for key in store.partitions("basic/b"):
        raw, clean = store.read("cdaweb/TS_H0_MFI/BGSE", key), store.read("basic/b", key)
        inside = np.zeros(len(raw), dtype=bool)
        for row in BAD.splitlines()[1:]:
            start, stop = (np.datetime64(moment.rstrip("Z"), "ns") for moment in row.split(","))
            inside |= (raw.time >= start) & (raw.time < stop)
        for name, values in raw.columns.items():
            assert np.isfinite(values).all()
            assert np.array_equal(clean.columns[name], np.where(inside, np.nan, values), equal_nan=True)
        lost += int(inside.sum())
    assert lost == 6 + 2 + 3


def test_it_does_not_matter_how_the_range_was_cut(site: Site, span: TimeRange, make_site: MakeSite) -> None:
    """Also of a list that a step computes, whose intervals reach into the next day."""
    one_by_one = make_site("other", CLEAN)
    write_list(one_by_one, BAD)
    site.run(span)
    pipeline, _ = site.open()
    assert isinstance(pipeline.partitions, Grain)
    for key in reversed(pipeline.partitions.keys(span)):
        one_by_one.run(pipeline.partitions.window(key))
    ours, theirs = site.files("basic"), one_by_one.files("basic")
    assert {name: ours[name] for name in ours if "/bad" not in name} == {
        name: theirs[name] for name in ours if "/bad" not in name
    }


def test_a_computed_list_excludes_what_began_the_day_before(site: Site, span: TimeRange) -> None:
    """Oracle: all its intervals at once, applied to the mean that nothing was excluded from."""
    site.save(CLEAN.replace("above: 9, longest: PT6H", "above: 5, longest: P1D"))
    report = site.run(span)
    store = site.workbench().store
    starts, stops = [], []
    for key in store.partitions("basic/stormy"):
        table = store.read("basic/stormy", key)
        starts += list(table.time)
        stops += list(table.columns[table.meta.role_name("stop") or ""])
    assert [each.start[:19] for each in report.events] == [str(start)[:19] for start in starts], "the report lists them"
    assert any(str(start)[:10] != str(stop)[:10] for start, stop in zip(starts, stops, strict=True)), "one crosses midnight"
    crossing = next(row for row, start in enumerate(starts) if str(start)[:10] != str(stops[row])[:10])
    part = TimeRange(span.start, datetime.fromisoformat(str(stops[crossing])[:10]).replace(tzinfo=UTC))
    assert [each.cut for each in site.run(part).events] == [False] * crossing + [True], "it reaches beyond a shorter range"
    (listed,) = [each for each in HomeSide(Home(site.settings), site.workbench()).judge("basic", part) if each.step == "stormy"]
    assert (listed.facts["events"], listed.facts["cut"]) == (crossing + 1, 1)
    assert listed.text.endswith("(1 reaches beyond the range)")
    for key in store.partitions("basic/quiet"):
        table = store.read("basic/quiet", key)
        values = table.columns[table.meta.data_names[0]]
        inside = np.zeros(len(table), dtype=bool)
        for start, stop in zip(starts, stops, strict=True):
            inside |= (table.time >= start) & (table.time < stop)
        assert inside.any()
        assert np.isnan(values[inside]).all()


def test_a_new_row_redoes_just_what_it_touches(ran_site: Site, span: TimeRange) -> None:
    """A row on one day, a comment, and one outside the range; and the whole chain behind it, halos included."""
    ran_site.made()
    write_list(ran_site, BAD + "2023-01-02T12:00Z,2023-01-02T12:40Z\n2024-05-05,2024-05-06\n")
    assert ran_site.states(span)["b"] == {"2023-01-02": "stale", "2023-01-03": "fresh", "2023-01-04": "fresh"}
    assert any("bad" in why for why in ran_site.why("b", "2023-01-02"))
    ran_site.run(span)
    remade = ran_site.made()
    assert {key for step, key in remade if step == "b"} == {"2023-01-02"}
    assert {key for step, key in remade if step == "mag"} == {"2023-01-02"}
    assert set(ran_site.states(span)["b"].values()) == {"fresh"}


def test_exclusions_are_no_gaps(site: Site, span: TimeRange) -> None:
    """The checks count them apart, `show` has their share, and a day without anything left is no fault."""
    write_list(site, BAD + "2023-01-04T00:00Z,2023-01-05T00:00Z\n")
    site.run(span)
    pipeline, graph = site.open()
    workbench = site.workbench()
    request = RunRequest(graph, pipeline, span)
    states = plan_run(request, workbench).states
    found = {(each.step, each.check): each for each in judge(graph, pipeline, span, workbench.store, states=states)}
    assert found["b", "coverage"].has_passed
    assert (found["b", "coverage"].facts["coverage"], found["b", "coverage"].facts["gaps"]) == (1.0, 0)
    assert found["b", "excluded"].facts["excluded"] == 6 + 2 + 48
    assert found["b", "values"].facts["fill_share"] == 0
    assert found["mag", "values"].facts["fill_share"] == 0
    stored = workbench.store.peek("basic/b", "2023-01-02")
    assert stored is not None
    assert stored.provenance["excluded"]["share_of_time"] == 0.125


LIST_STEP = "events: {file: lists/bad.csv}"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (LIST_STEP, 'table: {csv: "time,name\\n2023-01-02,a", source: me}', "its row at 2023-01-02T00:00:00 has no stop"),
        (LIST_STEP, "fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}", "it lists no intervals"),
        ("exclude: bad\n", "exclude: mag\n", "steps wait for each other"),
        ("exclude: bad\n", "exclude: worse\n", "there is no step 'worse'"),
    ],
)
def test_what_cannot_be_excluded_is_refused_before_anything_runs(
    site: Site, span: TimeRange, old: str, new: str, problem: str
) -> None:
    """A row without a stop, a step that is no list, a ring, a step without samples."""
    site.save(CLEAN.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        site.run(span)
    assert problem in str(error.value)
    assert site.files() == {}


def test_prune_verify_and_reindex_know_both_the_whole_fetch_and_what_is_left(
    ran_site: Site, span: TimeRange, shell: Shell
) -> None:
    """Neither is an orphan, both are made again byte for byte, and a lost record is found again."""
    home = Home(ran_site.settings)
    assert find_orphans(home, owned(home)) == []
    assert {"cdaweb/TS_H0_MFI/BGSE", "basic/b"} <= {name.rsplit("/", 1)[0] for name in ran_site.files()}
    assert "lists/bad.csv" in shell(ran_site, "cite", "basic", "--json").stdout
    verified = shell(ran_site, "verify", "basic", "2023-01-02", "2023-01-05", "--json")
    assert verified.returncode == 0, verified.stdout
    shutil.rmtree(ran_site.settings.instance)
    assert shell(ran_site, "reindex").returncode == 0
    assert {state for step in ran_site.states(span).values() for state in step.values()} == {"fresh"}


def test_events_leave_them_out_too(site: Site, make_site: MakeSite) -> None:
    """Of a pipeline over events, where the same list may exclude from all windows."""
    text = CLEAN.split("  - id: stormy")[0].replace(
        "start: 2023-01-01", "partitions: {events: storms, before: PT2H, after: PT4H}"
    )
    text += '  - id: storms\n    table: {csv: "time,name\\n2023-01-02T08:00,a\\n2023-01-03T12:00,b", source: me}\n'
    over_events = make_site("events", text)
    write_list(over_events, BAD)
    whole = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 5, tzinfo=UTC))
    assert over_events.run(whole).status == "success"
    store = over_events.workbench().store
    first, second = (store.read("basic/b", key) for key in store.partitions("basic/b"))
    assert int(np.isnan(first.columns[first.meta.data_names[0]]).sum()) == 6
    assert not np.isnan(second.columns[second.meta.data_names[0]]).any()
    over_events.made()
    write_list(over_events, BAD.replace("06:00Z", "06:40Z"))
    over_events.run(whole)
    assert {key for step, key in over_events.made() if step == "b"} == {"20230102T0800_a"}


def test_dagster_calls_fresh_what_was_just_made(ran_site: Site, span: TimeRange) -> None:
    """By its own resolver; after the list changed it calls stale all that read it, until a run finds them fresh."""

    def statuses() -> set[StaleStatus]:
        graph = library_definitions(ran_site.settings).resolve_asset_graph()
        with open_instance(ran_site.settings) as instance:
            resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
            days = ("2023-01-02", "2023-01-03", "2023-01-04")
            return {resolver.get_status(dg.AssetKey(["basic", step]), day) for step in ("b", "mag", "quiet") for day in days}

    assert statuses() == {StaleStatus.FRESH}
    write_list(ran_site, BAD + "2023-01-02T12:00Z,2023-01-02T12:40Z\n")
    ran_site.run(TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC)))
    assert StaleStatus.STALE in statuses()
    ran_site.made()
    with open_instance(ran_site.settings) as instance:
        job = library_definitions(ran_site.settings).resolve_implicit_global_asset_job_def()
        days = {"dagster/asset_partition_range_start": "2023-01-02", "dagster/asset_partition_range_end": "2023-01-04"}
        chosen = [dg.AssetKey(["basic", step]) for step in ("b", "mag", "mean", "stormy", "quiet")]
        assert job.execute_in_process(instance=instance, asset_selection=chosen, tags=days).success
    assert "b" not in {step for step, _ in ran_site.made()}
    assert statuses() == {StaleStatus.FRESH}


def test_a_revised_file_is_noticed_under_an_exclusion(ran_site: Site, span: TimeRange, mission: Mission) -> None:
    """The shared fetch is no step of the pipeline, and yet asked about; just its day is redone."""
    ran_site.made()
    mission.publish("2023-01-03", seed=7)
    ran_site.run(span, refresh=True)
    remade = ran_site.made()
    assert {key for step, key in remade if step == "BGSE"} == {"2023-01-03"}
    assert {key for step, key in remade if step == "b"} == {"2023-01-03"}

"""A running webserver and daemon: however a partition is started, its data are those of `helio run`, and stale is stale."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import httpx
import pytest

from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.web.addresses import DAGSTER
from helio_dagster.launch.web.ui import web_ui
from tests.brokers import BROKER, require_broker, started_workers
from tests.integration.running.conftest import Mission, Site
from tests.ports import free_port

pytestmark = pytest.mark.xdist_group("daemon")

PATIENCE_S = 240
LAUNCH = """
mutation Launch($params: ExecutionParams!) {
  launchRun(executionParams: $params) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
    ... on RunConfigValidationInvalid { errors { message } }
  }
}
"""
BACKFILL = """
mutation Backfill($params: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $params) {
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PythonError { message }
  }
}
"""
RUN = "query Run($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
BACKFILLED = "query Done($id: String!) { partitionBackfillOrError(backfillId: $id) { ... on PartitionBackfill { status } } }"
STALE = """
query Stale($key: AssetKeyInput!, $partition: String!) {
  assetNodeOrError(assetKey: $key) { ... on AssetNode { staleStatus(partition: $partition) } }
}
"""
PIPELINE = """
version: 1
name: {name}
partitions: daily
start: {start}
{head}
steps:
  - id: b
    fetch: {{archive: cdaweb, dataset: {dataset}, parameter: BGSE}}
  - id: mag
    compute: {{operation: magnitude, inputs: {{vector: b}}}}
  - id: mean
    compute: {{operation: rolling_mean, inputs: {{series: mag}}, options: {{window: PT2H}}}}
"""


class Page:
    """What Dagster's page at an address can do, through the same GraphQL questions."""

    def __init__(self, url: str) -> None:
        self.url = url

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """One question."""
        answer = httpx.post(f"{self.url}/graphql", json={"query": query, "variables": variables}, timeout=60).json()
        assert "errors" not in answer, answer["errors"]
        (found,) = answer["data"].values()
        return dict(found)

    def launch(self, assets: Sequence[str], first: str, last: str) -> str:
        """Materialize or observe assets over a range in one run; how the run ends."""
        selector = {
            "repositoryName": "__repository__",
            "repositoryLocationName": "helio_dagster",
            "pipelineName": "__ASSET_JOB",
            "assetSelection": [path(asset) for asset in assets],
        }
        tags = {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}
        metadata = {"tags": [{"key": key, "value": value} for key, value in tags.items()]}
        params = {"selector": selector, "mode": "default", "runConfigData": {}, "executionMetadata": metadata}
        launched = self.ask(LAUNCH, params=params)
        assert launched["__typename"] == "LaunchRunSuccess", launched
        ended = {"SUCCESS", "FAILURE", "CANCELED"}
        return str(wait(lambda: self.ask(RUN, id=launched["run"]["runId"])["status"], ended.__contains__))

    def backfill(self, assets: Sequence[str], partitions: Sequence[str]) -> str:
        """Backfill assets; how it ends."""
        params = {"assetSelection": [path(asset) for asset in assets], "partitionNames": list(partitions)}
        launched = self.ask(BACKFILL, params=params)
        assert launched["__typename"] == "LaunchBackfillSuccess", launched
        ended = {"COMPLETED_SUCCESS", "COMPLETED_FAILED", "CANCELED", "FAILED"}
        return str(wait(lambda: self.ask(BACKFILLED, id=launched["backfillId"])["status"], ended.__contains__))

    def is_stale(self, asset: str, partition: str) -> bool:
        """Whether the page marks a partition as unsynced."""
        found: str = self.ask(STALE, key=path(asset), partition=partition)["staleStatus"]
        return found == "STALE"


def path(asset: str) -> dict[str, list[str]]:
    """An asset's key as GraphQL takes it."""
    return {"path": asset.split("/")}


def wait(look: Callable[[], Any], is_it: Callable[[Any], bool]) -> Any:
    """What is seen once it is as expected; the last that was seen when patience is at its end."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_it(seen := look()) and time.monotonic() < deadline:
        time.sleep(1)
    return seen


def versions(site: Site, name: str, span: TimeRange) -> dict[str, dict[str, str]]:
    """Step to partition to the newest data version in Dagster's record."""
    pipeline, graph = site.open(name)
    found: dict[str, dict[str, str]] = {}
    with open_instance(site.settings) as instance:
        for step, node in graph.of_pipeline(pipeline).items():
            for day in pipeline.partitions.keys(span):
                key = dg.AssetKey(node.name.split("/"))
                record = instance.get_latest_data_version_record(key, False, day)
                assert record is not None, (node.name, day)
                tags = record.event_log_entry.dagster_event.step_materialization_data.materialization.tags
                assert tags is not None, (node.name, day)
                found.setdefault(step, {})[day] = tags["dagster/data_version"]
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("record", ["sqlite", "postgres", "postgres and workers"])
def test_page_backfill_schedule_condition_and_command_line_give_the_same(
    make_site: Callable, mission: Mission, record: str, request: pytest.FixtureRequest
) -> None:
    """Recent days of two datasets, each pipeline started in its own way, one by page, backfill and command line at once.

    Then one republished day of each is noticed everywhere, and each file was downloaded once.
    """
    now = datetime.now(UTC)
    last = Grain.DAILY.floor(now)
    span = TimeRange(last - timedelta(days=4), last)
    days = Grain.DAILY.keys(span)
    for source in ("TS_H0_MFI", "TS_H1_MFI"):
        for day in Grain.DAILY.keys(span.widened(timedelta(days=1), timedelta(0))):
            mission.publish(day, source=source)
    start = f"{last - timedelta(days=30):%Y-%m-%d}"
    texts = [
        PIPELINE.format(name="plain", start=start, head="", dataset="TS_H1_MFI"),
        PIPELINE.format(name="timed", start=start, head='schedule: "* * * * *"\nrecheck: 4', dataset="TS_H0_MFI"),
        PIPELINE.format(name="watching", start=start, head="schedule: on_change\nrecheck: 4", dataset="TS_H0_MFI"),
    ]
    site, other = make_site("home", *texts), make_site("other", *texts)
    site.clock = other.clock = lambda: datetime.now(UTC)
    if record != "sqlite":
        site.settings = replace(site.settings, postgres=request.getfixturevalue("postgres"))
    if has_workers := record == "postgres and workers":
        require_broker()
        site.settings = replace(site.settings, dispatch=Dispatch(BROKER, partitions=2, at_once=2))
    plain = ["cdaweb/TS_H1_MFI/BGSE", "plain/mag", "plain/mean"]
    with ExitStack() as stack:
        ui = stack.enter_context(web_ui(site.settings, port=free_port()))
        if has_workers:
            stack.enter_context(started_workers(site.settings, 2, site.settings.home / "workers.log"))
        page = Page(f"{ui.url}{DAGSTER}")
        with ThreadPoolExecutor(2) as others:
            launched = others.submit(page.launch, plain, days[0], days[1])
            filled = others.submit(page.backfill, plain, days[2:])
            assert site.run(span, name="plain").status == "success"
            assert (launched.result(), filled.result()) == ("SUCCESS", "COMPLETED_SUCCESS")
        for name in ("timed", "watching"):
            assert all_states(site, name, span) == {"fresh"}

        mission.publish(days[1], seed=1, source="TS_H1_MFI")
        assert page.launch(["cdaweb/TS_H1_MFI/files"], days[0], days[3]) == "SUCCESS"
        assert [page.is_stale(plain[0], day) for day in days] == [False, True, False, False]
        assert list(site.states(span, name="plain")["b"].values()) == ["fresh", "stale", "fresh", "fresh"]
        site.run(span, name="plain")
        assert not any(page.is_stale(asset, day) for asset in plain for day in days)

        before = versions(site, "watching", span)
        mission.publish(days[2], seed=1, source="TS_H0_MFI")
        assert page.launch(["cdaweb/TS_H0_MFI/files"], days[0], days[3]) == "SUCCESS"
        changed = wait(
            lambda: [day for day in days if versions(site, "watching", span)["mean"][day] != before["mean"][day]],
            lambda found: found == days[1:],
        )
        assert changed == days[1:]
        for name in ("timed", "watching"):
            assert all_states(site, name, span) == {"fresh"}
    downloads = [number for asked, number in mission.server.requests.items() if asked.endswith(".cdf")]
    assert sum(downloads) == 2 * 5 + 2
    for name in ("plain", "timed", "watching"):
        assert other.run(span, name=name).status == "success"
        assert versions(site, name, span) == versions(other, name, span)
        for step in ("mag", "mean"):
            ours, theirs = site.files(f"{name}/{step}"), other.files(f"{name}/{step}")
            assert {key: ours[key] for key in theirs} == theirs != {}


def all_states(site: Site, name: str, span: TimeRange) -> set[str]:
    """The states of a pipeline's partitions once they are all fresh."""
    return set(
        wait(
            lambda: {state for states in site.states(span, name=name).values() for state in states.values()},
            lambda found: found == {"fresh"},
        )
    )


FINDER = """
version: 1
name: finder
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: found
    compute: {operation: intervals_where, inputs: {series: mag}, options: {above: 13, longest: PT12H}}
"""
STORMS = """
version: 1
name: storms
schedule: on_change
partitions: {events: list, before: PT2H, after: PT4H}
steps:
  - id: list
    events: {file: lists/storms.csv}
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
"""


@pytest.mark.nightly
def test_a_list_that_grows_makes_its_new_partition_by_itself(make_site: Callable) -> None:
    """The daemon's sensor adds and runs the new event alone; what was made before is not made again."""
    site = make_site("home", STORMS)
    path = site.settings.pipelines / "lists" / "storms.csv"
    path.parent.mkdir()
    path.write_text("start,name\n2023-01-02T12:00Z,one\n2023-01-03T12:00Z,two\n")

    def made() -> set[str]:
        return {name.rsplit("/", 1)[-1] for name in site.files("storms/mag")}

    with web_ui(site.settings, port=free_port()):
        first = {"20230102T1200_one.parquet", "20230103T1200_two.parquet"}
        assert wait(made, lambda found: found == first) == first
        site.made()
        with path.open("a") as lines:
            lines.write("2023-01-04T06:00Z,three\n")
        grown = first | {"20230104T0600_three.parquet"}
        assert wait(made, lambda found: found == grown) == grown
        assert {key for step, key in site.made() if step == "mag"} == {"20230104T0600_three"}


@pytest.mark.nightly
def test_what_a_run_finds_is_made_by_itself(make_site: Callable, make_span: Callable[..., TimeRange]) -> None:
    """A run of the pipeline that detects finds new events; the daemon's sensor makes their partitions and nothing else."""
    site = make_site("home", FINDER, STORMS.replace("events: list, ", "events: finder/found, "))
    (site.settings.pipelines / "lists").mkdir()
    (site.settings.pipelines / "lists" / "storms.csv").write_text("start,name\n2023-01-02T12:00Z,one\n")

    def made() -> set[str]:
        return {name.rsplit("/", 1)[-1].removesuffix(".parquet") for name in site.files("storms/mag")}

    def found() -> set[str]:
        return set(Home(site.settings).graph.events["storms"].events)

    with web_ui(site.settings, port=free_port()):
        site.run(make_span("2023-01-02"), name="finder")
        first = found()
        assert wait(made, lambda keys: keys == first) == first != set()
        site.made()
        site.run(make_span("2023-01-03", 2), name="finder")
        grown = found()
        assert wait(made, lambda keys: keys == grown) == grown
        assert {key for step, key in site.made() if step == "mag" and "T" in key} == grown - first != set()

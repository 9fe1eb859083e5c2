"""Runs over several workers: the same bytes, each partition made once, whoever is killed or asks at the same time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.history import open_history
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.web.ui import web_ui
from tests.brokers import BROKER, RABBITMQ, require_broker, started_workers
from tests.integration.running.conftest import BASIC, MakeSite, MakeSpan, Mission, Site
from tests.integration.running.test_retries import CODED
from tests.ports import free_port
from tests.postgres import ask

PATIENCE_S = 240
DAYS = [f"2023-01-{day:02d}" for day in range(1, 13)]
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
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT30H}}
  - id: whole
    over: range
    compute:
      inputs: {x: mean}
      unit: nT
      code: |
        return x - x.mean()
  - id: view
    figure: {panels: [{traces: [{data: mag}, {data: mean}]}]}
"""
"""A fetch that `basic` shares, a halo over both neighbours, a result of the range, and a figure."""


@pytest.fixture
def days(mission: Mission, make_span: MakeSpan) -> TimeRange:
    """Ten days with neighbours on both sides."""
    for day in DAYS:
        mission.publish(day)
    return make_span("2023-01-02", 10)


@pytest.fixture
def lab(make_site: MakeSite, days: TimeRange, postgres: str) -> Iterator[Site]:
    """A home whose runs go to two workers in pieces of four days, with Dagster's daemon."""
    with open_lab(make_site, postgres, BROKER) as site:
        yield site


@contextmanager
def open_lab(
    make_site: MakeSite, postgres: str, broker: str, *, partitions: int = 4, last: Mapping[str, str] | None = None
) -> Iterator[Site]:
    """The home of `lab`, with a broker of one's choice, pieces of so many days, and more in the last worker's environment."""
    require_broker(broker)
    site = make_site("lab", BASIC, STORY)
    site.settings = replace(site.settings, postgres=postgres, dispatch=Dispatch(broker, partitions=partitions, at_once=2))
    with ExitStack() as stack:
        stack.enter_context(web_ui(site.settings, port=free_port()))
        stack.enter_context(started_workers(site.settings, 2, site.settings.home / "workers.log", last=last))
        yield site


def versions(site: Site, assets: list[str]) -> dict[str, dict[str | None, str]]:
    """Asset to partition to data version, as the record has them."""
    with open_history(site.settings) as history:
        return {each: {key: found.data_version for key, found in history.latest(each, DAYS).items()} for each in assets}


def made_how_often(site: Site) -> Counter[tuple[str, str | None]]:
    """How often each partition of an asset was recorded."""
    assert site.settings.postgres is not None
    query = "SELECT asset_key, partition FROM event_logs WHERE dagster_event_type = 'ASSET_MATERIALIZATION'"
    return Counter((str(asset), key) for asset, key in ask(site.settings.postgres, query))


ASSETS = ["cdaweb/TS_H0_MFI/BGSE", "story/mag", "story/mean", "story/whole", "story/view"]


def test_two_workers_make_the_bytes_of_a_laptop(make_site: MakeSite, lab: Site, days: TimeRange, mission: Mission) -> None:
    """Tables, data versions and the report; each file is downloaded once, and each partition made once.

    So it is after the pipeline was edited, though the processes are those that loaded it before.
    """
    make_the_bytes_of_a_laptop(make_site, lab, days, mission)


def test_so_it_is_with_rabbitmq(make_site: MakeSite, postgres: str, days: TimeRange, mission: Mission) -> None:
    """The other broker that a home can have."""
    with open_lab(make_site, postgres, RABBITMQ) as lab:
        make_the_bytes_of_a_laptop(make_site, lab, days, mission)


def make_the_bytes_of_a_laptop(make_site: MakeSite, lab: Site, days: TimeRange, mission: Mission) -> None:
    """Run a story on workers, edit it and run it again, beside a laptop that does the same."""
    alone = make_site("laptop", BASIC, STORY)
    expected = alone.run(days, name="story")
    asked = mission.server.count(".cdf")
    report = lab.run(days, name="story")
    assert report.status == expected.status == "success", report
    assert lab.files() == alone.files() != {}
    assert versions(lab, ASSETS) == versions(alone, ASSETS)
    assert mission.server.count(".cdf") - asked == len(DAYS)
    assert report.steps == expected.steps
    assert [Path(each.html).name for each in report.figures] == [Path(each.html).name for each in expected.figures]
    assert {name for name, count in made_how_often(lab).items() if count > 1} == set()
    assert 0 < mission.server.most_at_once <= 5
    edited = STORY.replace("PT30H", "PT20H")
    for site in (alone, lab):
        (site.settings.pipelines / "story.yaml").write_text(edited)
    again, expected = lab.run(days, name="story"), alone.run(days, name="story")
    assert again.steps == expected.steps
    assert lab.files() == alone.files()
    assert processes_of_runs(lab) <= 2, "a worker's process does one run after the other"


@pytest.mark.nightly
@pytest.mark.parametrize("whole", [False, True], ids=["process", "worker"])
def test_a_run_of_a_killed_worker_is_taken_up(
    make_site: MakeSite, lab: Site, days: TimeRange, whole: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """The process of a run, or its whole worker, is killed in mid-run: another one continues, and nothing is made again."""
    alone = make_site("laptop", BASIC, STORY)
    expected = alone.run(days, name="story")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(lab.run, days, name="story")
        process, run_id = process_of_a_run(lab)
        if whole:
            os.killpg(os.getpgid(process), signal.SIGKILL)
        else:
            os.kill(process, signal.SIGKILL)
        report = running.result()
    assert report.status == "success", report
    assert report.steps == expected.steps
    assert lab.files() == alone.files()
    assert lab.settings.postgres is not None
    taken_up = ask(lab.settings.postgres, "SELECT run_id, value FROM run_tags WHERE key = 'helio/taken_up'")
    assert taken_up == [(run_id, "1")]
    assert {name for name, count in made_how_often(lab).items() if count > 1} == set()
    assert f"a worker was killed: another one continues its run {run_id[:8]}" in caplog.text
    assert ask(lab.settings.postgres, "SELECT key FROM kvs WHERE key LIKE 'helio/held/%%' OR key LIKE 'helio/lines/%%'") == []


@pytest.mark.nightly
def test_a_short_run_goes_before_the_rest_of_a_long_one(lab: Site, days: TimeRange, make_span: MakeSpan) -> None:
    """The long one was queued first, in ten pieces; those that are launched already are not stopped."""
    dispatch, record = lab.settings.dispatch, lab.settings.postgres
    assert dispatch is not None
    assert record is not None
    lab.settings = replace(lab.settings, dispatch=replace(dispatch, partitions=1))
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(lab.run, days, name="story")
        process_of_a_run(lab)
        short = lab.run(make_span("2023-01-12"), name="basic")
        assert long.result().status == short.status == "success"
    query = "SELECT run_id, dagster_event_type FROM event_logs WHERE dagster_event_type IN (%s, %s) ORDER BY id"
    events = ask(record, query, ("PIPELINE_ENQUEUED", "PIPELINE_STARTING"))
    queued, begun = (events.index((short.run_id, each)) for each in ("PIPELINE_ENQUEUED", "PIPELINE_STARTING"))
    before = [run_id for run_id, kind in events[queued:begun] if kind == "PIPELINE_STARTING"]
    after = [run_id for run_id, kind in events[begun + 1 :] if kind == "PIPELINE_STARTING"]
    assert len(before) <= dispatch.launched
    assert after


@pytest.mark.nightly
def test_ctrl_c_cancels_the_runs(make_site: MakeSite, lab: Site, days: TimeRange, package_root: Path) -> None:
    """Of `helio run` as a command: nothing is left queued or running, and the same command completes the rest."""
    command = start_command(lab, package_root, "run", "story", "2023-01-02", "2023-01-12", "--json")
    process_of_a_run(lab)
    command.send_signal(signal.SIGINT)
    _, said = command.communicate(timeout=PATIENCE_S)
    assert command.returncode == 1, said
    assert "run the same command again" in said
    assert "Traceback" not in said
    with open_instance(lab.settings) as instance:
        states = {run.status for run in instance.get_runs()}
        assert dg.DagsterRunStatus.CANCELED in states
        assert states <= {dg.DagsterRunStatus.CANCELED, dg.DagsterRunStatus.SUCCESS}
    alone = make_site("laptop", BASIC, STORY)
    alone.run(days, name="story")
    out, said = start_command(lab, package_root, "run", "story", "2023-01-02", "2023-01-12", "--json").communicate()
    assert json.loads(out)["status"] == "success", said
    assert lab.files() == alone.files()
    assert {name for name, count in made_how_often(lab).items() if count > 1} == set()


@pytest.mark.nightly
def test_another_home_with_the_record_has_no_workers(make_site: MakeSite, lab: Site, days: TimeRange) -> None:
    """Its command says so at once, and makes its own where it is to run without workers."""
    other = make_site("other", BASIC)
    other.settings = replace(other.settings, postgres=lab.settings.postgres, dispatch=lab.settings.dispatch)
    with pytest.raises(HelioError, match="is that of another home") as caught:
        other.run(days)
    assert "HELIO_RUNS_BROKER=none" in caught.value.hint
    other.settings = replace(other.settings, dispatch=None)
    assert other.run(days).status == "success"


@pytest.mark.nightly  # by day two workers run one range, above
def test_two_people_at_once_make_everything_once(
    make_site: MakeSite, lab: Site, days: TimeRange, make_span: MakeSpan, mission: Mission
) -> None:
    """Overlapping ranges of two pipelines that share a fetch; all workers together ask the archive five things at a time."""
    asked = mission.server.count(".cdf")
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(lab.run, make_span("2023-01-02", 7), name="basic")
        other = pool.submit(lab.run, days, name="story")
        assert one.result().status == other.result().status == "success"
    assert mission.server.count(".cdf") - asked == len(DAYS)
    assert {name for name, count in made_how_often(lab).items() if count > 1} == set()
    assert 0 < mission.server.most_at_once <= 5
    alone = make_site("laptop", BASIC, STORY)
    alone.run(make_span("2023-01-02", 7), name="basic")
    alone.run(days, name="story")
    assert lab.files() == alone.files()


@pytest.mark.nightly
def test_code_that_raises_is_run_once(lab: Site, make_span: MakeSpan) -> None:
    """Its run is neither given to another worker nor handed out again, and the report has the error."""
    lab.save(CODED)
    report = lab.run(make_span("2023-01-02", 3), name="coded")
    assert report.status == "partial"
    assert {each.error.partition(":")[0] for each in report.failures} == {"ValueError"}
    record = lab.settings.postgres or ""
    assert ask(
        record, "SELECT count(*) FROM event_logs WHERE step_key LIKE '%%wrong' AND dagster_event_type = 'STEP_START'"
    ) == [(1,)]
    assert ask(record, "SELECT count(*) FROM run_tags WHERE key IN ('helio/taken_up', 'dagster/parent_run_id')") == [(0,)]


def processes_of_runs(site: Site) -> int:
    """How many processes the runs so far were done by."""
    assert site.settings.postgres is not None
    query = "SELECT DISTINCT substring(event from '[(]pid: ([0-9]+)[)]') FROM event_logs WHERE event LIKE %s"
    return len(ask(site.settings.postgres, query, ("%Started process for run (pid: %",)))


def process_of_a_run(site: Site) -> tuple[int, str]:
    """The process and id of a run that has made something and is not done."""
    assert site.settings.postgres is not None
    query = """
        SELECT substring(s.event from '[(]pid: ([0-9]+)[)]'), s.run_id FROM event_logs s JOIN runs r ON r.run_id = s.run_id
        WHERE r.status = 'STARTED' AND s.event LIKE %s AND EXISTS
        (SELECT 1 FROM event_logs m WHERE m.run_id = s.run_id AND m.dagster_event_type = 'ASSET_MATERIALIZATION')
    """
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = ask(site.settings.postgres, query, ("%Started process for run (pid: %",))
        if found:
            return int(found[0][0]), str(found[0][1])
        time.sleep(0.1)
    raise AssertionError("no run began")


def start_command(site: Site, root: Path, *words: str) -> subprocess.Popen[str]:
    """Start `helio` with the settings of a site."""
    environment = {**os.environ, **site.settings.to_environment()}
    command = [sys.executable, "-m", "helio_dagster", *words]
    return subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

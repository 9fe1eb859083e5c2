"""Runs over several workers: the same bytes, each partition made once, whoever is killed or asks at the same time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.history import open_history
from helio_dagster.launch.web.ui import web_ui
from tests.brokers import BROKER, require_broker, started_workers
from tests.integration.running.conftest import BASIC, Desk, MakeDesk, MakeSpan, Mission, free_port
from tests.postgres import ask

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
def lab(make_desk: MakeDesk, days: TimeRange, postgres: str) -> Iterator[Desk]:
    """A home whose runs go to two workers in pieces of four days, with Dagster's daemon."""
    require_broker()
    desk = make_desk("lab", BASIC, STORY)
    desk.settings = replace(desk.settings, postgres=postgres, dispatch=Dispatch(BROKER, partitions=4, at_once=2))
    with ExitStack() as stack:
        stack.enter_context(web_ui(desk.settings, port=free_port()))
        stack.enter_context(started_workers(desk.settings, 2, desk.settings.home / "workers.log"))
        yield desk


def versions(desk: Desk, assets: list[str]) -> dict[str, dict[str | None, str]]:
    """Asset to partition to data version, as the record has them."""
    with open_history(desk.settings) as history:
        return {each: {key: found.data_version for key, found in history.latest(each, DAYS).items()} for each in assets}


def made_how_often(desk: Desk) -> Counter[tuple[str, str | None]]:
    """How often each partition of an asset was recorded."""
    assert desk.settings.postgres is not None
    query = "SELECT asset_key, partition FROM event_logs WHERE dagster_event_type = 'ASSET_MATERIALIZATION'"
    return Counter((str(asset), key) for asset, key in ask(desk.settings.postgres, query))


ASSETS = ["cdaweb/TS_H0_MFI/BGSE", "story/mag", "story/mean", "story/whole", "story/view"]


def test_two_workers_make_the_bytes_of_a_laptop(make_desk: MakeDesk, lab: Desk, days: TimeRange, mission: Mission) -> None:
    """Tables, data versions and the report; each file is downloaded once, and each partition made once."""
    alone = make_desk("laptop", BASIC, STORY)
    expected = alone.run(days, name="story")
    asked = mission.server.count(".cdf")
    report = lab.run(days, name="story")
    assert report.status == expected.status == "success", report
    assert lab.files() == alone.files() != {}
    assert versions(lab, ASSETS) == versions(alone, ASSETS)
    assert mission.server.count(".cdf") - asked == len(DAYS)
    assert report.steps == expected.steps
    assert [Path(each.html).name for each in report.figures] == [Path(each.html).name for each in expected.figures]
    often = made_how_often(lab)
    assert {name for name, count in often.items() if count > 1} == set()


def test_two_people_at_once_make_everything_once(
    make_desk: MakeDesk, lab: Desk, days: TimeRange, make_span: MakeSpan, mission: Mission
) -> None:
    """Overlapping ranges of two pipelines that share a fetch."""
    asked = mission.server.count(".cdf")
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(lab.run, make_span("2023-01-02", 7), name="basic")
        other = pool.submit(lab.run, days, name="story")
        assert one.result().status == other.result().status == "success"
    assert mission.server.count(".cdf") - asked == len(DAYS)
    assert {name for name, count in made_how_often(lab).items() if count > 1} == set()
    alone = make_desk("laptop", BASIC, STORY)
    alone.run(make_span("2023-01-02", 7), name="basic")
    alone.run(days, name="story")
    assert lab.files() == alone.files()

"""What Dagster may run again by itself: what may pass, and not code that would only raise again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance, write_configuration
from helio_dagster.launch.record.instance_files import CONFIGURATION
from tests.integration.running.conftest import MakeSite, MakeSpan, Site

CODED = """
version: 1
name: coded
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: wrong
    compute:
      inputs: {b: mag}
      unit: nT
      code: |
        if len(b):
            raise ValueError("this code never works")
        return b["mag"]
"""
EXPECTING = """
version: 1
name: expecting
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
    expect: {max: 0, severity: block}
"""
_WILL_RETRY = "dagster/will_retry"


@pytest.fixture
def project(make_site: MakeSite) -> Site:
    """A home whose `dagster.yaml`, edited by hand, has Dagster run failed runs twice more."""
    site = make_site("project", CODED, EXPECTING)
    path = Path(write_configuration(site.settings)) / CONFIGURATION
    words = "".join(line for line in path.read_text().splitlines(keepends=True) if not line.startswith("#"))
    path.write_text(f"{words}run_retries:\n  enabled: true\n  max_retries: 2\n")
    return site


def last_run(site: Site) -> tuple[str, int]:
    """What Dagster says of running the last run again, and how often it started a step of it more than once."""
    with open_instance(site.settings) as instance:
        run = instance.get_runs(limit=1)[0]
        begun = [
            entry.dagster_event.step_key
            for entry in instance.all_logs(run.run_id)
            if entry.dagster_event is not None
            and entry.dagster_event.event_type in (dg.DagsterEventType.STEP_START, dg.DagsterEventType.STEP_RESTARTED)
        ]
        return run.tags[_WILL_RETRY], len(begun) - len(set(begun))


@pytest.mark.parametrize("name", ["coded", "expecting"])
def test_what_would_only_fail_again_is_not_run_again(project: Site, make_span: MakeSpan, name: str) -> None:
    """Code that raises, and results that are not as expected: each is run once, and Dagster's daemon leaves the run alone."""
    report = project.run(make_span("2023-01-02"), name=name)
    assert report.status in ("partial", "failed")
    assert last_run(project) == ("false", 0)


def test_what_may_pass_is_run_again(project: Site, span: TimeRange) -> None:
    """An archive that does not answer may answer later, so the project's setting holds."""
    project.settings = replace(project.settings, cdaweb_url="http://127.0.0.1:9/")
    assert project.run(span, name="coded").status == "failed"
    assert last_run(project) == ("true", 0)

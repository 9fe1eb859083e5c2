"""Code that is new to a home is run twice more before anything of it is stored; code that is known is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd
import pytest

from helio_dagster.assets.recording import asset_key
from helio_dagster.domain.report import RunReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import run
from helio_dagster.resources.workbench import Workbench
from helio_dagster.resources.workers import Workers
from helio_dagster.sandbox import Answer, Sandbox
from helio_dagster.sandbox.static_check import find_faults
from helio_dagster.sandbox.wire import Rows
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import Mission, Site

Counted = Callable[..., tuple[RunReport, list[int]]]
TWO, THREE, FOUR = "2023-01-02", "2023-01-03", "2023-01-04"
PIPELINE = """
version: 1
name: coded
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}
  - id: mine
    compute:
      inputs: {b: b}
      unit: nT
      code: |
"""
BESIDE = """
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: b}, options: {window: PT2H}}
  - id: after
    compute: {operation: scale, inputs: {series: mine}, options: {factor: 2}}
"""
OPERATION = """\
id: doubled
version: 1
summary: Twice the value.
when: Never; it is a test.
inputs:
  series: {meaning: what is doubled}
output: {meaning: A series in the unit of the input.}
reference: arithmetic
examples:
  - inputs:
      series: {columns: {v: [1, 2.5]}, unit: nT}
    expected: {result: [2, 5]}
    unit: nT
    source: counting
code: |
  return series * 2
"""
CARELESS = {
    "fresh memory": "return pd.Series(np.empty(5000)[-len(b):], b.index)",
    "address within its page": "return b * (int(repr(object())[-13:-1], 16) % 4096)",
    "address": "return b * int(repr(object())[-13:-1], 16)",
    "order of a set": "return b * sum(i * float(k) for i, k in enumerate(set('123456789')))",
    "an error in the first run": "if np.empty(9000).view('u1')[-1] == 0xAA:\n    raise ValueError('odd memory')\nreturn b",
    "an error in the second run": "if np.empty(9000).view('u1')[-1] == 0x55:\n    raise ValueError('odd memory')\nreturn b",
}


def coded(body: str) -> str:
    """The pipeline with this code in its second step, and steps beside it and after it."""
    return PIPELINE + "".join(f"        {line}\n" for line in body.splitlines()) + BESIDE.lstrip("\n")


class CountedSandbox(Sandbox):
    """Counts its calls."""

    calls = 0

    def call(
        self,
        body: str,
        inputs: Mapping[str, pd.DataFrame],
        *,
        name: str = "code",
        options: Mapping[str, Any] | None = None,
        rows: Rows = "samples",
        results: Mapping[str, Rows] | None = None,
    ) -> Answer:
        """As `Sandbox.call`."""
        self.calls += 1
        return super().call(body, inputs, name=name, options=options, rows=rows, results=results)


class CountedWorkers(Workers):
    """Processes whose second and third sandbox count their calls."""

    @property
    def differing(self) -> tuple[CountedSandbox, CountedSandbox]:
        """As `differing_sandboxes`; closed with the others."""
        if self._counted is None:
            self._counted = CountedSandbox(fill=0x55), CountedSandbox(seed=1, hash_seed=1, fill=0xAA)
            self._differing = self._counted
        return self._counted

    _counted: tuple[CountedSandbox, CountedSandbox] | None = None


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CountedWorkers]:
    """Processes for every run whose calls are counted."""
    made = CountedWorkers(Settings.from_environment({}, tmp_path_factory.mktemp("counting")))
    yield made
    made.close()


@pytest.fixture
def counted(counting: CountedWorkers) -> Counted:
    """Runs a site's pipeline, and counts how often each of the differing sandboxes is called."""

    def run_it(site: Site, span: TimeRange, *, force: bool = False) -> tuple[RunReport, list[int]]:
        pipeline, graph = site.open("coded")
        before = [each.calls for each in counting.differing]
        workbench = Workbench(site.settings, clock=site.clock, workers=counting)
        try:
            report = run(RunRequest(graph, pipeline, span, force=force), workbench)
        finally:
            workbench.close()
        return report, [each.calls - earlier for each, earlier in zip(counting.differing, before, strict=True)]

    return run_it


@pytest.mark.alike(2)
@pytest.mark.parametrize("body", CARELESS.values(), ids=CARELESS)
def test_code_of_which_two_runs_differ_makes_nothing(make_site: Callable, span: TimeRange, body: str) -> None:
    """It passes every check without running; its first run fails all its partitions with the reason, and no other step."""
    assert find_faults(body, ["b"]) == []
    site = make_site("home", coded(body))
    report = site.run(span, name="coded")
    refused = {each.partition: each.error for each in report.failures if each.step == "mine"}
    assert set(refused) == {TWO, THREE, FOUR}
    assert all("two runs on the same data differ" in error for error in refused.values())
    assert site.files("coded/mine") == site.files("coded/after") == {}
    assert (report.steps["b"].computed, report.steps["mean"].computed, report.steps["after"].skipped) == (3, 3, 3)
    assert set(site.states(span, name="coded")["mine"].values()) == {"failed"}


def test_the_command_line_says_why_and_what_to_do(make_site: Callable, make_span: Callable, shell: Callable) -> None:
    """The refusal is in the report of the run; the next run refuses again, and mended code is run."""
    site = make_site("home", coded(CARELESS["fresh memory"]))
    done = shell(site, "run", "coded", TWO, FOUR)
    assert done.returncode == 1, done.stderr
    assert "two runs on the same data differ: 48 of 48 values of 'mine'" in done.stdout + done.stderr
    assert "fill what np.empty makes" in done.stdout + done.stderr
    again = site.run(make_span(TWO, 2), name="coded")
    assert "two runs on the same data differ: 48 of 48 values of 'mine'" in again.failures[0].error
    site.save(coded("return b * 2"))
    assert site.run(make_span(TWO, 2), name="coded").status == "success"


def test_careful_code_is_run_twice_more_only_the_first_time(
    make_site: Callable, make_span: Callable, span: TimeRange, counted: Counted
) -> None:
    """On one partition; neither replays nor further days, only changed code is run so again."""
    site = make_site("home", coded("return b * 2"))
    assert counted(site, make_span(THREE))[1] == [1, 1]
    report, calls = counted(site, span)
    assert (report.steps["mine"].computed, calls) == (2, [0, 0])
    report, calls = counted(site, span, force=True)
    assert (report.steps["mine"].computed, calls) == (3, [0, 0])
    site.save(coded("return b * 3"))
    report, calls = counted(site, span)
    assert (report.steps["mine"].computed, calls) == (3, [1, 1])


def test_the_run_says_on_which_partition_code_was_compared(make_site: Callable, span: TimeRange) -> None:
    """As metadata of that partition's event in Dagster, and of no other."""
    site = make_site("home", coded("return b * 2"))
    site.run(span, name="coded")
    with open_instance(site.settings) as instance:
        records = instance.fetch_materializations(asset_key("coded/mine"), limit=10).records
    told = {each.partition_key: each.asset_materialization.metadata for each in records if each.asset_materialization}
    assert {key for key, metadata in told.items() if "is_twice_the_same" in metadata} == {TWO}


def test_what_has_no_input_does_not_stand_for_code(
    make_site: Callable, mission: Mission, make_span: Callable, span: TimeRange, counted: Counted
) -> None:
    """Code was not run for a partition without records: the first one with records decides, for all of them."""
    mission.withdraw(TWO)
    careful = make_site("careful", coded("return b * 2"))
    report, calls = counted(careful, make_span(TWO))
    assert (report.steps["mine"].empty, calls) == (1, [0, 0])
    assert counted(careful, span)[1] == [1, 1]
    careless = make_site("careless", coded(CARELESS["fresh memory"]))
    assert careless.run(span, name="coded").steps["mine"].failed == 3
    assert careless.files("coded/mine") == {}


def test_a_partition_that_fails_by_itself_leaves_the_check_to_the_next(
    make_site: Callable, span: TimeRange, counted: Counted
) -> None:
    """Its failure is its own: code that raises for one day is compared on another, and the others are made."""
    body = 'if b.index[10].day == 2:\n    raise ValueError("no second")\nreturn b'
    report, calls = counted(make_site("home", coded(body)), span)
    assert [(each.step, each.partition) for each in report.failures if "no second" in each.error] == [("mine", TWO)]
    assert (report.steps["mine"].computed, calls) == (2, [2, 2])


def test_an_operation_edited_by_hand_is_judged_as_new_code(make_site: Callable, span: TimeRange) -> None:
    """A saved operation was tried when it was saved; its edited file was not."""
    site = make_site("home")
    site.settings.operations.mkdir()
    path = site.settings.operations / "doubled@1.yaml"
    path.write_text(OPERATION)
    steps = PIPELINE.split("  - id: mine")[0]
    site.save(f"{steps}  - id: twice\n    compute: {{operation: doubled@1, inputs: {{series: b}}}}\n")
    assert site.run(span, name="coded").status == "success"
    path.write_text(OPERATION.replace("series * 2", "series * (list(set('abcdefgh')).index('a'))"))
    report = site.run(span, name="coded")
    assert report.steps["twice"].failed == 3
    assert "two runs on the same data differ" in report.failures[0].error

"""Code that returns several named results: run once, and each result like a step of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.lineage import origin
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.operation_keeping import keep_operation
from helio_dagster.launch.running.facts import stored_facts
from helio_dagster.launch.running.reading import find_asset, read_table
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.trial import try_step
from helio_dagster.launch.running.trial_text import describe_trial
from helio_dagster.launch.upkeep.orphans import find_orphans, owned
from helio_dagster.launch.upkeep.verify import verify
from helio_dagster.resources.workers import Workers
from helio_dagster.sandbox.answer import Answer
from helio_dagster.sandbox.sandbox import Sandbox
from helio_dagster.sandbox.wire import Rows
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import MakeSite, MakeSpan, Mission, Site

BODY = """\
print("called")
f = b["F"]
own = f[f.index.floor("1D") == f.index[len(f) // 2].floor("1D")]
high = own[own > 7]
"""
RESULTS = {
    "count": ("{kind: facts, units: {nt: nT}}", '{"n": len(own), "nt": 3.0, "nt_uncertainty": 0.5}'),
    "counts": (
        "{kind: curve, units: {edge: nT}}",
        'pd.DataFrame({"edge": np.arange(4.0), "n": np.histogram(own, bins=4, range=(0, 8))[0]})',
    ),
    "smooth": ("{unit: nT}", 'f.rolling("2h", center=True).mean()'),
    "high": ("{kind: events}", 'pd.DataFrame({"stop": high.index + pd.Timedelta("30min"), "f": high}, index=high.index)'),
    "pairs": ("{kind: points, unit: nT}", 'pd.DataFrame({"x": own, "y": own ** 2}, index=own.index)'),
}
FETCH = "  - id: b\n    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}\n"
READERS = """\
  - {id: of_count, compute: {inputs: {c: count}, kind: facts, code: "return {'twice': 2 * c['n'].iloc[0]}"}}
  - {id: of_smooth, compute: {operation: scale, inputs: {series: smooth}, options: {factor: 2}}}
"""


def coded(name: str, declared: str, returned: str, more: str = "") -> str:
    """A step with code that reads an hour into both neighbours."""
    code = "".join(f"        {line}\n" for line in [*BODY.splitlines(), f"return {returned}"])
    given = "      inputs: {b: b}\n" + ("" if more else "      lookback: PT1H\n      lookahead: PT1H\n")
    return f"  - id: {name}\n{more}    compute:\n{given}      {declared}\n      code: |\n{code}"


def saved(name: str, *steps: str) -> str:
    """A pipeline over the mission's scalar."""
    return f"version: 1\nname: {name}\nstart: 2023-01-01\nsteps:\n{FETCH}{''.join(steps)}"


def several(*names: str, more: str = "") -> str:
    """One step with several results."""
    declared = "".join(f"\n        {name}: {RESULTS[name][0]}" for name in names)
    returned = ", ".join(f'"{name}": {RESULTS[name][1]}' for name in names)
    return coded("several", f"results:{declared}", f"{{{returned}}}", more)


class Counting(Sandbox):
    """Another sandbox, whose calls are counted."""

    def __init__(self, lent: Sandbox, called: list[str]) -> None:
        super().__init__()
        self._lent, self._called = lent, called

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
        self._called.append(name)
        return self._lent.call(body, inputs, name=name, options=options, rows=rows, results=results)


class CountingWorkers(Workers):
    """The processes of others, of which those calls are counted that make results."""

    def __init__(self, lent: Workers, settings: Settings) -> None:
        super().__init__(settings)
        self._reader, self._differing, self._called = lent.reader, lent.differing, list[str]()
        self._sandbox = Counting(lent.sandbox, self._called)

    def calls(self) -> list[str]:
        """The steps whose code was called since this was last asked."""
        found = sorted(self._called)
        self._called.clear()
        return found


def table(site: Site, step_id: str, span: TimeRange | None, name: str = "basic") -> Table:
    """What is stored of a step."""
    opened, graph = site.open(name)
    return read_table(site.workbench().store, find_asset(graph, step_id, opened), span)


def test_each_result_is_like_a_step_of_its_own_and_the_code_runs_once(
    mission: Mission, make_site: MakeSite, make_span: MakeSpan, workers: Workers
) -> None:
    """Same bytes whatever the cut; a result that did not change stops the change; changed code reaches all of them."""
    days, first = make_span("2023-01-02", 3), make_span("2023-01-02")
    text = saved("basic", several(*RESULTS), READERS)
    singly = (coded(name, declared[1:-1].replace(", unit", "\n      unit"), said) for name, (declared, said) in RESULTS.items())
    site: Site = make_site("home", text, saved("alone", *singly))
    counting = site.workers = CountingWorkers(workers, site.settings)
    report = site.run(days)
    assert report.status == "success", report.failures
    assert counting.calls() == ["of_count"] * 3 + ["several"] * 3
    assert {name: report.steps[name].computed for name in RESULTS} == dict.fromkeys(RESULTS, 3)

    assert site.run(first, name="alone").status == "success"
    for name in RESULTS:
        ours, theirs = table(site, name, first), table(site, name, first, "alone")
        assert ours.meta == theirs.meta
        np.testing.assert_array_equal(ours.time, theirs.time)
        for column, values in theirs.columns.items():
            np.testing.assert_array_equal(ours.columns[column], values)

    parts = make_site("parts", text)
    parts.run(make_span("2023-01-04"))
    parts.run(make_span("2023-01-02", 2))
    assert parts.files("basic") == site.files("basic")

    counting.calls()
    site.made()
    mission.publish("2023-01-04", seed=7)
    site.run(days, refresh=True)
    assert counting.calls() == ["several"] * 2  # the third day, and the second, which reads an hour of it
    assert site.made() >= {("several", "2023-01-04"), ("count", "2023-01-04"), ("of_smooth", "2023-01-04")}
    assert site.states(days)["of_count"] == dict.fromkeys(("2023-01-02", "2023-01-03", "2023-01-04"), "fresh")

    opened, graph = site.open()
    found = verify(RunRequest(graph, opened, days), site.workbench())
    assert found.status == "same", found
    assert {step.step for step in found.steps} >= {"several", *RESULTS}
    assert not find_orphans(Home(site.settings), owned(Home(site.settings)))

    site.save(text.replace("own > 7", "own > 7.0"))
    states = site.states(days)
    assert {name: set(states[name].values()) for name in states if name in RESULTS} == {name: {"stale"} for name in RESULTS}


AROUND = """\
version: 1
name: around
partitions: {events: basic/high, before: PT1H, after: PT1H}
steps:
  - id: f
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}
"""
BAD = '  - id: bad\n    table: {csv: "start,stop\\n2023-01-03T00:00Z,2023-01-03T06:00Z", source: me}\n'
RANGED = """\
    over: range
    exclude: bad
    expect: {facts: {n: "> 1000"}}
"""


def test_results_over_a_range_are_told_expected_excluded_shown_and_tried(make_site: MakeSite, make_span: MakeSpan) -> None:
    """Facts and expectations by the result's name, exclusions from samples alone, and the code itself has nothing to export."""
    days = make_span("2023-01-02", 3)
    whole = several("count", "smooth", more=RANGED)
    site: Site = make_site("home", saved("whole", BAD, whole), saved("basic", several("high", "count")), AROUND)
    report = site.run(days, name="whole")
    assert [(each.step, each.name, each.value) for each in report.unmet] == [("count", "n", 48.0)]
    opened, graph = site.open("whole")
    workbench = site.workbench()
    facts = stored_facts(graph, opened, days, workbench.store).facts
    assert [(fact.step, fact.name, fact.unit, fact.uncertainty) for fact in facts] == [
        ("count", "n", "", None),
        ("count", "nt", "nT", 0.5),
    ]
    smooth = table(site, "smooth", days, "whole")
    inside = (smooth.time >= np.datetime64("2023-01-03T00:00")) & (smooth.time < np.datetime64("2023-01-03T06:00"))
    np.testing.assert_array_equal(np.isnan(smooth.columns["smooth"]), inside)
    with pytest.raises(InputError, match="whole/several has no data itself: it is the code that makes whole/count and"):
        table(site, "several", days, "whole")

    (key,) = workbench.store.keys("whole/several")
    shown = origin(graph, graph["whole/count"], key, workbench)
    assert (shown.made_by["result"], list(shown.inputs)) == ("count of several", ["whole/several"])
    assert shown.run_id == report.run_id
    assert shown.made_at is not None
    assert origin(graph, graph["whole/several"], key, workbench).printed == "called\n"
    assert [source["name"][:9] for source in shown.sources] == ["ts_h0_mfi"] * 3

    trial = try_step(graph, graph["basic/several"], "2023-01-03", workbench)
    tried = describe_trial(trial)
    assert "basic/several 2023-01-03, high: " in tried
    assert "basic/several 2023-01-03, count: 1 record, data\n  n: 48 to 48, 100.0% valid" in tried
    assert tried.count("printed:") == 1
    library, own = Home(site.settings).operations, graph.pipelines["basic"].step("several")
    with pytest.raises(InputError, match="the code of several gives 2 results, and an operation gives one"):
        keep_operation(graph.pipelines["basic"], trial, own, "found", "Found", library=library, workbench=workbench)

    assert site.run(days, name="basic").status == "success"
    _, graph = site.open("around")
    assert origin(graph, graph["basic/several"], "2023-01-03", workbench).printed == "called\n"
    assert len(graph.events["around"].events) == len(table(site, "high", days)) > 0
    site.save(saved("basic", several("high", "count").replace("own > 7", "own > 6")))
    trouble = site.open("around")[1].events["around"].trouble
    assert trouble is not None
    assert "made before the step was changed" in trouble.problem

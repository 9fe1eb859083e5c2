"""Steps over a range: one result for exactly what was asked for, reused, replayed, and stale when anything under it changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import dagster as dg
import numpy as np
import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.report import FactReport
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.facts import stored_facts
from helio_dagster.launch.running.reading import find_asset, read_table
from helio_dagster.launch.running.run_side import HomeSide
from tests.integration.running.conftest import MakeSite, MakeSpan, Mission, Prepare, Site

WHOLE = """
version: 1
name: basic
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: spectrum
    over: range
    compute: {operation: power_spectrum, inputs: {series: mag}}
  - id: slope
    over: range
    compute: {operation: spectral_slope, inputs: {curve: spectrum}}
  - id: scaled
    over: range
    compute:
      inputs: {b: mag}
      code: |
        return (b["mag"] - b["mag"].mean()) / b["mag"].std()
"""


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    """A home with steps over a range."""
    return make_site("home", WHOLE)


@pytest.fixture
def ran_site(site: Site, prepare: Prepare, span: TimeRange) -> Site:
    """The same after a run over the three days."""
    return prepare("over a range", site, lambda new: new.run(span))


def table(site: Site, step: str, span: TimeRange) -> Table:
    """The stored result of a step over a range."""
    pipeline, graph = site.open()
    return read_table(site.workbench().store, find_asset(graph, step, pipeline), span)


def test_there_is_one_result_for_exactly_the_range(site: Site, span: TimeRange, make_span: MakeSpan) -> None:
    """It is numpy's over the records of that range alone, and another range has another."""
    two = make_span("2023-01-02", 2)
    for asked in (span, two):
        assert site.run(asked).status == "success"
        mag, scaled = table(site, "mag", asked), table(site, "scaled", asked)
        values = mag.columns["mag"]
        expected = (values - values.mean()) / np.std(values, ddof=1)
        assert np.array_equal(scaled.time, mag.time)
        assert np.allclose(scaled.columns["scaled"], expected, rtol=1e-12, atol=0)
    stored = {name.rsplit("/", 1)[-1] for name in site.files("basic/scaled")}
    assert stored == {f"{span_key(each)}.parquet" for each in (span, two)}


def test_a_part_of_a_day_is_a_range_too(site: Site, make_span: MakeSpan) -> None:
    """Six hours of a partition: only their records count."""
    day = make_span("2023-01-03")
    part = TimeRange(day.start.replace(hour=6), day.start.replace(hour=12))
    site.run(part)
    assert len(table(site, "scaled", part).time) == 12
    with pytest.raises(InputError, match="one result for exactly the range"):
        table(site, "scaled", day)


def test_what_was_asked_before_is_reused(ran_site: Site, span: TimeRange, make_span: MakeSpan) -> None:
    """Also after another range was asked for; nothing under it is made again."""
    two = make_span("2023-01-02", 2)
    ran_site.run(two)
    ran_site.made()
    again = ran_site.run(span)
    assert ran_site.made() == set()
    assert {step: (counts.computed, counts.reused) for step, counts in again.steps.items()} == dict.fromkeys(
        ("b", "mag", "spectrum", "slope", "scaled"), (0, 3)
    )
    assert {state for states in ran_site.states(span).values() for state in states.values()} == {"fresh"}


def test_it_does_not_matter_how_the_range_was_made_before(
    site: Site, make_site: MakeSite, span: TimeRange, make_span: MakeSpan
) -> None:
    """Day by day first, last day first, or at once: the same bytes of the result over the range."""
    other = make_site("other", WHOLE)
    for day in ("2023-01-04", "2023-01-02", "2023-01-03"):
        other.run(make_span(day))
    site.run(span)
    other.run(span)
    of_range = f"{span_key(span)}.parquet"
    ours, theirs = (
        {name: each for name, each in home.files("basic").items() if name.endswith(of_range)} for home in (site, other)
    )
    assert len(ours) == 3
    assert ours == theirs


def test_a_changed_file_makes_it_stale_and_equal_values_do_not(
    site: Site, mission: Mission, span: TimeRange, make_span: MakeSpan
) -> None:
    """A revised day redoes each range that holds it; one that is published again unchanged redoes nothing."""
    first = make_span("2023-01-02")
    site.run(first)
    site.run(span)
    site.made()
    mission.publish("2023-01-04")
    site.run(span, refresh=True)
    assert {step for step, _ in site.made()} <= {"BGSE"}
    mission.publish("2023-01-04", seed=7)
    site.run(span, refresh=True)
    assert {(step, key) for step, key in site.made() if step in ("spectrum", "slope", "scaled")} == {
        (step, span_key(span)) for step in ("spectrum", "slope", "scaled")
    }
    site.run(first)
    assert site.made() == set()


def test_facts_are_numbers_in_the_report_and_in_dagster(site: Site, span: TimeRange) -> None:
    """With unit, uncertainty and range; the record's metadata hold them as numbers, so that Dagster can plot them."""
    report = site.run(span)
    slope = next(fact for fact in report.facts if fact.name == "slope")
    assert (slope.step, slope.start, slope.stop) == ("slope", "2023-01-02T00:00:00Z", "2023-01-05T00:00:00Z")
    assert slope.uncertainty is not None
    assert slope.uncertainty > 0
    pipeline, graph = site.open()
    kept = stored_facts(graph, pipeline, None, site.workbench().store)
    assert kept.facts == report.facts
    with open_instance(site.settings) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey(["basic", "slope"]))
    assert event is not None
    assert event.asset_materialization is not None
    assert event.asset_materialization.metadata["fact slope"].value == slope.value


def test_a_lost_record_is_found_again(ran_site: Site, span: TimeRange, shell: Callable) -> None:
    """`helio reindex` records results over ranges from their files; a run then makes nothing."""
    shutil.rmtree(ran_site.settings.instance)
    assert shell(ran_site, "reindex").returncode == 0
    ran_site.made()
    report = ran_site.run(span)
    assert ran_site.made() == set()
    assert {counts.computed for counts in report.steps.values()} == {0}


def test_verify_and_prune_know_results_over_ranges(
    ran_site: Site, span: TimeRange, make_span: MakeSpan, shell: Callable
) -> None:
    """Each stored range is made again and is the same; none is taken for a stray file."""
    ran_site.run(make_span("2023-01-03"))
    verified = shell(ran_site, "verify", "basic", "2023-01-02", "2023-01-05")
    assert "reproduced byte for byte" in verified.stdout, verified.stdout + verified.stderr
    assert "Nothing to delete" in shell(ran_site, "prune").stdout


def test_a_step_over_a_range_is_tried_on_one_partition(site: Site, shell: Callable) -> None:
    """With all that it reads, and nothing is recorded."""
    for step in ("scaled", "slope"):
        tried = shell(site, "try", f"basic/{step}", "--partition", "2023-01-03", "--json")
        assert tried.returncode == 0, tried.stderr
        assert '"partition": "2023-01-03"' in tried.stdout
    assert site.files() == {}


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("{id: x, over: range, compute: {operation: magnitude, inputs: {vector: b}}}", "no one result for a range"),
        ("{id: x, compute: {operation: derivative, inputs: {series: scaled}}}", "nothing over a partition can be made from it"),
        ("{id: x, over: range, fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}}", "over belongs to a compute step"),
        (
            "{id: x, over: range, compute: {operation: rolling_mean, inputs: {series: scaled}, options: {window: PT1H}}}",
            "rolling_mean reads beyond the times of its result",
        ),
        ("{id: x, over: event, compute: {operation: magnitude, inputs: {vector: b}}}", "whose partitions are events"),
    ],
)
def test_what_cannot_be_over_a_range_is_refused_before_anything_runs(
    site: Site, shell: Callable, step: str, problem: str
) -> None:
    """One message with the line and what to do."""
    site.save(WHOLE + f"  - {step}\n")
    checked = shell(site, "check")
    assert checked.returncode == 2, checked.stdout
    assert problem in checked.stdout + checked.stderr


def test_a_vector_is_turned_into_the_axes_of_its_range(site: Site, span: TimeRange, make_span: MakeSpan) -> None:
    """What stands over the range is turned, then parted, by operations that read nothing beside it; as the hodogram has it."""
    site.save(
        WHOLE
        + """  - {id: axes, over: range, compute: {operation: minimum_variance_frame, inputs: {vector: b}}}
  - {id: b_lmn, over: range, compute: {operation: rotate, inputs: {vector: b, axes: axes}}}
  - {id: b_n, over: range, compute: {operation: component, inputs: {vector: b_lmn}, options: {component: 2}}}
  - {id: course, over: range, compute: {operation: hodogram, inputs: {vector: b}, options: {plane: LMN}}}
"""
    )
    for asked in (span, make_span("2023-01-03")):
        site.run(asked)
        turned, course = table(site, "b_lmn", asked), table(site, "course", asked)
        np.testing.assert_array_equal(turned.time, course.time)
        for name in "lmn":
            np.testing.assert_allclose(turned.columns[name], course.columns[name], rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(table(site, "b_n", asked).columns["b_n"], turned.columns["n"])
    assert {counts.computed for counts in site.run(span).steps.values()} == {0}


def test_a_conversation_reads_the_facts_that_are_up_to_date(site: Site, span: TimeRange, make_span: MakeSpan) -> None:
    """Those over exactly the range; none before a run, of another range, or once the step has changed."""
    site.save(WHOLE)

    def facts(over: TimeRange) -> list[FactReport]:
        home = Home(site.settings)
        workbench = site.workbench()
        try:
            return HomeSide(home, workbench).facts(home.files["basic"], over)
        finally:
            workbench.close()

    assert facts(span) == []
    report = site.run(span)
    assert facts(span) == report.facts
    assert facts(make_span("2023-01-02", 2)) == []
    site.save(WHOLE.replace("{curve: spectrum}", "{curve: spectrum}, options: {highest: 0.0001}"))
    assert facts(span) == []


def test_code_over_a_range_is_tried_on_one_partition(site: Site, span: TimeRange) -> None:
    """As other code is; also where what it reads is over the range."""
    twice = "  - id: twice\n    over: range\n    compute: {inputs: {s: scaled}, code: 'return s * 2'}\n"
    site.save(WHOLE + twice)
    workbench = site.workbench()
    try:
        home = Home(site.settings)
        trials = [HomeSide(home, workbench).try_step(home.files["basic"], step, span) for step in ("scaled", "twice")]
    finally:
        workbench.close()
    assert [(each.records, each.is_twice_the_same) for each in trials] == [(48, True), (48, True)]

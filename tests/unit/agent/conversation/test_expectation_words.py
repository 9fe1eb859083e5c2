"""What is told of expectations after a run."""

from __future__ import annotations

from helio_dagster.agent.conversation.expectation_words import tell_expectation, verdicts
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.domain.report import RunReport, StepReport, UnmetReport

TEXT = """version: 1
name: one
steps:
  - {id: v, fetch: {archive: demo, dataset: AC_H0_SWE, parameter: Vp}, expect: {min: 200, max: 900 km/s}}
  - {id: b, fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}, expect: {coverage: 80 %, severity: block}}
  - {id: n, fetch: {archive: demo, dataset: AC_H0_SWE, parameter: Np}}
"""


def test_each_step_that_expects_something_has_a_verdict() -> None:
    """One that is not so says value and limit, and what follows where it blocks; one that is so repeats what was expected."""
    pipeline = parse_pipeline(TEXT, file="one.yaml").pipeline
    assert [tell_expectation(step) for step in pipeline.steps] == [
        "v between 200 and 900 km/s (warns)",
        "b coverage at least 80 % (stops what reads it)",
        "",
    ]
    text = "coverage is 25.0 %, expected at least 80 %"
    unmet = UnmetReport(
        step="b",
        partition="2003-10-29",
        severity="block",
        what="coverage",
        name="",
        value=0.25,
        unit="",
        limit="at least 80 %",
        when="",
        count=0,
        text=text,
    )
    report = RunReport(
        pipeline="one",
        start="2003-10-29",
        stop="2003-10-30",
        status="partial",
        run_id=None,
        seconds=0,
        partitions=["2003-10-29"],
        steps={step.id: StepReport(asset=step.id, reused=1) for step in pipeline.steps},
        failures=[],
        figures=[],
        unmet=[unmet],
    )
    assert [(each.step, each.has_passed, each.text) for each in verdicts(pipeline, report)] == [
        ("v", True, "v: as expected, between 200 and 900 km/s"),
        ("b", False, f"b 2003-10-29 is not as expected: {text}; the steps that read it were not made for that time"),
    ]

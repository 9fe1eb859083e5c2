"""What steps expect of their results, in words: on a card, and after a run."""

from __future__ import annotations

from collections.abc import Iterator

from helio_dagster.domain.inquiry import CheckResult
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.report import RunReport

_MOST_LISTED = 5
EXPECTED = "expected"
"""The name of the checks that say whether results are as expected."""


def tell_expectation(step: Step) -> str:
    """What a step expects, and what follows if it is not so: `speed between 200 and 1,500 km/s (warns)`."""
    if step.expect is None:
        return ""
    return f"{step.id} {step.expect} ({'stops what reads it' if step.expect.is_blocking else 'warns'})"


def verdicts(pipeline: Pipeline, report: RunReport) -> Iterator[CheckResult]:
    """The results of a run judged by what its steps expect: one check for each step that expects something and was made."""
    for step in pipeline.nodes:
        made = report.steps.get(step.id)
        if step.expect is None or made is None or not (made.computed + made.reused + made.empty):
            continue
        unmet = [each for each in report.unmet if each.step == step.id]
        if not unmet:
            yield CheckResult(step.id, EXPECTED, has_passed=True, text=f"{step.id}: as expected, {step.expect}", facts={})
            continue
        listed = [
            f"{step.id} {each.partition or ''}".strip() + f" is not as expected: {each.text}" for each in unmet[:_MOST_LISTED]
        ]
        listed += [f"and {len(unmet) - _MOST_LISTED} more"] if len(unmet) > _MOST_LISTED else []
        listed += ["the steps that read it were not made for that time"] if step.expect.is_blocking else []
        facts: dict[str, float | int | str] = {
            "severity": step.expect.severity,
            "unmet": len(unmet),
            "limit": unmet[0].limit,
            "when": unmet[0].when,
        }
        yield CheckResult(step.id, EXPECTED, has_passed=False, text="; ".join(listed), facts=facts)

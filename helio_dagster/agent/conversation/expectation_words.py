"""What steps expect of their results, in words: on a card, and after a run."""

from __future__ import annotations

from helio_dagster.agent.conversation.context import Context
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.report import RunReport

_MOST_TOLD = 5


def tell_expectation(step: Step) -> str:
    """What a step expects, and what follows if it is not so: `speed between 200 and 1,500 km/s (warns)`."""
    if step.expect is None:
        return ""
    return f"{step.id} {step.expect} ({'stops what reads it' if step.expect.is_blocking else 'warns'})"


def tell_verdicts(context: Context, pipeline: Pipeline, report: RunReport) -> None:
    """Judge the results of a run by what its steps expect: first what is not so, then what is."""
    for each in report.unmet[:_MOST_TOLD]:
        consequence = "; the steps that read it were not made" if each.severity == "block" else ""
        text = f"{f'{each.step} {each.partition or str()}'.strip()} is not as expected: {each.text}{consequence}"
        facts = each.model_dump(exclude={"step", "text"})
        context.say("check", text, step=each.step, check="expected", passed=False, **facts)
    if len(report.unmet) > _MOST_TOLD:
        context.say("check", f"and {len(report.unmet) - _MOST_TOLD} more are not as expected", check="expected", passed=False)
    unmet = {each.step for each in report.unmet}
    for step in pipeline.steps:
        made = report.steps.get(step.id)
        if step.expect is not None and step.id not in unmet and made is not None and made.computed + made.reused:
            context.say("check", f"as expected: {step.id} {step.expect}", step=step.id, check="expected", passed=True)

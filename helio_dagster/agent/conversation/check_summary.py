"""Summarize the checks of a run in one line: how much of the time has data, and the range of the drawn values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from helio_dagster.domain.amounts import readable_duration
from helio_dagster.domain.inquiry import CheckResult
from helio_dagster.domain.pipeline import Pipeline

Facts = Mapping[str, float | int | str]
_MOST_VALUES = 4
_MUCH_FILL = 0.05
"""Share of fill values above which it is mentioned."""


def sum_up(pipeline: Pipeline, results: Sequence[CheckResult]) -> str:
    """Summarize the checks that passed; empty if nothing was checked. Failed checks are reported separately.

    Parameters
    ----------
    pipeline
        The pipeline that was run; the steps that it draws are summarized.
    results
        The results of its checks.
    """
    if not results:
        return ""
    passed = sum(result.has_passed for result in results)
    summary = "; ".join([*_covered(results), *_values(pipeline, results)])
    if passed < len(results):
        head = f"{passed} of {len(results)} checks passed" if passed else "no check passed"
    else:
        head = f"all {passed} checks passed" if passed > 1 else "the check passed"
    return f"{head}: {summary}" if summary else head


def causes(pipeline: Pipeline, results: Sequence[CheckResult]) -> dict[str, str]:
    """Step to the input step that explains its failed coverage check, so that it need not be reported twice."""
    failing = {result.step for result in results if result.check == "coverage" and not result.has_passed}
    found: dict[str, str] = {}
    for step in pipeline.nodes:
        read = [reference.removeprefix(f"{pipeline.name}/") for _, reference in step.references]
        if step.id in failing and (before := next((each for each in read if each in failing), None)) is not None:
            found[step.id] = found.get(before, before)
    return found


def _covered(results: Sequence[CheckResult]) -> Iterator[str]:
    """The coverage of the step with the least data."""
    known = [result for result in results if result.check == "coverage" and result.has_passed and "coverage" in result.facts]
    if not known:
        return
    least = min(known, key=lambda result: float(result.facts["coverage"]))
    is_of_all = len(known) == sum(result.check == "coverage" for result in results)
    steps = "" if is_of_all else ", ".join(result.step for result in known)
    if "longest_gap_s" not in least.facts:
        yield f"no gaps in the data of {steps}" if steps else "no gaps in the data"
        return
    share, began = 100 * float(least.facts["coverage"]), datetime.fromisoformat(str(least.facts["longest_gap_start"]))
    length = readable_duration(float(least.facts["longest_gap_s"]))
    summary = (
        f"{'at least ' if len(known) > 1 else ''}{min(share, 99.9):.1f} % of the time has data{f' in {steps}' if steps else ''}"
    )
    which = "the only gap is" if least.facts.get("gaps") == 1 else "the longest gap is"
    yield f"{summary} ({which} {length} from {began:%Y-%m-%d %H:%M}, {least.step})"


def _values(pipeline: Pipeline, results: Sequence[CheckResult]) -> Iterator[str]:
    """The values of the drawn steps, and their fill values if there are many."""
    facts = _values_found(results)
    plotted = drawn_values(pipeline, results)
    for step in list(plotted)[:_MOST_VALUES]:
        yield f"{step} {_between(plotted[step])}"
    if len(plotted) > _MOST_VALUES:
        yield f"and {len(plotted) - _MOST_VALUES} more"
    for step, each in facts.items():
        if float(each.get("fill_share", 0)) >= _MUCH_FILL:
            yield f"{100 * float(each['fill_share']):.0f} % of the values of {step} are fill"


def drawn_values(pipeline: Pipeline, results: Sequence[CheckResult]) -> dict[str, Facts]:
    """Drawn step to what the checks found about its values."""
    facts = _values_found(results)
    return {step: facts[step] for step in _drawn(pipeline) if step in facts}


def _values_found(results: Sequence[CheckResult]) -> dict[str, Facts]:
    return {result.step: result.facts for result in results if result.check == "values" and "min" in result.facts}


def _between(facts: Facts) -> str:
    unit = f" {facts['unit']}" if facts.get("unit") else ""
    if facts["min"] == facts["max"]:
        return f"is {facts['min']:.4g}{unit} throughout"
    return f"from {facts['min']:.4g} to {facts['max']:.4g}{unit}"


def _drawn(pipeline: Pipeline) -> list[str]:
    """The pipeline's own steps shown in figures; without figures, those that no other step reads."""
    figures = [step.figure for step in pipeline.steps if step.figure is not None]
    shown = [trace.data for figure in figures for panel in figure.panels for trace in panel.traces]
    read = {reference for step in pipeline.nodes for _, reference in step.references}
    own = shown or [step.id for step in pipeline.nodes if step.id not in read]
    return list(dict.fromkeys(each.removeprefix(f"{pipeline.name}/") for each in own))

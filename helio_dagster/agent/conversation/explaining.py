"""Explain a plan from what is recorded: its datasets, which candidates were sampled, what was assumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helio_dagster.domain.pipeline import Pipeline


def explain(pipeline: Pipeline, looked: Sequence[str], remarks: Sequence[str]) -> str:
    """What a pipeline uses, and why.

    Parameters
    ----------
    pipeline
        The plan, or the saved pipeline.
    looked
        The report on each candidate that was sampled.
    remarks
        The planner's notes.
    """
    return "\n".join(_lines(pipeline, looked, remarks))


def _lines(pipeline: Pipeline, looked: Sequence[str], remarks: Sequence[str]) -> Iterator[str]:
    for step in pipeline.steps:
        if step.fetch is not None:
            yield f"{step.id} is {step.fetch.parameter} of {step.fetch.dataset} ({step.fetch.archive})."
    yield from looked
    if pipeline.assumptions:
        yield "Assumed:"
        yield from (f"  {assumption}" for assumption in pipeline.assumptions)
    else:
        yield "Nothing was assumed."
    yield from remarks

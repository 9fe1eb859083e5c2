"""A plan for a time none of whose partitions is over: it is made as far as there are data, and again as they come."""

from __future__ import annotations

from datetime import datetime

from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange


def open_if_not_over(pipeline: Pipeline, span: TimeRange | None, now: datetime) -> Pipeline:
    """The pipeline with its last partition open, where the range begins in a partition that is not over.

    Parameters
    ----------
    pipeline
        The draft.
    span
        The range it is asked for.
    now
        The present, aware.
    """
    if span is None or pipeline.open or pipeline.is_over_events or not any(step.fetch for step in pipeline.steps):
        return pipeline
    grain = pipeline.grain
    if not grain.floor(now) <= span.start <= now:
        return pipeline
    said = f"{span} is not over: it is made up to the newest record, and again as data come (`open: true`)."
    return pipeline.model_copy(update={"open": True, "assumptions": [*pipeline.assumptions, said]})

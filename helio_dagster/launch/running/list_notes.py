"""What is to be said of a list of events that another pipeline computes: why it cannot be used, or where it may lack events."""

from __future__ import annotations

from collections.abc import Iterator

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.storage.tables import TableStore


def list_notes(graph: AssetGraph, pipeline: Pipeline, store: TableStore) -> Iterator[str]:
    """A line for each reason, with what to do; none for a pipeline whose list is whole, or not over events.

    Parameters
    ----------
    graph
        The assets of all pipelines.
    pipeline
        The pipeline.
    store
        Holds the failures of the steps that the list is made from.
    """
    events = graph.events.get(pipeline.name)
    if events is None or graph[events.list_asset].grain is None:
        return
    if events.trouble is not None:
        yield f"{pipeline.name} has no events: {events.trouble.problem}. {events.trouble.hint}".rstrip()
    for name in graph.with_ancestors([events.list_asset]):
        failures = store.failures(name)
        if failures:
            key, failure = next(iter(failures.items()))
            failed = f"{counted(len(failures), 'partition')} of {name} failed, such as {key}: {failure['error']}".rstrip(".")
            missing = f"Events of that time are missing from {events.list_asset}"
            yield f"{failed}. {missing}: run {graph[events.list_asset].pipeline} again."

"""Read the facts and events that a pipeline's steps have computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.result_spans import spans, stored_spans
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.report import EventReport, FactReport, FactsReport
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.stated_events import events_in
from helio_dagster.domain.stated_facts import facts_in
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.storage.tables import TableStore

_NUMBERING = ("facts_of_events", "shock_parameters_of_events")
Keys = Mapping[str, Sequence[str | None]]
"""Asset to those of its requested partitions that can be read."""


def facts_of_run(request: RunRequest, store: TableStore, usable: Keys | None = None) -> list[FactReport]:
    """The facts over exactly the range of a request, or over what of it is `usable`, in the order of the steps."""
    found: list[FactReport] = []
    for step, node in request.graph.of_pipeline(request.pipeline).items():
        keys = list((request.targets if usable is None else usable).get(node.name, []))
        if node.over == "range":
            keys = [span_key(span) for span, _ in spans(node, keys, shown=request.shown)]
        found += _read(step, node, keys, store, is_of_one_kind=True)
    return found


def events_of_run(request: RunRequest, store: TableStore, usable: Keys | None = None) -> list[EventReport]:
    """The events inside the range of a request, or what of it is `usable`, that its steps found, in the order of the steps.

    An event of a list that another step gives again with numbers comes from that step alone, where it is there, too.
    """
    found: dict[str, list[EventReport]] = {}
    for step, node in request.graph.of_pipeline(request.pipeline).items():
        if node.kind == "compute":
            found[step] = list(_events(step, node, request, store, usable))
    for step, of in _numbered(request.pipeline):
        moments = {(event.start, event.stop) for event in found.get(step, ())}
        if of in found:
            found[of] = [event for event in found[of] if (event.start, event.stop) not in moments]
    return [event for events in found.values() for event in events]


def _events(step: str, node: AssetNode, request: RunRequest, store: TableStore, usable: Keys | None) -> Iterator[EventReport]:
    """The events that one step found."""
    for key, window in windows_of(node, request, (request.targets if usable is None else usable).get(node.name, [])):
        stored = store.peek(node.name, key)
        if stored is not None and stored.meta.columns and stored.meta.kind != "events":
            return
        if stored is None or not stored.rows:
            continue
        table = store.read(node.name, key)
        inside = table.clip(request.shown) if request.shown is not None and node.events is None else table
        for each in events_in(inside, window):
            yield EventReport(step=step, start=each.start, stop=each.stop, text=each.text, values=each.values, cut=each.is_cut)


def _numbered(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    """Steps that give a list again, row by row, with numbers of each event, and the list's step."""
    for step in pipeline.steps:
        if step.compute is not None and step.compute.operation in _NUMBERING:
            yield step.id, step.compute.step_inputs.get("events", "")


def windows_of(node: AssetNode, request: RunRequest, keys: Sequence[str | None]) -> Iterator[tuple[str | None, TimeRange]]:
    """The keys of a step's results, each with the range that was asked for: that of an event, or of the run."""
    if node.over == "range":
        yield from ((span_key(span), span) for span, _ in spans(node, keys, shown=request.shown))
        return
    for key in keys:
        own = node.events.window(key) if node.events is not None and key is not None else None
        yield key, own or request.shown or request.span


def stored_facts(graph: AssetGraph, pipeline: Pipeline, span: TimeRange | None, store: TableStore) -> FactsReport:
    """All stored facts of a pipeline, or those taken from inside a range."""
    found: list[FactReport] = []
    for step, node in graph.of_pipeline(pipeline).items():
        if node.over == "range":
            inside = [each for each in stored_spans(node.name, store) if span is None or _is_inside(each, span)]
            found += _read(step, node, [span_key(each) for each in inside], store)
        elif node.kind == "compute" and node.grain is not None:
            keys = [key for key in store.partitions(node.name) if node.grain.has_key(key)]
            found += _read(step, node, [key for key in keys if span is None or _is_inside(node.grain.window(key), span)], store)
    start, stop = (format_time(span.start), format_time(span.stop)) if span else (None, None)
    return FactsReport(pipeline=pipeline.name, start=start, stop=stop, facts=found)


def _read(
    step: str, node: AssetNode, keys: list[str | None] | list[str], store: TableStore, *, is_of_one_kind: bool = False
) -> Iterator[FactReport]:
    """The facts in tables of a step; in a run just made all are of one kind, so the first tells."""
    if node.kind != "compute":
        return
    for key in keys:
        stored = store.peek(node.name, key)
        if stored is not None and stored.meta.columns and stored.meta.kind != "facts" and is_of_one_kind:
            return
        if stored is None or stored.meta.kind != "facts":
            continue
        event = key if node.events is not None and node.over != "range" else None
        for fact in facts_in(store.read(node.name, key)):
            yield FactReport(
                step=step,
                name=fact.name,
                value=fact.value,
                unit=fact.unit,
                uncertainty=fact.uncertainty,
                start=fact.start,
                stop=fact.stop,
                of=fact.of or event or "",
                text=fact.quantity,
            )


def _is_inside(inner: TimeRange, outer: TimeRange) -> bool:
    return outer.start <= inner.start and inner.stop <= outer.stop

"""The methods of a pipeline in words, from what its file and its operations say: for a paper's section of methods."""

from __future__ import annotations

from collections.abc import Iterator

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange


def methods_text(graph: AssetGraph, pipeline: Pipeline, span: TimeRange | None) -> str:
    """The text, in Markdown: what was asked, and what each step does, fetches and other pipelines' steps first."""
    lines = [f"# {pipeline.title or pipeline.name}", ""]
    if pipeline.description:
        lines += [pipeline.description, ""]
    if span is not None:
        lines += [f"Range: {span} (UTC; the start is included, the stop is not).", ""]
    if pipeline.assumptions:
        lines += ["Assumptions:", "", *(f"- {each}" for each in pipeline.assumptions), ""]
    nodes = graph.of_pipeline(pipeline)
    own = {nodes[step.id].name: step.intent for step in pipeline.steps if step.id in nodes}
    others = set(graph.with_ancestors(node.name for node in nodes.values())) - own.keys()
    for name in (*sorted(others), *own):
        lines += _step(graph, graph[name], own.get(name))
    return "\n".join(lines).rstrip() + "\n"


def _step(graph: AssetGraph, node: AssetNode, intent: str | None) -> Iterator[str]:
    step = node.step
    yield f"## {node.name}"
    yield ""
    if intent is None and node.fetch is None:  # a fetch is shared, and has the intent of whichever pipeline comes first
        intent = step.intent
    if intent:
        yield f"{intent.rstrip('.')}."
    if node.fetch is not None and node.fetch.file is not None:
        yield f"Read from the file {node.fetch.file}, columns {', '.join(node.fetch.columns or {})}."
    elif node.fetch is not None:
        yield f"Fetched from the archive {node.fetch.archive}: parameter {node.fetch.parameter} of {node.fetch.dataset}."
    if node.given is not None:
        yield f"A table given in the pipeline. Source: {node.given.source}."
    compute = step.compute
    if compute is not None:
        inputs = ", ".join(f"{name} = {asset}" for name, asset in node.inputs.items())
        yield f"Computed from {inputs}."
        if compute.operation is not None:
            options = ", ".join(f"{name} = {value}" for name, value in compute.options.items())
            yield f"Operation {compute.operation}{f' with {options}' if options else ''}."
            yield f"{graph.operation(compute.operation).reference}"
        elif compute.code is not None:
            yield from ("", "```python", compute.code.rstrip(), "```")
    yield ""

"""Reports and pipelines as a notebook shows them. All text is escaped: names and messages may come from files and archives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helio_dagster.domain.pipeline import Pipeline, Step
    from helio_dagster.domain.report import RunReport, WindowsReport

COUNTS = ("computed", "reused", "empty", "skipped", "failed")
"""What is counted of a step's partitions."""


def html_of_run(report: RunReport) -> str:
    """A run: what became of each step, its numbers, the events it found, what is not as expected, and what failed."""
    parts = [_head(f"{report.pipeline}: {report.status}", f"{report.start} to {report.stop}, {report.seconds:.1f} s")]
    rows = [[name, *(str(getattr(step, each) or "·") for each in COUNTS)] for name, step in report.steps.items()]
    parts.append(_table(["step", *COUNTS], rows))
    parts.append(_list("", [f"{each.step} {each.name} = {each.text}" for each in report.facts]))
    parts.append(_list("found", [f"{each.step} {each.start} {each.stop} {each.words}".strip() for each in report.events]))
    parts.append(_list("not as expected", [each.text for each in report.unmet]))
    failed = [f"{each.step} {each.partition or ''}: {each.error} {each.hint}".strip() for each in report.failures]
    parts.append(_list("failed", failed))
    return "".join(parts)


def html_of_windows(report: WindowsReport) -> str:
    """Runs over the windows of a list, a row each."""
    rows = [[each.id, each.start, each.stop, each.status, each.error] for each in report.windows]
    head = _head(f"{report.pipeline}: {report.status}", f"{len(rows)} windows, {report.seconds:.1f} s")
    return head + _table(["window", "start", "stop", "status", "error"], rows)


def html_of_pipeline(pipeline: Pipeline) -> str:
    """A pipeline: its title, its steps, and what was assumed."""
    rows = [[step.id, *_what(step)] for step in pipeline.steps]
    of = pipeline.title or pipeline.description
    return (
        _head(pipeline.name, of) + _table(["step", "kind", "of", "from"], rows) + _list("assumed", list(pipeline.assumptions))
    )


def _what(step: Step) -> tuple[str, str, str]:
    """The kind of a step, what it does, and what from."""
    inputs = ", ".join(dict.fromkeys(reference for _, reference in step.references))
    if step.fetch is not None:
        return "fetch", f"{step.fetch.archive}: {step.fetch.dataset} {step.fetch.parameter}", ""
    if step.compute is not None:
        return "compute", step.compute.operation or "code", inputs
    kind = "figure" if step.figure is not None else "events" if step.events is not None else "table"
    return kind, "", inputs


def _head(name: str, more: str) -> str:
    return f"<p><b>{escape(name)}</b> {escape(more)}</p>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag} style="text-align:left">{escape(each)}</{tag}>' for each in cells) + "</tr>"

    body = "".join(row(each, "td") for each in rows)
    return f"<table><thead>{row(heads, 'th')}</thead><tbody>{body}</tbody></table>"


def _list(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    items = "".join(f"<li>{escape(each)}</li>" for each in lines)
    return (f"<p>{escape(title)}</p>" if title else "") + f"<ul>{items}</ul>"

"""What a notebook or script of a pipeline does, cell by cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from helio_dagster.domain.bundle import pack
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.pipeline_exchange import collect
from helio_dagster.launch.running.request import OpenPipeline

_NOT_A_NAME = re.compile(r"\W")
_MARKDOWN = re.compile(r"([\\`*{}\[\]<>#|$!]|(?<!\w)_|_(?!\w))")
_LARGEST_BUNDLE = 2_000_000
"""Bytes of a pipeline with all it needs that a document carries."""


@dataclass(frozen=True)
class Cell:
    """A part of the document: text for people in Markdown, or code.

    `shown` is the value that a notebook shows below it, `printed` what a script does with it instead.
    """

    kind: Literal["text", "code"]
    content: str
    shown: str = ""
    printed: str = ""


def cells_of(home: Home, name: str, asked: TimeRange | None) -> list[Cell]:
    """The cells of a pipeline's document: what it is, the file, its run, results, figures, and whom to cite.

    Parameters
    ----------
    home
        The home with the pipeline and what it needs, all of which the document carries.
    name
        The pipeline.
    asked
        The range; by default the one in the pipeline's file.

    Raises
    ------
    InputError
        There is no such pipeline, no range, or what it needs is too large.
    PipelineError
        The pipeline is invalid.
    """
    opened = home.open(name)
    items = collect(home, name)
    carried = (items[0].content if len(items) == 1 else pack(items)).decode()
    if len(carried) > _LARGEST_BUNDLE:
        hint = "Export the pipeline (helio pipelines export), and import it next to the notebook."
        raise InputError(f"{opened.pipeline.name} and what it needs have {len(carried):,} bytes", hint=hint)
    if asked is None and opened.pipeline.range is None:
        hint = f"Give a day, START and STOP, or a phrase, or write `range:` in the file of {opened.pipeline.name}."
        raise InputError("no time range given", hint=hint)
    return list(_cells(opened, carried, asked))


def _cells(opened: OpenPipeline, carried: str, asked: TimeRange | None) -> Iterator[Cell]:
    pipeline = opened.pipeline
    yield Cell("text", _introduction(pipeline))
    yield Cell("code", f"import helio_dagster as helio\n\nPIPELINE = {_literal(carried)}")
    yield Cell("code", "pipeline = helio.load_pipeline(helio.import_pipeline(PIPELINE)[0].path)", "pipeline")
    if asked is None:
        times = ""
        yield Cell("text", f"The range is that of the pipeline's file: {_plain(str(pipeline.range))}.")
    else:
        times = ", START, STOP"
        yield Cell("code", f'START, STOP = "{format_time(asked.start)}", "{format_time(asked.stop)}"')
    yield Cell("text", "## Run\n\nWhat is stored and still true is reused; the same range gives the same bytes.")
    yield Cell("code", f'report = helio.run("{pipeline.name}"{times})', "report", "print(report)")
    if asked is None:
        yield Cell("code", "START, STOP = report.start, report.stop")
    results = _results(opened)
    if results:
        yield Cell("text", "## Results\n\nTimes are UTC; units and frames are in `.attrs`.")
    for step in results:
        variable = _variable(step.id)
        code = f'{variable} = helio.read("{step.id}", START, STOP, pipeline="{pipeline.name}")'
        yield Cell("code", f"{code}\n{_counted(variable)}", f"{variable}.describe()", f"print({variable}.describe())")
    if any(node.over == "range" for node in opened.graph.of_pipeline(pipeline).values()):
        yield Cell("text", "## Numbers")
        yield Cell("code", f'numbers = helio.facts("{pipeline.name}", START, STOP)', "numbers", "print(numbers.to_string())")
    figures = [step for step in pipeline.steps if step.figure is not None]
    if figures:
        yield Cell("text", "## Figures")
    for step in figures:
        variable = _variable(step.id)
        code = f'{variable} = helio.figure("{pipeline.name}", START, STOP, step="{step.id}")'
        yield Cell("code", code, variable, f'{variable}.save("{pipeline.name}__{step.id}.png")')
    yield Cell("text", "## Methods and whom to cite")
    yield Cell("code", f'print(helio.cite("{pipeline.name}", START, STOP))')


def _counted(variable: str) -> str:
    """Code that says how many records there are, in which unit."""
    return f"print(f\"{variable}: {{len({variable}):,}} records, {{{variable}.attrs.get('unit') or 'units by column'}}\")"


def _introduction(pipeline: Pipeline) -> str:
    """Title, description, steps in words, assumptions and approval."""
    lines = [f"# {_plain(pipeline.title or pipeline.name)}", ""]
    if pipeline.description:
        lines += [_plain(pipeline.description), ""]
    lines += [f"- {_plain(_step_line(step))}" for step in pipeline.steps]
    if pipeline.assumptions:
        lines += ["", "Assumed:", "", *(f"- {_plain(each)}" for each in pipeline.assumptions)]
    if pipeline.approved is not None:
        lines += ["", f"Approved by {_plain(pipeline.approved.by)}, {format_time(pipeline.approved.at)}."]
    return "\n".join(lines)


def _step_line(step: Step) -> str:
    """One step as a line: what it is for, and what it takes."""
    words = f"{step.id}: {step.intent}" if step.intent else step.id
    if step.fetch is not None:
        return f"{words} ({step.fetch.archive}: {step.fetch.dataset} {step.fetch.parameter})"
    if step.compute is not None:
        of = ", ".join(dict.fromkeys(map(str, step.compute.inputs.values())))
        return f"{words} ({step.compute.operation or 'code'} of {of})"
    return words


def _results(opened: OpenPipeline) -> Sequence[Step]:
    """The steps to look at: what figures draw, and what no other step reads; events of a list are read event by event."""
    if opened.pipeline.name in opened.graph.events:
        return []
    steps = {step.id: step for step in opened.pipeline.steps if step.fetch is not None or step.compute is not None}
    drawn = [reference for step in opened.pipeline.steps if step.figure for _, reference in step.references]
    read = {reference for step in opened.pipeline.steps if step.figure is None for _, reference in step.references}
    wanted = [*drawn, *(name for name in steps if name not in read)]
    return [steps[name] for name in dict.fromkeys(wanted) if name in steps]


def _variable(name: str) -> str:
    """The name of a step as one of Python that hides nothing."""
    made = _NOT_A_NAME.sub("_", name)
    return (
        f"{made}_"
        if made in ("helio", "pipeline", "report", "numbers", "PIPELINE", "START", "STOP") or made[:1].isdigit()
        else made
    )


def _literal(text: str) -> str:
    """A text as Python writes it, on lines of its own where it can be."""
    if "'''" in text or "\\" in text or "\r" in text or not text.endswith("\n"):
        return repr(text)
    return f"'''\\\n{text}'''"


def _plain(text: str) -> str:
    """A text in which nothing is markup; names may come from files."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))

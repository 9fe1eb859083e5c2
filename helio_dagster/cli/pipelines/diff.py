"""`helio pipelines diff` and `families`: compare pipelines, and find those that make the same data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write, write_json

if TYPE_CHECKING:
    from helio_dagster.domain.pipeline_comparison import Change, Comparison
    from helio_dagster.domain.pipeline_text import PipelineFile
    from helio_dagster.domain.yaml.document import Value

One = Annotated[str, typer.Argument(metavar="A", help="Name of a pipeline, or path to its file.")]
Other = Annotated[str, typer.Argument(metavar="B", help="Name or file of the pipeline to compare with.")]


def diff(
    one: One,
    other: Other,
    text: Annotated[bool, typer.Option("--text", help="Compare the files line by line.")] = False,
    as_json: AsJson = False,
) -> int:
    """Show how B differs in meaning from A, step by step. The exit code is 0 whether or not they differ."""
    from helio_dagster.domain.pipeline_comparison import compare_pipelines
    from helio_dagster.launch.home import Home

    library = Home(settings_from_environment()).library
    old, new = library.load(one), library.load(other)
    found = compare_pipelines(old.pipeline, new.pipeline)
    lines = list(_text_lines(old, new)) if text else None
    if as_json:
        facts = asdict(found) | {"a": old.pipeline.name, "b": new.pipeline.name, "is_same": found.is_same}
        write_json(facts | ({} if lines is None else {"text": "".join(lines)}))
    else:
        write("".join(lines if lines is not None else (f"{line}\n" for line in _lines(found))))
    return 0


def show_families(as_json: AsJson = False) -> int:
    """List pipelines with the same data steps and different figures. Each makes its own tables."""
    from helio_dagster.domain.pipeline_comparison import families
    from helio_dagster.launch.home import Home

    files = Home(settings_from_environment()).files
    found = families(file.pipeline for file in files.values())
    if as_json:
        write_json({"families": found})
        return 0
    if not found:
        write(f"No two of the {len(files)} pipelines have the same data steps.\n")
    for number, names in enumerate(found, start=1):
        write(f"{number}.\n")
        for name in names:
            title = files[name].pipeline.title
            write(f"  {name}{f': {title}' if title else ''}\n")
    return 0


def _lines(found: Comparison) -> Iterator[str]:
    if found.is_same:
        yield "They have the same meaning."
        return
    yield from (_change_line(change) for change in found.head)
    for step in found.steps:
        yield f"{step.what} {step.kind} {step.step}"
        yield from (f"  {_change_line(change)}" for change in step.changes)
    if found.has_same_data:
        yield "The data steps are the same."


def _change_line(change: Change) -> str:
    return f"{change.path}: {_value(change.old)} -> {_value(change.new)}"


def _value(value: Value) -> str:
    text = "not given" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:199]}…"


def _text_lines(old: PipelineFile, new: PipelineFile) -> Iterator[str]:
    from difflib import unified_diff

    lines = unified_diff(old.text.splitlines(keepends=True), new.text.splitlines(keepends=True), old.file, new.file)
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

"""`helio plan`: turn a request into a pipeline, and print or save it. Runs nothing."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.event_print import EventPrinter
from helio_dagster.cli.options import AsJson, ModelOption, Verbose, configuration, settings_from_environment
from helio_dagster.cli.terminal import write_json
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.agent.answers import Answer, Plan
    from helio_dagster.agent.planner import Planner
    from helio_dagster.cli.console import Console
    from helio_dagster.domain.pipeline import Pipeline
    from helio_dagster.domain.yaml.document import Value

_EXIT_CODES = {"plan": 0, "information": 0, "refused": 2, "question": 3}


def plan(
    request: Annotated[list[str], typer.Argument(metavar="REQUEST", help="What you want, as a sentence.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Save the pipeline to FILE, or into a folder under its own name."),
    ] = None,
    archive: Annotated[str, typer.Option(help="Archive to fetch from: cdaweb, or demo (synthetic data).")] = "cdaweb",
    force: Annotated[bool, typer.Option("--force", help="Replace a different file.")] = False,
    sample: Annotated[bool, typer.Option("--sample", help="Look at some data of each candidate before choosing.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Plan without a language model, even if there is a key.")] = False,
    model: ModelOption = None,
    on: Annotated[str | None, typer.Option("--on", metavar="SERVER", hidden=True)] = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> int:
    """Show the pipeline for REQUEST. Runs nothing, and saves nothing without -o."""
    from helio_dagster.agent.answers import Plan, answer_to_document
    from helio_dagster.agent.claims.holding import unverified_line
    from helio_dagster.agent.claims.pipeline_numbers import unverified_in_plan
    from helio_dagster.agent.events import Event
    from helio_dagster.agent.planner import Situation
    from helio_dagster.launch.library.lists_at_hand import copy_lists
    from helio_dagster.storage.atomic import write_bytes

    if on is not None:
        hint = "Plan here and bring the file there by connect(...).import_pipeline(file) in Python, or talk on the page."
        raise InputError("plans are made on this machine, not --on a server", hint=hint)
    if archive not in ("cdaweb", "demo"):
        raise InputError(f"there is no archive {archive!r} to plan with", hint="Give cdaweb or demo.")
    configured = configuration(model, is_offline=offline)
    with configured.placing_errors():
        planner = _planner(configured.environment, archive, is_offline=offline, is_sampling=sample)
    printer, began = EventPrinter(to_error=True, is_verbose=verbose), time.monotonic()
    answer = planner.answer(Situation(" ".join(request), datetime.now(UTC), tell=printer))
    printer(Event(stage="done", text="", facts={"seconds": time.monotonic() - began}))
    saved, copied = None, list[Path]()
    if output is not None and isinstance(answer, Plan):
        saved, text = target_of(answer.pipeline, output, force=force)
        copied = copy_lists(answer.pipeline, Path.cwd(), saved.parent)
        write_bytes(saved, text.encode())
    answer = _with_notes_on_density(answer)
    unverified = unverified_in_plan(answer, " ".join(request))
    document = answer_to_document(answer, planner.name) | {"unverified": [*unverified]}
    if isinstance(answer, Plan):
        document["suggested_checks"] = _suggested_checks(answer.pipeline)
    if as_json:
        write_json(document)
    else:
        from helio_dagster.cli.console import Console

        console = Console()
        print_plan(answer, console, archive=archive, request=" ".join(request))
        if unverified:
            console.print(unverified_line(unverified), soft_wrap=True)
        if isinstance(answer, Plan):
            console.print(_what_next(answer, saved, copied), soft_wrap=True)
    return _EXIT_CODES[str(document["status"])]


def _planner(environment: Mapping[str, str], archive: str, *, is_offline: bool, is_sampling: bool) -> Planner:
    """The planner of this process; it asks the archive only where it shall, or where a model may write code to be tried."""
    from helio_dagster.agent.knowledge import open_knowledge
    from helio_dagster.agent.model.settings import is_available
    from helio_dagster.agent.planners import make_planner
    from helio_dagster.storage.pipeline_library import PipelineLibrary

    settings = settings_from_environment()
    knowledge, side = open_knowledge(settings), None
    if is_sampling or (not is_offline and is_available(environment)):
        from helio_dagster.launch.home import Home
        from helio_dagster.resources.collector import collector_at_rest

        with collector_at_rest():
            from helio_dagster.launch.running.run_side import HomeSide
        from helio_dagster.resources.workbench import Workbench

        side = HomeSide(Home(settings), Workbench(settings))
    files = PipelineLibrary(settings.pipelines)
    return make_planner(environment, knowledge, side, archive, is_offline=is_offline, files=files)


def _with_notes_on_density(answer: Answer) -> Answer:
    """A plan, with a note for each step that will find nothing in data as rare as the catalog says they are."""
    from helio_dagster.agent.answers import Plan
    from helio_dagster.agent.knowledge import open_knowledge
    from helio_dagster.domain.sparse_check import sparse_notes

    if not isinstance(answer, Plan):
        return answer
    known, made = open_knowledge(settings_from_environment()), answer.pipeline
    faults = [fault for step in made.steps for fault in sparse_notes(made, step, {}, known.catalog, known.operations.get)]
    return replace(answer, notes=(*answer.notes, *(f"{each.problem}. {each.hint}" for each in faults)))


def _suggested_checks(pipeline: Pipeline) -> Value:
    """The checks that the data of a plan could have: step to its `expect`. None where it has some already."""
    from helio_dagster.agent.knowledge import open_knowledge
    from helio_dagster.agent.suggested_checks import suggested_document
    from helio_dagster.catalog.choice.usual_checks import usual_checks

    if any(step.expect is not None for step in pipeline.steps):
        return {}
    return dict(suggested_document(usual_checks(pipeline, open_knowledge(settings_from_environment()).catalog)))


def target_of(pipeline: Pipeline, output: Path, *, force: bool) -> tuple[Path, str]:
    """The file to write a pipeline to, and its text; the file's name becomes the pipeline's name.

    Raises
    ------
    InputError
        The file's name cannot be a pipeline's, or a different file exists.
    """
    from helio_dagster.domain.pipeline_fields import is_name
    from helio_dagster.domain.pipeline_text import dump_pipeline
    from helio_dagster.storage.small_files import has_content

    path = output / f"{pipeline.name}.yaml" if output.is_dir() or not output.suffix else output
    if path.suffix != ".yaml" or not is_name(path.stem):
        hint = "Use lower-case letters, digits and underscores, ending in .yaml: ace_overview.yaml."
        raise InputError(f"{path.name!r} is not a valid file name for a pipeline", hint=hint)
    text = dump_pipeline(pipeline.model_copy(update={"name": path.stem}))
    if not force and path.exists() and not has_content(path, text.encode()):
        raise InputError(f"{path} already exists and differs", hint="Give another FILE, or --force to replace it.")
    return path, text


def print_plan(answer: Answer, console: Console, *, archive: str = "cdaweb", request: str = "") -> None:
    """Print the plan, question or refusal for people; answers to a question are printed as commands for `archive`."""
    from helio_dagster.cli.struck_words import struck_line

    if ignored := getattr(answer, "ignored", ()):
        console.print(struck_line(console, request, ignored), soft_wrap=True)
    for line in _lines(answer, "" if archive == "cdaweb" else f"--archive {archive} "):
        console.print(line, soft_wrap=True)


def _lines(answer: Answer, options: str) -> Iterator[str]:
    from helio_dagster.agent.answers import Asked, Information, Plan
    from helio_dagster.agent.conversation.changes import describe_step
    from helio_dagster.agent.looks_in_words import tell_looks

    if isinstance(answer, Plan):
        pipeline = answer.pipeline
        yield pipeline.title
        if answer.span is not None:
            yield f"  time    {answer.span} (end exclusive)"
        width = max(len(step.id) for step in pipeline.steps)
        yield from (f"  {step.kind:7} {step.id:{width}}  {describe_step(step)}" for step in pipeline.steps)
        yield from (f"  {'looks':7} {line}" for line in tell_looks(pipeline))
        yield from (f"assumed: {assumption}" for assumption in pipeline.assumptions)
        yield from (f"note: {note}" for note in answer.notes)
        return
    if isinstance(answer, Asked):
        yield answer.question.text
        yield from (f"  helio plan {options}{shlex.quote(choice)}" for choice in answer.question.choices)
    if isinstance(answer, Information):
        yield answer.text
        yield from (f"source: {source}" for source in answer.sources)
    yield from getattr(answer, "notes", ())


def _what_next(answer: Plan, saved: Path | None, copied: Sequence[Path]) -> str:
    from helio_dagster.domain.time_range import format_time
    from helio_dagster.launch.library.lists_at_hand import missing_lists

    if saved is None:
        return "Nothing is saved: add -o pipelines to save it."
    span = f"{format_time(answer.span.start)} {format_time(answer.span.stop)}" if answer.span else "START STOP"
    if answer.span is None and answer.pipeline.lists_its_events:
        span = "--all"
    lines = [f"Saved: {saved}", *(f"Copied beside it: {path}" for path in copied)]
    lines += [f"Put {name} into {saved.parent} before you run it." for name in missing_lists(answer.pipeline, saved.parent)]
    return "\n".join([*lines, f"Run it: helio run {shlex.quote(str(saved))} {span}"])

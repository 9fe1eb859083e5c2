"""Check a model's pipeline before a person sees it: the file, and its code on a sample."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic_ai import ModelRetry

from helio_dagster.agent.events import Event
from helio_dagster.agent.model.turn import MOST_REPAIRS, Turn
from helio_dagster.assets.library import check_files
from helio_dagster.domain.errors import (
    ArchiveError,
    CodeRefused,
    ComputeError,
    HelioError,
    ModelMisbehaved,
    SandboxUnavailable,
    UnknownDataset,
)
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.time_range import TimeRange

_MOST_SHOWN = 12
_LONGEST_ERROR = 2000


def check(turn: Turn, file: PipelineFile) -> None:
    """Check a file against all rules: references, units, frames, shapes, code.

    Raises
    ------
    ModelRetry
        With the problems found.
    """
    if turn.side is not None:
        findings = turn.side.check(file)
    else:
        findings = check_files({file.pipeline.name: file}, turn.knowledge.catalog, turn.knowledge.operations.get)
    if findings.problems:
        found = [f"{_place(file, each.path)}: {each.problem}. {each.hint}".strip() for each in findings.problems[:_MOST_SHOWN]]
        raise ModelRetry("The check found:\n" + "\n".join(found))


def try_code(turn: Turn, file: PipelineFile, steps: Iterable[Step], span: TimeRange | None) -> tuple[str, ...]:
    """Try each step with code on a sample; add a note for what could not be tried.

    Raises
    ------
    ModelRetry
        A step failed; the error says where, and what its inputs looked like.
    ModelMisbehaved
        It still fails after the allowed repairs.
    """
    notes = []
    for step in steps:
        if step.compute is None or step.compute.code is None:
            continue
        if turn.side is None or span is None:
            why = "no time range is given" if turn.side is not None else "no samples can be taken here"
            notes.append(f"The code of {step.id} was checked but not tried: {why}.")
            continue
        note = _try(turn, file, step, span)
        notes += [note] if note else []
    return tuple(notes)


def tell_of_steps(turn: Turn, steps: Iterable[Step]) -> None:
    """Report which steps were made; skip those already reported in the same form."""
    for step in steps:
        form = step.model_dump_json()
        if turn.noted_steps.get(step.id) == form:
            continue
        turn.noted_steps[step.id] = form
        facts = {"step": step.id, "kind": step.kind}
        if step.fetch is not None:
            facts["dataset"] = step.fetch.dataset
        if step.compute is not None:
            facts["operation"] = step.compute.operation or "code"
        turn.situation.tell(Event(stage="step_created", text=f"{step.id}: {step.intent or step.kind}", facts=facts))


def _try(turn: Turn, file: PipelineFile, step: Step, span: TimeRange) -> str:
    """Try one step; return a note if the trial says nothing about its code."""
    assert turn.side is not None  # noqa: S101 - the caller checked
    turn.trials[step.id] += 1
    try:
        trial = turn.side.try_step(file, step.id, span)
    except (ArchiveError, SandboxUnavailable, CodeRefused) as error:  # its code passed the check, so it is not the cause
        return f"The code of {step.id} could not be tried: {error.problem}"
    except (ComputeError, UnknownDataset) as error:
        _tell_of_trial(turn, step.id, passed=False, problem=error.problem)
        raise _failed(turn, step.id, error) from None
    if trial.is_twice_the_same is False:
        _tell_of_trial(turn, step.id, passed=False, problem="two runs gave different results")
        hint = "Make it depend only on its inputs: no clock, no random numbers, no order of sets."
        raise _failed(turn, step.id, ComputeError("the code gave two different results for the same inputs", hint=hint))
    _tell_of_trial(turn, step.id, passed=True)
    return "" if trial.records else f"The code of {step.id} had no input records in {trial.partition}."


def _failed(turn: Turn, step_id: str, error: HelioError) -> Exception:
    turn.failed_trials += 1
    message = str(error)[:_LONGEST_ERROR]
    if turn.failed_trials > MOST_REPAIRS:
        hint = f"Say how to compute it, or ask for an operation of the library. The last error was: {message}"
        return ModelMisbehaved(f"the code for {step_id!r} still fails after {MOST_REPAIRS} repairs", hint=hint)
    return ModelRetry(f"The code of {step_id} failed on a sample (repair {turn.failed_trials} of {MOST_REPAIRS}):\n{message}")


def _tell_of_trial(turn: Turn, step_id: str, *, passed: bool, problem: str = "") -> None:
    attempt = turn.trials[step_id]
    why = f": {problem}" if problem else "."
    text = f"{step_id} {'works' if passed else 'fails'} on a sample (attempt {attempt}){why}"
    turn.situation.tell(Event(stage="step_tested", text=text, facts={"step": step_id, "passed": passed, "attempt": attempt}))


def _place(file: PipelineFile, path: str) -> str:
    """A path in the file with the step's id instead of its number."""
    for index, step in enumerate(file.pipeline.steps):
        head = f"steps[{index}]"
        if path == head or path.startswith(f"{head}."):
            return f"step {step.id}{path.removeprefix(head)}"
    return path or file.pipeline.name

"""Try the code of a plan that a person has edited, step by step, on a part of its range."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.session import Draft
from helio_dagster.domain.errors import HelioError, InputError, Problem
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.time_range import TimeRange

_OF_CODE = re.compile(r"steps\[(\d+)\]\.compute\.code")


def code_of(pipeline: Pipeline) -> dict[str, str]:
    """Step to its code, of the steps that have code."""
    return {step.id: step.compute.code for step in pipeline.steps if step.compute and step.compute.code}


def failing_steps(draft: Draft, pipeline: Pipeline) -> dict[str, str]:
    """Step to the error of its code, of a draft's steps whose code failed when it was tried."""
    return {step: draft.failing[code] for step, code in code_of(pipeline).items() if code in draft.failing}


def try_code(context: Context, file: PipelineFile, steps: Iterable[str], span: TimeRange) -> dict[str, str]:
    """Try steps with code, and report each; return the error of each code that failed."""
    failing: dict[str, str] = {}
    for step in steps:
        try:
            trial = context.side.try_step(file, step, span)
        except HelioError as error:
            failing[code_of(file.pipeline)[step]] = str(error)
            context.say("step_tested", f"{step}: {error}", step=step, passed=False, attempt=1)
        else:
            context.say("step_tested", f"{step} on {trial.partition}:\n{trial.text}", step=step, passed=True, attempt=1)
    return failing


def refused_code(file: PipelineFile, problems: Sequence[Problem]) -> tuple[dict[str, str], list[Problem]]:
    """Of the problems that a check found: the error of each code that it refuses, and the problems about anything else."""
    refused: dict[str, str] = {}
    others: list[Problem] = []
    for problem in problems:
        found = _OF_CODE.fullmatch(problem.path)
        compute = file.pipeline.steps[int(found[1])].compute if found else None
        if compute is None or compute.code is None:
            others.append(problem)
        else:
            refused.setdefault(compute.code, f"{problem.problem}. {problem.hint}".strip())
    return refused, others


def require_working_code(context: Context, draft: Draft, file: PipelineFile) -> None:
    """Try code that failed before once more: what made it fail, such as an archive that did not answer, may be over.

    Raises
    ------
    InputError
        It still fails.
    """
    code = code_of(file.pipeline)
    steps = failing_steps(draft, file.pipeline)
    if steps and draft.span is not None:
        refused, _ = refused_code(file, context.side.check(file).problems)
        tried = [step for step in steps if code[step] not in refused]
        draft.failing = {**refused, **try_code(context, file, tried, draft.span.range)}
    for step, error in failing_steps(draft, file.pipeline).items():
        hint = "Fix it with `edit`, or say what to change; `undo` takes the last change back, `reject` drops the plan."
        raise InputError(f"the code of {step} fails, so the plan cannot be approved: {error}", hint=hint)

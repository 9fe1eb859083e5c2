"""Judge one answer of a planner: right, asked instead, or wrong without saying so."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from helio_dagster.agent.answers import Answer, Asked, Edits, Fork, Information, Plan, Refusal, Replay, Undo
from helio_dagster.agent.evaluation.differences import Difference, difference
from helio_dagster.agent.evaluation.known_answers import NO_RANGE, Expectation, Expected, Panels, Quantity, Range, Words
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.pipeline_edit import apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile, plain_value
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.yaml.document import parse_path
from helio_dagster.domain.yaml.edit import value_at

Verdict = Literal["right", "asks", "wrong", "failed"]
"""`asks`: a question or refusal where something else is expected; `failed`: there was no answer."""
Lists = Mapping[str, Sequence[str]]
_KINDS: dict[Expected, tuple[type, ...]] = {
    "plan": (Plan,),
    "question": (Asked,),
    "refusal": (Refusal, Asked, Information),  # nothing is planned, and a person reads why
    "edits": (Edits,),
    "replay": (Replay,),
    "fork": (Fork,),
    "undo": (Undo,),
    "information": (Information,),
}
_ANY = "any"
_FOLLOWING = ("title", "description", "intent")
"""Words that follow what is drawn: where that is changed, an expectation need not name them."""
_OTHER_DATA = re.compile(r"^(?:fetch|compute)\.|^figure\.panels(?:\[\d+\])?(?:\.traces\[\d+\](?:\.data)?)?$")
_MOST_QUOTED = 200


@dataclass(frozen=True)
class Judgement:
    """A verdict, and everything that is not as expected."""

    verdict: Verdict
    faults: tuple[str, ...] = ()


def judge(expectation: Expectation, answer: Answer, lists: Lists, current: PipelineFile | None = None) -> Judgement:
    """Judge an answer.

    Parameters
    ----------
    expectation
        What must come of the request.
    answer
        What came of it.
    lists
        The lists of parameters that the expectation names.
    current
        The current pipeline, which edits change.
    """
    if expectation.may_ask is not None and isinstance(answer, Asked):
        faults = list(_missing_words(expectation.may_ask, answer))
    else:
        faults = list(_faults(expectation, answer, lists, current))
    if not faults:
        return Judgement("right")
    return Judgement("asks" if isinstance(answer, Asked | Refusal) else "wrong", tuple(faults))


def failed(error: HelioError) -> Judgement:
    """The verdict where a planner gave no answer."""
    return Judgement("failed", (str(error),))


def kind_of(answer: Answer) -> str:
    """The kind of an answer in the words of a file of requests."""
    return "question" if isinstance(answer, Asked) else type(answer).__name__.lower()


def _faults(expectation: Expectation, answer: Answer, lists: Lists, current: PipelineFile | None) -> Iterator[str]:
    if not isinstance(answer, _KINDS[expectation.expect]):
        words = _all_words(answer)[:_MOST_QUOTED]
        yield f"{kind_of(answer)}, not {expectation.expect}{': ' if words else ''}{words}"
        return
    yield from _missing_words(expectation.about, answer)
    if isinstance(answer, Plan):
        yield from _plan_faults(expectation, answer, lists)
    if isinstance(answer, Edits):
        yield from _edit_faults(expectation, answer, lists, current)
    if isinstance(answer, Plan | Replay | Edits) and not _is_range(answer.span, expectation.range):
        yield f"the range is {_written(answer.span)}"
    if expectation.name is not None and isinstance(answer, Replay | Fork) and answer.name != expectation.name:
        yield f"the pipeline is {answer.name or 'the current one'}"
    if expectation.mission is not None and isinstance(answer, Fork) and answer.mission != expectation.mission:
        yield f"the mission is {answer.mission}"
    if expectation.instead_of is not None and isinstance(answer, Fork) and answer.instead_of != expectation.instead_of:
        yield f"the mission replaced is {answer.instead_of or 'not named'}"


def _missing_words(wanted: Sequence[Words], answer: Answer) -> Iterator[str]:
    phrase = _all_words(answer)
    for each in wanted:
        words = [each] if isinstance(each, str) else each
        if not any(word.casefold() in phrase.casefold() for word in words):
            yield f"does not say {' or '.join(map(repr, words))}: {phrase[:_MOST_QUOTED]}"


def _plan_faults(expectation: Expectation, plan: Plan, lists: Lists) -> Iterator[str]:
    steps = plan.pipeline.steps
    ways = [list(_step_faults(way.fetch, way.compute, steps, lists)) for way in expectation.wanted]
    yield from min(ways, key=len)
    yield from _panel_faults(expectation.panels, plan.pipeline)


def _panel_faults(panels: Panels | None, pipeline: Pipeline) -> Iterator[str]:
    figures = [step.figure for step in pipeline.steps if step.figure]
    plotted = [["+".join(trace.data for trace in panel.traces) for panel in figure.panels] for figure in figures]
    counts = [len(each) for each in plotted]
    if isinstance(panels, int) and counts != ([panels] if panels else []):
        yield f"panels: {counts}"
    if isinstance(panels, list) and (counts != [len(panels)] or not all(map(fnmatch.fnmatchcase, plotted[0], panels))):
        yield f"panels: {plotted}"


def _step_faults(fetch: Sequence[Quantity], compute: Sequence[str], steps: Sequence[Step], lists: Lists) -> Iterator[str]:
    """Steps that are too many or too few."""
    wanted = [lists[each] if isinstance(each, str) else each for each in fetch]
    fetched = [f"{step.fetch.dataset}/{step.fetch.parameter}" for step in steps if step.fetch]
    yield from (f"fetches {name}" for name in fetched if not any(_fits(name, each) for each in wanted))
    yield from (f"fetches none of {', '.join(each)}" for each in wanted if not any(_fits(name, each) for name in fetched))
    if len(fetched) > len(wanted):
        yield f"fetches {len(fetched)} parameters"
    left = [step for step in steps if step.compute]
    for operation in compute:
        found = next((step for step in left if _computes(step, operation.rstrip("?"))), None)
        if found is not None:
            left.remove(found)
        elif not operation.endswith("?"):
            yield f"computes no {operation}"
    yield from (_computed(step) for step in left)


def _computed(step: Step) -> str:
    if step.compute is None or step.compute.operation is None:
        return "computes with code"
    return " ".join(
        [f"computes {step.compute.operation}", *(f"{name}={value}" for name, value in step.compute.options.items())]
    )


def _computes(step: Step, wanted: str) -> bool:
    if step.compute is None:
        return False
    operation, *options = wanted.split()
    given = {name: str(value) for name, value in step.compute.options.items()}
    asked = dict(option.split("=", 1) for option in options)
    return step.compute.operation == operation and asked.items() <= given.items()


def _edit_faults(expectation: Expectation, answer: Edits, lists: Lists, current: PipelineFile | None) -> Iterator[str]:
    if current is None:
        yield "changes a pipeline where there is none"
        return
    try:
        edited = apply_edits(current, answer.edits).pipeline
    except InputError as error:
        yield f"the changes do not fit the pipeline: {error}"
        return
    yield from _difference_faults(expectation, difference(current.pipeline, edited), lists)
    yield from _panel_faults(expectation.panels, edited)
    if expectation.title is not None and edited.title != expectation.title:
        yield f"the title is {edited.title!r}"
    yield from _figure_faults(expectation, edited)


def _difference_faults(expectation: Expectation, made: Difference, lists: Lists) -> Iterator[str]:
    is_other = made.added or made.removed or any(_OTHER_DATA.search(path) for path, _ in made.changes)
    following = (*_FOLLOWING, "assumptions") if is_other else ("assumptions",)
    wanted = {**dict.fromkeys(following, f"{_ANY}?"), **expectation.changes}
    for path, value in made.changes:
        places = [given for pattern, given in wanted.items() if fnmatch.fnmatchcase(path, pattern)]
        if not any(str(given).rstrip("?") == _ANY or given == value for given in places):
            yield f"changes {path} to {value!r}"
    for pattern, value in wanted.items():
        if value != f"{_ANY}?" and not any(fnmatch.fnmatchcase(path, pattern) for path, _ in made.changes):
            yield f"changes nothing at {pattern}"
    fetch = [each for each in expectation.adds if not isinstance(each, str) or each in lists]
    compute = [each for each in expectation.adds if isinstance(each, str) and each not in lists]
    yield from _step_faults(fetch, compute, made.added, lists)
    for step in made.removed:
        if not _fits(step, expectation.removes):
            yield f"removes {step}"
    for pattern in expectation.removes:
        if not any(_fits(step, [pattern]) for step in made.removed):
            yield f"removes no {pattern}"


def _figure_faults(expectation: Expectation, edited: Pipeline) -> Iterator[str]:
    figure = plain_value(next((step.figure.model_dump() for step in edited.steps if step.figure), None))
    for path, wanted in expectation.after.items():
        try:
            value = value_at(figure, parse_path(path))
        except KeyError:
            yield f"there is no {path}"
            continue
        if value != wanted:
            yield f"{path} is {value!r}"


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _is_range(span: TimeRange | None, wanted: Range | None) -> bool:
    return wanted is None or (span is None if wanted == NO_RANGE else span == wanted)


def _written(span: TimeRange | None) -> str:
    return "none" if span is None else f"{format_time(span.start)} {format_time(span.stop)}"


def _all_words(answer: Answer) -> str:
    """Everything an answer says in words."""
    if isinstance(answer, Information):
        return " ".join([answer.text, *answer.sources])
    words = [answer.question.text, *answer.question.choices] if isinstance(answer, Asked) else []
    return " ".join([*words, *getattr(answer, "notes", ())])

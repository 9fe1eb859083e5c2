"""Holds a planner's answers against `offline_requests.yaml`: right, asked instead, or wrong. It plans nothing."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import yaml

from helio_dagster.agent.answers import Answer, Asked, Edits, Fork, Information, Plan, Refusal, Replay, Undo
from helio_dagster.agent.planner import Current, Situation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.pipeline_edit import AddStep, EditPipeline, EditStep, RemoveStep, apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile, dump_pipeline, parse_pipeline
from helio_dagster.domain.time_range import TimeRange, format_time

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
Verdict = Literal["right", "asks", "wrong"]
Ask = Callable[[Situation, Mapping[str, str]], Answer]
"""Asks a planner; the mapping is the saved pipelines, name to title."""
_KINDS: dict[str, type] = {
    "plan": Plan,
    "question": Asked,
    "edits": Edits,
    "replay": Replay,
    "fork": Fork,
    "undo": Undo,
    "information": Information,
}
_ANY = "any"


@dataclass(frozen=True)
class Judged:
    """What came of one request."""

    request: str
    expected: str
    verdict: Verdict
    why: str
    given: str = ""


@dataclass(frozen=True)
class Requests:
    """The requests of a file and the sets that they name."""

    entries: Sequence[dict[str, Any]]
    sets: Mapping[str, list[str]] = field(default_factory=dict)


def read_requests(path: Path | None = None) -> Requests:
    """The requests as they stand in the file."""
    document = yaml.safe_load((path or Path(__file__).with_name("offline_requests.yaml")).read_text(encoding="utf-8"))
    return Requests(document["requests"], document["sets"])


def judge_all(requests: Requests, ask: Ask) -> list[Judged]:
    """What comes of every request."""
    return [judge(entry, requests.sets, ask) for entry in requests.entries]


def judge(entry: Mapping[str, Any], sets: Mapping[str, list[str]], ask: Ask) -> Judged:
    """What comes of one request."""
    request, saved, current = entry["request"] * entry.get("times", 1), entry.get("saved", {}), None
    if "given" in entry:
        before = ask(Situation(entry["given"], NOW), saved)
        if not isinstance(before, Plan):
            return Judged(request, entry["expect"], "asks", f"no plan for {entry['given']!r}", entry["given"])
        file = parse_pipeline(dump_pipeline(before.pipeline), file=f"{before.pipeline.name}.yaml")
        current = Current(file, before.span, is_saved=False)
    answer = ask(Situation(request, NOW, current=current), saved)
    faults = list(_faults(entry, answer, sets))
    if isinstance(answer, Edits) and current is not None:
        faults += _faults_after(entry, answer, current.file)
    verdict: Verdict = "right" if not faults else "asks" if isinstance(answer, Asked | Refusal) else "wrong"
    return Judged(request[:100], entry["expect"], verdict, "; ".join(faults), entry.get("given", ""))


def _faults(entry: Mapping[str, Any], answer: Answer, sets: Mapping[str, list[str]]) -> Iterator[str]:
    expected = entry["expect"]
    fitting = (Asked, Refusal) if expected == "refusal" else (_KINDS[expected],)
    if not isinstance(answer, fitting):
        yield f"{type(answer).__name__.lower()}, not {expected}: {_said(answer)[:160]}"
        return
    said = _said(answer).casefold()
    yield from (f"{word!r} is not said: {said[:200]}" for word in entry.get("about", ()) if str(word).casefold() not in said)
    if isinstance(answer, Plan):
        yield from _plan_faults(entry, answer, sets)
    if isinstance(answer, Edits):
        yield from _edit_faults(entry, answer, sets)
    if "range" in entry and isinstance(answer, Plan | Replay | Edits) and _written(answer.span) != entry["range"]:
        yield f"the range {_written(answer.span)}"
    for name in ("name", "mission", "instead_of"):
        if name in entry and getattr(answer, name) != entry[name]:
            yield f"{name} {getattr(answer, name)!r}"


def _plan_faults(entry: Mapping[str, Any], plan: Plan, sets: Mapping[str, list[str]]) -> Iterator[str]:
    steps = plan.pipeline.steps
    ways = entry.get("ways", [entry])
    faults = [list(_step_faults([*way["fetch"]], way["compute"], steps, sets)) for way in ways]
    yield from min(faults, key=len)
    figures = [step.figure for step in steps if step.figure]
    if len(figures) != 1 or len(figures[0].panels) != entry["panels"]:
        yield f"panels {[len(figure.panels) for figure in figures]}"


def _step_faults(
    fetch: Sequence[Any], compute: Sequence[str], steps: Sequence[Step], sets: Mapping[str, list[str]]
) -> Iterator[str]:
    """Steps that are too many or too few beside what is wanted."""
    wanted = [sets[each] if isinstance(each, str) else each for each in fetch]
    fetched = [f"{step.fetch.dataset}/{step.fetch.parameter}" for step in steps if step.fetch]
    for name in fetched:
        if not any(_fits(name, each) for each in wanted):
            yield f"fetches {name}"
    for each in wanted:
        if not any(_fits(name, each) for name in fetched):
            yield f"fetches none of {each}"
    if len(fetched) > len(wanted):
        yield f"fetches {len(fetched)} parameters"
    left = [step for step in steps if step.compute]
    for operation in compute:
        found = next((step for step in left if _computes(step, operation.rstrip("?"))), None)
        if found is not None:
            left.remove(found)
        elif not operation.endswith("?"):
            yield f"computes no {operation}"
    yield from (f"computes {step.compute.operation} {step.compute.options}" for step in left if step.compute)


def _computes(step: Step, wanted: str) -> bool:
    operation, *options = wanted.split()
    given = {name: str(value) for name, value in step.compute.options.items()} if step.compute else {}
    asked = dict(option.split("=") for option in options)
    return step.compute is not None and step.compute.operation == operation and asked.items() <= given.items()


def _edit_faults(entry: Mapping[str, Any], answer: Edits, sets: Mapping[str, list[str]]) -> Iterator[str]:
    changes = {
        path: value
        for edit in answer.edits
        if isinstance(edit, EditStep | EditPipeline)
        for path, value in _plain(edit.changes).items()
    }
    wanted = {"assumptions": f"{_ANY}?", **entry.get("changes", {})}
    for path, value in changes.items():
        places = [given for pattern, given in wanted.items() if fnmatch.fnmatchcase(path, pattern)]
        if not any(str(given).rstrip("?") == _ANY or given == value for given in places):
            yield f"changes {path} to {value!r}"
    for pattern, value in wanted.items():
        if value != f"{_ANY}?" and not any(fnmatch.fnmatchcase(path, pattern) for path in changes):
            yield f"changes nothing at {pattern}"
    added = [edit.step for edit in answer.edits if isinstance(edit, AddStep)]
    adds = entry.get("adds", [])
    fetch = [each for each in adds if not isinstance(each, str) or each in sets]
    yield from _step_faults(fetch, [each for each in adds if each not in fetch], added, sets)
    removed = sorted(edit.step for edit in answer.edits if isinstance(edit, RemoveStep))
    if removed != sorted(entry.get("removes", [])):
        yield f"removes {removed}"


def _faults_after(entry: Mapping[str, Any], answer: Edits, file: PipelineFile) -> Iterator[str]:
    """What is not as wanted once the edits are made."""
    try:
        pipeline = apply_edits(file, list(answer.edits)).pipeline
    except InputError as error:
        yield f"cannot be made: {error}"
        return
    figure = next(step.figure for step in pipeline.steps if step.figure)
    drawn = ["+".join(trace.data for trace in panel.traces) for panel in figure.panels]
    if "panels" in entry and drawn != entry["panels"]:
        yield f"draws {drawn}"
    if "title" in entry and pipeline.title != entry["title"]:
        yield f"is called {pipeline.title!r}"
    for path, wanted in entry.get("after", {}).items():
        value: Any = figure.model_dump()
        for part in re.findall(r"\w+", path):
            value = value[int(part)] if part.isdigit() else value[part]
        if _plain(value) != wanted:
            yield f"has {value!r} at {path}"


def _plain(value: Any) -> Any:
    """Tuples as lists, as YAML has them."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _written(span: TimeRange | None) -> str:
    return "none" if span is None else f"{format_time(span.start)} {format_time(span.stop)}"


def _said(answer: Answer) -> str:
    """Everything an answer says in words."""
    if isinstance(answer, Information):
        return " ".join([answer.text, *answer.sources])
    said = [answer.question.text, *answer.question.choices] if isinstance(answer, Asked) else []
    return " ".join([*said, *getattr(answer, "notes", ())])

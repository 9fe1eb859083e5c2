"""Requests for columns of files that a saved pipeline reads: that pipeline, or a plan of them and what is done to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from helio_dagster.agent.answers import Answer, Edits, OpenQuestion, Plan, Replay
from helio_dagster.agent.drafting.assembly import figure_of
from helio_dagster.agent.drafting.drafter import as_file
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.request_times import range_of
from helio_dagster.agent.planner import Current
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.own_files import without_unit
from helio_dagster.domain.pipeline import Fetch, Pipeline, Step
from helio_dagster.domain.pipeline_edit import apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile, pipeline_steps, pipeline_to_document
from helio_dagster.domain.time_range import TimeRange

Change = Callable[[str, Current, datetime], Answer | None]
"""What a sentence makes of a pipeline on the table; see `Refinements.answer`."""
_BEFORE_NAME = r"(?:(?:my|our|the|this|own|local|data|file)\s+)*"


class SavedFiles(Protocol):
    """The saved pipelines."""

    def names(self) -> list[str]:
        """Their names."""

    def load(self, name: str) -> PipelineFile:
        """One of them; InputError if there is none."""


@dataclass(frozen=True)
class Reader:
    """A saved pipeline, and its steps that read the file."""

    file: PipelineFile
    steps: Mapping[str, Fetch]

    @property
    def name(self) -> str:
        """The pipeline's name."""
        return self.file.pipeline.name

    @property
    def columns(self) -> dict[str, str]:
        """What people call a column, to the step that reads it: its name, with and without its unit, and the step's id."""
        found = {step: step for step in self.steps}
        for step, fetch in self.steps.items():
            for column in fetch.columns or {}:
                found |= {column: step, without_unit(column): step}
            found |= {f"{step} spectrogram": step} if fetch.bins is not None else {}
        return found


def readers_of(file: str, saved: SavedFiles) -> Iterator[Reader]:
    """The saved pipelines that read a file of this name."""
    wanted = file.split("/")[-1]
    for name in saved.names():
        try:
            found = saved.load(name)
        except HelioError:
            continue  # a pipeline with a fault says so where it is used
        own = {step.id: step.fetch for step in found.pipeline.steps if step.fetch is not None and step.fetch.file}
        steps = {step: fetch for step, fetch in own.items() if (fetch.file or "").split("/")[-1] == wanted}
        if steps:
            yield Reader(found, steps)


def plan_of_columns(request: str, file: str, reader: Reader, now: datetime, change: Change) -> Answer:
    """The plan of the columns that a request names, with what it does to them; the saved pipeline where it names none.

    Parameters
    ----------
    request
        What a person says.
    file
        The file as the request names it.
    reader
        The pipeline that reads it.
    now
        The present.
    change
        Makes what else is said of a plan of the columns alone.

    Raises
    ------
    OpenQuestion
        No such column, no time, or words that change nothing.
    """
    found = find_span(request, now)
    text = f"{request[: found.first]} {request[found.last :]}" if found else request
    text, steps = _with_steps(text, file, reader)
    if not steps and (named := form("columns.column").search(text)):
        known = ", ".join(dict.fromkeys(without_unit(each) for fetch in reader.steps.values() for each in fetch.columns or {}))
        raise OpenQuestion(f"{reader.name} reads {file}, but no column {named['column']!r}: it has {known}. Which do you want?")
    rest = _bare(text, steps)
    if (compared := form("columns.compared").match(rest)) is not None and (
        other := reader.columns.get(compared["other"])
    ) is not None:
        steps, rest = [*steps, other], f"put {' and '.join([*steps, other])} in one panel"
    span = _ranged(request, found, reader)
    notes = (found.note,) if found and found.note else ()
    if not steps and not rest:
        return Replay(span, reader.name, notes)
    base = _pipeline(reader, steps or list(reader.steps), file)
    if not rest:
        return Plan(base, span, notes)
    return _changed(rest, Current(as_file(base), span, is_saved=False), now, change, notes)


def _with_steps(text: str, file: str, reader: Reader) -> tuple[str, list[str]]:
    """The text with the ids of steps for the file and the columns beside it, and these steps."""
    columns = reader.columns
    some = "|".join(
        re.escape(each) if len(each) > 1 else rf"(?-i:{re.escape(each)})" for each in sorted(columns, key=len, reverse=True)
    )
    one = rf"(?:the\s+)?(?:columns?\s+)?(?:{some})(?!\w)(?:\s+(?:columns?|values|data|series))?"
    names = rf"(?<!\w)(?P<names>{one}(?:\s*(?:,|and|&|,\s*and)\s*{one})*)"
    place = rf"{_BEFORE_NAME}[\"']?{re.escape(file)}[\"']?(?:'s)?"
    for pattern in (
        rf"{names}\s*(?:(?:of|in|from)\s+)?{place}",
        rf"{place}\s*[,:]?\s*{names}",
        rf"(?:(?:of|in|from|with)\s+)?{place}",
    ):
        match = re.search(pattern, text, re.IGNORECASE)
        if match is None:
            continue
        said = match.groupdict().get("names") or ""
        exact = {each.casefold(): step for each, step in columns.items() if len(each) > 1}
        found = [each[0] for each in re.finditer(rf"(?<!\w)(?:{some})(?!\w)", said, re.IGNORECASE)]
        steps = list(dict.fromkeys(columns.get(each) or exact[each.casefold()] for each in found))
        return f"{text[: match.start()]} {' and '.join(steps)} {text[match.end() :]}", steps
    return text, []


def _bare(text: str, steps: list[str]) -> str:
    """What a request says beside the columns; empty where it says nothing."""
    text = " ".join(text.split()).strip(" ,.;:!?")
    while (verb := form("columns.verb").match(f"{text} ")) is not None:
        text = f"{text} "[verb.end() :].strip(" ,")
    text = re.sub(r"\s+,", ",", text)
    return "" if re.sub(r"\W+", " ", text).split() in ([], " and ".join(steps).split()) else text


def _ranged(request: str, found: FoundSpan | None, reader: Reader) -> TimeRange:
    if found is None:
        start = f"{reader.file.pipeline.start:%Y-%m-%d}" if reader.file.pipeline.start else ""
        begins = f" {reader.name} begins on {start}." if start else ""
        choices = [f"{request.rstrip(' .!?')} on {start}"] if start else []
        raise OpenQuestion(f"For which time do you want it?{begins}", choices)
    return range_of(request, found)


def _pipeline(reader: Reader, steps: list[str], file: str) -> Pipeline:
    """The steps that read columns, and a figure of them."""
    document = pipeline_to_document(reader.file.pipeline)
    kept = [each for each in pipeline_steps(document) if each["id"] in steps]
    names = [without_unit(each) for each in reader.steps[steps[0]].columns or {}]
    what = (names[0] if len(names) == 1 else steps[0]) if len(steps) == 1 else "Columns"
    is_all = len(steps) == len(reader.steps)
    changed = {
        "name": f"{reader.name}_{'columns' if is_all else '_'.join(steps)}"[:60].rstrip("_"),
        "title": f"{what} of {file.split('/')[-1]}",
        "steps": [*kept, figure_of(f"Draw {what if what != 'Columns' else 'the columns'}", *steps)],
    }
    left = {key: value for key, value in document.items() if key in ("version", "partitions", "start")}
    return Pipeline.model_validate(left | changed)


def _changed(rest: str, current: Current, now: datetime, change: Change, notes: tuple[str, ...]) -> Plan:
    """The plan of columns with what else is said done to it."""
    asked: OpenQuestion | None = None
    for words in _ways(rest, current.file.pipeline.steps):
        try:
            answer = change(words, current, now)
        except OpenQuestion as question:
            asked = asked or question
            continue
        if isinstance(answer, Edits):
            return Plan(apply_edits(current.file, answer.edits).pipeline, current.span, (*notes, *answer.notes))
    text = asked.question.text if asked else f"I do not understand {rest!r}."
    raise OpenQuestion(f"{text} Ask for the columns alone, and then for the rest: `smooth over 10 minutes`, `add ACE Bz`.")


def _ways(rest: str, steps: list[Step]) -> Iterator[str]:
    """Ways of saying the same of a plan that is on the table."""
    ids = "|".join(re.escape(step.id) for step in steps)
    own = rf"(?:{ids})(?:(?: and |, )(?:{ids}))*"
    if (compared := form("columns.compared").match(rest)) is not None and re.fullmatch(own, compared["own"]):
        yield f"add {compared['other']}"
    yield rest
    alone = re.sub(rf"^{own}[ ,]+|[ ,]*(?:\s+(?:of|for))?\s+{own}$", "", rest).strip(" ,")
    if alone and alone != rest:
        yield re.sub(r"^(?:and|with|then)\s+", "", alone)

"""Answer a question about results from the tables that were made: the number, where it stands, and when."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.conversation.result_question import ResultQuestion, sources_of
from helio_dagster.agent.planner import Current
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.inquiry import ColumnStatistics, Reading, StepStatistics
from helio_dagster.domain.time_range import TimeRange, format_time

_MOST_STEPS, _MOST_COLUMNS = 4, 4
STATES = {
    "empty": "without records",
    "all_fill": "with fill values only",
    "missing": "not made yet",
    "failed": "failed",
    "outdated": "out of date",
}
UNMADE = ("missing", "failed", "outdated")
_ELEMENT = "xyz"


def answer_from_tables(context: Context, question: ResultQuestion, current: Current) -> bool:
    """Answer from what is stored; False if the tables have no column that is asked about.

    Raises
    ------
    InputError
        No time range is known.
    """
    pipeline = current.file.pipeline
    span = _span_of(question, current)
    found = [context.side.measure(current.file, step, span, question.moment) for step in question.steps]
    made = _asked_steps([each for each in found if each.is_measured], question)
    if not made:
        if any(each.is_measured for each in found):
            return False
        offer_to_run(context, current, span, found)
        return True
    if question.statistic == "coverage" and current.is_saved:
        _answer_coverage(context, made, pipeline.name, span)
        return True
    lines, results = [], []
    for each in made[:_MOST_STEPS]:
        sources = sources_of(pipeline, each.step)
        lines += [*_sentences(question, each), f"  from step {each.step} ({', '.join(_origin(each, sources))})"]
        results.append({**_document(each), "statistic": question.statistic, "sources": sources})
    named = [each.asset for each in made[:_MOST_STEPS]]
    origins = [source for each in made[:_MOST_STEPS] for source in sources_of(pipeline, each.step)]
    context.say(
        "information", "\n".join(lines), sources=list(dict.fromkeys([*named, *origins])), makes_data=False, results=results
    )
    if any(each.states.get(state) for each in made for state in UNMADE):
        _suggest_run(context, current, span)
    return True


def _span_of(question: ResultQuestion, current: Current) -> TimeRange:
    if question.moment is not None:
        return current.file.pipeline.grain.cover(TimeRange(question.moment, question.moment + timedelta(seconds=1)))
    span = question.span or current.span
    if span is None:
        raise InputError("nothing was made yet, because no time range was given", hint="Say for which time to run it.")
    return span


def _answer_coverage(context: Context, made: Sequence[StepStatistics], name: str, span: TimeRange) -> None:
    """How much of the range has data, and the gaps, as the checks of a run find them."""
    steps = [each.step for each in made]
    found = [each for each in context.side.judge(name, span) if each.check == "coverage" and each.step in steps]
    text = "\n".join(f"{each.text} ({span})" for each in found)
    results = [{"step": each.step, "statistic": "coverage", **each.facts} for each in found]
    context.say("information", text, sources=[each.asset for each in made], makes_data=False, results=results)


def _asked_steps(found: Sequence[StepStatistics], question: ResultQuestion) -> list[StepStatistics]:
    """The steps with a column of the component; without a component, vectors and spectrograms only if nothing else is meant."""
    if question.component:
        return [each for each in found if _columns(each, question.component)]
    return [each for each in found if len(each.columns) == 1] or list(found)


def _columns(measured: StepStatistics, component: str) -> list[ColumnStatistics]:
    """The columns asked about; a vector's component is found by its label, or by its place among three."""
    if not component:
        return list(measured.columns)
    if measured.kind != "vector":
        return []
    pattern = re.compile(rf"(?<![a-z])[a-z]?_?{component}(?![a-z])", re.IGNORECASE)
    labelled = [column for column in measured.columns if pattern.search(column.column)]
    if len(labelled) == 1 or len(measured.columns) != len(_ELEMENT):
        return labelled
    return [measured.columns[_ELEMENT.index(component)]]


def _sentences(question: ResultQuestion, measured: StepStatistics) -> Iterator[str]:
    columns = _columns(measured, question.component)
    if measured.kind == "spectrogram" or len(columns) > _MOST_COLUMNS:
        columns = _extreme(question, columns)
    for column in columns:
        name = measured.step if len(measured.columns) == 1 else f"{column.column} of {measured.step}"
        yield _sentence(question, name, column, measured)


def _extreme(question: ResultQuestion, columns: Sequence[ColumnStatistics]) -> list[ColumnStatistics]:
    """Of many columns, the one with the extreme that is asked about; else the first ones."""
    valid = [column for column in columns if column.minimum and column.maximum]
    if question.statistic == "maximum" and valid:
        return [max(valid, key=lambda column: column.maximum.value or 0.0 if column.maximum else 0.0)]
    if question.statistic == "minimum" and valid:
        return [min(valid, key=lambda column: column.minimum.value or 0.0 if column.minimum else 0.0)]
    return list(columns[:_MOST_COLUMNS])


def _sentence(question: ResultQuestion, name: str, column: ColumnStatistics, measured: StepStatistics) -> str:
    unit, statistic = f" {column.unit}" if column.unit else "", question.statistic
    if statistic == "at":
        return _at(question, name, column, unit)
    if statistic in ("count", "coverage"):
        return f"{name} has {counted(column.valid + column.fill, 'record')}, {column.fill:,} of them fill."
    least, most = column.minimum, column.maximum
    if least is None or most is None or column.mean is None or column.median is None:
        what = f"only fill values ({column.fill:,})" if column.fill else "no records"
        return f"{name} has {what} in {measured.span}, so there is nothing to tell."
    if statistic == "maximum":
        return f"The maximum of {name} is {_value(most.value)}{unit}, {_when(most)}."
    if statistic == "minimum":
        return f"The minimum of {name} is {_value(least.value)}{unit}, {_when(least)}."
    of = f"over {counted(column.valid, 'valid value')}"
    if statistic == "mean":
        return f"The mean of {name} is {_value(column.mean)}{unit}, {of}."
    if statistic == "median":
        return f"The median of {name} is {_value(column.median)}{unit}, {of}."
    if statistic == "std":
        statement = f"is {_value(column.std)}{unit}" if column.std is not None else "is not defined for one value"
        return f"The standard deviation of {name} {statement}, {of}."
    low, high = f"{_value(least.value)}{unit} ({_when(least)})", f"{_value(most.value)}{unit} ({_when(most)})"
    return f"{name} is between {low} and {high}; its mean is {_value(column.mean)}{unit}, {of}."


def _at(question: ResultQuestion, name: str, column: ColumnStatistics, unit: str) -> str:
    moment = format_time(question.moment) if question.moment else ""
    if column.at is None:
        return f"{name} has no record near {moment}."
    if column.at.value is None:
        return f"The record of {name} nearest to {moment}, at {column.at.time}, is fill: there is no value."
    return f"{name} is {_value(column.at.value)}{unit} at {column.at.time}, the record nearest to {moment}."


def _when(reading: Reading) -> str:
    return f"at {reading.time}" if reading.count == 1 else f"first at {reading.time} ({reading.count:,} records have it)"


def _value(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _origin(measured: StepStatistics, sources: Sequence[str]) -> Iterator[str]:
    """Where the numbers stand: sources, range, frame, and what is missing in them."""
    yield from sources
    yield str(measured.span)
    if measured.frame:
        yield measured.frame
    if measured.is_synthetic:
        yield "synthetic data"
    total = sum(measured.states.values())
    for state, count in measured.states.items():
        if state in STATES:
            yield f"{count} of {counted(total, 'partition')} {STATES[state]}"
    fill = max((column.fill for column in measured.columns), default=0)
    if fill and any(column.valid for column in measured.columns):
        yield f"{counted(fill, 'fill value')} left out"


def offer_to_run(context: Context, current: Current, span: TimeRange, found: Sequence[StepStatistics]) -> None:
    """Say that there are no results, and why; and how to get them."""
    states = {state: sum(each.states.get(state, 0) for each in found) for state in UNMADE}
    if states["failed"]:
        why = f"{', '.join(each.step for each in found)} failed for {span}, so there is no result to answer from."
    elif states["outdated"]:
        why = f"The results for {span} are out of date: they were made by another version of the plan."
    else:
        why = f"Nothing was made for {span} yet, so there is no result to answer from."
    sources = [each.asset for each in found]
    context.say("information", why, sources=sources, makes_data=False, results=[_document(each) for each in found])
    _suggest_run(context, current, span)


def _suggest_run(context: Context, current: Current, span: TimeRange) -> None:
    if not current.is_saved:
        say = "approve"
    elif span == current.span:
        say = "run"
    else:
        say = f"run {current.file.pipeline.name} for {span}"
    context.say("suggestion", say, say=say)


def _document(measured: StepStatistics) -> dict[str, Any]:
    """The statistics for programs."""
    start, stop = format_time(measured.span.start), format_time(measured.span.stop)
    return {**asdict(measured), "span": None, "start": start, "stop": stop}

"""Hold what a model states in an answer against all that is known in the conversation; nothing is blocked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from helio_dagster.agent import answers
from helio_dagster.agent.claims.holding import Known, unverified, unverified_line
from helio_dagster.agent.claims.pipeline_numbers import add_span, numbers_of
from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.conversation.event_words import events_inside
from helio_dagster.agent.planner import Current
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.inquiry import ColumnStatistics
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange


def unverified_numbers(context: Context, answer: answers.Answer, text: str, current: Current | None) -> list[str] | None:
    """The numbers that a model states in an answer and that are known from nowhere; None if no model wrote it.

    Parameters
    ----------
    context
        The conversation: what the person said, and the results of its home.
    answer
        What the planner answered.
    text
        What the person says, which may name the range that is asked about.
    current
        The pipeline whose results are known.
    """
    words: answers.ModelWords | None = getattr(answer, "words", None)
    if words is None:
        return None
    spans = _spans(text, context.clock(), current)
    sources: list[Callable[[], Known]] = [
        lambda: _spoken_numbers(context, text),
        lambda: _planned(answer, current, spans),
        lambda: _written(words.looked_up),
        lambda: _facts(context, current, spans),
        lambda: _checks(context, current, spans),
    ]
    if current is not None:
        sources += [partial(_table, context, current, step, spans) for step in _measured_steps(current)]
    return unverified(words.sentences, sources)


def marking(found: Sequence[str] | None) -> tuple[list[str], dict[str, list[str]]]:
    """The line that marks numbers, if there are any, and the facts of the event; no facts if no model wrote it."""
    if found is None:
        return [], {}
    return [unverified_line(found)] if found else [], {"unverified": list(found)}


def _spans(text: str, now: datetime, current: Current | None) -> list[TimeRange]:
    """The range that the message names, and that of the current pipeline."""
    try:
        named = find_span(text, now)
    except InputError:
        named = None
    spans = [named.span if named else None, current.span if current else None]
    return [span for span in dict.fromkeys(spans) if span is not None]


def _written(texts: Sequence[str]) -> Known:
    known = Known()
    for text in texts:
        known.add_words(text)
    return known


def _spoken_numbers(context: Context, text: str) -> Known:
    """The numbers in the person's words, and in the failure that is being repaired."""
    words = [each.text for each in context.session.utterances if each.speaker == "person"]
    asked, failed = context.session.asked, context.session.failed
    return _written([text, *words, *([asked.request] if asked else []), *([failed.error] if failed else [])])


def _planned(answer: answers.Answer, current: Current | None, spans: Sequence[TimeRange]) -> Known:
    """The numbers of the current pipeline, and of the one that is planned."""
    known = Known()
    for span in spans:
        add_span(known, span)
    found: list[Known] = []
    pipelines: list[tuple[Pipeline, TimeRange | None]] = []
    if current is not None:
        pipelines.append((current.file.pipeline, current.span))
    if isinstance(answer, answers.Plan):
        pipelines.append((answer.pipeline, answer.span))
    for pipeline, asked in pipelines:
        found.append(numbers_of(pipeline, asked))
        if pipeline.is_over_events:
            known.add(float(events_inside(pipeline, asked)))
    if isinstance(answer, answers.Edits):
        found.append(_written([edit.model_dump_json(exclude={"kind"}) for edit in answer.edits if edit.kind == "edit_step"]))
    for each in found:
        known.numbers += each.numbers
        known.times += each.times
    return known


def _facts(context: Context, current: Current | None, spans: Sequence[TimeRange]) -> Known:
    known = Known()
    if current is None or not current.is_saved:
        return known
    for span in spans:
        try:
            found = context.side.facts(current.file, span)
        except HelioError:
            continue
        known.add(float(len(found)))
        for fact in found:
            known.add(fact.value, fact.unit)
            known.add(fact.uncertainty, fact.unit)
            if isinstance(fact.value, float | int) and fact.uncertainty is not None:
                known.add(fact.value - fact.uncertainty, fact.unit)
                known.add(fact.value + fact.uncertainty, fact.unit)
            known.add_time(fact.start)
            known.add_time(fact.stop)
    return known


def _measured_steps(current: Current) -> list[str]:
    """The steps whose tables have statistics, the last first: those are what people ask about."""
    return [step.id for step in reversed([*current.file.pipeline.nodes]) if step.kind in ("fetch", "compute")]


def _table(context: Context, current: Current, step: str, spans: Sequence[TimeRange]) -> Known:
    """The statistics of what is stored of a step."""
    known = Known()
    for span in spans:
        try:
            measured = context.side.measure(current.file, step, span)
        except HelioError:
            continue
        for column in measured.columns:
            _add_column(known, column)
        for count in measured.states.values():
            known.add(float(count))
    return known


def _add_column(known: Known, column: ColumnStatistics) -> None:
    for value in (column.mean, column.median, column.std):
        known.add(value, column.unit)
    for reading in (column.minimum, column.maximum):
        if reading is not None:
            known.add(reading.value, column.unit)
            known.add_time(reading.time)
            known.add(float(reading.count))
    total = column.valid + column.fill
    for count in (column.valid, column.fill, total):
        known.add(float(count))
    if total:
        known.add(column.valid / total)
        known.add(column.fill / total)


def _checks(context: Context, current: Current | None, spans: Sequence[TimeRange]) -> Known:
    """The numbers in the checks of the stored data, such as their coverage and gaps."""
    if current is None or not current.is_saved:
        return Known()
    texts: list[str] = []
    for span in spans:
        try:
            texts += [each.text for each in context.side.judge(current.file.pipeline.name, span)]
        except HelioError:
            continue
    return _written(texts)

"""Numbers that a pipeline itself contains: options, lengths, code, its time range, and how many steps and partitions it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from helio_dagster.agent.answers import Answer, ModelWords, Plan
from helio_dagster.agent.claims.holding import ANY_UNIT, Known, unverified
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import pipeline_to_document
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.yaml.document import Value

_WORDS = frozenset(("title", "description", "assumptions", "intent", "approved", "name", "version"))
"""Keys of words and of the file itself; what is said there is not known by being said."""


def numbers_of(pipeline: Pipeline, span: TimeRange | None) -> Known:
    """Numbers that the pipeline's text states (options, code, table rows, counts), and those of its time range if there is one.

    They match in any unit. Titles, assumptions and intents do not count, because a model may have written them.
    """
    known = Known()
    for value in _values(pipeline_to_document(pipeline)):
        if isinstance(value, str):
            known.add_words(value)
        else:
            known.add(float(value), ANY_UNIT)
    kinds = Counter(step.kind for step in pipeline.steps)
    panels = [len(step.figure.panels) for step in pipeline.steps if step.figure]
    for count in (len(pipeline.steps), *kinds.values(), *panels, sum(panels)):
        known.add(float(count))
    if span is not None:
        add_span(known, span)
        known.add(float(len(pipeline.grain.keys(span))))
    return known


def unverified_in_plan(answer: Answer, request: str) -> list[str]:
    """The numbers that a model states in an answer outside a conversation, and that are known from nowhere.

    Known are the numbers of the request, of what was looked up, and of the pipeline that is planned.
    """
    words: ModelWords | None = getattr(answer, "words", None)
    if words is None:
        return []
    known = numbers_of(answer.pipeline, answer.span) if isinstance(answer, Plan) else Known()
    for text in (request, *words.looked_up):
        known.add_words(text)
    return unverified(words.sentences, [lambda: known])


def add_span(known: Known, span: TimeRange) -> None:
    """Add the ends of a range and its length."""
    known.add(span.duration.total_seconds(), "s")
    known.times += [span.start, span.stop]


def _values(document: Value) -> Iterator[str | int | float]:
    if isinstance(document, dict):
        for key, value in document.items():
            if key not in _WORDS:
                yield from _values(value)
    elif isinstance(document, list):
        for value in document:
            yield from _values(value)
    elif isinstance(document, str | int | float) and not isinstance(document, bool):
        yield document

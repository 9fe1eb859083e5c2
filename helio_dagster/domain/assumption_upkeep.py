"""Which assumptions of a pipeline an edit has made untrue: those that name what it took away. Edits are `pipeline_edit`'s."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.time_range import format_duration, parse_duration

_WORD = re.compile(r"[A-Za-z0-9][\w.@+:/-]*\w|\w")
_SPOKEN_LENGTH = re.compile(r"(?P<count>\d+(?:\.\d+)?)[- ](?P<unit>second|minute|hour|day)s?", re.IGNORECASE)
_DESIGNATORS = {"second": "PT{}S", "minute": "PT{}M", "hour": "PT{}H", "day": "P{}D"}


def outdated_assumptions(before: Pipeline, after: Pipeline) -> list[int]:
    """Places in `after.assumptions` of lines that stood there before, and name what only `before` has.

    A line names a step by its id, a fetch by its dataset or parameter, and an operation by a length of time in its options, as
    ISO 8601 or in words (`10-minute`). Ids that are a plain word (`speed`) do not count, as any text may use them.
    """
    gone = _names(before.steps) - _names(after.steps)
    known = set(before.assumptions)
    return [place for place, text in enumerate(after.assumptions) if text in known and gone & set(_named_in(text))]


def _names(steps: Iterable[Step]) -> set[str]:
    """All by which assumptions may name these steps, in small letters."""
    return {name.casefold() for step in steps for name in _names_of(step)}


def _names_of(step: Step) -> Iterator[str]:
    if not step.id.isalpha():
        yield step.id
    if step.fetch is not None:
        yield step.fetch.dataset
        if len(step.fetch.parameter) > 1:
            yield step.fetch.parameter
    if step.compute is not None:
        yield from (length for value in step.compute.options.values() if (length := _length(value)))


def _named_in(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        yield word.casefold()
        yield _length(word).casefold()
    for match in _SPOKEN_LENGTH.finditer(text):
        yield _length(_DESIGNATORS[match["unit"].lower()].format(match["count"])).casefold()


def _length(value: object) -> str:
    """A length of time in its one ISO form; empty where the value is none."""
    try:
        return format_duration(parse_duration(value)) if isinstance(value, str) else ""
    except InputError:
        return ""

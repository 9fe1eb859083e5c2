"""Two changes in one sentence, each understood by itself: `hourly averages, and zoom in on 6:00 to 18:00`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from helio_dagster.agent.answers import Answer, Edits, OpenQuestion, Replay
from helio_dagster.agent.planner import Current
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_edit import apply_edits

_JOINT = re.compile(r"\s*(?:,|;)?\s+(?:and then|and|then|but)\s+(?:also\s+)?|\s*[,;]\s+", re.IGNORECASE)
_SHORTEST = 3


def in_turn(text: str, current: Current, answer: Callable[[str, Current], Answer | None]) -> Edits | None:
    """Both changes as one; None where the sentence does not part into two that change something."""
    for first, rest in _parted(text):
        try:
            done = answer(first, current)
            if not _is_change(done):
                continue
            then = answer(rest, _after(done, current))
        except (OpenQuestion, InputError):
            continue
        if _is_change(then):
            edits = tuple(edit for each in (done, then) if isinstance(each, Edits) for edit in each.edits)
            notes = tuple(dict.fromkeys(note for each in (done, then) for note in each.notes))  # type: ignore[union-attr]
            return Edits(edits, then.span or done.span, notes)  # type: ignore[union-attr]
    return None


def _parted(text: str) -> Iterator[tuple[str, str]]:
    for match in _JOINT.finditer(text):
        first, rest = text[: match.start()].strip(), text[match.end() :].strip()
        if min(len(first), len(rest)) >= _SHORTEST:
            yield first, rest


def _is_change(answer: Answer | None) -> bool:
    return isinstance(answer, Edits) or (isinstance(answer, Replay) and answer.name is None)


def _after(answer: Answer | None, current: Current) -> Current:
    """What is on the table once an answer is carried out."""
    if isinstance(answer, Edits):
        return replace(current, file=apply_edits(current.file, answer.edits), span=answer.span or current.span)
    return replace(current, span=answer.span) if isinstance(answer, Replay) else current

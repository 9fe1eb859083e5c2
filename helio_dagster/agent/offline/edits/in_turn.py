"""Several changes in one sentence, each understood by itself: `hourly averages, and zoom in on 6:00 to 18:00`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeGuard

from helio_dagster.agent.answers import Answer, Edits, Fork, NotUnderstood, OpenQuestion, Replay, SoAlready
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.planner import Current
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_edit import AddStep, EditStep, apply_edits

_SHORTEST = 3
Change = Edits | Replay | Fork


def in_turn(text: str, current: Current, answer: Callable[[str, Current], Answer | None], most: int = 3) -> Change | None:
    """All changes as one; None where the sentence does not part into changes. Another spacecraft may come with more."""
    for first, rest in _parted(text):
        if (both := in_order(first, rest, current, answer, most)) is not None:
            return both
    return None


def in_order(
    first: str, rest: str, current: Current, answer: Callable[[str, Current], Answer | None], most: int = 1
) -> Change | None:
    """Two changes as one, the second made of what the first leads to; None where one of them is none."""
    done = _tried(first, current, answer)
    if done is None or not is_change(done):
        return None
    if (subject := matched("in_turn.subject", first)) is not None:
        rest = re.sub(r"\bits (\w+)", rf"the \1 of {subject['what']}", rest, flags=re.IGNORECASE)
    made = after(done, current)
    if is_of_it := isinstance(done, Edits) and bool(done.edits) and form("in_turn.it").search(rest) and len(_drawn(made)) > 1:
        rest, is_of_it = (rest, True) if form("in_turn.joint").search(first) else _of_what_is_new(rest, current, made)
    is_two = matched("in_turn.orders", rest) is not None
    ways: list[Callable[[], Answer | None]] = [lambda: _tried(rest, made, answer)]
    ways.insert(0 if is_two else 1, lambda: in_turn(rest, made, answer, most - 1) if most > 1 else None)
    then = next((found for way in ways if (found := way()) is not None), None)
    if not (isinstance(done, Edits | Replay | Fork) and isinstance(then, Edits | Replay | Fork) and is_change(then)):
        return None
    return None if is_of_it and isinstance(then, Edits) else as_one((first, done), (rest, then))


def ask_in_turn(
    text: str, current: Current, answer: Callable[[str, Current], Answer | None], *, is_of_either: bool = False
) -> None:
    """Ask what the first change of a sentence leaves open, or either, where the other is understood; the choices keep that.

    Raises
    ------
    OpenQuestion
        It leaves something open.
    """
    text = text.strip()
    for first, rest in _parted(text):
        done = _tried(first, current, answer)
        try:
            if done is None:
                answer(first, current)
            elif is_of_either and isinstance(done, Edits | Replay) and is_change(done):
                answer(rest, after(done, current))
        except (NotUnderstood, SoAlready, InputError):
            continue
        except OpenQuestion as asked:
            then = done or _tried(rest, current, answer)
            if isinstance(then, Edits | Replay) and is_change(then):
                ahead, behind = (text[: -len(rest)], "") if done else ("", text[len(first) :])
                raise OpenQuestion(asked.question.text, [f"{ahead}{each}{behind}" for each in asked.question.choices]) from None


def _tried(text: str, current: Current, answer: Callable[[str, Current], Answer | None]) -> Answer | None:
    """What one of the changes comes to: no edits where it is so already, None where it is not understood."""
    try:
        return answer(text, current)
    except SoAlready:
        return Edits(())
    except (OpenQuestion, InputError):
        return None


def as_one(one: tuple[str, Change], other: tuple[str, Change]) -> Change | None:
    """Two changes as one, each with its words; None where two spacecraft are exchanged."""
    done, then = one[1], other[1]
    notes, span = tuple(dict.fromkeys((*done.notes, *then.notes))), then.span or done.span
    edits = tuple(edit for each in (done, then) if isinstance(each, Edits) for edit in each.edits)
    made = {edit.step.id for edit in edits if isinstance(edit, AddStep)}
    again = [edit for edit in edits if isinstance(edit, EditStep) and edit.step in made]
    if any(path.startswith("compute.") for edit in again for path in edit.changes):
        return None  # the second would undo the first
    forks = [each for each in (done, then) if isinstance(each, Fork)]
    if not forks:
        intents = [each.intent for each in (done, then) if isinstance(each, Edits)]
        assumed = tuple(record for each in (done, then) if isinstance(each, Edits) for record in each.assumed or ())
        intent = next(filter(None, reversed(intents)), None)
        if not edits:
            return Replay(span, notes=notes) if span else None
        return Edits(edits, span, notes, intent=intent, assumed=assumed)
    besides = [words for words, each in (one, other) if isinstance(each, Edits) and each.edits]
    besides += [each.then for each in forks if each.then]
    return replace(forks[0], span=span, notes=forks[0].notes, then=", and ".join(besides)) if len(forks) == 1 else None


def _parted(text: str) -> Iterator[tuple[str, str]]:
    joints = form("in_turn.joint").finditer(text)  # `add A and B, and shade`: what a comma parts is parted before
    for match in sorted(joints, key=lambda each: re.match(r"\s*[,;]\s+(?:and|then|but)\b", each[0]) is None):
        first, rest = text[: match.start()].strip(), text[match.end() :].strip()
        if min(len(first), len(rest)) >= _SHORTEST:
            yield first, rest


def is_change(answer: Answer | None) -> TypeGuard[Change]:
    """Whether an answer changes what is on the table, or its range."""
    return isinstance(answer, Edits | Fork) or (isinstance(answer, Replay) and answer.name is None)


def _drawn(current: Current) -> dict[str, str]:
    """What is drawn, with the title of its panel where that draws nothing else; of one line, `it` is that."""
    figures = [step.figure for step in current.file.pipeline.steps if step.figure is not None]
    return {
        trace.data: (panel.y.title or "") if len(panel.traces) == 1 else ""
        for figure in figures
        for panel in figure.panels
        for trace in panel.traces
    }


def _of_what_is_new(rest: str, before: Current, made: Current) -> tuple[str, bool]:
    """The second change with the name of the one line that the first has made for `it`, and whether `it` is still open."""
    old = _drawn(before)
    new = [title for data, title in _drawn(made).items() if data not in old]
    if len(new) != 1 or not new[0]:
        return rest, True
    joint = form("in_turn.joint").search(rest)
    text, behind = (rest[: joint.start()], rest[joint.start() :]) if joint else (rest, "")
    text = re.sub(r"^(?:also )?(?:show|plot|draw|compute|calculate) its\b", "add its", text, flags=re.IGNORECASE)
    text = re.sub(r"\bits (\w+)", lambda match: f"the {match[1]} of {new[0]}", text, flags=re.IGNORECASE)
    text = new[0].join(re.split(r"\bit\b", text, flags=re.IGNORECASE))
    return f"{text}{behind}", form("in_turn.it").search(f"{text}{behind}") is not None


def after(answer: Answer | None, current: Current) -> Current:
    """What is on the table once an answer is carried out."""
    if isinstance(answer, Edits):
        file, intent = apply_edits(current.file, answer.edits), answer.intent or current.intent
        assumed = (*current.assumed, *(answer.assumed or ()))
        return replace(current, file=file, span=answer.span or current.span, intent=intent, assumed=assumed)
    return replace(current, span=answer.span) if isinstance(answer, Replay) else current

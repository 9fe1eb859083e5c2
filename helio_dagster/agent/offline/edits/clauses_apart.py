"""Clauses of a follow-up that the change of the rest does not have: done behind it, asked about, or said not to be done."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import Answer, NotUnderstood, OpenQuestion, SoAlready
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.in_turn import Change, after, as_one, is_change
from helio_dagster.agent.offline.edits.ledger import outcome_of, time_of
from helio_dagster.agent.offline.edits.remarks import is_remark
from helio_dagster.agent.offline.spoken_clauses import SpokenClause, spoken_clauses, without_clauses
from helio_dagster.agent.planner import Current
from helio_dagster.domain.errors import InputError

Again = Callable[[str, Current], Answer | None]


def with_lost_clauses(
    request: str, answer: Answer, current: Current, once: Again, again: Again, now: datetime
) -> Change | None:
    """The change of a sentence, a clause of it done that it is the same without; None where it has all of them.

    Parameters
    ----------
    request, answer
        The follow-up, and the change that it was understood as.
    current
        What is on the table.
    once, again
        Understand other words in the same way: as they stand, and with each of their words accounted for.
    now
        When it is said.

    Raises
    ------
    OpenQuestion
        A clause leaves something open.
    """
    notes, clauses = " ".join(getattr(answer, "notes", ())), _clauses(request, now)
    for clause in clauses:
        is_idle = any(matched(name, clause.text) is not None for name in ("remarks.chat", "clauses_apart.stays"))
        is_verb = clause is clauses[0] and _is_one_word(clause)  # `smooth with 1 h rather than 10 min`
        if clause.whose or clause.text in notes or is_idle or is_verb:
            continue
        rest = without_clauses(request, [clause])
        if not _is_as_good(rest, answer, current, once):
            continue
        change, is_said = again(rest, current), is_remark(clause.text, now)
        is_known = not is_said and _is_understood(clause, current, again)
        if is_change(change) and not (is_known and clause is clauses[-1]):
            what = "is taken as a remark" if is_said else "changes nothing" if is_known else "is ignored"
            return replace(change, notes=(*change.notes, f"{clause.text!r} {what}."))
        return _with(rest, change, clause, current, again) if is_change(change) else None
    return None


def without_unread(request: str, current: Current, again: Again, now: datetime) -> Change | None:
    """The change of a sentence without its clauses that are none, which are said not to be done; None where there is no such.

    A clause that tells of the rest, or names what the rest speaks of, is never left out.
    """
    unread = [each for each in _clauses(request, now) if not _is_understood(each, current, again)]
    if any(each.whose or form("clauses_apart.tells").match(each.text) or _is_one_word(each) for each in unread):
        return None
    for clause in unread:
        rest, it = without_clauses(request, [clause]), form("in_turn.it")
        if not rest or (it.search(request, clause.last) and not it.search(clause.text)):
            continue
        with suppress(OpenQuestion, InputError):
            change = again(rest, current) or without_unread(rest, current, again, now)
            if is_change(change):
                return _with(rest, change, clause, current, again)
    return None


def _clauses(request: str, now: datetime) -> list[SpokenClause]:
    """The clauses of a follow-up; none where it is but one."""
    time = time_of(request, now)
    found = spoken_clauses(request, time.span() if time is not None else (0, 0))
    return found if len(found) > 1 else []


def _is_one_word(clause: SpokenClause) -> bool:
    """Whether a clause is one word, which may tell of what stands beside it."""
    return len(clause.text.split()) == 1


def _is_as_good(rest: str, answer: Answer, current: Current, once: Again) -> bool:
    """Whether the sentence without a clause comes to the same, and all is told of it."""
    with suppress(OpenQuestion, InputError):
        other = once(rest, current) if rest else None
        is_told = {*getattr(answer, "notes", ())} <= {*getattr(other, "notes", ())}
        return other is not None and is_told and outcome_of(other, current) == outcome_of(answer, current)
    return False


def _is_understood(clause: SpokenClause, current: Current, again: Again) -> bool:
    """Whether a clause by itself is a change, or leaves open which."""
    try:
        return again(clause.text, current) is not None
    except NotUnderstood:
        return False
    except (OpenQuestion, InputError):
        return True


def _with(rest: str, change: Change, clause: SpokenClause, current: Current, again: Again) -> Change:
    """A change with that of a clause behind it, which else is said not to be done."""
    try:
        then = again(clause.text, after(change, current))
        if is_change(then) and (both := as_one((rest, change), (clause.text, then))) is not None:
            return both
        note = f"{clause.text!r} is ignored."
    except SoAlready:
        note = f"{clause.text!r} changes nothing."
    except OpenQuestion as asked:
        if asked.question.choices:
            raise OpenQuestion(asked.question.text, [f"{rest}, {each}" for each in asked.question.choices]) from None
        if isinstance(asked, NotUnderstood) and form("clauses_apart.tells").match(clause.text):
            raise
        note = f"{clause.text!r} is ignored: {asked.question.text}"
    return replace(change, notes=(*change.notes, note))

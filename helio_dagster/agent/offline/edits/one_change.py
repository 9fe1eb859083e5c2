"""One change of the pipeline on the table: another range, another spacecraft, what is drawn, computed, and how it looks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import Answer, Edits, Fork, Information, NotUnderstood, OpenQuestion, Replay, SoAlready
from helio_dagster.agent.offline.edits.around import move_window
from helio_dagster.agent.offline.edits.clause_changes import change_clause, is_request, of_a_length
from helio_dagster.agent.offline.edits.commands import read_command
from helio_dagster.agent.offline.edits.day_numbers import with_day_numbers
from helio_dagster.agent.offline.edits.elliptical import (
    another_alone,
    named_in_full,
    read_encounter,
)
from helio_dagster.agent.offline.edits.exchanging import add_words, fork_of
from helio_dagster.agent.offline.edits.excluding import leave_out
from helio_dagster.agent.offline.edits.expecting import change_expectations
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.in_place import put_in_place
from helio_dagster.agent.offline.edits.intent_changes import change_intent
from helio_dagster.agent.offline.edits.paired import pair_up
from helio_dagster.agent.offline.edits.paper import find_paper, print_beside
from helio_dagster.agent.offline.edits.partly import exchange_partly
from helio_dagster.agent.offline.edits.plain_words import in_plain_words, with_dates, without_old_time
from helio_dagster.agent.offline.edits.plotted_figure import bare
from helio_dagster.agent.offline.edits.ranges import both_ranges, find_range
from helio_dagster.agent.offline.edits.shading_where import shade_where
from helio_dagster.agent.offline.edits.sharing import share_panel
from helio_dagster.agent.offline.edits.slots import Clause, clauses_of
from helio_dagster.agent.offline.edits.step_options import change_options
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.titles import name_anew
from helio_dagster.agent.offline.edits.whole_sentences import change_whole
from helio_dagster.agent.offline.excluded_intervals import find_exclusions
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.wording import spoken_time
from helio_dagster.agent.planner import Current
from helio_dagster.agent.treatments import Exclusions
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.times.changes import read_change
from helio_dagster.catalog.times.lengths import find_length
from helio_dagster.catalog.times.phrases import FoundSpan

_OF_REQUESTS = (exchange_partly, pair_up, put_in_place, share_panel)
"""Changes that a whole sentence says, and for which its words are read, or an intent is drafted, as a request is."""


class OneChange:
    """Reads one change of a plan on the table: one sentence, or one of several that are said together.

    Parameters
    ----------
    offers
        What the catalog has.
    requests
        Chooses what answers a target.
    plan
        Answers a request by itself.
    """

    def __init__(self, offers: Offers, requests: RequestPlanner, plan: Callable[[str, datetime], Answer]) -> None:
        self._offers = offers
        self._requests = requests
        self._plan = plan

    def table(self, current: Current, now: datetime) -> Table:
        """What is on the table, with what is known of it."""
        intent, assumed = current.intent, current.assumed
        return Table(current.file, self._offers, now, current.span, lambda words: self._plan(words, now), intent, assumed)

    def change(self, request: str, current: Current, now: datetime) -> Answer | None:
        """What a sentence says as one change."""
        table = self.table(current, now)
        request = another_alone(request.strip(" .!?"), table)
        text = in_plain_words(request)
        saved, first = form("reader.and_saved").search(text), matched("reader.named_first", text)
        named = (saved["command"], text[: saved.start()]) if saved else (first["command"], first["change"]) if first else None
        if named is not None:
            changed, answered = self.change(named[1], current, now), read_command(named[0], current)
            if isinstance(changed, Edits | Replay) and isinstance(answered, Information):
                return replace(changed, notes=(*changed.notes, answered.text))
        text = named_in_full(text, table)
        if (command := read_command(text, current) or read_encounter(text, table)) is not None:
            return command
        if move_window(text, table):
            return table.answer()
        if current.span is not None:
            text = with_day_numbers(with_dates(without_old_time(text, current.span, now), current.span), current.span)
        text = form("reader.unit_of").sub(r"show \g<what> in ", form("reader.about").sub("", text))
        if find_length(text):  # `1-minute means for the density only`
            text = re.sub(r"\b(for|of) (the [\w| ]+?|[\w|]+) only$", r"\1 \2", text, flags=re.IGNORECASE)
        moved = read_change(text, current.span, now) if current.span is not None else None
        if moved is not None:
            return Replay(moved)
        if (words := find_paper(text)) is not None:
            return print_beside(words, current, lambda part: self.change(part, current, now), lambda at: self.table(at, now))
        if (left_out := find_exclusions(text, now, current.span)) is not None:
            leave_out(Exclusions(left_out.spans, left_out.file), table)
            text = left_out.rest(text)
        if change_expectations(text, table):
            return table.answer()
        if shade_where(text, table) or change_options(text, table):
            return table.answer()
        if any(change(text, table, self._requests) for change in _OF_REQUESTS) or change_whole(text, table):
            return table.answer()
        text = name_anew(text, table)
        found = find_range(text, current.span, now)
        if found is None:
            return self._changes(text, table) if text else table.answer()
        return self._at_another_time(text, found, table)

    def _at_another_time(self, text: str, found: FoundSpan, table: Table) -> Answer | None:
        if form("reader.same_dates").search(text) or form("reader.end_of_range").search(text[: found.first]):
            return None  # the range that is drawn with another year or another end, which is a change of its own
        rest = " ".join(f"{text[: found.first]} {text[found.last :]}".split()).strip(" ,")
        clauses = clauses_of(rest)
        is_time_alone = not any(each.looks or each.layout or each.place or each.verb == "remove" for each in clauses)
        is_time_alone = is_time_alone and not any(bare(each.target) or each.old for each in clauses)
        if found.span is None and not is_request(rest, table):
            choices = [f"{text[: found.first]}{choice}{text[found.last :]}".strip() for choice in found.choices]
            raise OpenQuestion(found.question, choices)
        notes = (found.note,) if found.note else ()
        is_more = any(each.verb == "add" for each in clauses) or form("reader.also").search(text) is not None
        if is_time_alone and is_more and found.span is not None and table.span is not None:
            found = replace(found, span=both_ranges(table.span, found.span))
        if is_time_alone and found.span is not None:
            return replace(table.answer(), span=found.span, notes=notes) if table.edits else Replay(found.span, notes=notes)
        table.span = found.span
        try:
            changed = self._changes(rest, table)
        except OpenQuestion as asked:
            if isinstance(asked, NotUnderstood) and is_request(rest, table):
                return None
            raise type(asked)(asked.question.text, [f"{each}{spoken_time(found)}" for each in asked.question.choices]) from None
        return replace(changed, span=found.span) if isinstance(changed, Fork | Edits) else changed

    def _changes(self, text: str, table: Table) -> Answer | None:
        """The changes of all clauses; None where the sentence changes nothing. Half of a sentence is never carried out."""
        if form("reader.filtered").match(text) is not None:
            add_words(text, table, self._requests)
            return table.answer()
        clauses = [of_a_length(clause) for clause in clauses_of(text)]
        for clause in clauses:
            fork = fork_of(clause, table)
            if fork is not None:
                if len(clauses) > 1 or table.edits:
                    raise OpenQuestion("Another spacecraft makes another pipeline: say this first, and the rest then.")
                return fork
            target, before = table.target(clause), {line.trace.data for line in table.plotted.lines}
            try:
                is_changed = self._change(clause, table)
            except SoAlready:
                if not table.edits:
                    raise
                continue
            if not is_changed:
                if not table.edits:
                    return None
                raise NotUnderstood.of([clause.target], "What do you want to change?")
            new = {line.trace.data for line in table.plotted.lines} - before
            table.last = new or ({line.trace.data for line in target.lines} if target else set())
        return table.answer() if table.edits else None

    def _change(self, clause: Clause, table: Table) -> bool:
        """Make the change of a clause by itself, else that of the intent."""
        is_new = is_request(clause.target, table) and not (clause.verb or clause.old or clause.instead)
        try:
            is_changed = change_clause(clause, table, self._requests)
        except NotUnderstood:
            if is_new or not change_intent(clause, table, self._requests):
                raise
            return True
        return is_changed or (not is_new and change_intent(clause, table, self._requests))

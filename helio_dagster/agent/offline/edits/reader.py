"""What a sentence makes of the pipeline on the table: edits, another range, another mission, or a question."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial

from helio_dagster.agent.answers import Answer, Edits, Fork, Information, NotUnderstood, OpenQuestion, Replay, SoAlready
from helio_dagster.agent.drafting.retelling import retold
from helio_dagster.agent.offline.covered_missions import ask_about_fork
from helio_dagster.agent.offline.edits.around import move_window
from helio_dagster.agent.offline.edits.clause_changes import change_clause, is_request, of_a_length
from helio_dagster.agent.offline.edits.clauses_apart import with_lost_clauses, without_unread
from helio_dagster.agent.offline.edits.commands import read_command
from helio_dagster.agent.offline.edits.day_numbers import with_day_numbers
from helio_dagster.agent.offline.edits.elliptical import (
    about_what_is_drawn,
    another_alone,
    named_in_full,
    read_encounter,
    with_fleet,
)
from helio_dagster.agent.offline.edits.exchanging import add_words, fork_of
from helio_dagster.agent.offline.edits.excluding import leave_out
from helio_dagster.agent.offline.edits.expecting import change_expectations
from helio_dagster.agent.offline.edits.forms import form, matched, rows
from helio_dagster.agent.offline.edits.grafting import graft
from helio_dagster.agent.offline.edits.in_place import put_in_place
from helio_dagster.agent.offline.edits.in_turn import ask_in_turn, in_order, in_turn
from helio_dagster.agent.offline.edits.intent_changes import change_intent
from helio_dagster.agent.offline.edits.layout_kept import lost_layout, lost_spacecraft
from helio_dagster.agent.offline.edits.ledger import unused_words, without_idle_words
from helio_dagster.agent.offline.edits.nothing_lost import refuse_no_change
from helio_dagster.agent.offline.edits.paired import pair_up
from helio_dagster.agent.offline.edits.paper import find_paper, print_beside
from helio_dagster.agent.offline.edits.partly import exchange_partly
from helio_dagster.agent.offline.edits.plain_words import in_plain_words, with_dates, without_courtesy, without_old_time
from helio_dagster.agent.offline.edits.plotted_figure import PlottedFigure, bare
from helio_dagster.agent.offline.edits.ranges import both_ranges
from helio_dagster.agent.offline.edits.remarks import of_its_subject, without_remarks
from helio_dagster.agent.offline.edits.restating import restated
from helio_dagster.agent.offline.edits.shading_where import shade_where
from helio_dagster.agent.offline.edits.sharing import share_panel
from helio_dagster.agent.offline.edits.slots import Clause, clauses_of
from helio_dagster.agent.offline.edits.step_options import change_options
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.telling import tell_of_plan
from helio_dagster.agent.offline.edits.titles import name_anew
from helio_dagster.agent.offline.edits.whole_sentences import change_whole
from helio_dagster.agent.offline.excluded_intervals import find_exclusions
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.short_forms import OF_CHANGES, written_out
from helio_dagster.agent.offline.wording import spoken_time
from helio_dagster.agent.planner import Current
from helio_dagster.agent.treatments import Exclusions
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.times.changes import of_this_year, read_change
from helio_dagster.catalog.times.lengths import find_length
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.domain.pipeline_edit import EditPipeline, apply_edits

EXAMPLES = ("make |B| red", "smooth over 5 minutes", "also Wind", "the same for Parker Solar Probe", "for last week", "undo")

_OF_REQUESTS = (exchange_partly, pair_up, put_in_place, share_panel)
"""Changes that a whole sentence says, and for which its words are read, or an intent is drafted, as a request is."""


class Refinements:
    """Reads what a sentence changes.

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

    def answer(self, request: str, current: Current, now: datetime) -> Answer | None:
        """The change that is meant, with what the pipeline then says of itself; None where the sentence is none.

        Raises
        ------
        OpenQuestion
            It leaves open what is meant.
        InputError
            It names a time that cannot be.
        """
        answer = self._answer(request, current, now)
        refuse_no_change(request, answer, current)
        ask_about_fork(answer, current.span, self._offers)
        if not isinstance(answer, Edits):
            return answer
        if all(isinstance(each, EditPipeline) for each in answer.edits):
            return replace(answer, assumed=(*current.assumed, *answer.assumed) if answer.assumed else None)
        after = replace(current, file=apply_edits(current.file, answer.edits))
        was, is_then = (PlottedFigure(each.file, self._offers, now) for each in (current, after))
        if lost := lost_spacecraft(request, was, is_then, now):
            names = " and ".join(is_then.missions)
            raise NotUnderstood(f"I cannot tell what {lost!r} are: the figure would be of {names}. Which ones do you mean?")
        if lost := lost_layout(request, answer, current):
            raise NotUnderstood(
                f"I cannot draw that {lost!r}: panels stand below each other, or share one. Where do you want it?"
            )
        told = retold(current.file, answer.edits, self._offers.catalog, self._table(current, now).known, answer.assumed)
        return replace(answer, edits=(*answer.edits, *told.edits), assumed=told.assumed)

    def _answer(self, request: str, current: Current, now: datetime) -> Answer | None:
        """The change that is meant, by itself."""
        asked: OpenQuestion | None = None
        if (notes_of := tell_of_plan(request, self._table(current, now))) is not None:
            return notes_of
        try:
            answer = self._all_of(request, current, now)
        except OpenQuestion as question:
            answer, asked = None, question
        is_new = answer is None and asked is None and is_request(request, self._table(current, now))
        if answer is not None or is_new:
            return answer
        back = matched("reader.taken_back", request)
        rest, answered = without_remarks(back["kept"] if back else request, now)
        rest = of_its_subject(rest, answered, PlottedFigure(current.file, self._offers, now))
        if not rest and answer is None:
            return Information("The plan is unchanged: say `approve`, which saves and runs it, or what to change.")
        try:
            answer = self._all_of(rest, current, now) if rest and rest != request else None
        except OpenQuestion as question:
            asked = question if asked is None or isinstance(asked, NotUnderstood) else asked
        table = self._table(current, now)
        if (
            answer is None
            and graft(written_out(without_courtesy(rest), OF_CHANGES), table)
            and (asked is None or not lost_layout(rest, table.answer(), current))
        ):
            return table.answer()
        if answer is None and (reason := next((answered for answered, words in rows("cannot.txt") if words.search(rest)), "")):
            raise OpenQuestion(reason, form("reader.offer").findall(reason))
        if answer is None and (asked is None or isinstance(asked, NotUnderstood)) and matched("reader.question", rest) is None:
            answer = without_unread(rest, current, partial(self._but_idle_words, now=now), now)
            answer = answer or self._without_idle_words(rest, current, now)
        if answer is None and asked is not None:
            raise asked
        notes = [f"{', '.join(map(repr, answered))} is taken as a remark."] if answered else []
        notes += [f"{back['gone']!r} is taken back."] if back else []
        return replace(answer, notes=(*answer.notes, *notes)) if isinstance(answer, Edits | Replay | Fork) else answer

    def added(self, request: str, current: Current, now: datetime) -> Edits | None:
        """What a request of its own would draw of the data on the table, added to it; None where that has no plan."""
        table = self._table(current, now)
        is_added = graft(written_out(without_courtesy(request), OF_CHANGES), table)
        return table.answer() if is_added and not lost_layout(request, table.answer(), current) else None

    def _but_idle_words(self, request: str, current: Current, now: datetime) -> Answer | None:
        """What a sentence says with all of its words, else without those that bear no meaning."""
        asked: NotUnderstood | None = None
        try:
            answer = self._all_of(request, current, now)
        except NotUnderstood as question:
            answer, asked = None, question
        answer = answer or self._without_idle_words(request, current, now)
        if answer is None and asked is not None:
            raise asked
        return answer

    def _without_idle_words(self, request: str, current: Current, now: datetime) -> Answer | None:
        again = partial(self._all_of, current=current, now=now)
        return without_idle_words(request, current, again, self._offers, now)

    def restated(self, request: str, asked: OpenQuestion, current: Current, now: datetime) -> str:
        """A follow-up that no reader understands as a request of its own about what is drawn; empty where it is none."""
        return restated(request, asked, self._table(current, now))

    def _table(self, current: Current, now: datetime) -> Table:
        intent, assumed = current.intent, current.assumed
        return Table(current.file, self._offers, now, current.span, lambda words: self._plan(words, now), intent, assumed)

    def as_request(self, request: str, current: Current, now: datetime) -> str:
        """A follow-up that makes another pipeline of the lines that are drawn as a request of its own; else as it is."""
        table = self._table(current, now)
        texts = (request.strip(" .!?"), written_out(without_courtesy(request), OF_CHANGES))
        return next((found for each in texts if (found := about_what_is_drawn(each, table))), request)

    def _all_of(self, request: str, current: Current, now: datetime) -> Answer | None:
        """What a sentence says, every word of it used or shown as ignored; a half of it is never carried out.

        Raises
        ------
        NotUnderstood
            A word is not used that could turn the change.
        """
        answer = self._once(request, current, now)
        if not isinstance(answer, Edits | Replay | Fork):
            return answer
        once, again = (partial(each, now=now) for each in (self._once, self._all_of))
        if (change := with_lost_clauses(request, answer, current, once, again, now)) is not None:
            return change
        unused = unused_words(request, answer, current, lambda words: once(words, current), self._offers, now)
        if unused.weighty:
            several = in_turn(request, current, again)
            if several is None:
                raise NotUnderstood.of(unused.weighty, "What do you want to change?")
            if isinstance(several, Edits) and not several.edits and several.span is not None:
                return Replay(several.span, notes=several.notes)
            return several
        notes = [f"{each!r} is ignored." for each in unused.others]
        return replace(answer, notes=tuple(dict.fromkeys((*answer.notes, *notes)))) if notes else answer

    def _once(self, request: str, current: Current, now: datetime) -> Answer | None:
        """What a sentence says as one change, or as several that are each understood by themselves."""
        asked: OpenQuestion | None = None
        plain = without_courtesy(request)
        request = formed if (formed := written_out(plain, OF_CHANGES)) != plain else request
        fleet, rest = with_fleet(request.strip(" .!?"), self._table(current, now))
        if fleet and rest:
            return in_order(fleet, rest, current, lambda part, at: self._whole(part, at, now))
        request = fleet or request
        try:
            both = matched("in_turn.orders", request) is not None
            answered: Answer | None = in_turn(request, current, lambda part, at: self._whole(part, at, now)) if both else None
            answered = answered or self._whole(request, current, now)
        except OpenQuestion as question:
            answered, asked = None, question
        is_new = answered is None and asked is None and is_request(request, self._table(current, now))
        if answered is not None or is_new:
            return answered
        several = in_turn(request, current, lambda part, at: self._whole(part, at, now))
        if asked is not None and (several is None or lost_layout(request, several, current)):
            ask_in_turn(request, current, lambda part, at: self._whole(part, at, now))
            raise asked
        return several

    def _whole(self, request: str, current: Current, now: datetime) -> Answer | None:
        """What a sentence says as one change."""
        table = self._table(current, now)
        request = another_alone(request.strip(" .!?"), table)
        text = in_plain_words(request)
        saved, first = form("reader.and_saved").search(text), matched("reader.named_first", text)
        named = (saved["command"], text[: saved.start()]) if saved else (first["command"], first["change"]) if first else None
        if named is not None:
            changed, answered = self._whole(named[1], current, now), read_command(named[0], current)
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
            return print_beside(words, current, lambda part: self._whole(part, current, now), lambda at: self._table(at, now))
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
        found = find_span(text, now) if text else None
        if found is None:
            return self._changes(text, table) if text else table.answer()
        if current.span is not None and (near := of_this_year(text, found, current.span)) is not None:
            found = replace(found, span=near, note=f"{found.words.strip()} is taken as {near}.")
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

"""What a sentence makes of the pipeline on the table: edits, another range, another mission, or a question."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial

from helio_dagster.agent.answers import Answer, Edits, Fork, Information, NotUnderstood, OpenQuestion, Replay
from helio_dagster.agent.drafting.retelling import retold
from helio_dagster.agent.offline.covered_missions import ask_about_fork, with_times_told
from helio_dagster.agent.offline.edits.clause_changes import is_request
from helio_dagster.agent.offline.edits.clauses_apart import with_lost_clauses, without_unread
from helio_dagster.agent.offline.edits.elliptical import about_what_is_drawn, without_parts
from helio_dagster.agent.offline.edits.fleets import with_fleet
from helio_dagster.agent.offline.edits.forms import form, matched, rows
from helio_dagster.agent.offline.edits.grafting import graft
from helio_dagster.agent.offline.edits.in_turn import ask_in_turn, in_order, in_turn
from helio_dagster.agent.offline.edits.layout_kept import lost_layout, lost_spacecraft
from helio_dagster.agent.offline.edits.ledger import unused_words, without_idle_words
from helio_dagster.agent.offline.edits.nothing_lost import refuse_no_change
from helio_dagster.agent.offline.edits.one_change import OneChange
from helio_dagster.agent.offline.edits.plain_words import without_courtesy
from helio_dagster.agent.offline.edits.plotted_figure import PlottedFigure
from helio_dagster.agent.offline.edits.remarks import of_its_subject, without_remarks
from helio_dagster.agent.offline.edits.restating import restated
from helio_dagster.agent.offline.edits.telling import tell_of_plan
from helio_dagster.agent.offline.short_forms import OF_CHANGES, written_out
from helio_dagster.agent.planner import Current
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_edit import EditPipeline, apply_edits

EXAMPLES = ("make |B| red", "smooth over 5 minutes", "also Wind", "the same for Parker Solar Probe", "for last week", "undo")


class Refinements:
    """Reads what a sentence changes.

    Parameters
    ----------
    offers
        What the catalog has.
    one
        Reads one change of the sentence.
    """

    def __init__(self, offers: Offers, one: OneChange) -> None:
        self._offers, self._one = offers, one

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
        answer = with_times_told(answer, current, self._offers)
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
        told = retold(current.file, answer.edits, self._offers.catalog, self._one.table(current, now).known, answer.assumed)
        return replace(answer, edits=(*answer.edits, *told.edits), notes=told.true_of(answer), assumed=told.assumed)

    def _answer(self, request: str, current: Current, now: datetime) -> Answer | None:
        """The change that is meant, by itself."""
        asked: OpenQuestion | None = None
        if (notes_of := tell_of_plan(request, self._one.table(current, now))) is not None:
            return notes_of
        try:
            answer = self._all_of(request, current, now)
        except OpenQuestion as question:
            answer, asked = None, question
        is_new = answer is None and asked is None and is_request(request, self._one.table(current, now))
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
        grafted = self._grafted(rest, current, now) if answer is None else None
        if grafted is not None and (asked is None or not lost_layout(rest, grafted, current)):
            once, again = (partial(each, now=now) for each in (self._once_or_grafted, self._all_of))
            return with_lost_clauses(rest, grafted, current, once, again, now) or grafted
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
        grafted = self._grafted(request, current, now)
        return grafted if grafted is not None and not lost_layout(request, grafted, current) else None

    def _grafted(self, request: str, current: Current, now: datetime) -> Edits | None:
        table = self._one.table(current, now)
        return table.answer() if graft(written_out(without_courtesy(request), OF_CHANGES), table) else None

    def _once_or_grafted(self, request: str, current: Current, now: datetime) -> Answer | None:
        with suppress(OpenQuestion, InputError):
            return self._once(request, current, now) or self._grafted(request, current, now)
        return self._grafted(request, current, now)

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
        return restated(request, asked, self._one.table(current, now))

    def as_request(self, request: str, current: Current, now: datetime) -> str:
        """A follow-up that makes another pipeline of the lines that are drawn as a request of its own; else as it is."""
        table = self._one.table(current, now)
        texts = (request.strip(" .!?"), written_out(without_courtesy(request), OF_CHANGES))
        return next((found for each in texts if (found := about_what_is_drawn(each, table))), request)

    def _all_of(self, request: str, current: Current, now: datetime) -> Answer | None:
        """What a sentence says, every word of it used or shown as ignored; a half of a clause is never carried out.

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
        one = partial(self._one.change, now=now)
        plain = without_courtesy(request)
        request = formed if (formed := written_out(plain, OF_CHANGES)) != plain else request
        request = without_parts(request, self._one.table(current, now))
        fleet, rest = with_fleet(without_courtesy(request), self._one.table(current, now))
        if fleet and rest:
            return in_order(fleet, rest, current, one)
        request = fleet or request
        try:
            both = matched("in_turn.orders", request) is not None
            answered: Answer | None = in_turn(request, current, one) if both else None
            answered = answered or one(request, current)
        except OpenQuestion as question:
            answered, asked = None, question
        is_new = answered is None and asked is None and is_request(request, self._one.table(current, now))
        if answered is not None or is_new:
            return answered
        several = in_turn(request, current, one)
        if several is None or (asked is not None and lost_layout(request, several, current)):
            ask_in_turn(request, current, one, is_of_either=asked is None)
            if asked is not None:
                raise asked
        return several

"""What a sentence makes of the pipeline on the table: edits, another range, another mission, or a question."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from helio_dagster.agent.answers import Answer, Edits, Fork, Information, NotUnderstood, OpenQuestion, Replay, SoAlready
from helio_dagster.agent.offline.edits.around import move_window
from helio_dagster.agent.offline.edits.arranging import join, order, put_apart, put_together, swap
from helio_dagster.agent.offline.edits.cannot import why_not
from helio_dagster.agent.offline.edits.commands import read_command
from helio_dagster.agent.offline.edits.component_looks import color_components
from helio_dagster.agent.offline.edits.computing import compute_anew
from helio_dagster.agent.offline.edits.counting import count_values
from helio_dagster.agent.offline.edits.crossing import mark_crossings
from helio_dagster.agent.offline.edits.elliptical import about_the_two, another_alone, named_in_full, read_encounter
from helio_dagster.agent.offline.edits.exchanging import (
    add_words,
    fork_of,
    give_frame,
    meanings_of,
    place_lines,
    remove_named,
    replace_lines,
)
from helio_dagster.agent.offline.edits.excluding import leave_out
from helio_dagster.agent.offline.edits.expecting import change_expectations
from helio_dagster.agent.offline.edits.frames import rotate_all
from helio_dagster.agent.offline.edits.in_turn import in_turn
from helio_dagster.agent.offline.edits.limits import change_limits
from helio_dagster.agent.offline.edits.looks import give_height, give_looks
from helio_dagster.agent.offline.edits.modes import switch_mode
from helio_dagster.agent.offline.edits.other_data import exchange_data
from helio_dagster.agent.offline.edits.palettes import recolor
from helio_dagster.agent.offline.edits.paper import SaidPaper, find_paper, put_on_paper
from helio_dagster.agent.offline.edits.partly import exchange_partly
from helio_dagster.agent.offline.edits.plotted_figure import Meant, PlottedFigure, bare
from helio_dagster.agent.offline.edits.remarks import without_remarks
from helio_dagster.agent.offline.edits.removing import smooth_only
from helio_dagster.agent.offline.edits.said_marks import draw_mark
from helio_dagster.agent.offline.edits.scaling import scale_values
from helio_dagster.agent.offline.edits.shifting import shift_lines
from helio_dagster.agent.offline.edits.slots import Clause, clauses_of, words_of
from helio_dagster.agent.offline.edits.stating import state_numbers
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.taking_back import take_out
from helio_dagster.agent.offline.edits.telling import tell_of_plan
from helio_dagster.agent.offline.edits.titles import name_anew
from helio_dagster.agent.offline.excluded_intervals import find_exclusions
from helio_dagster.agent.offline.meanings import Dataset, Frame, Length, Mission
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reading import Mention, read_request
from helio_dagster.agent.offline.short_forms import OF_CHANGES, written_out
from helio_dagster.agent.offline.weight import is_weighty
from helio_dagster.agent.offline.wording import spoken_time
from helio_dagster.agent.planner import Current
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Exclusions, Transform
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.times.changes import of_this_year, read_change
from helio_dagster.catalog.times.lengths import find_length
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.domain.time_range import TimeRange

EXAMPLES = ("make |B| red", "smooth over 5 minutes", "also Wind", "the same for Parker Solar Probe", "for last week", "undo")
_POLITE = re.compile(
    r"^(?:(?:please|pls|plz|ok(?:ay)?|now|then|hm+|can (?:yo)?u|could (?:yo)?u|would (?:yo)?u|let's|let|and now|"
    r"do exactly|exactly|maybe|"
    r"actually|go ahead and)[,\s]+"
    r"|(?:oops|no|nah|oops no|too [a-z]+),\s*|no (?=(?:leave|keep|make|put|only|just|wait)\b))+"
    r"|(?:[,\s]+(?:please|pls|plz))$",
    re.IGNORECASE,
)
_WHOLE_SENTENCES = (
    state_numbers,
    exchange_data,
    smooth_only,
    give_height,
    color_components,
    recolor,
    take_out,
    swap,
    order,
    rotate_all,
    switch_mode,
    mark_crossings,
    draw_mark,
    scale_values,
    shift_lines,
    count_values,
)
"""Changes that a whole sentence says."""
_THE_REST = re.compile(
    r"(?:\s*,\s*|\s+)(?:(?:and|but)\s+)?(?:keep|leave)\s+"
    r"(?:(?:the rest|(?:everything|all|anything) else|the others?|the other \w+)"
    r"(?:\s+(?:as (?:it is|they are|before)|alone|unchanged|the same|untouched))?"
    r"|(?:the )?[\w|]+(?: [\w|]+)?\s+(?:as (?:it is|they are)|alone|unchanged|untouched))$",
    re.IGNORECASE,
)
"""What is not named stays as it is anyway."""
_AS_IT_IS = re.compile(
    r",\s+(?:and |but )?(?:with |on |in )?(?:the )?same (?:frame|coordinates?|panels|axes|scales?|times?|dates?|range|"
    r"colou?rs?|units?|"
    r"limits|layout|settings|quantit(?:y|ies)|cadence)(?: (?:if (?:it|they) (?:has|have) (?:it|that|one)|if possible|"
    r"as before))?$",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"(?P<gone>.*?)\s*(?:\.{2,}|…|[,;–—-])\s*(?:(?:oh|ah|no)[,\s]+)*(?:sorry|no,? wait|wait|scratch that|i mean|"
    r"correction)[,:\s]+(?P<kept>.+)",
    re.IGNORECASE,
)
_AND_SAVED = re.compile(
    r"(?<=\S)(?:\s*,\s*|\s+)(?:and\s+)?(?P<command>(?:save|export) (?:it|this|the figure) (?:as|to) (?:an? )?(?:pdf|png|svg))$",
    re.IGNORECASE,
)
_TAKEN_OUT = re.compile(
    r"^(?:take|leave|get)\s+(?P<what>(?!(?:it|that|this|them)\b)[\w| -]+?)\s+(?:out|away|off)(?:\s+again)?$", re.IGNORECASE
)
_UNIT_OF = re.compile(r"^(?:change|set|switch|turn|make) the units? (?:of|for) (?P<what>.+?) (?:to|into|be) ", re.IGNORECASE)
_LENGTH_OF = re.compile(r"\b(?:smooth\w*|averag\w*|windows?|bins?|running|moving)\b", re.IGNORECASE)


_TREATED = re.compile(r"\W*(?:smooth|average|resample|bin|filter|detrend)\b", re.IGNORECASE)
"""What is done to lines: `only smooth the speed` leaves the others."""
_FILTERED = re.compile(
    r"(?:(?:apply|use|add|with|an?)\s+)*(?:band|low|high)[- ]?pass(?:ed)?(?:[- ]?filter(?:ed)?)?\b(?=.*\d)", re.IGNORECASE
)
"""Frequencies of a filter are no limits of an axis."""
_IN_ONE = re.compile(r"\b(?:sharing|share|in|into) (?:one|a single|one common|a) panel\b", re.IGNORECASE)
"""New lines are together, and not with those that are drawn."""
_DAY_ALONE = re.compile(r"\b(on|of) the (\d{1,2})(?:st|nd|rd|th)(?! of)\b", re.IGNORECASE)
_DAYS = timedelta(days=62)


def _with_dates(text: str, span: TimeRange) -> str:
    """A sentence in which `on the 12th` is the one such day of the range on the table."""
    if span.duration > _DAYS:
        return text
    days = [span.start + timedelta(days=each) for each in range(span.duration.days + 1)]

    def dated(match: re.Match[str]) -> str:
        meant = [each for each in days if each.day == int(match[2]) and each < span.stop]
        return f"{match[1]} {meant[0]:%Y-%m-%d}" if len(meant) == 1 else match[0]

    return _DAY_ALONE.sub(dated, text)


class Refinements:
    """Reads what a sentence changes.

    Parameters
    ----------
    offers
        What the catalog has.
    requests
        Chooses what answers a target.
    """

    def __init__(self, offers: Offers, requests: RequestPlanner) -> None:
        self._offers = offers
        self._requests = requests

    def answer(self, request: str, current: Current, now: datetime) -> Answer | None:
        """The change that is meant; None where the sentence is none.

        Raises
        ------
        OpenQuestion
            It leaves open what is meant.
        InputError
            It names a time that cannot be.
        """
        asked: OpenQuestion | None = None
        if (told_of := tell_of_plan(request, Table(current.file, self._offers, now, current.span))) is not None:
            return told_of
        try:
            answer = self._all_of(request, current, now)
        except OpenQuestion as question:
            answer, asked = None, question
        is_new = answer is None and asked is None and _is_request(request, Table(current.file, self._offers, now))
        if answer is not None or is_new:
            return answer
        back = _TAKEN_BACK.fullmatch(request)
        rest, told = without_remarks(back["kept"] if back else request, now)
        if not rest and answer is None:
            return Information("The plan is unchanged: say `approve`, which saves and runs it, or what to change.")
        try:
            answer = self._all_of(rest, current, now) if rest and rest != request else None
        except OpenQuestion as question:
            asked = question if asked is None or isinstance(asked, NotUnderstood) else asked
        if answer is None and (reason := why_not(rest)):
            raise OpenQuestion(reason)
        if answer is None and asked is not None:
            raise asked
        notes = [f"{', '.join(map(repr, told))} is taken as a remark."] if told else []
        notes += [f"{back['gone']!r} is taken back."] if back else []
        return replace(answer, notes=(*answer.notes, *notes)) if isinstance(answer, Edits | Replay | Fork) else answer

    def of_what_is_drawn(self, request: str, current: Current, now: datetime) -> str:
        """A request that names no spacecraft as one of that which is drawn, for the same time; empty where several are."""
        missions = PlottedFigure(current.file, self._offers, now).missions
        if len(missions) != 1 or current.span is None:
            return ""
        when = "" if find_span(request, now) is not None else f", {current.span}"
        return f"{missions[0]} {_POLITE.sub('', request.strip(' .!?'))}{when}"

    def as_request(self, request: str, current: Current, now: datetime) -> str:
        """A follow-up that makes another pipeline of the lines that are drawn as a request of its own; else as it is."""
        return about_the_two(request.strip(" .!?"), Table(current.file, self._offers, now, current.span)) or request

    def _all_of(self, request: str, current: Current, now: datetime) -> Answer | None:
        """What a sentence says as one change, or as several that are each understood by themselves."""
        asked: OpenQuestion | None = None
        plain = _POLITE.sub("", request.strip(" .!?"))
        request = formed if (formed := written_out(plain, OF_CHANGES)) != plain else request
        try:
            told = self._whole(request, current, now)
        except OpenQuestion as question:
            told, asked = None, question
        is_new = told is None and asked is None and _is_request(request, Table(current.file, self._offers, now))
        if told is not None or is_new:
            return told
        several = in_turn(request, current, lambda part, at: self._whole(part, at, now))
        if several is None and asked is not None:
            raise asked
        return several

    def _whole(self, request: str, current: Current, now: datetime) -> Answer | None:
        """What a sentence says as one change."""
        table = Table(current.file, self._offers, now, current.span)
        request = another_alone(request.strip(" .!?"), table)
        text = re.sub(r"^(?:and|with) (?!now\b)", "also ", " ".join(request.split()).strip(" .!?"), flags=re.IGNORECASE)
        text = _AS_IT_IS.sub("", text)
        text = _THE_REST.sub("", _POLITE.sub("", text).strip(" .!?,"))
        text = written_out(text, OF_CHANGES)
        text = _TAKEN_OUT.sub(r"remove \g<what>", text)
        saved = _AND_SAVED.search(text)
        if saved is not None:
            changed, told = self._whole(text[: saved.start()], current, now), read_command(saved["command"], current)
            if isinstance(changed, Edits | Replay) and isinstance(told, Information):
                return replace(changed, notes=(*changed.notes, told.text))
        text = named_in_full(text, table)
        command = read_command(text, current) or read_encounter(text, table)
        if command is not None:
            return command
        if move_window(text, table):
            return Edits(tuple(table.edits), notes=tuple(table.notes))
        if current.span is not None:
            text = re.sub(r"\b(?:of |in )?(?:the same|that) year\b", f"{current.span.start:%Y}", text, flags=re.IGNORECASE)
            text = _with_dates(text, current.span)
        text = re.sub(r"^(?:what|how) about (?=\d)", "", text, flags=re.IGNORECASE)
        text = re.sub(
            r"^(?:also|(?:what|how) about|but)(?: for)? (?=(?:above|below|over|under) [-\d])", "", text, flags=re.IGNORECASE
        )
        text = _UNIT_OF.sub(r"show \g<what> in ", text)
        if find_length(text):  # `1-minute means for the density only`
            text = re.sub(r"\b(for|of) (the [\w| ]+?|[\w|]+) only$", r"\1 \2", text, flags=re.IGNORECASE)
        moved = read_change(text, current.span, now) if current.span is not None else None
        if moved is not None:
            return Replay(moved)
        said = find_paper(text)
        if said.given:
            return self._printed(said, current, now)
        if (left_out := find_exclusions(text, now, current.span)) is not None:
            leave_out(Exclusions(left_out.spans, left_out.file), table)
            text = left_out.rest(text)
        if change_expectations(text, table):
            return Edits(tuple(table.edits))
        if change_limits(text, table) or exchange_partly(text, table):
            return Edits(tuple(table.edits), notes=tuple(table.notes))
        if any(change(text, table) for change in _WHOLE_SENTENCES):
            return Edits(tuple(table.edits), notes=tuple(table.notes))
        text = name_anew(text, table)
        found = find_span(text, now) if text else None
        if found is None:
            return self._changes(text, table) if text else Edits(tuple(table.edits), notes=tuple(table.notes))
        if current.span is not None and (near := of_this_year(text, found, current.span)) is not None:
            found = replace(found, span=near, note=f"{found.words.strip()} is taken as {near}.")
        return self._at_another_time(text, found, table)

    def _printed(self, said: SaidPaper, current: Current, now: datetime) -> Answer | None:
        """How the figure is printed, beside what else a sentence changes."""
        try:
            beside = self._whole(said.request, current, now) if said.request else Edits(())
        except OpenQuestion as asked:
            asked.say_again(said.words)
            raise
        if beside is None:
            return None
        if not isinstance(beside, Edits | Replay):
            raise OpenQuestion("How the figure is printed can be said once that is done.", [said.request])
        table = Table(current.file, self._offers, now, current.span)
        note = put_on_paper(said, table)
        edits = beside.edits if isinstance(beside, Edits) else ()
        return Edits((*edits, *table.edits), beside.span, (*beside.notes, note))

    def _at_another_time(self, text: str, found: FoundSpan, table: Table) -> Answer | None:
        rest = " ".join(f"{text[: found.first]} {text[found.last :]}".split()).strip(" ,")
        clauses = clauses_of(rest)
        is_time_alone = not any(each.looks or each.layout or each.verb == "remove" for each in clauses)
        is_time_alone = is_time_alone and not any(bare(each.target) or each.old for each in clauses)
        if found.span is None and not _is_request(rest, table):
            choices = [f"{text[: found.first]}{choice}{text[found.last :]}".strip() for choice in found.choices]
            raise OpenQuestion(found.question, choices)
        notes = (found.note,) if found.note else ()
        if is_time_alone and found.span is not None:
            return Edits(tuple(table.edits), found.span, notes) if table.edits else Replay(found.span, notes=notes)
        table.span = found.span
        try:
            changed = self._changes(rest, table)
        except OpenQuestion as asked:
            if isinstance(asked, NotUnderstood) and _is_request(rest, table):
                return None
            raise type(asked)(asked.question.text, [f"{each}{spoken_time(found)}" for each in asked.question.choices]) from None
        return replace(changed, span=found.span) if isinstance(changed, Fork | Edits) else changed

    def _changes(self, text: str, table: Table) -> Answer | None:
        """The changes of all clauses; None where the sentence changes nothing. Half of a sentence is never carried out."""
        if _FILTERED.match(text) is not None:
            add_words(text, table, self._requests)
            return Edits(tuple(table.edits), notes=tuple(dict.fromkeys(table.notes)))
        clauses = [_of_a_length(clause) for clause in clauses_of(text)]
        for clause in clauses:
            fork = fork_of(clause, table)
            if fork is not None:
                if len(clauses) > 1 or table.edits:
                    raise OpenQuestion("Another spacecraft makes another pipeline: say this first, and the rest then.")
                return fork
            meant, before = table.meant(clause), {line.trace.data for line in table.plotted.lines}
            try:
                is_changed = self._change(clause, table)
            except SoAlready:
                if not table.edits:
                    raise
                continue
            if not is_changed:
                if not table.edits:
                    return None
                raise NotUnderstood(f"I do not understand {clause.target!r}. What do you want to change?")
            new = {line.trace.data for line in table.plotted.lines} - before
            table.last = new or ({line.trace.data for line in meant.lines} if meant else set())
        return Edits(tuple(table.edits), notes=tuple(dict.fromkeys(table.notes))) if table.edits else None

    def _change(self, clause: Clause, table: Table) -> bool:
        """Make the change of one clause; False where it is none."""
        before = {line.trace.data for line in table.plotted.lines}
        meant = table.meant(clause)
        if clause.foreign and (clause.looks or clause.verb or meant is not None):
            raise NotUnderstood(f"I cannot change {clause.foreign!r}. What do you want to change?")
        if replace_lines(clause, table, self._requests):
            return True
        if clause.verb == "remove" and clause.looks.get("scale") == "log":
            clause = replace(clause, verb="", looks={**clause.looks, "scale": "linear"})
        is_kept = clause.verb == "only" and not clause.looks and _TREATED.match(clause.target) is None
        if clause.verb == "remove" or is_kept:
            return remove_named(clause, table)
        is_new = meant is None or not meant.is_named
        if clause.verb == "only" and _TREATED.match(clause.target) is not None:
            clause = replace(clause, verb="")
        if clause.layout == "together" and meant is None and _names_data(clause.target, table):
            clause = replace(clause, verb="add")
        if clause.verb == "add" and is_new and bare(clause.target):
            if give_frame(clause, table):
                return True
            add_words(clause.target, table, self._requests)
            if clause.layout == "together":
                added = [line.trace.data for line in table.plotted.lines if line.trace.data not in before]
                join(added, table, is_apart=_IN_ONE.search(clause.text) is not None)
            new = [line for line in table.plotted.lines if line.trace.data not in before]
            place_lines(clause, new, table)
            if clause.looks and new:
                give_looks(replace(clause, all="new"), Meant(new, is_named=True), table)
            return True
        if clause.place and meant is None:
            return self._change(replace(clause, verb="add"), table)
        if clause.place and meant is not None and meant.unknown:
            raise NotUnderstood(f"I do not understand {meant.unknown[0].words!r}. What do you want to change?")
        if clause.place and meant is not None and meant.is_named:
            place_lines(clause, meant.lines, table)
            if clause.looks:
                named = {line.trace.data for line in meant.lines}
                moved = [line for line in table.plotted.lines if line.trace.data in named]
                give_looks(clause, replace(meant, lines=moved), table)
            return True
        if clause.place and clause.looks and not clause.beside:
            meant = table.plotted.meant(f"{clause.place} panel")
        if clause.layout:
            (put_apart if clause.layout == "apart" else put_together)(table)
            if not clause.looks:
                return True
        if give_frame(clause, table):
            return True
        is_computed = (meant is None or not clause.looks) and compute_anew(clause, table)
        if not clause.looks.keys() - {"axis"}:
            if clause.verb == "add" and not is_computed and not is_new:
                raise OpenQuestion(f"{bare(clause.target)} is drawn already. What do you want to add?")
            return is_computed or self._bare(clause, table)
        if is_computed:
            names = [
                each.words
                for each in read_request(clause.target, table.now).mentions
                if isinstance(each.meaning, Measured | Mission)
            ]
            meant = table.plotted.meant(" ".join(names))
        if meant is None:
            return self._unknown_lines(clause, table)
        weighty = [each.words for each in meant.unknown if not meant.is_named or _could_matter(each, clause, table)]
        if weighty:
            raise NotUnderstood(f"I do not understand {weighty[0]!r}. What do you want to change?")
        table.notes += [f"{each.words!r} is ignored." for each in meant.unknown]
        give_looks(clause, meant, table)
        return True

    def _unknown_lines(self, clause: Clause, table: Table) -> bool:
        """A question which line is meant; False where a spacecraft and its quantity are named, which is a new request."""
        if _is_request(clause.target, table):
            return False
        raise table.ask_which(clause, table.plotted.lines)

    def _bare(self, clause: Clause, table: Table) -> bool:
        """What follows from what is drawn is added; a mission or a quantity alone could mean two things."""
        reading = self._requests.read(clause.target, table.now)
        meant = meanings_of(reading)
        if (
            clause.old is not None
            or any(each.words.casefold() not in words_of("small") for each in reading.unknown)
            or not meant
        ):
            return False
        if any(isinstance(each, Derived | Transform) for each in meant) and all(
            isinstance(each, Derived | Transform | Frame | Length | Measured) for each in meant
        ):
            add_words(clause.target, table, self._requests)
            return True
        words, when = bare(clause.target), f" {table.span}" if table.span else ""
        if len(meant) == 1 and isinstance(meant[0], Mission):
            raise OpenQuestion(f"Do you want {words} as well, or instead?", [f"also {words}", f"the same for {words}"])
        is_quantity = all(isinstance(each, Measured) for each in meant) and table.plotted.meant(words) is None
        if is_quantity and len(table.plotted.missions) == 1:
            choices = [f"add the {words}", f"{table.plotted.missions[0]} {words}{when}"]
            raise OpenQuestion(f"Do you want the {words} added to the figure, or alone?", choices)
        return False


def _of_a_length(clause: Clause) -> Clause:
    """`the smoothing half an hour instead`: a new length takes the place of the old one by itself."""
    is_length = find_length(clause.target) is not None and _LENGTH_OF.search(clause.target) is not None
    return replace(clause, instead="") if clause.instead and is_length else clause


def _is_request(text: str, table: Table) -> bool:
    """Whether words name data as a new request does."""
    reading = read_request(text, table.now)
    return bool(reading.all(Dataset) or (reading.all(Mission) and (reading.all(Measured) or reading.all(Derived))))


def _names_data(text: str, table: Table) -> bool:
    """Whether words name a quantity or a spacecraft."""
    return any(isinstance(each.meaning, Measured | Derived | Mission) for each in read_request(text, table.now).mentions)


def _could_matter(mention: Mention, clause: Clause, table: Table) -> bool:
    reading = read_request(clause.target, table.now)
    return is_weighty(mention, replace(reading, mentions=(), unknown=(mention,)), table.offers.catalog)

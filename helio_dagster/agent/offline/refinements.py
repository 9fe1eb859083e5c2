"""What a sentence changes of the pipeline on the table: edits, a range, a mission, undo."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import Answer, Edits, Fork, Keep, OpenQuestion, Replay, Undo
from helio_dagster.agent.offline.additions import Additions
from helio_dagster.agent.offline.figure_edits import read_figure_edit
from helio_dagster.agent.offline.meanings import Filler, Layout, Mission, Unclear
from helio_dagster.agent.offline.other_commands import read_other_command
from helio_dagster.agent.offline.plotted_figure import PlottedFigure
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.offline.spoken_edits import ask_for_frame, instead_of_the_field, read_schedule, said_plainly
from helio_dagster.agent.offline.step_edits import read_step_edit
from helio_dagster.agent.planner import Current
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.times.changes import of_this_year, read_change
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.domain.pipeline_edit import Edit, EditPipeline, apply_edits
from helio_dagster.domain.time_range import TimeRange

EXAMPLES = ("make |B| red", "smooth over 5 minutes", "also Wind", "the same for Parker Solar Probe", "for last week", "undo")
_UNDO = re.compile(
    r"undo(?: (?:that|it|this|the last (?:change|edit)))?|(?:take|put) (?:that|it|this) back|revert(?: (?:that|it))?",
    re.IGNORECASE,
)
_KEEP = re.compile(
    r"(?:save|keep|store) (?:the )?(?:step |code of )?(?P<step>[a-z][a-z0-9_]*) as (?:an |the )?(?:operation )?"
    r"(?:called |named )?"
    r"(?P<operation>[a-z][a-z0-9_]*)",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:(?:please|ok(?:ay)?|now|then|can you|could you|would you|let's|and now)[,\s]+)+|(?:[,\s]+please)$", re.IGNORECASE
)
_TITLE = re.compile(r"(?:title|call|(?:(?:set|change|make) )?the title) ", re.IGNORECASE)
_EMPTY = re.compile(
    r"(?:(?:now|then|and|ok|please|also|instead|the|same|thing|plot|figure|pipeline|run|rerun|replay|repeat|redo|do|show|make|try|it"
    r"|this|that|again|for|on|in|over|during|at|with|what|how|about|change|set|use|switch|move|go|time|range|period|dates?|days?|interval"
    r"|to|from|me|but|a|different|another|new|other|event|storm|of|is|by|let's|look|only|just|zoom|into)\b[\s,]*)*",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"(?:(?:do|run|show|make|plot|repeat|give me) )?(?:me )?(?:the )?same(?: (?:thing|plot|figure|analysis|pipeline))? "
    r"(?:but )?(?:for|with|at|from|using|of|on) (?P<mission>.+?)(?: instead)?"
    r"|(?P<instead>.+?) instead|(?:what|how) about (?P<about>.+)"
    r"|(?:(?:now )?(?:do|run|repeat|plot|show) (?:it|this|that|the same) (?:for|with|at)|switch to|change (?:it )?to|use"
    r"|now(?: for)?|fork (?:it )?(?:for|to)) (?P<other>.+?)",
    re.IGNORECASE,
)

_INSTEAD_OF = re.compile(r"(?P<new>.+?) (?:instead of|in place of|rather than) (?P<old>.+)", re.IGNORECASE)


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
        self._additions = Additions(offers, requests)

    def answer(self, request: str, current: Current, now: datetime) -> Answer | None:
        """The change that is meant; None where the sentence is none.

        Raises
        ------
        OpenQuestion
            It leaves open what is meant.
        InputError
            It names a time that cannot be.
        """
        text = _POLITE.sub("", " ".join(request.split()).strip(" .!?")).strip(" .!?,")
        if _UNDO.fullmatch(text):
            return Undo()
        keep = _KEEP.fullmatch(text)
        if keep is not None and any(step.id == keep["step"] for step in current.file.pipeline.steps):
            return Keep(keep["step"], keep["operation"].lower())
        told = read_other_command(text, current)
        if told is not None:
            return told
        moved = read_change(text, current.span, now) if current.span is not None else None
        if moved is not None:
            return Replay(moved)
        plotted = PlottedFigure(current.file, self._offers, now)
        text = said_plainly(text, plotted)
        found = find_span(text, now)
        if found is not None and current.span is not None and (near := of_this_year(text, found, current.span)) is not None:
            found = replace(found, span=near, note=f"{found.words.strip()} is taken as {near}.")
        if found is not None and not _TITLE.match(text):
            rest = " ".join(f"{text[: found.first]} {text[found.last :]}".split()).strip(" ,")
            return self._at_another_time(text, rest, found, plotted, now)
        return self._change(text, plotted, current.span, now)

    def _at_another_time(self, text: str, rest: str, found: FoundSpan, plotted: PlottedFigure, now: datetime) -> Answer | None:
        if not _EMPTY.fullmatch(rest):
            changed = self._change(rest, plotted, found.span, now)
            if changed is None or isinstance(changed, Fork | Edits):
                if changed is not None and found.span is None:
                    raise _unclear(text, found)
                return _with_span(changed, found.span)
            return changed
        if found.span is None:
            raise _unclear(text, found)
        return Replay(found.span, notes=(found.note,) if found.note else ())

    def _change(self, text: str, plotted: PlottedFigure, span: TimeRange | None, now: datetime) -> Answer | None:
        """The change that a sentence means as a whole, else those of its parts one after the other."""
        asked: OpenQuestion | None = None
        try:
            changed = self._one_change(text, plotted, span, now)
        except OpenQuestion as open_question:
            changed, asked = None, open_question
        if changed is None:
            changed = self._two_changes(text, plotted, span, now)
        if changed is None and asked is not None:
            raise asked
        return changed

    def _two_changes(self, text: str, plotted: PlottedFigure, span: TimeRange | None, now: datetime) -> Edits | None:
        """Two edits joined by `and`, the second of them of what the first leads to; its verb may be that of the first."""
        verb = re.match(r"(?:make|set|put|draw|use|colou?r|add|remove|show)\b", text, re.IGNORECASE)
        for joint in re.finditer(r"(?:,\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?)", text):
            parts = text[: joint.start()], text[joint.end() :]
            seconds = [parts[1], *([f"{verb[0]} {parts[1]}"] if verb else [])]
            for second in seconds:
                both = self._both((parts[0], second), plotted, span, now)
                if both is not None:
                    return both
        return None

    def _both(self, parts: tuple[str, str], plotted: PlottedFigure, span: TimeRange | None, now: datetime) -> Edits | None:
        edits: list[Edit] = []
        notes: list[str] = []
        file = plotted.file
        for part in parts:
            try:
                changed = self._one_change(part, PlottedFigure(file, self._offers, now), span, now)
            except OpenQuestion:
                return None
            if not isinstance(changed, Edits):
                return None
            file = apply_edits(file, list(changed.edits))
            edits += changed.edits
            notes += changed.notes
        return Edits(tuple(edits), notes=tuple(dict.fromkeys(notes)))

    def _one_change(self, text: str, plotted: PlottedFigure, span: TimeRange | None, now: datetime) -> Answer | None:
        fork = self._fork(text, plotted, now)
        if fork is not None:
            return fork
        pair = instead_of_the_field(text, plotted)
        if pair is not None:
            return self._both(pair, plotted, span, now)
        ask_for_frame(text, plotted, span)
        edits = read_schedule(text) or read_figure_edit(text, plotted) or read_step_edit(text, plotted, now)
        if edits:
            return Edits(tuple(edits))
        added = self._additions.read(text, plotted, span, now)
        if added is None:
            return None
        new, assumptions = added
        kept = [*plotted.pipeline.assumptions, *(each for each in assumptions if each not in plotted.pipeline.assumptions)]
        more: list[Edit] = []
        if kept != plotted.pipeline.assumptions:
            more.append(EditPipeline(kind="edit_pipeline", changes={"assumptions": kept}))
        return Edits((*new, *more), notes=tuple(assumptions))

    def _fork(self, text: str, plotted: PlottedFigure, now: datetime) -> Fork | None:
        text, old = self._replaced(text, plotted, now)
        match = _SAME.fullmatch(text)
        if match is None:
            return None
        words = next(group for group in match.groupdict().values() if group is not None)
        reading = read_request(words, now)
        meant = [mention.meaning for mention in reading.mentions if not isinstance(mention.meaning, Filler | Layout)]
        if reading.unknown or len(meant) != 1:
            return None
        if isinstance(meant[0], Unclear):
            instead = f" instead of {old}" if old else ""
            raise OpenQuestion(meant[0].question, [f"the same for {option}{instead}" for option in meant[0].options])
        if not isinstance(meant[0], Mission):
            return None
        mission = meant[0]
        if plotted.missions == [mission.name]:
            raise OpenQuestion(f"The pipeline on the table is {mission.name}'s already. What do you want to change?")
        if old is None and mission.name in plotted.missions:
            raise OpenQuestion(f"{mission.name} is drawn already. What do you want to change?")
        flying = [each for each in plotted.missions if each != "OMNI"]
        if old is None and len(flying) > 1:
            choices = [f"the same for {mission.name} instead of {each}" for each in flying]
            raise OpenQuestion(f"Which one does {mission.name} replace?", choices)
        return Fork(mission.name, notes=(mission.note,) if mission.note else (), instead_of=old)

    def _replaced(self, text: str, plotted: PlottedFigure, now: datetime) -> tuple[str, str | None]:
        """The sentence without the mission that is to be replaced, and that mission; None where it names none."""
        match = _INSTEAD_OF.fullmatch(text)
        if match is None:
            return text, None
        meant = [each.meaning for each in read_request(match["old"], now).mentions]
        names = [each.name for each in meant if isinstance(each, Mission)]
        return (f"{match['new']} instead", names[0]) if len(names) == 1 and names[0] in plotted.missions else (text, None)


def _with_span(changed: Answer | None, span: TimeRange | None) -> Answer | None:
    if isinstance(changed, Fork):
        return replace(changed, span=span)
    if isinstance(changed, Edits):
        return Edits(changed.edits, span, changed.notes)
    return changed


def _unclear(text: str, found: FoundSpan) -> OpenQuestion:
    choices = [f"{text[: found.first]}{choice}{text[found.last :]}".strip() for choice in found.choices]
    return OpenQuestion(found.question, choices)

"""What a sentence makes of the pipeline on the table: edits, another range, another mission, or a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import Answer, Edits, Fork, NotUnderstood, OpenQuestion, Replay
from helio_dagster.agent.intent import Averaging, Derived, Measured, Smoothing, Transform
from helio_dagster.agent.offline.edits.adding import add_mission, add_quantities
from helio_dagster.agent.offline.edits.arranging import move, put_apart, put_together
from helio_dagster.agent.offline.edits.commands import read_command
from helio_dagster.agent.offline.edits.computing import compute_anew
from helio_dagster.agent.offline.edits.looks import give_looks
from helio_dagster.agent.offline.edits.plotted_figure import Line, Meant, bare
from helio_dagster.agent.offline.edits.removing import remove_lines
from helio_dagster.agent.offline.edits.slots import Clause, clauses_of, words_of
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.leftovers import is_weighty
from helio_dagster.agent.offline.meanings import Compare, Dataset, Filler, Frame, Layout, Length, Mission, Shape, Unclear
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reading import Mention, Reading, read_request
from helio_dagster.agent.offline.wording import spoken_time
from helio_dagster.agent.planner import Current
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS
from helio_dagster.catalog.times.changes import of_this_year, read_change
from helio_dagster.catalog.times.phrases import FoundSpan, find_span

EXAMPLES = ("make |B| red", "smooth over 5 minutes", "also Wind", "the same for Parker Solar Probe", "for last week", "undo")
_POLITE = re.compile(
    r"^(?:(?:please|ok(?:ay)?|now|then|can you|could you|would you|let's|and now)[,\s]+)+|(?:[,\s]+please)$", re.IGNORECASE
)
_QUOTED = r"[\"'“”‘’](?P<quoted>[^\"“”]+?)[\"'“”‘’]"
_TITLE = re.compile(
    r"(?:(?:give it|add|set|change|make|use) )?(?:(?:the|a) )?(?:title|headline|caption)(?: it| this| the figure)?(?: (?:to|into|as|is|should be))?"
    rf"(?::| )\s*(?:{_QUOTED}|(?P<text>.+?))(?P<rest>,? and (?:make|set|draw|colou?r|use|put|add|remove|show)\b.*|$)"
    rf"|(?:call|name) (?:it|this|the figure) (?:{_QUOTED.replace('quoted', 'quoted2')}|(?P<text2>.+))",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"(?:set |change |make |re)?(?:the )?(?:(?:y[- ]?)?(?:axis )?label|name|call)(?: the)?(?: y[- ]?axis)?(?: (?:of|for))? (?P<target>.*?)"
    rf" ?(?:to|as|with|be|=|:)? ?{_QUOTED}",
    re.IGNORECASE,
)


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
        text = re.sub(r"^(?:and|with) (?!now\b)", "also ", " ".join(request.split()).strip(" .!?"), flags=re.IGNORECASE)
        text = _POLITE.sub("", text).strip(" .!?,")
        command = read_command(text, current)
        if command is not None:
            return command
        moved = read_change(text, current.span, now) if current.span is not None else None
        if moved is not None:
            return Replay(moved)
        table = Table(current.file, self._offers, now, current.span)
        text = self._named_anew(text, table)
        found = find_span(text, now) if text else None
        if found is None:
            return self._changes(text, table) if text else Edits(tuple(table.edits))
        if current.span is not None and (near := of_this_year(text, found, current.span)) is not None:
            found = replace(found, span=near, note=f"{found.words.strip()} is taken as {near}.")
        return self._at_another_time(text, found, table)

    def _at_another_time(self, text: str, found: FoundSpan, table: Table) -> Answer | None:
        rest = " ".join(f"{text[: found.first]} {text[found.last :]}".split()).strip(" ,")
        clauses = clauses_of(rest)
        is_time_alone = not any(each.looks or each.layout or each.verb == "remove" for each in clauses)
        is_time_alone = is_time_alone and not any(bare(each.target) or each.old for each in clauses)
        if found.span is None and (is_time_alone or self._is_change(rest, table)):
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

    def _is_change(self, text: str, table: Table) -> bool:
        try:
            return self._changes(text, Table(table.plotted.file, self._offers, table.now, table.span)) is not None
        except OpenQuestion:
            return True

    def _named_anew(self, text: str, table: Table) -> str:
        """What is left of a sentence when titles in it have been set; possessives of what is plotted are plain names."""
        plotted = table.plotted
        label = _LABEL.fullmatch(text)
        meant = plotted.meant(label["target"]) if label is not None else None
        if label is not None and meant is not None and len({line.panel for line in meant.lines}) == 1:
            table.draw({f"figure.panels[{meant.lines[0].panel}].y.title": label["quoted"].strip()})
            return ""
        title = _TITLE.fullmatch(text)
        if title is not None:
            said = next(title[name] for name in ("quoted", "text", "quoted2", "text2") if title[name]).strip("\"'“”‘’ ")
            if title["text"] and all(each.looks and not each.target for each in clauses_of(said)):
                return text
            table.describe({"title": said})
            figure = plotted.figure.figure
            table.draw({"figure.title": said} if figure is not None and figure.title is not None else {})
            return re.sub(r"^,? and ", "", title["rest"] or "")
        owners = {word.lower() for line in plotted.lines for word in (*line.missions, line.trace.label or "", line.trace.data)}
        owners |= {"line", "curve", "trace"}
        return re.sub(r"([\w|-]+)['’]s\b", lambda match: match[1] if match[1].lower() in owners else match[0], text)

    def _changes(self, text: str, table: Table) -> Answer | None:
        """The changes of all clauses; None where the sentence is no change. Half of a sentence is never carried out."""
        clauses = clauses_of(text)
        for clause in clauses:
            fork = self._fork(clause, table)
            if fork is not None:
                if len(clauses) > 1 or table.edits:
                    raise OpenQuestion("Another spacecraft makes another pipeline: say this first, and the rest then.")
                return fork
            meant, before = table.meant(clause), {line.trace.data for line in table.plotted.lines}
            if not self._change(clause, table):
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
        if self._replaced(clause, table):
            return True
        if clause.verb in ("remove", "only") and not clause.looks:
            return self._removed(clause, table)
        is_new = meant is None or not meant.is_named
        if clause.verb == "add" and is_new and bare(clause.target):
            self._added(clause, table)
            new = [line for line in table.plotted.lines if line.trace.data not in before]
            self._placed(clause, new, table)
            if clause.looks and new:
                give_looks(replace(clause, all="new"), Meant(new, is_named=True), table)
            return True
        if clause.place and meant is None:
            return self._change(replace(clause, verb="add"), table)
        if clause.place and meant is not None and meant.unknown:
            raise NotUnderstood(f"I do not understand {meant.unknown[0].words!r}. What do you want to change?")
        if clause.place and clause.looks and not clause.beside:
            meant = table.plotted.meant(f"{clause.place} panel")
        elif clause.place and meant is not None and meant.is_named:
            self._placed(clause, meant.lines, table)
            return True
        if clause.layout:
            (put_apart if clause.layout == "apart" else put_together)(table)
            if not clause.looks:
                return True
        _ask_for_frame(clause, table)
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

    def _fork(self, clause: Clause, table: Table) -> Fork | None:
        new, old = clause.target, clause.old
        if clause.verb == "replace":
            old, new = _two_of(clause)
        meant = _meanings(read_request(new, table.now))
        if (
            len(meant) != 1
            or not isinstance(meant[0], Mission | Unclear)
            or clause.looks
            or clause.verb in ("add", "remove", "only")
        ):
            return None
        if not (clause.verb or clause.instead or clause.use or old is not None):
            return None
        plotted, missions = (
            table.plotted,
            [each for each in _meanings(read_request(old or "", table.now)) if isinstance(each, Mission)],
        )
        replaced = missions[0].name if len(missions) == 1 and missions[0].name in plotted.missions else None
        if isinstance(meant[0], Unclear):
            behind = f" instead of {replaced}" if replaced else ""
            raise OpenQuestion(meant[0].question, [f"the same for {option}{behind}" for option in meant[0].options])
        mission, flying = meant[0], [each for each in plotted.missions if each != "OMNI"]
        if old and not replaced:
            raise OpenQuestion(f"{bare(old)!r} is not the spacecraft of anything here. What does {mission.name} replace?",
                               [f"the same for {mission.name} instead of {each}" for each in flying])  # fmt: skip
        if plotted.missions == [mission.name]:
            raise OpenQuestion(f"The pipeline on the table is {mission.name}'s already. What do you want to change?")
        if replaced is None and mission.name in plotted.missions:
            raise OpenQuestion(f"{mission.name} is drawn already. What do you want to change?")
        if replaced is None and len(flying) > 1:
            choices = [f"the same for {mission.name} instead of {each}" for each in flying]
            raise OpenQuestion(f"Which one does {mission.name} replace?", choices)
        # one of one is the usual fork
        is_one = len(flying) <= 1
        return Fork(mission.name, notes=(mission.note,) if mission.note else (), instead_of=None if is_one else replaced)

    def _replaced(self, clause: Clause, table: Table) -> bool:
        """One quantity in the place of another; False where the clause is about something else."""
        plotted, new, old = table.plotted, clause.target, clause.old
        if clause.verb == "replace":
            old, new = _two_of(clause)
        reading = _shape_read(read_request(new, table.now), table)
        wanted = [each for each in _meanings(reading) if not isinstance(each, Frame)]
        if not wanted or not all(isinstance(each, Measured | Derived) for each in wanted) or clause.looks:
            return False
        if old:
            going = plotted.meant(old)
            if going is None or not going.is_named:
                raise OpenQuestion(
                    f"Which line is {bare(old)!r}?",
                    [f"{bare(new)} instead of {plotted.name_of(line)}" for line in plotted.lines],
                )
            lines = going.lines
        elif clause.instead or (clause.verb == "only" and plotted.meant(reading.request) is None):
            of = {quantity for each in wanted if isinstance(each, Measured) for quantity in each.quantities}
            lines = [line for line in plotted.lines if of & set(line.quantities)] or plotted.lines
            if len(lines) > 1 and clause.instead:
                choices = [f"{bare(new)} instead of {plotted.name_of(line)}" for line in lines]
                raise OpenQuestion(f"What does {bare(new)} replace?", choices)
        else:
            return False
        names, row = [line.trace.data for line in lines], lines[0].panel
        drawn = plotted.meant(reading.request)
        if drawn is None or not set(drawn.lines) - set(lines):
            self._added(replace(clause, target=reading.request), table)
        count = len(table.plotted.panels) - len(plotted.panels)
        move(table, range(len(plotted.panels), len(plotted.panels) + count), str(row + 1))
        remove_lines([line for line in table.plotted.lines if line.trace.data in names], table)
        return True

    def _removed(self, clause: Clause, table: Table) -> bool:
        meant = table.plotted.meant(clause.target)
        if meant is None or (not meant.is_named and bare(clause.target)):
            return False
        if meant.unknown:
            raise NotUnderstood(f"I do not understand {meant.unknown[0].words!r}. What do you want to remove?")
        lines = meant.lines
        if clause.verb == "only":
            if not meant.is_named:
                return False
            lines = [line for line in table.plotted.lines if line not in meant.lines]
            if not lines:
                raise OpenQuestion("Nothing else is drawn. What do you want to change?")
        remove_lines(lines, table)
        return True

    def _added(self, clause: Clause, table: Table) -> None:
        words = re.sub(r"\bWind(?= (?:density|speed|velocity|temperature|plasma))", "Wind spacecraft", bare(clause.target))
        reading = _shape_read(self._requests.read(words, table.now), table)
        unknown = [each for each in reading.unknown if each.words.casefold() not in words_of("small")]
        meant = [each for each in _meanings(reading) if not isinstance(each, Compare)]
        unclear = next((each for each in reading.mentions if isinstance(each.meaning, Unclear)), None)
        if unknown or not meant:
            shown = ", ".join(repr(each.words) for each in unknown) or repr(words)
            raise NotUnderstood(f"I do not understand {shown}. What do you want to add?")
        if unclear is not None and isinstance(unclear.meaning, Unclear):
            choices = [f"add {words.replace(unclear.words, option)}" for option in unclear.meaning.options]
            raise OpenQuestion(unclear.meaning.question, choices)
        if all(isinstance(each, Mission) for each in meant):
            for mission in meant:
                if isinstance(mission, Mission):
                    add_mission(mission, table)
        elif not all(isinstance(each, Smoothing | Averaging) for each in meant) or not compute_anew(
            replace(clause, target=words), table
        ):
            add_quantities(replace(reading, unknown=()), table, self._requests)

    def _placed(self, clause: Clause, lines: Sequence[Line], table: Table) -> None:
        """Move the panels of lines to where the clause says."""
        beside = table.plotted.meant(clause.beside) if clause.beside else None
        if clause.beside and (beside is None or not beside.is_named):
            raise OpenQuestion(f"I do not see {clause.beside!r} in the figure. Below or above which panel?")
        data = {line.trace.data for line in lines}
        rows = [row for row, panel in enumerate(table.plotted.panels) if all(trace.data in data for trace in panel.traces)]
        if clause.place and rows:
            move(table, rows, clause.place, beside.lines if beside else None)

    def _bare(self, clause: Clause, table: Table) -> bool:
        """What follows from what is drawn is added; a mission or a quantity alone could mean two things."""
        reading = self._requests.read(clause.target, table.now)
        meant = _meanings(reading)
        if (
            clause.old is not None
            or any(each.words.casefold() not in words_of("small") for each in reading.unknown)
            or not meant
        ):
            return False
        if any(isinstance(each, Derived | Transform) for each in meant) and all(
            isinstance(each, Derived | Transform | Frame | Length | Measured) for each in meant
        ):
            self._added(clause, table)
            return True
        words, when = bare(clause.target), f" {table.span}" if table.span else ""
        if len(meant) == 1 and isinstance(meant[0], Mission):
            raise OpenQuestion(f"Do you want {words} as well, or instead?", [f"also {words}", f"the same for {words}"])
        is_quantity = all(isinstance(each, Measured) for each in meant) and table.plotted.meant(words) is None
        if is_quantity and len(table.plotted.missions) == 1:
            choices = [f"add the {words}", f"{table.plotted.missions[0]} {words}{when}"]
            raise OpenQuestion(f"Do you want the {words} added to the figure, or alone?", choices)
        return False


def _two_of(clause: Clause) -> tuple[str, str]:
    """What is replaced, and by what: `X by Y`."""
    old, _, new = re.sub(r"\s+(?:by|with|for|to|into)\s+", "\0", clause.target, count=1).partition("\0")
    return old, new


def _meanings(reading: Reading) -> list[object]:
    """What a reading mentions but small words; a word that is not known stands for itself."""
    known = [each.meaning for each in reading.mentions if not isinstance(each.meaning, Filler | Layout)]
    return [*known, *(each for each in reading.unknown if each.words.casefold() not in words_of("small"))]


def _is_request(text: str, table: Table) -> bool:
    """Whether words name data as a new request does."""
    reading = read_request(text, table.now)
    return bool(reading.all(Dataset) or (reading.all(Mission) and (reading.all(Measured) or reading.all(Derived))))


def _could_matter(mention: Mention, clause: Clause, table: Table) -> bool:
    reading = read_request(clause.target, table.now)
    return is_weighty(mention, replace(reading, mentions=(), unknown=(mention,)))


def _shape_read(reading: Reading, table: Table) -> Reading:
    """`the magnitude` alone is that of the field that is drawn."""
    shapes = reading.all(Shape)
    if len(shapes) != 1 or reading.all(Measured) or reading.all(Derived) or shapes[0].shape != "magnitude":
        return reading
    if not any(line.is_whole_vector and line.quantities == ("magnetic_field",) for line in table.plotted.lines):
        return reading
    return read_request("|B|", table.now)


def _ask_for_frame(clause: Clause, table: Table) -> None:
    """Offer the request of which another frame comes: other data are fetched for it, so it is another plan."""
    reading = read_request(clause.target, table.now)
    frames = [each.name for each in reading.all(Frame)]
    frames += [str(each.options["to"]) for each in reading.all(Transform) if each.operation == "transform_frame"]
    others = [each for each in _meanings(reading) if not isinstance(each, Frame | Transform)]
    if len(frames) != 1 or not all(isinstance(each, Measured | Shape) for each in others) or clause.looks:
        return
    names = " ".join(each.words for each in reading.mentions if isinstance(each.meaning, Measured | Shape))
    meant, frame, when = table.plotted.meant(names), frames[0], f" {table.span}" if table.span else ""
    if meant is None:
        return
    said = list(dict.fromkeys(name for line in meant.lines if (name := _directed(line, table))))
    if not said:
        raise OpenQuestion(f"Nothing that is drawn has a direction, so it is the same in {frame}. What do you want to change?")
    text = f"In {frame} other data are plotted: that is a new plan. Which one do you want?"
    raise OpenQuestion(text, [f"{each} in {frame}{when}" for each in said])


def _directed(line: Line, table: Table) -> str:
    """What people call a line that depends on the frame; empty for others."""
    if len(line.missions) != 1 or len(line.quantities) != 1:
        return ""
    if line.is_whole_vector:
        return f"{line.missions[0]} {QUANTITY_WORDS[line.quantities[0]]}"
    steps = [step.compute for step in table.plotted.upstream(line.trace.data) if step.compute]
    parts = [str(each.options.get("component", "")) for each in steps if each.operation == "component"]
    return f"{line.missions[0]} B{parts[-1]}" if parts and line.quantities == ("magnetic_field",) else ""

"""What a clause does to whole lines: another spacecraft or quantity in place of one, more lines, fewer, in another place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.answers import Fork, NotUnderstood, OpenQuestion, SoAlready
from helio_dagster.agent.drafting.derived import DERIVED_UNITS
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.titling import SHAPED
from helio_dagster.agent.offline.edits.adding import add_distance, add_mission, add_quantities
from helio_dagster.agent.offline.edits.arranging import draw_over_data, move
from helio_dagster.agent.offline.edits.computing import compute_anew
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.frames import has_direction, rotate_lines
from helio_dagster.agent.offline.edits.intent_changes import change_intent
from helio_dagster.agent.offline.edits.of_the_line import treated_line
from helio_dagster.agent.offline.edits.plotted_figure import bare
from helio_dagster.agent.offline.edits.removing import remove_lines, with_inputs_plotted
from helio_dagster.agent.offline.edits.said import of_the_vector
from helio_dagster.agent.offline.edits.slots import Clause
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import Compare, Filler, Frame, Layout, Length, Mission, Shape, Statistic, Unclear
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reading import Reading, read_request
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Smoothing, Transform
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS
from helio_dagster.catalog.times.lengths import LENGTH

_ITSELF = frozenset((*SHAPED, *DERIVED_UNITS))
"""Operations that make a quantity, and nothing of it."""


def fork_of(clause: Clause, table: Table) -> Fork | None:
    """The same for another spacecraft; None where the clause is about something else."""
    new, old = clause.target, clause.old
    if clause.verb == "replace":
        old, new = clause.two_sides
    target = meanings_of(read_request(new, table.now))
    if (
        len(target) != 1
        or not isinstance(target[0], Mission | Unclear)
        or clause.looks
        or re.search(LENGTH, new, re.IGNORECASE) is not None
        or clause.verb in ("add", "remove", "only")
    ):
        return None
    if not (clause.verb or clause.instead or clause.use or old is not None):
        return None
    plotted, going = table.plotted, meanings_of(read_request(old or "", table.now))
    missions = [each for each in going if isinstance(each, Mission)]
    if missions and len(missions) < len(going):
        raise NotUnderstood.of([old or ""], f"What does {new.strip()} replace?")
    replaced = missions[0].name if len(missions) == 1 and missions[0].name in plotted.missions else None
    if isinstance(target[0], Unclear):
        behind = f" instead of {replaced}" if replaced else ""
        raise OpenQuestion(target[0].question, [f"the same for {option}{behind}" for option in target[0].options])
    mission, flying = target[0], [each for each in plotted.missions if each != "OMNI"]
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


def replace_lines(clause: Clause, table: Table, requests: RequestPlanner) -> bool:
    """One quantity in the place of another; False where the clause is about something else."""
    plotted, new, old = table.plotted, clause.target, clause.old
    if old and form("exchanging.frame").fullmatch(bare(old)) and form("exchanging.framed").search(new):
        return False  # `Bz in GSM, not GSE`: what is drawn, rotated
    if clause.verb == "remove" and old and bare(new):
        raise NotUnderstood(f"What shall go, and what takes the place of {bare(old)!r}? Say one after the other.")
    if clause.verb == "replace":
        old, new = clause.two_sides
    reading = _shape_read(read_request(new, table.now), table)
    gone = plotted.target(old) if old and reading.all(Shape) and not reading.all(Measured) else None
    if gone is not None and gone.is_named and len({line.quantities for line in gone.lines}) == 1:  # `|B| by the components`
        new = f"{QUANTITY_WORDS[gone.lines[0].quantities[0]]} {new}"
        reading = read_request(new, table.now)
    wanted = [each for each in meanings_of(reading) if not isinstance(each, Frame | Shape)]
    if not wanted or not all(isinstance(each, Measured | Derived) for each in wanted) or clause.looks:
        return False
    if old:
        going = plotted.target(old)
        if clause.verb == "add" and (going is None or not going.is_named):
            table.notes.append(f"{bare(old)} is not drawn, as you want it.")
            return False
        if going is None or (not going.is_named and (bare(old) or len(going.lines) > 1)):
            raise OpenQuestion(
                f"Which line is {old.strip()!r}?",
                [f"{bare(new)} instead of {plotted.name_of(line)}" for line in plotted.lines],
            )
        lines = going.lines
    elif clause.verb == "fork" and (chained := [line for line in plotted.lines if {*line.operations} - _ITSELF]):
        lines = chained  # `the same for the speed`
    elif clause.instead or (clause.verb == "only" and plotted.target(reading.request) is None):
        of = {quantity for each in wanted if isinstance(each, Measured) for quantity in each.quantities}
        lines = [line for line in plotted.lines if of & set(line.quantities)] or plotted.lines
        if len(lines) > 1 and clause.instead:
            choices = [f"{bare(new)} instead of {plotted.name_of(line)}" for line in lines]
            raise OpenQuestion(f"What does {bare(new)} replace?", choices)
    else:
        return False
    return change_intent(Clause(clause.text, target=new, old=old or "", verb="only"), table, requests, lines)


def remove_named(clause: Clause, table: Table) -> bool:
    """Remove what a clause names, or all else; False where it names nothing that is drawn."""
    plotted, colors = table.plotted, table.plotted.lines
    if "color" in clause.looks:
        colors = [line for line in plotted.lines if line.trace.color == clause.looks["color"]]
    target = table.target(clause)
    if target is None and (place := matched("exchanging.no_panel", bare(clause.target))) is not None:
        names = " and ".join(panel.y.title or f"panel {row + 1}" for row, panel in enumerate(plotted.panels))
        count = f"{len(plotted.panels)} panels" if len(plotted.panels) > 1 else "one panel"
        raise OpenQuestion(f"There is no {place.match[0]}: the figure has {count}, {names}. Which one do you mean?")
    if clause.looks.keys() - {"color", "axis"} or not colors:
        raise NotUnderstood("I cannot tell what to remove. Which line or panel do you mean?")
    if target is None or (not target.is_named and bare(clause.target) and len(colors) == len(plotted.lines)):
        _refuse_what_is_not_plotted(clause, table)
        return False
    if target.unknown:
        raise NotUnderstood.of([target.unknown[0].words], "What do you want to remove?")
    kept = form("exchanging.kept").search(clause.text)
    if clause.verb == "remove" and kept is not None and clause.at is not None and kept.start() > clause.at[0]:
        stays, target = plotted.target(kept["what"]), plotted.target(clause.target.replace(kept[0], ""))
        if stays is None or target is None or not (stays.is_named and target.is_named) or {*stays.lines} & {*target.lines}:
            raise NotUnderstood(f"What do you mean by {kept[0]!r}? Say first what is added, and then what is removed.")
    lines = [line for line in target.lines if line in colors]
    if clause.verb == "only":
        if not target.is_named:
            return False
        lines = [line for line in plotted.lines if line not in lines]
        if not lines:
            raise SoAlready("Nothing else is drawn. What do you want to change?")
    elif any(
        isinstance(each, Smoothing | Averaging | Statistic) for each in meanings_of(read_request(clause.target, table.now))
    ):
        lines = with_inputs_plotted(lines, table)
    if lines:
        remove_lines(lines, table)
    return True


def _refuse_what_is_not_plotted(clause: Clause, table: Table) -> None:
    """Say that a quantity, a shape or a spacecraft to be removed is not in the figure, and what is."""
    reading = read_request(clause.target, table.now)
    if clause.verb == "remove" and any(isinstance(each, Smoothing | Averaging) for each in meanings_of(reading)):
        raise SoAlready("Nothing that is drawn is smoothed or averaged. What do you want to change?")
    if (
        clause.verb == "remove"
        and not reading.unknown
        and any(isinstance(each, Measured | Shape) for each in meanings_of(reading))
    ):
        choices = table.ask_which(clause, table.plotted.lines).question.choices
        raise OpenQuestion(f"No {bare(clause.target)} is drawn by itself. What do you want to remove?", choices)


def add_words(phrase: str, table: Table, requests: RequestPlanner) -> None:
    """Add the spacecraft or quantities that words name."""
    words = re.sub(r"\bWind(?= (?:density|speed|velocity|temperature|plasma))", "Wind spacecraft", bare(phrase))
    if add_distance(re.sub(r"^the ", "", words, flags=re.IGNORECASE), table):
        return
    words, of = treated_line(words, table)
    reading = _shape_read(requests.read(words, table.now), table)
    if reading.all(Shape) == [Shape("vector")] and not reading.all(Measured):
        reading = requests.read(f"{words}{of_the_vector(table)}", table.now)
    unknown = reading.unread(words_of("small"))
    target = [each for each in meanings_of(reading) if not isinstance(each, Compare)]
    unclear = next(iter(reading.of(Unclear)), None)
    if unknown or not target:
        raise NotUnderstood.of([each.words for each in unknown] or [words], "What do you want to add?")
    if unclear is not None and isinstance(unclear.meaning, Unclear):
        choices = [f"add {words.replace(unclear.words, option)}" for option in unclear.meaning.options]
        raise OpenQuestion(unclear.meaning.question, choices)
    if all(isinstance(each, Mission) for each in target):
        for mission in target:
            if isinstance(mission, Mission):
                add_mission(mission, table)
        return
    is_mean = any(isinstance(each, Smoothing | Averaging) for each in target)
    is_mean = is_mean and all(isinstance(each, Smoothing | Averaging | Length | Measured | Shape) for each in target)
    if not is_mean or not compute_anew(Clause(words, target=words, verb="add"), table):
        before = {line.trace.data for line in table.plotted.lines}
        add_quantities(replace(reading, unknown=()), table, requests, of)
        draw_over_data([each.trace.data for each in table.plotted.lines if each.trace.data not in before], table)


def place_lines(clause: Clause, lines: Sequence[Line], table: Table) -> None:
    """Move the panels of lines to where the clause says."""
    beside = table.plotted.target(clause.beside) if clause.beside else None
    if len(table.plotted.panels) == len({line.panel for line in lines}) + 1 and matched("exchanging.it", clause.beside):
        others = [line for line in table.plotted.lines if line not in lines]
        beside = replace(beside, lines=others, is_named=True) if beside is not None else None
    if clause.beside and (beside is None or not beside.is_named):
        raise OpenQuestion(f"I do not see {clause.beside!r} in the figure. Below or above which panel?")
    data = {line.trace.data for line in lines}
    rows = [row for row, panel in enumerate(table.plotted.panels) if all(trace.data in data for trace in panel.traces)]
    if clause.place and rows:
        move(table, rows, clause.place, beside.lines if beside else None)


def meanings_of(reading: Reading) -> list[object]:
    """What a reading mentions but small words; a word that is not known stands for itself."""
    known = [each.meaning for each in reading.mentions if not isinstance(each.meaning, Filler | Layout)]
    return [*known, *reading.unread(words_of("small"))]


def _shape_read(reading: Reading, table: Table) -> Reading:
    """`the magnitude` alone is that of the field, or else of the one vector, that is drawn."""
    shapes = reading.all(Shape)
    if len(shapes) != 1 or reading.has(Measured, Derived) or shapes[0].shape != "magnitude":
        return reading
    vectors = {line.quantities for line in table.plotted.lines if line.is_whole_vector}
    if ("magnetic_field",) in vectors:
        return read_request("|B|", table.now)
    return read_request(f"{QUANTITY_WORDS[vectors.pop()[0]]} magnitude", table.now) if len(vectors) == 1 else reading


def give_frame(clause: Clause, table: Table, requests: RequestPlanner) -> bool:
    """Give what is meant in the frame that a clause names; False where it names none, or more than that.

    It is rotated where time alone does that, else drafted as a request in that frame is.

    Raises
    ------
    OpenQuestion
        It has no direction, or is not to be had in that frame.
    """
    reading = read_request(clause.target, table.now)
    frames = [each.name for each in reading.all(Frame)]
    frames += [str(each.options["to"]) for each in reading.all(Transform) if each.operation == "transform_frame"]
    others = [each for each in meanings_of(reading) if not isinstance(each, Frame | Transform)]
    if len(frames) != 1 or not all(isinstance(each, Measured | Shape | Mission) for each in others) or clause.looks:
        return False
    if clause.verb == "add" and not (others and all(getattr(each, "name", "") in table.plotted.missions for each in others)):
        return False
    named = [each.words for each in reading.of(Measured, Shape, Mission)]
    target, frame = table.plotted.target(" ".join(named)), frames[0]
    if target is None:
        return False
    if not any(has_direction(line) for line in target.lines):
        raise OpenQuestion(f"Nothing that is drawn has a direction, so it is the same in {frame}. What do you want to change?")
    again = Clause(clause.text, target=f"{' '.join(named)} in {frame}", old=clause.old)
    return rotate_lines(target.lines, frame, table) or change_intent(again, table, requests)

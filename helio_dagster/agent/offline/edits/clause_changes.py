"""The change of one clause: lines added, removed, exchanged, placed, computed anew, or with other looks."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion, SoAlready
from helio_dagster.agent.offline.edits.arranging import join, part, put_apart, put_together
from helio_dagster.agent.offline.edits.computing import compute_anew
from helio_dagster.agent.offline.edits.exchanging import (
    add_words,
    give_frame,
    meanings_of,
    place_lines,
    remove_named,
    replace_lines,
)
from helio_dagster.agent.offline.edits.forms import form
from helio_dagster.agent.offline.edits.intent_changes import change_intent
from helio_dagster.agent.offline.edits.ledger import is_an_order
from helio_dagster.agent.offline.edits.looks import give_looks
from helio_dagster.agent.offline.edits.plotted_figure import Target, bare
from helio_dagster.agent.offline.edits.said import is_of_intent
from helio_dagster.agent.offline.edits.slots import Clause
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import Dataset, Frame, Length, Mission
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reading import Mention, read_request
from helio_dagster.agent.offline.weight import is_weighty
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Transform
from helio_dagster.catalog.times.lengths import find_length


def change_clause(clause: Clause, table: Table, requests: RequestPlanner) -> bool:
    """Make the change of one clause; False where it is none."""
    before = {line.trace.data for line in table.plotted.lines}
    target = table.target(clause)
    if clause.foreign and (clause.looks or clause.verb or target is not None):
        raise NotUnderstood(f"I cannot change {clause.foreign!r}. What do you want to change?")
    if clause.verb == "only" and form("clause_changes.treated").match(clause.target) is not None:
        clause = replace(clause, verb="")
    if is_of_intent(clause, table) and change_intent(clause, table, requests):
        return True
    if replace_lines(clause, table, requests):
        return True
    if clause.verb == "remove" and clause.looks.get("scale") == "log":
        clause = replace(clause, verb="", looks={**clause.looks, "scale": "linear"})
    if clause.verb == "remove" or (clause.verb == "only" and not clause.looks):
        return remove_named(clause, table)
    is_new = target is None or not target.is_named
    names_data = read_request(clause.target, table.now).has(Measured, Derived, Mission)
    if clause.layout == "together" and target is None and names_data:
        clause = replace(clause, verb="add")
    if clause.verb == "add" and is_new and bare(clause.target):
        if give_frame(clause, table, requests):
            return True
        add_words(clause.target, table, requests)
        if clause.layout == "together":
            added = [line.trace.data for line in table.plotted.lines if line.trace.data not in before]
            join(added, table, is_apart=form("clause_changes.in_one").search(clause.text) is not None)
        elif clause.layout == "apart":
            part({line.trace.data for line in table.plotted.lines} - before, table)
        new = [line for line in table.plotted.lines if line.trace.data not in before]
        place_lines(clause, new, table)
        new = [line for line in table.plotted.lines if line.trace.data not in before]
        if clause.looks and new:
            give_looks(replace(clause, all="new"), Target(new, is_named=True), table)
        return True
    if clause.place and target is None:
        return change_clause(replace(clause, verb="add"), table, requests)
    if clause.place and target is not None and target.unknown:
        raise NotUnderstood.of([target.unknown[0].words], "What do you want to change?")
    if clause.place and target is not None and target.is_named:
        made = len(table.edits)
        place_lines(clause, target.lines, table)
        if len(table.edits) == made and not clause.looks:
            raise SoAlready("It stands there already. What do you want to change?")
        if clause.looks:
            named = {line.trace.data for line in target.lines}
            moved = [line for line in table.plotted.lines if line.trace.data in named]
            give_looks(clause, replace(target, lines=moved), table)
        return True
    if clause.place and clause.looks and not clause.beside:
        target = table.plotted.target(f"{clause.place} panel")
    if clause.layout:
        with suppress(*((SoAlready,) if clause.looks else ())):
            (put_apart if clause.layout == "apart" else put_together)(table)
        if not clause.looks:
            return True
    if give_frame(clause, table, requests):
        return True
    try:
        is_computed = (target is None or not clause.looks) and compute_anew(clause, table)
    except SoAlready:
        if not clause.looks.keys() - {"axis"}:
            raise
        is_computed = True  # `speed in km/s from 300 to 700`
    if not clause.looks.keys() - {"axis"}:
        if clause.verb == "add" and not is_computed and not is_new:
            raise OpenQuestion(f"{bare(clause.target)} is drawn already. What do you want to add?")
        return is_computed or _bare(clause, table, requests)
    if is_computed:
        names = [
            each.words
            for each in read_request(clause.target, table.now).mentions
            if isinstance(each.meaning, Measured | Mission)
        ]
        target = table.plotted.target(" ".join(names))
    if target is None and not clause.verb and _is_to_be_made(clause, table):
        return change_clause(replace(clause, verb="add"), table, requests)
    if target is None:
        return _unknown_lines(clause, table)
    weighty = [each.words for each in target.unknown if not target.is_named or _could_matter(each, clause, table)]
    words = [re.search(rf"\b{re.escape(each.words)}\b", clause.text) for each in target.unknown]
    weighty += [each[0] for each in words if each is not None and is_an_order(clause.text, each, table.plotted)]
    if weighty:
        raise NotUnderstood.of([weighty[0]], "What do you want to change?")
    table.notes += [f"{each.words!r} is ignored." for each in target.unknown]
    give_looks(clause, target, table)
    return True


def _is_to_be_made(clause: Clause, table: Table) -> bool:
    """Whether a clause names no more than what is made of what is drawn: `1h running median`."""
    found = meanings_of(read_request(clause.target, table.now))
    is_made = any(isinstance(each, Transform) for each in found)
    return is_made and all(isinstance(each, Transform | Length | Measured) for each in found)


def _unknown_lines(clause: Clause, table: Table) -> bool:
    """A question which line is meant; False where a spacecraft and its quantity are named, which is a new request."""
    if is_request(clause.target, table):
        return False
    if len(table.plotted.lines) == 1:
        raise NotUnderstood.of([bare(clause.target)], "What do you want to change?")
    raise table.ask_which(clause, table.plotted.lines)


def _bare(clause: Clause, table: Table, requests: RequestPlanner) -> bool:
    """What follows from what is drawn is added; a mission or a quantity alone could mean two things."""
    reading = requests.read(clause.target, table.now)
    target = meanings_of(reading)
    if clause.old is not None or reading.unread(words_of("small")) or not target:
        return False
    if any(isinstance(each, Derived | Transform) for each in target) and all(
        isinstance(each, Derived | Transform | Frame | Length | Measured) for each in target
    ):
        add_words(clause.target, table, requests)
        return True
    words, when = bare(clause.target), f" {table.span}" if table.span else ""
    if len(target) == 1 and isinstance(target[0], Mission):
        raise OpenQuestion(f"Do you want {words} as well, or instead?", [f"also {words}", f"the same for {words}"])
    is_quantity = all(isinstance(each, Measured) for each in target) and table.plotted.target(words) is None
    if is_quantity and len(table.plotted.missions) == 1:
        choices = [f"add the {words}", f"{table.plotted.missions[0]} {words}{when}"]
        raise OpenQuestion(f"Do you want the {words} added to the figure, or alone?", choices)
    return False


def of_a_length(clause: Clause) -> Clause:
    """`the smoothing half an hour instead`: a new length takes the place of the old one by itself."""
    is_length = find_length(clause.target) is not None and form("clause_changes.length_of").search(clause.target) is not None
    return replace(clause, instead="") if clause.instead and is_length else clause


def is_request(text: str, table: Table) -> bool:
    """Whether words name data as a new request does, but in quotes, which are names."""
    reading = read_request(re.sub(r"[\"“].*?[\"”]", "", text), table.now)
    return bool(reading.all(Dataset) or (reading.all(Mission) and (reading.all(Measured) or reading.all(Derived))))


def _could_matter(mention: Mention, clause: Clause, table: Table) -> bool:
    reading = read_request(clause.target, table.now)
    return is_weighty(mention, replace(reading, mentions=(), unknown=(mention,)), table.offers.catalog)

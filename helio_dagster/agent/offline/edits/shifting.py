"""Data at other times: `shift ACE by 35 minutes`, `Wind delayed by 1 hour`; what is paired is shifted before it is paired."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.derived import DERIVED_UNITS
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.whole_ranges import is_of_window
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.plotted_figure import bare
from helio_dagster.agent.offline.edits.recomputing import ask_which, recompute
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS
from helio_dagster.catalog.times.lengths import find_length
from helio_dagster.domain.time_range import format_duration

_LONGEST = timedelta(days=30)
_LETTERS = {"magnetic_field": "B", "velocity": "V", "electric_field": "E"}


@dataclass(frozen=True)
class _Shift:
    """By how much and which way, as the option of `shift_time`, and in words."""

    options: Mapping[str, Any]
    words: str


def shift_lines(text: str, table: Table) -> bool:
    """Shift what is plotted in time; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        It leaves open what is meant, or shifts nothing.
    """
    match = matched("shifting.order", text)
    if match is None:
        return False
    named = "" if matched("shifting.all", match["target"] or "") else bare(match["target"] or "")
    target = table.plotted.target(named)
    pairs = {line: inputs for line in table.plotted.lines if (inputs := _inputs(line.trace.data, named, table))}
    lines = [each for each in (target.lines if target is not None else []) if each not in pairs]
    if (target is not None and target.unknown) or not (lines or pairs):
        return False
    if target is not None and not match["target"]:
        ask_which(target, match["verb"], text[match.span("verb")[1] :], table)
    length = find_length(match["length"].lstrip("+-"))
    if length is None or not timedelta(0) < length <= _LONGEST:
        raise OpenQuestion(f"By how much do you want to shift {named or 'it'}? Say it as in `by 35 minutes`.")
    is_back = bool(form("shifting.back").search(text)) != match["length"].startswith("-")
    way = "earlier" if is_back else "later"
    shift = _Shift({way: format_duration(length)}, f"{spoken_alone(length)} {way}")
    if whole := [each.trace.data for each in lines if not _is_over_time(each.trace.data, table)]:
        raise _which(whole[0], shift, table)
    for step, name, data in dict.fromkeys(each for inputs in pairs.values() for each in inputs):
        _shift_input(step, name, data, shift, table)
    recompute(lines, "shifted", f", {shift.words}", "shift_time", shift.options, table)
    if way == "later" and not re.search(r"later|forward|lag|delay", text, re.IGNORECASE):
        table.notes.append(f"It is shifted to later times; say `by {spoken_alone(length)} earlier` for the other way.")
    return True


def is_of_a_pair(named: str, table: Table) -> bool:
    """Whether words mean some of what is paired, and not what is drawn of it."""
    return any(_inputs(line.trace.data, bare(named), table) for line in table.plotted.lines)


def _inputs(data: str, named: str, table: Table) -> list[tuple[str, str, str]]:
    """The inputs, of what a line is made of, that words mean where they do not mean all of it: (step, input, step it is).

    Of a pair that they mean all of, there are none: a shift changes nothing.
    """
    if not named or (_is_over_time(data, table) and table.plotted.is_just(named, data)):
        return []
    found: list[tuple[str, str, str]] = []
    for step, inputs in _pairings(data, table):
        meant = [(step, name, each) for name, each in inputs.items() if table.plotted.is_just(named, each)]
        found += meant if len(meant) < len(inputs) else []
    return found


def _pairings(data: str, table: Table) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The steps that bring several together to make what a line draws, and their inputs; not those of one quantity."""
    for step in table.plotted.upstream(data):
        inputs = step.compute.step_inputs if step.compute else {}
        if step.compute and len(inputs) > 1 and step.compute.operation not in DERIVED_UNITS:
            yield step.id, inputs


def _is_over_time(data: str, table: Table) -> bool:
    """Whether a line is of values at times, which can stand at others."""
    operations = [step.compute.operation or "" for step in table.plotted.upstream(data) if step.compute]
    return not any(each in ("scatter", "superposed_epoch") or is_of_window(each) for each in operations)


def _which(data: str, shift: _Shift, table: Table) -> OpenQuestion:
    """The question for what is shifted before it is paired."""
    inputs = [each for _, given in _pairings(data, table) for each in given.values()]
    names = list(dict.fromkeys(name for each in inputs if (name := _name(each, inputs, table))))
    if not names:
        return OpenQuestion("What is drawn has no times that could be shifted. Which data over time do you want?")
    text = f"What is drawn is made of {' and '.join(names)}. Which one do you want to shift by {shift.words}?"
    return OpenQuestion(text, [f"shift {name} by {shift.words}" for name in names])


def _name(data: str, others: list[str], table: Table) -> str:
    """Words that mean one of the inputs alone; empty where none do."""
    line = table.plotted.made(data)
    axis = re.search(r"_([xyzrtn])(?:_|$)", data)
    letters = [letter for each in line.quantities if axis and (letter := _LETTERS.get(each))]
    words = [
        *line.missions,
        *(f"{each}{axis[1]}" for each in letters if axis),
        *(QUANTITY_WORDS[each] for each in line.quantities),
    ]
    return next((each for each in words if [one for one in others if table.plotted.is_just(each, one)] == [data]), "")


def _shift_input(step: str, name: str, data: str, shift: _Shift, table: Table) -> None:
    """Give a step its input at other times; the axis of a pairing that draws it says so."""
    shifted = table.compute("shifted", f"{data}, {shift.words}", data, "shift_time", shift.options, before=step)
    table.change(step, {f"compute.inputs.{name}": shifted})
    for line in table.plotted.lines:
        panel = table.plotted.panels[line.panel]
        axis = {"x": panel.x.title, "y": panel.y.title}.get(name)
        if line.trace.data == step and axis:
            table.draw({f"figure.panels[{line.panel}].{name}.title": f"{axis}, {shift.words}"})

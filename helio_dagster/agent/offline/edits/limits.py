"""Intervals beyond a limit, shaded in the figure on the table, and limits that change: `shade where it is below -10 nT`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.results_over_time import INCLUDING, MOVED_BY_ONE, TIMES_TEN
from helio_dagster.agent.offline.edits.computing import unit_of
from helio_dagster.agent.offline.edits.forms import Form, matched
from helio_dagster.agent.offline.edits.slots import plain
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import Asks, Condition, Mission, Shape
from helio_dagster.agent.offline.request_reading import Reading, read_request
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.times.lengths import find_length
from helio_dagster.domain.pipeline import Compute, Step
from helio_dagster.domain.time_range import format_duration, parse_duration
from helio_dagster.domain.unit_words import read_unit
from helio_dagster.domain.units import is_same_unit

_SIDES = ("above", "below")
_SIDE_OF = {"over": "above", "under": "below"}


def change_limits(text: str, table: Table) -> bool:
    """Shade intervals, or change the limit of those that are there, or of lags; False where a sentence says no such thing.

    Raises
    ------
    OpenQuestion
        It is open of which line, or in which unit.
    """
    shade = matched("limits.shade", text)
    if shade is not None:
        return _shade(f"intervals where {shade['rest']}", table)
    lags = matched("limits.lags", text)
    if lags is not None:
        return _limit_lags(lags["length"], table)
    new = matched("limits.new_limit", text)
    return new is not None and _move_limit(new, table)


def _shade(text: str, table: Table) -> bool:
    reading = read_request(text, table.now)
    limits = reading.all(Condition)
    if not limits:
        return False
    unknown = [each for each in reading.unknown if each.words.casefold() not in words_of("small")]
    if unknown or reading.time is not None:
        raise NotUnderstood(f"I do not understand {', '.join(repr(each.words) for each in unknown) or reading.request!r}.")
    if len(limits) > 1:
        raise OpenQuestion("One limit can be shaded at a time. Which one?")
    (limit,) = limits
    line = _line(reading, table)
    own = unit_of(line.trace.data, table.plotted) or ""
    if limit.unit and own and not is_same_unit(limit.unit, own):
        raise OpenQuestion(f"{line.words} is in {own}, and the limit is in {limit.unit}. Which limit do you want, in {own}?")
    lengths = [str(dict(each.options)["at_least"]) for each in reading.all(Asks) if each.kind == "lasting"]
    at_least = limit.at_least or (lengths[0] if lengths else "")
    options: dict[str, Any] = {limit.side: limit.value, **({"at_least": at_least} if at_least else {})}
    options |= _gaps(line, table)
    words = f"{limit.side} {limit.value:g} {limit.unit or own}".strip()
    held = f" for {spoken_alone(parse_duration(at_least))} or longer" if at_least else ""
    compute = Compute(operation="intervals_where", inputs={"series": line.trace.data}, options={**options, "longest": "P3D"})
    step = table.add(Step(id="intervals", intent=f"Intervals with {line.words} {words}{held}", compute=compute))
    table.draw({f"figure.panels[{line.panel}].traces[+]": {"data": step}})
    table.notes.append("An interval that is longer than 3 days is cut there, and marked.")
    return True


def _line(reading: Reading, table: Table) -> Line:
    """The one line that a limit is about."""
    names = " ".join(each.words for each in reading.mentions if isinstance(each.meaning, Measured | Mission | Shape))
    target = table.plotted.target(names) if names else None
    if names and (target is None or not target.is_named):
        raise OpenQuestion(f"I do not see {names!r} in the figure. Of which line are the intervals?")
    lines = [line for line in (target.lines if target else table.plotted.lines) if "intervals_where" not in line.operations]
    lines = [line for line in lines if line.trace.data in table.last] or lines
    if len(lines) != 1:
        words = " or ".join(table.plotted.name_of(line) for line in lines)
        raise OpenQuestion(f"Of which line are the intervals: {words}?")
    return lines[0]


def _gaps(line: Line, table: Table) -> Mapping[str, str]:
    """Bins of an hour and more are no gaps of the series."""
    steps = [step.compute for step in table.plotted.upstream(line.trace.data) if step.compute]
    bins = [parse_duration(str(each.options["cadence"])) for each in steps if each.operation == "resample"]
    return {"gaps": format_duration(2 * bins[-1])} if bins and 2 * bins[-1] > parse_duration("PT1H") else {}


def _limit_lags(words: str, table: Table) -> bool:
    steps = [each for each in table.plotted.pipeline.steps if each.compute and each.compute.operation == "cross_correlation"]
    length = find_length(words)
    if not steps or length is None:
        return False
    for step in steps:
        table.change(step.id, {"compute.options.longest_lag": format_duration(length)})
    return True


def _move_limit(form: Form, table: Table) -> bool:
    """Another value in the place of a limit; False where the figure has none, or another old one is named."""
    new, old = plain(form["new"]), plain(form["old"]) if form["old"] else None
    sides = (_SIDE_OF.get(form["side"].lower(), form["side"].lower()),) if form["side"] else _SIDES
    found: list[tuple[Step, str]] = []
    for step in table.plotted.pipeline.steps:
        options = step.compute.options if step.compute and step.compute.operation == "intervals_where" else {}
        found += [(step, side) for side in sides if side in options and (old is None or options[side] == old)]
    if len(found) != 1:
        if len(found) > 1:
            raise OpenQuestion(f"There are {len(found)} limits. Which one: {' or '.join(step.intent for step, _ in found)}?")
        return False
    ((step, side),) = found
    assert step.compute is not None  # noqa: S101 - chosen so
    own = unit_of(step.compute.step_inputs.get("series", ""), table.plotted) or ""
    if form["unit"] and own and not is_same_unit(read_unit(form["unit"]), own):
        raise OpenQuestion(f"The limit is in {own}, not in {form['unit']}. Which limit do you want, in {own}?")
    assumed = table.plotted.pipeline.assumptions
    if TIMES_TEN in assumed:
        new = 10 * new + (INCLUDING[side] if MOVED_BY_ONE in assumed else 0)
    before = f"{side} {float(str(step.compute.options[side])):g}"
    after = f"{side} {new:g}"
    title = table.plotted.pipeline.title
    table.change(step.id, {f"compute.options.{side}": new, "intent": step.intent.replace(before, after)})
    for facts in table.plotted.pipeline.steps:  # the hours beside the intervals
        counted = facts.compute.options if facts.compute and facts.compute.operation == "facts_of" else {}
        if counted.get(side) == step.compute.options[side] and facts.compute and facts.compute.inputs == step.compute.inputs:
            table.change(facts.id, {f"compute.options.{side}": new, "intent": facts.intent.replace(before, after)})
    reworded = [each.replace(before, after) for each in assumed]
    table.describe(
        ({"title": title.replace(before, after)} if before in title else {})
        | ({"assumptions": reworded} if reworded != list(assumed) else {})
    )
    return True

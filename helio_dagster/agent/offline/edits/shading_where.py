"""Intervals beyond a limit, shaded in the figure on the table: `shade where it is below -10 nT`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.offline.edits.adding import component_step, magnitude_step
from helio_dagster.agent.offline.edits.computing import unit_of
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.frames import frame_of
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import Asks, Condition, Filler, Frame, Meaning, Mission, Shape
from helio_dagster.agent.offline.request_reading import Reading, read_request
from helio_dagster.agent.targets import Measured
from helio_dagster.domain.pipeline import Compute, Step
from helio_dagster.domain.time_range import format_duration, parse_duration
from helio_dagster.domain.units import is_same_unit


def shade_where(text: str, table: Table) -> bool:
    """Shade intervals; False where a sentence says no such thing.

    Raises
    ------
    OpenQuestion
        It is open of which line, or in which unit.
    """
    shade = matched("shading_where.shade", text) or matched("shading_where.asked", text)
    return shade is not None and _shade(f"intervals where {shade['what'] or ''} {shade['rest']}", table)


def _shade(text: str, table: Table) -> bool:
    reading = read_request(text, table.now)
    limits = reading.all(Condition)
    if not limits:
        return False
    unknown = reading.unread(words_of("small"))
    if unknown or reading.time is not None:
        raise NotUnderstood.of([each.words for each in unknown] or [reading.request])
    foreign = [each.words for each in reading.mentions if not _is_of_a_limit(each.meaning)]
    if foreign:
        text = f"I do not understand {foreign[0]!r} beside a limit. What do you want to change?"
        raise NotUnderstood(text, about=foreign[:1])
    if len(limits) > 1:
        raise OpenQuestion("One limit can be shaded at a time. Which one?")
    (limit,) = limits
    line = _line(reading, limit, table)
    own = unit_of(line.trace.data, table.plotted) or ""
    if limit.unit and own and not is_same_unit(limit.unit, own):
        raise OpenQuestion(f"{line.words} is in {own}, and the limit is in {limit.unit}. Which limit do you want, in {own}?")
    lengths = [str(dict(each.options)["at_least"]) for each in reading.all(Asks) if each.kind == "lasting"]
    at_least = limit.at_least or (lengths[0] if lengths else "")
    at = limit.value
    if line.is_times_ten:
        at = round(10 * at, 9)
        table.notes.append("The limit is ten times the Kp that is named, as the values are stored.")
    options: dict[str, Any] = {limit.side: at, **({"at_least": at_least} if at_least else {})}
    options |= _gaps(line, table)
    words = f"{limit.side} {limit.value:g} {limit.unit or own}".strip()
    held = f" for {spoken_alone(parse_duration(at_least))} or longer" if at_least else ""
    compute = Compute(operation="intervals_where", inputs={"series": line.trace.data}, options={**options, "longest": "P3D"})
    step = table.add(Step(id="intervals", intent=f"Intervals with {line.words} {words}{held}", compute=compute))
    table.draw({f"figure.panels[{line.panel}].traces[+]": {"data": step}})
    table.notes.append("An interval that is longer than 3 days is cut there, and marked.")
    return True


def _is_of_a_limit(meaning: Meaning) -> bool:
    """Whether a sentence about a limit may have it: `which hours were above 1000 as a histogram` asks for something else."""
    return isinstance(meaning, Measured | Mission | Shape | Condition | Filler | Frame) or (
        isinstance(meaning, Asks) and meaning.kind in ("lasting", "intervals")
    )


def _line(reading: Reading, limit: Condition, table: Table) -> Line:
    """The one line that a limit is about; of several the one that is in the limit's unit."""
    names = " ".join(each.words for each in reading.of(Measured, Mission, Shape))
    target = table.plotted.target(names) if names else None
    if names and (target is None or not target.is_named):
        if (part := _component(reading, table)) is not None:
            return part
        raise OpenQuestion(f"I do not see {names!r} in the figure. Of which line are the intervals?")
    lines = [line for line in (target.lines if target else table.plotted.lines) if "intervals_where" not in line.operations]
    lines = [line for line in lines if line.trace.data in table.last] or lines
    if len(lines) > 1 and limit.unit:
        lines = [line for line in lines if is_same_unit(unit_of(line.trace.data, table.plotted) or "", limit.unit)] or lines
    if len(lines) == 1 and lines[0].is_whole_vector:
        return _magnitude(lines[0], table)
    if len(lines) != 1:
        drawn = [table.plotted.name_of(line) for line in lines]
        choices = [f"shade where {name} is {limit.side} {limit.value:g} {limit.unit}".strip() for name in drawn]
        raise OpenQuestion(f"Of which line are the intervals: {' or '.join(drawn)}?", choices)
    return lines[0]


def _component(reading: Reading, table: Table) -> Line | None:
    """A component of the one vector that is drawn whole, as a line in its panel; None where none is named."""
    speeds = [line for line in table.plotted.lines if line.is_whole_vector and line.quantities == ("velocity",)]
    if len(speeds) == 1 and [each.quantities for each in reading.all(Measured)] == [("speed",)]:
        return _magnitude(speeds[0], table)
    named = [each for each in reading.all(Measured) if each.axis]
    vectors = [
        line for line in table.plotted.lines if line.is_whole_vector and named and line.quantities == named[0].quantities
    ]
    if len(named) != 1 or len(vectors) != 1:
        return None
    axis, (vector,) = str(named[0].axis), vectors
    if axis not in ("rtn" if frame_of(vector, table) == "RTN" else "xyz"):
        return None
    return replace(table.plotted.made(component_step(vector, axis, table)), panel=vector.panel)


def _magnitude(vector: Line, table: Table) -> Line:
    """The magnitude of a vector that is drawn whole, as a line in its panel: a limit is of one number."""
    table.notes.append(f"The limit is that of the magnitude of {table.plotted.name_of(vector)}.")
    return replace(table.plotted.made(magnitude_step(vector, table)), panel=vector.panel)


def _gaps(line: Line, table: Table) -> Mapping[str, str]:
    """Bins of an hour and more are no gaps of the series."""
    steps = [step.compute for step in table.plotted.upstream(line.trace.data) if step.compute]
    bins = [parse_duration(str(each.options["cadence"])) for each in steps if each.operation == "resample"]
    return {"gaps": format_duration(2 * bins[-1])} if bins and 2 * bins[-1] > parse_duration("PT1H") else {}

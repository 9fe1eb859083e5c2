"""Moments at which a line crosses a value, marked in its panel: `mark where the radial component changes sign`."""

from __future__ import annotations

import re
from typing import Any

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.offline.edits.computing import unit_of
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.frames import frame_of
from helio_dagster.agent.offline.edits.marking import is_mark_of_time
from helio_dagster.agent.offline.edits.slots import plain
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import Asks, Filler, Frame, Mission, Shape
from helio_dagster.agent.offline.request_reading import Reading, read_request
from helio_dagster.agent.targets import Measured
from helio_dagster.domain.pipeline import Compute, Step
from helio_dagster.domain.units import is_same_unit

_AXES = {"RTN": "rtn"}


def mark_crossings(text: str, table: Table) -> bool:
    """Mark the moments at which a line crosses a value; False where a sentence says no such thing.

    Raises
    ------
    OpenQuestion
        It leaves open of which line, or of which component.
    """
    order = matched("crossing.order", text)
    if order is None or is_mark_of_time(text):
        return False
    rest = form("crossing.sign").sub(r"\g<what> \g<verb> sign", order["rest"])
    part = form("crossing.component").search(rest)
    words = f"{rest[: part.start()]} {rest[part.end() :]}" if part else rest
    reading = read_request(words, table.now)
    asked = [each for each in reading.all(Asks) if each.kind == "crossings"]
    if not asked:
        return False
    _refuse_more(reading)
    options: dict[str, Any] = {name: value for each in asked for name, value in each.options}
    options["value"] = plain(str(options.get("value", 0)))
    unit = options.pop("unit", "")
    axis = (part["word"] or part["letter"])[0].lower() if part else ""
    line, axis = _line(reading, axis, text, table)
    own = unit_of(line.trace.data, table.plotted) or ""
    if unit and own and not is_same_unit(unit, own):
        raise OpenQuestion(f"{line.words} is in {own}, and the value is in {unit}. Which value do you want, in {own}?")
    if line.is_times_ten:
        options["value"] = 10 * options["value"]
    data = line.trace.data
    if axis:
        part_of = Compute(operation="component", inputs={"vector": data}, options={"component": axis})
        data = table.add(Step(id=f"{data}_{axis}", intent=f"Component {axis} of {line.words}", compute=part_of))
    value = f"{options['value']:g} {unit or own}".strip()
    way = {"up": " upward", "down": " downward"}.get(str(options.get("direction", "")), "")
    whose = f"component {axis} of {line.words}" if axis else line.words
    compute = Compute(operation="crossings", inputs={"series": data}, options=options)
    step = table.add(Step(id="crossings", intent=f"Crossings of {value}{way} by {whose}", compute=compute))
    table.draw({f"figure.panels[{line.panel}].traces[+]": {"data": step}})
    table.notes.append(
        f"Every crossing of {value}{way} is marked; say `smooth over 1 hour` first where noise crosses many times."
    )
    return True


def _refuse_more(reading: Reading) -> None:
    """Say what is not understood: half of a sentence is never carried out."""
    unknown = [each.words for each in reading.unread(words_of("small"))]
    known = (Asks, Filler, Frame, Measured, Mission, Shape)
    unknown += [each.words for each in reading.mentions if not isinstance(each.meaning, known)]
    if reading.time is not None:
        unknown.append(reading.time.words.strip())
    if unknown:
        raise NotUnderstood.of(unknown, "Which crossings do you want to mark?")


def _line(reading: Reading, axis: str, text: str, table: Table) -> tuple[Line, str]:
    """The line that is meant, and which component of it where it is a vector."""
    plotted = table.plotted
    named = reading.of(Measured, Mission, Shape)
    names = " ".join(each.words for each in named)
    measured = [each.meaning for each in named if isinstance(each.meaning, Measured)]
    target = plotted.target(names) if names else None
    lines = list(target.lines) if target is not None and target.is_named else []
    if not lines and measured:
        wanted = {quantity for each in measured for quantity in each.quantities}
        lines = [line for line in plotted.lines if line.is_whole_vector and wanted & {*line.quantities}]
        axis = axis or next((each.axis for each in measured if each.axis), "")
        if not lines:
            raise OpenQuestion(f"I do not see {names!r} in the figure. The crossings of which line do you want to mark?")
    if not lines and not names:
        lines = [line for line in plotted.lines if not line.is_spectrogram and not {"intervals_where"} & {*line.operations}]
    if axis:
        of_part = [line for line in lines if re.search(rf"_{axis}(_|$)", line.trace.data) and not line.is_whole_vector]
        lines = of_part or [line for line in lines if line.is_whole_vector] or lines
    if len(lines) != 1:
        words = " or ".join(plotted.name_of(line) for line in lines) or "which one"
        raise OpenQuestion(
            f"The crossings of which line do you want to mark: {words}?",
            _choices([plotted.name_of(line) for line in lines], text),
        )
    (line,) = lines
    own = frame_of(line, table)
    if any(each.name != own for each in reading.all(Frame)):
        raise OpenQuestion(
            f"{line.words} is in {own or 'no frame that I know'}. The crossings of which line do you want to mark?"
        )
    if not line.is_whole_vector:
        return line, ""
    axes = _AXES.get(own, "xyz")
    if axis not in axes or not axis:
        names_of_parts = [f"the {each.upper()} component of {plotted.name_of(line)}" for each in axes]
        question = f"{line.words} has the components {', '.join(axes)}. Which one do you want?"
        raise OpenQuestion(question, _choices(names_of_parts, text))
    return line, axis


def _choices(names: list[str], text: str) -> list[str]:
    """The sentence with each name in it: `mark where Bz changes sign`, `flag the polarity reversals of Bz`."""
    verb = re.search(
        r"\b(?:where|when|which)\b.*?\b(?P<does>(?:change|crosse|flip|reverse|turn|switche)s\b.*)", text, re.IGNORECASE
    )
    return [f"mark where {name} {verb['does']}" if verb else f"{text} of {name}" for name in names]

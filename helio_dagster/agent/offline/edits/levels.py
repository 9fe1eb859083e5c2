"""Lines at a value: `put a threshold line at 1e-4`, `draw a red line at -50 nT in the Dst panel`, `add a zero line`."""

from __future__ import annotations

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.offline.edits.computing import unit_of
from helio_dagster.agent.offline.edits.forms import Form, form, matched
from helio_dagster.agent.offline.edits.marking import looks_of, rows_of
from helio_dagster.agent.offline.edits.of_the_line import is_treated
from helio_dagster.agent.offline.edits.slots import plain
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.unit_conversion import can_convert, conversion_factor
from helio_dagster.domain.unit_words import read_unit
from helio_dagster.domain.units import normalize_unit

_PFU = "1/(cm2 s sr)"
"""A proton flux unit of NOAA's Space Weather Prediction Center."""


def is_level(text: str) -> bool:
    """Whether a sentence draws a line at a value."""
    return matched("levels.level", text) is not None


def draw_level(text: str, table: Table) -> bool:
    """Draw a line at a value of a panel's axis; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        It leaves open which panel is meant, or its unit is not that of the panel.
    """
    match = matched("levels.level", text)
    if match is None:
        return False
    words = match["unit"] or match["unit_behind"]
    unit = _unit(words) if words else ""
    line = _line_of(match["panel"] or "", unit, text, table)
    own = unit_of(line.trace.data, table.plotted)
    more = [float(each[0].replace("−", "-")) for each in form("levels.more").finditer(match["more"] or "")]
    for value in (_value(match), *more):
        at = float(value)
        if unit and own and normalize_unit(unit) != normalize_unit(own):
            at *= float(conversion_factor(normalize_unit(unit), normalize_unit(own)))
        if line.is_times_ten:
            at *= 10
            table.notes.append("The line is at ten times the Kp that is named, as the values are stored.")
        elif not unit and own:
            table.notes.append(f"The line is at {value:g} {own}, the unit of {line.words}.")
        elif unit and own is None:
            table.notes.append(f"The line is at {value:g} of the axis of {line.words}, whose unit I do not know.")
        if at <= 0 and table.plotted.panels[line.panel].y.scale == "log":
            raise OpenQuestion(
                f"The axis of {line.words} is logarithmic and has no {at:g}. At which value do you want the line?"
            )
        mark = {"y": plain(f"{at:.12g}"), **looks_of(f"{match['line'] or ''} {match['color'] or ''}")}
        table.draw({f"figure.panels[{line.panel}].marks[+]": mark})
    return True


def _unit(words: str | None) -> str:
    phrase = str(words)
    if phrase.lower() == "pfu" or ("cm" in phrase.lower() and "sr" in phrase.lower()):
        return normalize_unit(_PFU)
    return normalize_unit(phrase) if matched("levels.fluxes", phrase) else read_unit(phrase)


def _value(said: Form) -> float:
    if said["zero"] or said["none"]:
        return 0.0
    if said["power"]:
        return float(said["factor"] or 1) * 10.0 ** int(said["power"].replace("−", "-"))
    return float(said["number"].replace("−", "-"))


def _line_of(panel: str, unit: str, text: str, table: Table) -> Line:
    """The line whose axis is meant: of the panel that is named, else of the only one that has such a unit."""
    plotted, rows = table.plotted, rows_of("", table)
    lines = [line for line in plotted.lines if line.panel in rows and not line.is_spectrogram]
    lines = list({line.panel: line for line in reversed(lines)}.values())[::-1]
    if panel:
        named = {line.panel for line in plotted.named(form("levels.of_panel").sub("", panel))}
        if not named:
            raise NotUnderstood(f"I do not see {panel!r} in the figure. In which panel do you want the line?")
        lines = [line for line in lines if line.panel in named]
    if not lines:
        raise OpenQuestion("A line at a value is drawn in a panel of curves over time, and there is none here.")
    units = {line.panel: unit_of(line.trace.data, plotted) for line in lines}
    fitting = [
        line for line in lines if not unit or (own := units[line.panel]) is None or can_convert(own, normalize_unit(unit))
    ]
    sure = [line for line in fitting if units[line.panel] is not None]
    fitting = sure if unit and len(sure) == 1 else fitting
    if not fitting:
        shown = ", ".join(f"{line.words} in {units[line.panel] or '1'}" for line in lines[:4])
        raise OpenQuestion(f"No panel has the unit {unit}: there is {shown}. At which value do you want the line?")
    themselves = [line for line in fitting if not is_treated(line)]
    if len(themselves) == 1 and len({line.quantities for line in fitting}) == len(fitting) - 1 == 1:
        (line,) = themselves
        table.notes.append(f"The line is in the panel of {plotted.name_of(line)} itself.")
        return line
    if len(fitting) > 1:
        names = [plotted.name_of(line) for line in fitting]
        raise OpenQuestion("In which panel do you want the line?", [f"{text} in the {name} panel" for name in names])
    return fitting[0]

"""Where lines and panels stand: apart, together, above or below."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from helio_dagster.agent.answers import OpenQuestion, SoAlready
from helio_dagster.agent.drafting.draft_panels import COLORS
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.lengths import spoken
from helio_dagster.agent.offline.edits.computing import unit_of
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.plotted_figure import PlottedFigure
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.figure import Panel
from helio_dagster.domain.pipeline import Compute, Step
from helio_dagster.domain.time_range import parse_duration
from helio_dagster.domain.units import is_same_unit, normalize_unit

_MOST_UNITS = 2
"""Axes of values that a panel has: at the left and at the right."""
_AMONG_VALUES = {"mean": "mean", "median": "median", "min": "minimum", "max": "maximum"}
"""Statistics that are as large as the values they are of."""
_ORDINALS = ("top", "second", "third", "fourth", "fifth")


def put_apart(table: Table) -> None:
    """Give each line a panel of its own; a mean stays with its values."""
    plotted, panels = table.plotted, list[Panel]()
    for row, panel in enumerate(plotted.panels):
        groups = _groups([line for line in plotted.lines if line.panel == row], plotted)
        panels += [panel] if len(groups) == 1 else [_own_panel(panel, group) for group in groups]
    if len(panels) == len(plotted.panels):
        if len(vectors := [line for line in plotted.lines if line.is_whole_vector]) == 1:
            _put_components_apart(vectors[0], table)
            return
        raise SoAlready("Each line has a panel of its own already. What do you want to change?")
    table.arrange(panels)


def part(data: Collection[str], table: Table) -> None:
    """Move lines that were added into panels of their own, below those that they were drawn in."""
    panels: list[Panel] = []
    for row, panel in enumerate(table.plotted.panels):
        lines = [line for line in table.plotted.lines if line.panel == row]
        new = [line for line in lines if line.trace.data in data]
        old = [line for line in lines if line not in new]
        panels += [_own_panel(panel, group) for group in (old, *([line] for line in new)) if group] if old and new else [panel]
    if len(panels) > len(table.plotted.panels):
        table.arrange(panels)


def _put_components_apart(line: Line, table: Table) -> None:
    """Give each component of a vector a panel of its own, in the place of the one that draws it whole."""
    panels = list(table.plotted.panels)
    whole = panels[line.panel]
    title = whole.y.title or ""
    own: list[Panel] = []
    for axis in "rtn" if "RTN" in title.upper() else "xyz":
        compute = Compute(operation="component", inputs={"vector": line.trace.data}, options={"component": axis})
        intent = f"Component {axis} of {line.trace.data.rpartition('/')[2]}"
        data = table.add(Step(id=f"{line.trace.data.rpartition('/')[2]}_{axis}", intent=intent, compute=compute))
        y = whole.y.model_copy(update={"title": f"{title} {axis}".strip()})
        own.append(whole.model_copy(update={"traces": [line.trace.model_copy(update={"data": data})], "y": y}))
    table.arrange([*panels[: line.panel], *own, *panels[line.panel + 1 :]])


def put_together(table: Table, lines: Sequence[Line] = (), right: Sequence[Line] = ()) -> None:
    """Put lines, or all there are, into the panel of the first; those of a second unit have an axis at the right.

    Raises
    ------
    OpenQuestion
        They cannot be told apart in one panel, or have more units than it has axes.
    """
    plotted = table.plotted
    shared = sorted(lines or plotted.lines, key=lambda line: (line in right, line.panel))
    rows = {line.panel for line in shared}
    if len(rows) == 1:
        raise SoAlready("All is in one panel already. What do you want to change?")
    units = _units_of_one_panel(shared, plotted)
    vector = next((line for line in shared if line.is_whole_vector), None)
    joined = _beside(shared, plotted.panels[vector.panel], plotted) if vector else _joined(shared, plotted)
    panels: list[Panel] = []
    for row, panel in enumerate(plotted.panels):
        panels += [joined] if row == min(rows) else []
        stay = [line.trace for line in plotted.lines if line.panel == row and line not in shared]
        panels += [panel] if row not in rows else [panel.model_copy(update={"traces": stay})] if stay else []
    table.arrange(panels)
    if len(units) > 1:
        seconds = [line for line in shared if _unit(line, plotted) == units[1]]
        axes = [plotted.panels[line.panel].y for line in seconds]
        own = ", linear and with a range of its own" if any(axis.range or axis.scale == "log" for axis in axes) else ""
        words = " and ".join(dict.fromkeys(plotted.name_of(line) for line in seconds))
        table.notes.append(f"The axis at the right is that of {words}, in {units[1]}{own}.")
    elif right and units[0]:
        words = " and ".join(dict.fromkeys(plotted.name_of(line) for line in shared))
        table.notes.append(f"{words} have one unit, {units[0]}, and so the one axis at the left.")


def _unit(line: Line, plotted: PlottedFigure) -> str | None:
    unit = unit_of(line.trace.data, plotted)
    return None if unit is None else normalize_unit(unit) or "1"


def _units_of_one_panel(lines: Sequence[Line], plotted: PlottedFigure) -> list[str | None]:
    """The units of lines that can share a panel, the left axis' first.

    Raises
    ------
    OpenQuestion
        They cannot share one.
    """
    if any(line.is_spectrogram for line in lines):
        raise OpenQuestion("A spectrogram has a panel of its own. What do you want to change?")
    if sum(line.is_whole_vector for line in lines) > 1:
        raise OpenQuestion("The components of two vectors cannot be told apart in one panel. Which of them do you want there?")
    units = list[str | None]()
    for unit in (_unit(line, plotted) for line in lines):
        is_new = not any(unit == each or (unit and each and is_same_unit(unit, each)) for each in units)
        units += [unit] if is_new else []
    kinds = {(line.quantities, "magnitude" in line.operations, line.operations[-1:]) for line in lines}
    if None in units and len(kinds) > 1:
        unknown = next(line for line in lines if _unit(line, plotted) is None)
        raise OpenQuestion(f"I do not know the unit of {unknown.words}, so I cannot tell which axis is its own in one panel.")
    if len(units) > _MOST_UNITS:
        named = ", ".join(str(each) for each in units)
        raise OpenQuestion(
            f"A panel has two axes at most, and these have {len(units)} units: {named}. Which do you want in one?"
        )
    return units


def _joined(lines: Sequence[Line], plotted: PlottedFigure) -> Panel:
    """One panel with lines of several, each with a name and a colour of its own."""
    first, unit = plotted.panels[lines[0].panel], _unit(lines[0], plotted)
    titles = [plotted.panels[line.panel].y.title or "" for line in lines]
    of_left = [title for line, title in zip(lines, titles, strict=True) if _unit(line, plotted) == unit]
    is_of_whom = len({line.missions for line in lines}) == len(lines)
    traces = []
    for place, (line, title) in enumerate(zip(lines, titles, strict=True)):
        name = line.trace.label or (" ".join(line.missions) if is_of_whom else title) or line.trace.data
        color = line.trace.color or COLORS[place % len(COLORS)]
        traces.append(line.trace.model_copy(update={"label": name, "color": color}))
    return first.model_copy(update={"traces": traces, "y": first.y.model_copy(update={"title": _of_all(of_left, plotted)})})


def _of_all(titles: Sequence[str], plotted: PlottedFigure) -> str | None:
    """What several titles have in common: `B GSE` of `Bx GSE` and `By GSE`; None where they have nothing."""
    bare = []
    for title in titles:
        for mission in plotted.missions:
            title = title.removeprefix(f"{mission} ")
        bare.append(title)
    if len({*bare}) == 1:
        return bare[0] or None
    parts = {re.sub(r"^([BVE])_?[xyzrtn](?= |$)", r"\1", title) for title in bare}
    return parts.pop() or None if len(parts) == 1 else None


def draw_over_data(data: Sequence[str], table: Table) -> None:
    """Draw moving averages that were added over what they are of: they lie among its values."""
    steps = {step.id: step.compute for step in table.plotted.pipeline.steps if step.compute}
    for name in data:
        compute = steps.get(name)
        if compute is None or compute.operation != "rolling_statistic" or compute.options.get("statistic") not in _AMONG_VALUES:
            continue
        new = [line for line in table.plotted.lines if line.trace.data == name]
        of = [line for line in table.plotted.lines if line.trace.data in compute.step_inputs.values()]
        if len(new) != 1 or len(of) != 1 or of[0].is_whole_vector or new[0].panel == of[0].panel:
            continue
        length = spoken(parse_duration(str(compute.options["window"])))
        words = f"{length} moving {_AMONG_VALUES[str(compute.options['statistic'])]}"
        over = new[0].trace.model_copy(update={"label": words, "color": new[0].trace.color or "firebrick"})
        panels = list(table.plotted.panels)
        panels[of[0].panel] = panels[of[0].panel].model_copy(update={"traces": [*panels[of[0].panel].traces, over]})
        del panels[new[0].panel]
        table.arrange(panels)


def join(data: Sequence[str], table: Table, *, is_apart: bool) -> None:
    """Move lines that were added into one panel: of their own where `is_apart`, else that of what has their unit, or the one.

    Raises
    ------
    OpenQuestion
        It is open which panel is meant, or they cannot share one.
    """
    new = [line for line in table.plotted.lines if line.trace.data in data]
    old = [line for line in table.plotted.lines if line.trace.data not in data and not line.is_spectrogram]
    alone = [line for line in new if all(each.panel != line.panel for each in old)]
    if not alone or (is_apart and len({line.panel for line in new}) == 1):
        return
    goal = alone[0].panel
    if not is_apart:
        unit = _unit(alone[0], table.plotted)
        same = [line.panel for line in old if _unit(line, table.plotted) == unit is not None]
        same = same or [line.panel for line in old if set(line.quantities) & set(alone[0].quantities)]
        if not same and len({line.panel for line in old}) > 1:
            names = " or ".join(table.plotted.name_of(line) for line in old)
            raise OpenQuestion(f"In which panel do you want it: that of {names}? Say it as in `add it in the speed panel`.")
        goal = (same or [line.panel for line in old] or [goal])[0]
    put_together(table, [line for line in table.plotted.lines if line.panel == goal or line in alone])


def _beside(lines: Sequence[Line], panel: Panel, plotted: PlottedFigure) -> Panel:
    """A panel of a vector with more lines, which have names as the components have."""
    more = [line for line in lines if line.trace not in panel.traces]
    names = [line.trace.label or plotted.panels[line.panel].y.title or line.words for line in more]
    traces = [line.trace.model_copy(update={"label": name}) for line, name in zip(more, names, strict=True)]
    return panel.model_copy(update={"traces": [*panel.traces, *traces]})


def move(table: Table, rows: Sequence[int], place: str, beside: Sequence[Line] | None = None) -> None:
    """Move panels to a place, or above or below another one."""
    panels = table.plotted.panels
    moved, rest = [panels[row] for row in rows], [row for row in range(len(panels)) if row not in rows]
    if beside:
        if beside[0].panel not in rest:
            raise OpenQuestion("A panel cannot be above or below itself. Where do you want it?")
        at = rest.index(beside[0].panel) + (place != "above")
    else:
        digits = "".join(letter for letter in place if letter.isdigit())
        at = int(digits) - 1 if digits else _ORDINALS.index(place) if place in _ORDINALS else len(rest)
    kept = [panels[row] for row in rest]
    new = [*kept[:at], *moved, *kept[at:]]
    if new != panels:
        table.arrange(new)


def order(text: str, table: Table) -> bool:
    """Give the panels the order in which a sentence lists them, those it does not name below; False where it lists none.

    Raises
    ------
    OpenQuestion
        Something that is named is not in one panel.
    """
    match = matched("arranging.order", text)
    if match is None:
        return False
    names = form("arranging.listed").split(match["names"] or f"{match['first']}, {match['rest']}")
    rows: list[int] = []
    for name in names:
        found = {line.panel for line in table.plotted.named(name)}
        if len(found) != 1 or found & {*rows}:
            raise OpenQuestion(f"I do not see {name!r} as a panel of the figure. In which order do you want the panels?")
        rows += found
    panels = table.plotted.panels
    rest = [row for row in range(len(panels)) if row not in rows]
    if rows == sorted(rows) and not rest:
        raise SoAlready("They stand in that order already. What do you want to change?")
    table.arrange([panels[row] for row in (*rows, *rest)])
    return True


def swap(text: str, table: Table) -> bool:
    """Let two panels change places, or turn their order round; False where a sentence says no such thing."""
    match = matched("arranging.swap", text)
    panels = list(table.plotted.panels)
    if matched("arranging.reversed", text) is not None:
        if len(panels) < 2:
            raise OpenQuestion("The figure has one panel. What do you want to change?")
        table.arrange(panels[::-1])
        return True
    if match is None or (match["one"] is None and len(panels) != 2):
        return False
    named = [table.plotted.named(match[name]) for name in ("one", "other")] if match["one"] else []
    rows = [{line.panel for line in each} for each in named if each]
    if match["one"] and (len(rows) != 2 or any(len(each) != 1 for each in rows) or rows[0] == rows[1]):
        return False
    first, second = (next(iter(each)) for each in rows) if rows else (0, 1)
    panels[first], panels[second] = panels[second], panels[first]
    table.arrange(panels)
    return True


def _groups(lines: Sequence[Line], plotted: PlottedFigure) -> list[list[Line]]:
    """Lines that stay together: a mean, and the values that it is taken of."""
    groups: list[list[Line]] = []
    for line in lines:
        steps = {step.id for step in plotted.upstream(line.trace.data)}
        home = next((group for group in groups if any(other.trace.data in steps for other in group)), None)
        groups.append([line]) if home is None else home.append(line)
    return groups


def _own_panel(panel: Panel, group: Sequence[Line]) -> Panel:
    label, title = group[0].trace.label, panel.y.title
    named = f"{label} {title}" if label and title and label not in title else title
    return panel.model_copy(update={"traces": [line.trace for line in group], "y": panel.y.model_copy(update={"title": named})})

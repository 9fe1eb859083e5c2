"""Where lines and panels stand: apart, together, above or below."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio_dagster.agent.answers import OpenQuestion, SoAlready
from helio_dagster.agent.drafting.pipelines import COLORS
from helio_dagster.agent.offline.edits.plotted_figure import Line, PlottedFigure
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.figure import Panel
from helio_dagster.domain.pipeline import Compute, Step

_SWAP = re.compile(
    r"(?:swap|switch|exchange|interchange)(?: the)?(?: two)? "
    r"(?:panels|(?:panels? (?:of )?)?(?P<one>.+?) (?:and|with) (?P<other>.+?))(?: panels?)?(?: around)?",
    re.IGNORECASE,
)
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


def put_together(table: Table) -> None:
    """Put all lines into one panel."""
    plotted = table.plotted
    kinds = {(line.quantities, "magnitude" in line.operations, line.operations[-1:]) for line in plotted.lines}
    if len(plotted.panels) == 1:
        raise SoAlready("All is in one panel already. What do you want to change?")
    if len(kinds) > 1 or any(line.is_whole_vector for line in plotted.lines):
        raise OpenQuestion("These have no axis in common, so they cannot share a panel. What do you want to change?")
    traces, first = [], plotted.panels[0]
    for place, line in enumerate(plotted.lines):
        color = line.trace.color or COLORS[place % len(COLORS)]
        traces.append(line.trace.model_copy(update={"label": line.trace.label or " ".join(line.missions), "color": color}))
    title = first.y.title or ""
    for mission in plotted.missions:
        title = title.removeprefix(f"{mission} ")
    table.arrange([first.model_copy(update={"traces": traces, "y": first.y.model_copy(update={"title": title or None})})])


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


def swap(text: str, table: Table) -> bool:
    """Let two panels change places; False where a sentence says no such thing of two that are there."""
    match = _SWAP.fullmatch(text)
    panels = list(table.plotted.panels)
    if match is None or (match["one"] is None and len(panels) != 2):
        return False
    meant = [table.plotted.meant(match[name]) for name in ("one", "other")] if match["one"] else []
    rows = [{line.panel for line in each.lines} for each in meant if each is not None and each.is_named and not each.unknown]
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

"""Taking out what a change has drawn beside the data: marks and shading, limits of an axis."""

from __future__ import annotations

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.forms import Form, matched
from helio_dagster.agent.offline.edits.removing import remove_lines
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.figure_marks import Mark

_HORIZONTAL = frozenset(("horizontal", "threshold", "reference", "limit", "zero"))


def take_out(text: str, table: Table) -> bool:
    """Take marks out of all panels, or the limits off their axes; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        There is nothing of the kind.
    """
    if matched("taking_back.auto", text) is not None:
        axes = [(row, name) for row, panel in enumerate(table.plotted.panels) for name in "xyz" if getattr(panel, name).range]
        if not axes:
            raise OpenQuestion("The axes follow the data already. What do you want to change?")
        table.draw({f"figure.panels[{row}].{name}.range": None for row, name in axes})
        return True
    match = matched("taking_back.marks", text)
    if match is None:
        return False
    shaded = [line for line in table.plotted.lines if match["shading"] and line.operations[-1:] == ("intervals_where",)]
    kept = [tuple(mark for mark in panel.marks if not _is_meant(mark, match)) for panel in table.plotted.panels]
    if not shaded and all(len(left) == len(panel.marks) for left, panel in zip(kept, table.plotted.panels, strict=True)):
        raise OpenQuestion("Nothing of that kind is drawn. What do you want to remove?")
    table.arrange([each.model_copy(update={"marks": left}) for each, left in zip(table.plotted.panels, kept, strict=True)])
    if shaded:
        remove_lines(shaded, table)
    return True


def _is_meant(mark: Mark, form: Form) -> bool:
    """Whether a mark is of the kind that a sentence takes out."""
    if form["all"]:
        return True
    if form["shading"]:
        return isinstance(mark.x, tuple) or isinstance(mark.y, tuple)
    if form["of"].lower() in _HORIZONTAL:
        is_zero = form["of"].lower() == "zero"
        return isinstance(mark.y, float | int) and mark.x is None and (not is_zero or mark.y == 0)
    return mark.x is not None and not isinstance(mark.x, tuple) and mark.y is None

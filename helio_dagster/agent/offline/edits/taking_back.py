"""Taking out what a change has drawn beside the data: marks and shading, limits of an axis."""

from __future__ import annotations

import re

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.removing import remove_lines
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.figure_marks import Mark

_LINES = (
    r"(?:(?:dashed|dotted|red|black|thin|all)\s+)*(?P<of>vertical|horizontal|threshold|reference|limit|zero)[- ]?"
    r"(?:lines?|markers?|marks?|levels?)"
)
_MARKS = re.compile(
    r"(?:remove|take away|take|drop|delete|lose|hide|no|no more|without|get rid of|scrap)(?:\s+(?:all|both|the|that|any|"
    r"those|these|of))*\s+"
    rf"(?:(?P<shading>(?:[a-z]+ )?shad(?:ing|es?|ed (?:regions?|areas?|bands?|intervals?|parts?)))|{_LINES}|"
    rf"(?P<all>marks?|markers?|annotations?))"
    r"(?:\s+(?:away|out|off))?(?:\s+again)?",
    re.IGNORECASE,
)
_AUTO = re.compile(
    r"(?:(?:put|set|go|switch|make|change|reset)\s+)?(?:(?:it|the|y|z|ax[ei]s|limits?|range|scale|of|for|both|"
    r"all)\s+)*(?:back\s+)?(?:to\s+)?"
    r"auto(?:matic)?(?:ally)?(?:[- ]?(?:scal(?:e|ed|ing)|rang(?:e|ing)))?(?:\s+(?:y|ax[ei]s|limits?|range|scale|again))*"
    r"|(?:remove|drop|reset|clear|undo|no)\s+(?:(?:the|y|z|axis|my)[- ]?\s*)*(?:limits?|range)|(?:reset|"
    r"free) (?:the )?(?:y[- ]?)?ax[ei]s",
    re.IGNORECASE,
)
_HORIZONTAL = frozenset(("horizontal", "threshold", "reference", "limit", "zero"))


def take_out(text: str, table: Table) -> bool:
    """Take marks out of all panels, or the limits off their axes; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        There is nothing of the kind.
    """
    if _AUTO.fullmatch(text) is not None:
        axes = [(row, name) for row, panel in enumerate(table.plotted.panels) for name in "xyz" if getattr(panel, name).range]
        if not axes:
            raise OpenQuestion("The axes follow the data already. What do you want to change?")
        table.draw({f"figure.panels[{row}].{name}.range": None for row, name in axes})
        return True
    said = _MARKS.fullmatch(text)
    if said is None:
        return False
    shaded = [line for line in table.plotted.lines if said["shading"] and line.operations[-1:] == ("intervals_where",)]
    kept = [tuple(mark for mark in panel.marks if not _is_meant(mark, said)) for panel in table.plotted.panels]
    if not shaded and all(len(left) == len(panel.marks) for left, panel in zip(kept, table.plotted.panels, strict=True)):
        raise OpenQuestion("Nothing of that kind is drawn. What do you want to remove?")
    table.arrange([each.model_copy(update={"marks": left}) for each, left in zip(table.plotted.panels, kept, strict=True)])
    if shaded:
        remove_lines(shaded, table)
    return True


def _is_meant(mark: Mark, said: re.Match[str]) -> bool:
    """Whether a mark is of the kind that a sentence takes out."""
    if said["all"]:
        return True
    if said["shading"]:
        return isinstance(mark.x, tuple) or isinstance(mark.y, tuple)
    if said["of"].lower() in _HORIZONTAL:
        is_zero = said["of"].lower() == "zero"
        return isinstance(mark.y, float | int) and mark.x is None and (not is_zero or mark.y == 0)
    return mark.x is not None and not isinstance(mark.x, tuple) and mark.y is None

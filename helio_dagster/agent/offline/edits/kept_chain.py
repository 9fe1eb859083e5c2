"""What is made of a line is made of the quantity that takes its place, too: the spectrum of Bz in place of that of |B|.

A title reads as the request that its figure was drafted of. With the other quantity in it, it is drafted again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.derived import DERIVED_UNITS
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.titling import SHAPED
from helio_dagster.agent.offline.edits.grafting import redraw
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.catalog.choice.quantities import QUANTITIES, QUANTITY_WORDS
from helio_dagster.domain.pipeline import Step

_LIMITS = frozenset(("above", "below", "value", "change"))


def made_of(line: Line, table: Table) -> list[Step]:
    """The steps by which a line is made of its quantity: none where the quantity itself is drawn."""
    return [step for step in table.plotted.upstream(line.trace.data) if step.compute and not _is_itself(step)]


def with_what_is_known_of(lines: Sequence[Line], table: Table) -> list[Line]:
    """Lines, and what is drawn of their values: numbers, intervals."""
    data = {line.trace.data for line in lines}
    stated = [
        line
        for line in table.plotted.lines
        if line not in lines and data & {step.id for step in table.plotted.upstream(line.trace.data)[:-1]}
    ]
    return [*lines, *stated]


def ask_about_chains(lines: Sequence[Line], new: str, table: Table) -> None:
    """Ask where what is made of lines cannot be made of another quantity as it is.

    Raises
    ------
    OpenQuestion
        It is made of several quantities, or has a limit, which is in the unit of the old one.
    """
    for line in lines:
        steps = made_of(line, table)
        limits = [step for step in steps if step.compute and _LIMITS & step.compute.options.keys()]
        if len(line.quantities) > 1 and steps:
            names = " and ".join(QUANTITY_WORDS[each] for each in line.quantities)
            raise OpenQuestion(f"{steps[-1].intent} is made of {names}: with {new} it is a new plan. Which one do you want?")
        if limits:
            raise OpenQuestion(f"{limits[0].intent}: the limit is of that quantity. Which limit of {new} do you want?")


def make_of_another(lines: Sequence[Line], new: str, table: Table) -> None:
    """Draw in place of lines what is made in the same way of another quantity.

    Raises
    ------
    OpenQuestion
        No request for it has a plan that fits the figure.
    """
    title = table.plotted.pipeline.title
    for old in _names(lines[0]):
        again = re.sub(rf"(?<![\w|]){old}(?![\w|])", lambda _: new, title, count=1)
        if again != title and redraw(again, lines, table):
            return
    raise OpenQuestion(f"What is drawn is made of one curve, which I do not know of {new}. Which one do you want it of?")


def _names(line: Line) -> list[str]:
    """Patterns of what a title may call the quantity of a line, the longest first."""
    words, letter = QUANTITY_WORDS[line.quantities[0]], re.escape(QUANTITIES[line.quantities[0]].symbol)
    return [f"{words} (?:magnitude|vector)", f"(?:proton|ion|electron) {words}", words, rf"\|{letter}\|", f"{letter}[xyzrtn]"]


def _is_itself(step: Step) -> bool:
    """Whether a step makes the quantity, and is not made of it."""
    return step.compute is not None and (step.compute.operation in SHAPED or step.compute.operation in DERIVED_UNITS)

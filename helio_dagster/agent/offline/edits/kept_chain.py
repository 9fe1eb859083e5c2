"""What is made of a line is made of the quantity that takes its place, too: the spectrum of Bz in place of that of |B|."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.derived import DERIVED_UNITS
from helio_dagster.agent.drafting.drawn_figure import AVERAGED, Line
from helio_dagster.agent.drafting.titling import SHAPED
from helio_dagster.agent.offline.edits.removing import unused_steps
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.catalog.choice.quantities import QUANTITIES, QUANTITY_WORDS
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.pipeline_edit import RemoveStep

_LIMITS = frozenset(("above", "below", "value", "change"))
_FRAME = r"(?: (?:GSE|GSM|RTN|SM|GEO))?"
_ON_VECTORS = AVERAGED | {"hodogram", "minimum_variance_frame"}


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


def make_of_another(lines: Sequence[Line], added: Sequence[Line], table: Table) -> None:
    """Draw in place of lines what is made in the same way of a line that was added, whose own panel goes.

    Raises
    ------
    OpenQuestion
        Several lines were added, or a vector of which no such result is made.
    """
    new = added[0]
    operations = {step.compute.operation for line in lines for step in made_of(line, table) if step.compute}
    if len(added) > 1 or (new.is_whole_vector and operations - _ON_VECTORS):
        raise OpenQuestion("What is drawn is made of one curve. Which one do you want it of: a magnitude, or which component?")
    symbol = table.plotted.panels[new.panel].y.title or ""
    wordings = [_Wording(line, new, symbol, table) for line in lines]
    ids: dict[str, str] = {}
    changes: dict[str, object] = {}
    before = {step.id for line in lines for step in table.plotted.upstream(line.trace.data)}
    for line, wording in zip(lines, wordings, strict=True):
        chain = made_of(line, table)
        taken = {step.id for step in chain}
        for step in chain:
            if step.id in ids or step.compute is None:
                continue
            inputs = {
                name: (ids[other] if other in taken and other in ids else new.trace.data) if isinstance(other, str) else other
                for name, other in step.compute.inputs.items()
            }
            compute = step.compute.model_copy(update={"inputs": inputs})
            named = re.sub(rf"^{re.escape(wording.base)}(?=_|$)", new.trace.data, step.id)
            update = {"id": named, "intent": wording.words(step.intent), "compute": compute}
            ids[step.id] = table.add(step.model_copy(update=update))
        changes[f"{line.path}.data"] = ids.get(line.trace.data, new.trace.data)
        panel = table.plotted.panels[line.panel]
        for name, axis in (("x", panel.x), ("y", panel.y)):
            if axis.title:
                changes[f"figure.panels[{line.panel}].{name}.title"] = wording.symbols(axis.title)
    figure = table.plotted.figure
    words = wordings[0].words(figure.intent)
    words = wordings[0].symbols(words) if words == figure.intent else words
    table.draw(changes)
    table.draw({f"figure.panels[{new.panel}]": None})
    table.change(figure.id, {"intent": words} if words != figure.intent else {})
    gone = unused_steps([step.id for step in table.plotted.pipeline.steps if step.id in before], table)
    table.make(*(RemoveStep(kind="remove_step", step=step) for step in gone))


class _Wording:
    """What is said of a line, said of another."""

    def __init__(self, line: Line, new: Line, symbol: str, table: Table) -> None:
        steps = table.plotted.upstream(line.trace.data)
        itself = [step for step in steps if step.fetch or _is_itself(step)]
        self.base = itself[-1].id
        quantity, of_new = line.quantities[0], new.quantities[0]
        axis = _axis(steps)
        letter, words = re.escape(QUANTITIES[quantity].symbol), QUANTITY_WORDS[quantity]
        self._symbol = symbol
        self._old_symbols = [rf"\|{letter}\|{_FRAME}", rf"{letter}{axis or '[xyzrtn]'}{_FRAME}", rf"{letter}{_FRAME}(?: x 10)?"]
        self._old_words = [rf"{letter}{axis}{_FRAME}"] if axis else [f"{words} magnitude", f"proton {words}", words]
        new_axis = _axis(table.plotted.upstream(new.trace.data)) or _lone_axis(symbol, QUANTITIES[of_new].symbol)
        named = f"{QUANTITY_WORDS[of_new]} magnitude" if "magnitude" in new.operations else QUANTITY_WORDS[of_new]
        self._words = f"{QUANTITIES[of_new].symbol}{new_axis}" if new_axis else named

    def words(self, text: str) -> str:
        """A text with the name of the new quantity in place of that of the old one."""
        return _exchanged(text, self._old_words, self._words)

    def symbols(self, text: str) -> str:
        """The title of an axis with the new symbol."""
        return _exchanged(text, self._old_symbols, self._symbol)


def _exchanged(text: str, patterns: Sequence[str], new: str) -> str:
    for pattern in patterns:
        changed, count = re.subn(rf"(?<![\w|]){pattern}(?![\w|])", lambda _: new, text)
        if count:
            return changed
    return text


def _axis(steps: Sequence[Step]) -> str:
    parts = [str(step.compute.options.get("component", "")) for step in steps if step.compute]
    return next((each for each in parts if each), "")


def _lone_axis(symbol: str, letter: str) -> str:
    """The component that a symbol has: `z` of `Bz GSM`."""
    match = re.match(rf"{re.escape(letter)}([xyzrtn])\b", symbol)
    return match[1] if match else ""


def _is_itself(step: Step) -> bool:
    """Whether a step makes the quantity, and is not made of it."""
    return step.compute is not None and (step.compute.operation in SHAPED or step.compute.operation in DERIVED_UNITS)

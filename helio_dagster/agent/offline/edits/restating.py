"""A follow-up that is a request of its own about what is drawn, in full: `and the density on the 4th?`."""

from __future__ import annotations

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion, Plan
from helio_dagster.agent.offline.edits.elliptical import named_by_itself
from helio_dagster.agent.offline.edits.forms import form
from helio_dagster.agent.offline.edits.plain_words import without_courtesy
from helio_dagster.agent.offline.edits.remarks import without_remarks
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import Asks, Condition, Dataset, Mission
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.catalog.times.phrases import find_span


def restated(request: str, asked: OpenQuestion, table: Table) -> str:
    """What a follow-up is about which a new request would be asked: about what is drawn, without remarks; empty else."""
    rest = without_remarks(request, table.now)[0] or request
    if asked.sort == "spacecraft":
        return _of_what_is_plotted(without_courtesy(rest), table)
    is_left = isinstance(asked, NotUnderstood) and rest != request.strip(" ,;:.!?-")
    return (_of_what_is_plotted(without_courtesy(rest), table) or rest) if is_left else ""


def ask_about_change(plan: Plan) -> None:
    """Ask about the words that a new plan beside another leaves out: they may be a change that is not understood.

    Raises
    ------
    NotUnderstood
        It leaves some out.
    """
    if plan.ignored:
        raise NotUnderstood.of(plan.ignored, "What do you mean?")


def _of_what_is_plotted(text: str, table: Table) -> str:
    """A request that names no spacecraft as one of that which is drawn, for the same time; empty where several are.

    Where it names no quantity either, it is about the one line that is drawn: `which days were below -200?`.

    Raises
    ------
    OpenQuestion
        There are several lines.
    """
    reading, names = read_request(text, table.now), [named_by_itself(line, table) for line in table.plotted.lines]
    if len(table.plotted.missions) != 1 or table.span is None or form("reader.changing").search(text):
        return ""
    if reading.has(Mission, Dataset):
        return ""
    when = "" if find_span(text, table.now) is not None else f", {table.when}"
    if reading.has(Measured, Derived) or not all(names):
        return f"{table.plotted.missions[0]} {text}{when}"
    if len(names) > 1 and reading.has(Condition, Asks):
        lines = " or ".join(table.plotted.name_of(line) for line in table.plotted.lines)
        raise OpenQuestion(f"Which line do you mean: {lines}?", [f"{name} {text}{when}" for name in names])
    return f"{names[0] if len(names) == 1 else table.plotted.missions[0]} {text}{when}"

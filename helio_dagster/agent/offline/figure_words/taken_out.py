"""What a new request says of its figure is taken out of it, the rest is planned, and then it is carried out on the plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from helio_dagster.agent.answers import Plan, saying_again
from helio_dagster.agent.offline.edits.paper import find_paper
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.figure_words.looks import find_looks
from helio_dagster.agent.offline.figure_words.marks import find_marks
from helio_dagster.agent.offline.figure_words.places import find_places
from helio_dagster.agent.offline.figure_words.shifts import find_shift


class FigureWords(Protocol):
    """A request without some of its words, and these; they are empty where they cannot be said again behind it."""

    @property
    def request(self) -> str:
        """The rest."""

    @property
    def words(self) -> str:
        """What was taken out."""

    def of(self, plan: Plan, table: Table) -> Plan:
        """The plan of the rest, which is on the table, as the words say."""


Finder = Callable[[str, datetime], FigureWords | None]
_FINDERS: Sequence[Finder] = (lambda request, _: find_paper(request), find_marks, find_shift, find_places, find_looks)


def planned_apart(
    request: str,
    now: datetime,
    plan: Callable[[str], Plan],
    table: Callable[[Plan], Table],
    finders: Sequence[Finder] = _FINDERS,
) -> Plan:
    """The plan of a request, what it says of its figure carried out on the plan of the rest.

    Parameters
    ----------
    request, now
        What was said, and when.
    plan
        Plans a request that says nothing of its figure.
    table
        A plan as it lies on the table.
    finders
        Take words out, each of what those before it have left.
    """
    for place, find in enumerate(finders, start=1):
        found = find(request, now)
        if found is not None and found.request:
            with saying_again(found.words):
                rest = planned_apart(found.request, now, plan, table, finders[place:])
            return found.of(rest, table(rest))
    return plan(request)

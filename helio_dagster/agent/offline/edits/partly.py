"""Another spacecraft for a part of the figure alone: `use Wind instead of ACE, but for the field only`."""

from __future__ import annotations

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.intent_changes import change_intent
from helio_dagster.agent.offline.edits.slots import Clause
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import Mission
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.targets import Measured


def exchange_partly(text: str, table: Table, requests: RequestPlanner) -> bool:
    """Exchange the spacecraft of some lines; False where a sentence does not restrict it to some.

    Raises
    ------
    OpenQuestion
        What it is restricted to is not drawn, or the spacecraft does not measure it.
    """
    match = matched("partly.only", text)
    if match is None or not read_request(match["new"], table.now).all(Mission):
        return False
    lines, what = table.plotted.named(match["what"]), read_request(match["what"], table.now)
    if not lines:
        if what.time is not None and not what.all(Measured):
            return False  # it is restricted to a time, which is another matter
        who = match["new"].strip()
        raise OpenQuestion(f"I do not see {match['what'].strip()!r} in the figure. For which line do you want {who}?")
    if len(lines) == len(table.plotted.lines):
        return False
    gone = f"{match['old'] or ''} {match['what']}"
    return change_intent(Clause(text, target=match["new"], old=gone, verb="replace"), table, requests)

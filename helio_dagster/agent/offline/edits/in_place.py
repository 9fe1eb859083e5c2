"""What takes the place of what goes: `drop the density, I want the hourly std of |B| there`."""

from __future__ import annotations

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.arranging import move
from helio_dagster.agent.offline.edits.exchanging import add_words, meanings_of
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.grafting import graft
from helio_dagster.agent.offline.edits.removing import remove_lines
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Smoothing, Transform


def put_in_place(text: str, table: Table, requests: RequestPlanner) -> bool:
    """Draw what is computed of other lines in the panels of what goes; False where the sentence says no such thing.

    Raises
    ------
    OpenQuestion
        It would change more than the panels of what goes.
    """
    match = matched("in_place.there", text) or matched("in_place.replaced", text)
    gone = table.plotted.named(match["old"]) if match is not None else []
    if match is None or not gone:
        return False
    new = meanings_of(read_request(match["new"], table.now))
    source = table.plotted.target(match["new"])
    if not any(isinstance(each, Measured | Derived) for each in new):
        return False
    is_computed = any(isinstance(each, Averaging | Smoothing | Transform) for each in new)
    if not is_computed or (source is not None and source.is_named and {*source.lines} & {*gone}):
        return False
    going = {line.trace.data for line in gone}
    panels = [panel for panel in table.plotted.panels if not {trace.data for trace in panel.traces} <= going]
    row, count = gone[0].panel, len(table.plotted.panels)
    if not graft(f"add {match['new']}", table):
        add_words(match["new"], table, requests)
    added = len(table.plotted.panels) - count
    stay = [panel for panel in table.plotted.panels[:count] if not {trace.data for trace in panel.traces} <= going]
    if not added or stay != panels:
        choices = [f"remove the {match['old']}", f"add {match['new']}"]
        raise OpenQuestion(f"I cannot put that in the place of {match['old']} alone. Which do you want first?", choices)
    move(table, range(count, count + added), str(row + 1))
    remove_lines([line for line in table.plotted.lines if line.trace.data in going], table)
    return True

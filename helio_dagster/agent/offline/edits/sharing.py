"""Lines that share a panel by a whole sentence: `put Bz in the |B| panel`, `both in one panel with two axes`."""

from __future__ import annotations

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.arranging import put_together
from helio_dagster.agent.offline.edits.exchanging import add_words
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import Filler, Layout, Shape
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.targets import Derived, Measured


def share_panel(text: str, table: Table, requests: RequestPlanner) -> bool:
    """Put lines into the panel of others, on the axis at the right where it is named; False for other sentences.

    Raises
    ------
    OpenQuestion
        It is open which panel is meant, or they cannot share one.
    """
    match = matched("sharing.shared", text)
    if match is None:
        return False
    where, what, right = (table.plotted.named(match[each]) for each in ("where", "what", "right"))
    if match["where"] and not where:
        return False
    new = next((match[each] for each, lines in (("what", what), ("right", right)) if match[each] and not lines), None)
    if new and (where or len(table.plotted.panels) == 1) and _is_new(new, table):
        before = {line.trace.data for line in table.plotted.lines}
        add_words(new, table, requests)
        right = [line for line in table.plotted.lines if line.trace.data not in before]
    if (match["what"] and not (what or right)) or (match["right"] and not right):
        return False
    where = [line for line in table.plotted.lines if line.panel in {each.panel for each in where}]
    lines = [*dict.fromkeys([*where, *what, *right])]
    if right and not where and not what:
        others = [
            line for line in table.plotted.lines if line not in right and line.panel not in {each.panel for each in right}
        ]
        if len({line.panel for line in others}) > 1 and not match["all"]:
            names = [table.plotted.name_of(line) for line in others]
            shown = table.plotted.name_of(right[0])
            raise OpenQuestion(
                f"In which panel do you want the {shown} at the right?",
                [f"put the {shown} in the {name} panel on the right axis" for name in names],
            )
        lines = [*others, *right]
    put_together(table, lines, right or (what if where else ()))
    return True


def _is_new(words: str, table: Table) -> bool:
    """Whether words name a quantity and nothing else."""
    reading = read_request(words, table.now)
    named = [each.meaning for each in reading.mentions if not isinstance(each.meaning, Filler | Layout)]
    return bool(named) and not reading.unknown and all(isinstance(each, Measured | Derived | Shape) for each in named)

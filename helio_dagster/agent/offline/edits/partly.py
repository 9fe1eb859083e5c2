"""Another spacecraft for a part of the figure alone: `use Wind instead of ACE, but for the field only`."""

from __future__ import annotations

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.offline.edits.adding import copy_step
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.removing import unused_steps
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import Mission, Unclear
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.targets import Measured
from helio_dagster.domain.pipeline_edit import RemoveStep


def exchange_partly(text: str, table: Table) -> bool:
    """Exchange the spacecraft of some lines; False where a sentence does not restrict it to some.

    Raises
    ------
    OpenQuestion
        What it is restricted to is not drawn, or the spacecraft does not measure it.
    """
    match = matched("partly.only", text)
    if match is None:
        return False
    new, old = _mission(match["new"], table), _mission(match["old"] or "", table)
    if new is None or (match["old"] and old is None):
        return False
    whose = old.name if old is not None else next(iter(table.plotted.missions), "")
    what = read_request(match["what"], table.now)
    target = table.plotted.target(match["what"])
    if target is None or not target.is_named or target.unknown:
        if what.time is not None and not any(isinstance(each.meaning, Measured) for each in what.mentions):
            return False  # it is restricted to a time, which is another matter
        raise OpenQuestion(f"I do not see {match['what'].strip()!r} in the figure. For which line do you want {new.name}?")
    lines = [line for line in target.lines if whose in line.missions]
    if len(lines) == len(table.plotted.lines) or whose not in table.plotted.missions:
        return False
    if not lines:
        raise OpenQuestion(f"{match['what'].strip()} is not of {whose}. For which line do you want {new.name}?")
    _exchange(lines, whose, new, table)
    return True


def _mission(words: str, table: Table) -> Mission | None:
    found = [each.meaning for each in read_request(words, table.now).mentions if isinstance(each.meaning, Mission | Unclear)]
    if len(found) == 1 and isinstance(found[0], Unclear) and words.strip().casefold() == "wind":
        return Mission("Wind")
    return found[0] if len(found) == 1 and isinstance(found[0], Mission) else None


def _exchange(lines: list[Line], source: str, mission: Mission, table: Table) -> None:
    before = table.plotted
    ids: dict[str, str] = {}
    for line in lines:
        for step in before.upstream(line.trace.data):
            if step.id not in ids:
                ids[step.id] = copy_step(step, ids, source, mission, table)
    for line in table.plotted.lines:
        if line.trace.data in ids:
            table.draw({f"{line.path}.data": ids[line.trace.data], f"{line.path}.label": mission.name})
        elif source in line.missions and not line.trace.label:
            table.draw({f"{line.path}.label": source})
    table.make(*(RemoveStep(kind="remove_step", step=step) for step in unused_steps(list(ids), table)))

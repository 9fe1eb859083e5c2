"""Lines by another number: `divide the density by 2`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.plotted_figure import Target, bare
from helio_dagster.agent.offline.edits.table import Table


def scale_values(text: str, table: Table) -> bool:
    """Multiply or divide what is plotted by a number; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        It leaves open which line is meant, or the number makes no sense.
    """
    match = matched("scaling.scale", text)
    target = table.plotted.target(match["target"] or "") if match is not None else None
    if match is None or target is None or target.unknown:
        return False
    number, verb = match["number"], match["verb"]
    ask_which(target, verb, text[match.span("target" if match["target"] else "verb")[1] :], table)
    value = 10.0 ** int(match["power"]) if match["power"] else float(number)
    if value == 0:
        raise OpenQuestion(f"That would leave nothing of {bare(match['target'] or '') or 'it'}. By which number?")
    is_product = verb.lower().startswith(("m", "s"))
    words, factor = (f" × {number}", value) if is_product else (f" / {number}", 1 / value)
    alone = {line.panel: line for line in target.lines if len(table.plotted.panels[line.panel].traces) == 1}
    limited = [panel for panel in {line.panel for line in target.lines} if table.plotted.panels[panel].y.range is not None]
    changes: dict[str, Any] = {f"figure.panels[{panel}].y.range": None for panel in limited}
    for panel, line in alone.items():
        changes[f"figure.panels[{panel}].y.title"] = f"{table.plotted.panels[panel].y.title or line.words}{words}"
    recompute(target.lines, "scaled", words, "scale", {"factor": factor}, table)
    table.draw(changes)
    return True


def ask_which(target: Target, verb: str, rest: str, table: Table) -> None:
    """Ask which line is meant where none is named and there are several."""
    names = list(dict.fromkeys(table.plotted.name_of(line) for line in target.lines))
    if not target.is_named and len(names) > 1:
        raise OpenQuestion(f"Which do you want to {verb}: {' or '.join(names)}?", [f"{verb} {name}{rest}" for name in names])


def recompute(lines: Sequence[Line], suffix: str, words: str, operation: str, options: Mapping[str, Any], table: Table) -> None:
    """Draw what an operation makes of lines in their place; beside others its name says so."""
    made: dict[str, str] = {}
    changes: dict[str, str] = {}
    for line in lines:
        data = line.trace.data
        if data not in made:
            made[data] = table.compute(suffix, f"{line.words}{words}", data, operation, options)
        changes[f"{line.path}.data"] = made[data]
        if len(table.plotted.panels[line.panel].traces) > 1:
            changes[f"{line.path}.label"] = f"{line.trace.label or line.words}{words}"
    table.draw(changes)

"""Values times a number: `multiply by 1000`, `divide the density by 2`."""

from __future__ import annotations

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.plotted_figure import bare
from helio_dagster.agent.offline.edits.table import Table


def scale_values(text: str, table: Table) -> bool:
    """Multiply or divide what is plotted by a number; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        It leaves open which line is meant, or the number makes no sense.
    """
    match = matched("scaling.scale", text)
    if match is None:
        return False
    target = table.plotted.target(match["target"] or "")
    if target is None or target.unknown:
        return False
    number, verb = match["number"], match["verb"]
    value = 10.0 ** int(match["power"]) if match["power"] else float(number)
    plotted = {line.trace.data for line in target.lines}
    if not target.is_named and len(plotted) > 1:
        names = [table.plotted.name_of(line) for line in target.lines]
        rest = text[match.span("target" if match["target"] else "verb")[1] :]
        raise OpenQuestion(f"Which line do you mean: {' or '.join(names)}?", [f"{verb} {name}{rest}" for name in names])
    if value == 0:
        raise OpenQuestion(f"That would leave nothing of {bare(match['target'] or '') or 'it'}. By which number?")
    is_product = verb.lower().startswith(("m", "s"))
    words, factor = (f"× {number}", value) if is_product else (f"/ {number}", 1 / value)
    made: dict[str, str] = {}
    changes: dict[str, str | None] = {}
    for line in target.lines:
        data = line.trace.data
        if data not in made:
            made[data] = table.compute("scaled", f"{line.words} {words}", data, "scale", {"factor": factor})
        changes[f"{line.path}.data"] = made[data]
        panel = table.plotted.panels[line.panel]
        if len(panel.traces) == 1:
            changes[f"figure.panels[{line.panel}].y.title"] = f"{panel.y.title or line.words} {words}"
        else:
            changes[f"{line.path}.label"] = f"{line.words} {words}"
        if panel.y.range is not None:
            changes[f"figure.panels[{line.panel}].y.range"] = None
    table.draw(changes)
    return True

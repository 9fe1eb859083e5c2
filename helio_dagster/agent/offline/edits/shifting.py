"""Lines at later or earlier times: `shift ACE by 35 minutes`, `Wind Bz delayed by 1 hour and OMNI Bz`."""

from __future__ import annotations

import re
from datetime import timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.plotted_figure import bare
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.catalog.times.lengths import find_length
from helio_dagster.domain.time_range import format_duration

_LONGEST = timedelta(days=30)


def shift_lines(text: str, table: Table) -> bool:
    """Shift what is plotted in time; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        It leaves open which line is meant, or shifts nothing.
    """
    match = matched("shifting.order", text)
    if match is None:
        return False
    target = "" if (match["target"] or "").casefold() in ("everything", "all", "it", "them", "both") else match["target"] or ""
    found = table.plotted.target(target)
    if found is None or found.unknown:
        return False
    names = list(dict.fromkeys(table.plotted.name_of(line) for line in found.lines))
    if not found.is_named and len(names) > 1 and not match["target"]:
        rest = text[match.span("verb")[1] :]
        choices = [f"{match['verb']} {name}{rest}" for name in names]
        raise OpenQuestion(f"Which do you want to shift: {' or '.join(names)}?", choices)
    length = find_length(match["length"].lstrip("+-"))
    if length is None or not timedelta(0) < length <= _LONGEST:
        raise OpenQuestion(f"By how much do you want to shift {bare(target) or 'it'}? Say it as in `by 35 minutes`.")
    is_back = bool(form("shifting.back").search(text)) != match["length"].startswith("-")
    way = "earlier" if is_back else "later"
    made: dict[str, str] = {}
    changes: dict[str, str] = {}
    for line in found.lines:
        data = line.trace.data
        intent = f"{line.words}, {spoken_alone(length)} {way}"
        if data not in made:
            made[data] = table.compute("shifted", intent, data, "shift_time", {way: format_duration(length)})
        changes[f"{line.path}.data"] = made[data]
        if len(table.plotted.panels[line.panel].traces) > 1:
            changes[f"{line.path}.label"] = f"{line.trace.label or line.words}, {spoken_alone(length)} {way}"
    table.draw(changes)
    if not form("shifting.back").search(text) and not re.search(r"later|forward|lag|delay", text, re.IGNORECASE):
        table.notes.append(f"It is shifted to later times; say `by {spoken_alone(length)} earlier` for the other way.")
    return True

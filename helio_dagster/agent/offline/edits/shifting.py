"""Lines at later or earlier times: `shift ACE by 35 minutes`, `Wind Bz delayed by 1 hour and OMNI Bz`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.plotted_figure import bare
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.wording import tidy
from helio_dagster.catalog.times.lengths import find_length
from helio_dagster.domain.time_range import format_duration

_LONGEST = timedelta(days=30)


@dataclass(frozen=True)
class SaidShift:
    """A request without its words for a shift, and the change that they are; `words` as they stand, empty where none is.

    It `is_open` which of several lines is shifted where fewer than two spacecraft are named.
    """

    request: str
    change: str = ""
    words: str = ""
    is_open: bool = False


def find_shift(request: str) -> SaidShift:
    """The words for a shift taken out of a new request; of several spacecraft it is that of the one named before them."""
    if form("shifting.of_two").search(request):
        return SaidShift(request)
    order = form("shifting.order").match(request)
    if order is not None and order["target"]:
        rest = f"{order['target']} {request[order.end() :]}"
        return SaidShift(" ".join(rest.split()), order[0], order[0])
    done = form("shifting.done").search(request) or form("shifting.with").search(request)
    if done is None:
        return SaidShift(request)
    named = [match[0] for match in form("shifting.mission").finditer(request)]
    before = [match[0] for match in form("shifting.mission").finditer(request[: done.start()])]
    if len({name.casefold() for name in named}) > 1 and not before:
        return SaidShift(request)
    whose = before[-1] if before else "everything"
    way = "earlier" if form("shifting.back").search(done[0]) else "later"
    rest = tidy(f"{request[: done.start()]} \0 {request[done.end() :]}")
    return SaidShift(
        rest, f"shift {whose} by {done['length']} {way}", done[0].strip(" ,"), len({name.casefold() for name in named}) < 2
    )


def shift_lines(text: str, table: Table) -> bool:
    """Shift what is plotted in time; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        It leaves open which line is meant, or shifts nothing.
    """
    said = matched("shifting.order", text)
    if said is None:
        return False
    target = "" if (said["target"] or "").casefold() in ("everything", "all", "it", "them", "both") else said["target"] or ""
    meant = table.plotted.meant(target)
    if meant is None or meant.unknown:
        return False
    names = list(dict.fromkeys(table.plotted.name_of(line) for line in meant.lines))
    if not meant.is_named and len(names) > 1 and not said["target"]:
        rest = text[said.span("verb")[1] :]
        choices = [f"{said['verb']} {name}{rest}" for name in names]
        raise OpenQuestion(f"Which do you want to shift: {' or '.join(names)}?", choices)
    length = find_length(said["length"].lstrip("+-"))
    if length is None or not timedelta(0) < length <= _LONGEST:
        raise OpenQuestion(f"By how much do you want to shift {bare(target) or 'it'}? Say it as in `by 35 minutes`.")
    is_back = bool(form("shifting.back").search(text)) != said["length"].startswith("-")
    way = "earlier" if is_back else "later"
    made: dict[str, str] = {}
    changes: dict[str, str] = {}
    for line in meant.lines:
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

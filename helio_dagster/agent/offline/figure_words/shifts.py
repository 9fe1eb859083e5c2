"""The words of a new request for lines at later or earlier times."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion, Plan
from helio_dagster.agent.offline.edits.forms import form
from helio_dagster.agent.offline.edits.shifting import is_of_a_pair, shift_lines
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.wording import tidy, without_frame

_LISTED = re.compile(r",|\band\b|&|\+", re.IGNORECASE)


@dataclass(frozen=True)
class ShiftWords:
    """A request without its words for a shift, `words` as they stand, and what is shifted how.

    It `is_open` which of several lines is shifted where fewer than two spacecraft are named; `last` is listed last before it.
    """

    request: str
    words: str
    whose: str
    change: str
    is_open: bool = False
    last: str = ""

    def of(self, plan: Plan, table: Table) -> Plan:
        """The plan with its lines as much later or earlier."""
        if self.is_open and len(table.plotted.lines) > 1 and not self._is_of_last(table):
            names = [table.plotted.name_of(line) for line in table.plotted.lines]
            raise OpenQuestion(
                f"{self.words!r} of which one? Plan it without, then say it as in `shift {names[0]} by 30 minutes`."
            )
        if not shift_lines(self.change, table):
            raise NotUnderstood.of([self.words], "What do you want to shift?")
        return replace(plan, pipeline=table.plotted.pipeline, notes=(*plan.notes, *table.notes))

    def _is_of_last(self, table: Table) -> bool:
        """Whether it is of one of a pair, or of the last thing listed before it: `AE and Wind Bz shifted by …`."""
        if is_of_a_pair(self.whose, table):
            return True
        target = table.plotted.target(self.whose) if re.search(rf"\b{re.escape(self.whose)}\b", self.last) else None
        return target is not None and 0 < len(target.lines) < len(table.plotted.lines)


def find_shift(request: str, _: datetime) -> ShiftWords | None:
    """The words for a shift taken out of a new request; of several spacecraft it is that of the one named before them."""
    order = form("shifting.order").match(request)
    if order is not None and order["target"]:
        rest = f"{order['target']} {request[order.end() :]}"
        whose = without_frame(order["target"])
        return ShiftWords(" ".join(rest.split()), order[0], whose, order[0].replace(order["target"], whose))
    done = form("shifting.done").search(request) or form("shifting.with").search(request)
    if done is None:
        return None
    named = {match[0].casefold() for match in form("shifting.mission").finditer(request)}
    before = [match[0] for match in form("shifting.mission").finditer(request[: done.start()])]
    if len(named) > 1 and not before:
        return None
    whose, listed = before[-1] if before else "everything", form("shifting.between").split(request[: done.start()])
    if form("shifting.of_two").search(request) or not (before or listed[1:]):
        whose = without_frame(form("shifting.when").sub("", listed[-1])).strip() or whose
    way = "earlier" if form("shifting.back").search(done[0]) else "later"
    rest = tidy(f"{request[: done.start()]} \0 {request[done.end() :]}")
    words = done[0].strip(" ,")
    last = _LISTED.split(request[: request.find(words)].rstrip(" ,"))[-1]
    return ShiftWords(rest, words, whose, f"shift {whose} by {done['length']} {way}", len(named) < 2, last)

"""The clauses of a new request for lines, levels and shading in its figure, taken out of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion, Plan
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.levels import draw_level, is_level
from helio_dagster.agent.offline.edits.marking import is_mark_of_time, mark_time
from helio_dagster.agent.offline.edits.number_words import with_digits
from helio_dagster.agent.offline.edits.shading import is_shading, shade_span
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.figure_words.places import find_places
from helio_dagster.agent.offline.spoken_clauses import SpokenClause, spoken_clauses, without_clauses

_IN_PANEL = re.compile(r" in the (.+) panel$")
_DRAWN = ((is_shading, shade_span), (is_level, draw_level), (is_mark_of_time, mark_time))


@dataclass(frozen=True)
class MarkWords:
    """A request without the clauses for marks in its figure, and these."""

    request: str
    clauses: tuple[SpokenClause, ...]

    @property
    def words(self) -> str:
        """The clauses as they stand."""
        return ", ".join(each.text for each in self.clauses)

    def of(self, plan: Plan, table: Table) -> Plan:
        """The plan with its figure marked."""
        for clause in self.clauses:
            try:
                if not _draw(clause, table):
                    raise NotUnderstood.of([clause.text], "What do you want to mark?")
            except OpenQuestion as asked:
                choices = [f"{self.request}, {each}" for each in asked.question.choices]
                asked.question = asked.question.model_copy(update={"choices": choices})
                raise
        return replace(plan, pipeline=table.plotted.pipeline, notes=(*plan.notes, *table.notes))


def find_marks(request: str, _: datetime) -> MarkWords | None:
    """The clauses taken out of a request: `…, mark 06:00`, `… with a red line at 6:11`, `… with a line at -50 nT`."""
    found: list[SpokenClause] = []
    for each in spoken_clauses(request):
        if found and each.whose == found[-1].text and matched("marking.drawn_with", each.text) is not None:
            last = found.pop()
            each = replace(last, last=each.last, text=request[last.first : each.last].strip(" ,;."))
        if any(is_mark(with_digits(each.text)) for is_mark, _ in _DRAWN):
            found.append(each)
    return MarkWords(without_clauses(request, found), tuple(found)) if found else None


def _draw(clause: SpokenClause, table: Table) -> bool:
    """Draw a mark; False where it is about something else. Of several panels it is in the one that it is named with.

    Raises
    ------
    OpenQuestion
        It leaves open where.
    """
    clause = replace(clause, text=with_digits(clause.text))
    try:
        return any(draw(clause.text, table) for _, draw in _DRAWN)
    except OpenQuestion as asked:
        panels = {each: _IN_PANEL.search(each) for each in asked.question.choices}
        placed = find_places(clause.whose, table.now)
        rows = _rows(placed.places[0].what if placed and placed.places else clause.whose, table)
        own = [each for each, panel in panels.items() if panel and _rows(panel[1], table) == rows]
        own = own if len(own) == 1 else [each for each in panels if clause.is_of_it(each)]
        if len(own) != 1:
            raise
        return any(draw(own[0], table) for _, draw in _DRAWN)


def _rows(words: str, table: Table) -> set[int]:
    """The panels of what words name; none where they name nothing."""
    target = table.plotted.target(words) if words.strip() else None
    is_named = target is not None and target.is_named and not target.unknown
    return {line.panel for line in target.lines} if target is not None and is_named else set()

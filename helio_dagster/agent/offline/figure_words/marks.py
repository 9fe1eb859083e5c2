"""The clauses of a new request for lines, levels and shading in its figure, taken out of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.forms import form
from helio_dagster.agent.offline.edits.levels import draw_level, is_level
from helio_dagster.agent.offline.edits.marking import is_mark_of_time, mark_time
from helio_dagster.agent.offline.edits.number_words import with_digits
from helio_dagster.agent.offline.edits.shading import is_shading, shade_span
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.figure_words.places import find_places

_CLAUSE_BREAK = re.compile(r"[,;:]|\band\b", re.IGNORECASE)
_IN_PANEL = re.compile(r" in the (.+) panel$")
_DRAWN = ((is_shading, shade_span), (is_level, draw_level), (is_mark_of_time, mark_time))


@dataclass(frozen=True)
class MarkWords:
    """A request without the clauses for marks in its figure, and these as `draw_mark` reads them; `words` are as they stand.

    `whose` is what stands before each, back to a comma or `and`: `Dst` of `Dst with a line at -50`.
    """

    request: str
    marks: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    whose: tuple[str, ...] = ()


def find_marks(request: str) -> MarkWords:
    """The clauses taken out of a request: `…, mark 06:00`, `… with a red line at 6:11`, `… with a line at -50 nT`."""
    rest, marks, words, whose = request, list[str](), list[str](), list[str]()
    at = 0
    while (match := form("said_marks.clause").search(request, at)) is not None:
        at = match.start() + 1
        thing = match["thing"] or match["bare"]
        whole = f"draw a {thing}" if thing else match["clause"]
        phrase = next((each for each in _beginnings(whole) if any(is_mark(with_digits(each)) for is_mark, _ in _DRAWN)), "")
        if phrase:
            at = match.end()
            taken = match[0][: len(match[0]) - (len(whole) - len(phrase))]
            marks.append(with_digits(phrase))
            words.append(taken.strip(" ,;."))
            whose.append(_CLAUSE_BREAK.split(request[: match.start()])[-1] if taken[:1].isspace() else "")
            rest = rest.replace(taken, "", 1)
    return MarkWords(rest.strip(" ,;"), tuple(marks), tuple(words), tuple(whose)) if marks else MarkWords(request)


def _beginnings(clause: str) -> list[str]:
    """A clause, and what of it stands before each `and` or `with`, the longest first."""
    ends = [each.start() for each in re.finditer(r" (?:and|with|plus|together with) ", clause)]
    return [clause, *(clause[:end] for end in reversed(ends))]


def draw_mark(text: str, table: Table, whose: str = "") -> bool:
    """Draw the line, level or shading that a sentence says; False where it is about something else.

    Where several panels could be meant, it is the one whose name stands in `whose`.

    Raises
    ------
    OpenQuestion
        It leaves open where.
    """
    try:
        return any(draw(text, table) for _, draw in _DRAWN)
    except OpenQuestion as asked:
        said, panels = {*whose.casefold().split()}, {each: _IN_PANEL.search(each) for each in asked.question.choices}
        named = [each.what for each in find_places(whose, table.now).places] or [whose]
        rows = _rows(named[0], table)
        own = [each for each, panel in panels.items() if panel and _rows(panel[1], table) == rows]
        own = own if len(own) == 1 else [each for each, at in panels.items() if at and {*at[1].casefold().split()} <= said]
        if len(own) != 1:
            raise
        return any(draw(own[0], table) for _, draw in _DRAWN)


def _rows(words: str, table: Table) -> set[int]:
    """The panels of what words name; none where they name nothing."""
    target = table.plotted.target(words) if words.strip() else None
    is_named = target is not None and target.is_named and not target.unknown
    return {line.panel for line in target.lines} if target is not None and is_named else set()

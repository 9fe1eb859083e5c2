"""The clauses of a request, by its commas and the words that join them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helio_dagster.agent.offline.edits.forms import form
from helio_dagster.agent.offline.request_times import blank
from helio_dagster.agent.offline.wording import tidy


@dataclass(frozen=True)
class SpokenClause:
    """A clause of a request at `[first, last)`; `whose` is the clause that it is of: `Bz` of `Bz with a log axis`."""

    first: int
    last: int
    text: str
    whose: str

    def is_of_it(self, choice: str) -> bool:
        """Whether other words for the clause say that it is about what it is of."""
        more = {*choice.casefold().split()} - {*self.text.casefold().split()}
        return bool(more) and more <= {*self.whose.casefold().split(), "for", "in", "the", "panel"}


def spoken_clauses(text: str, time: tuple[int, int] = (0, 0)) -> list[SpokenClause]:
    """The clauses of a request in order, the time at these places apart from them."""
    plain, first, found = blank(text, *time), 0, list[SpokenClause]()
    joints = [each.span() for each in form("left_over.joint").finditer(plain)]
    for start, end in sorted([*joints, time, (len(text), len(text))]):
        if plain[first:start].strip():
            is_of_last = found and form("left_over.of_it").fullmatch(plain[found[-1].last : first]) is not None
            found.append(SpokenClause(first, start, text[first:start].strip(" ,;.()"), found[-1].text if is_of_last else ""))
        first = max(first, end)
    return found


def without_clauses(text: str, clauses: Sequence[SpokenClause]) -> str:
    """A request without some of its clauses."""
    for each in reversed(clauses):
        text = f"{text[: each.first]}\0{text[each.last :]}"
    return tidy(text)

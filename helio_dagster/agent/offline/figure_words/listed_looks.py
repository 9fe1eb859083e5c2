"""Several colours or dashes in a row, one for each line in the order of the request: `ACE and Wind |B|, red and blue`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.offline.edits.plotted_figure import Target
from helio_dagster.agent.offline.edits.slots import Clause, clauses_of, tokens_of
from helio_dagster.agent.offline.edits.table import Table

_LONGEST = 3
"""Words that a line may be called by."""
_KINDS = {"color": "colours", "dash": "kinds of line"}


def listed_looks(text: str) -> dict[str, tuple[str, ...]]:
    """The colours and dashes of which several stand in a row, as a figure's file has them."""
    runs: dict[str, tuple[str, ...]] = {}
    before = ""
    for token in tokens_of(text):
        if token.kind == "joint":
            continue
        if token.kind in _KINDS:
            value = str(clauses_of(text[token.first : token.last])[0].looks[token.kind])
            runs[token.kind] = (*(runs.get(token.kind, ()) if token.kind == before else ()), value)
        before = token.kind
    return {kind: values for kind, values in runs.items() if len(values) > 1}


def with_lists(clause: Clause, lists: Mapping[str, tuple[str, ...]], target: Target, table: Table) -> Clause:
    """Give each line its own of a list; the clause without what the list says.

    Raises
    ------
    OpenQuestion
        There are more or fewer lines, or it is open in which order.
    """
    for kind, values in lists.items():
        if kind not in clause.looks:
            continue
        lines = [line for line in target.lines if not line.is_spectrogram]
        if len(lines) != len(values):
            text = (
                f"The request names {len(values)} {_KINDS[kind]}, and the figure has {len(lines)} lines. Which line has which?"
            )
            raise OpenQuestion(text)
        ordered = _in_order_of_words(lines, clause.target, table)
        if not ordered:
            raise OpenQuestion(f"Which line has which of {' and '.join(values)}? Say it as in: ACE in red, Wind in blue.")
        table.draw({f"{line.path}.{kind}": value for line, value in zip(ordered, values, strict=True)})
        clause = replace(clause, looks={name: value for name, value in clause.looks.items() if name != kind})
    return clause


def _in_order_of_words(lines: Sequence[Line], words: str, table: Table) -> list[Line]:
    """The lines as they are named, or as they are drawn where none is named apart; none where only some are."""
    phrase = words.replace(",", " ").split()
    places: dict[str, int] = {}
    for count in range(1, _LONGEST + 1):
        for at in range(len(phrase)):
            found = table.plotted.target(" ".join(phrase[at : at + count]))
            named = [line.path for line in found.lines] if found is not None and found.is_named else []
            if 0 < len(named) < len(lines):
                places |= {path: at for path in named if path not in places}
    if not places:
        return list(lines)
    if len(places) < len(lines) or len(set(places.values())) < len(lines):
        return []
    return sorted(lines, key=lambda line: places[line.path])

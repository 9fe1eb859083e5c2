"""The words of a new request for where something stands: `Bz on top`, `with the raw field above`, `on two axes`.

They are read as in a change of the figure on the table, and carried out on the plan of the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from helio_dagster.agent.answers import NotUnderstood, Plan
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.retelling import retold
from helio_dagster.agent.offline.edits.arranging import move, put_together
from helio_dagster.agent.offline.edits.slots import clauses_of, tokens_of
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.wording import is_named_before, tidy
from helio_dagster.catalog.times.phrases import FoundSpan
from helio_dagster.domain.pipeline_edit import apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile

_SAID = re.compile(r"\b(?:top|bottom|upper\w*|lower\w*|above|below|beneath|under(?:neath)?)\b", re.IGNORECASE)
_OWN = re.compile(r"\ban? ", re.IGNORECASE)
_BREAK = re.compile(r"[,;:]\s*|\b(?:and|with|plus)\s+", re.IGNORECASE)
_TWO_AXES = re.compile(
    r"(?:with|on|using|over) (?:the )?(?:two|2|twin|dual|double|both|separate|different|left and right)(?: (?:y|different|separate))*"
    r"[- ]?(?:axes|axis)\b",
    re.IGNORECASE,
)
_RIGHT = re.compile(
    r"(?:on|with|using|over) (?:the |a |its |an )?(?:own )?(?:second|secondary|right)(?:[- ]hand)?(?: side)?(?: y)?[- ]?axis\b",
    re.IGNORECASE,
)
_ONE_PANEL = re.compile(r"(?:in|on|into) (?:one|a single|the same|a) (?:panel|plot|graph)\b|overplot(?:ted)?\b", re.IGNORECASE)
_RAW = re.compile(r"\b(?:itself|themselves|raw|original|measured|un[a-z]+ed)\b", re.IGNORECASE)
_ITSELF = re.compile(r"\b(?:itself|themselves|the|its|their|data)\b", re.IGNORECASE)


@dataclass(frozen=True)
class PlaceWords:
    """A request without its words for places, what stands where, and the words; `right` has an axis at the right.

    `is_one_panel` where all are in one panel with two axes.
    """

    request: str
    places: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()
    right: str = ""
    is_one_panel: bool = False


def find_places(request: str, time: FoundSpan | None) -> PlaceWords:
    """The words for places taken out of a request; a limit has a number behind `above` and `below`, and is none of them."""
    text = request if time is None else f"{request[: time.first]}{' ' * len(time.words)}{request[time.last :]}"
    rest, places, words, right = request, list[tuple[str, str]](), list[str](), ""
    said = [(each.first, each.last, "") for each in tokens_of(text.rstrip()) if each.kind == "place"]
    said = [each for each in said if _is_place(text[each[0] : each[1]], text[: each[0]])]
    axis = _RIGHT.search(text)
    is_one = _TWO_AXES.search(text) is not None or axis is not None
    said += [(each.start(), each.end(), "right") for each in (axis,) if each is not None]
    said += [
        (each.start(), each.end(), "axes") for each in (_TWO_AXES.search(text), is_one and _ONE_PANEL.search(text)) if each
    ]
    for first, last, kind in sorted(said, reverse=True):
        phrase = text[first:last].strip()
        start = max((each.end() for each in _BREAK.finditer(text, 0, first)), default=0)
        what = text[start:first].strip()
        if kind != "axes" and not what:
            continue
        words.insert(0, phrase if kind == "axes" else f"{what} {phrase}")
        if kind == "right":
            right = what
        elif not kind:
            place = clauses_of(f"put it {phrase}")[0].place
            places.insert(0, (what, place))
        again = kind != "axes" and is_named_before(what, text[:start])
        rest = f"{rest[: start if again else first]}\0{rest[last:]}"
    return PlaceWords(tidy(rest) if words else request, tuple(places), tuple(words), right, is_one)


def _is_place(words: str, before: str) -> bool:
    """Whether words tell where in the figure something stands: not `in a lower panel`, which is one of its own."""
    return _SAID.search(words) is not None and not _OWN.search(words) and not re.search(r"\btop *$", before, re.IGNORECASE)


def with_places(plan: Plan, words: PlaceWords, file: PipelineFile, table: Table) -> Plan:
    """A plan, of which a file is on the table, with its panels and axes as the request says.

    Raises
    ------
    OpenQuestion
        Something that is named is not in the figure, or cannot share a panel.
    """
    for what, place in words.places:
        move(table, list(dict.fromkeys(line.panel for line in _lines(what, table))), place)
    if words.is_one_panel:
        put_together(table, right=_lines(words.right, table) if words.right else ())
    pipeline = apply_edits(file, [*table.edits, *retold(file, table.edits, table.offers.catalog)]).pipeline
    return replace(plan, pipeline=pipeline, notes=(*plan.notes, *table.notes))


def _lines(what: str, table: Table) -> Sequence[Line]:
    """The lines that words name; of what is drawn as measured and treated, those that the words say."""
    plain = _ITSELF.sub(" ", what).split()
    for words in (what, *(" ".join(plain[first:]) for first in range(len(plain)))):  # `spectrogram` of `ion energy spectrogram`
        target = table.plotted.target(words)
        if target is not None and target.is_named and not target.unknown:
            made = {line.trace.data: {step.id for step in table.plotted.upstream(line.trace.data)} for line in target.lines}
            of = [line for line in target.lines if sum(line.trace.data in steps for steps in made.values()) > 1]
            return of if of and _RAW.search(what) else target.lines
    raise NotUnderstood(f"I do not see {what!r} as a panel of the figure. Which one do you mean?")

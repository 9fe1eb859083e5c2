"""The words of a new request for where something stands: `Bz on top`, `with the raw field above`, `on two axes`.

They are read as in a change of the figure on the table, and carried out on the plan of the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from helio_dagster.agent.answers import NotUnderstood, Plan
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.retelling import retold
from helio_dagster.agent.offline.edits.arranging import move, put_together
from helio_dagster.agent.offline.edits.slots import clauses_of, tokens_of
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.offline.wording import is_named_before, tidy, without_frame
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.pipeline_edit import apply_edits

_SAID = re.compile(r"\b(?:top|bottom|upper\w*|lower\w*|above|below|beneath|under(?:neath)?)\b", re.IGNORECASE)
_LIMIT = re.compile(r"\s*(?!\d{4}-\d|\d{1,2} [a-z]{3,})[-+−]?\d", re.IGNORECASE)
"""A number that is no date."""
_LEAD = re.compile(r"\b(?:on|for|in|during|from|at) (?:the )?$", re.IGNORECASE)
_OWN = re.compile(r"\ban? ", re.IGNORECASE)
_BREAK = re.compile(r"[,;:]\s*|\b(?:and|with|plus)\s+", re.IGNORECASE)
_TWO_AXES = re.compile(
    r"(?:with|on|using|over) (?:the )?(?:two|2|twin|dual|double|both|separate|different|left and right)"
    r"(?: (?:y|different|separate))*[- ]?(?:axes|axis)\b",
    re.IGNORECASE,
)
_RIGHT = re.compile(
    r"(?:on|with|using|over) (?:the |a |its |an )?(?:own )?(?:second|secondary|right)(?:[- ]hand)?(?: side)?(?: y)?[- ]?axis\b",
    re.IGNORECASE,
)
_ONE_PANEL = re.compile(r"(?:in|on|into) (?:one|a single|the same|a) (?:panel|plot|graph)\b|overplot(?:ted)?\b", re.IGNORECASE)
_LIMITED = re.compile(
    r"\b(?:where|when|while|if|is|was|are|were|stays?|rises?|goes|exceeds?|average|mean|median|zero)\b|\d", re.IGNORECASE
)
_RAW = re.compile(r"\b(?:itself|themselves|raw|original|measured|un[a-z]+ed)\b", re.IGNORECASE)
_ITSELF = re.compile(r"\b(?:itself|themselves|the|its|their|data)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Placed:
    """What stands where: `on top` of the figure, or above or below another panel, whose words are in `beside`."""

    what: str
    place: str
    beside: str = ""


@dataclass(frozen=True)
class PlaceWords:
    """A request without its words for places, what stands where, and the words; `right` has an axis at the right.

    `is_one_panel` where all are in one panel with two axes.
    """

    request: str
    places: tuple[Placed, ...]
    words: str
    right: str
    is_one_panel: bool

    def of(self, plan: Plan, table: Table) -> Plan:
        """The plan with its panels and axes there.

        Raises
        ------
        OpenQuestion
            Something that is named is not in the figure, or cannot share a panel.
        """
        file = table.plotted.file
        for each in self.places:
            beside = _lines(each.beside, table) if each.beside else None
            move(table, list(dict.fromkeys(line.panel for line in _lines(each.what, table))), each.place, beside)
        if self.is_one_panel:
            put_together(table, right=_lines(self.right, table) if self.right else ())
        told = retold(file, table.edits, table.offers.catalog, plan.assumed, table.new_assumed)
        pipeline = apply_edits(file, [*table.edits, *told.edits]).pipeline
        return replace(plan, pipeline=pipeline, assumed=told.assumed, notes=(*plan.notes, *table.notes))


def find_places(request: str, now: datetime) -> PlaceWords | None:
    """The words for places taken out of a request; a limit has a number behind `above` and `below`, and is none of them."""
    time = find_span(request, now)
    text = request
    if time is not None:
        first = lead.start() if (lead := _LEAD.search(request[: time.first])) is not None else time.first
        text = f"{request[:first]}{' ' * (time.last - first)}{request[time.last :]}"
    rest, places, words, right = request, list[Placed](), list[str](), ""
    said = [(each.first, each.last, each.kind) for each in tokens_of(text.rstrip()) if each.kind in ("place", "beside")]
    said = [each for each in said if _is_place(text[each[0] : each[1]], text[: each[0]], request[each[1] :])]
    right_axis, two_axes = _RIGHT.search(text), _TWO_AXES.search(text)
    is_one = right_axis is not None or two_axes is not None
    said += [(each.start(), each.end(), "right") for each in (right_axis,) if each is not None]
    said += [(each.start(), each.end(), "axes") for each in (two_axes, _ONE_PANEL.search(text)) if is_one and each is not None]
    for first, last, kind in sorted(said, reverse=True):
        phrase = text[first:last].strip()
        start = max((each.end() for each in _BREAK.finditer(text, 0, first)), default=0)
        what = text[start:first].strip()
        more = _BREAK.split(text[last:], maxsplit=1)[0].strip()
        if kind == "axes":
            rest = f"{rest[:first]}\0{rest[last:]}"
        elif kind == "beside":
            if not (_names_a_quantity(what, now) and _names_a_quantity(more, now)):
                continue
            phrase = f"{phrase} {more}"
            end = last + len(text[last:]) - len(text[last:].lstrip()) + len(more)
            again = is_named_before(what, text[:start]) and is_named_before(more, text[:start])
            rest = f"{rest[:start]}\0{rest[end:]}" if again else f"{rest[:first]}and{rest[last:]}"
        elif what:
            again = not more and is_named_before(what, text[:start])  # more are looks: `SYM-H at the bottom in red`
            rest = f"{rest[: start if again else first]}\0{rest[last:]}"
        else:
            continue
        words.insert(0, f"{what} {phrase}" if kind != "axes" else phrase)
        right = what if kind == "right" else right
        if kind in ("place", "beside"):
            clause = clauses_of(f"put it {phrase}")[0]
            places.insert(0, Placed(what, clause.place, clause.beside))
    return PlaceWords(tidy(rest), tuple(places), ", ".join(words), right, is_one) if words else None


def _names_a_quantity(words: str, now: datetime) -> bool:
    """Whether words name data and no limit of them."""
    reading = read_request(words, now)
    return bool(reading.all(Measured) or reading.all(Derived)) and _LIMITED.search(words) is None


def _is_place(words: str, before: str, behind: str) -> bool:
    """Whether words tell where in the figure something stands: not `in a lower panel`, which is one of its own, nor a limit."""
    if _LIMIT.match(behind) is not None or re.search(r"\btop *$", before, re.IGNORECASE):
        return False
    return _SAID.search(words) is not None and not _OWN.search(words)


def _lines(what: str, table: Table) -> Sequence[Line]:
    """The lines that words name; of what is drawn as measured and treated, those that the words say."""
    plain = _ITSELF.sub(" ", without_frame(what)).split()
    for words in (what, *(" ".join(plain[first:]) for first in range(len(plain)))):  # `spectrogram` of `ion energy spectrogram`
        target = table.plotted.target(words)
        if target is not None and target.is_named and not target.unknown:
            made = {line.trace.data: {step.id for step in table.plotted.upstream(line.trace.data)} for line in target.lines}
            of = [line for line in target.lines if sum(line.trace.data in steps for steps in made.values()) > 1]
            return of if of and _RAW.search(what) else target.lines
    raise NotUnderstood(f"I do not see {what!r} as a panel of the figure. Which one do you mean?")

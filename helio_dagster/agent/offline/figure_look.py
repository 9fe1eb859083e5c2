"""A new request that says how its figure shall look: `in red`, `on a log scale`. It is planned, then its figure changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.offline.figure_edits import read_figure_edit
from helio_dagster.agent.offline.meanings import Filler, Unclear
from helio_dagster.agent.offline.plotted_figure import PlottedFigure
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.pipeline_edit import Edit, apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile, dump_pipeline, parse_pipeline

_MOST_WORDS = 12


@dataclass(frozen=True)
class Looks:
    """A request without its words for the figure, and these, place by place, with the small words beside them."""

    request: str
    places: tuple[str, ...]


def find_looks(reading: Reading) -> Looks:
    """The words that are not understood taken out of a request."""
    return _without(reading, list(_places(reading)))


def understood_looks(reading: Reading, plan: Plan, offers: Offers, now: datetime) -> Looks | None:
    """The places that change the figure of a plan; None if none does. The others stay in the request."""
    file = _file(plan)
    places = [(first, last) for first, last in _places(reading) if _edits(reading.request[first:last], file, offers, now)]
    return _without(reading, places) if places else None


def with_looks(plan: Plan, looks: Looks, offers: Offers, now: datetime) -> Plan:
    """The plan with its figure changed as the words say."""
    file = _file(plan)
    for place in looks.places:
        file = apply_edits(file, _edits(place, file, offers, now) or [])
    return replace(plan, pipeline=file.pipeline)


def _without(reading: Reading, places: list[tuple[int, int]]) -> Looks:
    text = reading.request
    for first, last in reversed(places):
        text = f"{text[:first]} {text[last:]}"
    return Looks(" ".join(text.split()), tuple(reading.request[first:last] for first, last in places))


def _file(plan: Plan) -> PipelineFile:
    return parse_pipeline(dump_pipeline(plan.pipeline), file=f"{plan.pipeline.name}.yaml")


def _places(reading: Reading) -> Iterator[tuple[int, int]]:
    """Where words that are not understood stand, each stretch up to the next words that mean something."""
    heard = reading.heard or reading.mentions
    meant = [each for each in heard if not isinstance(each.meaning, Filler | Unclear)]
    borders = sorted((each.first, each.last) for each in meant)
    if reading.time is not None:
        borders = sorted([*borders, (reading.time.first, reading.time.last)])
    edges = [0, *(edge for border in borders for edge in border), len(reading.request)]
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        if any(first <= each.first and each.last <= last for each in reading.unknown):
            yield first, last


def _edits(place: str, file: PipelineFile, offers: Offers, now: datetime) -> list[Edit] | None:
    """The changes that some of the words say, as many as can be, all that are not understood among them."""
    plotted = PlottedFigure(file, offers, now)
    for phrase in _phrases(place):
        for parts in _in_parts(phrase):
            try:
                edits = [read_figure_edit(part, plotted) or read_figure_edit(f"make it {part}", plotted) for part in parts]
            except OpenQuestion:
                continue
            if all(edits):
                return [edit for each in edits for edit in each or []]
    return None


def _phrases(place: str) -> Iterator[str]:
    """The words, then fewer of them: small words at both ends may belong to what stands beside."""
    words = re.findall(r"[^\s,;.!?]+(?:\.\d+)?", place)
    if len(words) > _MOST_WORDS:
        return
    small = [re.fullmatch(_SMALL, word, re.IGNORECASE) is not None for word in words]
    leading = next((at for at, is_small in enumerate(small) if not is_small), len(words))
    trailing = next((at for at, is_small in enumerate(reversed(small)) if not is_small), len(words))
    for first in range(leading + 1):
        for last in range(trailing + 1):
            yield " ".join(words[first : len(words) - last])


def _in_parts(phrase: str) -> Iterator[list[str]]:
    """A phrase as a whole, then in two: `thick green`."""
    words = phrase.split()
    yield [phrase]
    yield from ([" ".join(words[:at]), " ".join(words[at:])] for at in range(1, len(words)))


_SMALL = (
    "plot|show|draw|make|give|me|us|it|them|please|and|with|using|as|on|in|of|for|at|by|a|an|the|its|is|to|be|all"
    "|lines?|curves?|traces?|colou?r"
)

"""How far around events is drawn, changed in the figure on the table: `2 days before to 4 days after`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.around_events import spoken_panels, spoken_window
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.catalog.times.lengths import LENGTH, LONGEST, read_length
from helio_dagster.domain.pipeline import EventWindows
from helio_dagster.domain.time_range import format_duration, parse_duration

_LEAD = r"(?:(?:make|it|show|draw|plot|use|take|change|the|window|to|from|with|go|only)\s+)*"
_END = r"(?:\s+(?:of\s+)?(?:each|them|it|every event|the events?))?(?:\s+instead)?"
_BOTH = re.compile(
    rf"{_LEAD}(?P<sign>within\s+|±\s*|\+/?-\s*)?{LENGTH}"
    rf"(?P<sides>\s+(?:on\s+)?(?:either|both|each)\s+sides?|\s+before\s+and\s+after)?{_END}",
    re.IGNORECASE,
)
_UNNAMED = re.sub(r"\?P<\w+>", "?:", LENGTH)
_TWO = re.compile(
    rf"{_LEAD}(?P<first>{_UNNAMED})\s+before,?(?:\s+(?:to|until|till|and))?,?\s+(?P<second>{_UNNAMED})\s+after{_END}",
    re.IGNORECASE,
)
_ONE = re.compile(LENGTH, re.IGNORECASE)


def move_window(text: str, table: Table) -> bool:
    """Draw other lengths around events; False where the sentence says no such thing, or nothing is drawn around events.

    Raises
    ------
    OpenQuestion
        The windows are the partitions, or the lengths are not whole numbers of the bins.
    """
    lengths = _lengths_in(text)
    pipeline = table.plotted.pipeline
    epochs = [step for step in pipeline.steps if step.compute and step.compute.operation == "superposed_epoch"]
    places = [place for place, panel in enumerate(table.plotted.panels) if panel.each is not None]
    if lengths is None or not (epochs or places):
        return False
    if isinstance(pipeline.partitions, EventWindows):
        told = "The windows around the events are the partitions of this pipeline, which stay as they were planned."
        raise OpenQuestion(f"{told} Say the whole request with the new lengths, or change `partitions` in the file.")
    before, after = (format_duration(each) for each in lengths)
    new: dict[str, str] = {}
    for step in epochs:
        options = step.compute.options if step.compute else {}
        was_before, was_after, width = (parse_duration(str(options[name])) for name in ("before", "after", "bin"))
        if any(each % width for each in lengths):
            told = f"Windows are whole numbers of their bins, which are {spoken_alone(width)} here."
            raise OpenQuestion(f"{told} Which lengths do you want?")
        table.change(step.id, {"compute.options.before": before, "compute.options.after": after})
        for is_assumed in (True, False):
            new[spoken_window(was_before, was_after, width, is_assumed=is_assumed)] = spoken_window(*lengths, width)
    for place in places:
        each = table.plotted.panels[place].each
        assert each is not None  # noqa: S101 - chosen so
        new[spoken_panels(each.before, each.after)] = spoken_panels(*lengths)
        table.draw({f"figure.panels[{place}].each.before": before, f"figure.panels[{place}].each.after": after})
    _say(new, pipeline.assumptions, table)
    return True


def _lengths_in(text: str) -> tuple[timedelta, timedelta] | None:
    """The lengths before and after that a sentence names; None where it names none."""
    both, two = _BOTH.fullmatch(text), _TWO.fullmatch(text)
    if two is not None:
        found = [read_length(length) for name in ("first", "second") if (length := _ONE.fullmatch(two[name]))]
    elif both is not None and (both["sign"] or both["sides"]):
        found = [read_length(both)] * 2
    else:
        return None
    first, second = found
    return (first, second) if all(timedelta(0) < each <= LONGEST for each in found) else None


def _say(new: Mapping[str, str], old: Sequence[str], table: Table) -> None:
    """Say the new lengths among the assumptions in the place of the old ones, which no longer stand there."""
    was_assumed = "How far around the events is shown is assumed: the request does not say it."
    told = [new.get(each, each) for each in old if each != was_assumed]
    table.describe({"assumptions": told} if told != list(old) else {})

"""How far around events is drawn, changed in the figure on the table: `2 days before to 4 days after`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.around_events import REACH_IS_ASSUMED, spoken_panels, spoken_window
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.treatments import Transform
from helio_dagster.catalog.times.lengths import LONGEST, find_length
from helio_dagster.domain.pipeline import EventWindows
from helio_dagster.domain.time_range import format_duration, parse_duration


def move_window(text: str, table: Table) -> bool:
    """Draw other lengths around events; False where the sentence says no such thing, or nothing is drawn around events.

    Raises
    ------
    OpenQuestion
        The windows are the partitions, or the lengths are not whole numbers of the bins.
    """
    lengths = _lengths_in(text, table.now)
    pipeline = table.plotted.pipeline
    epochs = [step for step in pipeline.steps if step.compute and step.compute.operation == "superposed_epoch"]
    places = [place for place, panel in enumerate(table.plotted.panels) if panel.each is not None]
    if lengths is None or not (epochs or places):
        return False
    if isinstance(pipeline.partitions, EventWindows):
        stated = "The windows around the events are the partitions of this pipeline, which stay as they were planned."
        raise OpenQuestion(f"{stated} Say the whole request with the new lengths, or change `partitions` in the file.")
    before, after = (format_duration(each) for each in lengths)
    new: dict[str, str] = {}
    for step in epochs:
        options = step.compute.options if step.compute else {}
        was_before, was_after, width = (parse_duration(str(options[name])) for name in ("before", "after", "bin"))
        if any(each % width for each in lengths):
            stated = f"Windows are whole numbers of their bins, which are {spoken_alone(width)} here."
            raise OpenQuestion(f"{stated} Which lengths do you want?")
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


def _lengths_in(text: str, now: datetime) -> tuple[timedelta, timedelta] | None:
    """The lengths before and after that a sentence names; None where it names none."""
    match, words = matched("around.window", text), form("step_options.lead").sub("", text)
    reading = read_request(words, now) if match is None and re.search(r"\d.* before\b.*\bafter\b", words) else None
    said = [each.options for each in reading.all(Transform) if each.operation == "superposed_epoch"] if reading else []
    if match is not None:
        lengths = find_length(match["first"]), find_length(match["second"] or match["first"])
    elif len(said) == 1 and {"before", "after"} <= said[0].keys() and reading is not None and not reading.unknown:
        lengths = parse_duration(str(said[0]["before"])), parse_duration(str(said[0]["after"]))
    else:
        return None
    before, after = (each or timedelta(0) for each in lengths)
    return (before, after) if all(timedelta(0) < each <= LONGEST for each in (before, after)) else None


def _say(new: Mapping[str, str], old: Sequence[str], table: Table) -> None:
    """Say the new lengths among the assumptions in the place of the old ones, which no longer stand there."""
    stated = [new.get(each, each) for each in old if each != REACH_IS_ASSUMED]
    table.describe({"assumptions": stated} if stated != list(old) else {})

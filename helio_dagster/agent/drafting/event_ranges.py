"""Plans whose partitions are events: the range from the first of them to the last, and the list of several times."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.intent import Windows
from helio_dagster.domain.event_table import read_events
from helio_dagster.domain.pipeline import EventTable
from helio_dagster.domain.time_range import TimeRange, format_time, ns_to_datetime
from helio_dagster.domain.yaml.document import Value


def draft_dates(draft: StepDraft, dates: Sequence[TimeRange]) -> Windows:
    """Add the table of several times, each of which is a partition with a figure of its own."""
    rows = [f"{format_time(each.start)},{format_time(each.stop)}" for each in dates]
    table: Value = {"csv": "\n".join(["start,stop", *rows]), "source": "named in the request"}
    draft.steps.append({"id": "dates", "intent": "The times that are asked for", "table": table})
    draft.assumptions.say(
        f"Each of the {len(dates)} times has a figure of its own: another one is added as a row of the table `dates`."
    )
    return Windows("dates", "PT0S", "PT0S")


def range_of_events(table: EventTable) -> TimeRange:
    """The whole days in which the events of a table start.

    Raises
    ------
    EventTableError
        The rows cannot be read.
    """
    times = read_events(table).time
    first, last = (
        ns_to_datetime(moment).replace(hour=0, minute=0, second=0, microsecond=0) for moment in (times[0], times[-1])
    )
    return TimeRange(first, last + timedelta(days=1))

"""When a pipeline runs by itself, in words: `scheduled each morning 06:00 UTC, data lag 3 days, from 2024-01-01`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.drafting.drafter import as_file
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.reading_ahead import late_for_events
from helio_dagster.agent.offline.forms import form
from helio_dagster.catalog.times.lengths import LENGTH, read_length
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import EditPipeline, apply_edits
from helio_dagster.domain.time_range import format_duration, format_time

_NAMED = {"hour": "0 * * * *", "week": "weekly", "month": "monthly"}
_DAYS_OF_EACH_MONTH = 28
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


@dataclass(frozen=True)
class ScheduleWords:
    """A request without the words of its schedule; what they say."""

    request: str
    words: str
    schedule: str
    lag: timedelta | None
    grain: Grain | None

    @property
    def is_open(self) -> bool:
        """Whether the range of the request is where the data begin, and nothing says where they stop."""
        return form("schedule.since").search(self.request) is not None

    def of(self, plan: Plan) -> Plan:
        """The plan as a pipeline that runs by itself."""
        pipeline = plan.pipeline
        if self.grain is not None and not pipeline.is_over_events:
            pipeline = pipeline.model_copy(update={"partitions": self.grain})
        changes, notes = changes_of(self.schedule, self.lag, pipeline)
        if self.is_open and plan.span is not None:
            changes["start"] = format_time(plan.span.start)
        edited = apply_edits(as_file(pipeline), [EditPipeline(kind="edit_pipeline", changes=changes)])
        return replace(plan, pipeline=edited.pipeline, notes=(*plan.notes, *notes))


def find_schedule(request: str) -> ScheduleWords | None:
    """The schedule that a request asks for; None where it asks for none."""
    found = form("schedule.said").search(request)
    if found is None:
        return None
    words, rest = [found[0]], f"{request[: found.start()]}{request[found.end() :]}"
    lag = form("schedule.lag").search(rest)
    if lag is not None:
        words, rest = [*words, lag[0]], f"{rest[: lag.start()]}{rest[lag.end() :]}"
    asset = form("schedule.asset").match(rest)
    if asset is not None:
        rest = rest[asset.end() :]
    rest = form("schedule.from").sub("since ", rest)
    grain = Grain(asset["grain"].lower()) if asset is not None else None
    length = read_length(next(re.finditer(LENGTH, lag[0], re.IGNORECASE))) if lag else None
    removed = ", ".join(each.strip(" ,;.") for each in words)
    return ScheduleWords(rest.strip(" ,;"), removed, _cron(found), length, grain)


def changes_of(schedule: str, lag: timedelta | None, pipeline: Pipeline) -> tuple[dict[Any, Any], tuple[str, ...]]:
    """What changes in a pipeline that gets a schedule; what is around events is made once its data are there."""
    changes: dict[Any, Any] = {"schedule": schedule or None}
    if lag is not None:
        return {**changes, "lag": format_duration(lag)}, ()
    late = late_for_events(pipeline) if schedule and pipeline.lag is None and not pipeline.is_over_events else None
    if not late:
        return changes, ()
    note = f"Each run is of days that are {spoken_alone(late)} old: so far ahead reads what is drawn around an event."
    return {**changes, "lag": format_duration(late)}, (note,)


def schedule_of(often: str) -> str:
    """The schedule that a word such as `nightly`, or a unit, names: `daily`, `0 * * * *`."""
    return _NAMED.get({"daily": "day"}.get(often, often.removesuffix("ly")), "daily")


def _cron(found: re.Match[str]) -> str:
    """The schedule with its time of the day; midnight where none is given."""
    parts = found.groupdict()
    often = (parts["unit"] or parts["word"] or parts["adjective"] or "month").lower()
    hour, minute = parts["hour"] or parts["then_hour"], parts["minute"] or parts["then_minute"] or "0"
    if named := parts["named"] or parts["then_named"]:
        hour = "0" if named.lower() == "midnight" else "12"
    if parts["day"]:
        nth = int(re.sub(r"\D", "", parts["day"]) or 1)
        if not 0 < nth <= _DAYS_OF_EACH_MONTH:
            raise OpenQuestion(
                f"Not every month has a day {nth}. On which day up to {_DAYS_OF_EACH_MONTH} do you want it to run?"
            )
        return f"{int(minute)} {int(hour or 0)} {nth} * *"
    weekday = next((place for place, name in enumerate(_WEEKDAYS) if often.startswith(name)), None)
    weekday = None if often.startswith("month") else weekday
    schedule = schedule_of(often)
    if weekday is not None:
        return f"{int(minute)} {int(hour or 0)} * * {weekday}"
    if hour is None:
        return schedule
    if schedule.startswith("0 *"):
        raise OpenQuestion(f"{found[0].strip(' ,')!r} names an hour of the day and every hour. Which one do you want?")
    day, of_week = ("1" if schedule == "monthly" else "*"), ("1" if schedule == "weekly" else "*")
    return f"{int(minute)} {int(hour)} {day} * {of_week}"

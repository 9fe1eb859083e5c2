"""Sentences that change nothing of the figure: undo, a step kept as an operation, a schedule, and what other commands do."""

from __future__ import annotations

from typing import Any

from helio_dagster.agent.answers import Answer, Edits, Information, Keep, Undo
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.reading_ahead import late_for_events
from helio_dagster.agent.offline.edits.forms import form, matched, rows
from helio_dagster.agent.offline.edits.plotted_figure import bare
from helio_dagster.agent.planner import Current
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import EditPipeline
from helio_dagster.domain.time_range import format_duration, format_time
from helio_dagster.domain.time_words import NUMBER_WORDS

_SCHEDULES = {"hour": "0 * * * *", "week": "weekly", "month": "monthly"}


def read_command(text: str, current: Current) -> Answer | None:
    """What a sentence asks for, if it is such a command; None if it is not."""
    pipeline, span = current.file.pipeline, current.span
    if matched("commands.undo", text):
        return Undo()
    if (several := matched("commands.undo_several", text)) is not None:
        word = (several["count"] or "two").lower()
        count = int(word) if word.isdecimal() else NUMBER_WORDS.get(word, 2)
        if count > 0:
            return Undo(int(count))
    keep = matched("commands.keep", text)
    if keep is not None and any(step.id == keep["step"] for step in pipeline.steps):
        return Keep(keep["step"], keep["operation"].lower())
    schedule = _schedule(text)
    if schedule is not None:
        return _scheduled(schedule, pipeline)
    sentence = next((sentence for sentence, pattern in rows("commands.txt") if pattern.fullmatch(text)), None)
    if sentence is None:
        return None
    start, stop = (format_time(span.start), format_time(span.stop)) if span else ("START", "STOP")
    last = [step.id for step in pipeline.steps if step.kind != "figure"][-1]
    return Information(sentence.format(name=pipeline.name, step=last, start=start, stop=stop))


def _scheduled(schedule: str, pipeline: Pipeline) -> Edits:
    """The schedule; what is around events is made once its data are there."""
    changes: dict[Any, Any] = {"schedule": schedule or None}
    late = late_for_events(pipeline) if schedule and pipeline.lag is None and not pipeline.is_over_events else None
    if not late:
        return Edits((EditPipeline(kind="edit_pipeline", changes=changes),))
    note = f"Each run is of days that are {spoken_alone(late)} old: so far ahead reads what is drawn around an event."
    return Edits((EditPipeline(kind="edit_pipeline", changes={**changes, "lag": format_duration(late)}),), notes=(note,))


def _schedule(text: str) -> str | None:
    """How often the pipeline shall run by itself; empty for never, None where the sentence does not say."""
    if matched("commands.never", text):
        return ""
    match = form("commands.every").search(text)
    if match is None or (match["word"] and match["run"].lower() in ("do", "make")):
        return None
    if bare(f"{text[: match.start()]} {match['between']} {text[match.end() :]}") not in ("", "pipeline"):
        return None
    unit = (match["unit"] or {"daily": "day"}.get(match["word"].lower(), match["word"].lower().removesuffix("ly"))).lower()
    return _SCHEDULES.get(unit, "daily")

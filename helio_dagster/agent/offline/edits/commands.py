"""Sentences that change nothing of the figure: undo, a step kept as an operation, a schedule, and what other commands do."""

from __future__ import annotations

from helio_dagster.agent.answers import Answer, Edits, Information, Keep, Undo
from helio_dagster.agent.offline.edits.forms import form, matched, rows
from helio_dagster.agent.offline.edits.plotted_figure import bare
from helio_dagster.agent.offline.schedule_words import changes_of, find_schedule, schedule_of
from helio_dagster.agent.planner import Current
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import EditPipeline
from helio_dagster.domain.time_range import format_time
from helio_dagster.domain.time_words import NUMBER_WORDS


def read_command(text: str, current: Current) -> Answer | None:
    """What a sentence asks for, if it is such a command; None if it is not."""
    pipeline, span = current.file.pipeline, current.span
    if matched("commands.undo_all", text):
        return Undo(None)
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
    words = find_schedule(f" {text}")
    if words is not None and bare(words.request) in ("", "pipeline"):
        changes, notes = changes_of(words.schedule, words.lag, pipeline)
        return Edits((EditPipeline(kind="edit_pipeline", changes=changes),), notes=notes)
    sentence = next((sentence for sentence, pattern in rows("commands.txt") if pattern.fullmatch(text)), None)
    if sentence is None:
        return None
    start, stop = (format_time(span.start), format_time(span.stop)) if span else ("START", "STOP")
    last = [step.id for step in pipeline.steps if step.kind != "figure"][-1]
    return Information(sentence.format(name=pipeline.name, step=last, start=start, stop=stop))


def _scheduled(schedule: str, pipeline: Pipeline) -> Edits:
    changes, notes = changes_of(schedule, None, pipeline)
    return Edits((EditPipeline(kind="edit_pipeline", changes=changes),), notes=notes)


def _schedule(text: str) -> str | None:
    """How often the pipeline shall run by itself; empty for never, None where the sentence does not say."""
    if matched("commands.never", text):
        return ""
    match = form("commands.every").search(text)
    if match is None or (match["word"] and match["run"].lower() in ("do", "make")):
        return None
    if bare(f"{text[: match.start()]} {match['between']} {text[match.end() :]}") not in ("", "pipeline"):
        return None
    return schedule_of((match["unit"] or match["word"]).lower())

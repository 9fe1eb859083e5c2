"""Sentences that change nothing of the figure: undo, a step kept as an operation, a schedule, and what other commands do."""

from __future__ import annotations

import re
from typing import Any

from helio_dagster.agent.answers import Answer, Edits, Information, Keep, Undo
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.offline.edits.plotted_figure import bare
from helio_dagster.agent.offline.edits.reading_ahead import late_for_events
from helio_dagster.agent.planner import Current
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import EditPipeline
from helio_dagster.domain.time_range import format_duration, format_time
from helio_dagster.domain.time_words import NUMBER_WORDS

_UNDO = re.compile(
    r"(?:undo|revert|cancel|go back|never ?mind|step back)"
    r"(?: (?:to )?(?:that|it|this|(?:the )?(?:last|previous) (?:change|edit|one|step|version)))?"
    r"|(?:take|put) (?:that|it|this) back|(?:go |put it |bring it )?back to (?:how|what|the way) it was(?: before)?",
    re.IGNORECASE,
)
_UNDO_SEVERAL = re.compile(
    r"(?:undo|revert|take back|go back|scrap|forget|discard|cancel|drop|throw away)(?: by)?(?: (?:the )?(?:last|"
    r"previous))? (?P<count>\d{1,2}|"
    rf"{'|'.join(NUMBER_WORDS)}|both) ?(?:changes|edits|steps|times|of them)?|undo (?P<twice>twice)",
    re.IGNORECASE,
)
_KEEP = re.compile(
    r"(?:save|keep|store) (?:the )?(?:step |code of )?(?P<step>[a-z]\w*) as (?:an |the )?(?:operation )?(?:called |named )?"
    r"(?P<operation>[a-z]\w*)",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"\b(?P<run>(?:re)?run|replay|repeat|update|updated|refresh|refreshed|schedule|scheduled|do|make|automatically)\b"
    r"(?P<between>.*?) ?\b(?:(?:every|each) (?P<unit>hour|day|night|morning|evening|week|month)"
    r"|(?P<word>hourly|daily|nightly|weekly|monthly))",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"(?:remove|drop|stop|delete|turn off|switch off|cancel|end|no) (?:the |its |this )?schedul(?:e|ing)|unschedule(?: it)?",
    re.IGNORECASE,
)
_SCHEDULES = {"hour": "0 * * * *", "week": "weekly", "month": "monthly"}
_IT = r"(?:it|this|that|(?:the|this|my) (?:pipeline|plan|file|plot|figure))"
_DATA = r"(?:(?:the|all|its|my) )?(?:data|values|numbers|table|it)"
_COMMANDS = (
    (
        r"(?:(?:looks?|that'?s|all) (?:good|great|fine|perfect|right|nice)[,;. ]+)?(?:and )?(?:(?:now|please|just|then) )*"
        rf"(?:run|go|execute|do|approve|accept|start)(?: (?:{_IT}|ahead))?(?:,? (?:please|now|then))?",
        "The plan is as you want it: say `approve`, which saves and runs it.",
    ),
    (
        rf"(?:how (?:do|can|could) (?:i|we|you) |(?:can|could) (?:i|we|you) )?(?:export|download|save|write|get|dump|"
        rf"have) (?:me )?"
        rf"(?:{_DATA} )?(?:out )?(?:as|to|in|into) (?:an? )?"
        rf"(?:csv|parquet|netcdf|cdf|excel|text|ascii|file|table)s?(?: files?)?|(?:export|download|dump) {_DATA}",
        "A table is written to a file by: helio export {name}/{step} {start} {stop} -o {step}.csv (or .cdf, .nc, .parquet). "
        'From Python: helio_dagster.read("{step}", "{start}", "{stop}", pipeline="{name}").',
    ),
    (
        rf"(?:save|export|download|write|get|print|make) (?:me )?(?:(?:{_IT}|the figure|the plot) )?"
        r"(?:as |to |in |into )?(?:an? )?(?:pdf|png|svg)s?(?: files?| of it)?",
        "A figure is saved, once the plan is approved, by: helio figure {name} {start} {stop} -o {name}.pdf (or .png, .svg).",
    ),
    (
        rf"(?:rename {_IT}(?: (?:to|as|into))?|(?:save|store|keep) {_IT} (?:as|under)(?: the name)?|name {_IT}) [\w -]+"
        rf"|(?:call|name) {_IT} \w+(?:_\w+| and (?:save|keep|store|approve)(?: it)?)(?: and (?:save|keep|store|"
        rf"approve)(?: it)?)?",
        "It is saved as {name}.yaml when you approve it. Another name is given by: helio pipelines rename {name} NEW. "
        "What stands above the figure is changed by: title it NEW TITLE.",
    ),
    (
        rf"(?:delete|remove|erase|throw away) {_IT}",
        "A saved pipeline is deleted by: helio pipelines rm {name}. What it made stays until helio prune.",
    ),
    (
        rf"(?:share|send|e-?mail|publish|hand over) {_IT}.*",
        "A pipeline is one file, {name}.yaml: give it to somebody as it is, or with what it needs by: "
        "helio pipelines export {name} -o {name}.yaml.",
    ),
)


def read_command(text: str, current: Current) -> Answer | None:
    """What a sentence asks for, if it is such a command; None if it is not."""
    pipeline, span = current.file.pipeline, current.span
    if _UNDO.fullmatch(text):
        return Undo()
    if (several := _UNDO_SEVERAL.fullmatch(text)) is not None:
        word = (several["count"] or "two").lower()
        count = int(word) if word.isdecimal() else NUMBER_WORDS.get(word, 2)
        if count > 0:
            return Undo(int(count))
    keep = _KEEP.fullmatch(text)
    if keep is not None and any(step.id == keep["step"] for step in pipeline.steps):
        return Keep(keep["step"], keep["operation"].lower())
    schedule = _schedule(text)
    if schedule is not None:
        return _scheduled(schedule, pipeline)
    told = next((told for pattern, told in _COMMANDS if re.fullmatch(pattern, text, re.IGNORECASE)), None)
    if told is None:
        return None
    start, stop = (format_time(span.start), format_time(span.stop)) if span else ("START", "STOP")
    last = [step.id for step in pipeline.steps if step.kind != "figure"][-1]
    return Information(told.format(name=pipeline.name, step=last, start=start, stop=stop))


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
    if _NEVER.fullmatch(text):
        return ""
    match = _EVERY.search(text)
    if match is None or (match["word"] and match["run"].lower() in ("do", "make")):
        return None
    if bare(f"{text[: match.start()]} {match['between']} {text[match.end() :]}") not in ("", "pipeline"):
        return None
    unit = (match["unit"] or {"daily": "day"}.get(match["word"].lower(), match["word"].lower().removesuffix("ly"))).lower()
    return _SCHEDULES.get(unit, "daily")

"""What is not said in a conversation but done by another command: files of data, names, figures. It tells which."""

from __future__ import annotations

import re

from helio_dagster.agent.answers import Information
from helio_dagster.agent.planner import Current
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import format_time

_IT = r"(?:it|this|that|(?:the|this|my) (?:pipeline|plan|file))"
_COMMANDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), told)
    for pattern, told in (
        (
            r"(?:export|download|save|write|get|dump) (?:me )?(?:(?:the|all|its|my) )?(?:data|values|numbers|table|it) ?"
            r"(?:as|to|in|into) (?:an? )?(?:csv|parquet|netcdf|cdf|excel|text|ascii|file|table)s?(?: files?)?"
            r"|(?:export|download|dump) (?:(?:the|all|its|my) )?(?:data|values|numbers|table|it)",
            "A table is written to a file by: helio export {name}/{step} {start} {stop} -o {step}.csv (or .parquet). "
            'From Python: helio_dagster.read("{step}", "{start}", "{stop}", pipeline="{name}").',
        ),
        (
            rf"(?:rename {_IT}(?: (?:to|as|into))?|(?:save|store|keep) {_IT} (?:as|under)(?: the name)?|name {_IT}) [\w -]+",
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
)


def read_other_command(text: str, current: Current) -> Information | None:
    """What does what is asked for; None where the sentence asks for no such thing."""
    told = next((told for pattern, told in _COMMANDS if pattern.fullmatch(text)), None)
    if told is None:
        return None
    pipeline, span = current.file.pipeline, current.span
    start, stop = (format_time(span.start), format_time(span.stop)) if span else ("START", "STOP")
    return Information(told.format(name=pipeline.name, step=_last_step(pipeline), start=start, stop=stop))


def _last_step(pipeline: Pipeline) -> str:
    """The step that a person most likely wants: the last that has a table."""
    return [step.id for step in pipeline.steps if step.kind != "figure"][-1]

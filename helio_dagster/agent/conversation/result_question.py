"""Read a question about results: which statistic of which steps, and when. A sentence is read whole or not at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Literal

from helio_dagster.agent.planner import Current
from helio_dagster.catalog.missions import mission_of
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.time_range import TimeRange

Statistic = Literal["maximum", "minimum", "mean", "median", "std", "at", "coverage", "count", "summary"]


@dataclass(frozen=True)
class ResultQuestion:
    """A question about what was made.

    `steps` may each be meant; `component` is x, y or z, if one is asked about. `span` is the range asked about, None if it was
    left open; `moment` is the time of a value.
    """

    statistic: Statistic
    steps: tuple[str, ...]
    component: str = ""
    span: TimeRange | None = None
    moment: datetime | None = None


_STATISTICS: tuple[tuple[Statistic, str], ...] = (
    ("std", r"standard deviation|std|scatter"),
    ("coverage", r"how many gaps|how complete|how much (?:data|of (?:it|the data)) (?:is|are|was|were) missing"
     r"|(?:longest|largest|biggest) gaps?|any gaps?|data gaps?|gaps?|coverage|missing data|data missing"),
    ("count", r"how many (?:records|samples|points|values|measurements)|number of (?:records|samples|points|values)"),
    ("summary", r"(?<!time )range|extremes?|statistics|min(?:imum)? and max(?:imum)?"),
    ("maximum", r"maximum|maxima|max|highest|largest|greatest|biggest|strongest|peak(?:ed)?(?: value)?|fastest|densest"
     r"|hottest"),
    ("minimum", r"minimum|minima|min|lowest|smallest|least|weakest|deepest|slowest"),
    ("mean", r"mean|average"),
    ("median", r"median"),
)  # fmt: skip
_BARE = re.compile(rf"(?:the )?(?:{'|'.join(pattern for _, pattern in _STATISTICS)})\b", re.IGNORECASE)
_ASKING = re.compile(
    r"(?:and |so |please |(?:can|could) you )*(?:tell me |give me )?"
    r"(?:what(?:'s| is| was| were| are)|how (?P<size>high|low|strong|fast|dense|hot|large|big|deep)(?: was| were| did)"
    r"|when(?: was| were| is| did| does)?|(?:are|is|were|was) there|how (?:many|much|complete)|which (?:was|is)|at what time"
    r"(?: was| is| did)?)\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"what (?:was|were)\b", re.IGNORECASE)
_LOW = frozenset(("low", "deep"))
_NOUNS = {
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE): noun
    for words, noun in (("fast|fastest|slowest", "speed"), ("dense|densest", "density"), ("hot|hottest", "temperature"))
}
"""What a word says that is more than a statistic."""
_CLOCK = re.compile(
    r"\bat (?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?: ?(?:utc?|z))?\b", re.IGNORECASE
)
_HOURS = re.compile(
    r"(?:between|from) (?P<first>[01]?\d|2[0-3])(?::00)? (?:and|to|until) (?P<last>[01]?\d|2[0-4])(?::00)?(?: ?(?:utc?|z|h))?"
    r"(?![\w:-])",
    re.IGNORECASE,
)
_AXIS = re.compile(r"\b(?:(?P<of>[bve])[_ ]?(?P<axis>[xyz])|(?P<plain>[xyz])[- ]component)\b", re.IGNORECASE)
_AXIS_OF = {"b": "magnetic field", "v": "velocity", "e": "electric field"}
_FILLERS = re.compile(
    r"a|all|an|and|any|are|at|be|been|data|did|do|does|during|ever|for|get|got|had|has|have|here|i|in|is|it|its|made"
    r"|measured|of|on|or|our|over|overall|please|plotted|reach|reached|recorded|result|results|run|that|the|there"
    r"|these|this|those|time|us|value|values|was|were|what|when|where|whole"
)
_SAME: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split())
    for words in (
        "speed velocity v flow",
        "density n np",
        "temperature t temp",
        "field b imf magnetic",
        "magnitude strength total |b| mag btot",
        "pressure p",
        "sym-h symh sym_h",
        "f10.7 f107",
    )
)
_NOT_STATED = frozenset(
    ("fetch", "draw", "the", "of", "a", "an", "in", "and", "from", "to", "its", "over", "with", "for", "by")
)


def read_question(text: str, now: datetime, current: Current, *, is_whole_sentence: bool = False) -> ResultQuestion | None:
    """The question about results that a text asks; None if it says anything else.

    Parameters
    ----------
    text
        What the person says.
    now
        The present, aware.
    current
        The pipeline whose results are asked about.
    is_whole_sentence
        Read only sentences that are questions by themselves, not bare words such as `mean density`.

    Raises
    ------
    InputError
        It names a time that does not exist, or one whose day is not clear.
    """
    words = " ".join(text.split()).rstrip(" ?!.")
    asking = _ASKING.match(words)
    if asking is None and (is_whole_sentence or not _BARE.match(words)):
        return None
    try:
        when = _take_time(words, now, current)
    except InputError:
        return None
    statistic, rest = _take_statistic(when.rest)
    if statistic is None and asking is not None:
        statistic = _implied(words, asking["size"], when.moment)
    if statistic is None:
        return None
    nouns = " ".join(noun for pattern, noun in _NOUNS.items() if pattern.search(words))
    rest = re.sub(r"\b(?:solar )?wind\b", " ", rest, flags=re.IGNORECASE) if nouns else rest  # `how fast was the wind`
    subject, component = _take_component(f"{_ASKING.sub('', rest, count=1)} {nouns}")
    steps = _steps_of(subject, current.file.pipeline)
    if steps and when.problem is not None:
        raise when.problem
    return ResultQuestion(statistic, steps, component, when.span, when.moment) if steps else None


def sources_of(pipeline: Pipeline, step_id: str) -> list[str]:
    """What a step is made of: archive, dataset and parameter of each fetch it reads, directly or not."""
    steps = {step.id: step for step in pipeline.nodes}
    step = steps.get(step_id.removeprefix(f"{pipeline.name}/"))
    if step is None:
        return [step_id]
    if step.fetch is not None:
        return [f"{step.fetch.archive} {step.fetch.dataset} {step.fetch.parameter}"]
    return list(dict.fromkeys(source for _, reference in step.references for source in sources_of(pipeline, reference)))


@dataclass(frozen=True)
class _When:
    """The time that a text names, and the text without it; `problem` says what is not clear about it."""

    rest: str
    span: TimeRange | None = None
    moment: datetime | None = None
    problem: InputError | None = None


def _take_statistic(text: str) -> tuple[Statistic | None, str]:
    """The statistic that a text names, and the text without its words."""
    for statistic, pattern in _STATISTICS:
        found = re.search(rf"\b(?:{pattern})\b", text, re.IGNORECASE)
        if found is not None:
            return statistic, f"{text[: found.start()]} {text[found.end() :]}"
    return None, text


def _implied(words: str, size: str | None, moment: datetime | None) -> Statistic | None:
    """What is asked about without the name of a statistic: `how high was it`, `what was the speed`."""
    if moment is not None:
        return "at"
    if size is not None:
        return "minimum" if size.lower() in _LOW else "maximum"
    return "summary" if _PAST.match(words) else None


def _take_time(text: str, now: datetime, current: Current) -> _When:
    if current.span is not None and current.span.duration <= timedelta(days=1):  # `between 6 and 12` on the day that is drawn
        clocks = rf"{current.span.start:%Y-%m-%d} \g<first>:00 to \g<last>:00"
        text = _HOURS.sub(clocks, text)
    found = find_span(text, now)
    rest = f"{text[: found.first]} {text[found.last :]}" if found else text
    if found is not None and found.span is None:
        hint = f"Write {' or '.join(found.choices)}." if found.choices else ""
        return _When(rest, problem=InputError(found.question, hint=hint))
    if found is not None and found.moment is not None:
        return _When(rest, moment=found.moment)
    span, clock = found.span if found else None, _CLOCK.search(rest)
    day = span or current.span
    if clock is None or day is None:
        return _When(rest, span)
    rest = f"{rest[: clock.start()]} {rest[clock.end() :]}"
    if day.duration > timedelta(days=1):
        hint = f"Give the day too: {clock[0]} on {day.start:%Y-%m-%d}."
        return _When(rest, problem=InputError(f"{clock[0]} is not one moment, because {day} has several days", hint=hint))
    length = timedelta(hours=int(clock["hour"]), minutes=int(clock["minute"]), seconds=int(clock["second"] or 0))
    return _When(rest, moment=datetime.combine(day.start.date(), time(), UTC) + length)


def _take_component(text: str) -> tuple[str, str]:
    found = _AXIS.search(text)
    if found is None:
        return text, ""
    if found["plain"]:
        return f"{text[: found.start()]} {text[found.end() :]}", found["plain"].lower()
    words = _AXIS_OF[found["of"].lower()]
    return f"{text[: found.start()]} {words} {text[found.end() :]}", found["axis"].lower()


def words_of(step: Step, pipeline: Pipeline) -> set[str]:
    """Words that a person may use for a step, and those that mean the same."""
    known = _words_of(step, pipeline)
    return known.union(*(group for group in _SAME if group & known))


def _steps_of(subject: str, pipeline: Pipeline) -> tuple[str, ...]:
    """The steps that a subject names: all of its words must be about the step. Without a subject, the steps that are drawn."""
    steps = [step for step in pipeline.nodes if not step.named_results]
    measured = [step for step in steps if step.kind in ("fetch", "compute") and step.over != "range"]
    phrase = re.sub(r"\bsolar wind\b", " ", subject, flags=re.IGNORECASE)
    words = [
        word for word in re.findall(r"[\w|.-]+", phrase.casefold()) if word.strip(".-") and _FILLERS.fullmatch(word) is None
    ]
    if not words:
        return tuple(step.id for step in _drawn(pipeline, measured))
    named = [step.id for step in measured if words == [step.id]]
    if named:
        return tuple(named)
    return tuple(step.id for step in measured if all(_is_about(word, step, pipeline) for word in words))


def _drawn(pipeline: Pipeline, measured: list[Step]) -> list[Step]:
    """The steps that are drawn; all if there is no figure."""
    shown = {
        trace.data.removeprefix(f"{pipeline.name}/")
        for step in pipeline.steps
        if step.figure
        for panel in step.figure.panels
        for trace in panel.traces
    }
    return [step for step in measured if step.id in shown] or measured


def _is_about(word: str, step: Step, pipeline: Pipeline) -> bool:
    known = _words_of(step, pipeline)
    singular = word.removesuffix("s") if len(word) > 3 else word
    same = {word, singular}.union(*(group for group in _SAME if word in group))
    return bool(same & known)


def _words_of(step: Step, pipeline: Pipeline) -> set[str]:
    """Words that a person may use for a step: of its id and intent, and what it fetches."""
    text = f"{step.id} {step.id.replace('_', ' ')} {step.intent}"
    for source in sources_of(pipeline, step.id):
        _, _, rest = source.partition(" ")
        dataset = rest.partition(" ")[0]
        mission = mission_of(dataset) if dataset else None
        text += f" {dataset} {mission.name if mission else ''}"
    if step.fetch is not None:
        text += f" {step.fetch.parameter}"
    return set(re.findall(r"[\w|.-]+", text.casefold())) - _NOT_STATED

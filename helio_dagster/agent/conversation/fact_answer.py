"""Facts of a pipeline told in a line each: at the end of a run, and as the answer to a question such as `what is the lag?`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.conversation.result_question import sources_of, words_of
from helio_dagster.agent.planner import Current
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.report import EventReport, FactReport

_MOST_LISTED = 24
_ASKING = re.compile(
    r"(?:(?:and|so|please|(?:can|could) you)\s+)*(?:(?:tell|give|show) me\s+)?"
    r"(?P<asking>what(?:'s| is| was| are| were)|how (?:large|big|long|strong|steep|much|good) (?:is|was)|(?=the\b))?"
    r"\s*(?:the\s+)?(?P<subject>[\w|' -]{1,80}?)",
    re.IGNORECASE,
)
_ALL = frozenset(("facts", "fact", "numbers", "number"))
_FILLERS = frozenset(
    re.findall(
        "[a-z]+",
        "a all an and at between best did do does exactly for from got has have here i in is it its of on our over that the"
        " their these this to us value values was were we whole you",
    )
)
_CALLED = {
    "lag": "lag delay shift late later time behind",
    "correlation": "correlation r coefficient",
    "r": "correlation r coefficient",
    "slope": "slope exponent index spectral",
    "intercept": "intercept offset",
    "mean": "mean average",
    "median": "median",
    "std": "std deviation standard",
    "minimum": "minimum min lowest smallest least",
    "maximum": "maximum max highest largest greatest peak strongest",
    "minimum_time": "when minimum",
    "maximum_time": "when maximum",
    "integral": "integral",
    "coverage": "coverage",
    "hours_above": "hours above",
    "hours_below": "hours below",
    "share_above": "share percent percentage fraction above",
    "share_below": "share percent percentage fraction below",
}
"""What people call the facts that operations give."""
_KNOWN = _ALL | {word for name, words in _CALLED.items() for word in (name, *words.split())}


def tell_facts(context: Context, name: str, facts: Sequence[FactReport]) -> None:
    """Tell the facts of a run, a line each."""
    for fact in facts[:_MOST_LISTED]:
        context.say("run", fact_line(fact), step=fact.step, fact=fact.model_dump())
    if len(facts) > _MOST_LISTED:
        context.say("run", f"and {len(facts) - _MOST_LISTED} more numbers: helio facts {name}")


def tell_events(context: Context, events: Sequence[EventReport]) -> None:
    """Tell the events that a run found, a line each."""
    for event in events[:_MOST_LISTED]:
        until = f" to {event.stop}" if event.stop else ""
        context.say("run", f"{event.step}: {event.start}{until}: {event.words}", step=event.step, event=event.model_dump())
    if len(events) > _MOST_LISTED:
        context.say("run", f"and {len(events) - _MOST_LISTED:,} more events")


def fact_line(fact: FactReport) -> str:
    """`slope: lag = 34 +- 2 min`; with the event, where there is one."""
    of = f" ({fact.of})" if fact.of else ""
    return f"{fact.step}: {fact.name} = {fact.text}{of}"


def answer_from_facts(context: Context, text: str, current: Current) -> bool:
    """Answer a question about numbers that the pipeline computes; False if the text is anything else, or they are not there.

    Each word of the question must be about a fact or about the step that it is of.
    """
    pipeline, words = current.file.pipeline, _asked_about(text)
    if current.span is None or not words or not any(_may_give_facts(step_id, pipeline) for step_id in _computed(pipeline)):
        return False
    try:
        if find_span(text, context.clock()) is not None:
            return False
    except InputError:
        return False
    try:
        found = context.side.facts(current.file, current.span) if current.is_saved else []
    except InputError:
        return False  # the range cannot be run, which is said where it is asked for
    target = [fact for fact in found if _is_meant(fact, words, pipeline)]
    if not target:
        return False
    sources = [source for step in dict.fromkeys(fact.step for fact in target) for source in sources_of(pipeline, step)]
    lines = [fact_line(fact) for fact in target[:_MOST_LISTED]]
    results = [fact.model_dump() for fact in target]
    context.say(
        "information",
        "\n".join([*lines, f"  for {current.span}"]),
        sources=list(dict.fromkeys(sources)),
        makes_data=False,
        results=results,
    )
    return True


def _asked_about(text: str) -> list[str]:
    """The words that say what is asked about; none if the text does not ask for a number."""
    match = _ASKING.fullmatch(" ".join(text.split()).rstrip(" ?!."))
    form = match["subject"].casefold().replace("'s", "").split() if match else []
    words = [word.strip("'-") for word in form if word not in _FILLERS]
    is_asking = match is not None and match["asking"] is not None
    return words if is_asking or all(word in _KNOWN for word in words) else []


def _is_meant(fact: FactReport, words: Sequence[str], pipeline: Pipeline) -> bool:
    called = {*_CALLED.get(fact.name, "").split(), fact.name.casefold(), *fact.name.casefold().split("_")}
    if any(word in _ALL for word in words):
        called |= _ALL
    about = words_of(pipeline.step(fact.step), pipeline)
    for step_id in _read_by(fact.step, pipeline):
        about |= words_of(pipeline.step(step_id), pipeline)
    return any(word in called for word in words) and all(word in called or word in about for word in words)


def _read_by(step_id: str, pipeline: Pipeline) -> list[str]:
    """The steps of the pipeline that a step is made of."""
    ids = {step.id for step in pipeline.nodes}
    found: list[str] = []
    for _, reference in pipeline.step(step_id).references:
        if reference in ids and reference not in found:
            found += [reference, *_read_by(reference, pipeline)]
    return found


def _computed(pipeline: Pipeline) -> list[str]:
    return [step.id for step in pipeline.nodes if step.compute is not None]


def _may_give_facts(step_id: str, pipeline: Pipeline) -> bool:
    step = pipeline.step(step_id)
    return step.over == "range" or (step.compute is not None and (step.compute.kind == "facts" or pipeline.is_over_events))

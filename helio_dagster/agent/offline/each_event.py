"""Numbers of each event of a list: `mean ACE speed and maximum |B| for each event in lists/icme.csv`."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import OpenQuestion, Plan, saying_again
from helio_dagster.agent.drafting.assembly import name_of
from helio_dagster.agent.drafting.drafter import range_notes
from helio_dagster.agent.drafting.results_over_time import of_all_samples
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.recipes.own_positions import Planned
from helio_dagster.catalog.times.left_out import find_left_out
from helio_dagster.catalog.times.spoken_events import SUPERPOSED
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import pipeline_to_document
from helio_dagster.domain.yaml.document import Value


def each_event_plan(request: str, now: datetime, planned: Planned) -> Plan | None:
    """A plan whose partitions are the events of a list, with numbers of each; None where a request names no list so.

    Raises
    ------
    OpenQuestion
        What is asked for each event is no number, or a time is named beside the list.
    """
    match = form("each_event.each_event").search(request)
    if match is None or SUPERPOSED.search(request) or find_left_out(request, now) is not None:
        return None
    if (of_numbers := form("each_event.of_numbers").search(request)) is not None:
        text = "The numbers of each event stand in facts; nothing is drawn of two of them."
        without = f"{request[: of_numbers.start()]}{request[of_numbers.end() :]}"
        raise OpenQuestion(f"{text} Do you want the numbers without {of_numbers[0].strip(' ,;')!r}?", [without.strip(" ,;")])
    words, rest = match[0].strip(" ,;"), f"{request[: match.start()]}{request[match.end() :]}".strip(" ,;.!?")
    with saying_again(words):
        plan = planned(rest)
    results = [step for step in plan.pipeline.steps if step.over == "range"]
    if not results or any(step.compute is None or step.compute.operation != "facts_of" for step in results):
        subject = form("each_event.verb").sub("", rest, count=1)
        text = f"Which number do you want {words}: the mean, the maximum, how many hours above a limit?"
        again = [f"{each} of {subject} {words}" for each in ("mean", "mean and maximum")]
        raise OpenQuestion(text, [*again, f"superposed epoch of {subject} over the events in {match['file']}"])
    if plan.span is not None:
        raise OpenQuestion(f"The list says when. What is {plan.span} for?", [request])
    pipeline, without_range = _over_events(plan, match["file"]), range_notes(plan.pipeline, None)
    notes = [each for each in plan.notes if each not in without_range]
    return replace(plan, pipeline=pipeline, notes=(*notes, *range_notes(pipeline, None)))


def _over_events(plan: Plan, file: str) -> Pipeline:
    """The pipeline with the list's events as partitions: its numbers are one of each, and nothing is drawn."""
    pipeline = plan.pipeline
    wholes = [each.whole for each in plan.intent.treatment.each] if plan.intent is not None else []
    named = [each.options["statistics"] for each in wholes if each is not None and each.kind == "facts"]
    of_events = {of_all_samples(each): of_all_samples(each, is_of_events=True) for each in named}
    document = pipeline_to_document(pipeline)
    listed: Value = {
        "id": "events",
        "intent": "The events of the request",
        "events": {"file": file, "source": "named in the request"},
    }
    steps: list[Value] = [
        step.model_dump(exclude_unset=True, exclude={"over"}) for step in pipeline.steps if step.figure is None
    ]
    partitions: dict[str, Value] = {"events": "events"}
    if pipeline.grain is not Grain.DAILY:
        partitions["fetch"] = pipeline.grain.value
    title = f"{pipeline.title}, for each event"
    assumptions: list[Value] = [of_events.get(each, each) for each in pipeline.assumptions]
    assumptions.append(f"Each event is a partition, from its start to its stop; add a row to {file} for another one.")
    changes: dict[str, Value] = {
        "name": name_of(title),
        "title": title,
        "partitions": partitions,
        "assumptions": assumptions,
        "steps": [listed, *steps],
    }
    return Pipeline.model_validate({**document, **changes})

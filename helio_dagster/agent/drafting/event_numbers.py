"""Numbers of each event that a limit makes: the steps that add them to the list, and where the events are drawn."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.agent.drafting.assumptions import Topic
from helio_dagster.agent.drafting.curves import Curve
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.naming import capital
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.drafting.result_parts import Panel, no_line, whose
from helio_dagster.agent.drafting.results_over_time import LONGEST
from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.treatments import Detected
from helio_dagster.domain.time_range import format_duration, parse_duration
from helio_dagster.domain.yaml.document import Value


def add_numbers(
    draft: StepDraft, events: str, detected: Detected, curves: Sequence[Curve], panels: Sequence[Panel]
) -> list[Panel]:
    """Add the steps with the numbers of each event, and give the panels with the events in them.

    Parameters
    ----------
    draft
        Is added to.
    events
        The step that finds the events.
    detected
        What the events are, and which numbers are wanted.
    curves
        What they are of.
    panels
        Of these curves.

    Raises
    ------
    DraftQuestion
        One of them is not one number, or the events are moments and no time around them is said.
    """
    words, longest = " and ".join(detected.statistics), LONGEST
    before, after = (parse_duration(each) for each in (detected.before or "PT0S", detected.after or "PT0S"))
    around = {name: length for name, length in (("before", before), ("after", after)) if length}
    if around:
        said = " and ".join(f"{spoken_alone(length)} {name}" for name, length in around.items())
        lengths = {name: format_duration(length) for name, length in around.items()}
        events = draft.compute("windows", f"Each event with {said}", "pad_events", {"events": events}, **lengths)
        longest = LONGEST + before + after
    elif detected.found != "intervals":
        text = f"The {words} of each event needs a length, and a {detected.limit.kind.removesuffix('s')} is a moment."
        raise DraftQuestion(f"{text} How long before and after each: `within 6 hours before and 1 day after`?")
    for curve in curves:
        if not curve.is_line:
            raise no_line(curve, words)
        intent = f"{capital(words)} of {whose(curve)} during each event"
        inputs = {"events": events, "series": curve.step}
        options: dict[str, Value] = {"statistics": [*detected.statistics], "longest": format_duration(longest)}
        events = draft.compute(f"events_with_{curve.step}", intent, "facts_of_events", inputs, **options)
    text = f"Of the samples of each event: {words}. They stand in columns of the list {events}, a row for each event."
    draft.assumptions.say(text, Topic("operation", "facts_of_events"))
    return [{**panel, "traces": [*_traces(panel), {"data": events}]} for panel in panels]


def _traces(panel: Panel) -> Sequence[Value]:
    traces = panel["traces"]
    return traces if isinstance(traces, list) else []

"""Curves around events: the steps of a superposed epoch."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from helio_dagster.agent.drafting.curves import Curve
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.naming import capital
from helio_dagster.agent.drafting.operation_order import FEWEST_BINS
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.drafting.step_list import StepList
from helio_dagster.agent.treatments import Transform
from helio_dagster.domain.time_range import format_duration, parse_duration
from helio_dagster.domain.yaml.document import Value

_BINS = tuple(timedelta(minutes=minutes) for minutes in (60, 30, 10, 5, 1))
"""The longest of which there are enough is taken."""


def around_events(steps: StepList, curve: Curve, transform: Transform, where: str) -> Curve:
    """A curve around the events of a request, which become a step of their own.

    Raises
    ------
    DraftQuestion
        It is not one number.
    """
    if curve.kind != "series":
        raise of_one_number(curve, transform.words)
    file, found = transform.options.get("file"), transform.options.get("step")
    events: dict[str, Value] = {"file": file, "source": "named in the request"}
    if file is None and found is None:
        events = {"csv": transform.options["events"], "source": "The times are those of the request"}
    table = found or steps.put("events", "The events of the request", {"events" if file else "table": events})
    reach = {"before": "P1D", "after": "P3D"}
    is_assumed = bool(transform.options.get("is_assumed")) or reach.keys().isdisjoint(transform.options)
    reach = {name: str(transform.options.get(name, length)) for name, length in reach.items()}
    whole = sum((parse_duration(length) for length in reach.values()), timedelta(0))
    round_length = next((each for each in _BINS if whole / each >= FEWEST_BINS), _BINS[-1])
    bin_length = max(round_length, curve.cadence or timedelta(0))
    if any(parse_duration(length) % bin_length for length in reach.values()):
        bin_length = curve.cadence or timedelta(minutes=10)
    options = {**reach, "bin": format_duration(bin_length)}
    inputs: dict[str, Value] = {"series": curve.step, "events": table}
    step = steps.compute(f"{curve.step}_epochs", f"{capital(transform.words)}{where}", "superposed_epoch", inputs, **options)
    lengths = (parse_duration(options[name]) for name in ("before", "after", "bin"))
    steps.assumptions.say(spoken_window(*lengths, is_assumed=is_assumed))
    return replace(curve, step=step, kind="spectrogram", symbol=f"{curve.symbol} around events", beneath=None)


def spoken_window(before: timedelta, after: timedelta, width: timedelta, *, is_assumed: bool = False) -> str:
    """How far around events is superposed, as an assumption; `is_assumed` where the request does not say it."""
    reach = f"{spoken_alone(before)} before it to {spoken_alone(after)} after it"
    unsaid = "; the request does not say how far" if is_assumed else ""
    return f"Around each event: {reach}, in bins of {spoken_alone(width)}{unsaid}."


REACH_IS_ASSUMED = "How far around the events is shown is assumed: the request does not say it."


def spoken_panels(before: timedelta, after: timedelta) -> str:
    """How far around events is drawn where each has a panel, as an assumption."""
    return f"Each event has a panel of its own, from {spoken_alone(before)} before its start to {spoken_alone(after)} after."


def of_one_number(curve: Curve, words: str) -> DraftQuestion:
    """The question where an operation takes one number and there are several."""
    text = f"The {words} is taken of one number, and {curve.symbol or 'this'} has several. Which component, or the magnitude?"
    return DraftQuestion(text)

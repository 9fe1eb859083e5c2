"""Steps that find events by a limit, and what is drawn of each event by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from helio_dagster.agent.drafting.around_events import REACH_IS_ASSUMED, spoken_panels
from helio_dagster.agent.drafting.assumptions import Assumptions
from helio_dagster.agent.drafting.curves import AnyChoice, Curve
from helio_dagster.agent.drafting.event_numbers import add_numbers
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.drafting.result_parts import Made, Panel, series_of, whose
from helio_dagster.agent.drafting.results_over_time import LONGEST, extreme_events, limited_curve, spoken_limits
from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.treatments import Detected, Treatment
from helio_dagster.domain.time_range import format_duration, parse_duration

EVENTS_STEP = "events"
_STORMS_APART = timedelta(hours=12)
_MOST_PANELS = 48


@dataclass(frozen=True)
class EventsFound:
    """The step that finds events, what they are (`Dst below -100 nT`), and the treatment that is around them."""

    step: str
    words: str
    treatment: Treatment
    detected: Detected

    @property
    def title(self) -> str:
        """What is added to the title of a plan."""
        return f": {self.words}" if self.detected.is_superposed else f" for each event: {self.words}"

    def panels(self, draft: StepDraft, panels: Sequence[Panel], curves: Sequence[Curve]) -> list[Panel]:
        """The panels; where the events are not superposed, each panel is drawn once for each event.

        Where numbers of each event are wanted, the steps that make them are added to the draft, and the events are drawn into
        each panel.

        Raises
        ------
        DraftQuestion
            Something is drawn for each event that is not made of lines, or has no such number.
        """
        if self.detected.is_superposed:
            return list(panels)
        if self.detected.statistics:
            return add_numbers(draft, self.step, self.detected, curves, panels)
        for curve in curves:
            if curve.kind not in ("series", "vector"):
                text = f"A panel for each event has lines only, and {whose(curve)} is not drawn as lines. What do you want?"
                raise DraftQuestion(text)
        each: Panel = {"events": self.step, "before": self.detected.before, "after": self.detected.after}
        return [{**panel, "each": each} for panel in panels]


def draft_events(draft: StepDraft, limited: AnyChoice, detected: Detected) -> EventsFound:
    """Add the steps that find the events, and say how far around them is drawn.

    Parameters
    ----------
    draft
        Is added to; its treatment is that of all that is drawn.
    limited
        What has the limit.
    detected
        The limit.

    Raises
    ------
    DraftQuestion
        The quantity is not one number, or its unit is not that of the limit.
    """
    treatment, draft.treatment = draft.treatment, Treatment()
    made = Made(draft, [draft.add(limited)], detected.limit, dict(detected.limit.options))
    curve = limited_curve(made)
    made.options.pop("hours", None)
    if detected.are_storms and not detected.is_index_named:
        made.assume(f"A storm is taken by its {curve.choice.target.words}, because the request names no index.")
    find = {"intervals": _intervals, "crossings": _crossings}.get(detected.found, _extrema)
    step, words = find(made, curve, detected)
    is_assumed = not (detected.before or detected.after)
    if not detected.statistics:
        before, after = detected.window
        detected = replace(detected, before=before, after=after)
        _say_window(draft.assumptions, detected, is_assumed=is_assumed)
    draft.treatment = _around(treatment, detected, step, is_assumed=is_assumed)
    return EventsFound(step, words, draft.treatment, detected)


def _around(treatment: Treatment, detected: Detected, step: str, *, is_assumed: bool) -> Treatment:
    """The treatment, whose superposed epoch is around the events of a step."""
    given = {"step": step, "before": detected.before, "after": detected.after, "is_assumed": is_assumed}
    transforms = [
        replace(each, options={**each.options, **given}) if each.operation == "superposed_epoch" else each
        for each in treatment.transforms
    ]
    return replace(treatment, transforms=tuple(transforms))


def _called(curve: Curve) -> str:
    """What has the limit, with the factor by which Kp is stored."""
    return curve.axis if curve.axis.endswith(" x 10") else curve.choice.target.words


def _intervals(made: Made, curve: Curve, detected: Detected) -> tuple[str, str]:
    options = made.options
    at_least = parse_duration(options["at_least"]) if "at_least" in options else timedelta(0)
    limits = spoken_limits(options, curve.unit)
    words = f"{_called(curve)} {limits}" + (f" for {spoken_alone(at_least)} or longer" if at_least else "")
    made.assume(
        f"An event is an interval with {curve.choice.target.who} {words}; its time is when it begins.", "intervals_where"
    )
    merge = detected.merge or (format_duration(_STORMS_APART) if detected.are_storms else "")
    if merge:
        options["merge"] = merge
        made.assume(f"Intervals at most {spoken_alone(parse_duration(merge))} apart count as one event.", "intervals_where")
    elif not at_least:
        made.assume("Each interval counts, however short and however soon after another.", "intervals_where")
    longest = format_duration(max(LONGEST, 2 * at_least, 2 * parse_duration(merge) if merge else LONGEST))
    intent = f"Intervals with {whose(curve)} {words.removeprefix(_called(curve)).strip()}"
    return made.step(EVENTS_STEP, intent, "intervals_where", series_of(curve), **options, longest=longest), words


def _crossings(made: Made, curve: Curve, detected: Detected) -> tuple[str, str]:
    options = made.options
    if detected.merge:
        text = "Of crossings that are near each other none is left out."
        raise DraftQuestion(f"{text} Do you want intervals above or below the value, which can be merged, or all crossings?")
    options["value"] = float(options["value"])
    way = {"up": " upwards", "down": " downwards"}.get(options.get("direction", ""), "")
    words = f"crossings of {options['value']:g} {curve.unit}".rstrip() + f" by {curve.choice.target.words}{way}"
    made.assume(
        f"An event is each of the {words}. A noisy series crosses a value many times; smooth it to keep lasting changes.",
        "crossings",
    )
    intent = f"Crossings of {options['value']:g} {curve.unit}".rstrip() + f" by {whose(curve)}{way}"
    return made.step(EVENTS_STEP, intent, "crossings", series_of(curve), **options), words


def _extrema(made: Made, curve: Curve, detected: Detected) -> tuple[str, str]:
    """The lowest or highest values that stand alone for some time, of which those beyond the limit are kept."""
    called, lower = {"minima": ("minimum", "lower"), "maxima": ("maximum", "higher")}[detected.found]
    made.options["which"] = detected.found
    merge = detected.merge or (format_duration(_STORMS_APART) if detected.are_storms else "")
    step, words, apart = extreme_events(made, curve, EVENTS_STEP, merge)
    alone = spoken_alone(parse_duration(apart))
    made.assume(f"An event is one of the {words}.", "filter_events")
    made.assume(f"A {called} counts if no value within {alone} is {lower}.", "extrema")
    return step, words


def _say_window(assumptions: Assumptions, detected: Detected, *, is_assumed: bool) -> None:
    """Note how far around each event is drawn, and how many events are."""
    if is_assumed and not detected.is_superposed:
        assumptions.say(REACH_IS_ASSUMED)
    if detected.is_superposed:
        if not detected.is_said:
            assumptions.say(
                "All events are superposed. A request that ends with `in a panel for each event` draws each by itself."
            )
        return
    assumptions.say(spoken_panels(parse_duration(detected.before), parse_duration(detected.after)))
    assumptions.say(f"Up to {_MOST_PANELS} events are drawn, with the data of the range and none beyond.")

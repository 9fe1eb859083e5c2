"""A treatment as what is done one beside the other: the data and their average, each angle, each moving statistic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.drafting.curves import Curve
from helio_dagster.agent.drafting.draft_titles import average_words
from helio_dagster.agent.treatments import Transform, Treatment
from helio_dagster.domain.time_range import format_duration


def variants_of(treatment: Treatment) -> list[Treatment]:
    """The treatment once for each angle or moving statistic that it asks for; before these the data, or averaged vectors."""
    statistics = _moving_statistics(treatment)
    if treatment.pairing is not None:  # of which the data are the curves that are paired
        treatment = replace(treatment, has_data=False)
    if treatment.also:
        data = [replace(treatment, averaging=None, also=(), has_data=False)] if treatment.has_data else []
        return [*data, *(replace(treatment, averaging=each, has_data=False) for each in treatment.averagings)]
    if statistics:
        rest = tuple(each for each in treatment.transforms if each not in statistics)
        plain = replace(treatment, smoothing=None, transforms=rest, has_data=False)
        each_alone = [replace(plain, transforms=(*rest, each)) for each in statistics]
        smoothed = [replace(plain, smoothing=treatment.smoothing)] if treatment.smoothing is not None else []
        return [*([plain] if treatment.has_data else []), *smoothed, *each_alone]
    angles = [each for each in treatment.transforms if each.operation == "direction"]
    variants = [
        replace(treatment, transforms=tuple(each for each in treatment.transforms if each not in angles or each is angle))
        for angle in angles
    ]
    if treatment.has_data and angles:
        return [replace(treatment, transforms=tuple(each for each in treatment.transforms if each not in angles)), *variants]
    if treatment.has_data:
        turned = tuple(each for each in treatment.transforms if each.operation == "transform_frame")
        return [replace(treatment, averaging=None, smoothing=None, transforms=turned), treatment]
    return variants or [treatment]


def _moving_statistics(treatment: Treatment) -> list[Transform]:
    """Moving statistics that stand beside each other: several, or one of the window of a running mean; none else."""
    found = [each for each in treatment.transforms if each.operation == "rolling_statistic"]
    mean = treatment.smoothing.length if treatment.smoothing is not None else None
    if mean is None:
        return found if len(found) > 1 else []
    return found if {str(each.options.get("window")) for each in found} == {format_duration(mean)} else []


def over_the_data(made: Sequence[Curve], treatment: Treatment) -> list[Curve]:
    """The curves of one choice; an average that lies in the range of its data is drawn over them."""
    if treatment.has_data:
        made = [replace(each, shows_data=True) if each.beneath is not None else each for each in made]
    if not treatment.has_data or len(made) != 2:
        return list(made)
    data, result = made
    if result.step == data.step or not (data.is_line and result.is_line) or not _is_average(treatment):
        return list(made)
    return [replace(result, beneath=data.step, dense=data.cadence, over=average_words(treatment), shows_data=True)]


def _is_average(treatment: Treatment) -> bool:
    """Whether all that is done to the data leaves them among their own values."""
    methods: list[str] = [treatment.averaging.method] if treatment.averaging is not None else []
    methods += [str(each.options.get("statistic")) for each in treatment.transforms if each.operation != "transform_frame"]
    return all(each in ("mean", "median", "min", "max") for each in methods)

"""Suggest two or three requests that could follow for a pipeline; the offline planner understands each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import islice

from helio_dagster.agent.conversation.check_summary import Facts, drawn_values
from helio_dagster.catalog.missions import mission_of
from helio_dagster.catalog.times.named_times import storms
from helio_dagster.domain.inquiry import CheckResult
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.time_range import TimeRange

MOST_SUGGESTIONS = 3
_WIDE = 30
_OVER_TIME = {"series", "vector"}
_MEANS = {
    "10 seconds": timedelta(seconds=10),
    "1 minute": timedelta(minutes=1),
    "10 minutes": timedelta(minutes=10),
    "1 hour": timedelta(hours=1),
    "6 hours": timedelta(hours=6),
    "3 days": timedelta(days=3),
}
_IN_A_MEAN, _MEANS_IN_A_RANGE = 3, 18
"""Minimum number of samples in a useful mean, and of such means in a range."""
_OTHERS = {"ACE": "Wind", "Wind": "ACE", "DSCOVR": "Wind", "STEREO-A": "ACE"}


def suggest(pipeline: Pipeline, span: TimeRange, results: Sequence[CheckResult], *, kept_code: Sequence[str] = ()) -> list[str]:
    """What could be said next.

    Parameters
    ----------
    pipeline
        The pipeline that was run.
    span
        The range that was run.
    results
        The results of its checks.
    kept_code
        Code that is already saved as an operation.
    """
    single = [step for step in pipeline.steps if not step.named_results]
    coded = [step for step in single if step.compute and step.compute.code and step.compute.code not in kept_code]
    return list(islice(_ideas(pipeline, span, results, coded), MOST_SUGGESTIONS))


def _ideas(pipeline: Pipeline, span: TimeRange, results: Sequence[CheckResult], coded: Sequence[Step]) -> Iterator[str]:
    for step in coded[:1]:
        yield f"save {step.id} as operation {step.id}"
    shown = list(drawn_values(pipeline, results).values())
    kinds = {facts.get("kind", "series") for facts in shown}
    is_lines = "spectrogram" not in kinds
    if kinds <= _OVER_TIME and _plain_line(pipeline) is not None and (mean := _mean(span, results)) is not None:
        yield f"smooth over {mean}"
    if not all(result.has_passed for result in results if result.check == "coverage"):
        yield "last 7 days instead"
    missions = {mission.name for step in pipeline.steps if step.fetch and (mission := mission_of(step.fetch.dataset))}
    if len(missions) == 1 and (other := _OTHERS.get(next(iter(missions)))):
        yield f"the same for {other}"
    since = pipeline.start or span.start
    storm = next((each for each in storms() if since <= each.span.start and not each.span.overlaps(span)), None)
    if storm is not None:
        yield f"the {storm.name} instead"
    if is_lines and _span_decades(shown):
        yield "make it a log scale"


def _span_decades(shown: Sequence[Facts]) -> bool:
    """Whether all values are positive, and some so far apart that a linear scale hides the low ones."""
    ranges = [(float(facts["min"]), float(facts["max"])) for facts in shown]
    return bool(ranges) and all(low > 0 for low, _ in ranges) and any(high > _WIDE * low for low, high in ranges)


def _mean(span: TimeRange, results: Sequence[CheckResult]) -> str | None:
    """A mean's length that suits the densest data, ten minutes if no cadence is known; None for a short range."""
    cadences = [float(result.facts["cadence_s"]) for result in results if "cadence_s" in result.facts]
    least = _IN_A_MEAN * timedelta(seconds=min(cadences)) if cadences else _MEANS["10 minutes"]
    longest = span.duration / _MEANS_IN_A_RANGE
    fitting = [words for words, length in _MEANS.items() if least <= length <= longest]
    usual = [words for words in fitting if _MEANS[words] >= _MEANS["10 minutes"]]
    return next(iter([*usual, *reversed(fitting)]), None)


def _plain_line(pipeline: Pipeline) -> Step | None:
    """A drawn step that no running mean smooths yet."""
    if any(step.compute and step.compute.operation in ("rolling_mean", "resample") for step in pipeline.steps):
        return None
    return next((step for step in pipeline.steps if step.kind in ("fetch", "compute")), None)

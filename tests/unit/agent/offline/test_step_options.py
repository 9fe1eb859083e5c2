"""Any option of any operation is changed in one way, and what is stated of the old value is stated of the new one."""

from __future__ import annotations

from typing import Any

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import edited, refine

INTERVALS = "find the intervals where OMNI Bz in GSM was below -10 nT for at least 2 hours in March 2015"
HISTOGRAM = "histogram of the OMNI solar wind speed in 2008"
SPECTRUM = "power spectrum of ACE Bz in GSE for 29 Oct 2003"
LAG = "what is the lag between ACE and Wind |B| from 29 to 31 Oct 2003?"
FILTERED = "Wind Bz in GSE band-pass filtered between 1 and 10 mHz on 2015-03-17"
SMOOTHED = "5 minute running mean of ACE |B| on 2003-10-29"
JOINT = "2-D histogram of OMNI speed against density in 2005"
NUMBERS = "mean and maximum of the ACE solar wind speed from 28 to 31 Oct 2003"


def options(pipeline: Pipeline, operation: str) -> dict[str, Any]:
    """The options of the one step of an operation."""
    (found,) = [step.compute for step in pipeline.steps if step.compute and step.compute.operation == operation]
    return dict(found.options)


@pytest.mark.parametrize(
    ("given", "words", "operation", "expected"),
    [
        (INTERVALS, "use -5 nT as the limit", "intervals_where", {"below": -5}),
        (INTERVALS, "at least 3 hours instead of two", "intervals_where", {"at_least": "PT3H"}),
        (INTERVALS, "3 hours instead of 2", "intervals_where", {"at_least": "PT3H", "longest": "P3D"}),
        (INTERVALS, "merge those less than 30 minutes apart", "intervals_where", {"merge": "PT30M"}),
        (HISTOGRAM, "20 km/s wide bins", "histogram", {"width": 20}),
        (HISTOGRAM, "100 bins", "histogram", {"bins": 100}),
        (JOINT, "100 bins in each direction", "histogram_2d", {"x_bins": 100, "y_bins": 100}),
        (SPECTRUM, "segments of four hours", "power_spectrum", {"segment": "PT4H"}),
        (SPECTRUM, "a hamming window", "power_spectrum", {"taper": "hamming"}),
        (LAG, "allow lags up to 3 hours", "cross_correlation", {"longest_lag": "PT3H"}),
        (FILTERED, "make the band 2 to 20 mHz", "butterworth", {"above_hz": 0.002, "below_hz": 0.02}),
        (FILTERED, "order 6 filter", "butterworth", {"order": 6}),
        (NUMBERS, "include the median", "facts_of", {"statistics": ["mean", "maximum", "coverage", "median"]}),
    ],
)
def test_an_option_is_changed(given: str, words: str, operation: str, expected: dict[str, Any]) -> None:
    """Whatever the operation, and however a follow-up calls it."""
    assert options(edited(given, words), operation).items() >= expected.items()


def test_of_two_ways_to_give_bins_one_is_left() -> None:
    """And that their number was assumed is no longer stated."""
    pipeline = edited(HISTOGRAM, "20 km/s wide bins")
    assert options(pipeline, "histogram") == {"width": 20}
    assert not any("50 bins" in each for each in pipeline.assumptions)


def test_a_new_limit_stands_in_the_words_too() -> None:
    """In the title and in the intent of the step."""
    pipeline = edited(INTERVALS, "use -5 nT as the limit")
    assert "below -5 nT" in pipeline.title
    assert pipeline.step("intervals").intent == "Intervals with OMNI Bz below -5 nT for 2 hours or longer"


@pytest.mark.parametrize("words", ["make that a median", "use the median instead of the mean", "median instead"])
def test_a_running_mean_becomes_a_running_median(words: str) -> None:
    """Of the same window, and it is called so."""
    pipeline = edited(SMOOTHED, words)
    assert options(pipeline, "rolling_statistic") == {"window": "PT5M", "statistic": "median"}
    assert pipeline.title.endswith("5-minute running median")


def test_a_value_that_an_operation_does_not_take_is_asked_about() -> None:
    """With what the operation says of it."""
    answer = refine("wavelet spectrum of Wind |B| on 2015-03-17", "periods between 2 minutes and 2 hours")
    assert isinstance(answer, Asked), answer
    assert "4 cadences" in answer.question.text


def test_a_limit_in_another_unit_is_asked_about() -> None:
    """The unit of the step is named."""
    answer = refine(INTERVALS, "use -5 km/s as the limit")
    assert isinstance(answer, Asked), answer
    assert "nT" in answer.question.text

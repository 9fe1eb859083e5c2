"""Statistics of each stretch of time, correlations, angles and superposed epochs, as people ask for them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.domain.pipeline import EventWindows
from tests.unit.agent.offline.asking import ask, chain, edited, planned


@pytest.mark.parametrize(
    ("request_text", "last"),
    [
        ("maximum of Kp per day in 2003", "kp_1day_max=resample(kp,P1D,max)"),
        ("Kp daily maximum in 2003", "kp_1day_max=resample(kp,P1D,max)"),
        ("largest Kp of each day in 2003", "kp_1day_max=resample(kp,P1D,max)"),
        ("Dst minimum for every 6 hours in 2003", "dst_6hour_min=resample(dst,PT6H,min)"),
        ("hourly std of ACE speed on 2003-10-29", "speed_1hour_std=resample(speed,PT1H,std)"),
        ("standard deviation of ACE speed per hour, 2003-10-29", "speed_1hour_std=resample(speed,PT1H,std)"),
        ("10-minute medians of ACE speed on 2003-10-29", "speed_10minute=resample(speed,PT10M,median)"),
        ("median speed of ACE in 1-hour bins on 2003-10-29", "speed_1hour=resample(speed,PT1H,median)"),
        ("ACE speed, mean for each day, in 2004", "speed_1day=resample(speed,P1D,mean)"),
        ("number of samples per hour of ACE speed 2003-10-29", "speed_1hour_count=resample(speed,PT1H,count)"),
        ("ACE density sum per hour on 2003-10-29", "density_1hour_sum=resample(density,PT1H,sum)"),
        ("ACE speed, median with a 1-hour window, 2003-10-29", "speed_median=rolling_statistic(speed,PT1H,median)"),
        ("running std of ACE speed over 1 hour, 2003-10-29", "speed_std=rolling_statistic(speed,PT1H,std)"),
        ("7.8125 ms means of MMS1 magnetic field on 2015-10-16", "b_gse_0p0078125second=resample(b_gse,PT0.0078125S,mean)"),
        ("correlation of ACE speed and density with a 6-hour window, 2003-10-29",
         "speed_with_density=rolling_correlation(speed,density,PT6H)"),
        ("angle between the magnetic field and the radial direction at PSP, 2020-01-29", "b_rtn_cone=direction(b_rtn,cone)"),
        ("angle between B and velocity at ACE on 2003-10-29", "b_gse_to_velocity_gse=angle_between(b_gse,velocity_gse)"),
    ],
)  # fmt: skip
def test_a_statistic_and_its_stretch_are_brought_together(request_text: str, last: str) -> None:
    """However far apart they stand in the sentence."""
    assert chain(planned(request_text))[-1] == last


@pytest.mark.parametrize(
    ("request_text", "words", "choice"),
    [
        ("monthly mean sunspot number 2000-2010", "Calendar months", "27-day mean sunspot number 2000-2010"),
        ("minimum of Dst per month in 2003", "Calendar months", "minimum of Dst per 27 days in 2003"),
        ("sum of Kp in 2003", "Of which bins", "1-day means of Kp in 2003"),
        ("Kp for each day in 2003", "What of each day", "Kp 1-day maxima in 2003"),
        ("sum of Kp per day in 2003", "three times too large", "1-day means of Kp in 2003"),
        (
            "superposed epoch of Dst over storms in 2015",
            "Around which events",
            "superposed epoch of Dst over storms in 2015 around 2015-03-17",
        ),
        ("ACE speed during storms in 2003", "no list of storms", "ACE speed in 2003"),
        ("Wind |B| in 2000 by month", "Calendar months", "Wind |B| in 2000 27-day means"),
    ],
)
def test_what_is_not_made_is_told_with_what_is(request_text: str, words: str, choice: str) -> None:
    """One question, and a choice that works."""
    answer = ask(request_text)
    assert isinstance(answer, Asked)
    assert words in answer.question.text
    assert choice in answer.question.choices


@pytest.mark.parametrize(
    "words",
    [
        "correlation of ACE speed and Kp in October 2003",
        "How well does the ACE speed correlate with Kp in October 2003?",
        "scatter plot of ACE speed against Kp with the correlation coefficient, October 2003",
    ],
)
def test_a_correlation_without_a_window_is_that_of_the_whole_range(words: str) -> None:
    """A line through the points has it: `r`."""
    pipeline = planned(words)
    assert [each.partition("=")[2].partition("(")[0] for each in chain(pipeline)[-2:]] == ["scatter", "fit_line"]
    assert "The correlation is that of the whole range: r of the line through the points." in pipeline.assumptions


def test_a_moving_correlation_without_a_window_states_its_own() -> None:
    """And that it is at the times of what is less dense."""
    pipeline = planned("moving correlation of ACE speed and Kp in October 2003")
    assert chain(pipeline)[-1] == "ace_with_omni=rolling_correlation(omni_kp,ace_speed,P10D,PT30M)"
    assert "The correlation is that of a moving 10-day window, because the request names none." in pipeline.assumptions


def test_events_that_are_told_are_a_table_of_the_pipeline() -> None:
    """The range is that of their days."""
    pipeline = planned("superposed epoch of Dst around 2003-11-20T08:00 and 2003-10-29T06:00, 2 days before to 5 days after")
    assert chain(pipeline)[-2:] == [
        "dst_epochs=superposed_epoch(dst,events,P2D,P5D,PT1H)",
        "dst_epochs_together=epoch_statistics(dst_epochs)",
    ]
    assert pipeline.partitions == EventWindows(events="events", before=timedelta(days=2), after=timedelta(days=5))
    table = next(step.table for step in pipeline.steps if step.table)
    assert table.csv == "onset\n2003-10-29T06:00Z\n2003-11-20T08:00Z"


def test_by_is_no_component_where_it_says_who_measured() -> None:
    """`By` is one where it stands among components, before a frame, or has a capital."""
    assert chain(planned("magnetic field measured by ACE on 2003-10-29")) == ["b_gse=AC_H0_MFI/BGSEc"]
    assert chain(planned("ace by gsm 2003-10-29"))[-1] == "b_y=component(b_gsm,y)"
    assert len(chain(planned("bx, by and bz of ACE in GSE on 2003-10-29"))) == 4


def test_the_bins_of_what_is_drawn_can_be_said_in_the_same_words() -> None:
    """A change of the pipeline on the table."""
    assert chain(edited("Kp in October 2003", "maximum per day"))[-1] == "kp_1day=resample(kp,P1D,max)"


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (
            "Running 3-hour median of the OMNI density and its standard deviation in April 2023",
            {"median": "PT3H", "std": "PT3H"},
        ),
        ("moving 3-hour minimum and maximum of the OMNI density in April 2023", {"min": "PT3H", "max": "PT3H"}),
        (
            "3-hour running median, minimum and maximum of OMNI density in April 2023",
            dict.fromkeys(("median", "min", "max"), "PT3H"),
        ),
        (
            "sliding 3-hour median and sliding 6-hour standard deviation of OMNI density in April 2023",
            {"median": "PT3H", "std": "PT6H"},
        ),
    ],
)
def test_moving_statistics_stand_beside_each_other(words: str, made: dict[str, str]) -> None:
    """Each is of the data, never of another one; a window that is said is of all that have none."""
    steps = [step.compute for step in planned(words).steps if step.compute]
    assert {each.options["statistic"]: each.options["window"] for each in steps} == made
    assert {tuple(each.step_inputs.values()) for each in steps} == {("density",)}


def test_a_spread_beside_a_running_mean_is_of_the_data() -> None:
    """Of the same window; the mean is not averaged again."""
    steps = [
        step.compute for step in planned("rolling 30-minute mean of ACE speed and its standard deviation on 2003-10-29").steps
    ]
    assert [(each.operation, *each.step_inputs.values(), each.options["window"]) for each in steps if each] == [
        ("rolling_mean", "speed", "PT30M"),
        ("rolling_statistic", "speed", "PT30M"),
    ]


@pytest.mark.parametrize(
    ("words", "methods", "cadence"),
    [
        ("daily mean and maximum of ACE speed in 2005", ["mean", "max"], "P1D"),
        ("mean, median and maximum of OMNI speed in 27-day bins in 2005", ["mean", "median", "max"], "P27D"),
        ("hourly minimum, median and maximum of ACE speed on 2003-10-29", ["min", "median", "max"], "PT1H"),
        ("mean and standard deviation of ACE density for each day in March 2005", ["mean", "std"], "P1D"),
    ],
)
def test_several_statistics_of_the_same_bins(words: str, methods: list[str], cadence: str) -> None:
    """Each is of the data, and has a panel of its own."""
    steps = [step.compute for step in planned(words).steps if step.compute]
    assert [(each.options["method"], each.options["cadence"]) for each in steps] == [(each, cadence) for each in methods]
    assert len({tuple(each.step_inputs.values()) for each in steps}) == 1


@pytest.mark.parametrize(
    ("request_text", "operations"),
    [
        ("daily mean of ACE speed and daily maximum of ACE density in 2005", ["resample mean", "resample max"]),
        ("minimum of Dst and maximum of Kp per day in October 2003", ["resample min", "resample max"]),
        (
            "running 3-hour median of OMNI speed and running 3-hour standard deviation of OMNI density in 2005",
            ["rolling_statistic median", "rolling_statistic std"],
        ),
    ],
)
def test_statistics_of_different_quantities_are_each_of_what_they_are_said_of(request_text: str, operations: list[str]) -> None:
    """None is taken of what it was not said of."""
    steps = [step.compute for step in planned(request_text).steps if step.compute]
    assert [f"{each.operation} {each.options.get('method', each.options.get('statistic'))}" for each in steps] == operations
    assert len({each.step_inputs["series"] for each in steps}) == len(operations)


def test_calendar_bins_and_percentiles_are_said_to_be_none_and_choices_are_planned() -> None:
    """A reason, and bins that there are."""
    asked = ask("mean, median and maximum of OMNI |B| per year from 1995 to 2019")
    assert isinstance(asked, Asked)
    assert "Calendar" in asked.question.text
    assert asked.question.choices
    for choice in asked.question.choices:
        assert len([step for step in planned(choice).steps if step.compute and step.compute.operation == "resample"]) == 3
    reason = ask("Take the mean and 95th percentile of OMNI |B| per day in 2005")
    assert isinstance(reason, Asked)
    assert "95th percentile" in reason.question.text


@pytest.mark.parametrize(
    "words", ["Histogram of OMNI speed, 2008 compared with 2003", "distribution of ACE |B| in 2001 versus 2009"]
)
def test_one_result_of_each_of_two_times_is_offered(words: str) -> None:
    """A figure has one range: each choice is planned."""
    asked = ask(words)
    assert isinstance(asked, Asked)
    assert len(asked.question.choices) == 2
    for choice in asked.question.choices:
        assert any(step.over == "range" for step in planned(choice).steps)

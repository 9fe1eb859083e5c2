"""Quantities of one request that are each treated in their own way, and changes of one of them."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.kept_intent import intent_from_text, intent_to_text
from tests.unit.agent.offline.asking import ask, chain, edited, panels, planned

MIXED = "hourly mean of Wind density, raw |B| and 5-minute median of the speed on 2005-05-15"


@pytest.mark.parametrize(
    ("request_text", "drawn"),
    [
        ("daily max of AE and daily min of AL for March 2015", [["ae_1day_max"], ["al_1day_min"]]),
        ("hourly max of AE and min of AL March 2015", [["ae_1hour_max"], ["al_1hour_min"]]),
        (MIXED, [["density_1hour"], ["b_mag"], ["speed_5minute"]]),
        ("ACE |B| smoothed over 10 minutes and the proton density as it is, 2003-10-29", [["b_mag_mean"], ["density"]]),
        ("detrend Bz over 1 hour but leave By and Bx, ACE 2004-11-08", [["b_z_detrend"], ["b_y"], ["b_x"]]),
        ("OMNI speed as daily means with Dst hourly for 2010", [["speed_1day"], ["dst"]]),
        ("power spectrum of Wind Bz and time series of Wind density, 2005-05-15", [["b_z_spectrum"], ["density"]]),
        ("ACE hourly mean |B| and Wind 5-minute mean |B| on 2003-10-29", [["ace_b_mag_1hour", "wind_b_mag_5minute"]]),
        ("ACE |B| on 2003-10-29, with By as 20-minute medians", [["b_mag"], ["b_y_20minute"]]),
        ("OMNI Bz and By with 10-minute means on 2015-03-17", [["b_z_gsm_10minute"], ["b_y_gsm_10minute"]]),
        ("scatter of daily max AE against daily mean OMNI speed for 2010", [["points"]]),
        ("hourly mean of ACE density and speed and 5-minute mean of the temperature on 2004-11-08",
         [["density_1hour"], ["speed_1hour"], ["temperature_5minute"]]),
        ("standard deviation of Bx, By, Bz of Wind in 10 min windows, 2001-03-31", [["b_x_std"], ["b_y_std"], ["b_z_std"]]),
    ],
)  # fmt: skip
def test_each_quantity_has_what_is_said_of_it(request_text: str, drawn: list[list[str]]) -> None:
    """And no other one; what is said of a list is of all of it."""
    figure = next(step.figure for step in planned(request_text).steps if step.figure)
    assert [[trace.data for trace in panel.traces] for panel in figure.panels] == drawn


def test_a_statistic_after_each_other_is_scattered_as_it_was_made() -> None:
    """What is made of two takes each of them as it is treated."""
    made = chain(planned("scatter of daily max AE against daily mean OMNI speed for 2010"))
    assert made[-1].startswith("points=scatter(speed_1day,ae_1day_max")


def test_what_is_made_of_two_is_drawn_of_them_as_they_were_treated() -> None:
    """Not the two beside each other, with a step that nothing draws."""
    pipeline = planned("difference of hourly mean ACE |B| and 10-minute mean Wind |B| on 2004-11-08")
    assert panels(pipeline) == ["ace_minus_wind"]
    assert chain(pipeline)[-1].startswith("ace_minus_wind=difference(ace_b_mag_1hour,wind_b_mag_10minute")
    assert "difference" in pipeline.title


def test_a_title_says_what_is_done_to_which_and_stays_true() -> None:
    """Behind what is drawn; what is gone is not said."""
    assert planned(MIXED).title == (
        "Wind density, magnetic field magnitude and speed, 1-hour means of density, 5-minute medians of speed"
    )
    assert edited(MIXED, "drop the density").title == (
        "Wind magnetic field magnitude and speed, 5-minute medians of speed"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "change", "drawn"),
    [
        (MIXED, "make the density 30-minute means", "density_30minute=resample(density,PT30M,mean)"),
        (MIXED, "smooth |B| over 10 minutes", "b_mag_mean=rolling_mean(b_mag,PT10M)"),
        ("daily max of AE and daily min of AL for March 2015", "SYM-H instead of AL", "sym_h_1day_min=resample(sym_h,P1D,min)"),
        ("ACE density, speed and temperature as hourly means, 2004-11-07", "30-minute medians for the density only",
         "density_30minute=resample(density,PT30M,median)"),
        ("ACE density, speed and temperature, 2004-11-07", "hourly means of the speed",
         "speed_1hour=resample(speed,PT1H,mean)"),
    ],
)  # fmt: skip
def test_a_change_is_of_the_quantity_that_it_names(given: str, change: str, drawn: str) -> None:
    """What is done to the others stays."""
    before, after = (chain(each) for each in (planned(given), edited(given, change)))
    assert drawn in after
    assert len({*after} - {*before}) <= 2


def test_the_intent_of_parts_is_kept() -> None:
    """As text, too."""
    plan = ask(MIXED)
    assert isinstance(plan, Plan)
    assert plan.intent is not None
    assert len(plan.intent.treatment.apart) == 2
    assert intent_from_text(intent_to_text(plan.intent)) == plan.intent

"""The data themselves beside what is made of them, and data that are dense enough for it."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask, chain, panels, planned


@pytest.mark.parametrize(
    ("request_text", "drawn"),
    [
        ("ACE |B| and its 1-hour median, 2015-06-22", ["b_mag+b_mag_1hour"]),
        ("10 min running mean of ACE |B| over the raw data, 2015-06-22", ["b_mag+b_mag_mean"]),
        ("ACE |B| and speed with their hourly means on 2015-06-22", ["b_mag+b_mag_1hour", "speed+speed_1hour"]),
        ("Wind B GSE at 3-second cadence plus its 1-minute median, 2015-06-22", ["b_gse", "b_gse_1minute"]),
        ("Dst and its derivative in October 2003", ["dst", "dst_derivative"]),
        ("ACE |B| with its power spectrum, 2015-06-22", ["b_mag", "b_mag_spectrum"]),
        ("1-hour medians of ACE |B|, 2015-06-22", ["b_mag_1hour"]),
    ],
)
def test_data_are_drawn_beside_what_is_made_of_them(request_text: str, drawn: list[str]) -> None:
    """Averages of one line lie over its data; all else has a separate panel."""
    assert panels(planned(request_text)) == drawn


def test_data_are_dense_enough_for_what_is_made_of_them() -> None:
    """Hourly values come first for this mission, and say nothing of half an hour."""
    assert "COHO1HR" in chain(planned("Parker Solar Probe speed, 29 April 2021"))[0]
    assert "COHO1HR" not in chain(planned("Parker Solar Probe speed detrended over 30 minutes, 29 April 2021"))[0]


def test_values_too_far_apart_for_a_window_are_asked_about() -> None:
    """No flat line is drawn; averages of sparse data are the data, and it says so."""
    answer = ask("Kp detrended over 30 minutes, 17 March 2015")
    assert isinstance(answer, Asked)
    assert "too far apart for a window of 30 minutes" in answer.question.text
    pipeline = planned("5-minute averages of ACE speed and Kp, 17 March 2015")
    assert panels(pipeline) == ["ace_speed_5minute", "omni_kp"]
    assert "Kp is not averaged: it has 1-hour values." in pipeline.assumptions


def test_the_southward_part_alone_is_rectified() -> None:
    """`VBs` is never below zero; `Ey` may be."""
    half = planned("VBs from OMNI, 7 Sept 2017").step("dawn_dusk_electric_field").compute
    both = planned("Ey from OMNI, 7 Sept 2017").step("dawn_dusk_electric_field").compute
    assert half is not None
    assert both is not None
    assert half.options["southward_only"] is True
    assert "southward_only" not in both.options


def test_a_place_need_not_be_as_dense_as_the_data() -> None:
    """Positions are listed every hour; the card says so."""
    pipeline = planned("Solar Orbiter MAG RTN 1-min 2022-03-26 with heliocentric distance underneath")
    fetched = [step.fetch.dataset for step in pipeline.steps if step.fetch]
    assert fetched == ["SOLO_L2_MAG-RTN-NORMAL-1-MINUTE", "SOLO_HELIO1HR_POSITION"]
    assert any(each.startswith("The distance from the Sun is as dense as it is known") for each in pipeline.assumptions)

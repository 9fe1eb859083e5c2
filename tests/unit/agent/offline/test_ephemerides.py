"""Requests for where a body was become pipelines over ephemerides; all others stay with the catalog."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.offline.ephemerides import Ephemerides

NOW = datetime(2026, 11, 24, tzinfo=UTC)


def planned(request: str) -> Plan:
    """The plan of a request."""
    plan = Ephemerides().answer(request, NOW)
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("request_text", "archive", "dataset", "parameter"),
    [
        ("where was Parker Solar Probe in November 2021", "spice", "PSP-SUN", "position_HCI_PT10M_au"),
        ("Where was Solar Orbiter on 3 March 2022?", "spice", "SOLO-SUN", "position_HCI_PT10M_au"),
        ("orbit of Demo Orbiter in 2022", "demo", "DEMO_ORBITER-SUN", "position_HCI_PT1H_au"),
        ("BepiColombo position HEEQ 2021-10-01", "spice", "MPO-SUN", "position_HEEQ_PT10M_au"),
        ("position of BepiColombo in October 2021", "spice", "MPO-SUN", "position_HCI_PT10M_au"),
        ("where was Solar Orbiter in HEEQ on 3 March 2022", "spice", "SOLO-SUN", "position_HEEQ_PT10M_au"),
        ("PSP position in HCI, november 2021", "spice", "PSP-SUN", "position_HCI_PT10M_au"),
        ("orbit of Mars in 2022", "spice", "MARS-SUN", "position_HCI_PT1H_au"),
        ("angle between PSP and Earth seen from the Sun in 2021", "spice", "PSP-EARTH-SUN", "separation_PT1H"),
        ("separation of Demo Orbiter and Earth from the Sun in May 2022", "demo", "DEMO_ORBITER-EARTH-SUN", "separation_PT10M"),
        ("Sun-centred separation angle of PSP and Earth for PSP encounter 8", "spice", "PSP-EARTH-SUN", "separation_PT10M"),
        ("how far apart in angle are PSP and Earth as viewed from the Sun, 2021?", "spice", "PSP-EARTH-SUN", "separation_PT1H"),
        ("PSP-Sun-Earth angle in encounter 8", "spice", "PSP-EARTH-SUN", "separation_PT10M"),
        ("STEREO-A-Sun-Earth angle in 2021", "spice", "STEREO_A-EARTH-SUN", "separation_PT1H"),
        ("Sun-Earth-PSP angle in May 2021", "spice", "SUN-PSP-EARTH", "separation_PT10M"),
    ],
)
def test_words_become_an_ephemeris(request_text: str, archive: str, dataset: str, parameter: str) -> None:
    """The body chooses the archive, the length of the range the cadence."""
    fetch = planned(request_text).pipeline.steps[0].fetch
    assert fetch is not None
    assert (fetch.archive, fetch.dataset, fetch.parameter) == (archive, dataset, parameter)


def test_the_range_is_the_one_named() -> None:
    """November, half-open."""
    span = planned("where was Parker Solar Probe in November 2021").span
    assert span is not None
    assert (span.start, span.stop) == (datetime(2021, 11, 1, tzinfo=UTC), datetime(2021, 12, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    "request_text",
    [
        "ACE magnetic field on 2023-01-02",
        "where was Flubber in 2021",
        "orbit of Parker Solar Probe in 2021",
        "position of MMS1 2017-07-11",
        "PSP position in november 2021",
        "angle between PSP and PSP seen from the Sun in 2021",
        "where was Parker Solar Probe in November 2021 with the magnetic field",
    ],
)
def test_other_requests_are_left_to_the_catalog(request_text: str) -> None:
    """A phrase is understood whole or not at all; an orbit of a catalogued mission is the catalog's."""
    assert Ephemerides().answer(request_text, NOW) is None


def test_a_missing_time_is_asked_for() -> None:
    """With complete requests as choices."""
    with pytest.raises(OpenQuestion) as asked:
        Ephemerides().answer("where is Demo Orbiter", NOW)
    assert "where is Demo Orbiter in 2021" in asked.value.question.choices


@pytest.mark.parametrize(
    "request_text",
    [
        "longitudinal separation of PSP and Solar Orbiter in March 2022",
        "show the separation in longitude of PSP and Solar Orbiter in March 2022",
        "longitude difference between PSP and Solar Orbiter in March 2022",
    ],
)
def test_a_difference_of_longitudes_has_its_extremes_in_numbers(request_text: str) -> None:
    """A series by the angle in the plane of the Sun's equator, and facts about it."""
    steps = {step.id: step for step in planned(request_text).pipeline.steps}
    assert list(steps) == ["place", "other_place", "apart", "extremes", "overview"]
    apart, extremes = steps["apart"].compute, steps["extremes"].compute
    assert apart is not None
    assert extremes is not None
    assert (apart.operation, apart.options["plane"]) == ("angle_between", "xy")
    assert (extremes.operation, steps["extremes"].over) == ("facts_of", "range")


def test_times_of_nearness_are_listed() -> None:
    """In longitude by the angle in the plane of the Sun's equator, else by the angle at the Sun."""
    steps = {
        step.id: step
        for step in planned("when were PSP and Solar Orbiter within 5 degrees of longitude in 2021").pipeline.steps
    }
    assert list(steps) == ["place", "other_place", "apart", "near", "overview"]
    apart, near = steps["apart"].compute, steps["near"].compute
    assert apart is not None
    assert near is not None
    assert (apart.operation, apart.options["plane"]) == ("angle_between", "xy")
    assert (near.operation, near.options["below"]) == ("intervals_where", 5)
    other = planned("when were PSP and STEREO A closer than 3 degrees of each other in 2021").pipeline.steps[0].fetch
    assert other is not None
    assert other.parameter == "separation_PT1H"


@pytest.mark.parametrize(
    ("request_text", "operation", "limit"),
    [
        ("longitude conjunctions (less than 5 degrees) of PSP and Solar Orbiter in 2022", "angle_between", 5),
        ("conjunctions of PSP and Solar Orbiter within 3 degrees in 2022", "angle_between", 3),
        (
            "find intervals where the longitude difference between Parker and Solar Orbiter is below 5°, 2021-2022",
            "angle_between",
            5,
        ),
        ("times when the angular separation of STEREO A and Earth was less than 10 degrees in 2023", "intervals_where", 10),
    ],
)
def test_nearness_is_asked_for_in_many_words(request_text: str, operation: str, limit: float) -> None:
    """A difference of longitudes, a conjunction or an angle: the times are listed."""
    computed = [step.compute for step in planned(request_text).pipeline.steps if step.compute]
    assert computed[0].operation == operation
    assert computed[-1].operation == "intervals_where"
    assert computed[-1].options["below"] == limit


def test_a_conjunction_without_a_limit_is_asked_about() -> None:
    """The choices give one, and are understood."""
    with pytest.raises(OpenQuestion) as asked:
        planned("conjunctions of PSP and Solar Orbiter in 2022")
    assert asked.value.question.choices
    for choice in asked.value.question.choices:
        assert planned(choice).pipeline.steps[-2].id == "near"

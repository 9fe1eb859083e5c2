"""Changes that lean on the plan: its year, its lines, its limits, its changes so far."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Edits, Replay, Undo
from tests.unit.agent.offline.asking import chain, drawn_at, edited, panels, refine

STORM = "ACE magnetic field magnitude and solar wind speed for 2003-10-28 to 2003-11-01"
BZ = "OMNI Bz GSM for March 2015, hourly means"
LAG = "lag between ACE and Wind |B| on 2005-05-15, up to 3 hours"


@pytest.mark.parametrize(
    ("said", "span"),
    [
        ("extend it to 5 November inclusive", "2003-10-28 to 2003-11-06"),
        ("extend it to 5 November", "2003-10-28 to 2003-11-06"),
        ("through 5 November", "2003-10-28 to 2003-11-06"),
        ("extend it to 7 November 2003 inclusive", "2003-10-28 to 2003-11-08"),
        ("extend it to 20 October", "2003-10-20 to 2003-11-01"),
        ("for 5 May", "2003-05-05 to 2003-05-06"),
    ],
)
def test_a_date_takes_the_year_of_the_plan(said: str, span: str) -> None:
    """And what is extended keeps its other end."""
    answer = refine(STORM, said)
    assert isinstance(answer, Replay), answer
    assert str(answer.span) == span


def test_a_date_after_the_turn_of_the_year_is_the_near_one() -> None:
    """Not that of the year in which the plan began."""
    answer = refine("ACE speed for 2003-12-20 to 2003-12-30", "extend it to 5 January")
    assert isinstance(answer, Replay), answer
    assert str(answer.span) == "2003-12-20 to 2004-01-06"


@pytest.mark.parametrize("said", ["take the running mean out again", "remove the smoothing", "take the smoothing out again"])
def test_smoothing_is_taken_out(said: str) -> None:
    """What was smoothed is drawn as it was."""
    smoothed = "ACE speed, 10-minute running mean, on 2003-10-29"
    assert panels(edited(smoothed, said)) == ["speed"]


@pytest.mark.parametrize("said", ["drop the speed, keep the rest", "remove the speed and leave everything else as it is"])
def test_that_the_rest_stays_is_harmless(said: str) -> None:
    """It stays anyway."""
    assert panels(edited(STORM, said)) == ["b_mag"]


@pytest.mark.parametrize(
    "said",
    [
        "use Wind instead of ACE, but for the field only",
        "Wind instead of ACE for the field",
        "replace ACE by Wind for |B| only",
        "for the field only, use Wind instead",
    ],
)
def test_another_spacecraft_for_a_part_alone(said: str) -> None:
    """The rest stays ACE's, and nothing of the old field is left."""
    fetched = [each for each in chain(edited(STORM, said)) if "/" in each]
    assert sorted(each.partition("=")[2].partition("_")[0] for each in fetched) == ["AC", "WI"]
    assert any("AC_H0_SWE" in each for each in fetched)


def test_a_part_that_is_not_drawn_is_asked_about() -> None:
    """It does not become the whole."""
    answer = refine(STORM, "use Wind instead of ACE for the density only")
    assert isinstance(answer, Asked), answer


@pytest.mark.parametrize(
    "said",
    [
        "shade where it is below -10 nT for more than one hour",
        "mark the intervals where Bz is below -10 nT for at least one hour",
        "list the times when it stays below -10 nT for over one hour",
    ],
)
def test_intervals_are_shaded(said: str) -> None:
    """Of the line that is drawn, in its panel; hourly bins are no gaps."""
    pipeline = edited(BZ, said)
    compute = pipeline.step("intervals").compute
    assert compute is not None
    assert compute.inputs == {"series": "b_z_gsm_1hour"}
    assert compute.options == {"below": -10, "at_least": "PT1H", "gaps": "PT2H", "longest": "P3D"}
    assert panels(pipeline) == ["b_z_gsm_1hour+intervals"]


def test_the_limit_has_the_unit_of_the_line() -> None:
    """Another one is asked about."""
    answer = refine(BZ, "shade where it is below -10 km/s")
    assert isinstance(answer, Asked), answer
    assert "nT" in answer.question.text


@pytest.mark.parametrize("said", ["make that -15", "-15 nT instead of -10 nT", "set the limit to -15 nT"])
def test_a_limit_is_changed(said: str) -> None:
    """And the words that told the old one."""
    given = "intervals where OMNI Bz GSM is below -10 nT in March 2015"
    pipeline = edited(given, said)
    step = pipeline.step("intervals")
    assert step.compute is not None
    assert step.compute.options["below"] == -15
    assert "-15" in (step.intent or "")
    assert "-10" not in f"{step.intent} {pipeline.title}"


def test_another_old_limit_is_not_changed() -> None:
    """`instead of` names the one that is there."""
    answer = refine("intervals where OMNI Bz GSM is below -10 nT in March 2015", "-15 nT instead of -20 nT")
    assert isinstance(answer, Asked), answer


@pytest.mark.parametrize("said", ["lags up to 90 min", "only lags up to 90 min", "maximum lag of 90 minutes"])
def test_the_lags_are_limited(said: str) -> None:
    """By the option of the step that is there."""
    compute = edited(LAG, said).step("correlation").compute
    assert compute is not None
    assert compute.options["longest_lag"] == "PT1H30M"


@pytest.mark.parametrize(
    ("said", "count"), [("undo", 1), ("undo the last two changes", 2), ("undo 3 changes", 3), ("undo twice", 2)]
)
def test_several_changes_are_undone(said: str, count: int) -> None:
    """As many as are said."""
    assert refine(BZ, said) == Undo(count)


def test_a_title_ends_with_its_quotes() -> None:
    """What follows is done as well, and what is done elsewhere is told."""
    pipeline = edited(LAG, 'title "ACE-Wind lag", curve in blue, and save it as PDF')
    assert pipeline.title == "ACE-Wind lag"
    assert drawn_at(pipeline, (0, 0))["color"] == "blue"
    answer = refine(LAG, 'title "ACE-Wind lag", curve in blue, and save it as PDF')
    assert isinstance(answer, Edits)
    assert any("helio figure" in each for each in answer.notes)


def test_what_shall_not_be_drawn_and_is_not() -> None:
    """It hinders nothing."""
    assert len(panels(edited(BZ, "and Kp underneath, but not Dst"))) == 2

"""A follow-up that is another intent: it is laid over the one that is kept, whatever was changed by hand since."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helio_dagster.agent.answers import Asked, Edits, Plan
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Current, Situation
from helio_dagster.domain.pipeline_edit import apply_edits
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import NOW, ask, chain, drawn_at, on_the_table, panels


def after(request: str, *changes: str, is_kept: bool = True) -> Current:
    """What is on the table after changes, said one after the other; `is_kept` where the intent is kept."""
    plan, planner = ask(request), OfflinePlanner(shipped_knowledge())
    assert isinstance(plan, Plan)
    current = on_the_table(plan)
    for words in changes:
        current = current if is_kept else replace(current, intent=None, assumed=())
        answer = planner.answer(Situation(words, NOW, current=current))
        assert isinstance(answer, Edits), (words, answer)
        file = apply_edits(current.file, answer.edits)
        intent, assumed = answer.intent or current.intent, answer.assumed or ()
        current = Current(file, current.span, is_saved=False, intent=intent, assumed=assumed)
    return current


@pytest.mark.parametrize("is_kept", [True, False])
def test_looks_stay_where_the_quantity_is_another_one(is_kept: bool) -> None:
    """Also in a file of which no intent is kept: its title tells it."""
    pipeline = after("ACE speed on 2003-10-29, hourly means", "make it red", "density instead", is_kept=is_kept).file.pipeline
    assert chain(pipeline) == ["density=AC_H0_SWE/Np", "density_1hour=resample(density,PT1H,mean)"]
    assert drawn_at(pipeline, (0, 0))["color"] == "red"


def test_an_intent_goes_on_from_change_to_change() -> None:
    """The second is of what the first has made."""
    current = after("power spectrum of ACE Bz in GSE on 2003-10-29", "use |B| instead of Bz", "density instead")
    assert panels(current.file.pipeline) == ["density_spectrum"]
    assert current.intent is not None
    assert [each.words for each in current.intent.targets] == ["density"]


@pytest.mark.parametrize(
    ("request_text", "words", "made"),
    [
        (
            "Solar Orbiter magnetic field magnitude, 10-minute running mean, 2022-03-01 to 2022-03-10",
            "show the radial component instead of the magnitude",
            ["component(b_rtn,r)", "rolling_mean(b_r,PT10M)"],
        ),
        (
            "Wind solar wind speed and density, May 10-12 2024, hourly averages",
            "averages over 30 minutes, not an hour",
            ["resample(speed,PT30M,mean)", "resample(density,PT30M,mean)"],
        ),
        (
            "histogram of the ACE solar wind speed in January 2008",
            "power spectrum instead of histogram",
            ["power_spectrum(speed)"],
        ),
        (
            "scatter plot of OMNI solar wind speed against density in 2010",
            "2-D histogram instead of a scatter plot",
            ["histogram_2d(density,speed,50,50,PT30M)"],
        ),
        (
            "power spectrum of ACE Bz in GSE on 2003-10-29",
            "10-minute means",
            ["component(b_gse,z)", "resample(b_z,PT10M,mean)", "power_spectrum(b_z_10minute)"],
        ),
        ("2-hour running mean of OMNI AE in March 2015", "daily means rather than the running mean", ["resample(ae,P1D,mean)"]),
    ],
)
def test_one_thing_in_the_place_of_another(request_text: str, words: str, made: list[str]) -> None:
    """A component, a length, a result, an average: what goes is named, and all else is as it was asked for."""
    computed = [each.partition("=")[2] for each in chain(after(request_text, words).file.pipeline) if "(" in each]
    assert computed == made


def test_what_is_of_some_data_alone_is_offered_for_these() -> None:
    """Where not all that is drawn has it: each choice can be said."""
    planner = OfflinePlanner(shipped_knowledge())
    plan = ask("MMS2 |B| and Wind density on 2017-07-11")
    assert isinstance(plan, Plan)
    asked = planner.answer(Situation("use burst mode data", NOW, current=on_the_table(plan)))
    assert isinstance(asked, Asked)
    assert asked.question.choices == ["use burst mode data for magnetic field magnitude"]


def test_a_component_has_the_frame_of_the_vector_that_is_drawn() -> None:
    """Though a request without a frame would take another one."""
    vector = after("ACE magnetic field vector and speed for 2005-01-20 to 2005-01-23", "only Bz please").file.pipeline
    assert chain(vector) == ["b_gse=AC_H0_MFI/BGSEc", "speed=AC_H0_SWE/Vp", "b_z=component(b_gse,z)"]
    assert panels(vector) == ["b_z", "speed"]

"""What a plan assumes goes with what it is about, and with nothing else; where a file is opened, a draft of its title tells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helio_dagster.agent.answers import Edits, Plan
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Current, Situation
from helio_dagster.domain.pipeline_edit import apply_edits
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import NOW, ask, on_the_table


def changed(request: str, *changes: str, is_reopened: bool = False) -> tuple[list[str], list[str]]:
    """The assumptions before and after changes; `is_reopened` where no more than the file is known."""
    plan, planner = ask(request), OfflinePlanner(shipped_knowledge())
    assert isinstance(plan, Plan), plan
    current = on_the_table(plan)
    for words in changes:
        current = replace(current, intent=None, assumed=()) if is_reopened else current
        answer = planner.answer(Situation(words, NOW, current=current))
        assert isinstance(answer, Edits), (words, answer)
        file = apply_edits(current.file, answer.edits)
        assumed = current.assumed if answer.assumed is None else answer.assumed
        assert {each.text for each in assumed} <= {*file.pipeline.assumptions}  # of what is gone nothing is kept
        current = Current(file, current.span, is_saved=False, intent=answer.intent or current.intent, assumed=assumed)
    return list(plan.pipeline.assumptions), list(current.file.pipeline.assumptions)


GONE = [
    # another frame: of a component, too
    ("ACE Bz on 2003-10-29", "in GSE", ["Bz is taken in GSM"]),
    ("ACE Bz and Wind Bz hourly means on 2003-10-29", "in GSE", ["Bz is taken in GSM"]),
    ("ACE magnetic field, 2003-10-29", "only the magnitude", ["The components of the magnetic field are shown", "GSE is used"]),
    # one of two spacecraft
    ("Wind density and ACE density on 2003-10-29", "remove Wind", ["WI_H1_SWE ("]),
    # a quantity, what is computed of others, an average
    ("OMNI Kp and Dst in March 2015", "remove Kp", ["Kp is stored times ten", "Kp is taken from"]),
    (
        "ACE |B| and plasma beta on 2015-03-17",
        "remove the plasma beta",
        ["AC_H0_SWE (", "The times of the plasma beta are those of the density."],
    ),
    ("ACE |B| smoothed over 10 minutes, 2003-10-29", "remove the smoothing", ["The running mean is", "The values themselves"]),
    ("ACE speed on 2003-10-29, hourly means", "6-hour medians instead", ["1-hour means are over fixed bins."]),
    # another dataset
    ("Wind density on 2003-10-29", "use WI_PM_3DP instead", ["WI_H1_SWE ("]),
    # an option that is said after all
    ("histogram of the ACE solar wind speed in January 2008", "30 bins", ["The histogram has 50 bins"]),
    ("power spectrum of ACE Bz in GSE on 2003-10-29", "8 parts", ["The spectrum is the mean over overlapping segments"]),
]


@pytest.mark.parametrize("is_reopened", [False, True])
@pytest.mark.parametrize(("request_text", "change", "gone"), GONE)
def test_what_is_gone_is_not_spoken_of(request_text: str, change: str, gone: list[str], is_reopened: bool) -> None:
    """All else stays, in its order: kept with the plan, or from a file that was saved and opened again."""
    before, after = changed(request_text, change, is_reopened=is_reopened)
    expected = [each for each in before if not each.startswith(tuple(gone))]
    assert len(before) - len(expected) == len(gone)
    assert [each for each in after if each in before] == expected


def test_a_line_stays_while_anything_that_it_is_about_does() -> None:
    """The frame that was taken for two spacecraft is still that of one of them."""
    taken = "Bz is taken in GSM, because the request names no frame."
    before, after = changed("compare ACE and Wind Bz on 2003-10-29", "remove Wind")
    assert taken in before
    assert taken in after
    assert not any("WI_H0_MFI" in each for each in after)


def test_a_title_of_ones_own_takes_nothing_away() -> None:
    """Though it no longer tells what was asked for."""
    before, after = changed("ACE Bz on 2003-10-29", "title it Halloween", "make it red", "in GSE")
    assert [each for each in before if each not in after] == ["Bz is taken in GSM, because the request names no frame."]


def test_how_the_name_of_a_spacecraft_was_read_goes_with_it() -> None:
    """`Wind` with a capital, which is not the solar wind."""
    before, after = changed("Wind density on 2003-10-29", "also ACE", "remove Wind")
    assert any(each.startswith("Wind is taken as the spacecraft") for each in before)
    assert not any("Wind" in each for each in after)


def test_what_a_change_assumes_goes_with_it() -> None:
    """A unit that is converted to, what is added, a rotation."""
    assert not any("R_E" in each for each in changed("position of MMS1 in GSE on 2017-07-11", "in Earth radii", "in km")[1])
    before, after = changed("ACE speed on 2003-10-29", "add the Wind density", "remove the density")
    assert after == before
    before, after = changed("ACE Bz on 2003-10-29", "in GSE", "in SM")
    assert [each for each in after if "rotated" in each] == [
        "What is drawn of ACE is catalogued in GSM and is rotated into SM."
    ]


def test_a_line_of_which_nothing_is_known_goes_with_the_spacecraft_that_it_names() -> None:
    """As a person or a model writes it; all others stay."""
    plan = ask("compare ACE and Wind density on 2003-10-29")
    assert isinstance(plan, Plan)
    own = ["Wind is upstream of ACE.", "Densities are compared as they are."]
    current = on_the_table(replace(plan, pipeline=plan.pipeline.model_copy(update={"assumptions": own})))
    answer = OfflinePlanner(shipped_knowledge()).answer(Situation("remove Wind", NOW, current=replace(current, assumed=())))
    assert isinstance(answer, Edits)
    assert apply_edits(current.file, answer.edits).pipeline.assumptions == own[1:]


@pytest.mark.parametrize(
    ("request_text", "told", "not_told"),
    [
        # those of the dataset that has all, not of the one that was taken for each alone
        (
            "THEMIS-A magnetic field magnitude and electron density, 2008-03-01",
            "THA_L2_ESA has all that is asked for of THEMIS-A, in one cadence.",
            "tha_fgs_btotal",
        ),
        (
            "OMNI speed and pressure, Oct 24-25 2011",
            "The speed is that of the ions or protons (flow_speed), not of the electrons.",
            "OMNI2_H0_MRG1HR",
        ),
    ],
)
def test_what_is_said_of_data_is_said_of_those_that_are_fetched(request_text: str, told: str, not_told: str) -> None:
    """Where another dataset takes the place of the first choice."""
    lines = changed(request_text)[1]
    assert told in lines
    assert not any(not_told in each for each in lines)

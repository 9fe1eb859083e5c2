"""Candidates are tried on a sample of the range: what has no data is passed over, and that stands in the plan."""

from __future__ import annotations

from helio_dagster.agent.answers import Asked
from helio_dagster.agent.events import Event
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Situation
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import NOW, ask, chain, planned
from tests.unit.agent.stand_in import StandInSide


def test_a_parameter_that_is_all_fill_is_passed_over() -> None:
    """The next that means the same is taken, and the pipeline says which and why."""
    side = StandInSide({"AC_H0_MFI/BGSEc": ("all_fill", 0.0)})
    pipeline = planned("ACE |B| on 2003-10-29", "demo", side=side)
    assert chain(pipeline) == ["b_gsm=AC_H0_MFI/BGSM", "b_mag=magnitude(b_gsm)"]
    assumed = " ".join(pipeline.assumptions)
    assert "AC_H0_MFI BGSEc is passed over: it holds only fill values" in assumed
    assert "computed from BGSEc" not in assumed


def test_another_dataset_takes_the_place_of_an_empty_one() -> None:
    """The catalog's second choice is asked for before a person is."""
    side = StandInSide({"SOLO_L2_SWA-PAS-GRND-MOM": ("empty", None)})
    pipeline = planned("Solar Orbiter density on 2022-03-08", side=side)
    assert chain(pipeline) == ["density=SOLO_COHO1HR_MERGED_MAG_PLASMA/protonDensity"]


def test_the_inputs_of_an_operation_are_sampled_too() -> None:
    """A derived quantity is made of what has data."""
    side = StandInSide({"AC_H0_MFI/BGSEc": ("all_fill", 0.0)})
    assert "b_gsm=AC_H0_MFI/BGSM" in chain(planned("ACE Alfven speed on 2003-10-29", "demo", side=side))


def test_nothing_with_data_is_a_question() -> None:
    """What would stay empty is not planned."""
    answer = ask(
        "Geotail magnetic field in GSM, 1997-01-10",
        side=StandInSide({"GE_EDB3SEC_MGF": ("empty", None), "GE_EDA3SEC_MGF": ("empty", None)}),
    )
    assert isinstance(answer, Asked)
    assert "GE_EDB3SEC_MGF BGSM is passed over" in answer.question.text


def test_without_a_range_nothing_is_sampled() -> None:
    """A pipeline without a time is made by the catalog alone."""
    side = StandInSide()
    planned("ACE |B|", side=side)
    assert side.asked == []


def test_the_usual_choice_with_data_adds_no_assumption() -> None:
    """A plan from a sample that is as expected is the same file as one made without."""
    assert planned("ACE |B| on 2003-10-29", side=StandInSide()) == planned("ACE |B| on 2003-10-29")


def test_a_vector_and_its_magnitude_stay_two_when_sampled() -> None:
    """One fetch is sampled once, and serves both."""
    side = StandInSide()
    assert (
        chain(planned("ACE magnetic field vector and magnitude on 2003-10-29", "demo", side=side))[1]
        == "b_mag=magnitude(b_gse)"
    )
    assert len(side.asked) == 1


def test_a_vector_without_data_is_not_shown_in_another_frame() -> None:
    """That would be another picture: it is asked about."""
    side = StandInSide({"AC_H0_MFI/BGSEc": ("all_fill", 0.0)})
    answer = ask("ACE magnetic field vector and magnitude on 2003-10-29", "demo", side=side)
    assert isinstance(answer, Asked)
    assert "BGSEc is passed over: it holds only fill values" in answer.question.text


def test_whoever_listens_hears_of_each_candidate() -> None:
    """The conversation shows what was looked at."""
    heard: list[Event] = []
    side = StandInSide({"AC_H0_MFI/BGSEc": ("all_fill", 0.0)})
    planner = OfflinePlanner(shipped_knowledge(), "demo", side)
    planner.answer(Situation("ACE |B| on 2003-10-29", NOW, tell=heard.append))
    told = [(event.facts["parameter"], event.facts["is_chosen"]) for event in heard if event.stage == "candidate"]
    assert told == [("BGSEc", False), ("BGSM", True)]

"""After a change a pipeline says what is there now; what a person named stays."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Edits
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Current, Situation
from helio_dagster.domain.pipeline_edit import apply_edits
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import NOW, edited, on_the_table, planned, refine
from tests.unit.agent.offline.asking import ask as asked_for

BOTH = "ACE |B| and speed on 2003-10-29"


@pytest.mark.parametrize(
    ("given", "change", "title", "intent"),
    [
        (BOTH, "remove the speed", "ACE magnetic field magnitude", "Draw |B|"),
        (BOTH, "swap the panels", "ACE magnetic field magnitude and speed", "From top to bottom: V, |B|"),
        (BOTH, "add the density", "ACE magnetic field magnitude, speed and density", "From top to bottom: |B|, V, N"),
        (BOTH, "temperature instead of speed", "ACE magnetic field magnitude and temperature", "From top to bottom: |B|, T"),
        (BOTH, "hourly averages", "ACE magnetic field magnitude and speed, 1-hour means", "From top to bottom: |B|, V"),
        (
            BOTH,
            "smooth the speed over 1 hour",
            "ACE magnetic field magnitude and speed, 1-hour running mean of speed",
            "From top to bottom: |B|, V",
        ),
        (
            "ACE magnetic field vector in GSE, 2003-10-29",
            "add the magnitude",
            "ACE magnetic field vector and magnitude",
            "From top to bottom: B GSE, |B|",
        ),
        (
            "Wind Bz GSM and proton speed, 2012-07-14",
            "add SYM-H at the bottom",
            "Wind Bz, Wind proton speed and OMNI SYM-H",
            "From top to bottom: Bz GSM, V, SYM-H of OMNI",
        ),
        ("Cluster 1 magnetic field in GSE, 2003-02-14", "rotate it to GSM", "Cluster 1 magnetic field", "Draw B GSM"),
    ],
)
def test_title_and_intent_follow_what_is_drawn(given: str, change: str, title: str, intent: str) -> None:
    """They are those that a draft of the same figure has."""
    pipeline = edited(given, change)
    assert (pipeline.title, next(step.intent for step in pipeline.steps if step.figure)) == (title, intent)


def test_the_description_names_the_datasets_that_are_fetched() -> None:
    """No more and no less."""
    assert edited(BOTH, "remove the speed").description == "Made from AC_H0_MFI of the archive cdaweb."
    more = edited("Geotail |B| on 1997-01-10", "also Wind").description
    assert more == "Made from GE_EDB3SEC_MGF, WI_H0_MFI of the archive cdaweb."


def test_assumptions_are_those_of_what_is_there() -> None:
    """Averages are stated as a draft states them; what is gone is not spoken of."""
    assert "1-hour means are over fixed bins." in edited(BOTH, "hourly averages").assumptions
    again = edited("ACE |B| hourly means, March 2001", "daily medians").assumptions
    assert [each for each in again if "bins" in each] == ["1-day medians are over fixed bins."]
    whole = "ACE magnetic field, 2003-10-29"
    assert any(each.startswith("The components of the magnetic field") for each in planned(whole).assumptions)
    assert not any("components" in each for each in edited(whole, "only the magnitude").assumptions)


def test_looks_change_no_words() -> None:
    """A colour is one change of one place."""
    answer = refine(BOTH, "make the speed red")
    assert isinstance(answer, Edits)
    assert len(answer.edits) == 1


def test_a_title_that_a_person_gave_stays() -> None:
    """Whatever else is changed afterwards."""
    before = asked_for(BOTH)
    current = on_the_table(before)  # type: ignore[arg-type] # it is planned above
    planner = OfflinePlanner(shipped_knowledge())
    for said in ("title it Shock of 2003-10-29", "remove the speed", "hourly averages"):
        answer = planner.answer(Situation(said, NOW, current=current))
        assert isinstance(answer, Edits)
        current = Current(apply_edits(current.file, answer.edits), current.span, is_saved=False)
    assert current.file.pipeline.title == "Shock of 2003-10-29"
    assert current.file.pipeline.description == "Made from AC_H0_MFI of the archive cdaweb."

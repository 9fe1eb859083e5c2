"""Changes of the pipeline on the table in words: they touch what they must and nothing else."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Edits, Fork, Keep, Plan, Replay, Undo
from helio_dagster.domain.pipeline_edit import EditStep
from tests.unit.agent.offline.asking import ask, chain, drawn_at, edited, panels, planned, refine, replied

FIELD = "ACE |B| on 2003-10-29"
BOTH = "ACE |B| and speed on 2003-10-29"
COMPARED = "compare ACE and Wind |B| on 2003-10-29"
SMOOTHED = "ACE |B| smoothed over 10 minutes, 2003-10-29"


@pytest.mark.parametrize(
    ("given", "request_text", "place"),
    [
        (FIELD, "make it red", (0, 0)),
        (BOTH, "colour the speed red", (1, 0)),
        (BOTH, "make the second panel red", (1, 0)),
        (COMPARED, "draw Wind in red", (0, 1)),
        (SMOOTHED, "make the 10-minute mean red", (0, 1)),
    ],
)
def test_a_line_is_coloured_by_its_name_or_place(given: str, request_text: str, place: tuple[int, int]) -> None:
    """The quantity, the mission, the label or the panel tells which."""
    assert drawn_at(edited(given, request_text), place)["color"] == "red"
    answer = refine(given, request_text)
    assert isinstance(answer, Edits)
    (edit,) = answer.edits
    assert isinstance(edit, EditStep)
    assert len(edit.changes) == 1


def test_axes_and_widths_are_set() -> None:
    """Scale, range and line width of what is named."""
    figure = edited(BOTH, "log scale for the speed").steps[-1].figure
    assert figure is not None
    assert [panel.y.scale for panel in figure.panels] == [None, "log"]
    figure = edited(BOTH, "y axis of |B| from 0 to 60 nT").steps[-1].figure
    assert figure is not None
    assert [panel.y.range for panel in figure.panels] == [(0, 60), None]
    assert drawn_at(edited(FIELD, "thicker lines"), (0, 0))["width"] == 2.0


def test_a_title_is_taken_as_it_is_written() -> None:
    """Also where it holds a date."""
    assert edited(FIELD, "title it Shock of 2003-10-29").title == "Shock of 2003-10-29"


def test_smoothing_adds_one_step_and_draws_it() -> None:
    """The values stay beneath."""
    pipeline = edited(FIELD, "smooth over 5 minutes")
    assert chain(pipeline)[-1] == "b_mag_mean=rolling_mean(b_mag,PT5M)"
    assert panels(pipeline) == ["b_mag+b_mag_mean"]


def test_one_of_several_lines_is_smoothed() -> None:
    """Only the one named."""
    assert panels(edited(BOTH, "smooth the speed over 1 hour")) == ["b_mag", "speed_mean"]


@pytest.mark.parametrize("request_text", ["use 30 minutes instead", "smooth over 30 minutes", "30-minute running mean"])
def test_a_length_that_is_there_is_changed(request_text: str) -> None:
    """No second mean, and no word about the old one stays."""
    pipeline = edited(SMOOTHED, request_text)
    assert chain(pipeline)[-1] == "b_mag_mean=rolling_mean(b_mag,PT30M)"
    assert pipeline.title == "ACE magnetic field magnitude, 30-minute running mean"
    assert drawn_at(pipeline, (0, 1))["label"] == "30-minute mean"


def test_another_mission_gets_the_same_steps() -> None:
    """All that is drawn of the first is drawn of the second, too, in the same panels."""
    pipeline = edited(BOTH, "also Wind")
    assert panels(pipeline) == ["b_mag+wind_b_mag", "speed+wind_speed"]
    assert [drawn_at(pipeline, (0, place))["label"] for place in (0, 1)] == ["ACE", "Wind"]
    assert pipeline.title == "ACE and Wind magnetic field magnitude and speed"


def test_a_derived_quantity_is_made_of_the_other_missions_own_data() -> None:
    """Every input is taken from the mission that is added."""
    steps = chain(edited("ACE plasma beta", "also Wind"))
    assert "wind_plasma_beta=plasma_beta(wind_density,wind_temperature,wind_b_mag)" in steps


def test_a_vector_of_another_mission_has_its_own_panel() -> None:
    """Six lines in one panel tell nothing."""
    assert panels(edited("ACE magnetic field", "also Wind")) == ["b_gse", "wind_b_gse"]


def test_a_frame_that_does_not_carry_over_is_said() -> None:
    """A magnitude is the same in every frame; the step's words name the true one."""
    pipeline = edited("ACE |B| on 2020-01-29", "also Parker Solar Probe")
    assert "psp_b_rtn=PSP_FLD_L2_MAG_RTN_1MIN/psp_fld_l2_mag_RTN_1min" in chain(pipeline)
    assert "Its frame is RTN, not GSE" in " ".join(pipeline.assumptions)


@pytest.mark.parametrize(
    ("request_text", "drawn"),
    [
        ("add the density", ["b_mag", "density"]),
        ("also Dst", ["b_mag", "omni_dst"]),
        ("add Wind density", ["b_mag", "wind_density"]),
        ("also the clock angle in GSM", ["b_mag", "b_gsm_clock"]),
        ("clock angle", ["b_mag", "b_gsm_clock"]),
        ("plasma beta too", ["b_mag", "plasma_beta"]),
        ("power spectrum with 6-hour bins", ["b_mag", "b_mag_welch"]),
        ("detrended with a 1-hour window", ["b_mag", "b_mag_detrend"]),
    ],
)
def test_a_quantity_gets_a_panel_below(request_text: str, drawn: list[str]) -> None:
    """Of the mission on the table, of the one named, or of OMNI for an index."""
    assert panels(edited(FIELD, request_text)) == drawn


def test_what_follows_from_others_is_added_for_every_spacecraft() -> None:
    """Those that are drawn are those that are meant."""
    assert panels(edited(COMPARED, "clock angle"))[1] == "ace_b_gsm_clock+wind_b_gsm_clock"
    assert panels(edited(COMPARED, "plasma beta too"))[1] == "ace_plasma_beta+wind_plasma_beta"


def test_an_operation_is_of_the_line_that_is_drawn() -> None:
    """As it was fetched: its dataset, frame and component; of several lines it is asked which."""
    steps = chain(edited("ACE Bz GSM on 2003-10-29", "spectrogram with 2-hour windows"))
    assert steps[-1] == "b_z_spectrogram=spectrogram(b_z,PT2H,PT16S)"
    answer = refine(BOTH, "power spectrum with 6-hour bins")
    assert isinstance(answer, Asked)
    assert len(answer.question.choices) >= 2
    assert {refine(BOTH, choice).__class__ for choice in answer.question.choices} == {Edits}


@pytest.mark.parametrize(
    ("given", "request_text", "changed"),
    [
        (FIELD, "make |B| a log scale and the line blue", [("y.scale", "log"), ("traces[0].color", "blue")]),
        (FIELD, "make it red and thicker", [("traces[0].color", "red"), ("traces[0].width", 2.0)]),
        (FIELD, "log scale and y axis from 1 to 100", [("y.scale", "log"), ("y.range", [1, 100])]),
    ],
)
def test_two_changes_are_made_one_after_the_other(given: str, request_text: str, changed: list[tuple[str, object]]) -> None:
    """The second may leave its verb to the first."""
    answer = refine(given, request_text)
    assert isinstance(answer, Edits)
    made = [each for edit in answer.edits if isinstance(edit, EditStep) for each in edit.changes.items()]
    assert made == [(f"figure.panels[0].{path}", value) for path, value in changed]


def test_the_second_change_sees_what_the_first_made() -> None:
    """A line that is added can be coloured in the same sentence."""
    assert drawn_at(edited(FIELD, "also Wind and make Wind blue"), (0, 1))["color"] == "blue"


@pytest.mark.parametrize(
    ("request_text", "ignored", "color"),
    [
        ("make it red and frobnicate it", "frobnicate it", "red"),
        ("frobnicate it by 3, and make it red", "frobnicate it by 3", "red"),
        ("make it red, turn the panel over and draw it thicker", "turn the panel over", "red"),
    ],
)
def test_a_clause_that_is_not_understood_is_named_whole(request_text: str, ignored: str, color: str) -> None:
    """Those that are understood are done, in order."""
    answer = refine(FIELD, request_text)
    assert isinstance(answer, Edits), answer
    assert answer.notes == (f"{ignored!r} is ignored.",)
    assert drawn_at(edited(FIELD, request_text), (0, 0))["color"] == color


@pytest.mark.parametrize(
    "request_text",
    [
        "make it red, but only where it frobnicates",
        "drop the density, keep the temperature",
        "frobnicate the density and make it red",
        "add the blimp and density",
    ],
)
def test_a_clause_that_may_change_what_the_rest_means_is_asked_about(request_text: str) -> None:
    """It restricts the rest, names what the rest speaks of, or is no more than a word of a list."""
    assert isinstance(refine(FIELD, request_text), Asked)


def test_a_clause_that_is_lost_is_done_behind_the_rest() -> None:
    """The reader of events did not see it."""
    pipeline = edited(
        "superposed epoch of Dst around storms below -150 nT in 2003", "2 days before to 4 days after, 3-hour medians"
    )
    assert [each for each in chain(pipeline) if "PT3H" in each and "P2D,P4D" in each]


def test_what_is_removed_takes_its_steps_along() -> None:
    """Steps that nothing else reads go; those that are shared stay."""
    pipeline = edited(COMPARED, "remove Wind")
    assert chain(pipeline) == ["ace_b_gse=AC_H0_MFI/BGSEc", "ace_b_mag=magnitude(ace_b_gse)"]
    assert chain(edited(SMOOTHED, "remove the running mean")) == ["b_gse=AC_H0_MFI/BGSEc", "b_mag=magnitude(b_gse)"]


def test_what_is_removed_takes_its_assumptions_along() -> None:
    """What is left in the file is true of what is left; what concerns the rest stays."""
    before = planned(COMPARED).assumptions
    assert [each.split()[0] for each in before] == ["AC_H0_MFI", "The", "WI_H0_MFI", "The"]
    assert edited(COMPARED, "remove Wind").assumptions == before[:2]
    assert edited(SMOOTHED, "remove the running mean").assumptions == planned(SMOOTHED).assumptions[:2]


def test_lines_are_put_apart_and_together() -> None:
    """The arrangement changes, the data do not."""
    assert panels(edited(COMPARED, "in separate panels")) == ["ace_b_mag", "wind_b_mag"]
    assert panels(edited("ACE and Wind |B|, stacked", "put them in one panel")) == ["ace_b_mag+wind_b_mag"]


def test_another_time_edits_nothing() -> None:
    """It replays."""
    for words in ("for last week", "the same for last week", "what about last week?", "last week instead"):
        answer = refine(FIELD, words)
        assert isinstance(answer, Replay), words
        assert str(answer.span) == "2026-03-03 to 2026-03-10"


def test_another_mission_is_a_fork() -> None:
    """With the range, where one is named beside it."""
    for words in ("the same for Wind", "Wind instead", "what about Wind?"):
        assert refine(FIELD, words) == Fork("Wind"), words
    answer = refine(FIELD, "the same for Wind for 2004")
    assert isinstance(answer, Fork)
    assert str(answer.span) == "2004-01-01 to 2005-01-01"


@pytest.mark.parametrize("words", ["do the same for Parker Solar Probe", "add Parker Solar Probe", "try Parker Solar Probe"])
def test_another_mission_that_has_no_data_then_is_asked_about(words: str) -> None:
    """With the time that its data begin; none is planned that would be empty."""
    answer = refine("Wind speed on 1995-05-10", words)
    assert isinstance(answer, Asked), answer
    assert answer.question.text == (
        "Parker Solar Probe has data from 2018-01-01 on, none for 1995-05-10 to 1995-05-11. Which time do you mean?"
    )
    later = replied("Wind speed on 1995-05-10", words, "2020-01-29")
    assert isinstance(later, Fork | Edits), later
    assert str(later.span) == "2020-01-29 to 2020-01-30"


@pytest.mark.parametrize("words", ["the same for DSCOVR instead of ACE", "DSCOVR instead of ACE", "DSCOVR in place of ACE"])
def test_of_several_missions_the_replaced_one_is_named(words: str) -> None:
    """The others stay; every choice of the question which one is meant says it so."""
    given = "compare ACE and Wind |B| on 2017-05-28"
    assert refine(given, words) == Fork("DSCOVR", instead_of="ACE")
    asked = refine(given, "the same for DSCOVR")
    assert isinstance(asked, Asked)
    assert [refine(given, choice) for choice in asked.question.choices] == [
        Fork("DSCOVR", instead_of="ACE"),
        Fork("DSCOVR", instead_of="Wind"),
    ]


def test_which_other_spacecraft_is_asked_with_those_that_have_data_then() -> None:
    """Each choice is a change; where two are drawn, it says which one goes."""
    asked = refine("Wind speed on 2010-05-10", "try a different spacecraft")
    assert isinstance(asked, Asked)
    assert asked.question.text == "Which spacecraft do you want instead of Wind?"
    assert asked.question.choices == ["the same for ACE", "the same for OMNI", "the same for STEREO-A"]
    assert replied("Wind speed on 2010-05-10", "try a different spacecraft", "ACE") == Fork("ACE")
    given = "difference of Wind and ACE density on 2010-05-10"
    asked = refine(given, "use another spacecraft")
    assert isinstance(asked, Asked)
    assert asked.question.text == "Which spacecraft do you want instead of Wind or ACE?"
    assert refine(given, asked.question.choices[-1]) == Fork("Geotail", instead_of="ACE")


def test_an_index_beside_a_spacecraft_stays() -> None:
    """Dst is nobody's to replace."""
    assert refine("ACE |B| and Dst on 2003-10-29", "the same for Wind") == Fork("Wind")


def test_undo_and_keep_are_understood() -> None:
    """Neither is an edit."""
    assert refine(FIELD, "undo") == Undo()
    assert refine(FIELD, "save b_mag as operation field_strength") == Keep("b_mag", "field_strength")


def test_a_whole_request_is_a_new_plan() -> None:
    """What names its own quantity and mission changes nothing."""
    assert refine(FIELD, "OMNI Dst for 2003-10-29") == ask("OMNI Dst for 2003-10-29")
    assert isinstance(ask("OMNI Dst for 2003-10-29"), Plan)


@pytest.mark.parametrize(
    ("given", "request_text", "words"),
    [
        (SMOOTHED, "make it red", "Which line"),
        (BOTH, "log scale", "Which panel"),
        (FIELD, "make |B| transparent", "'transparent'"),
        (FIELD, "also ACE", "drawn already"),
        (FIELD, "the same for ACE", "already"),
        (COMPARED, "the same for Wind", "drawn already"),
        (COMPARED, "the same for DSCOVR", "Which one does DSCOVR replace"),
        (FIELD, "smooth", "How long"),
        (FIELD, "in separate panels", "panel of its own already"),
        (FIELD, "remove |B|", "Nothing would be left"),
        (FIELD, "use 30 minutes instead", "Nothing in the figure has a length"),
        (FIELD, "y axis from 60 to 0", "from a lower to a higher"),
        (FIELD, "the same for Cluster", "Cluster 1 or"),
        ("ACE magnetic field", "also Voyager 2", "Voyager 2"),
    ],
)
def test_what_is_not_sure_is_asked(given: str, request_text: str, words: str) -> None:
    """A change is never guessed."""
    answer = refine(given, request_text)
    assert isinstance(answer, Asked), answer
    assert words in answer.question.text


def test_what_is_there_already_is_used_again() -> None:
    """A quantity that is added reads the steps that make what it needs."""
    steps = chain(edited(FIELD, "add the plasma beta"))
    assert steps.count("b_gse=AC_H0_MFI/BGSEc") == 1
    assert not any("_2=" in step for step in steps)
    assert "plasma_beta=plasma_beta(density,temperature,b_mag)" in steps


def test_the_lines_of_another_mission_keep_what_they_are() -> None:
    """Values and mean of both missions are told apart."""
    pipeline = edited(SMOOTHED, "also Wind")
    labels = [drawn_at(pipeline, (0, place))["label"] for place in range(4)]
    assert labels == ["ACE 16-second values", "ACE 10-minute mean", "Wind values", "Wind 10-minute mean"]


def test_the_choices_of_a_question_about_an_addition_can_be_said() -> None:
    """Each is a whole change by itself."""
    answer = refine(FIELD, "add |B| of Cluster")
    assert isinstance(answer, Asked)
    assert answer.question.choices[0] == "add |B| of Cluster 1"
    assert isinstance(refine(FIELD, answer.question.choices[0]), Edits)


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("next day", "2003-10-30 to 2003-10-31"),
        ("extend by one day", "2003-10-29 to 2003-10-31"),
        ("start at 05:00", "2003-10-29T05:00Z to 2003-10-30"),
        ("zoom in on 29 Oct 5:00 to 9:00", "2003-10-29T05:00Z to 2003-10-29T09:00Z"),
        ("zoom in on 5:00 to 9:00", "2003-10-29T05:00Z to 2003-10-29T09:00Z"),
    ],
)
def test_the_time_is_changed_in_words(words: str, span: str) -> None:
    """Relative to the range on the table; the pipeline stays as it is."""
    answer = refine("ACE |B| on 2003-10-29", words)
    assert isinstance(answer, Replay)
    assert str(answer.span) == span


@pytest.mark.parametrize(
    ("given", "request_text", "fetched"),
    [
        ("ACE Bz on 2015-03-17", "the Newell coupling function instead of Bz", {"AC_H0_MFI", "AC_H0_SWE"}),
        ("Wind Bz on 2015-03-17", "Ey instead", {"WI_H0_MFI", "WI_H1_SWE"}),
        ("MMS1 Bz on 2017-07-11", "Ey instead", {"MMS1_EDP_FAST_L2_DCE"}),
        ("MMS1 Bz on 2017-07-11", "add Ey", {"MMS1_FGM_SRVY_L2", "MMS1_EDP_FAST_L2_DCE"}),
        ("MMS1 Bz on 2017-07-11", "add the solar wind speed", {"MMS1_FGM_SRVY_L2", "OMNI2_H0_MRG1HR"}),
        ("MMS1 Bz on 2017-07-11", "solar wind speed instead", {"OMNI2_H0_MRG1HR"}),
        ("ACE Bz on 2015-03-17", "add the solar wind speed", {"AC_H0_MFI", "AC_H0_SWE"}),
    ],
)
def test_a_change_is_of_the_spacecraft_that_is_drawn(given: str, request_text: str, fetched: set[str]) -> None:
    """Only the solar wind is OMNI's, where the one that is drawn measures in the magnetosphere."""
    assert {step.fetch.dataset for step in edited(given, request_text).steps if step.fetch} == fetched

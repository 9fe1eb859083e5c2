"""Changes of what is drawn as people say them: whose line, its magnitude, another frame, every night, and other commands."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Edits, Information, Replay
from helio_dagster.domain.pipeline_edit import EditPipeline
from tests.unit.agent.offline.asking import drawn_at, edited, panels, refine

FIELD = "ACE |B| on 2003-10-29"
VECTOR = "ACE magnetic field on 2003-10-29"
COMPARED = "compare ACE and Wind |B| on 2003-10-29"


@pytest.mark.parametrize("words", ["make Wind's line blue", "make the Wind line's colour blue", "colour Wind's line blue"])
def test_a_line_is_named_by_whose_it_is(words: str) -> None:
    """A possessive is as good as the name."""
    assert refine(COMPARED, words) == refine(COMPARED, "make Wind blue")


@pytest.mark.parametrize("words", ["show its magnitude too", "and its magnitude", "also the magnitude"])
def test_its_magnitude_is_that_of_the_field_on_the_table(words: str) -> None:
    """Nobody is asked which one, for one field is drawn."""
    assert refine(VECTOR, words) == refine(VECTOR, "add |B|")


@pytest.mark.parametrize("words", ["show |B| instead", "only the magnitude", "plot the magnitude instead of the components"])
def test_the_magnitude_takes_the_place_of_the_field(words: str) -> None:
    """One line is drawn, made of what is fetched."""
    pipeline = edited(VECTOR, words)
    assert panels(pipeline) == ["b_mag"]
    assert [step.id for step in pipeline.steps] == ["b_gse", "b_mag", "overview"]


def test_another_frame_is_a_rotation_or_the_request_it_is() -> None:
    """Where it cannot be rotated other data are fetched; of what has no direction it is said that it is the same."""
    assert [step.id for step in edited(VECTOR, "show it in GSM instead").steps] == ["b_gse", "b_gsm", "overview"]
    other = refine("MMS1 velocity on 2017-07-11", "in GSM")
    assert isinstance(other, Edits)
    assert any("MMS1_HPCA_SRVY_L2_MOMENTS" in each and "is used" in each for each in other.notes)
    assert panels(edited("MMS1 velocity on 2017-07-11", "in GSM")) == ["velocity_gsm"]
    same = refine(FIELD, "in GSM")
    assert isinstance(same, Asked)
    assert "the same in GSM" in same.question.text


@pytest.mark.parametrize(("words", "schedule"), [("run it every night", "daily"), ("run this hourly", "0 * * * *")])
def test_a_schedule_is_an_edit(words: str, schedule: str) -> None:
    """It is in the file; the data stay."""
    assert edited(FIELD, words).schedule == schedule


def test_a_schedule_is_taken_out() -> None:
    """By the edit that removes it."""
    assert refine(FIELD, "drop the schedule") == Edits((EditPipeline(kind="edit_pipeline", changes={"schedule": None}),))


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("export the data as csv", "helio export ace_magnetic_field_magnitude/b_mag 2003-10-29 2003-10-30 -o b_mag.csv"),
        ("rename it to storm", "helio pipelines rename ace_magnetic_field_magnitude"),
        ("delete this pipeline", "helio pipelines rm ace_magnetic_field_magnitude"),
        ("share it with my group", "helio pipelines export ace_magnetic_field_magnitude"),
    ],
)
def test_what_another_command_does_is_told(words: str, command: str) -> None:
    """With the names on the table; nothing is changed."""
    answer = refine(FIELD, words)
    assert isinstance(answer, Information)
    assert command in answer.text


def test_a_title_may_hold_the_name_of_a_storm() -> None:
    """It is not a range then."""
    words = "change the title to Halloween storm at L1"
    assert edited(FIELD, words).title == "Halloween storm at L1"
    answer = refine(FIELD, words)
    assert isinstance(answer, Edits)
    assert answer.span is None


def test_only_and_zoom_name_another_range() -> None:
    """Nothing is edited."""
    for words in ("show me 2003-10-30 only", "just 2003-10-30", "zoom in on 2003-10-30"):
        answer = refine(FIELD, words)
        assert isinstance(answer, Replay), words
        assert str(answer.span) == "2003-10-30 to 2003-10-31"


@pytest.mark.parametrize(
    ("words", "drawn"),
    [
        ("hide everything but Wind", ["wind_b_mag"]),
        ("show all but Wind", ["ace_b_mag"]),
        ("I don't need Wind any more", ["ace_b_mag"]),
    ],
)
def test_what_stays_and_what_goes_is_told_apart(words: str, drawn: list[str]) -> None:
    """`All but` turns what is beside it round."""
    assert panels(edited(COMPARED, words)) == drawn


@pytest.mark.parametrize("words", ["don't make it red", "no red lines", "all but Wind in red", "make the title blue"])
def test_what_is_not_to_be_is_not_done(words: str) -> None:
    """A negation, or what cannot be changed, is asked about."""
    assert isinstance(refine(COMPARED, words), Asked)


def test_it_is_what_was_spoken_of_last() -> None:
    """In the clause before."""
    pipeline = edited(
        "ACE |B| and density on 2003-10-29", "add the speed and make it blue, density log and its panel twice as tall"
    )
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [panel.traces[0].color for panel in figure.panels] == [None, None, "blue"]
    assert [panel.y.scale for panel in figure.panels] == [None, "log", None]
    assert [panel.height for panel in figure.panels] == [1, 2, 1]


def test_averages_are_taken_back() -> None:
    """The values are drawn again, and the step that averaged goes."""
    pipeline = edited("ACE speed smoothed over 1 hour and density on 2003-10-29", "don't smooth the speed")
    assert panels(pipeline) == ["speed", "density_mean"]
    assert [step.id for step in pipeline.steps] == ["speed", "density", "density_mean", "overview"]


def test_a_bare_quantity_keeps_what_is_on_the_table() -> None:
    """It is offered as an addition first, with the time of the figure where it stands alone."""
    asked = refine(FIELD, "temperature")
    assert isinstance(asked, Asked)
    assert asked.question.choices == ["add the temperature", "ACE temperature 2003-10-29 to 2003-10-30"]


@pytest.mark.parametrize("said", ["swap the panels", "swap |B| and speed", "exchange the speed with |B|"])
def test_two_panels_change_places(said: str) -> None:
    """Of those that are named, or the only two."""
    assert panels(edited("ACE |B| and speed on 2003-10-29", said)) == ["speed", "b_mag"]


def test_two_colours_of_one_line_are_asked_about() -> None:
    """The second one is never just taken."""
    answer = refine("ACE |B| and speed on 2003-10-29", "the speed should be blue and the other one black")
    assert isinstance(answer, Asked)
    assert "black" in answer.question.text


@pytest.mark.parametrize(
    ("said", "start", "stop"),
    [
        ("start one day earlier", "2003-10-28", "2003-10-30"),
        ("make it a day longer", "2003-10-29", "2003-10-31"),
        ("same for the next day", "2003-10-30", "2003-10-31"),
    ],
)
def test_the_range_is_moved_in_other_words(said: str, start: str, stop: str) -> None:
    """One edge, its length, or the whole range."""
    answer = refine(FIELD, said)
    assert isinstance(answer, Replay)
    assert str(answer.span) == f"{start} to {stop}"


def test_an_order_to_average_is_no_length_of_what_is_there() -> None:
    """`everything` is all that is drawn."""
    steps = edited("ACE |B| and speed on 2003-10-29", "average everything to 15 min").steps
    computed = [step.compute.operation for step in steps if step.compute]
    assert computed.count("resample") == 2


def test_a_line_is_dashed() -> None:
    """Any wording of it, beside a colour."""
    assert drawn_at(edited("ACE magnetic field on 2012-03-08", "draw it dashed"), (0, 0))["dash"] == "dash"
    drawn = drawn_at(edited("Wind Bz in GSE on 2010-04-05", "as a dash-dotted red line"), (0, 0))
    assert (drawn["dash"], drawn["color"]) == ("dashdot", "red")


def test_the_range_is_moved_by_a_length() -> None:
    """Back or on, before or behind the length."""
    moved = {
        "move the range back one day": "2012-03-07 to 2012-03-08",
        "shift the window 1 day later": "2012-03-09 to 2012-03-10",
    }
    for said, span in moved.items():
        answer = refine("ACE magnetic field on 2012-03-08", said)
        assert isinstance(answer, Replay)
        assert str(answer.span) == span


def test_what_is_not_drawn_cannot_be_removed() -> None:
    """The question says so, and offers what is drawn."""
    answer = refine("Wind Bz in GSE on 2010-04-05", "delete the density")
    assert isinstance(answer, Asked)
    assert answer.question.text == "No density is drawn by itself. What do you want to remove?"
    assert answer.question.choices == ["delete the Bz GSE"]


@pytest.mark.parametrize("words", ["all four spacecraft, |B| only", "show all four spacecraft and only the magnitude"])
def test_all_spacecraft_and_what_alone_is_shown_of_them_are_one_sentence(words: str) -> None:
    """Neither is lost."""
    after = edited("MMS1 magnetic field in GSE on 16 October 2015 from 13:00 to 13:10", words)
    assert panels(after) == ["+".join(f"mms{member}_b_mag" for member in range(1, 5))]

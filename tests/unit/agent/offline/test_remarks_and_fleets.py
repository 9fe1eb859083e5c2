"""Follow-ups with remarks and people's wishes, fleets of spacecraft, values in words, and parts of what is on the table."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Edits, Undo
from helio_dagster.agent.offline.edits.number_words import with_digits
from tests.unit.agent.offline.asking import chain, drawn_at, edited, panels, planned, refine

FIELD = "MMS1 magnetic field in GSE on 2015-10-16"
PLASMA = "Wind proton density and speed for 2015-03-17"
LIMITED = "intervals where OMNI Bz is below -5 nT for at least two hours in 2015"
INDEX = "Dst in October 2003"


@pytest.mark.parametrize(
    "said",
    [
        "the reviewer wants gsm",
        "gsm please, the reviewer wants it",
        "my boss wants it in gsm",
        "the referee asks for gsm",
        "my advisor says to use gsm",
    ],
)
def test_the_wish_of_a_person_is_the_change_and_the_rest_a_remark(said: str) -> None:
    """The frame changes, whoever wants it; who does is shown as a remark."""
    answer = refine(FIELD, said)
    assert isinstance(answer, Edits)
    assert "_gsm_" in chain(edited(FIELD, said))[0]
    assert any("is taken as a remark" in each for each in answer.notes)


@pytest.mark.parametrize(
    "said",
    [
        "could the density panel go, nobody needs it",
        "the density can go",
        "remove the density panel, nobody needs it",
        "ditch density",
    ],
)
def test_what_nobody_needs_goes(said: str) -> None:
    """The verb may stand behind, and `nobody` in a reason turns nothing."""
    assert panels(edited(PLASMA, said)) == ["speed"]


def test_a_reason_with_a_negation_leaves_the_change_alone() -> None:
    """`none` in a reason turns nothing."""
    pipeline = edited(PLASMA, "log density please, otherwise none of the structure shows")
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [panel.y.scale for panel in figure.panels] == ["log", None]


@pytest.mark.parametrize("said", ["frobnicate the speed", "frobnicate the speed, it is ugly"])
def test_an_unknown_order_is_no_remark(said: str) -> None:
    """What is to be done is asked about."""
    answer = refine(PLASMA, said)
    assert isinstance(answer, Asked)
    assert "frobnicate" in answer.question.text


def test_it_is_what_the_remark_before_is_about() -> None:
    """Only that line is smoothed."""
    steps = chain(edited(PLASMA, "the speed is very noisy, smooth it over 10 minutes"))
    assert [step for step in steps if "rolling_mean" in step] == ["speed_mean=rolling_mean(speed,PT10M)"]


@pytest.mark.parametrize(
    "said", ["scrap that last change", "forget the last change", "drop that", "please discard the last edit"]
)
def test_more_verbs_undo(said: str) -> None:
    """They say the same as `undo`."""
    assert isinstance(refine(PLASMA, said), Undo)


@pytest.mark.parametrize(
    ("given", "said", "count"),
    [
        (FIELD, "do all four spacecraft, one panel each", 4),
        (FIELD, "all four spacecraft please, stacked 1 to 4", 4),
        ("Cluster 1 magnetic field on 2002-03-18", "for all satellites, separate panels", 4),
        ("RBSP-A magnetic field magnitude on 2013-03-17", "both probes, one panel each", 2),
    ],
)
def test_a_fleet_is_drawn_whole(given: str, said: str, count: int) -> None:
    """Each spacecraft has a panel, which names it."""
    figure = edited(given, said).steps[-1].figure
    assert figure is not None
    assert len(figure.panels) == count
    assert len({(panel.y.title or "").rpartition(" ")[0] for panel in figure.panels}) == count


def test_a_fleet_is_turned_whole() -> None:
    """What is said behind the fleet is said of all of it."""
    fetched = [step for step in chain(edited(FIELD, "all four in GSM")) if "FGM" in step]
    assert len(fetched) == 4
    assert all("_gsm_" in step for step in fetched)


def test_only_the_magnitude_of_a_fleet() -> None:
    """Two changes in one sentence: more spacecraft, and another shape of all."""
    assert panels(edited(FIELD, "all four spacecraft, only |B|")) == ["mms1_b_mag+mms2_b_mag+mms3_b_mag+mms4_b_mag"]


@pytest.mark.parametrize("said", ["both probes in red", "all three spacecraft", "do all four spacecraft"])
def test_a_fleet_that_is_none_is_asked_about(said: str) -> None:
    """Nothing is changed for fewer spacecraft than are spoken of."""
    assert isinstance(refine(PLASMA, said), Asked)


@pytest.mark.parametrize(
    "said", ["i also want the three components underneath", "and its components", "add the components below"]
)
def test_components_alone_are_of_the_vector_behind_what_is_drawn(said: str) -> None:
    """The magnitude's vector, in a panel below."""
    assert panels(edited("ACE magnetic field magnitude for 2003-10-29", said)) == ["b_mag", "b_gse"]


@pytest.mark.parametrize(
    "said", ["only vx of the velocity", "keep vx of the velocity only", "just the x component of the velocity"]
)
def test_a_symbol_of_its_noun_is_one_component(said: str) -> None:
    """The density stays."""
    assert panels(edited("THEMIS E ion density and ion velocity in GSM on 2008-02-26", said)) == ["density", "velocity_x"]


@pytest.mark.parametrize(
    "said",
    [
        "which days were below -200? list them",
        "when did it drop below minus two hundred",
        "list the days below -200",
        "shade Dst below -200",
    ],
)
def test_a_limit_that_is_asked_about_is_of_the_one_line(said: str) -> None:
    """Its intervals are listed and shaded in the figure that is drawn."""
    pipeline = edited(INDEX, said)
    assert panels(pipeline) == ["dst+intervals"]
    assert "intervals=intervals_where(dst,-200,P3D)" in chain(pipeline)


def test_a_limit_of_several_lines_is_asked_about() -> None:
    """Each choice names a line."""
    answer = refine("OMNI Bz GSM and SYM-H for 17 to 19 March 2015", "when was it below -100?")
    assert isinstance(answer, Asked)
    assert [each.split(" is ")[0] for each in answer.question.choices] == ["shade where Bz GSM", "shade where SYM-H"]


@pytest.mark.parametrize(
    ("said", "limit"),
    [
        ("make the threshold stricter: -10", {"below": -10}),
        ("a stricter threshold, -10 nT", {"below": -10}),
        ("above 10 nT instead", {"above": 10}),
    ],
)
def test_a_limit_takes_the_place_of_the_old_one(said: str, limit: dict[str, float]) -> None:
    """A comparative beside the value says the same as it; the other side leaves nothing of the old limit."""
    step = edited(LIMITED, said).step("intervals")
    assert step.compute is not None
    assert {name: value for name, value in step.compute.options.items() if name in ("above", "below")} == limit


@pytest.mark.parametrize(
    ("said", "mark"),
    [
        ("dashed line at zero", {"y": 0, "dash": "dash"}),
        ("put a dashed black line at minus 50 nT", {"y": -50, "color": "black", "dash": "dash"}),
        ("a red line at minus one hundred", {"y": -100, "color": "red"}),
    ],
)
def test_values_in_words_are_values(said: str, mark: dict[str, object]) -> None:
    """The dash is the mark's, and the data keep their line."""
    pipeline = edited(INDEX, said)
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [each.model_dump(exclude_none=True, exclude_defaults=True) for each in figure.panels[0].marks] == [mark]
    assert "dash" not in drawn_at(pipeline, (0, 0))


def test_a_dashed_line_at_zero_of_a_new_request_is_a_mark_in_the_panel_named_before() -> None:
    """The data are drawn as they are."""
    figure = planned("OMNI Bz GSM with a dashed line at zero and SYM-H for 17 to 19 March 2015").steps[-1].figure
    assert figure is not None
    assert [len(panel.marks) for panel in figure.panels] == [1, 0]
    assert all(trace.dash is None for panel in figure.panels for trace in panel.traces)


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("between minus five and five", "between -5 and 5"),
        ("from one hundred and fifty to two thousand nT", "from 150 to 2000 nT"),
        ("at twenty-five", "at 25"),
        ("one panel each at the bottom", "one panel each at the bottom"),
        ("to one panel", "to one panel"),
        ("plot minus Bz", "plot minus Bz"),
        ("at two thirty", "at two thirty"),
    ],
)
def test_number_words_are_digits_where_values_stand(words: str, digits: str) -> None:
    """What counts panels or is a time of day stays."""
    assert with_digits(words) == digits


def test_a_slope_beside_a_spectrum_keeps_what_else_is_said() -> None:
    """Both axes are logarithmic, and the line is drawn."""
    figure = edited("power spectrum of ACE |B| on 2004-11-09", "both axes logarithmic, and add a -5/3 slope").steps[-1].figure
    assert figure is not None
    (panel,) = figure.panels
    assert (panel.x.scale, panel.y.scale, len(panel.marks)) == ("log", "log", 1)


def test_a_place_below_a_value_is_a_limit() -> None:
    """`below 0` names no panel."""
    assert panels(edited("OMNI Bz GSM and SYM-H for 17 to 19 March 2015", "shade Bz below 0")) == ["b_z_gsm+intervals", "sym_h"]

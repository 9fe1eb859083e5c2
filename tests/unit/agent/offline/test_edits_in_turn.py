"""Two changes in one sentence, and where things are put."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Asked, Edits, Fork, Replay
from tests.unit.agent.offline.asking import chain, edited, panels, refine

_THREE = "OMNI speed, density and Bz for 5-7 Apr 2010"


def _panels(pipeline: object) -> list[tuple[str, str | None]]:
    figure = next(each.figure for each in pipeline.steps if each.figure)  # type: ignore[attr-defined]
    return [(panel.traces[0].data, panel.traces[0].color) for panel in figure.panels]


@pytest.mark.parametrize(
    "request_text", ["colour Bz red and put it on top", "move Bz to the top and make it red", "put Bz on top, in red"]
)
def test_what_is_put_on_top_is_what_is_named(request_text: str) -> None:
    """The speed, which was on top, was coloured instead."""
    assert _panels(edited(_THREE, request_text)) == [("b_z_gsm", "red"), ("speed", None), ("density", None)]


def test_what_is_put_somewhere_is_not_removed_with_the_rest() -> None:
    """`put density above |B|` is a change of its own."""
    pipeline = edited("Wind |B|, speed and density 2012-07-15", "remove speed, put density above |B|")
    assert [data for data, _ in _panels(pipeline)] == ["density", "b_mag"]


def test_means_and_the_range_of_their_axis_come_together() -> None:
    """`y` alone is the axis where a range follows."""
    pipeline = edited(
        "Wind speed and density on 2010-05-10", "drop the speed, and density as 10-minute medians with y from 0 to 80"
    )
    assert chain(pipeline) == ["density=WI_H1_SWE/Proton_Np_nonlin", "density_10minute=resample(density,PT10M,median)"]
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [(panel.traces[0].data, panel.y.range) for panel in figure.panels] == [("density_10minute", (0, 80))]


def test_a_change_and_another_time_come_together() -> None:
    """Averages, and a part of the day."""
    answer = refine("Wind |B|, speed and density 2012-07-15", "hourly averages please, and zoom to 6-18 UT")
    assert isinstance(answer, Edits), answer
    assert answer.span is not None
    assert (answer.span.start.hour, answer.span.stop.hour) == (6, 18)


def test_several_changes_and_a_start_at_an_hour_come_together() -> None:
    """The hour is that of the day on the table."""
    answer = refine("Wind magnetic field on 2010-05-10", "rotate to GSM, smooth over 2 minutes and start at 6 UT")
    assert isinstance(answer, Edits), answer
    assert str(answer.span) == "2010-05-10T06:00Z to 2010-05-11"
    assert chain(edited("Wind magnetic field on 2010-05-10", "rotate to GSM, smooth over 2 minutes and start at 6 UT")) == [
        "b_gse=WI_H0_MFI/BGSE",
        "b_gsm=transform_frame(b_gse,GSM)",
        "b_gsm_mean=rolling_mean(b_gsm,PT2M)",
    ]


@pytest.mark.parametrize(
    ("request_text", "start", "stop"),
    [
        ("next two days", (2012, 7, 16), (2012, 7, 18)),
        ("previous two days", (2012, 7, 13), (2012, 7, 15)),
        ("next day", (2012, 7, 16), (2012, 7, 17)),
        ("make it 2 days longer at the start", (2012, 7, 13), (2012, 7, 16)),
        ("make it 2 days longer at the end", (2012, 7, 15), (2012, 7, 18)),
    ],
)
def test_other_ranges(request_text: str, start: tuple[int, int, int], stop: tuple[int, int, int]) -> None:
    """`next two days` are two days, not the day after tomorrow."""
    answer = refine("Wind |B| 2012-07-15", request_text)
    assert isinstance(answer, Replay), answer
    assert answer.span.start == datetime(*start, tzinfo=UTC)
    assert answer.span.stop == datetime(*stop, tzinfo=UTC)


def test_averages_are_made_where_nothing_is_averaged_yet() -> None:
    """`5 minute averages` was asked about, as if another length were meant."""
    pipeline = edited("ACE Bz GSM 2003-10-29", "5 minute averages")
    assert any(each.compute and each.compute.operation == "resample" for each in pipeline.steps)


@pytest.mark.parametrize(
    ("given", "axes"), [("THD fgm gse 2008-03-01 1-3 UT", "xyz"), ("PSP magnetic field vector RTN on 2020-01-04", "rtn")]
)
def test_the_components_of_one_vector_get_panels(given: str, axes: str) -> None:
    """They are in one panel, and it said that each line has its own."""
    pipeline = edited(given, "give me the components in separate panels")
    parts = [each.compute.options["component"] for each in pipeline.steps if each.compute]
    assert parts == list(axes)
    assert len(_panels(pipeline)) == 3


@pytest.mark.parametrize(
    "request_text", ["add Bz in GSM and smooth it over 10 min", "add Bz in GSM but it should be smoothed over 10 minutes"]
)
def test_it_is_what_was_added(request_text: str) -> None:
    """The speed and the density were smoothed as well."""
    pipeline = edited("OMNI speed and density for 5-7 Apr 2010", request_text)
    assert [data for data, _ in _panels(pipeline)] == ["speed", "density", "b_z_gsm_mean"]


@pytest.mark.parametrize("request_text", ["use STEREO-B instead and make it hourly", "make it hourly and use STEREO-B instead"])
def test_another_spacecraft_comes_with_another_change(request_text: str) -> None:
    """The change is read in the pipeline for that spacecraft."""
    answer = refine("STEREO-A proton speed and density, 2010-08-01", request_text)
    assert answer == Fork("STEREO-B", then="make it hourly")


@pytest.mark.parametrize(
    ("request_text", "start", "stop"),
    [
        ("Now the one in June 2015 (22-24)", (2015, 6, 22), (2015, 6, 25)),
        ("do Friday 8 September 2017 instead", (2017, 9, 8), (2017, 9, 9)),
        ("for Sunday, 10 September 2017", (2017, 9, 10), (2017, 9, 11)),
        ("no wait, the 16th", (2012, 7, 16), (2012, 7, 17)),
        ("same days, but in 2013", (2013, 7, 15), (2013, 7, 16)),
    ],
)
def test_days_are_times(request_text: str, start: tuple[int, int, int], stop: tuple[int, int, int]) -> None:
    """Numbers of days are no limits of an axis, and a weekday beside a date is no obstacle."""
    answer = refine("Wind |B|, speed and density 2012-07-15", request_text)
    assert isinstance(answer, Replay), answer
    assert (answer.span.start, answer.span.stop) == (datetime(*start, tzinfo=UTC), datetime(*stop, tzinfo=UTC))


@pytest.mark.parametrize(
    ("request_text", "colors"),
    [
        ("change the colour map to viridis", "viridis"),
        ("switch the palette to plasma", "plasma"),
        ("set the color scale of the spectrogram to inferno", "inferno"),
        ("use magma", "magma"),
    ],
)
def test_a_colour_map_is_given_in_many_words(request_text: str, colors: str) -> None:
    """A palette that is a colour map is one."""
    figure = edited("MMS1 electron energy spectrogram on 2017-07-11", request_text).steps[-1].figure
    assert figure is not None
    assert figure.colormap == colors


def test_nothing_is_kept_that_is_not_drawn() -> None:
    """What the rest of a sentence wants is not dropped silently."""
    answer = refine("ACE magnetic field vector GSE, 1998-05-04", "drop the vector, keep the density")
    assert isinstance(answer, Asked), answer


def test_days_left_out_are_of_the_year_that_is_drawn() -> None:
    """And the plan states them."""
    pipeline = edited("ACE proton density in May 1999", "leave out 10 to 12 May")
    assert any("left out everywhere: 1999-05-10 to 1999-05-13" in each for each in pipeline.assumptions)


def test_averages_over_another_length_are_no_name_of_a_line() -> None:
    """They are made, beside what else is wanted."""
    pipeline = edited("ACE density, hourly means, June 2012", "use daily means and make the line orange")
    step = next(each.compute for each in pipeline.steps if each.compute)
    assert step.options["cadence"] == "P1D"
    assert pipeline.title == "ACE density, 1-day means"


def test_a_part_of_the_year_is_of_the_year_that_is_drawn() -> None:
    """Months and quarters."""
    answer = refine("OMNI hourly Kp and ap, 2004", "drop ap; Kp as steps; only November")
    assert isinstance(answer, Edits)
    assert answer.span is not None
    assert (answer.span.start, answer.span.stop) == (datetime(2004, 11, 1, tzinfo=UTC), datetime(2004, 12, 1, tzinfo=UTC))


def test_latitude_without_a_field_is_that_of_the_spacecraft() -> None:
    """Not that of the direction of a field that nobody asked for."""
    pipeline = edited("Ulysses proton speed, 1994", "and the latitude underneath")
    assert len([each for each in pipeline.steps if each.fetch]) == 2
    assert pipeline.title == "Ulysses proton speed and heliographic latitude"


def test_a_second_change_never_undoes_the_first() -> None:
    """Two lengths of one average are asked about."""
    assert isinstance(refine("IMP-8 speed, 1991-03-24", "average over 5 minutes and over 1 hour"), Asked)


def test_the_same_day_of_another_year_stays_a_day() -> None:
    """Beside another spacecraft, too."""
    answer = refine("Wind magnetic field magnitude, 2009-01-10", "Cassini instead, same day but 2001")
    assert isinstance(answer, Fork)
    assert answer.span is not None
    assert (answer.span.start, answer.span.stop) == (datetime(2001, 1, 10, tzinfo=UTC), datetime(2001, 1, 11, tzinfo=UTC))


def test_another_end_of_the_range_is_no_range() -> None:
    """Beside another change, too: the range begins on that day and ends as before."""
    answer = refine("ACE speed, 2000-09-17, hourly means", "go to 5 minute means and start on the 16th")
    assert isinstance(answer, Edits)
    assert answer.span is not None
    assert (answer.span.start, answer.span.stop) == (datetime(2000, 9, 16, tzinfo=UTC), datetime(2000, 9, 18, tzinfo=UTC))


def test_bins_are_changed_and_not_the_data() -> None:
    """Where averages are drawn, `daily instead of hourly` is of these."""
    pipeline = edited("ACE |B| hourly means, 2007", "daily instead of hourly, only May to July")
    assert pipeline.title == "ACE magnetic field magnitude, 1-day means"


def test_what_the_first_change_leaves_open_keeps_the_rest() -> None:
    """The line was lost with the choice of a window."""
    answer = refine("AE index 2003-10-29", "detrend, and a dashed line at 400 nT")
    assert isinstance(answer, Asked), answer
    assert answer.question.choices
    assert all(each.endswith(", and a dashed line at 400 nT") for each in answer.question.choices)


def test_a_pair_is_asked_about_where_several_lines_could_be_meant() -> None:
    """Each choice names one line."""
    answer = refine("Wind proton density and temperature 2012-07-15", "divide by |B|")
    assert isinstance(answer, Asked), answer
    assert answer.question.choices == ["divide N by |B|", "divide T by |B|"]


def test_electrons_are_not_the_ions_that_are_drawn() -> None:
    """A line of ions was coloured where the electrons were named."""
    answer = refine("THEMIS D ion density 2008-02-26", "make the electron density red")
    assert not isinstance(answer, Edits), answer


@pytest.mark.parametrize("request_text", ["add the density, superimposed", "overlay the density", "add the density overlaid"])
def test_what_is_laid_over_shares_the_panel(request_text: str) -> None:
    """It stood in a panel of its own."""
    figure = next(each.figure for each in edited("Wind |B| 2012-07-15", request_text).steps if each.figure)
    assert [[trace.data for trace in panel.traces] for panel in figure.panels] == [["b_mag", "density"]]


def test_a_layout_that_no_figure_has_is_asked_about() -> None:
    """The words were dropped."""
    answer = refine("Wind |B| 2012-07-15", "also the density, side by side")
    assert isinstance(answer, Asked), answer
    assert "'side by side'" in answer.question.text


def test_its_is_said_of_what_the_change_before_it_names() -> None:
    """Another frame of one of several quantities, and a part of it; what the figure draws is told of both changes."""
    given = "MMS1 B in GSE and electron density on 2015-10-16 13:00-13:10"
    pipeline = edited(given, "B in GSM please, and add its magnitude")
    assert [data for data, _ in _panels(pipeline)] == ["b_gsm", "electrons_density", "b_gsm_mag"]
    assert pipeline.steps[-1].intent == "From top to bottom: B GSM, N electrons, |B|"


def test_what_a_later_change_replaces_leaves_no_word_behind() -> None:
    """The survey data were stated of MMS3, which burst data had taken the place of."""
    answer = refine("the magnetic field from MMS1 on 2015-10-16 13:05 to 13:08", "add MMS3 and use burst mode")
    assert isinstance(answer, Edits)
    pipeline = edited("the magnetic field from MMS1 on 2015-10-16 13:05 to 13:08", "add MMS3 and use burst mode")
    assert not [each for each in (*answer.notes, *pipeline.assumptions) if "SRVY" in each]
    assert [each for each in pipeline.assumptions if "MMS3_FGM_BRST_L2" in each]


def test_another_spacecraft_keeps_the_change_before() -> None:
    """It was not even asked about."""
    answer = refine("the PSP magnetic field on 2018-11-06", "smooth over 5 minutes and try another spacecraft")
    assert isinstance(answer, Asked)
    assert "smooth over 5 minutes and the same for Wind" in answer.question.choices


@pytest.mark.parametrize(
    "request_text", ["same for MMS2, 3 and 4", "the same for 2, 3, and 4 please", "repeat for MMS2, MMS3 & MMS4"]
)
def test_the_same_for_several_is_drawn_for_each(request_text: str) -> None:
    """One was copied, for 03:00 to 04:00."""
    pipeline = edited("|B| from MMS1 on 2015-10-16 13:05 to 13:08", request_text)
    assert panels(pipeline) == ["b_mag+mms2_b_mag+mms3_b_mag+mms4_b_mag"]


def test_the_same_for_several_of_a_spectrogram() -> None:
    """The catalog does not tell what these data are, but the plan was made for their quantity."""
    pipeline = edited("the THEMIS D electron spectrogram on 2009-02-07 from 3 to 6 UT", "same for A and E")
    assert panels(pipeline) == ["electrons", "themis_a_electrons", "themis_e_electrons"]


def test_averages_are_of_all_and_looks_of_one() -> None:
    """Only the density was averaged."""
    pipeline = edited(_THREE, "30 min averages of all of them and the density on a log axis")
    assert panels(pipeline) == ["speed_30minute", "density_30minute", "b_z_gsm_30minute"]


def test_a_name_for_the_plot_is_its_title_and_no_order_loses_it() -> None:
    """It became a label of an axis, or nothing."""
    request = 'rotate to GSM, average to 1 min, and name the plot "ACE MAG"'
    assert edited("ACE magnetic field in GSE 2001-03-31", request).title == "ACE MAG"
    assert edited("ACE magnetic field in GSE 2001-03-31", "title: Storm; y label: B").title == "Storm"


def test_a_dashed_line_at_a_value_is_no_dashed_curve() -> None:
    """The field was drawn dashed."""
    pipeline = edited("ACE Bz in GSM 2001-03-31", "set the y axis from -60 to 60 nT and draw a dashed line at zero")
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert figure.panels[0].traces[0].dash is None
    assert [(mark.y, mark.dash) for mark in figure.panels[0].marks] == [(0, "dash")]


@pytest.mark.parametrize("request_text", ["only the last week, as thick lines", "just the last week of it, as thick lines"])
def test_the_last_week_is_that_of_the_range(request_text: str) -> None:
    """It was the week before today."""
    answer = refine("AE and Dst for October 2003", request_text)
    assert isinstance(answer, Edits)
    assert str(answer.span) == "2003-10-25 to 2003-11-01"


def test_events_are_marked_in_the_figure_and_no_new_plan() -> None:
    """A plan without a time took the place of the figure."""
    minima = edited("AE and Dst for October 2003", "find minima of Dst below -100 nT")
    assert panels(minima) == ["ae", "dst+extremes"]
    assert panels(edited("AE and Dst for October 2003", "times when Dst is below -200 nT")) == ["ae", "dst+intervals"]


def test_an_axis_at_the_right_that_one_unit_does_not_have_is_told() -> None:
    """It was silently left out; and a magnitude was drawn as well."""
    answer = refine("Bz in GSM from OMNI for 17-18 March 2013", "add SYM-H on the right axis")
    assert isinstance(answer, Edits)
    assert "Bz GSM and SYM-H have one unit, nT, and so the one axis at the left." in answer.notes
    assert panels(edited("Bz in GSM from OMNI for 17-18 March 2013", "add SYM-H on the right axis")) == ["b_z_gsm+sym_h"]


def test_another_quantity_is_of_the_same_particles() -> None:
    """The velocity was that of the ions."""
    pipeline = edited("the electron density from MMS1 on 2017-07-11 22:30 to 22:40", "velocity instead of density")
    assert panels(pipeline) == ["electrons_velocity_gse"]


@pytest.mark.parametrize("request_text", ["electrons instead", "use the electrons instead of the ions"])
def test_other_particles_are_those_of_all_moments(request_text: str) -> None:
    """It was asked what of the electrons is wanted."""
    pipeline = edited("the MMS2 ion density and velocity on 2015-09-08 from 9:00 to 12:00", request_text)
    assert panels(pipeline) == ["electrons_density", "electrons_velocity_gse"]


def test_what_is_computed_and_shown_by_itself_is_added() -> None:
    """The field was drawn in three panels instead."""
    pipeline = edited("ACE magnetic field in GSE 2001-03-31", "calculate the clock angle and show it in a panel of its own")
    assert panels(pipeline) == ["b_gse", "b_gsm_clock"]

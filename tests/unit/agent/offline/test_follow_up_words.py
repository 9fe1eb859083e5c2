"""Follow-ups in everyday words: other times, components, references to what is drawn, and nothing lost of two changes."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Edits, Fork, Information, Plan, Replay
from helio_dagster.domain.time_range import TimeRange
from tests.unit.agent.offline.asking import chain, drawn_at, edited, panels, planned, refine

ACE = "ACE magnetic field magnitude and solar wind speed on 2003-10-29"
WIND = "Wind magnetic field vector in GSE and proton density, 17 March 2015"
INDICES = "OMNI Kp, Dst and AE in March 2015"
EVENTS = "find the intervals where OMNI Bz in GSM was below -10 nT for at least 2 hours in March 2015"


def span(given: str, words: str) -> TimeRange | None:
    """The range that a follow-up leads to."""
    answer = refine(given, words)
    assert isinstance(answer, Replay | Edits), answer
    return answer.span


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("could you show the two days after that instead?", "2003-10-30 to 2003-11-01"),
        ("give me the same plot a week earlier", "2003-10-22 to 2003-10-23"),
        ("begin at 05:00 rather than midnight", "2003-10-29T05:00Z to 2003-10-30"),
        ("just the part from 06 to 12 UT please", "2003-10-29T06:00Z to 2003-10-29T12:00Z"),
        ("zoom out to the whole month", "2003-10-01 to 2003-11-01"),
        ("can we have the day before as well?", "2003-10-28 to 2003-10-30"),
    ],
)
def test_another_time(words: str, expected: str) -> None:
    """The rest of the plan stays."""
    assert str(span(ACE, words)) == expected


def test_one_more_year_is_more_of_the_range() -> None:
    """`as well` takes nothing away; what is apart is asked about."""
    assert str(span("Dst in 2003", "2004 as well")) == "2003-01-01 to 2005-01-01"
    assert isinstance(refine("Dst in 2003", "2010 as well"), Asked)


def test_both_of_two_changes_are_made() -> None:
    """Neither is lost, whichever is understood first."""
    assert panels(edited(INDICES, "drop AE and use SYM-H in place of Dst")) == ["kp", "sym_h"]
    assert panels(edited(ACE, "smooth the speed over an hour, keep the raw one too")) == ["b_mag", "speed+speed_mean"]
    smoothed = "5 minute running mean of ACE |B| on 2003-10-29"
    pipeline = edited(smoothed, "20 minutes instead of 5, and show the unsmoothed one in grey behind")
    assert "b_mag_mean=rolling_mean(b_mag,PT20M)" in chain(pipeline)
    assert drawn_at(pipeline, (0, 0))["color"] == "grey"


def test_all_lines_but_one() -> None:
    """Each of the others once."""
    given = "OMNI solar wind speed, Bz in GSM and SYM-H from 16 to 19 March 2015"
    drawn = panels(edited(given, "15 minute averages for everything except SYM-H"))
    assert drawn == ["speed_15minute", "b_z_gsm_15minute", "sym_h"]


def test_components_of_a_vector() -> None:
    """They are hidden, and coloured in their order."""
    parts = edited(WIND, "drop By").steps[-1].figure
    assert parts is not None
    assert [trace.component for trace in parts.panels[0].traces] == ["x", "z"]
    colored = edited(WIND, "colour the components red, green and blue").steps[-1].figure
    assert colored is not None
    assert [trace.color for trace in colored.panels[0].traces] == ["red", "green", "blue"]


def test_the_look_of_what_is_added_on_top_is_its_own() -> None:
    """And not that of the line that stood there before."""
    pipeline = edited(
        "Solar Orbiter magnetic field in RTN and proton density, 2021-11-04", "put |B| in black on top of the components"
    )
    colored = [drawn_at(pipeline, (row, 0)) for row in range(3)]
    assert [each["data"] for each in colored if each.get("color") == "black"] == ["b_mag"]


def test_a_quantity_at_the_cadence_of_another() -> None:
    """Averages over its spacing, which the catalog knows."""
    assert "b_gse_92second=resample(b_gse,PT1M32S,mean)" in chain(edited(WIND, "bring the field to the cadence of the density"))


def test_the_shape_in_place_of_a_magnitude() -> None:
    """It is of the same quantity, and the other panels stay."""
    assert panels(edited(ACE, "replace |B| by the three components in RTN")) == ["b_rtn", "speed"]


def test_one_more_orbit_stands_in_the_same_panel() -> None:
    """With the names of both."""
    given = "orbit of Parker Solar Probe in January 2022"
    assert panels(edited(given, "add Solar Orbiter to it")) == ["position_hci+solo_position_hci"]
    turned = edited(given, "in the XZ plane").steps[-1].figure
    assert turned is not None
    assert turned.panels[0].orbit is not None
    assert turned.panels[0].orbit.planes == ("XZ",)


def test_particles_of_another_kind_and_another_probe() -> None:
    """Of the same instrument."""
    given = "THEMIS A ESA electron energy spectrogram on 2008-02-26 04:00 to 06:00"
    assert chain(edited(given, "ions rather than electrons")) == ["ions=THA_L2_ESA/tha_peif_en_eflux"]
    fork = refine(given, "same thing from probe D")
    assert isinstance(fork, Fork), fork
    assert fork.mission == "THEMIS-D"


def test_events_that_are_drawn_are_the_epochs() -> None:
    """`those events` are the intervals of the plan on the table."""
    plan = refine(EVENTS, "plot the average Dst around those events")
    assert isinstance(plan, Plan), plan
    assert any(step.compute and step.compute.operation == "superposed_epoch" for step in plan.pipeline.steps)
    assert str(plan.span) == "2015-03-01 to 2015-04-01"


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("why did you pick that dataset for the speed?", "AC_H0_SWE"),
        ("how many megabytes will that download?", "ahead"),
        ("what does |B| come from?", "magnitude"),
    ],
)
def test_questions_about_the_plan(words: str, part: str) -> None:
    """They are answered, and change nothing."""
    answer = refine(ACE, words)
    assert isinstance(answer, Information), answer
    assert part in answer.text


@pytest.mark.parametrize(
    ("given", "words", "part"),
    [
        ("histogram of the OMNI solar wind speed in 2008", "and the same for 2003, on top of it", "one range"),
        (EVENTS, "how long do these intervals last on average?", "approve"),
        ("scatter plot of OMNI solar wind speed against density in 2010", "colour the points by Bz", "a pipeline file may"),
    ],
)
def test_what_cannot_be_done_is_said(given: str, words: str, part: str) -> None:
    """In a sentence that says what can."""
    answer = refine(given, words)
    assert isinstance(answer, Asked), answer
    assert part in answer.question.text


MEANS = "Wind density and speed smoothed over 1 hour, 3-6 May 2024"


@pytest.mark.parametrize(
    "words", ["despike the temperature", "despike the temperature first", "remove the spikes from the temperature"]
)
def test_spikes_are_taken_out_of_what_is_drawn(words: str) -> None:
    """In its place; the other quantities stay as they are, and so does the order of the panels."""
    pipeline = edited("ACE density and temperature, 3-6 May 2024", words)
    assert panels(pipeline) == ["density", "temperature_despike"]
    assert chain(pipeline)[-1].startswith("temperature_despike=despike(temperature,")


def test_a_running_median_takes_the_place_of_what_it_smooths() -> None:
    """As a running mean does."""
    pipeline = edited("ACE density and temperature, 3-6 May 2024", "smooth the temperature with a 30 min running median")
    assert panels(pipeline) == ["density", "temperature_median"]
    assert "temperature_median=rolling_statistic(temperature,PT30M,median)" in chain(pipeline)


def test_all_means_get_a_length_that_some_have() -> None:
    """Those that have it stay."""
    given = "1-hour means of Wind density and 10-minute means of the speed, 3-6 May 2024"
    made = [each for each in chain(edited(given, "all as 1-hour means")) if "resample" in each]
    assert made == ["density_1hour=resample(density,PT1H,mean)", "speed_10minute=resample(speed,PT1H,mean)"]


@pytest.mark.parametrize(
    ("given", "words", "drawn", "colors"),
    [
        (MEANS, "keep the raw data behind it in light grey", ["density+density_mean", "speed+speed_mean"], ["lightgrey"] * 2),
        (MEANS, "raw data of the speed in the background", ["density_mean", "speed+speed_mean"], [None, "silver"]),
        (
            "Wind density and speed, 3-6 May 2024",
            "hourly means, with the raw values in grey behind",
            ["density+density_1hour", "speed+speed_1hour"],
            ["grey"] * 2,
        ),
    ],
)
def test_values_are_drawn_behind_their_means(given: str, words: str, drawn: list[str], colors: list[str | None]) -> None:
    """Each in the panel of its mean, before it."""
    pipeline = edited(given, words)
    assert panels(pipeline) == drawn
    assert [drawn_at(pipeline, (row, 0)).get("color") for row in range(2)] == colors


def test_values_that_are_drawn_themselves_are_behind_nothing() -> None:
    """It is said, and no line becomes grey."""
    answer = refine("Wind density and speed, 3-6 May 2024", "keep the raw data behind it in light grey")
    assert isinstance(answer, Asked)
    assert answer.question.text.startswith("Nothing is smoothed or averaged there")


@pytest.mark.parametrize(
    ("given", "words", "mission"),
    [
        ("THEMIS A B in GSM, 2008-02-26", "what E measured instead", "THEMIS-E"),
        ("MMS1 B in GSE on 2015-10-16 13:00-13:10", "show what 3 saw", "MMS3"),
        ("Cluster 1 B in GSE, 2002-02-18", "what 3 measured instead", "Cluster 3"),
    ],
)
def test_what_another_of_the_fleet_measured(given: str, words: str, mission: str) -> None:
    """Its letter or number is enough, and is no electric field."""
    answer = refine(given, words)
    assert isinstance(answer, Fork)
    assert answer.mission == mission


def test_another_instrument_of_one_quantity_leaves_the_others() -> None:
    """Also where the new dataset has all of them."""
    pipeline = edited("Wind density and speed, 3-6 May 2024", "speed from 3DP instead")
    assert chain(pipeline) == ["density=WI_H1_SWE/Proton_Np_nonlin", "speed=WI_PLSP_3DP/MOM.P.VEL_MAG"]


@pytest.mark.parametrize("words", ["compare with the spectrum of By", "add the spectrum of By"])
def test_another_component_is_in_the_frame_that_is_drawn(words: str) -> None:
    """No frame is taken by itself beside one that was named."""
    pipeline = edited("power spectrum of Bz GSE from Wind on 2024-05-10", words)
    assert panels(pipeline) == ["b_z_spectrum", "b_y_spectrum"]
    assert "b_y=component(b_gse,y)" in chain(pipeline)


def test_a_range_of_colours_is_that_of_the_spectrogram() -> None:
    """The panels beside it have none."""
    pipeline = edited("THEMIS A ion energy spectrogram and B in GSM on 2008-02-26", "colour scale from 1e3 to 1e7")
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [panel.z.range for panel in figure.panels] == [(1000, 10000000), None]


def test_counts_of_a_histogram_have_a_logarithmic_axis() -> None:
    """Beside other bins."""
    pipeline = edited("histogram of the solar wind speed from OMNI in 2023", "bins of 25 km/s and a log axis for the counts")
    assert "speed_histogram=histogram(speed,25)" in chain(pipeline)
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert figure.panels[0].y.scale == "log"


@pytest.mark.parametrize(
    ("words", "row", "ends"),
    [
        ("start the y axis of the speed at 300", 1, (300, None)),
        ("log scale for both and start the axis at 0.1", 0, (0.1, None)),
        ("I'd like the speed axis to start at zero", 1, (0, None)),
        ("density from zero", 0, (0, None)),
        ("y max 900 for the speed", 1, (None, 900)),
        ("limit the density axis to a maximum of 60", 0, (None, 60)),
        ("extend the speed axis to 1200", 1, (None, 1200)),
        ("let the density axis end at 60 cm-3", 0, (None, 60)),
    ],
)
def test_one_end_of_an_axis_leaves_the_other_to_the_data(words: str, row: int, ends: tuple[float | None, float | None]) -> None:
    """Whichever way it is said."""
    figure = edited("Wind density and speed, 3-6 May 2024", words).steps[-1].figure
    assert figure is not None
    assert figure.panels[row].y.range == ends


def test_one_end_of_an_axis_keeps_the_other_that_was_said() -> None:
    """Unless they would cross; a request says it as a change does."""
    given = "ACE |B| on 2005-01-21, y axis from 0 to 30"
    ends = []
    for words in ("y max 10", "y axis starting at 40"):
        figure = edited(given, words).steps[-1].figure
        assert figure is not None
        ends.append(figure.panels[0].y.range)
    assert ends == [(0, 10), (40, None)]
    figure = planned("Dst and AE November 2003, AE axis starting from zero, Dst axis up to 50").steps[-1].figure
    assert figure is not None
    assert [panel.y.range for panel in figure.panels] == [(None, 50), (0, None)]


def test_a_slope_is_fitted_no_further_than_a_spectrum_reaches() -> None:
    """One-minute data have no frequencies above 8.33 mHz."""
    answer = refine("power spectrum of Wind |B| on 2008-01-10", "fit the slope between 0.001 and 0.1 Hz")
    assert isinstance(answer, Asked)
    assert "ends at 0.00833 Hz" in answer.question.text
    made = chain(edited("power spectrum of Wind |B| on 2008-01-10", "fit the slope between 0.0001 and 0.005 Hz"))
    assert made[-1] == "b_mag_slope=spectral_slope(b_mag_spectrum,0.0001,0.005)"

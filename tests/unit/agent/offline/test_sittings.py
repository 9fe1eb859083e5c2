"""Follow-ups as they are typed in a sitting: analyses named alone, other particles, limits of vectors, short orders."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Edits, Information, Plan, Replay
from tests.unit.agent.offline.asking import ask, chain, drawn_at, edited, panels, planned, refine

MMS = "MMS2 electron density 2017-07-11 22:00-23:00"
WARM = "MMS2 electron temperature 2017-07-11 22:00-23:00"
ACE = "ACE |B| and speed 2001-11-06"
THEMIS = "THEMIS D velocity 2010-03-01 12:00 to 14:00"


@pytest.mark.parametrize(
    ("given", "words", "made"),
    [
        ("OMNI hourly speed 2008", "power spectrum", "speed_spectrum=power_spectrum(speed)"),
        ("OMNI hourly speed 2008", "show its periodogram", "speed_spectrum=power_spectrum(speed)"),
        (ACE, "psd of the speed please", "speed_spectrum=power_spectrum(speed)"),
        ("ACE |B| 2001-11-06", "structure function", "structure=structure_function(b_mag)"),
        (ACE, "add a structure function of |B|", "structure=structure_function(b_mag)"),
        ("MMS1 B GSE 2015-10-16 13:00-13:10", "minimum variance", "b_gse_frame=minimum_variance_frame(b_gse)"),
        ("ACE |B| and Wind |B| 2001-11-06", "difference of the two", "ace_minus_wind=difference(ace_b_mag,wind_b_mag)"),
        ("ACE |B| and Wind |B| 2001-11-06", "show the ratio between them", "ace_over_wind=ratio(ace_b_mag,wind_b_mag)"),
    ],
)
def test_an_analysis_named_alone_is_of_what_is_drawn(given: str, words: str, made: str) -> None:
    """Over the whole range, beside it."""
    pipeline = edited(given, words)
    assert made in chain(pipeline)
    assert len(panels(pipeline)) > len(panels(planned(given)))


def test_a_difference_of_vectors_is_asked_about() -> None:
    """Which number of them."""
    answer = refine("Cluster 1 and Cluster 2 B 2001-03-31", "difference of the two")
    assert isinstance(answer, Asked)
    assert "Which component, or the magnitude?" in answer.question.text


@pytest.mark.parametrize(
    ("given", "words", "drawn"),
    [
        (MMS, "same for the ions", ["mms2_des_numberdensity_fast", "mms2_dis_numberdensity_fast"]),
        (MMS, "ions instead", ["mms2_dis_numberdensity_fast"]),
        (MMS, "ions instead of electrons", ["mms2_dis_numberdensity_fast"]),
        (WARM, "and ions", ["mms2_des_temppara_fast", "mms2_des_tempperp_fast", "mms2_hpca_hplus_scalar_temperature"]),
    ],
)
def test_other_particles_are_those_of_the_same_spacecraft(given: str, words: str, drawn: list[str]) -> None:
    """A part of a moment is of the particles that measure it, too."""
    steps = edited(given, words).steps
    assert [step.fetch.parameter for step in steps if step.fetch] == drawn


def test_a_limit_of_a_vector_is_of_its_magnitude() -> None:
    """Whichever way the intervals are asked for; a component that is named is that."""
    for words in ("find flows faster than 300 km/s", "intervals where the speed is above 300 km/s"):
        steps = chain(edited(THEMIS, words))
        assert steps[1:] == ["velocity_mag=magnitude(velocity_gse)", "intervals=intervals_where(velocity_mag,300,P3D)"]
    assert chain(edited(THEMIS, "shade where Vx is above 300 km/s"))[1] == "velocity_x=component(velocity_gse,x)"


@pytest.mark.parametrize(
    ("words", "mark"),
    [
        ("mark Kp 5 in red", {"y": 50, "color": "red"}),
        ("mark 5 in red", {"y": 50, "color": "red"}),
        ("draw a line at Kp 7", {"y": 70}),
    ],
)
def test_a_value_of_kp_is_marked_as_it_is_stored(words: str, mark: dict[str, object]) -> None:
    """Ten times as high."""
    figure = edited("Kp November 2003", words).steps[-1].figure
    assert figure is not None
    assert [each.model_dump(exclude_defaults=True) for each in figure.panels[0].marks] == [mark]


def test_short_orders() -> None:
    """`y log` is of an axis, `3 days more` of the range, a frame that goes is no word that is ignored."""
    figure = edited("ACE |B| 2001-11-06", "y log").steps[-1].figure
    assert figure is not None
    assert figure.panels[0].y.scale == "log"
    answer = refine(ACE, "y log")
    assert isinstance(answer, Asked)
    assert answer.question.choices == ["log y axis for |B|", "log y axis for V"]
    moved = refine("ACE |B| 2001-11-06", "3 days more")
    assert isinstance(moved, Replay)
    assert str(moved.span) == "2001-11-06 to 2001-11-10"
    turned = refine("ACE B 2001-11-06", "GSM instead of GSE")
    assert isinstance(turned, Edits)
    assert not any("ignored" in each for each in turned.notes)


def test_a_form_of_a_figure_is_no_change_of_it() -> None:
    """The command that writes it is said."""
    for words, command in (("as pdf please", "helio figure ace_magnetic_field 2001-11-06"), ("csv please", "helio export ace")):
        answer = refine("ACE B 2001-11-06", words)
        assert isinstance(answer, Information)
        assert command in answer.text


def test_distance_alone_is_that_from_the_sun_for_a_mission_around_it() -> None:
    """In a request and in a change; two spacecraft have one between them."""
    assert panels(planned("Parker Solar Probe |B| and distance Nov 2018")) == ["b_mag", "distance"]
    assert panels(edited("Parker Solar Probe |B| Nov 2018", "distance underneath")) == ["b_mag", "distance"]
    assert drawn_at(edited("Parker Solar Probe |B| Nov 2018", "add the distance"), (1, 0)) == {"data": "distance"}
    assert "from_one_to_the_other" in " ".join(chain(planned("MMS1 and MMS2 distance 2015-10-16")))


@pytest.mark.parametrize(
    ("request_", "dataset"),
    [
        ("Solar Orbiter speed 2021-11-03 10:00 to 12:00", "SOLO_L2_SWA-PAS-GRND-MOM"),
        ("Solar Orbiter density and speed 2021-11-03", "SOLO_L2_SWA-PAS-GRND-MOM"),
        ("Solar Orbiter speed in November 2021", "SOLO_COHO1HR_MERGED_MAG_PLASMA"),
        ("PSP speed 2018-11-06 10:00 to 12:00", "PSP_SWP_SPC_L3I"),
        ("OMNI speed 2003-11-20 10:00 to 13:00", "OMNI_HRO_1MIN"),
        ("OMNI hourly speed 2003-11-20 10:00 to 13:00", "OMNI2_H0_MRG1HR"),
        ("Dst 2003-11-20 10:00 to 13:00", "OMNI2_H0_MRG1HR"),
    ],
)
def test_hourly_values_do_not_show_a_few_hours(request_: str, dataset: str) -> None:
    """Unless they are asked for, or there are no others."""
    assert {step.fetch.dataset for step in planned(request_).steps if step.fetch} == {dataset}
    assert ask(request_).notes == ()


def test_against_something_is_a_scatter_plot() -> None:
    """`vs` as `against`; L is the L shell."""
    assert chain(edited("Helios 1 speed 1976", "vs distance"))[-1] == "points=scatter(distance,speed)"
    assert chain(edited("RBSP-B density 2013-03-17", "vs L"))[-1] == "points=scatter(l_shell,density)"
    assert chain(planned("RBSP-B density vs L 2013-03-17"))[-1] == "points=scatter(l_shell,density)"


def test_the_lag_between_two_lines_is_a_plan_of_its_own() -> None:
    """For the range that is drawn, with no remark on its last day."""
    answer = refine("solar wind speed from ACE and Wind in Feb 2008", "lag between them")
    assert isinstance(answer, Plan)
    assert "correlation=cross_correlation(ace_speed,wind_speed,PT2H)" in chain(answer.pipeline)
    assert (str(answer.span), answer.notes) == ("2008-02-01 to 2008-03-01", ())


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("give me a table of them", "say `approve`"),
        ("multiply by r squared", "times r squared"),
        ("which hours were above 1000 as a histogram", "'a histogram' beside a limit"),
    ],
)
def test_what_no_change_does_is_said(words: str, part: str) -> None:
    """With the way to it; nothing of a sentence is lost."""
    answer = refine("AE 2015-03-17", words)
    assert isinstance(answer, Asked)
    assert part in answer.question.text


@pytest.mark.parametrize(
    ("given", "words", "made"),
    [
        (
            "PSP B RTN and |B| 2018-11-06",
            "everything as 1-min medians except |B|",
            ["b_rtn_1minute=resample(b_rtn,PT1M,median)"],
        ),
        ("PSP B RTN and |B| 2018-11-06", "smooth all but |B| over 10 min", ["b_rtn_mean=rolling_mean(b_rtn,PT10M)"]),
        (
            "OMNI Bz and SYM-H 2015-03-17",
            "smooth everything except SYM-H over 10 minutes",
            ["b_z_gsm_mean=rolling_mean(b_z_gsm,PT10M)"],
        ),
        ("ACE speed and density 2005-01-21", "10-min avg for density only", ["density_10minute=resample(density,PT10M,mean)"]),
        ("ACE speed and density 2005-01-21", "10-min avg only for density", ["density_10minute=resample(density,PT10M,mean)"]),
        (
            "ACE speed and density 2005-01-21",
            "add Dst, hourly means of everything",
            [
                "omni_dst=OMNI2_H0_MRG1HR/DST",
                "speed_1hour=resample(speed,PT1H,mean)",
                "density_1hour=resample(density,PT1H,mean)",
                "omni_dst_1hour=resample(omni_dst,PT1H,mean)",
            ],
        ),
    ],
)
def test_a_treatment_is_of_all_or_of_one_as_said(given: str, words: str, made: list[str]) -> None:
    """The others stay, and nothing that is drawn goes."""
    before, pipeline = planned(given), edited(given, words)
    assert chain(pipeline) == [*chain(before), *made]
    assert len(panels(pipeline)) >= len(panels(before))


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("previous day too", "2005-01-20 to 2005-01-22"),
        ("from 12 UT on", "2005-01-21T12:00Z to 2005-01-22"),
        ("till Jan 23", "2005-01-21 to 2005-01-24"),
    ],
)
def test_terse_times(words: str, span: str) -> None:
    """As they are typed."""
    moved = refine("ACE speed and density 2005-01-21", words)
    assert isinstance(moved, Replay)
    assert str(moved.span) == span


def test_a_time_that_a_result_has_is_told_once_it_is_there() -> None:
    """No bins are asked about."""
    answer = refine("OMNI Bz and SYM-H 2015-03-17", "when was the minimum of SYM-H?")
    assert isinstance(answer, Asked)
    assert answer.question.text.startswith("When that was is told once the plan has run")


@pytest.mark.parametrize(
    ("given", "words", "parameter"),
    [
        ("THEMIS-A ion energy spectrogram 2008-02-26", "THEMIS-D too", "thd_peif_en_eflux"),
        ("MMS3 ion energy spectrogram 2017-07-11 22:00-23:00", "and MMS1", "mms1_dis_energyspectr_omni_fast"),
    ],
)
def test_a_spectrogram_of_another_member_is_its_twin(given: str, words: str, parameter: str) -> None:
    """In a panel of its own."""
    pipeline = edited(given, words)
    assert [step.fetch.parameter for step in pipeline.steps if step.fetch][-1] == parameter
    assert len(panels(pipeline)) == len(panels(planned(given))) + 1


@pytest.mark.parametrize(
    ("words", "mark"),
    [
        ('mark 17:10 with a dashed line "shock"', {"text": "shock", "dash": "dash"}),
        ("mark 17:10 as shock in red", {"text": "shock", "color": "red"}),
        ("mark 17:10 as shock with a dashed red line", {"text": "shock", "color": "red", "dash": "dash"}),
        ("dashed line at 17:10 labelled shock", {"text": "shock", "dash": "dash"}),
        ('vertical line at 17:10 "IP shock"', {"text": "IP shock"}),
        ("mark 17:10 dashed", {"dash": "dash"}),
    ],
)
def test_how_a_mark_looks_is_no_part_of_its_name(words: str, mark: dict[str, str]) -> None:
    """In a change, and in a request."""
    given = "ACE speed and density 2005-01-21"
    for pipeline in (edited(given, words), planned(f"{given}, {words}")):
        figure = pipeline.steps[-1].figure
        assert figure is not None
        for panel in figure.panels:
            assert [each.model_dump(exclude_defaults=True, exclude={"x"}) for each in panel.marks] == [mark]


@pytest.mark.parametrize(
    ("given", "words", "steps"),
    [
        ("THEMIS A density 2008-02-26", "and probe E", ["themis_e_density=THE_L2_ESA/the_peif_density"]),
        ("Wind magnetic field and speed 2015-06-22", "smooth the speed with 3 min", ["speed_mean=rolling_mean(speed,PT3M)"]),
        ("AE index 2013-03-17", "what were max and mean?", ["ae_facts=facts_of(ae,['maximum', 'mean', 'coverage'])"]),
        (
            "OMNI Bz 2015-03-17",
            "5-minute means, add the speed",
            ["b_z_gsm_5minute=resample(b_z_gsm,PT5M,mean)", "speed=OMNI_HRO_1MIN/flow_speed"],
        ),
        (
            "OMNI Bz 2015-03-17",
            "hourly means and a second panel with the electric field",
            ["b_z_gsm_1hour=resample(b_z_gsm,PT1H,mean)", "e=OMNI_HRO_1MIN/E"],
        ),
        ("PSP B RTN 2018-11-06", "without Bt and Bn", ["b_r=component(b_rtn,r)"]),
        (
            "Solar Orbiter magnetic field RTN 2021-11-03 to 2021-11-05",
            "smooth with a 10 min running mean and only show |B| and Bn",
            [
                "b_mag=magnitude(b_rtn)",
                "b_n=component(b_rtn,n)",
                "b_mag_mean=rolling_mean(b_mag,PT10M)",
                "b_n_mean=rolling_mean(b_n,PT10M)",
            ],
        ),
        (
            "OMNI Bz gsm for 2015-06-22 to 2015-06-24",
            "add SYM-H and AE, and shade where Bz < -5",
            ["sym_h=OMNI_HRO_1MIN/SYM_H", "ae=OMNI_HRO_1MIN/AE_INDEX", "intervals=intervals_where(b_z_gsm,-5,P3D)"],
        ),
        ("ACE proton density 2001-11-24", "daily std dev too", ["density_1day=resample(density,P1D,std)"]),
    ],
)
def test_what_is_drawn_stays_of_its_data(given: str, words: str, steps: list[str]) -> None:
    """A treatment exchanges no dataset, and comes to what is drawn, not to what a later part adds."""
    assert chain(edited(given, words)) == [*chain(planned(given)), *steps]


def test_limits_of_a_histogram_are_of_its_values() -> None:
    """Unless the counts are named."""
    given = "OMNI solar wind speed 2008"
    for words, axes in (
        ("histogram instead, 30 bins, between 250 and 800", ((250, 800), None)),
        ("histogram instead, y axis from 0 to 500", (None, (0, 500))),
    ):
        figure = edited(given, words).steps[-1].figure
        assert figure is not None
        assert (figure.panels[0].x.range, figure.panels[0].y.range) == axes


def test_another_time_without_data_is_asked_about() -> None:
    """Where nothing that is drawn has any; else it is said of what has none."""
    answer = refine("Ulysses magnetic field magnitude 1994", "now 2012")
    assert isinstance(answer, Asked)
    assert answer.question.text.startswith("UY_1MIN_VHM has data from 1990-10-25")
    told = refine("Ulysses magnetic field magnitude and OMNI speed 1994", "now 2012")
    assert isinstance(told, Replay)
    assert [note.partition(" has data")[0] for note in told.notes] == ["UY_1MIN_VHM"]
    changed = refine("Ulysses magnetic field magnitude 1994", "add Kp and show 2012")
    assert isinstance(changed, Edits), changed
    assert str(changed.span) == "2012-01-01 to 2013-01-01"


def test_energies_of_a_spectrogram_are_the_limits_of_its_axis() -> None:
    """Beside other panels, in a request and in a change."""
    plan = planned("rbspa hope proton spectrogram from 1 to 50 keV with sym-h below, 17 march 2015")
    change = edited("MMS3 B and ion energy spectrogram 2017-07-11 22:00-23:00", "energy axis from 10 to 10000")
    for pipeline, panel, ends in ((plan, 0, (1000, 50000)), (change, 1, (10, 10000))):
        figure = pipeline.steps[-1].figure
        assert figure is not None
        assert [each.y.range for each in figure.panels] == [ends if row == panel else None for row in range(len(figure.panels))]


def test_a_power_spectrum_instead_is_a_plan_of_the_same_data() -> None:
    """With what is said of it."""
    answer = refine(
        "ACE magnetic field magnitude 2005-01-10", "power spectrum instead, log-log, slope between 0.001 and 0.01 Hz"
    )
    assert isinstance(answer, Plan)
    assert chain(answer.pipeline)[2:] == [
        "b_mag_spectrum=power_spectrum(b_mag)",
        "b_mag_slope=spectral_slope(b_mag_spectrum,0.001,0.01)",
    ]


@pytest.mark.parametrize(
    ("request_", "choice"),
    [
        ("something about the radiation belts in 2013", "Van Allen Probe A electron spectrogram in 2013"),
        ("space weather in May 2024", "Kp in May 2024"),
        ("anything about the aurora on 2015-03-17", "AE on 2015-03-17"),
    ],
)
def test_a_topic_is_asked_about_with_what_there_is_of_it(request_: str, choice: str) -> None:
    """Each choice has a plan."""
    answer = ask(request_)
    assert isinstance(answer, Asked)
    assert answer.question.choices[0] == choice
    assert all(planned(each) for each in answer.question.choices)


def test_what_is_added_leaves_what_is_drawn() -> None:
    """A standard deviation has an axis of its own."""
    assert panels(edited("ACE proton density 2001-11-24", "daily std dev too")) == ["density", "density_1day"]


def test_a_size_in_inches_is_on_paper_and_no_number_of_it_is_lost() -> None:
    """With what else is said in the sentence."""
    given, words = "Ulysses magnetic field magnitude 1992 to 1993", "daily means, then width 12 x 5 inch and save it as u.pdf"
    answer = refine(given, words)
    assert isinstance(answer, Edits)
    assert not any("ignored" in each for each in answer.notes)
    figure = edited(given, words).steps[-1].figure
    assert figure is not None
    assert figure.print is not None
    assert (figure.print.width, figure.print.height) == (304.8, 127)


def test_a_server_is_named_by_its_address_whole() -> None:
    """Its slashes part no dataset from it."""
    answer = ask("Magnitude of ACE from hapi:http://127.0.0.1:1/hapi on 2023-01-02")
    assert isinstance(answer, Asked)
    assert "http://127.0.0.1:1/hapi" in answer.question.text

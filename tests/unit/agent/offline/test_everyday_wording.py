"""Words that people use every day: components of RTN, one-sided limits of Bz, storms by their month, peaks and short years."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.unit.agent.offline.asking import ask, chain, edited, panels, planned


@pytest.mark.parametrize(
    ("request_text", "axis"),
    [
        ("STEREO-A radial component of B, July 2012", "r"),
        ("STEREO A radial component of B (RTN), July 2012", "r"),
        ("tangential component of the magnetic field at Solar Orbiter on 2022-03-08", "t"),
        ("normal component of B at PSP on 2018-11-06", "n"),
        ("PSP magnetic field, normal component, on 2018-11-06", "n"),
    ],
)
def test_components_of_rtn_in_words(request_text: str, axis: str) -> None:
    """They are one component of the vector in RTN, as `Br` is."""
    assert chain(planned(request_text))[1:] == [f"b_{axis}=component(b_rtn,{axis})"]


def test_a_component_in_words_is_averaged() -> None:
    """What is said beside it stays."""
    steps = chain(planned("STEREO A radial component of B (RTN), hourly averages, July 2012"))
    assert steps[0] == "b_rtn=STA_L2_MAGPLASMA_1M/BFIELDRTN"
    assert steps[-1] == "b_r_1hour=resample(b_r,PT1H,mean)"


@pytest.mark.parametrize(
    "request_text",
    [
        "intervals with southward IMF Bz GSM stronger than 10 nT lasting over 3 hours at Wind during 2001",
        "intervals with Bz GSM stronger than 10 nT southward lasting over 3 hours at Wind during 2001",
        "intervals with Bz GSM below -10 nT lasting over 3 hours at Wind during 2001",
    ],
)
def test_southward_and_strong_is_one_limit(request_text: str) -> None:
    """Southward beyond a value is below its negative."""
    operations = [step.compute for step in planned(request_text).steps if step.compute]
    assert operations[-1].operation == "intervals_where"
    assert operations[-1].options["below"] == -10
    assert "above" not in operations[-1].options
    assert operations[-1].options["at_least"] == "PT3H"


def test_another_limit_beside_southward_stays_itself() -> None:
    """A limit of the speed is not turned round."""
    answer = ask("intervals with southward Bz and speed above 500 km/s at Wind in 2001")
    assert not isinstance(answer, Plan) or "-500" not in str(answer.pipeline)


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("for the May 2024 Gannon storm", "2024-05-10 to 2024-05-13"),
        ("during the October 2003 Halloween storms", "2003-10-28 to 2003-11-01"),
        ("in the Oct/Nov 2003 Halloween storm", "2003-10-28 to 2003-11-01"),
        ("of the March 2015 St. Patrick's Day storm", "2015-03-17 to 2015-03-19"),
        ("for the 11-12 May 2024 Gannon storm", "2024-05-11 to 2024-05-13"),
    ],
)
def test_a_month_before_the_name_of_a_storm(words: str, span: str) -> None:
    """Its month and year leave the storm its own days; days that are named are meant instead."""
    answer = ask(f"OMNI Dst {words}")
    assert isinstance(answer, Plan)
    assert str(answer.span) == span


@pytest.mark.parametrize("words", ["during the May 2024 storm", "for the storm of May 2024", "during the Gannon storm"])
def test_a_storm_is_known_by_its_month(words: str) -> None:
    """If one storm of the month has a name, its days are meant."""
    answer = ask(f"OMNI Dst {words}")
    assert isinstance(answer, Plan)
    assert str(answer.span) == "2024-05-10 to 2024-05-13"


def test_a_day_beside_a_storm_is_that_day() -> None:
    """The day is surer than the name."""
    answer = ask("OMNI Dst for the storm on 11 May 2024")
    assert isinstance(answer, Plan)
    assert str(answer.span) == "2024-05-11 to 2024-05-12"


def test_at_l1_is_no_question_where_spacecraft_are_named() -> None:
    """They are at L1 themselves; of others it is asked."""
    steps = chain(planned("solar wind at L1 on 23 April 2023: |B| from ACE, Wind and DSCOVR in one panel"))
    assert {step.split("=")[1].split("_")[0] for step in steps if "/" in step} == {"AC", "WI", "DSCOVR"}
    asked = ask("magnetic field at L1 on 23 April 2023 and MMS1 |B|")
    assert isinstance(asked, Asked)
    assert "at L1" in asked.question.text


def test_hours_of_bins_as_a_word() -> None:
    """`6-hourly` is six hours long."""
    assert chain(planned("ACE |B|, 6-hourly medians, Feb 1999"))[-1] == "b_mag_6hour=resample(b_mag,PT6H,median)"


def test_a_peak_is_a_maximum_and_an_energy_no_limit() -> None:
    """`when was it` asks of the peak, though `> 2 MeV` stands before it."""
    steps = chain(planned("peak of the > 2 MeV electron flux at GOES 15 in April 2013, and when was it?"))
    assert steps[-1] == "e2w_cor_flux_facts=facts_of(e2w_cor_flux,['maximum', 'coverage'])"


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("from 23 July 2012 6pm to noon on the 25th", "2012-07-23T18:00Z to 2012-07-25T12:00Z"),
        ("over the last two weeks of Oct '03", "2003-10-18 to 2003-11-01"),
        ("on 4 Nov '98", "1998-11-04 to 1998-11-05"),
    ],
)
def test_times_left_short(words: str, span: str) -> None:
    """The month of a second day and the century of a year are those that can only be meant."""
    answer = ask(f"Wind |B| {words}")
    assert isinstance(answer, Plan)
    assert str(answer.span) == span


def test_no_currents_from_several_spacecraft() -> None:
    """What it needs is said."""
    asked = ask("field-aligned current with the curlometer from the four Cluster spacecraft, 2002-03-30")
    assert isinstance(asked, Asked)
    assert "of four spacecraft" in asked.question.text


def test_english_is_not_told_to_be_english() -> None:
    """The hint says what to try; of its language it speaks only to other languages."""
    english = ask("|B| of ACE with the 99 gadgets on 2003-10-29")
    assert isinstance(english, Asked)
    assert not any("I read English" in note for note in english.notes)
    assert any("Try:" in note for note in english.notes)


@pytest.mark.parametrize(
    ("request_text", "fetched"),
    [
        ("Can I get the PSP magnetic field in RTN on 2021-11-21", "PSP_FLD_L2_MAG_RTN"),  # `I` is no part of SPAN-I
        ("Where was Geotail on 1997-01-10? plot x y z gse in Re", "GE_OR_DEF/GSE_POS"),
        ("DSCOVR Bt & Bz on 2017-09-07", "DSCOVR_H0_MAG"),
        ("Solar Orbiter MAG RTN for its first close perihelion 2022-03-20 to 2022-04-01", "SOLO_L2_MAG-RTN"),
    ],
)
def test_small_words_and_symbols_are_no_obstacle(request_text: str, fetched: str) -> None:
    """Each is planned from the data that it names."""
    assert any(fetched in each for each in chain(planned(request_text)))


def test_what_is_overplotted_shares_the_panel() -> None:
    """Unless it is a line at a value."""
    (panel,) = panels(edited("ACE |B| on 2003-10-29", "overplot Wind |B|"))
    assert panel.count("+") == 1


@pytest.mark.parametrize(
    ("request_text", "note"),
    [
        ("kp indx May 8-13 2024", "'indx' is read as 'index'."),
        ("Wind B GSE hodogrem 2005-01-21", "'hodogrem' is read as 'hodogram'."),
    ],
)
def test_a_word_a_letter_away_from_one_known_word_is_that(request_text: str, note: str) -> None:
    """Where it would be asked about, and the card says so."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    assert any(note in each for each in answer.notes)


@pytest.mark.parametrize(
    ("request_text", "data", "last"),
    [
        ("clock angle at ACE and Wind and their difference 2010-04-05", ["ace_b_gsm_clock+wind_b_gsm_clock"], "ace_minus_wind"),
        ("difference between the clock angle at ACE and Wind 2010-04-05", [], "ace_minus_wind"),
        (
            "ACE and Wind speed in one panel, with their difference below it, for 2010-04-05, both as 5-minute medians",
            ["ace_speed_5minute+wind_speed_5minute"],
            "ace_minus_wind",
        ),
        ("hourly ACE and Wind speed and their difference 2010-04-05", ["ace_speed+wind_speed_1hour"], "ace_minus_wind"),
    ],
)
def test_a_difference_is_of_what_is_drawn(request_text: str, data: list[str], last: str) -> None:
    """Of angles, too, not of the vectors that they are of; its panel names neither spacecraft alone."""
    pipeline = planned(request_text)
    assert panels(pipeline) == [*data, last]
    figure = next(step.figure for step in pipeline.steps if step.figure)
    assert figure.panels[-1].traces[0].label is None
    assert not (figure.panels[-1].y.title or "").startswith(("ACE", "Wind"))


@pytest.mark.parametrize(
    "request_text",
    [
        "storms with Dst below -100 nT in 2015",
        "list all intense storms with min Dst < -100 nT in 2015",
        "list the storms of 2015 with Dst below -100",
        "table of the storms with Dst below -100 nT in 2015",
        "a list of the geomagnetic storms of 2015 with Dst below -100 nT",
    ],
)
def test_storms_by_an_index_are_its_minima(request_text: str) -> None:
    """One for each storm, a day apart at least."""
    steps = chain(planned(request_text))
    assert steps[1:] == ["dst_minima=extrema(dst,minima,P1D)", "extremes=filter_events(dst_minima,value,-100)"]


def test_storms_are_not_counted() -> None:
    """Nor per year; the question says so, and offers their list."""
    answer = ask("number of storms with Dst < -100 per year in solar cycle 24")
    assert isinstance(answer, Asked)
    assert answer.question.text.startswith("I count no events")
    assert len(answer.question.choices) == 1

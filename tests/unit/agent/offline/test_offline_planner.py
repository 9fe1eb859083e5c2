"""Requests as people write them, and the pipelines or questions they become."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helio_dagster.agent.answers import Asked, Edits, Plan, Refusal, answer_to_document
from helio_dagster.agent.offline.targets import examples
from tests.tiers import example_count
from tests.unit.agent.offline.asking import ask, chain, edited, panels, planned, refine

SENTENCES = """
ACE magnetic field magnitude for 2023-01-02
    b_gse=AC_H0_MFI/BGSEc b_mag=magnitude(b_gse)
    b_mag
|B| at ACE, hourly averages
    b_gse=AC_H0_MFI/BGSEc b_mag=magnitude(b_gse) b_mag_1hour=resample(b_mag,PT1H,mean)
    b_mag_1hour
ACE |B| smoothed over 10 minutes
    b_gse=AC_H0_MFI/BGSEc b_mag=magnitude(b_gse) b_mag_mean=rolling_mean(b_mag,PT10M)
    b_mag+b_mag_mean
ACE |B| with a ten-minute running mean
    b_gse=AC_H0_MFI/BGSEc b_mag=magnitude(b_gse) b_mag_mean=rolling_mean(b_mag,PT10M)
    b_mag+b_mag_mean
ACE magnetic field vector in GSM
    b_gsm=AC_H0_MFI/BGSM
    b_gsm
vector and magnitude of the magnetic field at ACE
    b_gse=AC_H0_MFI/BGSEc b_mag=magnitude(b_gse)
    b_gse b_mag
ACE Bz GSM
    b_gsm=AC_H0_MFI/BGSM b_z=component(b_gsm,z)
    b_z
PSP Br
    b_rtn=PSP_FLD_L2_MAG_RTN_1MIN/psp_fld_l2_mag_RTN_1min b_r=component(b_rtn,r)
    b_r
OMNI speed, density and Dst
    speed=OMNI2_H0_MRG1HR/V density=OMNI2_H0_MRG1HR/N dst=OMNI2_H0_MRG1HR/DST
    speed density dst
Wind ion spectrogram
    ions=WI_PLSP_3DP/FLUX
    ions
5-minute medians of Wind |B|
    b_gse=WI_H0_MFI/BGSE b_mag=magnitude(b_gse) b_mag_5minute=resample(b_mag,PT5M,median)
    b_mag_5minute
hourly ACE density
    density=AC_H2_SWE/Np
    density
AC_H0_MFI AC_H2_MFI magnetic field
    b_gse=AC_H0_MFI/BGSEc b_gse_2=AC_H2_MFI/BGSEc
    b_gse b_gse_2
AC_H2_MFI magnitude
    b_gse=AC_H2_MFI/BGSEc b_mag=magnitude(b_gse)
    b_mag
Geotail speed
    speed_gse=GE_K0_CPI/SW_V speed_mag=magnitude(speed_gse)
    speed_mag
ACE plasma
    speed=AC_H0_SWE/Vp density=AC_H0_SWE/Np temperature=AC_H0_SWE/Tpr
    speed density temperature
ACE magnetic field and OMNI Dst
    ace_b_gse=AC_H0_MFI/BGSEc omni_dst=OMNI2_H0_MRG1HR/DST
    ace_b_gse omni_dst
"""
_LINES = SENTENCES.strip().splitlines()


@pytest.mark.parametrize(("request_text", "steps", "drawn"), list(zip(_LINES[::3], _LINES[1::3], _LINES[2::3], strict=True)))
def test_a_sentence_becomes_steps(request_text: str, steps: str, drawn: str) -> None:
    """Mission, quantity, shape, frame, smoothing and averages become the steps and panels they name."""
    pipeline = planned(request_text)
    assert chain(pipeline) == steps.split()
    assert panels(pipeline) == drawn.split()


def test_two_spacecraft_share_a_panel_with_labels() -> None:
    """A comparison of one number is drawn over each other."""
    pipeline = planned("compare ACE and Wind |B| with a 10-minute running mean, May 10-13 2024")
    assert panels(pipeline) == ["ace_b_mag_mean+wind_b_mag_mean"]
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [trace.label for trace in figure.panels[0].traces] == ["ACE", "Wind"]


def test_two_spacecraft_stand_below_each_other_when_asked() -> None:
    """The arrangement is the person's to choose."""
    assert panels(planned("ACE and Wind |B| one below the other")) == ["ace_b_mag", "wind_b_mag"]


def test_two_vectors_have_a_panel_each() -> None:
    """Six lines in one panel tell nothing."""
    assert panels(planned("ACE and Wind magnetic field vector")) == ["ace_b_gse", "wind_b_gse"]


def test_the_time_range_stays_outside_the_pipeline() -> None:
    """The same request for another day makes the same pipeline."""
    first, second = ask("ACE speed on 2023-01-02"), ask("ACE speed from May 10 through 13, 2024")
    assert isinstance(first, Plan)
    assert isinstance(second, Plan)
    assert first.pipeline == second.pipeline
    assert str(second.span) == "2024-05-10 to 2024-05-14"


def test_what_is_assumed_is_said() -> None:
    """Dataset, frame and shape that the request leaves open are written into the pipeline."""
    assumed = " ".join(planned("ACE magnetic field").assumptions)
    assert "AC_H0_MFI" in assumed
    assert "GSE is used" in assumed
    assert "components" in assumed


def test_the_pipeline_has_name_title_and_start() -> None:
    """A plan can be saved as it is."""
    pipeline = planned("ACE magnetic field magnitude for 2023-01-02")
    assert pipeline.name == "ace_magnetic_field_magnitude"
    assert pipeline.title == "ACE magnetic field magnitude"
    assert pipeline.start == datetime(1997, 9, 2, tzinfo=UTC)
    assert planned("ACE speed", "demo").start == datetime(1990, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("Voyager magnetic field", "'Voyager'"),
        ("ACE |B| without turbulence", "'without'"),
        ("ACE |B| around 2023-01-02", "from when to when"),
        ("ACE electric field", "no electric field of ACE"),
        ("mean ACE |B| for 2023-01-02 and 2023-03-04", "one time range"),
        ("ACE speed for 3 days", "From when is 'for 3 days'"),
        ("magnetic field", "From which spacecraft"),
        ("ACE", "Which quantity of ACE"),
        ("plot", "Which spacecraft"),
        ("ACE field in another frame", "In which frame"),
        ("ACE |B| smoothed", "How long"),
        ("ACE |B| 0-minute running mean", "too short"),
        ("ACE field 03/04/2023", "Which day"),
        ("ACE field May 10", "which year"),
        ("ACE field 1990", "1997-09-02"),
        ("ACE field 2030", "future"),
        ("ACE Dst", "Dst comes from OMNI"),
        ("Pioneer 10 magnetic field in GSE in 1973-12", "not catalogued in GSE"),
        ("By of PSP in RTN", "By is not a component in RTN, which has Br, Bt, Bn"),
        ("compare ACE |B|", "want to compare ACE with"),
        ("compare ACE |B| with Wind and density", "which quantity belongs"),
        ("DSCOVR ion spectrogram", "no ion spectrogram of DSCOVR"),
        ("AC_H0_MIF magnitude", "Did you mean AC_H0_MFI"),
        ("Wind ion spectrogram, hourly averages", "do not average spectrograms"),
        ("ACE |B| 10-minute running mean, 5-minute running mean", "two averages"),
    ],
)
def test_what_is_not_sure_is_one_question(request_text: str, words: str) -> None:
    """Nothing is guessed: each doubt ends in one question that names it."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert words in answer.question.text


@pytest.mark.parametrize(
    "request_text",
    [
        "magnetc field of ACE",
        "ACE field 03/04/2023",
        "ACE wind speed",
        "ACE |B| smoothed",
        "speed last week",
        "ACE Dst yesterday",
        "STEREO-A speed",
    ],
)
@pytest.mark.parametrize("archive", ["cdaweb", "demo"])
def test_a_choice_taken_leads_to_a_plan(request_text: str, archive: str) -> None:
    """Each choice of a question is a whole request, and at least one of them is answered with a plan."""
    answer = ask(request_text, archive)
    if isinstance(answer, Plan):
        return
    assert isinstance(answer, Asked)
    assert any(isinstance(ask(choice, archive), Plan) for choice in answer.question.choices), answer


def test_leaving_a_negation_out_is_not_offered() -> None:
    """A request without `without` asks for the opposite."""
    answer = ask("ACE |B| without smoothing over 10 minutes")
    assert isinstance(answer, Asked)
    assert answer.question.choices == []


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("x" * 3000, "longer"),
        ("ACE |B| 2023-02-30", "28 days"),
        ("Dst of the Carrington event", "space age"),
    ],
)
def test_what_cannot_be_is_refused(request_text: str, words: str) -> None:
    """A request that no answer would mend says why."""
    answer = ask(request_text)
    assert isinstance(answer, Refusal)
    assert words in answer.notes[0]


def test_a_range_partly_without_data_is_planned_with_a_note() -> None:
    """What lies before the first data is said, not cut off silently."""
    answer = ask("ACE speed in 1998")
    assert isinstance(answer, Plan)
    assert "1998-02-04" in " ".join(answer.notes)


def test_without_a_time_range_the_plan_says_so() -> None:
    """A pipeline needs no time; running it does."""
    answer = ask("ACE speed")
    assert isinstance(answer, Plan)
    assert answer.span is None
    assert "helio run" in answer.notes[0]


def test_the_document_has_the_fields_of_the_design() -> None:
    """Programs read one mapping, with the pipeline as in its file and times as ISO text."""
    document = answer_to_document(ask("ACE speed on 2023-01-02"), "offline")
    assert list(document) == ["status", "planner", "pipeline", "start", "stop", "question", "notes", "ignored"]
    assert (document["start"], document["stop"]) == ("2023-01-02", "2023-01-03")
    assert answer_to_document(ask("ACE"), "offline")["pipeline"] is None


@pytest.mark.parametrize("archive", ["cdaweb", "demo"])
def test_the_examples_offered_work(archive: str) -> None:
    """What we tell people to type is understood."""
    for shown in examples(archive):
        assert isinstance(ask(shown, archive), Plan), shown


WORDS = st.sampled_from(
    (
        *("ACE", "Wind", "OMNI", "PSP", "|B|", "magnetic", "field", "magnitude", "vector", "speed", "density", "Dst", "Bz"),
        *("and", "of", "compare", "with", "hourly", "averages", "smoothed", "over", "10", "minutes", "in", "GSE", "on"),
        *("2023-01-02", "last", "week", "2003", "to", "through", "ion", "spectrogram", "one", "panel", "stacked", "without"),
        *("plasma", "beta", "Alfven", "clock", "angle", "difference", "ratio", "derivative", "detrend", "window", "1-hour"),
        *(
            "MMS1",
            "Ulysses",
            "Cluster",
            "1",
            "THEMIS-E",
            "electron",
            "temperature",
            "what",
            "is",
            "which",
            "missions",
            "run",
            "my",
        ),
    )
)
CHANGES = st.sampled_from(
    (
        *("make", "it", "red", "the", "|B|", "also", "Wind", "add", "density", "log", "scale", "axis", "from", "0", "to", "60"),
        *("smooth", "over", "5", "minutes", "same", "for", "PSP", "last", "week", "undo", "remove", "panel", "in", "separate"),
        *("panels", "title", "instead", "use", "30", "thicker", "lines", "second", "and", "2004"),
    )
)


@pytest.mark.slow
@settings(max_examples=example_count(60), deadline=None)
@given(st.lists(WORDS, max_size=9).map(" ".join) | st.text(max_size=30), st.sampled_from(["cdaweb", "demo"]))
@example("ion derivative", "cdaweb")
def test_any_request_has_an_answer_and_every_plan_is_sound(request_text: str, archive: str) -> None:
    """No words make the planner fail, and what it plans passes the check."""
    answer = ask(request_text, archive)
    if isinstance(answer, Plan):
        planned(request_text, archive)
    elif isinstance(answer, Asked):
        assert answer.question.text
    elif isinstance(answer, Refusal):
        assert answer.notes


@settings(max_examples=example_count(60), deadline=None)
@given(st.lists(CHANGES, max_size=7).map(" ".join) | st.text(max_size=30))
@example("\\")
@pytest.mark.slow
def test_any_words_beside_a_pipeline_have_an_answer_and_every_change_is_sound(request_text: str) -> None:
    """No words make the planner fail, and what it changes passes the check."""
    answer = refine("ACE |B| and speed on 2003-10-29", request_text)
    if isinstance(answer, Edits):
        edited("ACE |B| and speed on 2003-10-29", request_text)


@pytest.mark.parametrize(
    ("request_text", "steps"),
    [
        ("ACE and wind density on 2003-11-04", ["ace_density=AC_H0_SWE/Np", "wind_density=WI_H1_SWE/Proton_Np_nonlin"]),
        ("wind speed vs ACE speed on 2015-03-17", ["wind_speed=WI_H1_SWE/Proton_V_nonlin", "ace_speed=AC_H0_SWE/Vp"]),
        (
            "wind speed and density from Wind on 2015-03-17",
            ["speed=WI_H1_SWE/Proton_V_nonlin", "density=WI_H1_SWE/Proton_Np_nonlin"],
        ),
    ],
)
def test_wind_in_small_letters_among_spacecraft_is_one(request_text: str, steps: list[str]) -> None:
    """In a list of them, or beside the same of another one; not where it stands in capitals, too."""
    assert chain(planned(request_text)) == steps


def test_the_wind_at_another_spacecraft_is_the_solar_wind() -> None:
    """In small letters, beside a spacecraft that is named: stated, not asked."""
    pipeline = planned("wind speed ACE 2003-10-29")
    assert chain(pipeline) == ["speed=AC_H0_SWE/Vp"]
    assert "The wind is taken as the solar wind: a spacecraft is named." in pipeline.assumptions


@pytest.mark.parametrize(
    ("request_text", "ignored"),
    [
        ("ACE |B| on 2003-10-29 for my thesis", ("for my thesis",)),
        ("could you kindly whip up ACE |B| on 2003-10-29", ("whip up",)),
        ("beautiful ACE |B|, all of 2003", ("beautiful",)),
        ("GLE 69: ACE |B| on 2005-01-20", ("GLE 69",)),
        ("ACE |B| wibble on 2003-10-29", ("wibble",)),
        ("ACE |B| during the commissioning phase, 10 September 1997", ("commissioning phase",)),
        ("ACE |B| of the October 2003 CME, 29 October 2003", ("of the October 2003",)),
        ("ACE |B| in April 2021 for 28 and 29 April", ("in April 2021",)),
        ("ACE |B| over early Nov 2021 (2-5 Nov)", ("over early Nov 2021",)),
    ],
)
def test_words_that_change_nothing_are_ignored_and_shown(request_text: str, ignored: tuple[str, ...]) -> None:
    """The plan names them, so that the card can show them struck out."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    assert answer.ignored == ignored


@pytest.mark.parametrize(
    "request_text",
    [
        "ACE |B| lagged 7 on 2003-10-29",
        "ACE |B| on the wibble",
        "ACE |B| in wibble coordinates on 2003-10-29",
        "ACE |B| against wibble on 2003-10-29",
        "ACE |B| and helicity on 2003-10-29",
        "ACE temperature anisotropy on 2003-10-29",
        "ACE density gradient on 2003-10-29",
        "wind speed at Foosat on 2003-10-29",
        "ACE |B| in FOO on 2003-10-29",
        "ACE |B| with REPT on 2003-10-29",
        "ACE |B| ohne Ausreisser am 2003-10-29",
        "above 10 nT: ACE |B| on 2003-10-29",
        "ACE |B| in 2003 and October 2003",
    ],
)
def test_words_that_could_change_something_are_asked_about(request_text: str) -> None:
    """A number, a negation, the name of an instrument, a frame, what is computed, or a word where a time could stand."""
    assert isinstance(ask(request_text), Asked)


def test_misspelt_words_are_corrected_and_it_says_so() -> None:
    """The card shows what was read."""
    answer = ask("ACE magentic feild magnitude on 2003-10-29")
    assert isinstance(answer, Plan)
    assert answer.notes[:2] == ("'magentic' is read as 'magnetic'.", "'feild' is read as 'field'.")


def test_a_request_in_another_language_is_told_from_english() -> None:
    """The question says which."""
    answer = ask("montre moi la vitesse des kangourous le 29 octobre 2003")
    assert isinstance(answer, Asked)
    assert answer.question.text.startswith("This looks French, and I read English.")

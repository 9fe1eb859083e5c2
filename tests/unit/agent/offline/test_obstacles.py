"""A question says what really stands in the way, before it speaks of words that are not understood."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.unit.agent.offline.asking import ask, chain, planned


@pytest.mark.parametrize(
    ("request_text", "reason"),
    [
        ("STEREO-B magnetic field after contact was lost, November 2014", "to 2014-09-27T16:30Z, none for"),
        ("Juno density only during perijove 1", "no density of Juno"),
        ("Nurmijarvi riometer, 17 March 2013", "are planned where their network is named"),
        ("ACE density gradient on 2003-10-29", "no gradients in space"),
        ("Wind proton temperature in Fahrenheit, 2000-04-06", "no unit"),
        ("ISEE-3 magnetic field for August 1979, no gaps", "fill no gaps"),
    ],
)
def test_the_reason_is_the_real_one(request_text: str, reason: str) -> None:
    """No data, none then, none that can be fetched, or what is not made; not that a word is unknown."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert reason in answer.question.text
    assert not answer.question.text.startswith("I do not understand")


def test_words_that_are_not_understood_are_named_beside_the_reason() -> None:
    """Both stand in the way."""
    answer = ask("STEREO-B magnetic field after contact was lost, November 2014")
    assert isinstance(answer, Asked), answer
    assert "'after', 'contact'" in answer.question.text


def test_the_nearest_time_with_data_is_offered() -> None:
    """As long as the one that was asked for, and it has a plan without a warning."""
    answer = ask("ACE magnetic field in 1995")
    assert isinstance(answer, Asked), answer
    assert answer.question.choices == ["ACE magnetic field 1997-09-02 to 1998-09-02"]
    led_to = ask(answer.question.choices[0])
    assert isinstance(led_to, Plan), led_to
    assert str(led_to.span) == "1997-09-02 to 1998-09-02"
    assert not any("will be empty" in each for each in led_to.notes)


def test_what_can_be_said_instead_is_told() -> None:
    """For the words that are not understood."""
    answer = ask("hourly Kp, only weekdays, 2003")
    assert isinstance(answer, Asked), answer
    assert answer.question.text.startswith("I do not understand 'only weekdays'. What do you mean?")
    assert any("without `only`" in each for each in answer.notes)


@pytest.mark.parametrize(
    ("request_text", "steps"),
    [
        ("use Wind instead of ACE: Bz in GSE on 10 Sep 2014", ["b_gse=WI_H0_MFI/BGSE", "b_z=component(b_gse,z)"]),
        ("ACE speed rather than density on 2004-07-22", ["speed=AC_H0_SWE/Vp"]),
    ],
)
def test_what_another_word_stands_instead_of_is_not_drawn(request_text: str, steps: list[str]) -> None:
    """And the card says so."""
    pipeline = planned(request_text)
    assert chain(pipeline) == steps
    assert any("is wanted instead" in each for each in pipeline.assumptions)


@pytest.mark.parametrize("words", ["winter 2009-2010", "the winter of 2009/10", "winter 2009/2010"])
def test_a_winter_of_two_years_is_one_winter(words: str) -> None:
    """Not a date in numbers."""
    answer = ask(f"OMNI Dst in {words}")
    assert isinstance(answer, Plan), answer
    assert str(answer.span) == "2009-12-01 to 2010-03-01"


def test_themis_field_has_the_cadences_of_its_modes() -> None:
    """Spin fits are three seconds apart, and nothing is averaged to get these."""
    assert chain(planned("THEMIS-B magnetic field 3 s 2009-03-07")) == ["b_gse=THB_L2_FGM/thb_fgs_gse"]
    assert chain(planned("THEMIS-E magnetic field, 4 Hz data, 2009-03-07")) == ["b_gse=THE_L2_FGM/the_fgl_gse"]


def test_two_quantities_share_their_particles_in_spanish() -> None:
    """`de protones` is of both."""
    assert chain(planned("densidad y velocidad de protones de ACE, 12 de abril de 2001")) == [
        "density=AC_H0_SWE/Np",
        "speed=AC_H0_SWE/Vp",
    ]

"""Words that change what is wanted are read, or asked about: none is left out, and none is taken for something else."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.agent.offline.retracted import without_retracted
from tests.unit.agent.offline.asking import ask, chain, planned


@pytest.mark.parametrize(
    "request_text",
    [
        "Wind thermal speed converted to temperature in eV, 2010-04-05",
        "convert the Wind thermal speed to temperature, 2010-04-05",
        "ACE thermal speed turned into temperature for 2010-04-05",
        "Wind proton temperature computed from the thermal speed, 2010-04-05",
        "ACE density derived from the speed on 2010-04-05",
    ],
)
def test_one_quantity_made_of_another_is_asked_about(request_text: str) -> None:
    """Neither is fetched as if it were the result; each choice is a plan of one of them."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert answer.question.text.startswith("I make no ")
    assert answer.question.choices
    for choice in answer.question.choices:
        led_to = ask(choice)
        assert isinstance(led_to, Plan), (choice, led_to)
        assert len([step for step in led_to.pipeline.steps if step.fetch]) == 1


@pytest.mark.parametrize(
    ("request_text", "operation"),
    [
        ("ACE magnetic field magnitude computed from the components on 2005-05-05", "magnitude"),
        ("plasma beta computed from Wind density, temperature and field on 2005-05-05", "plasma_beta"),
    ],
)
def test_what_is_computed_here_is_computed(request_text: str, operation: str) -> None:
    """A derived quantity, or the length of a vector, may say what it is made of."""
    assert any(f"={operation}(" in each for each in chain(planned(request_text)))


@pytest.mark.parametrize("said", ["SYM-H one hour later", "SYM-H 30 minutes earlier", "1-hour-lagged SYM-H"])
def test_a_shift_of_one_of_two_is_no_cadence(said: str) -> None:
    """It is not made, and nothing is averaged over that length instead."""
    answer = ask(f"scatter of OMNI Bz against {said} for November 2003")
    assert isinstance(answer, Asked), answer
    assert "Which data do you want to shift?" in answer.question.text


@pytest.mark.parametrize("where", ["in the tail", "inside the magnetosphere", "in the sheath", "at dawn", "on the nightside"])
def test_where_a_spacecraft_was_picks_out_no_data_of_a_long_range(where: str) -> None:
    """It is asked about, unless the range is so short that it is named for the place."""
    answer = ask(f"Geotail density {where}, January 1997")
    assert isinstance(answer, Asked), answer
    assert where in answer.question.text
    (choice,) = answer.question.choices
    assert isinstance(ask(choice), Plan)
    short = ask(f"Geotail density {where}, 1997-01-12 06:00 to 09:00")
    assert isinstance(short, Plan), short
    assert where in short.ignored
    only = ask(f"Geotail density {where} only, 1997-01-12 06:00 to 09:00")
    assert isinstance(only, Asked), only


@pytest.mark.parametrize(
    ("written", "right"),
    [("autmn 2007", "autumn 2007"), ("septmber 2007", "September 2007"), ("sumer of 2007", "summer of 2007")],
)
def test_a_misspelt_season_or_month_is_corrected(written: str, right: str) -> None:
    """As other words are: the plan says so, and is for that time, not for the year."""
    answer = ask(f"ACE speed for {written}")
    assert isinstance(answer, Plan), answer
    expected = ask(f"ACE speed for {right}")
    assert isinstance(expected, Plan)
    assert answer.span == expected.span
    assert any("is read as" in each for each in answer.notes)


@pytest.mark.parametrize("time", ["ragnarok 2007", "quasimodo March 2007", "winter solstice 2007"])
def test_an_unknown_word_beside_a_year_or_month_is_asked_about(time: str) -> None:
    """It may limit the time; no choice leaves it out."""
    answer = ask(f"ACE speed for {time}")
    assert isinstance(answer, Asked), answer
    assert repr(time.split()[-2 if "solstice" in time else 0]) in answer.question.text
    assert not answer.question.choices


@pytest.mark.parametrize(
    ("request_text", "kept"),
    [
        ("ACE, no, Wind speed on 2005-05-05", "Wind speed on 2005-05-05"),
        ("|B| of Helios... sorry, Parker Solar Probe, 4 Apr 2019", "|B| of Parker Solar Probe, 4 Apr 2019"),
        ("ACE density, sorry, speed on 2005-05-05", "ACE speed on 2005-05-05"),
        ("ACE density, no temperature, on 2005-05-05", "ACE density, no temperature, on 2005-05-05"),
        ("ACE density, no, 2005-05-05", "ACE density, no, 2005-05-05"),
    ],
)
def test_what_is_taken_back_does_not_count(request_text: str, kept: str) -> None:
    """The later of two of one kind is meant; a negation takes nothing back."""
    assert without_retracted(request_text).request == kept


def test_what_is_taken_back_is_said() -> None:
    """On the card, as an assumption."""
    pipeline = planned("ACE, no, DSCOVR magnetic field magnitude on 2017-05-05")
    assert all("ACE" not in (step.intent or "") for step in pipeline.steps)
    assert "'ACE' is taken back: DSCOVR is meant." in pipeline.assumptions


def test_the_storm_without_its_time_is_asked_for() -> None:
    """The choices are the storms that have a name, each a plan for its days."""
    answer = ask("OMNI Bz in GSM for the storm")
    assert isinstance(answer, Asked), answer
    assert answer.question.text.startswith("Which storm")
    spans = [str(led_to.span) for each in answer.question.choices if isinstance(led_to := ask(each), Plan)]
    assert "2003-10-28 to 2003-11-01" in spans
    assert len(spans) == len(answer.question.choices)


@pytest.mark.parametrize(
    "request_text", ["solar wind speed around the big storm of 2003", "solar wind speed for the storm of 2003"]
)
def test_the_storm_of_a_year_is_asked_for(request_text: str) -> None:
    """All of the year is not planned; the choice is the storm of that year that has a name."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert answer.question.text == "Which storm of 2003 do you mean? Name it, or give its days."
    spans = [str(led_to.span) for each in answer.question.choices if isinstance(led_to := ask(each), Plan)]
    assert spans == ["2003-10-28 to 2003-11-01"]


def test_the_storm_of_some_days_is_what_happened_then() -> None:
    """Its days are said."""
    answer = ask("Plot SYM-H for the big storm of 10-12 May 2024")
    assert isinstance(answer, Plan), answer
    assert str(answer.span) == "2024-05-10 to 2024-05-13"


@pytest.mark.parametrize(
    ("request_text", "reason"),
    [
        ("GOES-16 0.1-0.8 nm x-ray flux on 2017-09-06, log axis", "no data of '0.1-0.8 nm x-ray flux'"),
        ("IMAGE RPI plasmagram 2001-04-11", "I draw no plasmagrams and ionograms"),
        ("predict Dst for the next three days", "forecast nothing"),
        ("train a neural network on OMNI data of 2001", "train no models"),
        ("download MMS1 data of 2017-01-01 and email them to me", "send nothing"),
    ],
)
def test_a_refusal_names_what_cannot_be_done(request_text: str, reason: str) -> None:
    """Instead of the words that are not understood."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert reason in answer.question.text
    assert "I do not understand" not in answer.question.text


def test_what_shocks_are_looked_for_by_is_done() -> None:
    """They are told about, and the jumps are listed."""
    request = "fast forward shocks at Wind in 2000: list jumps of speed greater than 50 km/s within 10 minutes"
    assert any("=jumps(speed,50,PT10M)" in each for each in chain(planned(request)))


def test_field_aligned_is_no_field() -> None:
    """It is one word: what is offered for it is what the archive describes so, never the field."""
    answer = ask("field-aligned electron temperature of Wind, 1998-05-02")
    assert isinstance(answer, Asked), answer
    assert "'field-aligned'" in answer.question.text
    assert not [each for each in answer.question.choices if "field" in each]

"""Lines that are shifted in time, in new requests and in follow-ups."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask, chain, edited, panels, planned, refine

BOTH = "ACE and Wind Bz GSM on 2010-04-05"


@pytest.mark.parametrize(
    ("request_text", "shifted"),
    [
        ("ACE Bz shifted by 35 min and Wind Bz in one panel, 2013-03-17", "ace_b_z_shifted=shift_time(ace_b_z,PT35M)"),
        ("shift Wind Bz by 1 hour and compare with OMNI Bz, 2013-03-17", "wind_b_z_shifted=shift_time(wind_b_z,PT1H)"),
        ("OMNI speed 2013-03-17, delayed by 40 minutes", "speed_shifted=shift_time(speed,PT40M)"),
    ],
)
def test_only_what_is_named_is_shifted(request_text: str, shifted: str) -> None:
    """The other spacecraft stays as it is."""
    assert [each for each in chain(planned(request_text)) if "shift_time" in each] == [shifted]


@pytest.mark.parametrize("words", ["shift ACE by 20 minutes", "delay ACE by 20 min", "shift ACE by 20 minutes later"])
def test_a_follow_up_shifts_a_line(words: str) -> None:
    """To later times, where it does not say earlier."""
    pipeline = edited(BOTH, words)
    assert "ace_b_z_shifted=shift_time(ace_b_z,PT20M)" in chain(pipeline)
    assert panels(pipeline) == ["ace_b_z_shifted+wind_b_z"]


def test_earlier_is_the_other_way() -> None:
    """Said, or by a negative length."""
    for words in ("shift Wind by 1 hour earlier", "shift Wind by -1 hour"):
        (step,) = [each for each in edited(BOTH, words).steps if each.id == "wind_b_z_shifted"]
        assert step.compute is not None
        assert step.compute.options == {"earlier": "PT1H"}


def test_which_one_is_asked() -> None:
    """Where several are drawn."""
    answer = refine(BOTH, "shift by 20 minutes")
    assert isinstance(answer, Asked), answer
    assert "Which do you want to shift" in answer.question.text


def test_a_shift_is_kept_in_questions() -> None:
    """No choice loses it."""
    answer = ask("Cluster |B| on 2001-09-15 shifted by 10 minutes")
    assert isinstance(answer, Asked), answer
    assert all("shifted by 10 minutes" in each for each in answer.question.choices)


@pytest.mark.parametrize(
    ("given", "words", "shifted", "paired"),
    [
        (
            "scatter of ACE Bz against SYM-H on 2003-11-20",
            "shift ACE by 40 minutes",
            "ace_b_z_shifted=shift_time(ace_b_z,PT40M)",
            "points=scatter(omni_sym_h,ace_b_z_shifted)",
        ),
        (
            "scatter of OMNI Bz against Dst in November 2003",
            "shift Bz by 1 hour",
            "b_z_gsm_shifted=shift_time(b_z_gsm,PT1H)",
            "points=scatter(dst,b_z_gsm_shifted,PT30M)",
        ),
        (
            "Epsilon parameter from Wind against AL at 5 min resolution on 1997-01-10, with the correlation coefficient",
            "shift Wind by 45 minutes",
            "wind_epsilon_5minute_shifted=shift_time(wind_epsilon_5minute,PT45M)",
            "points=scatter(omni_al,wind_epsilon_5minute_shifted,PT2M30S)",
        ),
        (
            "lag between ACE and Wind Bz on 2010-04-05",
            "delay ACE by 20 minutes",
            "ace_b_z_shifted=shift_time(ace_b_z,PT20M)",
            "correlation=cross_correlation(ace_b_z_shifted,wind_b_z,PT2H)",
        ),
        (
            "ACE and Wind Bz and their difference on 2010-04-05",
            "shift ACE by 20 minutes",
            "ace_b_z_shifted=shift_time(ace_b_z,PT20M)",
            "ace_minus_wind=difference(ace_b_z_shifted,wind_b_z)",
        ),
    ],
)
def test_what_is_paired_is_shifted_before_it_is_paired(given: str, words: str, shifted: str, paired: str) -> None:
    """What is made of the pair, points, fit or difference, is made of shifted data, and is itself not shifted."""
    steps = chain(edited(given, words))
    assert [each for each in steps if "shift_time" in each] == [shifted]
    assert paired in steps


@pytest.mark.parametrize(
    ("request_text", "shifted"),
    [
        ("ACE Bz shifted by 1 hour versus SYM-H scatter 2003-11-20", "ace_b_z_shifted=shift_time(ace_b_z,PT1H)"),
        (
            "correlation of ACE Bz with SYM-H shifted by 30 minutes, 2003-11-20",
            "omni_sym_h_shifted=shift_time(omni_sym_h,PT30M)",
        ),
    ],
)
def test_a_new_request_shifts_what_stands_before(request_text: str, shifted: str) -> None:
    """One of the pair, before it is paired."""
    assert [each for each in chain(planned(request_text)) if "shift_time" in each] == [shifted]


def test_points_have_no_times_to_shift() -> None:
    """Which of the pair is meant is asked, with a sentence for each."""
    answer = refine("scatter of OMNI Bz against Dst in November 2003", "shift it by 1 hour")
    assert isinstance(answer, Asked), answer
    assert answer.question.choices == ["shift Dst by 1 hour later", "shift Bz by 1 hour later"]


def test_a_negative_length_is_not_said_to_be_later() -> None:
    """The note on the other way is for what goes to later times."""
    answer = refine(BOTH, "shift Wind by -1 hour")
    assert not isinstance(answer, Asked)
    assert not any("later times" in each for each in answer.notes)

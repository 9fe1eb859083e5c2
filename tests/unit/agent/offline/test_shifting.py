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

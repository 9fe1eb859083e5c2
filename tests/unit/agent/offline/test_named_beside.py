"""A quantity said twice in one phrase is one, something beside it is drawn too, and a spectrum ends at half its sampling."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask, panels, planned


@pytest.mark.parametrize(
    ("request_text", "drawn"),
    [
        ("Solar Orbiter MAG RTN field magnitude, 2022-03-25 to 2022-03-28", ["b_mag"]),
        ("ACE magnetic field and its magnitude on 2003-10-29", ["b_gse", "b_mag"]),
        ("ACE magnetic field magnitude on 2003-10-29", ["b_mag"]),
        ("ACE B and |B| on 2003-10-29", ["b_gse", "b_mag"]),
    ],
)
def test_what_is_said_again_and_what_is_beside(request_text: str, drawn: list[str]) -> None:
    """`MAG field magnitude` is one quantity; `and its magnitude` is another one."""
    assert panels(planned(request_text)) == drawn


def test_a_clock_angle_of_components_is_in_gsm() -> None:
    """As it is of vectors; the plan says so."""
    pipeline = planned("clock angle of the IMF from OMNI on 2012-07-15")
    fetched = [step.fetch.parameter for step in pipeline.steps if step.fetch]
    assert fetched == ["BX_GSE", "BY_GSM", "BZ_GSM"]
    assert any("is taken in GSM" in each for each in pipeline.assumptions)


def test_a_slope_beyond_half_the_sampling_is_asked_about() -> None:
    """With one-minute data there is nothing above 8 mHz, and OMNI has no denser ones."""
    answer = ask("power spectrum of OMNI |B| on 2018-11-06 with its slope between 0.001 and 0.1 Hz")
    assert isinstance(answer, Asked)
    assert "ends at 0.00833 Hz, below 0.1 Hz" in answer.question.text
    assert planned("power spectrum of ACE |B| with its slope between 0.001 and 0.02 Hz on 2003-10-29")

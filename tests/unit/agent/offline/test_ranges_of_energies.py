"""`ions 1-2 MeV` is the channel that has most in common with the range, and the plan says which it is."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask, chain, planned


@pytest.mark.parametrize(
    ("request_text", "fetched", "told"),
    [
        ("ACE EPAM ions 1-2 MeV at 5 min resolution, 20 Jan 2005", "AC_H1_EPM/P7", "1.06-1.91 MeV"),
        ("STEREO-A protons from 4 to 6 MeV on 2012-07-23", "STA_COHO1HR_MERGED_MAG_PLASMA/protonFlux2_LET", "4.0 - 6.0"),
    ],
)
def test_the_channel_with_most_in_common_is_taken(request_text: str, fetched: str, told: str) -> None:
    """It is of the cadence that is named, and its own limits are in the plan."""
    pipeline = planned(request_text)
    assert chain(pipeline)[0].split("=")[1] == fetched
    assert any(told in each and "nearest" in each for each in pipeline.assumptions)


def test_a_range_that_no_channel_shares_is_a_question() -> None:
    """Nothing far off is taken in its place."""
    assert isinstance(ask("ACE ions 200-300 GeV on 20 Jan 2005"), Asked)

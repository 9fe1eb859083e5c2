"""Spacecraft of a fleet that there is not are asked about, and never taken for another one."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask


@pytest.mark.parametrize(
    ("request_text", "said", "others"),
    [
        ("MMS5 magnetic field 2017-07-11", "MMS5", ["MMS1", "MMS2", "MMS3", "MMS4"]),
        ("Cluster 6 density on 2001-03-31", "Cluster 6", ["Cluster 1", "Cluster 4"]),
        ("THEMIS F magnetic field 2010-01-01", "THEMIS F", ["THEMIS-A", "THEMIS-E"]),
        ("van allen probe C electron flux, 2014-06-08", "van allen probe C", ["Van Allen Probe A", "Van Allen Probe B"]),
    ],
)
def test_what_is_not_there_is_asked_about(request_text: str, said: str, others: list[str]) -> None:
    """With those that there are."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert f"I know no {said}: there are" in answer.question.text
    assert all(other in answer.question.text for other in others)


def test_a_letter_behind_a_numbered_fleet_names_none_of_it() -> None:
    """`s/c` is short for spacecraft."""
    answer = ask("timing with 4 cluster s/c on 2002-02-13")
    assert not isinstance(answer, Asked) or "I know no cluster" not in answer.question.text

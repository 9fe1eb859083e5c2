"""Components that are looked at together stand in one frame."""

from __future__ import annotations

import pytest

from tests.unit.agent.offline.asking import chain, planned


@pytest.mark.parametrize(
    ("request_text", "fetched"),
    [
        ("ACE Bx, By and Bz on 2004-11-08", ["b_gsm=AC_H0_MFI/BGSM"]),
        ("standard deviation of Bx, By, Bz of Wind in 10 min windows, 2001-03-31", ["b_gsm=WI_H0_MFI/BGSM"]),
        ("ACE Bx on 2004-11-08", ["b_gse=AC_H0_MFI/BGSEc"]),
        ("ACE and Wind Bx on 2004-11-08", ["ace_b_gse=AC_H0_MFI/BGSEc", "wind_b_gse=WI_H0_MFI/BGSE"]),
        ("ACE Bx, By and Bz in GSE on 2004-11-08", ["b_gse=AC_H0_MFI/BGSEc"]),
    ],
)
def test_components_of_one_vector_are_of_one_frame(request_text: str, fetched: list[str]) -> None:
    """X alone is the same in GSE and GSM, and stays as it is fetched."""
    assert [each for each in chain(planned(request_text)) if "/" in each] == fetched

"""Words that change nothing, and true reasons for what is not made."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")


@pytest.mark.parametrize(
    ("request_", "dataset"),
    [
        ("Wind WAVES RAD2 spectrogram of the type II burst, 2005-08-22 17 to 20 UT", "WI_L2_WAV_RAD2"),
        ("Wind WAVES RAD1 type III burst 2003-11-04", "WI_L2_WAV_RAD1"),
        ("type III radio bursts STEREO-A SWAVES spectrogram, 2011-03-05", "STA_L3_WAV_HFR"),
        ("New Horizons SWAP proton speed in cruise, 2012", "NEW_HORIZONS_SWAP_SOLAR-WIND"),
    ],
)
def test_names_of_what_is_seen_change_nothing(request_: str, dataset: str) -> None:
    """They are no part of the plan, and not asked about."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    assert [each.fetch.dataset for each in plan.pipeline.steps if each.fetch] == [dataset]


@pytest.mark.parametrize(
    ("request_", "reason", "choices"),
    [
        (
            "Helios 2 |B| times r, 1976-04",
            "I scale nothing by the distance from the Sun",
            ["Helios 2 |B| and distance from the Sun, 1976-04"],
        ),
        (
            "Ulysses proton density scaled by r^2, 1995",
            "I scale nothing by the distance from the Sun",
            ["Ulysses proton density and distance from the Sun, 1995"],
        ),
        ("Wind WAVES RAD1 spectrogram in dB, 2003-10-28", "decibels", ["Wind WAVES RAD1 spectrogram, 2003-10-28"]),
        ("superposed epoch of SYM-H, Dst below -100 nT, 2000-2005", "which ones 'below -100 nT' makes", []),
        (
            "RBSP-A EMFISIS HFR spectrogram 2013-06-01 with electron gyrofrequency overplotted",
            "no curves over a spectrogram",
            None,
        ),
        ("the great storm of last autumn", "which spacecraft, which quantity and from when to when", []),
        ("scatter of speed vs density coloured by Bz, ACE 2005", "I colour no points by a third quantity", []),
        ("something from Cluster", "which spacecraft (Cluster 1 or Cluster 2", []),
        ("something from Wind", "which quantity and from when to when", []),
    ],
)
def test_the_reason_is_the_true_one(request_: str, reason: str, choices: list[str] | None) -> None:
    """And what is offered is planned."""
    asked = answered(request_)
    assert isinstance(asked, Asked), asked
    assert reason in asked.question.text
    assert choices is None or asked.question.choices == choices


def test_a_ratio_that_no_instrument_file_has_is_computed() -> None:
    """Of the two densities that it has."""
    plan = answered("Wind SWE alpha to proton ratio, March 1999")
    assert isinstance(plan, Plan), plan
    assert plan.notes == ("I know no alpha to proton ratio in SWE of Wind. It is computed from the two densities.",)

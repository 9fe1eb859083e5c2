"""Statistics over bins are made of data that have several values in each, where there are any."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Plan
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")
THIN = "OMNI2_H0_MRG1HR has 1-hour values: 1-hour {} of it have 1 value each."


@pytest.mark.parametrize(
    ("request_", "datasets", "said"),
    [
        ("hourly medians of OMNI speed 2003-10", ["OMNI_HRO_1MIN"], []),
        ("2-hour maxima of OMNI density 2003-10", ["OMNI_HRO_1MIN"], []),
        ("daily maximum of OMNI speed 2003", ["OMNI2_H0_MRG1HR"], []),
        (
            "1-minute medians of OMNI speed 2003-10-29",
            ["OMNI_HRO_1MIN"],
            ["1-minute values: 1-minute medians of it have 1 value"],
        ),
        ("hourly maximum of Dst 2003-10", ["OMNI2_H0_MRG1HR"], [THIN.format("maxima")]),
        ("hourly medians of OMNI speed and Dst 2003-10", ["OMNI_HRO_1MIN", "OMNI2_H0_MRG1HR"], [THIN.format("medians")]),
        ("hourly means of OMNI speed 2003-10", ["OMNI2_H0_MRG1HR"], [THIN.format("means")]),
        ("hourly medians of hourly OMNI speed 2003-10", ["OMNI2_H0_MRG1HR"], [THIN.format("medians")]),
    ],
)
def test_a_bin_has_several_values(request_: str, datasets: list[str], said: list[str]) -> None:
    """Three or more for a statistic; a mean may be the archive's own. Where there are fewer, the card says so."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    assert [each.fetch.dataset for each in plan.pipeline.steps if each.fetch] == datasets
    thin = [each for each in plan.pipeline.assumptions if "of it have" in each]
    assert len(thin) == len(said)
    assert all(words in told for words, told in zip(said, thin, strict=True))

"""Whose solar wind is meant where no spacecraft is named: that of OMNI beside an index or a name of it, else it is asked."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")


@pytest.mark.parametrize(
    "request_",
    [
        "IMF Bz and Dst 20 November 2003",
        "density and SYM-H 2012-03-09",
        "scatter of speed against AE in 2007",
        "histogram of solar wind speed 2004",
        "plasma beta of the solar wind 2012-03-09",
        "IMF clock angle and AE 2012-03-09",
    ],
)
def test_the_solar_wind_at_the_earth_is_that_of_omni(request_: str) -> None:
    """All comes from OMNI, and the card says that nobody was named."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    assert {each.fetch.dataset.split("_")[0].rstrip("2") for each in plan.pipeline.steps if each.fetch} == {"OMNI"}
    assert any("no spacecraft is named" in each for each in plan.pipeline.assumptions)


@pytest.mark.parametrize(
    "request_",
    [
        "magnetic field 2012-03-09",
        "electron density and Kp, March 2008",
        "solar wind velocity in RTN 2012-03-09",
        "compare the solar wind speed 2012-03-09",
        "solar wind density in the magnetosheath 2012-03-09",
        "solar wind speed at high latitudes 1995",
    ],
)
def test_whose_is_asked_where_omni_is_not_meant(request_: str) -> None:
    """Nothing hints at it, or it has no such data."""
    asked = answered(request_)
    assert isinstance(asked, Asked), asked
    assert asked.question.text.startswith("From which spacecraft")


def test_a_spacecraft_that_is_named_beside_an_index_is_kept() -> None:
    """OMNI gives the index alone."""
    plan = answered("Wind Bz GSE and SYM-H 2012-03-09")
    assert isinstance(plan, Plan), plan
    assert {each.fetch.dataset[:4] for each in plan.pipeline.steps if each.fetch} == {"WI_H", "OMNI"}
    assert not any("no spacecraft is named" in each for each in plan.pipeline.assumptions)

"""Words that change nothing, in requests of people who write quickly: none costs a question, and none changes the time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Situation
from tests.unit.agent.knowledge import shipped_knowledge

pytestmark = pytest.mark.xdist_group("requests")
NOW = datetime(2026, 11, 26, tzinfo=UTC)


@pytest.mark.parametrize(
    ("request_", "span", "fetched"),
    [
        ("show me Dst and AE across March 2001", "2001-03-01 to 2001-04-01", ["DST", "AE_INDEX"]),
        ("OMNI speed spanning 2003-10-28 to 2003-10-30", "2003-10-28 to 2003-10-30", ["V"]),
        ("PSP radial magnetic field -> encounter 6", "2020-09-22 to 2020-10-03", ["psp_fld_l2_mag_RTN_1min"]),
        ("how does Solar Orbiter's field strength vary in September 2021?", "2021-09-01 to 2021-10-01", ["B_RTN"]),
        ("Wind's proton density vs time, 2010-04-05, log scale", "2010-04-05 to 2010-04-06", ["Proton_Np_nonlin"]),
    ],
)
def test_it_is_planned_at_once(request_: str, span: str, fetched: list[str]) -> None:
    """With nothing left over."""
    answer = OfflinePlanner(shipped_knowledge()).answer(Situation(request=request_, now=NOW))
    assert isinstance(answer, Plan), answer
    found = [step.fetch.parameter for step in answer.pipeline.steps if step.fetch is not None]
    assert (str(answer.span), found, tuple(answer.ignored)) == (span, fetched, ())

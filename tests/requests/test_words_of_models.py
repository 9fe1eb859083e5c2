"""Years and authors in the names of models: part of the name, and never a time of data."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Plan
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")


@pytest.mark.parametrize(
    ("request_", "operation"),
    [
        ("subsolar magnetopause (Shue et al. 1998) from OMNI, 24 August 2005", "magnetopause_distance"),
        ("Shue 1998 magnetopause distance, 24 August 2005", "magnetopause_distance"),
        ("OMNI magnetopause standoff Lin 2010, 2005-08-24", "lin_magnetopause_distance"),
        ("magnetopause of Lin et al. (2010) from OMNI, 2005-08-24", "lin_magnetopause_distance"),
        ("Jelinek 2012 bow shock from OMNI 2005-08-24", "bow_shock_distance"),
        ("Newell et al. (2007) coupling, 24 Aug 2005", "newell_coupling"),
        ("Kan and Lee 1979 electric field 2005-08-24", "kan_lee_electric_field"),
        ("Perreault and Akasofu 1978 epsilon 2005-08-24", "epsilon"),
        ("Burton 1975 Dst, OMNI, 2005-08-24", "dst_model"),
    ],
)
def test_the_year_of_a_paper_is_not_the_time(request_: str, operation: str) -> None:
    """The model is planned for the day, with nothing left over."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    assert str(plan.span) == "2005-08-24 to 2005-08-25"
    assert plan.ignored == ()
    *_, made = [step.compute for step in plan.pipeline.steps if step.compute]
    assert made.operation == operation


@pytest.mark.parametrize(
    "request_", ["Newell coupling 2007", "Shue 2007 magnetopause distance", "Shue magnetopause distance in 2007"]
)
def test_a_year_that_is_not_beside_the_author_is_the_time(request_: str) -> None:
    """And so is one that the author published nothing in."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    assert str(plan.span) == "2007-01-01 to 2008-01-01"

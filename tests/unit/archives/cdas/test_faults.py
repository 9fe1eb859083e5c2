"""Faults of the test server."""

from __future__ import annotations

import pytest

from helio_dagster.archives.cdas.faults import Fault, FaultPlan, parse_fault
from helio_dagster.domain.errors import InputError


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("truncate", Fault("truncate")),
        ("truncate:2", Fault("truncate", times=2)),
        ("503:always:listing", Fault("503", "listing")),
        ("429:file:3", Fault("429", "file", 3)),
    ],
)
def test_a_fault_is_read_from_text(text: str, fault: Fault) -> None:
    """Kind, then how often and at what, in any order."""
    assert parse_fault(text) == fault


@pytest.mark.parametrize("text", ["", "fire", "truncate:0", "truncate:-1", "slow:folder"])
def test_what_is_no_fault_is_refused_with_its_form(text: str) -> None:
    """The hint tells how a fault is written."""
    with pytest.raises(InputError) as caught:
        parse_fault(text)
    assert "KIND[:TIMES" in caught.value.hint


def test_faults_are_used_up_in_order_by_their_target() -> None:
    """A fault of files leaves listings alone; a spent one makes place for the next."""
    plan = FaultPlan(Fault("503", "file", 1), Fault("html", "file", 2))
    assert plan.take("listing") is None
    assert [plan.take("file") for _ in range(4)] == ["503", "html", "html", None]

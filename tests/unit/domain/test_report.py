"""What a run says of itself."""

from __future__ import annotations

from typing import Literal

import pytest

from helio_dagster.domain.report import EventReport, Failure, RunReport, StepReport


def report(status: Literal["success", "partial", "failed"], *, is_wrong_input: bool = False) -> RunReport:
    """A report of one step."""
    return RunReport(
        pipeline="ace",
        start="2023-01-02",
        stop="2023-01-03",
        status=status,
        run_id=None,
        seconds=0.5,
        partitions=["2023-01-02"],
        steps={"b": StepReport(asset="cdaweb/AC_H0_MFI/BGSEc", computed=1)},
        failures=[Failure(step="b", partition="2023-01-02", error="no answer")] if status != "success" else [],
        figures=[],
        is_wrong_input=is_wrong_input,
    )


@pytest.mark.parametrize(
    ("status", "is_wrong_input", "code"),
    [("success", False, 0), ("partial", False, 1), ("failed", False, 1), ("failed", True, 2)],
)
def test_exit_codes(status: Literal["success", "partial", "failed"], is_wrong_input: bool, code: int) -> None:
    """0 done, 1 some or all failed, 2 asked wrongly."""
    assert report(status, is_wrong_input=is_wrong_input).exit_code == code


def test_the_document_is_the_designs() -> None:
    """Other programs read these keys."""
    document = report("failed", is_wrong_input=True).model_dump()
    named = {"pipeline", "start", "stop", "status", "run_id", "seconds", "partitions"}
    keys = {*named, "steps", "failures", "figures", "facts", "events", "unmet", "warnings", "open_until"}
    assert set(document) == keys
    assert set(document["steps"]["b"]) == {"asset", "computed", "reused", "empty", "skipped", "failed"}
    assert set(document["failures"][0]) == {"step", "partition", "error", "hint", "details"}


def test_an_event_that_reaches_beyond_the_range_says_so() -> None:
    """After its numbers, or alone; one that does not says nothing."""
    event = EventReport(step="b", start="2003-10-29T06:11:00Z", stop="2003-10-30T02:00:00Z", text="19.8 h", cut=True)
    assert event.words == "19.8 h (reaches beyond the range)"
    assert event.model_copy(update={"text": ""}).words == "(reaches beyond the range)"
    assert event.model_copy(update={"cut": False}).words == "19.8 h"

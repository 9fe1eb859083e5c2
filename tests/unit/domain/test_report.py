"""What a run says of itself."""

from __future__ import annotations

from typing import Literal

import pytest

from helio_dagster.domain.report import Failure, RunReport, StepReport


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
    keys = {*named, "steps", "failures", "figures", "facts", "events", "unmet"}
    assert set(document) == keys
    assert set(document["steps"]["b"]) == {"asset", "computed", "reused", "empty", "skipped", "failed"}
    assert set(document["failures"][0]) == {"step", "partition", "error", "hint", "details"}
